"""Exported models: rows per second in each engine, one at a time and many, and bytes in C; beside peers."""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from perceptrons import BinaryPerceptron, Perceptron, SparsePerceptron

from . import deployed_engines as engines
from .deployed_sizes import MACHINES, sizes
from .layout import Column, Section
from .reading import reader
from .timing import Times, interleave

COLUMNS = [
    Column("name", "model and engine", "text"),
    Column("one", "one row", "time"),
    Column("rows", "rows per second", "count"),
]
RULES, WIDTH, BITS = 15, 10, 256
IN_CACHE, REPEATS = 1000, 100
SLOW = ("SQLite", "DuckDB", "LightGBM")  # which answer a tenth of the rows


class Deployed(NamedTuple):
    """A model, and what it is asked."""

    name: str
    model: Any
    X: np.ndarray
    peers: dict[str, Any]  # fitted models whose predict is timed


def run(quick: bool) -> dict[str, Any]:
    n_rows, rounds = (4_000, 1) if quick else (1_000_000, 3)
    models = deployed(n_rows)
    rows, raw = [], {}
    for one in models:
        measured, times = measure(one, rounds)
        rows += measured
        raw[one.name] = times
    card = models[0]
    y = card.model.predict(card.X[:500])
    fitted = {one.name: one.model for one in models if one.name != "logistic regression, 30 columns"}
    found = [*sizes(fitted, card.X, y)]
    compiled = [Column("name", "predict, compiled with -Os", "text")]
    compiled += [Column(machine, machine, "bytes") for machine in MACHINES]
    return {
        "sizes": {"rows": n_rows, "rounds": rounds},
        "notes": [
            "One thread everywhere. One row: a call, or a query, for a single row; in C the mean over rows "
            "in the cache. SQL engines read a table of their own and add up the answers; C reads doubles, or "
            "packed bits. SQL engines and LightGBM answer a tenth of the rows.",
        ],
        "sections": [
            Section("Rows per second", COLUMNS, rows, raw),
            Section("Bytes of code and constants", compiled, found, {row["id"]: row for row in found}),
        ],
    }


def deployed(n_rows: int) -> list[Deployed]:
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n_rows, WIDTH)).round(3)
    wide = rng.normal(size=(n_rows, 30)).round(3)
    bits = rng.integers(0, 2, (max(n_rows // 4, 2000), BITS)).astype(np.float64)  # a GB is enough
    some = slice(0, 4000)
    noisy = (numbers[some] + 0.4 * (numbers[some] > 0.7)).sum(axis=1) + rng.normal(size=4000) > 0
    card = SparsePerceptron(max_points=5, max_rules=RULES, random_state=0)
    linear, logistic = Perceptron(max_epochs=20, random_state=0), LogisticRegression()
    teacher = rng.choice([-1.0, 1.0], BITS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        card.fit(numbers[some], noisy.astype(int))
        for one in (linear, logistic):
            one.fit(wide[some], (wide[some].sum(axis=1) + rng.normal(size=4000) > 0).astype(int))
        packed = BinaryPerceptron(method="clipped-hebb").fit(bits[some], (2 * bits[some] - 1) @ teacher > 0)
    n_rules = len(card.conjunctions_)
    return [
        Deployed(f"card, {n_rules} rules", card, numbers, _lightgbm(numbers[some], noisy)),
        Deployed("linear, 30 columns", linear, wide, {}),
        Deployed("logistic regression, 30 columns", logistic, wide, {}),
        Deployed(f"{BITS} bits", packed, bits, {}),
    ]


def _lightgbm(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    if not engines.installed("lightgbm"):
        return {}
    from lightgbm import LGBMClassifier

    return {"LightGBM, 100 trees, predict": LGBMClassifier(n_jobs=1, verbose=-1).fit(X, y)}


def measure(one: Deployed, rounds: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many, single = _competitors(one, one.X, folder), _competitors(one, one.X[:1], folder)
        times, ones = interleave(many, rounds), interleave(single, 10 * rounds)
    rows = [_row(one, engine, times, ones) for engine in single]
    return rows, {"many": times.seconds, "one": ones.seconds}


def _row(one: Deployed, engine: str, times: Times, ones: Times) -> dict[str, Any]:
    """What one engine did; the exported Python is asked for single rows alone."""
    calls = IN_CACHE * REPEATS if engine.startswith("C") else 1
    alone = None if engine.startswith(READ) else ones.median(engine) / calls
    many = engine in times.seconds
    return {
        "id": f"{one.name} {engine}",
        "name": f"{one.name}: {engine}",
        "one": alone,
        "rows": _asked(one, engine) / times.median(engine) if many else 1.0 / ones.median(engine),
    }


PYTHON, READ = "Python, exported", "reading the same memory"


def _asked(one: Deployed, engine: str) -> int:
    return len(one.X) // 10 if engine.startswith(SLOW) else len(one.X)


def _ours(one: Deployed) -> str:
    return "sklearn predict" if isinstance(one.model, LogisticRegression) else "predict"


def _competitors(one: Deployed, X: np.ndarray, folder: Path) -> dict[str, Callable[[], object]]:
    """Of many rows, or of a single one."""
    model, alone = one.model, len(X) == 1
    found: dict[str, Callable[[], object]] = {_ours(one): lambda: model.predict(X)}
    tenth = X if alone else X[: _asked(one, "SQLite")]
    found |= {name: (lambda peer=peer: peer.predict(tenth)) for name, peer in one.peers.items()}
    if alone:
        found[PYTHON] = engines.in_python(model, folder, X.tolist())
    found |= _in_c(one, folder, alone)
    found["SQLite"] = engines.in_sqlite(model, folder, tenth)
    if engines.installed("duckdb"):
        found["DuckDB"] = engines.in_duckdb(model, folder, tenth)
    if engines.installed("onnx", "onnxruntime"):
        found["onnxruntime"] = engines.in_onnx(engines.exported_onnx(model, folder), "X", X)
    if isinstance(model, LogisticRegression) and engines.installed("skl2onnx"):
        found["onnxruntime, skl2onnx's export, float32"] = _skl2onnx(model, X)
    return found


def _in_c(one: Deployed, folder: Path, alone: bool) -> dict[str, Callable[[], object]]:
    """Rows of doubles, and packed ones; of a single row: many calls for rows that stay in the cache."""
    some = np.ascontiguousarray(one.X[:IN_CACHE] if alone else one.X)
    repeats, width = REPEATS if alone else 1, some.shape[1]
    found = {"C": engines.in_c(engines.compiled(one.model, folder, width, False), some, repeats)}
    if isinstance(one.model, BinaryPerceptron):
        words = np.ascontiguousarray(one.model.pack(some).words)
        many = engines.compiled(one.model, folder, width, True)
        found["C, packed rows"] = engines.in_c(many, words, repeats)
        found[f"{READ}, packed"] = reader(words)
    return found | {READ: reader(some)}


def _skl2onnx(model: Any, X: np.ndarray) -> Callable[[], object]:
    from skl2onnx import to_onnx

    made = to_onnx(model, X[:1].astype(np.float32), options={id(model): {"zipmap": False}})
    return engines.in_onnx(made.SerializeToString(), "X", X.astype(np.float32))
