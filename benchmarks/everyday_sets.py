"""Sets for `benchmarks everyday` beyond tables: many rows, a rare class at the end, small margins."""

import statistics
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as SklearnPerceptron

from perceptrons import Perceptron, datasets
from perceptrons.synthetic import separable

from .everyday_tables import Fold
from .layout import Column, Section

RARE, N_RARE, N_COLUMNS = (0.1, 0.01, 0.001), 200_000, 20
SIZES, MARGINS = ((200, 10), (1000, 50)), (0.01, 0.001)
DIGITS = 20_000


def many_rows(quick: bool) -> Section:
    """Large sets beside scikit-learn's `Perceptron`; both as they come."""
    rounds = 1 if quick else 3
    columns = [
        Column("name", "rows", "text"),
        Column("ours", "Perceptron()", "percent"),
        Column("peer", "sk Perceptron", "percent"),
        Column("fit", "our fit", "time"),
        Column("peer_fit", "sk's fit", "time"),
        Column("ratio", "of sk's", "ratio"),
    ]
    section = Section("Many rows: accuracy on new rows, and time", columns, [])
    sets: dict[str, Callable[[], Fold]] = {} if quick else {"a9a": census, "MNIST": _digits}
    sets |= {f"rare {share:g}": lambda share=share: rare(share, quick) for share in RARE}
    for name, make in sets.items():
        fold, scores, seconds = make(), {}, {}
        for _ in range(rounds):
            for key, kind in {"ours": Perceptron, "peer": SklearnPerceptron}.items():
                model, start = kind(random_state=0), perf_counter()
                model.fit(fold.X, fold.y)
                seconds.setdefault(key, []).append(round(perf_counter() - start, 9))
                scores[key] = float((model.predict(fold.X_test) == fold.y_test).mean())
        fit, peer_fit = statistics.median(seconds["ours"]), statistics.median(seconds["peer"])
        told = f"{_title(name)}, {len(fold.y):,}×{fold.X.shape[1]}"
        row = {"id": name, "name": told, **scores, "fit": fit, "peer_fit": peer_fit, "ratio": fit / peer_fit}
        section.rows.append(row)
        section.raw[name] = seconds
    return section


def _title(name: str) -> str:
    return name if "rare" not in name else f"sorted, a class of {100 * float(name.split()[1]):g} % at the end"


def rare(share: float, quick: bool) -> Fold:
    """Rows sorted by class, of which the second is rare; new rows come from where they came from."""
    rng, m = np.random.default_rng(0), N_RARE // 10 if quick else N_RARE
    teacher = rng.standard_normal(N_COLUMNS)
    X = rng.standard_normal((2 * m, N_COLUMNS))
    scores = X @ teacher + 0.7 * np.linalg.norm(teacher) * rng.standard_normal(2 * m)
    y = (scores > np.quantile(scores, 1 - share)).astype(np.int64)
    order = np.argsort(y[:m], kind="stable")
    return Fold(X[:m][order], y[:m][order], X[m:], y[m:])


def census() -> Fold:
    """With 32-bit indices: scikit-learn's `Perceptron` takes no others."""
    found = datasets.a9a()
    for X in (found.X_train, found.X_test):
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return Fold(found.X_train, found.y_train, found.X_test, found.y_test)


def _digits() -> Fold:
    found = datasets.mnist()
    X, X_test = (
        images.reshape(len(images), -1) / 255.0 for images in (found.train_images[:DIGITS], found.test_images)
    )
    return Fold(X, found.train_labels[:DIGITS], X_test, found.test_labels)


def small_margins(quick: bool) -> Section:
    """How many separable sets are given up that training to the end would separate."""
    n_sets = 5 if quick else 200
    columns = [
        Column("name", "rows", "text"),
        Column("converged", "converged", "percent"),
        Column("given_up", "given up", "percent"),
        Column("accuracy", "training accuracy of these", "percent"),
        Column("least", "the least", "percent"),
    ]
    title = f"{n_sets} separable sets each: those given up are separated with min_margin=0"
    section = Section(title, columns, [])
    for (m, n), margin in ((size, margin) for size in SIZES for margin in MARGINS):
        scores = [*_given_up(m, n, margin, n_sets)]
        lost = [score for score in scores if score is not None and score >= 0.0]
        section.rows.append(
            {
                "id": f"{m}×{n} {margin}",
                "name": f"{m:,}×{n}, margin {margin:g}",
                "converged": scores.count(None) / n_sets,
                "given_up": len(lost) / n_sets,
                "accuracy": statistics.mean(lost) if lost else None,
                "least": min(lost) if lost else None,
            }
        )
        section.raw[f"{m}×{n} {margin}"] = lost
    return section


def _given_up(m: int, n: int, margin: float, n_sets: int) -> Iterator[Any]:
    """None for a set that is separated; else the training accuracy, or −1 if nothing separates it."""
    for seed in range(n_sets):
        X, y, _ = separable(m, n, margin=margin, random_state=seed)
        model = Perceptron(random_state=seed).fit(X, y)
        if model.converged_:
            yield None
        else:
            whole = Perceptron(random_state=seed, min_margin=0).fit(X, y)
            yield float(model.score(X, y)) if whole.converged_ else -1.0
