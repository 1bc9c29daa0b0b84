"""What model files hold of `ChowClassifier`: its fitted estimator, and how its scores become posteriors.

scikit-learn's calibration cannot declare what a file holds of it. The file has its numbers: of a sigmoid the
slope and the offset, of an isotonic regression its knots; a loaded model computes with them what scikit-learn
did, as `LoadedCalibration`.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from .._types import Array
from ..model_file import declarations as file
from ..model_file.nested import AnyEstimator, Unfitted
from ..rejection.costs import MOST, Prices
from ..rejection.labels import AUTO, resolve
from .conservative_file import COSTS


class Curve(NamedTuple):
    """Posteriors by scores: a sigmoid 1/(1 + exp(slope·s + offset)), or lines between knots, if any."""

    slope: float
    offset: float
    scores: Array
    posteriors: Array

    def at(self, scores: Array) -> Array:
        if len(self.scores):
            return np.interp(scores, self.scores, self.posteriors)
        return np.asarray(expit(-(self.slope * scores + self.offset)))


class LoadedCalibration:
    """What a `CalibratedClassifierCV` computes, from a fitted estimator and a curve per score."""

    def __init__(self, curves: list[Curve], estimator: Any = None) -> None:
        self.curves, self.estimator = curves, estimator

    def predict_proba(self, X: Any) -> Array:
        scores = scores_of(self.estimator, X)
        found = np.column_stack([curve.at(one) for curve, one in zip(self.curves, scores.T, strict=True)])
        if found.shape[1] == 1:
            return np.hstack([1.0 - found, found])
        sums = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1.0 / found.shape[1])
        found = np.divide(found, sums, out=even, where=sums != 0.0)
        found[(found > 1.0) & (found <= 1.0 + 1e-5)] = 1.0  # rounding, as scikit-learn has it
        return np.asarray(found)

    @property
    def n_features_in_(self) -> int:
        return int(self.estimator.n_features_in_)

    @property
    def feature_names_in_(self) -> Array:
        return np.asarray(self.estimator.feature_names_in_)


def scores_of(estimator: Any, X: Any) -> Array:
    """A column per curve: one of two classes, else one per class; scores before probabilities."""
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X))
        return scores[:, None] if scores.ndim == 1 else scores
    posteriors = np.asarray(estimator.predict_proba(X))
    return posteriors[:, 1:] if posteriors.shape[1] == 2 else posteriors


def curves_of(calibrated: Any) -> list[Curve]:
    """The curves of what was fitted or loaded."""
    if isinstance(calibrated, LoadedCalibration):
        return calibrated.curves
    (one,) = calibrated.calibrated_classifiers_
    return [_curve(calibrator) for calibrator in one.calibrators]


def _curve(calibrator: Any) -> Curve:
    none = np.zeros(0)
    if hasattr(calibrator, "X_thresholds_"):
        knots = calibrator.X_thresholds_, calibrator.y_thresholds_
        return Curve(0.0, 0.0, *(np.asarray(part, np.float64) for part in knots))
    return Curve(float(calibrator.a_), float(calibrator.b_), none, none)


_KNOTS = file.Array(("float64",), (".knots",))
_CURVE = file.Record(
    Curve, {"slope": file.Real(), "offset": file.Real(), "scores": _KNOTS, "posteriors": _KNOTS}
)


class CalibrationField(file.Field):
    """The curves; null for an estimator whose own posteriors are believed."""

    curves = file.Optional(file.Each(_CURVE))

    def pack(self, value: Any) -> Any:
        known = isinstance(value, CalibratedClassifierCV | LoadedCalibration)
        return self.curves.pack(curves_of(value) if known else None)

    def unpack(self, packed: Any, place: file.Place) -> Any:
        curves = self.curves.unpack(packed, place)
        return curves if curves is None else LoadedCalibration(curves)

    def schema(self) -> file.Schema:
        return self.curves.schema()


CHOW_PARAMETERS: dict[str, file.Field] = {"estimator": Unfitted(), "costs": COSTS}
CHOW: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.SEEN,
    "estimator_": AnyEstimator(),
    "calibrated_": CalibrationField(),
    "reject_label_": file.Parameter(),
    "_prices": file.Record(Prices, dict.fromkeys(Prices._fields, file.Array(("float64",), ("classes",)))),
}


def check_chow(model: Any) -> None:
    """Do classes, costs, curves and label of a file fit together? The curves get their estimator."""
    classes = model.classes_.tolist()
    inner = model.estimator_.estimator if isinstance(model.estimator_, FrozenEstimator) else model.estimator_
    known = (inner[-1] if isinstance(inner, Pipeline) else inner).classes_.tolist()
    if known != classes:
        raise ValueError(f"estimator_ knows the classes {known}, but classes_ are {classes}")
    a, b, c = model._prices
    if not ((a >= 0.0) & (a <= MOST) & (c >= 0.0) & (c < b) & (b <= MOST)).all():
        raise ValueError(
            "prices must be gains >= 0 and, for each class, rejections that cost less than errors"
        )
    if isinstance(model.reject_label_, str) and model.reject_label_ == AUTO:
        raise ValueError("reject_label_ is 'auto', but it must be the label itself")
    resolve(model.reject_label_, model.classes_)
    if (model.calibrated_ is None) != (model.calibration is None):
        raise ValueError(f"calibration is {model.calibration!r}, but calibrated_ says otherwise")
    if model.calibrated_ is None:
        model.calibrated_ = model.estimator_
        return
    _check_curves(model.calibrated_.curves, len(classes))
    model.calibrated_.estimator = model.estimator_


def _check_curves(curves: list[Curve], n_classes: int) -> None:
    if len(curves) != (1 if n_classes == 2 else n_classes):
        raise ValueError(f"calibrated_ has {len(curves)} curves for {n_classes} classes")
    for curve in curves:
        inside = (curve.posteriors >= 0.0).all() and (curve.posteriors <= 1.0).all()
        if not inside or (np.diff(curve.scores) < 0.0).any():
            raise ValueError("calibrated_ has a curve that leaves [0, 1], or whose scores fall")
