"""Random tables with odd names, texts and numbers: every target answers as `predict` does."""

import warnings
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from perceptrons import (
    BinaryPerceptron,
    ChowClassifier,
    ConservativePerceptron,
    KernelPerceptron,
    Perceptron,
    PrunedPerceptron,
    SelectiveClassifier,
    SparsePerceptron,
)
from perceptrons.learners import for_tables
from tests.exports import engines
from tests.exports.judging import judge
from tests.sizes import cases

TABLES = cases(220, share=14)
ROWS = 24
SHORT = {"max_epochs": 8, "random_state": 0}
LEARNERS = {
    "linear": lambda: for_tables(Perceptron(**SHORT), "all"),
    "card": lambda: SparsePerceptron(max_points=3, max_rules=3, stages=8, cv=2, keep="all", random_state=0),
    "rules": lambda: SparsePerceptron(max_rules=3, stages=8, cv=2, keep="all", random_state=0),
    "votes": lambda: SparsePerceptron(
        booster="majority", stages=3, target_size=3, keep="all", random_state=0
    ),
    "pruned": lambda: PrunedPerceptron(max_iter=10, drop=0.5, keep="all", random_state=0),
    "bits": lambda: for_tables(BinaryPerceptron(epsilon=0.3), "all"),
    "kernel": lambda: for_tables(KernelPerceptron(max_epochs=2, random_state=0), "all"),
    "bands": lambda: for_tables(ConservativePerceptron(max_epochs=3, random_state=0), "all"),
    "chow": lambda: ChowClassifier(for_tables(LogisticRegression(), "all"), cv=2, reject_cost=0.1),
    "selective": lambda: SelectiveClassifier(
        for_tables(Perceptron(**SHORT), "all"), 0.4, 0.5, random_state=0
    ),
}
EXACT = ("card", "votes", "bits")
TWO = ("bits", "bands")

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
names = st.one_of(
    st.text(letters, min_size=1, max_size=12),
    st.sampled_from(
        ["select", 'a"b', "it's", "*/", "--", "??/", "int", "label", "score", "c_x", "s0_0", "\\", "t1"]
    ),
)
numbers = st.sampled_from(
    [None, 0.0, -0.0, 1.0, -1.5, 0.1, 1 / 3, 1e-5, 5e-324, -2.2e-308, 1e15, 2.0**53 + 2, 123456789012345678.0]
)
texts = st.one_of(
    st.none(),
    st.sampled_from(["7", "7.0", "7.00", "-70", "TRUE", "true", "False", "a", "a ", "A", "07"]),
    st.text(letters, max_size=5),
)
truths = st.sampled_from([True, False, None])
POOLS = {"number": numbers, "text": texts, "truth": truths}


@st.composite
def tables(draw):
    """Columns whose cells come from a few values each; more of these in the rows that are asked about."""
    chosen = draw(st.lists(names, min_size=1, max_size=4, unique_by=lambda name: name.casefold()))
    assume(len({name.upper() for name in chosen} | {name.lower() for name in chosen}) <= 2 * len(chosen))
    assume(len({name.upper() for name in chosen}) == len({name.lower() for name in chosen}) == len(chosen))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    learned, asked = {}, {}
    for name in chosen:
        pool = draw(st.lists(POOLS[draw(st.sampled_from([*POOLS]))], min_size=3, max_size=6))
        learned[name] = [pool[k] for k in rng.integers(0, len(pool) - 1, ROWS)]
        asked[name] = [pool[k] for k in rng.integers(0, len(pool), ROWS)]
    labels = draw(st.sampled_from([("no", "yes"), (0, 1), ("a'b", 'c"\\d\n*/'), ("x", "y", "z")]))
    y = np.array(labels)[rng.integers(0, len(labels), ROWS)]
    return pd.DataFrame(learned, dtype=object), pd.DataFrame(asked, dtype=object), y


@pytest.fixture(scope="module")
def postgres():
    with engines.postgres() as server:
        yield server


@pytest.mark.export
@pytest.mark.slow
@pytest.mark.thorough
def test_every_target_answers_as_predict_does(postgres, tmp_path_factory, record_property):
    ran, near = Counter(), Counter()

    @settings(
        max_examples=TABLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(tables(), st.sampled_from([*LEARNERS]))
    def check(table, kind):
        learned, asked, y = table
        assume(len(set(y.tolist())) > 1 and not (len(set(y.tolist())) > 2 and kind in TWO))
        model = fitted(kind, learned, y)
        try:
            model.predict(asked)
        except ValueError:  # a text where numbers were, or a number too far away
            assume(False)
        folder = tmp_path_factory.mktemp("table")
        one = engines.ship("m", model, asked.to_dict("records"))
        assume(one.program.inputs)
        engines.write_c([one], folder)
        engines.compiled_c(folder)
        found = [run(one, folder) for run in RUNS]
        found += postgres.run([one], folder)
        near[kind] += max(judge(one, asked, answers, exact=kind in EXACT) for answers in found)
        ran[kind] += 1

    check()
    assert sum(ran.values()) >= TABLES * 0.9
    record_property(
        "printed",
        f"{sum(ran.values())} random tables × 6 engines agree ({dict(ran)}); "
        f"{sum(near.values())} rows at a threshold",
    )


RUNS = (engines.run_python, engines.run_onnx, engines.read_c, engines.run_sqlite, engines.run_duckdb)


def fitted(kind, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return LEARNERS[kind]().fit(X, y)
        except ValueError:  # nothing tells rows apart, or a class has too few
            assume(False)
