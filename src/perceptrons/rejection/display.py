"""Pictures of how errors fall as more rows are rejected, in the style of scikit-learn's displays."""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d

from .._types import Array
from ..checks import one_of
from .labels import read_answers
from .rejecting import ErrorRejectCurve, error_reject_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D

REJECT_COSTS = np.linspace(0.0, 0.5, 101)  # from a half on, a coin is as good as a rejection


def _errors(curve: ErrorRejectCurve) -> tuple[Array, Array]:
    return curve.rejected, curve.errors


def _accuracies(curve: ErrorRejectCurve) -> tuple[Array, Array]:
    answering = curve.rejected < 1.0  # without answers there is no accuracy
    return 1.0 - curve.rejected[answering], curve.selective_accuracy[answering]


def _risks(curve: ErrorRejectCurve) -> tuple[Array, Array]:
    return REJECT_COSTS, curve.least_risk(REJECT_COSTS)


DATA = {"error": _errors, "coverage": _accuracies, "risk": _risks}
AXES = {
    "error": ("rejected rows", "errors among all rows"),
    "coverage": ("answered rows", "right answers among these"),
    "risk": ("cost of a rejection (an error costs 1)", "mean cost of a row"),
}


class ErrorRejectDisplay:
    """How errors fall as more rows are rejected, the least certain first.

    Use `from_estimator` or `from_predictions`.

    Parameters
    ----------
    curve : ErrorRejectCurve
        The curve to draw.
    kind : {"error", "coverage", "risk"}, default "error"
        What is drawn. "error": the share of errors over the share of rejected rows. "coverage": the share of
        right answers among the rows that are answered, over the share of these. "risk": over the cost of a
        rejection, where an error costs 1, the mean cost with the best threshold, beside that of always
        answering (a thin line).
    name : str or None, default None
        The name of the curve in the legend; None or "" for no legend.
    point : ErrorRejectCurve or None, default None
        A curve of one point, what the classifier does by itself. It is drawn as a dot, and with "risk", where
        each cost gives it another risk, as a dashed line.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Where the curve was drawn.
    line_, point_, always_ : matplotlib lines or None
        The curve, the dot (or dashed line), and the thin line; None for a line that is not drawn.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from perceptrons import ErrorRejectDisplay
    >>> y_true, y_pred, certainty = [0, 1, 1, 0], [0, 1, 0, 0], [0.9, 0.7, 0.1, 0.4]
    >>> display = ErrorRejectDisplay.from_predictions(y_true, y_pred, certainty, ax=Figure().subplots())
    >>> display.line_.get_xdata().tolist(), display.line_.get_ydata().tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.25, 0.0, 0.0, 0.0, 0.0])
    """

    ax_: "Axes"
    figure_: "Figure | SubFigure"
    line_: "Line2D"
    point_: "Line2D | None"
    always_: "Line2D | None"

    def __init__(
        self,
        curve: ErrorRejectCurve,
        *,
        kind: str = "error",
        name: str | None = None,
        point: ErrorRejectCurve | None = None,
    ) -> None:
        self.curve, self.kind, self.name, self.point = curve, one_of("kind", kind, DATA), name, point

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        kind: str = "error",
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "ErrorRejectDisplay":
        """Draw the curve of a fitted classifier on these rows.

        Where it can reject, the curve is its own, and what it does by itself is marked. For others certainty
        is |decision_function|, of more than two classes the gap between the two highest scores, or, without
        one, the largest of `predict_proba`. Pipelines and searches are looked into.

        The legend calls it by its class, if `name` is None. Further arguments go to matplotlib's `plot`.
        """
        one_of("kind", kind, DATA)
        curve, point = _curve_of(estimator, X, y)
        name = type(estimator).__name__ if name is None else name
        return cls(curve, kind=kind, name=name, point=point).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        certainty: Any,
        *,
        labels: Any = None,
        kind: str = "error",
        name: str | None = None,
        ax: "Axes | None" = None,
        **kwargs: Any,
    ) -> "ErrorRejectDisplay":
        """Draw the curve of answers, none of them a rejection, and a number per row: how certain it is.

        An answer that the estimators of this package would give for a rejection raises. If it is a class that
        no row has, name all classes as `labels`.

        Further arguments go to matplotlib's `plot`.
        """
        _check_answered(y_true, y_pred, labels)
        return cls(_curve(y_true, y_pred, certainty), kind=kind, name=name).plot(ax, **kwargs)

    def plot(
        self, ax: "Axes | None" = None, *, name: str | None = None, **kwargs: Any
    ) -> "ErrorRejectDisplay":
        """Draw it, into a new figure if `ax` is None; further arguments go to matplotlib's `plot`."""
        self.ax_ = _new_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        name = self.name if name is None else name
        named = {"label": name} if name else {}
        (self.line_,) = self.ax_.plot(*DATA[self.kind](self.curve), **named | kwargs)
        self.always_ = self._draw_always() if self.kind == "risk" else None
        self.point_ = self._draw_point(self.point) if self.point is not None else None
        self._finish()
        if "label" in named | kwargs:
            self.ax_.legend(loc="lower right" if self.kind == "risk" else "best")  # where no risk can be
        return self

    def _draw_always(self) -> "Line2D":
        """The risk of always answering, which no cost of rejections changes."""
        costs, risks = _risks(ErrorRejectCurve(*(part[:1] for part in self.curve)))
        self._caption("always answering", costs[0], risks[0], xytext=(4, 3))
        (line,) = self.ax_.plot(costs, risks, color=self.line_.get_color(), linewidth=0.8)
        return line

    def _draw_point(self, point: ErrorRejectCurve) -> "Line2D":
        x, y = DATA[self.kind](point)
        style: dict[str, Any] = {"marker": "o", "linestyle": "none", "clip_on": False, "zorder": 3}
        if self.kind == "risk":
            style = {"linestyle": "--", "linewidth": 1.2}
            self._caption("as fitted", x[-1], y[-1], xytext=(-4, 0), ha="right")
        (line,) = self.ax_.plot(x, y, color=self.line_.get_color(), **style)
        return line

    def _caption(self, text: str, x: float, y: float, **where: Any) -> None:
        """A text beside a line; one will do where several curves share the axes."""
        if text not in [other.get_text() for other in self.ax_.texts]:
            self.ax_.annotate(
                text, (x, y), textcoords="offset points", color="0.3", fontsize="small", **where
            )

    def _finish(self) -> None:
        self.line_.sticky_edges.y[:] = [0.0]  # no margin below; above, other curves may need room
        x, y = AXES[self.kind]
        self.ax_.set(xlabel=x, ylabel=y)
        self.ax_.grid(alpha=0.3)
        self.ax_.set_xlim(0.0, REJECT_COSTS[-1] if self.kind == "risk" else 1.0)
        if self.kind != "risk":
            for axis in (self.ax_.xaxis, self.ax_.yaxis):
                axis.set_major_formatter(_percent)


def _percent(share: float, _: Any) -> str:
    """How a tick is written; no lambda, which would keep figures from being pickled."""
    return f"{100.0 * share:.4g}%"


def _curve_of(estimator: Any, X: Any, y: Any) -> tuple[ErrorRejectCurve, ErrorRejectCurve | None]:
    """The curve of a classifier, and the point at which it stands, if it can reject."""
    check_is_fitted(estimator)
    if not is_classifier(estimator):
        raise ValueError(f"{estimator!r} is no classifier, but only these can be wrong; pass one.")
    model, rows = _unwrapped(estimator, X)
    _check_truth(y, model.classes_.tolist())
    if hasattr(model, "error_reject_curve") and hasattr(model, "rejects"):
        return model.error_reject_curve(rows, y), _point(model, rows, y)
    predicted = _classes(model, rows)
    return _curve(y, predicted, _certainty(model, rows, predicted)), None


def _unwrapped(estimator: Any, X: Any) -> tuple[Any, Any]:
    """The model inside pipelines and searches, which hide how it rejects, and the rows as it sees them."""
    if hasattr(estimator, "best_estimator_"):
        return _unwrapped(estimator.best_estimator_, X)
    if isinstance(estimator, Pipeline):
        return _unwrapped(estimator[-1], estimator[:-1].transform(X) if len(estimator) > 1 else X)
    return estimator, X


def _point(model: Any, X: Any, y: Any) -> ErrorRejectCurve:
    rejected = model.rejects(X)
    wrong = (model.predict(X) != column_or_1d(y)) & ~rejected
    return ErrorRejectCurve(np.array([rejected.mean()]), np.array([wrong.mean()]), np.array([np.nan]))


def _check_truth(y: Any, classes: list[Any]) -> None:
    for name in dict.fromkeys(np.asarray(column_or_1d(y)).tolist()):
        if name not in classes:
            raise ValueError(
                f"y holds {name!r}, which is not one of the classes {classes} of the classifier; pass rows "
                "of these classes, labeled as for fit."
            )


def _classes(model: Any, X: Any) -> Array:
    predicted = np.asarray(model.predict(X))
    for name in set(predicted.tolist()) - set(model.classes_.tolist()):
        raise ValueError(
            f"predict gives {name!r}, which is not one of the classes {model.classes_.tolist()}; pass "
            "answers without rejections to from_predictions."
        )
    return predicted


def _certainty(model: Any, X: Any, predicted: Array) -> Array:
    if not hasattr(model, "decision_function"):
        return _probability(model, X)
    scores = np.asarray(model.decision_function(X))
    if scores.ndim == 1:
        return np.asarray(np.abs(scores))
    if not _of_classes(scores, model, predicted):
        raise ValueError(
            f"decision_function gives {scores.shape[1]} scores per row for {len(model.classes_)} classes, "
            "but one per class is needed, the highest for that which predict gives; SVC gives these with "
            'decision_function_shape="ovr". Or pass certainties to from_predictions.'
        )
    second, first = np.partition(scores, -2, axis=1)[:, -2:].T
    return np.asarray(first - second)


def _of_classes(scores: Array, model: Any, predicted: Array) -> bool:
    """Are these scores of classes, not of pairs, of which there may be as many?"""
    shape = getattr(model, "decision_function_shape", None)  # of SVC and NuSVC
    if scores.shape[1] != len(model.classes_) or shape == "ovo":
        return False
    # where classes got as many votes, predict of SVC takes the first
    return shape == "ovr" or bool((model.classes_[scores.argmax(axis=1)] == predicted).all())


def _probability(model: Any, X: Any) -> Array:
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"{type(model).__name__} has neither decision_function nor predict_proba, which would say how "
            "certain it is; pass certainties to from_predictions."
        )
    return np.asarray(np.max(model.predict_proba(X), axis=1))


def _check_answered(y_true: Any, y_pred: Any, labels: Any) -> None:
    rows = read_answers(y_true, y_pred, labels=labels)
    if rows.rejected.any():
        raise ValueError(
            f"y_pred holds {rows.label!r}, which stands for a rejection beside the classes "
            f"{rows.classes.tolist()}, but answers are needed; pass those of predict_liberal, or, if it is a "
            "class, name all classes as labels."
        )


def _curve(y_true: Any, y_pred: Any, certainty: Any) -> ErrorRejectCurve:
    rows = read_answers(y_true, y_pred, reject_label=None)
    certain = column_or_1d(check_array(certainty, ensure_2d=False, input_name="certainty"))
    check_consistent_length(rows.truth, certain)
    return error_reject_curve(rows.predicted != rows.truth, certain)


def _new_axes() -> "Axes":
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('Pictures need matplotlib: pip install "perceptrons[app]"') from error
    return plt.subplots()[1]
