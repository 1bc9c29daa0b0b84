"""`MarginProjection`: fewer coordinates, drawn at random, and the margin before and after.

S. Moran et al., *On the Perceptron's Compression*, Theorem 6.3; the formula and what it promises stand in
`theory.projection`. The margin itself is measured, by `theory.best_margin`, and can be verified.
"""

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import all_or_nothing
from ..checks import validated
from ..compiled import one_thread
from ..input_kinds import check_input
from ..model_file import declarations as fields
from ..rows.encode import check_scale, encode_labels
from ..structure import check_structure
from ..theory.hull import BestMargin, best_margin, largest_norm
from ..theory.inputs import checked, real, require
from ..theory.projection import project, projection_dimension, projection_matrix

FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class ProjectionReport:
    """The best margins of rows before and after a projection: one of each for two classes, one per class
    (against all others) for more.

    `classes` are the labels in order, `components` is the matrix A; each margin carries its proof.
    """

    before: tuple[BestMargin, ...]
    after: tuple[BestMargin, ...]
    classes: Array
    components: Array

    @property
    def share_kept(self) -> float:
        """The least share of a margin that is left; 0 where there was none."""
        pairs = zip(self.before, self.after, strict=True)
        return min(after.margin / before.margin if before.margin > 0 else 0.0 for before, after in pairs)

    def verify(self, X: Any, y: Any) -> None:
        """Recompute all margins from the rows and labels that were fitted; ValueError for what differs."""
        check_structure(X)
        X = check_array(X, accept_sparse="csr", dtype=FLOATS)
        labelings = _labelings(encode_labels(np.asarray(y), self.classes)[1], len(self.classes))
        with one_thread():  # as in fit: the same sums in the same order
            projected = _projected(X, self.components)
            for before, after, signs in zip(self.before, self.after, labelings, strict=True):
                before.verify(X, signs)
                after.verify(projected, signs)


_MARGIN = fields.Record(
    BestMargin,
    {
        "margin": fields.Real(),
        "margin_bound": fields.Real(),
        "radius": fields.Real(),
        "lift": fields.Real(),
        "support": fields.Array(("int64",), (".support",)),
        "duals": fields.Array(("float64",), (".support",)),
    },
)


class MarginProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Project rows onto random directions, enough to keep half of the margin (Moran et al., Theorem 6.3).

    With n_components="auto" the training rows keep, with probability ≥ 1 − delta, more than 0.67 of their
    margin, and 0.6 of it relative to their largest norm. Nothing is promised for new rows. The number of
    components depends on the margin and, by its logarithm, on the number of rows, but not on the number of
    features: it pays for rows with many thousands of them. Unlike scikit-learn's random projections, which
    keep distances, it asks only for what a perceptron needs.

    Parameters
    ----------
    n_components : int or "auto", default "auto"
        The number of random directions. "auto" is the number of the theorem, and raises if the rows have no
        more features than that. With an int the margin is measured, but not promised.
    eps : float or None, default None
        The margin to keep, divided by the largest norm of a row. None is that of the rows and labels in
        `fit`.
    delta : float, default 0.05
        The probability with which the promise may fail.
    all_partitions : bool, default False
        Whether to keep every labeling of the rows that has a margin of at least eps, and not only y.
    fit_intercept : bool, default True
        Whether margins are measured as `Perceptron` does with an intercept, on the rows (x, ρ), where ρ is
        the largest norm of a row; ρ is not projected. False stands for hyperplanes through the origin, the
        paper's case.
    random_state : int, RandomState or None, default None
        Seed of the directions.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features_in_)
        The directions, with entries drawn from N(0, 1/n_components_).
    n_components_, n_features_in_, feature_names_in_
        As in scikit-learn.
    eps_ : float or None
        The margin with which "auto" computed the number of components; None if the number was given.
    margin_, projected_margin_ : float or None
        The best margins of the rows before and after projection, not divided by their norm; with several
        classes the smallest; 0 if no hyperplane separates the rows. None if y was not given.
    report_ : ProjectionReport or None
        The proofs of both margins, to `verify(X, y)`; None if y was not given.

    Examples
    --------
    >>> from perceptrons import MarginProjection
    >>> from perceptrons.synthetic import separable
    >>> X, y, _ = separable(20, 1000, margin=0.9, random_state=0)
    >>> projection = MarginProjection(fit_intercept=False, random_state=0).fit(X, y)
    >>> projection.transform(X).shape
    (20, 691)
    >>> round(projection.margin_, 3), projection.projected_margin_ > 0.6
    (0.9, True)
    >>> projection.report_.verify(X, y)
    """

    _file_fields: ClassVar[dict[str, fields.Field]] = {
        **fields.COLUMNS,
        "components_": fields.Array(fields.FLOATS, ("components", "features")),
        "eps_": fields.Optional(fields.Real()),
        "_classes": fields.Optional(fields.Labels("classes")),
        "_before": fields.Each(_MARGIN, "labelings"),
        "_after": fields.Each(_MARGIN, "labelings"),
    }

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        eps: float | None = None,
        delta: float = 0.05,
        all_partitions: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.eps = eps
        self.delta = delta
        self.all_partitions = all_partitions
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "MarginProjection":
        """Draw the directions; with `y`, classes, measure the margin before and after."""
        self._check_parameters()
        with all_or_nothing(self), one_thread():
            return self._fit(X, y)

    def _fit(self, X: Any, y: Any) -> "MarginProjection":
        X, signs = self._read(X, y)
        radius = largest_norm(X)
        lift = radius if self.fit_intercept else 0.0
        if signs:
            check_scale(X, radius * radius)
        self._before = [best_margin(X, one, lift=lift) for one in signs]
        self.eps_ = self._margin_to_keep() if self.n_components == "auto" else None
        k = self._count(*X.shape)
        rng = check_random_state(self.random_state)
        self.components_ = projection_matrix(k, X.shape[1], rng).astype(X.dtype, copy=False)
        projected = _projected(X, self.components_) if signs else None
        self._after = [best_margin(projected, one, lift=lift) for one in signs]
        self._loaded()
        return self

    def transform(self, X: Any) -> Array:
        """The rows Ax, dense, in the precision they come in."""
        check_is_fitted(self)
        X = validated(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        return project(X, self.components_.astype(X.dtype, copy=False))

    def _check_parameters(self) -> None:
        k = self.n_components
        whole = isinstance(k, Integral) and not isinstance(k, bool)
        if not (k == "auto" if isinstance(k, str) else whole and k >= 1):
            raise ValueError(f'n_components = {k!r}, but it must be "auto" or a whole number of at least 1.')
        checked(delta=self.delta)
        if self.eps is not None:
            limit, remedy = "in (0, 1]", "pass the margin divided by the largest norm, or None"
            eps = real(self.eps, "eps", limit, remedy)
            require(0 < eps <= 1, "eps", eps, limit, remedy)
        for name in ("all_partitions", "fit_intercept"):
            if not isinstance(getattr(self, name), (bool, np.bool_)):
                raise ValueError(f"{name} = {getattr(self, name)!r}, but it must be True or False; pass one.")

    def _read(self, X: Any, y: Any) -> tuple[Any, list[Array]]:
        """Validated rows, and one labeling ±1 per margin to be measured."""
        checks = {"accept_sparse": "csr", "dtype": FLOATS}
        self._classes = None
        check_input(X, y)
        if y is None:
            return validated(self, X, **checks), []
        X, y = validated(self, X, y, **checks)
        self._classes, codes = encode_labels(y)
        return X, _labelings(codes, len(self._classes))

    def _margin_to_keep(self) -> float:
        """eps, or the smallest margin of the labels, divided by the largest norm."""
        if not self._before and self.eps is None:
            raise ValueError(
                'n_components="auto" with eps=None takes the margin from the labels; pass y to fit, or eps.'
            )
        found = min((one.margin / one.radius if one.radius else 0.0 for one in self._before), default=1.0)
        if self.eps is None and found <= 0.0:
            origin = "" if self.fit_intercept else " through the origin"
            raise ValueError(
                f"The margin of the labels is 0, but it must be positive: no hyperplane{origin} separates "
                "the classes. Set n_components to a number, or eps to the margin of other labels with "
                "all_partitions=True."
            )
        if self.eps is not None and found < self.eps and not self.all_partitions:
            warnings.warn(
                f"eps={self.eps:.3g}, but the labels have a margin of {found:.3g} of the largest norm: no "
                f"promise covers them. Set eps to None or to at most {found:.3g}.",
                stacklevel=3,
            )
        return float(min(found, 1.0) if self.eps is None else self.eps)

    def _count(self, n_rows: int, n_features: int) -> int:
        """The number of components."""
        if self.n_components != "auto":
            if self.n_components > n_features:
                warnings.warn(
                    f"n_components={self.n_components} is more than the n_features={n_features} of the rows: "
                    "this projection adds coordinates. Set it to a smaller number.",
                    DataDimensionalityWarning,
                    stacklevel=3,
                )
            return int(self.n_components)
        assert self.eps_ is not None
        share = self.delta if self.all_partitions else self.delta / max(len(self._before), 1)
        k = projection_dimension(n_rows, self.eps_, share, self.all_partitions)
        if k >= n_features:
            raise ValueError(
                f"To keep half of a margin of {self.eps_:.3g} of the largest norm on {n_rows} rows takes "
                f"n_components={k}, but the rows have n_features={n_features}: projecting gains nothing. "
                "Leave this step out, or set n_components to a smaller number and look at projected_margin_."
            )
        return k

    def _loaded(self) -> None:
        """Do the margins agree with the classes? What follows from the rest is derived."""
        self.n_components_ = len(self.components_)
        classes = () if self._classes is None else self._classes
        if len(self._before) != (1 if len(classes) == 2 else len(classes)):
            raise ValueError(f"before has {len(self._before)} margins for {len(classes)} classes")
        self.margin_ = min((one.margin for one in self._before), default=None)
        self.projected_margin_ = min((one.margin for one in self._after), default=None)
        self.report_ = None
        if self._classes is not None:
            pairs = tuple(self._before), tuple(self._after)
            self.report_ = ProjectionReport(*pairs, self._classes, self.components_)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _projected(X: Any, components: Array) -> Array:
    """The rows Ax whose margin is measured: in float64, whatever `transform` returns."""
    return project(X.astype(np.float64, copy=False), components.astype(np.float64, copy=False))


def _labelings(codes: Array, n_classes: int) -> list[Array]:
    """One ±1 array for two classes, one per class for more; as in `Encoded.signs`."""
    return [np.where(codes == c, 1, -1) for c in ([1] if n_classes == 2 else range(n_classes))]
