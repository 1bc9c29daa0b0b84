"""Sparse matrices whose arrays were written to after they were made, and every door that takes matrices.

    python -m tests.contract.damaged_matrices 5000

Each case is a child process, forked once everything is imported and compiled: what dies there is counted. A
damage that contradicts nothing (cells stored twice, or out of order) must give what the sound matrix of the
same cells gives; any other a ValueError.
"""

import json
import os
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import benchmarks  # noqa: F401  importing it names Numba's cache after a hash of the sources
from perceptrons import (
    BinaryPerceptron,
    Cascade,
    ChowClassifier,
    ConservativePerceptron,
    KernelPerceptron,
    LiteralEncoder,
    MarginProjection,
    MaxMarginPerceptron,
    Perceptron,
    PrunedPerceptron,
    SelectiveClassifier,
    SparsePerceptron,
    TableEncoder,
    compare,
)
from perceptrons.margin.certificates import certify_margin as certify
from perceptrons.theory import best_margin

FORMATS = ("csr", "csr", "csr", "csr", "csc", "csc", "coo", "bsr", "dia", "lil", "dok")
SHAPE = (24, 6)
LIMIT_S = 60
SAME, REFUSED, WRONG = 0, 10, 20
DENSE_ONLY = ("compare", "table fit", "labels")  # which refuse all sparse matrices

Matrix = Any
Damage = Callable[[Matrix, np.random.Generator], None]


def cells(rng: np.random.Generator) -> np.ndarray:
    """Whole numbers, so that all sums are exact; a column tells the classes apart, no column is constant."""
    X = rng.integers(-3, 4, SHAPE) * (rng.random(SHAPE) < 0.5)
    X[:, 0] = np.where(np.arange(SHAPE[0]) % 2, 3, -2)
    X[0, 1:], X[1, 1:] = 1, 2
    return X.astype(float)


LABELS = np.arange(SHAPE[0]) % 2
KNOWN = cells(np.random.default_rng(0))

# Damages of compressed formats (CSR, CSC, BSR): each writes into a matrix that was sound.


def far(rng: np.random.Generator, dtype: Any) -> int:
    """Numbers that are no places; cut off to 32 bits, some of them would be."""
    wide = (2**32 + 1, 2**31, -(2**40), 2**62) if dtype == np.int64 else ()
    return int(rng.choice(np.array([-1, -(2**31), 2**31 - 1, 10_000_000, 24, 100, *wide])))


def index_out_of_range(X: Matrix, rng: np.random.Generator) -> None:
    X.indices[rng.integers(len(X.indices))] = far(rng, X.indices.dtype)


def start_out_of_range(X: Matrix, rng: np.random.Generator) -> None:
    X.indptr[rng.integers(len(X.indptr))] = far(rng, X.indptr.dtype)


def starts_moved(X: Matrix, rng: np.random.Generator) -> None:
    X.indptr += X.indptr.dtype.type(rng.choice([-1, 1, 2, 1000]))


def starts_exchanged(X: Matrix, rng: np.random.Generator) -> None:
    X.indptr[:] = X.indptr[::-1].copy() if rng.random() < 0.5 else rng.permutation(X.indptr)


def starts_cut_or_longer(X: Matrix, rng: np.random.Generator) -> None:
    n = len(X.indptr)
    X.indptr = np.resize(X.indptr, int(rng.choice([0, 1, n - 1, n + 1, 2 * n])))


def part_cut_or_longer(X: Matrix, rng: np.random.Generator) -> None:
    name = str(rng.choice(["data", "indices"]))
    part = getattr(X, name)
    size = int(rng.choice([0, 1, len(part) - 1, len(part) + 1, 3 * len(part)]))
    setattr(X, name, np.resize(part, (size, *part.shape[1:])))


def other_type(X: Matrix, rng: np.random.Generator) -> None:
    name = str(rng.choice(["indices", "indptr"]))
    kinds = [np.float64, np.uint32, np.int16, np.uint64, object, ">i4", bool, "U8", complex]
    setattr(X, name, getattr(X, name).astype(kinds[rng.integers(len(kinds))]))


def other_dimensions(X: Matrix, rng: np.random.Generator) -> None:
    name = str(rng.choice(["data", "indices", "indptr"]))
    part = getattr(X, name)
    setattr(X, name, [part[:, None], part[None], np.array(7), part.tolist(), None][rng.integers(5)])


def other_shape(X: Matrix, rng: np.random.Generator) -> None:
    m, n = X.shape
    X._shape = [(m + 5, n), (m, n - 2), (m - 1, n), (n, m), (m, 1)][rng.integers(5)]


def gaps(X: Matrix, rng: np.random.Generator) -> None:
    """No damage: each number stands in every other place of a larger array."""
    name = str(rng.choice(["data", "indices", "indptr"]))
    setattr(X, name, np.repeat(getattr(X, name), 2, axis=0)[::2])


def room_behind(X: Matrix, rng: np.random.Generator) -> None:
    """SciPy reads no cell behind the last start, but where it picks columns it does."""
    X.data = np.concatenate([X.data, X.data[:3]])
    X.indices = np.concatenate(
        [X.indices, rng.choice([0, far(rng, X.indices.dtype)], 3).astype(X.indices.dtype)]
    )


def twice(X: Matrix, rng: np.random.Generator) -> None:
    """No damage: a cell stored twice is added up. What SciPy remembers is now wrong."""
    _ = X.has_canonical_format
    k = int(np.argmax(np.diff(X.indptr)))
    start, stop = int(X.indptr[k]), int(X.indptr[k + 1])
    X.indices[start:stop] = X.indices[start + rng.integers(stop - start)]


def out_of_order(X: Matrix, rng: np.random.Generator) -> None:
    """No damage; SciPy has looked before, and remembers that all is in order."""
    _ = X.has_canonical_format
    for start, stop in zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True):
        X.indices[start:stop] = X.indices[start:stop][::-1].copy()
        X.data[start:stop] = X.data[start:stop][::-1].copy()


def nothing(X: Matrix, rng: np.random.Generator) -> None:
    """The matrix stays sound."""


COMPRESSED: list[Damage] = [
    index_out_of_range,
    index_out_of_range,
    start_out_of_range,
    starts_moved,
    starts_exchanged,
    starts_cut_or_longer,
    part_cut_or_longer,
    other_type,
    other_dimensions,
    other_shape,
    gaps,
    room_behind,
    twice,
    out_of_order,
    nothing,
]

# Damages of the other formats.


def coordinate_out_of_range(X: Matrix, rng: np.random.Generator) -> None:
    part = X.coords[rng.integers(2)]
    part[rng.integers(len(part))] = far(rng, part.dtype)


def coordinates_cut(X: Matrix, rng: np.random.Generator) -> None:
    coords = [*X.coords]
    k = rng.integers(2)
    coords[k] = [coords[k][:-1], coords[k][:0], coords[k][:, None], coords[k].astype(float)][rng.integers(4)]
    X.coords = tuple(coords)


def values_cut(X: Matrix, rng: np.random.Generator) -> None:
    X.data = X.data[: len(X.data) // 2]


def coordinates_twice(X: Matrix, rng: np.random.Generator) -> None:
    """No damage."""
    X.coords = tuple(np.append(part, part[:5]) for part in X.coords)
    X.data = np.append(X.data, X.data[:5])


def offset_out_of_range(X: Matrix, rng: np.random.Generator) -> None:
    X.offsets[rng.integers(len(X.offsets))] = far(rng, X.offsets.dtype)


def offsets_cut(X: Matrix, rng: np.random.Generator) -> None:
    X.offsets = X.offsets[:-1]


def column_out_of_range(X: Matrix, rng: np.random.Generator) -> None:
    X.rows[0][-1] = far(rng, np.int64)


def list_cut(X: Matrix, rng: np.random.Generator) -> None:
    part = X.rows if rng.random() < 0.5 else X.data
    part[0] = [part[0][:-1], part[0] * 50, tuple(part[0]), None, [*part[0][:-1], "a"]][rng.integers(5)]


def key_out_of_range(X: Matrix, rng: np.random.Generator) -> None:
    X._dict[far(rng, np.int64), 0] = 1.0


BY_FORMAT: dict[str, list[Damage]] = {
    "csr": COMPRESSED,
    "csc": COMPRESSED,
    "bsr": COMPRESSED,
    "coo": [coordinate_out_of_range, coordinates_cut, values_cut, coordinates_twice, nothing],
    "dia": [offset_out_of_range, offsets_cut, values_cut, nothing],
    "lil": [column_out_of_range, list_cut, nothing],
    "dok": [key_out_of_range, nothing],
}


def made(X: np.ndarray, kind: str, rng: np.random.Generator) -> Matrix:
    """A sound matrix: with indices of 32 or 64 bits, of the old or the new classes. (More types of numbers
    would be more code to compile, not more damage.)"""
    matrix = getattr(sp, f"{kind}_{'array' if rng.random() < 0.5 else 'matrix'}")(X)
    wide = rng.random() < 0.3
    for name in ("indices", "indptr") if wide and hasattr(matrix, "indptr") else ():
        setattr(matrix, name, getattr(matrix, name).astype(np.int64))
    if kind == "coo" and wide:
        matrix.coords = tuple(part.astype(np.int64) for part in matrix.coords)
    return matrix


def dense_of(X: Matrix) -> np.ndarray:
    """What the arrays say, read cell by cell; for damages that contradict nothing."""
    if X.format not in ("csr", "csc"):
        return np.asarray(X.tocsr().toarray(), float)
    out = np.zeros(X.shape if X.format == "csr" else X.shape[::-1])
    for i in range(len(out)):
        for k in range(int(X.indptr[i]), int(X.indptr[i + 1])):
            out[i, X.indices[k]] += X.data[k]
    return out if X.format == "csr" else out.T


# Doors: functions of a matrix; what they return is compared.

FEW = {"max_epochs": 5}


def models() -> dict[str, Any]:
    """Every public learner that takes matrices, quick ones; inside others one of scikit-learn's, which looks
    at no structure."""
    inner = LogisticRegression(max_iter=20)
    found = {
        "perceptron": Perceptron(random_state=0, **FEW),
        "kernel": KernelPerceptron(random_state=0, **FEW),
        "max margin": MaxMarginPerceptron(),
        "sparse": SparsePerceptron(stages=2, random_state=0),
        "pruned": PrunedPerceptron(k=1, max_iter=20, random_state=0),
        "conservative": ConservativePerceptron(n_restarts=1, random_state=0, **FEW),
        "chow": ChowClassifier(inner, cv=2),
        "selective": SelectiveClassifier(inner, max_error=0.4, confidence=0.6, random_state=0),
        "cascade": Cascade([inner, Perceptron(**FEW)], cv=2, random_state=0),
        "binary": BinaryPerceptron(random_state=0),
        "binary sbpi": BinaryPerceptron(method="sbpi", random_state=0, max_epochs=40),
    }
    try:
        from perceptrons.neural import MarginMLPClassifier
    except ImportError:
        return found
    return found | {"network": MarginMLPClassifier(hidden_size=3, max_epochs=2, random_state=0)}


def doors() -> dict[str, Callable[[Matrix], Any]]:
    """Each public way in: those that learn from the matrix, and those of models that were fitted before."""
    ways: dict[str, Callable[[Matrix], Any]] = {}

    def learn(name: str, method: str = "fit") -> Callable[[Matrix], Any]:
        def door(X: Matrix) -> Any:
            classes = {"classes": [0, 1]} if method == "partial_fit" else {}
            return getattr(models()[name], method)(X, LABELS[: X.shape[0]], **classes).predict(KNOWN)

        return door

    for name, model in models().items():
        ways[f"{name} fit"] = learn(name)
        fitted = model.fit(KNOWN, LABELS)
        ways[f"{name} predict"] = fitted.predict
        if hasattr(fitted, "decision_function"):
            ways[f"{name} decision_function"] = fitted.decision_function
    perceptron = models()["perceptron"].fit(KNOWN, LABELS)
    ways["perceptron partial_fit"] = learn("perceptron", "partial_fit")
    ways["binary partial_fit"] = learn("binary", "partial_fit")
    ways["perceptron certify"] = lambda X: [certify(perceptron, X, LABELS).margin]
    pipeline = make_pipeline(Normalizer(), models()["perceptron"]).fit(KNOWN, LABELS)
    ways["pipeline certify"] = lambda X: [certify(pipeline, X, LABELS).margin]
    ways["labels"] = lambda X: models()["perceptron"].fit(KNOWN, X)
    ways["margin of a labeling"] = lambda X: [round(best_margin(X, 2 * LABELS - 1).margin, 6)]
    ways["compare"] = lambda X: compare(X, LABELS, learners=["perceptron"], folds=2)
    literals = LiteralEncoder().fit(KNOWN)
    ways["literals fit_transform"] = lambda X: LiteralEncoder().fit_transform(X)
    ways["literals transform"] = literals.transform
    ways["table fit"] = lambda X: TableEncoder().fit(X)
    projection = MarginProjection(2, random_state=0).fit(KNOWN, LABELS)
    ways["projection fit"] = lambda X: MarginProjection(2, random_state=0).fit(X, LABELS).transform(KNOWN)
    ways["projection transform"] = projection.transform
    return ways


class Case:
    """One damaged matrix at one door."""

    def __init__(self, number: int, ways: dict[str, Callable[[Matrix], Any]]) -> None:
        rng = np.random.default_rng([25, number])
        self.format = FORMATS[rng.integers(len(FORMATS))]
        damages = BY_FORMAT[self.format]
        self.damage, self.seed = damages[rng.integers(len(damages))], int(rng.integers(2**31))
        self.door = [*ways][rng.integers(len(ways))]
        self.way, self.name = ways[self.door], f"{self.format}, {self.damage.__name__}, {self.door}"

    def matrices(self) -> tuple[Matrix, Matrix | None]:
        """The damaged one; and a sound one of the same cells, if it contradicts nothing."""
        rng = np.random.default_rng(self.seed)
        X = made(cells(rng), self.format, rng)
        self.damage(X, rng)
        harmless = (self.damage.__doc__ or "").startswith(("No damage", "The matrix stays"))
        return X, sp.csr_array(dense_of(X).astype(X.dtype)) if harmless else None

    def run(self) -> int:
        damaged, sound = self.matrices()
        try:
            found = self.way(damaged)
        except ValueError as error:
            text = str(error)
            if sound is None or self.door in DENSE_ONLY:
                return REFUSED if len(text) > 20 else self.complain(f"says no more than {text!r}")
            return self.complain(f"refuses what is sound: {text}")
        if sound is None:
            return self.complain("takes it") if not self._by_chance(damaged) else SAME
        found, expected = (one.toarray() if sp.issparse(one) else np.asarray(one)
                           for one in (found, self.way(sound)))  # fmt: skip
        alike = found.shape == expected.shape and np.allclose(found, expected, 1e-4, 1e-5)  # other sums
        return SAME if alike else self.complain(f"gives {found}, not {expected}")

    def _by_chance(self, X: Matrix) -> bool:
        """The damage may have left a sound matrix: an index moved to another column, or a diagonal."""
        if X.format == "dia":
            inside = (-X.shape[0] <= X.offsets) & (X.offsets <= X.shape[1])
            return bool(inside.all() and len(set(X.offsets.tolist())) == len(X.data))
        try:
            X.check_format(full_check=True)
        except (AttributeError, ValueError):
            return False
        return True

    def complain(self, what: str) -> int:
        print(f"{self.name}: {what}", file=sys.stderr)
        return WRONG


def outcome_of(case: Case) -> str:
    """What becomes of a child that tries the case."""
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_S)
        status = WRONG
        try:
            status = case.run()
        except BaseException as error:
            case.complain(f"raises {type(error).__name__}: {error}")
        os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        print(f"{case.name}: killed by signal {os.WTERMSIG(status)}", file=sys.stderr)
        return "died"
    return {SAME: "same", REFUSED: "refused"}.get(os.WEXITSTATUS(status), "wrong")


def main(n_cases: int) -> dict[str, Any]:
    warnings.simplefilter("ignore")
    ways = doors()
    for kind in ("csr", "csc"):
        for seed in range(3):  # compile for both widths of indices before children would
            for name, way in ways.items():
                if name not in DENSE_ONLY:
                    way(made(KNOWN, kind, np.random.default_rng(seed)))
    counts, formats = Counter[str](), Counter[str]()
    for number in range(n_cases):
        case = Case(number, ways)
        counts[outcome_of(case)] += 1
        formats[case.format] += 1
    outcomes = {name: counts[name] for name in ("refused", "same", "wrong", "died")}
    return {"cases": n_cases, "doors": len(ways), **outcomes, "formats": dict(formats)}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
