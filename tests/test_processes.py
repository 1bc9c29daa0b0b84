"""Fits spread over processes: each is made once, kernels are compiled by one process, times are warm."""

from functools import partial

import numpy as np

from perceptrons import ChowClassifier, Perceptron, fold_fits, processes
from perceptrons.comparison import compare
from perceptrons.fold_fits import FoldFit, Work
from perceptrons.learners import build_learner
from perceptrons.synthetic import separable

NAMES = ("perceptron", "soft margin", "sparse", "scorecard", "chow", "binary", "shallow tree")


def plan(n_folds=3):
    build = {name: partial(build_learner, name) for name in NAMES}
    parts = [(np.arange(2), np.arange(2))] * n_folds + [(np.arange(2),)]
    return processes._Plan(Work(None, parts, build, None), lambda *_: None)


def fit(seconds=1.0):
    return FoldFit(None, seconds, None, [])


def test_a_room_is_compiled_by_one_process():
    one = plan()
    first = [one.next() for _ in range(4)]
    assert first == [
        [("sparse", 0), ("scorecard", 0)],
        [("perceptron", 0), ("soft margin", 0), ("chow", 0)],
        [("binary", 0)],
        [("shallow tree", 0)],
    ]
    one.done(first[3], [fit()])
    assert one.next() == [("shallow tree", 1)]  # the others are being compiled
    assert one.next() == [("shallow tree", 2)]
    assert one.next() is None
    assert one.left()
    for task in first[:3]:
        one.done(task, [fit()] * len(task))
    tasks = [one.next() for _ in range(2 * 6)]
    assert {task[0] for task in tasks} == {(name, k) for name in NAMES[:-1] for k in (1, 2)}
    for task in tasks:
        one.done(task, [fit(5.0 if task[0][0] == "chow" else 1.0)])
    whole = [one.next()[0] for _ in NAMES]  # all rows, the slowest first, as far as is known
    assert {name for name, _ in whole} == {*NAMES}
    assert {k for _, k in whole} == {3}
    assert one.next() is None
    assert not one.left()


def test_whose_kernels_a_learner_needs():
    assert processes.room_of(ChowClassifier(Perceptron())) == "margin"
    assert processes.room_of(build_learner("scorecard")) == "sparse"
    assert processes.room_of(build_learner("logistic regression")) == "linear_model"


def test_the_time_shown_is_that_of_compiled_code(monkeypatch):
    """A fit to all rows that has to compile, or to load what is compiled, is made once more."""
    X, y = separable(40, 3, margin=0.1, random_state=0)[:2]
    seconds, fitted = iter([9.0, 8.0, 7.0, 0.5]), []

    def timed(learner, X, table):
        learner.fit(X, table.y)
        fitted.append(len(table.y))
        return next(seconds), []

    counts = iter([0, 0, 0, 1])
    monkeypatch.setattr(fold_fits, "_timed_fit", timed)
    monkeypatch.setattr(fold_fits, "n_specializations", lambda: next(counts))
    (result,) = compare(X, y, folds=2, learners=["averaged"])
    assert fitted == [20, 20, 40, 40]
    assert result.fit_seconds == 0.5


def test_compiled_functions_are_counted():
    from perceptrons.compiled import n_specializations

    X, y = separable(40, 3, margin=0.1, random_state=0)[:2]
    Perceptron(random_state=0).fit(X, y)
    before = n_specializations()
    Perceptron(random_state=0).fit(X, y)
    assert n_specializations() == before


def test_several_processes_say_the_same():
    X, y = separable(60, 3, margin=0.1, random_state=0)[:2]
    steps = []
    how = {"folds": 3, "learners": ["averaged", "shallow tree", "logistic regression"]}
    one = compare(X, y, **how)
    two = compare(X, y, **how, processes=2, progress=lambda *step: steps.append(step))
    for a, b in zip(one, two, strict=True):
        assert (a.learner, a.fold_risks, a.size, a.verdict) == (b.learner, b.fold_risks, b.size, b.verdict)
    assert max(done for done, _, _ in steps) == steps[0][1] == 12
