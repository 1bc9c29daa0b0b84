"""A refit that is refused leaves a model as it was, for every public estimator."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from perceptrons import BinaryPerceptron
from tests.contract.estimators import PUBLIC

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:Nothing can be promised:UserWarning"),
]

rng = np.random.default_rng(0)
X = rng.integers(-4, 5, (40, 5)).astype(float)
y = (X[:, 0] + X[:, 1] > 0).astype(int)


def rows_for(estimator, rows):
    """A kernel matrix of the rows, if that is what the estimator takes."""
    return rows @ rows.T if get_tags(estimator).input_tags.pairwise else rows


def outputs(model, rows):
    names = ("predict", "decision_function", "predict_proba", "transform")
    return {name: getattr(model, name)(rows) for name in names if hasattr(model, name)}


def one_class(rows):
    return rows[:, :3], np.zeros(len(rows), int)


def no_rows(rows):
    return rows[:0, :3], y[:0]


def missing_values(rows):
    return np.where(rows > 1, np.nan, rows)[:, :3], y[: len(rows)]


def cases(estimator):
    """Ways to refit that this estimator must refuse; a `BinaryPerceptron` learns one class, too."""
    tags = get_tags(estimator)
    spoiled = (
        [no_rows]
        + [one_class] * (tags.target_tags.required and not isinstance(estimator, BinaryPerceptron))
        + [missing_values] * (not tags.input_tags.allow_nan)
    )
    return product(("fit", "partial_fit") if hasattr(estimator, "partial_fit") else ("fit",), spoiled)


CASES = [
    pytest.param(
        one.estimator, *case, id=f"{number}-{type(one.estimator).__name__}-{case[0]}-{case[1].__name__}"
    )
    for number, one in enumerate(PUBLIC)
    for case in cases(one.estimator)
]


@pytest.mark.parametrize(("estimator", "method", "spoil"), CASES)
def test_a_refused_refit_leaves_the_model_as_it_was(estimator, method, spoil):
    rows = rows_for(estimator, X)
    model = clone(estimator).fit(rows, y)
    before, attributes = outputs(model, rows), {*vars(model)}
    assert before
    with pytest.raises(ValueError):  # noqa: PT011  each estimator has words of its own
        getattr(model, method)(*spoil(rows))
    assert {*vars(model)} == attributes
    for name, values in outputs(model, rows).items():
        np.testing.assert_array_equal(values, before[name], err_msg=name)
