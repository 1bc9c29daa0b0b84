"""What is said of new rows of a stream, beside a fit without the rows left out."""

import numpy as np
import pytest

from perceptrons import ConservativePerceptron, Perceptron
from perceptrons.evaluation import evaluate
from perceptrons.held_out_stream import ShareOfRows, expected_of_stream
from perceptrons.rejection.costs import Costs
from perceptrons.stream_sources import ArraySource, open_source


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X @ [1.0, 2.0, 0.0] + rng.normal(size=n) > 0).astype(int)


def test_every_row_is_learned_from_or_left_out_whatever_the_order():
    X, y = rows(1000)
    X[:, 2] = np.arange(1000)
    source = ArraySource(X, y, np.arange(1000.0), batch_rows=130)
    parts = [ShareOfRows(source, 3, left_out=left_out) for left_out in (True, False)]
    numbers = [np.concatenate([batch.X[:, 2] for batch in part.read()]) for part in parts]
    assert sorted(np.concatenate(numbers)) == [*range(1000)]
    assert 150 < len(numbers[0]) < 250
    for part in parts:
        whole = {batch.name: batch for batch in part.read()}
        for batch in part.read([5, 0, 7]):
            assert np.array_equal(batch.X, whole[batch.name].X)
            assert np.array_equal(batch.weights, batch.X[:, 2])


@pytest.mark.parametrize("model", [Perceptron(order="cyclic"), ConservativePerceptron(random_state=0)])
def test_it_is_the_evaluation_of_a_model_of_the_other_rows(model):
    source, costs = ArraySource(*rows(2000), batch_rows=300), Costs(reject=0.1)
    found = expected_of_stream(model, source, 0, costs)
    learned, new = ([*ShareOfRows(source, 0, left_out=left_out).read()] for left_out in (False, True))
    fitted = model.fit_stream(learned)
    X, y = (np.concatenate([getattr(batch, part) for batch in new]) for part in "Xy")
    expected = evaluate(fitted, X, y, costs=costs)
    assert found.evaluation.accuracy == expected.accuracy
    assert found.evaluation.risk == pytest.approx(expected.risk, rel=1e-12)
    assert np.array_equal(found.scores, fitted.decision_function(X))
    assert np.array_equal(found.codes, y)


def test_rows_that_are_too_few_are_named():
    source = open_source((np.array([[0.0], [1.0]]), [0, 1]))
    with pytest.raises(ValueError, match="too few rows to leave a fifth"):
        expected_of_stream(Perceptron(), source, 0, None)
