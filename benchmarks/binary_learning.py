"""Binary weights: whole fits beside scikit-learn's, and what "sbpi" finds where there is a teacher.

Teachers, rows and learners draw from seeds of their own: equal ones could make a learner guess its teacher.
"""

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import BernoulliNB

from perceptrons import BinaryPerceptron
from perceptrons.synthetic import Product, product
from perceptrons.theory.curves import exact_agreement, learning_curve

from .layout import Column, Section
from .timing import interleave

FIT_ROUNDS, TEACHER, ROWS, LEARNER = 2, 1_000, 2_000, 3_000  # the last three: where seeds begin
CLEAN_SIZE, QUICK_CLEAN_SIZE = (20_000, 2_001), (1_000, 51)
N, SEEDS, LOADS = 1_001, 5, (0.3, 0.5, 0.7, 1.0, 1.3, 1.6, 2.0)
QUICK_N, QUICK_SEEDS, QUICK_LOADS, QUICK_EPOCHS = 101, 2, (0.5, 2.0), 50
INFLUENCE, SBPI = "BinaryPerceptron, influence", "BinaryPerceptron, sbpi"

FITS = [
    Column("learner", "learner", "text"),
    Column("time", "fit", "time"),
    Column("ratio", "its time / influence's", "ratio"),
    Column("accuracy", "test accuracy", "percent"),
    Column("bytes", "model", "bytes"),
    Column("epochs", "epochs", "count"),
]
LEARNING = [
    Column("name", "rows / columns", "text"),
    Column("rows", "rows", "count"),
    Column("solved", "solved", "text"),
    Column("epochs", "epochs", "count"),
    Column("time", "fit", "time"),
    Column("agreement", "G", "percent"),
    Column("hebb", "G of clipped Hebb", "percent"),
    Column("limit", "the same, limit", "percent"),
]


class Learner(NamedTuple):
    id: str
    name: str
    make: Callable[[], Any]
    floats: bool = False  # whether it gets rows of float64


def _learners(epochs: int) -> list[Learner]:
    """Those of one pass; "sbpi"; and scikit-learn's."""
    return [
        Learner("influence", INFLUENCE, lambda: BinaryPerceptron(random_state=LEARNER)),
        Learner(
            "clipped-hebb",
            "BinaryPerceptron, clipped-hebb, binarize=0",
            lambda: BinaryPerceptron(method="clipped-hebb", binarize=0, random_state=LEARNER),
        ),
        Learner("sbpi", SBPI, lambda: _sbpi(LEARNER, epochs, "auto")),
        Learner("nb", "BernoulliNB", BernoulliNB),
        Learner("nb float64", "BernoulliNB, float64 rows", BernoulliNB, floats=True),
        Learner("perceptron", "Perceptron", lambda: SklearnPerceptron(random_state=LEARNER)),
        Learner("sgd", "SGDClassifier", lambda: SGDClassifier(random_state=LEARNER)),
    ]


def _sbpi(seed: int, epochs: int, threshold: Any) -> BinaryPerceptron:
    return BinaryPerceptron(
        method="sbpi", threshold=threshold, binarize=0, max_epochs=epochs, random_state=seed
    )


def sections(noisy: Product, noise: float, quick: bool) -> list[Section]:
    m, n = QUICK_CLEAN_SIZE if quick else CLEAN_SIZE
    return [_fits(noisy, noise, quick), _fits(_taught(m, n, ROWS), 0.0, quick), _learning(quick)]


def notes(quick: bool) -> list[str]:
    return [
        "Fits: columns are balanced, labels those of a random ±1 teacher; the accuracy is that on new rows, "
        "whose labels are as noisy. The model is what predictions need. scikit-learn's linear learners copy "
        "bytes into float64, BernoulliNB multiplies them without BLAS; so it races with float64 rows, too.",
        "sbpi: threshold 0, no noise; a run ends when no row is wrong, or after "
        f"{_epochs(quick):,} epochs. Epochs and seconds are medians over the runs, G means: how often the "
        "model and its teacher agree about new rows, exactly, from their weights.",
    ]


def sizes(quick: bool) -> dict[str, Any]:
    loads = QUICK_LOADS if quick else LOADS
    clean, n = (QUICK_CLEAN_SIZE, QUICK_N) if quick else (CLEAN_SIZE, N)
    return {"clean": clean, "sbpi": n, "loads": loads, "seeds": _seeds(quick), "fit_rounds": _rounds(quick)}


def _rounds(quick: bool) -> int:
    return 1 if quick else FIT_ROUNDS


def _seeds(quick: bool) -> int:
    return QUICK_SEEDS if quick else SEEDS


def _epochs(quick: bool) -> int:
    return QUICK_EPOCHS if quick else 1_000


def _teacher(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(TEACHER + seed).choice(np.array([-1, 1], np.int8), n)


def _taught(m: int, n: int, row_seed: int, teacher_seed: int = 0) -> Product:
    return product(m, n, weights=_teacher(n, teacher_seed), random_state=row_seed)


def _fits(rows: Product, noise: float, quick: bool) -> Section:
    """Without noise "sbpi" takes part; with it, it would never end."""
    X, y, teacher = rows
    m, n = X.shape
    print(f"whole fits, {m:,}×{n:,} ...", flush=True)
    label = f"{m:,}×{n:,}, {100 * noise:.0f} % of labels flipped" if noise else f"{m:,}×{n:,}, no noise"
    known = [one for one in _learners(_epochs(quick)) if one.id != "sbpi" or not noise]
    models, floats = {one.id: one.make() for one in known}, X.astype(np.float64)
    fits = {one.id: (lambda one=one: models[one.id].fit(floats if one.floats else X, y)) for one in known}
    times = interleave(fits, _rounds(quick))
    others, hidden, _ = product(m // 10, n, weights=teacher, noise=noise, random_state=ROWS + 1)
    kind = "noisy" if noise else "clean"
    section = Section(f"Whole fits of int8 rows, {label}, one thread", FITS, [], {kind: times.seconds})
    for one in known:
        model = models[one.id]
        section.rows.append(
            {
                "id": f"fit {kind} {one.id}",
                "learner": one.name,
                "time": times.median(one.id),
                "ratio": times.ratio(one.id, "influence"),
                "accuracy": float(np.mean(model.predict(others) == hidden)),
                "bytes": _size(model),
                "epochs": getattr(model, "n_epochs_", getattr(model, "n_iter_", None)),
            }
        )
    return section


def _size(model: Any) -> int:
    if isinstance(model, BinaryPerceptron):
        return model.packed_.n_bytes
    parts = (
        ("feature_log_prob_", "class_log_prior_")
        if isinstance(model, BernoulliNB)
        else ("coef_", "intercept_")
    )
    return sum(getattr(model, part).nbytes for part in parts)


def _learning(quick: bool) -> Section:
    n, loads = (QUICK_N, QUICK_LOADS) if quick else (N, LOADS)
    print(f"sbpi, {n:,} columns ...", flush=True)
    _learn(51, 1.0, 0, 1)  # nobody else has compiled its sweep
    section = Section(f"Learning of sbpi, {n:,} columns, {_seeds(quick)} runs each, one thread", LEARNING, [])
    for load in loads:
        runs = [_learn(n, load, seed, _epochs(quick)) for seed in range(_seeds(quick))]
        section.raw[f"{load:g}"] = {key: [one[key] for one in runs] for key in runs[0]}
        section.rows.append(_learning_row(n, load, runs))
    return section


def _learn(n: int, load: float, seed: int, epochs: int) -> dict[str, Any]:
    X, y, teacher = _taught(round(load * n), n, ROWS + round(100 * load) + seed, seed)
    model = _sbpi(LEARNER + seed, epochs, 0)
    start = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - start
    hebb = BinaryPerceptron(method="clipped-hebb", binarize=0).fit(X, y)
    wrong = [int(np.count_nonzero(one.coef_[0] != teacher)) for one in (model, hebb)]
    agreement, beside = (float(exact_agreement(n, some)) for some in wrong)
    return {
        "solved": model.converged_,
        "epochs": model.n_epochs_,
        "seconds": round(seconds, 9),
        "agreement": agreement,
        "hebb": beside,
    }


def _learning_row(n: int, load: float, runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"sbpi {load:g}",
        "name": f"{load:g}",
        "rows": round(load * n),
        "solved": f"{sum(one['solved'] for one in runs)} of {len(runs)}",
        "epochs": statistics.median(one["epochs"] for one in runs),
        "time": statistics.median(one["seconds"] for one in runs),
        "agreement": statistics.mean(one["agreement"] for one in runs),
        "hebb": statistics.mean(one["hebb"] for one in runs),
        "limit": float(learning_curve(load)),
    }
