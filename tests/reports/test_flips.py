"""The smallest change that gives another answer: the naive search finds no smaller one."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from perceptrons import KernelPerceptron, Perceptron, SparsePerceptron
from perceptrons.learners import build_learner, for_tables
from perceptrons.reports.donors import pool_of
from perceptrons.reports.flips import find_flips, pairs_are_all
from perceptrons.reports.subject import subject_of
from perceptrons.reports.tables_of_donors import assembled
from tests.naive import reports as naive
from tests.reports.learned import coffee, learned

NAMES = ("size", "hue", "washed", "age")


def small_table(seed, rows=40):
    """Few different values, so that all changes can be tried."""
    rng = np.random.default_rng(seed)
    size = rng.integers(6, size=rows).astype(float)
    size[rng.random(rows) < 0.1] = np.nan
    hue = rng.choice(["red", "blue", "green"], rows)
    washed, age = rng.random(rows) < 0.5, rng.integers(20, 26, size=rows).astype(float)
    score = (
        np.nan_to_num(size, nan=2.0)
        + 2 * (hue == "red")
        - 1.5 * washed * (age > 22)
        + rng.normal(size=rows) / 2
    )
    frame = pd.DataFrame({"size": size, "hue": hue, "washed": washed, "age": age})
    return frame, np.where(score > np.median(score), "yes", "no")


def flips_of(model, X, rows):
    subject = subject_of(model)
    pool = pool_of(subject, X)
    return find_flips(subject, X, rows, pool), pool


@pytest.mark.parametrize("seed", range(6))
def test_changes_of_rules_are_exact(seed):
    """As many cells, and the same distance, as the naive search over all values of the table."""
    frame, y = small_table(seed)
    frame["size"] = frame["size"].fillna(2.0)  # NaN equals nothing, not even as a value to be tried
    model = SparsePerceptron(random_state=0, cv=3, max_rules=6).fit(frame, y)
    rows = frame.to_numpy(object).tolist()
    scales = [float(np.std(frame["size"])), None, None, float(np.std(frame["age"]))]
    found, pool = flips_of(model, frame, [*range(12)])
    assert pairs_are_all(pool)

    def predict(some):
        return model.predict(pd.DataFrame(some, columns=NAMES).astype(frame.dtypes.to_dict()))

    informative = 0
    for row, flip in enumerate(found):
        wanted = naive.smallest_flips(predict, rows, row, scales)
        assert (flip is None) == (wanted is None)
        if flip is not None:
            informative += 1
            assert len(flip.cells) == wanted[0]
            assert told_distance(flip, scales) == pytest.approx(wanted[1], rel=1e-6)
    assert informative >= 6


def told_distance(flip, scales):
    return sum(
        1.0 if scales[NAMES.index(name)] is None else abs(float(new) - float(old)) / scales[NAMES.index(name)]
        for name, old, new in flip.cells
    )


@pytest.mark.parametrize("name", ["perceptron", "conservative", "kernel", "binary", "shallow tree", "chow"])
def test_the_model_itself_gives_the_other_answer(name):
    frame, _ = coffee()
    model = learned(name)
    rows = [*range(0, 240, 24)]
    before = model.predict(frame)
    found, pool = flips_of(model, frame, rows)
    assert not pool.exact
    n_flipped = 0
    for row, flip in zip(rows, found, strict=True):
        if flip is None:
            continue
        changed = frame[[row]]
        for column, _, new in flip.cells:
            donor = next(k for k in range(240) if shown(frame, column, k) == new)
            changed = changed.with_columns(frame[column][[donor]])
        assert model.predict(changed)[0] == flip.answer != before[row]
        n_flipped += 1
    assert n_flipped >= 5


def shown(frame, column, row):
    from perceptrons.reports.donors import cell_in_words

    return cell_in_words(frame, column, row)


def test_arrays_and_pandas_frames_are_changed_as_well():
    X = np.array([[0.0, 1.0], [5.0, 1.0], [1.0, 0.0], [6.0, 2.0]] * 6)
    y = np.array([0, 1, 0, 1] * 6)
    (flip,), _ = flips_of(Perceptron(random_state=0).fit(X, y), X, [0])
    assert (flip.cells, flip.answer) == ([("0", "0", "5")], 1)
    frame = pd.DataFrame(X, columns=["a", "b"], index=[f"r{k}" for k in range(24)])
    (flip,), _ = flips_of(Perceptron(random_state=0).fit(frame, y), frame, [0])
    assert flip.cells == [("a", "0", "5")]
    (flip,), _ = flips_of(KernelPerceptron(random_state=0).fit(X, y), X, [1])
    assert flip.answer == 0


def test_a_constant_answer_has_no_change():
    X, y = np.array([[0.0], [1.0]] * 10), np.array([0, 1] * 10)
    model = Perceptron(random_state=0).fit(X, y)
    model.coef_[:], model.intercept_[:] = 0.0, 1.0
    assert flips_of(model, X, [0])[0] == [None]


def test_two_cells_where_one_is_not_enough():
    """An exclusive pair of names: both must change."""
    cells = [(a, b) for a in "xy" for b in "pq"] * 8
    frame = pl.DataFrame({"a": [one for one, _ in cells], "b": [other for _, other in cells]})
    y = np.array(["in" if pair == ("x", "p") else "out" for pair in cells])
    model = SparsePerceptron(random_state=0, cv=2, max_rules=3).fit(frame, y)
    found, _ = flips_of(model, frame, [cells.index(("y", "q")), cells.index(("x", "q"))])
    assert sorted(name for name, _, _ in found[0].cells) == ["a", "b"]
    assert found[1].cells == [("b", "q", "p")]


def test_cells_of_other_rows_keep_their_types():
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"], "c": [True, False, None]})
    changed = assembled(frame, np.array([0, 0]), {"b": (np.array([1]), np.array([2]))})
    assert changed.schema == frame.schema
    assert changed.rows() == [(1, "x", True), (1, "z", True)]


def test_joined_columns_are_not_claimed_to_be_exact():
    frame = pl.DataFrame({"p1": [*"acgt"] * 10, "p2": [*"aacc"] * 10})
    y = np.array([0, 1, 1, 0] * 10)
    model = SparsePerceptron(random_state=0, cv=2, groups=[["p1", "p2"]]).fit(frame, y)
    found, pool = flips_of(model, frame, [0])
    assert not pool.exact
    assert found[0].answer == 1


def test_pipelines_of_other_learners():
    X, y = coffee()
    model = for_tables(build_learner("logistic regression")).fit(X, y)
    (flip,), _ = flips_of(model, X, [0])
    assert flip.answer != model.predict(X[[0]])[0]
