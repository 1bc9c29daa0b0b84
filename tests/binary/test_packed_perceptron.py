"""The model in words of bits predicts what the estimator predicts."""

import numpy as np
import pytest

from perceptrons import BinaryPerceptron

pytestmark = pytest.mark.kernels


def test_packed_rows_of_another_width_raise():
    three, two = (BinaryPerceptron().fit(np.eye(n), [0] + [1] * (n - 1)) for n in (3, 2))
    with pytest.raises(ValueError, match="The rows have 2 columns, but the model has 3"):
        three.packed_.scores(two.pack(np.eye(2)))


def test_packed_prediction_is_prediction():
    rng = np.random.default_rng(0)
    for n in (1, 63, 64, 65, 200):
        rows, y = rng.normal(size=(50, n)), rng.choice([0, 1], 50)
        model = BinaryPerceptron().fit(rows, y)
        packed = model.pack(rows)
        assert (model.packed_.predict(packed) == np.where(model.predict(rows) == 1, 1, -1)).all()
        assert (model.packed_.scores(packed) - model.threshold_ == model.decision_function(rows)).all()
        assert (model.packed_.coef == model.coef_[0]).all()
        assert model.packed_.n_bytes == 2 * -(-n // 8) + 4
