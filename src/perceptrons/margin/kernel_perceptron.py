"""`KernelPerceptron`: the margin family in dual form (Aizerman, Braverman and Rozonoer, 1964).

Weights are a sum of rows, w = Σ a_i y_i φ(x_i), so a score is a sum of kernel values and φ is never needed.
Training keeps the scores of all rows: a correction of row i adds τ·y_i·K(x_i, ·) to them. This is the same
compiled sweep as `Perceptron`'s over rows of another kind (`rows.layouts.Gram`): the same policies, and for
the linear kernel the same corrections.

In the space of an rbf kernel nearly every table is separable, noise included, so training until no row is
wrong learns the noise. The default is therefore a target β > 0 of the size of one correction and the average
over a few epochs: Freund and Schapire (1999) average kernel perceptrons after a few epochs, Khardon and
Wachman (2007) find a margin and the average the most tolerant of noise.
"""

import warnings
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..base import Threshold, all_or_nothing
from ..compiled import Threads, one_thread
from ..model_file.declarations import Field
from ..rows.encode import Encoded, canonical, encode, is_sparse
from ..rows.layouts import Gram
from ..rows.norms import measure
from ..rows.order import generators
from ..theory.certificate import lifted_norm
from ..theory.outward import down, norm_bounds, sum_error, up
from .certificates import CLOSE, Examination, certificates_of
from .duals import sums_of
from .epochs import train
from .fitted import complaint, count_hopeless, publish
from .kernel_file import FIELDS, check_loaded
from .kernel_values import batches, given_gram, kernel_norm, read_kernel, scores_of
from .margin_parameters import (
    MarginParameters,
    check_radius,
    compresses,
    is_auto,
    read_lift,
    read_parameters,
    read_rule,
    usual_norm,
    with_longest,
)
from .margin_training import begin
from .memory import AVERAGED, blank
from .merging import merge_rows
from .run import CAPPED, SUCCESS
from .theorem import terms_of


class KernelLook(NamedTuple):
    """What one weight vector gives to rows and to those it is a sum of: scores without intercept, K(x, x)."""

    scores: Array
    used: Array
    diagonal: Array
    own_diagonal: Array
    own: bool  # the rows used are among these


class KernelPerceptron(Threshold):
    """A perceptron in the feature space of a kernel, with a certificate of what it achieved there.

    Parameters
    ----------
    kernel : str or callable, default "rbf"
        A kernel of `sklearn.metrics.pairwise` ("linear", "poly", "rbf", "laplacian", "cosine", …), a function
        of two sets of rows that returns the matrix of their kernel values, or "precomputed".
    gamma : "scale", "auto" or float, default "scale"
        The γ of kernels that have one: 1/(n·variance of X), 1/n, or the number given.
    degree, coef0 : float, default 3 and 1
        Parameters of the polynomial and sigmoid kernels.
    step, eta : default "fixed" and 1.0
        As in `Perceptron`.
    margin : "auto" or as in `Perceptron`, default "auto"
        "auto" is the constant target β = s², where s is the usual norm of a lifted row (as for `min_margin`):
        about what one correction adds to the score of its own row. The average after `max_epochs` is then an
        ordinary result, without a warning.
    alpha, order, result, ties, fit_intercept, intercept_scaling
        As in `Perceptron`; R is the largest √K(x, x).
    max_epochs : int, default 20
        The largest number of epochs. More epochs give a closer fit. Raise it for `margin=0.0`, which stops
        when no row is wrong.
    max_updates, min_margin, tol, class_weight
        As in `Perceptron`.
    compress : "auto" or bool, default "auto"
        Whether to merge rows at the end, provided that every training row keeps its answer and four fifths of
        its lead over the next class (see `margin.merging`): fewer support vectors, and faster predictions.
        "auto" does so for `margin="auto"` without `tol`. There is no compression bound then.
    random_state, verbose
        As in `Perceptron`.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    support_, support_vectors_, dual_coef_, intercept_ : array
        The rows ever used (numbers and values; no values for a precomputed kernel) and what each contributed:
        a score is Σ dual_coef_·K(support_vectors_, x) + b.
    gamma_ : float
        The value of γ.
    n_updates_, n_presentations_, n_iter_, converged_, n_rows_, lift_, history_, certificate_
        As in `Perceptron`; margins are those of the feature space. The kernel must be positive semidefinite.
        The caller vouches for a function or a matrix; for "sigmoid" and "additive_chi2" `margin_bound` is
        None. `separable` is never False here: kernel values are rounded, so a sum is not known to be exactly
        0.

    Examples
    --------
    >>> from perceptrons import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]      # XOR: no line separates it
    >>> model = KernelPerceptron(kernel="rbf", gamma=1.0, random_state=0).fit(X, y)
    >>> model.predict(X), model.certificate_.separable
    (array([0, 1, 1, 0]), True)
    """

    _file_fields: ClassVar[dict[str, Field]] = FIELDS
    _loaded = check_loaded
    support_: Array
    dual_coef_: Array

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        step: str = "fixed",
        eta: Any = 1.0,
        margin: Any = "auto",
        alpha: float = 1.5,
        order: str = "shuffle",
        result: str = "auto",
        ties: str = "wrong",
        fit_intercept: bool = True,
        intercept_scaling: Any = "median",
        max_epochs: int = 20,
        max_updates: int | None = None,
        min_margin: float = 0.01,
        tol: float | None = None,
        class_weight: Any = None,
        compress: Any = "auto",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.step = step
        self.eta = eta
        self.margin = margin
        self.alpha = alpha
        self.order = order
        self.result = result
        self.ties = ties
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.max_epochs = max_epochs
        self.max_updates = max_updates
        self.min_margin = min_margin
        self.tol = tol
        self.class_weight = class_weight
        self.compress = compress
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KernelPerceptron":
        """Train until no row violates, the gap closes (`tol`), or a cap is reached.

        sample_weight : a weight ≥ 0 for each row, which multiplies its steps; None: each counts 1.
        """
        plan = read_parameters(self)
        compress = compresses(self.compress, self.margin, self.tol)
        # two threads for slivers of rows take longer than one
        with all_or_nothing(self, X, sample_weight), one_thread():
            unfinished = self._train(X, y, plan, compress, sample_weight)
        if unfinished is not None:
            warnings.warn(unfinished, ConvergenceWarning, stacklevel=2)
        return self

    def _train(
        self, X: Any, y: Any, plan: MarginParameters, compress: bool, sample_weight: Any
    ) -> str | None:
        """Run every weight vector to its end; returns what is to be complained about."""
        data = encode(self, X, y, sample_weight=sample_weight, class_weight=self.class_weight)
        data = data._replace(matrix=data.matrix.astype(np.float64, copy=False))
        kernel = read_kernel(self, data.matrix)
        matrix = among_present(data) if kernel.precomputed else data.matrix
        gram = kernel.gram(matrix)
        smallest, largest, norms = measure(gram, len(data.codes), data.weights)
        data = data._replace(X=gram, smallest=smallest, largest=largest, norms=norms)
        rho_squared = read_lift(self, largest, norms.median())
        typical = usual_norm(norms.median(), rho_squared)
        rule = read_rule(self, rho_squared, auto=typical**2)
        check_radius(rule, largest)
        rule = with_longest(rule, largest)
        (rng,) = generators(self.random_state, 1)
        start = blank(np.zeros(len(data.codes)), 0.0, rule, self.result, rng)  # from scores of 0
        starts = [start] * (1 if len(data.classes) == 2 else len(data.classes))
        fetch = None if kernel.fill_all(matrix, gram) else partial(kernel.fill, matrix, gram)
        training = begin(data, rule, plan, starts, Threads(), np.float64, typical, fetch)
        train(training)
        memories = [run.memory() for run in training.runs]
        self.classes_, self.gamma_, self._kernel = data.classes, kernel.gamma, kernel
        self._terms = terms_of(self, data, rule, one_run=True, weighted=sample_weight is not None)
        self._n_absent = memories[0].n_absent
        publish(self, memories, self._terms)
        used: Any = data.places(self.support_)
        if compress and len(used):
            used = self._merge(gram, data, used)
        self.support_vectors_ = data.matrix[used][:, : 0 if kernel.precomputed else None]
        scores = scores_of(self.dual_coef_, gram, used)
        diagonals = gram.diagonal, gram.diagonal[used]
        looks = [KernelLook(line, line[used], *diagonals, True) for line in scores]
        certificates = certificates_of(self, data, batch=False, looks=looks)
        self.certificate_ = certificates[0] if len(certificates) == 1 else certificates
        verdicts, hopeless = [run.verdict for run in training.runs], count_hopeless(data, rule, memories)
        self.converged_ = all(verdict in SUCCESS for verdict in verdicts) and not hopeless
        if is_auto(self.margin) and self.result in AVERAGED and CAPPED not in verdicts and not hopeless:
            return None  # the number of epochs says how close the fit is to be
        return None if self.converged_ else complaint(self, certificates, verdicts, hopeless, uneven=False)

    def _merge(self, gram: Gram, data: Encoded, used: Array) -> Array:
        """Keep fewer of the rows used; returns their places."""
        scores = scores_of(self.dual_coef_, gram, used) + self.intercept_[:, None]
        codes = data.codes[used].astype(np.int64)
        remains, duals = merge_rows(gram, used, codes, self.dual_coef_, scores)
        self.support_, self.dual_coef_ = self.support_[remains], duals
        return used[remains]

    def _scores(self, X: Any) -> Array:
        X = canonical(X) if is_sparse(X) else X  # squares are those of sums, where a cell is stored twice
        return np.asarray(self._combine(X, self.dual_coef_) + self.intercept_)

    def _combine(self, matrix: Any, duals: Array) -> Array:
        """Scores without intercept, one column per row of duals; in batches, to spare memory."""
        kernel, n, sums = self._kernel, matrix.shape[0], np.zeros((matrix.shape[0], len(duals)))
        for part in batches(n) if len(self.support_) else ():
            rows, given = matrix[part], kernel.precomputed
            values = rows[:, self.support_] if given else kernel.values(rows, self.support_vectors_)
            sums[part] = values @ duals.T
        return sums

    def _look_at_rows(self, data: Encoded) -> list[KernelLook]:
        """What certificates must know of these rows; kernel values are computed once for all vectors."""
        kernel, own, places = self._kernel, self._own_rows(data), data.places(self.support_)
        scores = self._combine(data.matrix, self.dual_coef_).T
        diagonal = kernel.diagonal(among_present(data) if kernel.precomputed else data.matrix)
        if own:
            used, own_diagonal = scores[:, places], diagonal[places]
        else:
            used = self._combine(self.support_vectors_, self.dual_coef_).T
            own_diagonal = kernel.diagonal(self.support_vectors_)
        return [KernelLook(*lines, diagonal, own_diagonal, own) for lines in zip(scores, used, strict=True)]

    def _examine(self, k: int, data: Encoded, signs: Array, a: Array, look: KernelLook) -> Examination:
        """What `certify` must know, from scores and duals; kernel values are taken as they are computed."""
        duals, b, lift, kernel = self.dual_coef_[k], float(self.intercept_[k]), self.lift_, self._kernel
        scores, used, diagonal, own_diagonal, own = look
        reach = signs * (scores + b)
        least, value, most = kernel_norm(duals, used, own_diagonal)
        bias = abs(b) / lift if lift else 0.0
        longest = float(np.sqrt(diagonal.max()))
        radius = norm_bounds([up(longest), lift])[1]
        size = float(np.abs(duals) @ np.sqrt(own_diagonal)) * longest + abs(b)
        far = 2.0 * sum_error(len(duals) + 4, size)
        low = down(float(reach.min()) - far)
        norm = norm_bounds([most, up(bias)])[1] if low > 0.0 else norm_bounds([least, down(bias)])[0]
        margin = 0.0 if most + bias == 0.0 else max(down(low / norm), -radius) if norm > 0.0 else -radius
        bound, total = None, sums_of(duals)[0]
        if own and total > 0.0 and not kernel.indefinite and self._has_own_intercept(k, value, longest):
            lifted = norm_bounds([most, up(lift * sums_of(duals)[1])])[1]
            bound = up(lifted / total)
        if (np.abs(reach) <= far).any():  # as `predict` decides
            reach = signs * self._scores(data.matrix)[:, k]
        n_errors = int(((reach < 0) | ((reach == 0) & (signs > 0))).sum())
        return Examination(low, margin, radius, n_errors, bound)

    def _n_rows_given(self) -> int:
        return int(self.n_rows_ + self._n_absent)

    def _facts(self, k: int, data: Encoded, signs: Array, a: Array) -> None:
        """Nothing is known without rounding: kernel values are rounded themselves."""

    def _has_own_intercept(self, k: int, norm: float, longest: float) -> bool:
        """Is the intercept what the duals make it, except for rounding?"""
        b, lift = float(self.intercept_[k]), self.lift_
        close = CLOSE[np.dtype(np.float64)] * max(
            lifted_norm(np.array([norm]), b, lift), np.hypot(longest, lift)
        )
        own = self._terms.rho_squared * float(self.dual_coef_[k].sum())
        return bool(lifted_norm(np.zeros(1), own - b, lift) <= close)

    def _own_rows(self, data: Encoded) -> bool:
        """Do these rows hold those ever used, at their places? A precomputed kernel knows no others."""
        places = data.places(self.support_)
        same = places is not None and len(data.codes) == self.n_rows_
        if self._kernel.precomputed:
            if not same:
                raise ValueError(
                    f"A precomputed kernel is certified on the {self.n_rows_} rows it was trained on, "
                    f"but these are {len(data.codes)}."
                )
            given_gram(among_present(data))  # a matrix of other rows against these is not symmetric
            return True
        if not same:
            return False
        difference = data.matrix[places] - self.support_vectors_
        return not (difference.count_nonzero() if is_sparse(difference) else difference.any())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def among_present(data: Encoded) -> Any:
    """A matrix of all pairs of rows, without the columns of rows that are absent."""
    return data.matrix if data.present is None else data.matrix[:, data.present]
