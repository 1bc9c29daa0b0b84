"""Every estimator, every target, on the papers' tables: run in the target's own engine, and equal."""

import numpy as np
import pytest

from tests.exports import engines
from tests.exports.judging import judge
from tests.exports.models import TABLES, fitted, table, with_holes

LEARNED, ASKED = 120, 300
EXACT = ("scorecard", "votes", "binary")  # sums of whole numbers


@pytest.fixture(scope="module")
def postgres():
    with engines.postgres() as server:
        yield server


@pytest.mark.export
@pytest.mark.data
@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", TABLES)
def test_every_model_answers_alike_everywhere(name, tmp_path, postgres, record_property):
    X, y = table(name)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(y))
    learned, asked = rows[:LEARNED], rows[: LEARNED + ASKED][-ASKED:]
    holes = with_holes(X[asked], rng)
    n_classes = len(np.unique(y))
    shipped = [
        engines.ship(f"m_{kind}", model, holes.to_dicts())
        for kind, model in fitted(X[learned], y[learned], n_classes)
    ]
    engines.write_c(shipped, tmp_path)
    engines.compiled_c(tmp_path, "gcc")
    in_postgres = postgres.run(shipped, tmp_path)
    near = 0
    for one, answers in zip(shipped, in_postgres, strict=True):
        found = [
            engines.run_python(one, tmp_path),
            engines.run_onnx(one, tmp_path),
            engines.read_c(one, tmp_path),
            engines.run_sqlite(one, tmp_path),
            engines.run_duckdb(one, tmp_path),
            answers,
        ]
        near += max(judge(one, holes, some, exact=one.name[2:] in EXACT) for some in found)
    record_property(
        "printed",
        f"{name}: {len(shipped)} models × 6 engines × {ASKED} rows agree; {near} rows at a threshold",
    )
