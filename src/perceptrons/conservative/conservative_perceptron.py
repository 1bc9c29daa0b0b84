"""`ConservativePerceptron`: Sundararajan and Pal, "A Conservative Approach to Perceptron Learning".

Predict +1 if s ≥ λ₊, −1 if s ≤ −λ₋, else reject; weights and bands are learned together, for stated costs.

Deviations: bands have an upper limit, without which weights may follow ever wider bands and never separate
what is separable; whether the hyperplane separates all rows is checked after each epoch, not after each
correction; rows are visited in random order; costs are scaled so that the largest a + b is 1, which makes no
difference to the costs of the paper's experiments and lets step sizes suit all others; the band of least
training risk is found exactly; rows may have weights, which multiply their steps and their costs; a learned
band that costs more than none on the training rows is not published. The default, band="cv", is not the
paper's: see `cross_validated`.
"""

import warnings
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from .._types import Array
from ..base import LinearThreshold, all_or_nothing
from ..model_file.declarations import Field
from ..rejection.costs import Prices, read_costs
from ..rejection.labels import resolve
from ..rejection.rejecting import Rejecting
from ..rows.encode import encode
from ..rows.order import generators
from .conservative_file import FIELDS, PARAMETERS, check_loaded
from .conservative_parameters import ConservativeParameters, read_parameters
from .conservative_sweep import WeightedSigns
from .cross_validated import train_cross_validated
from .outcome import ConservativeOutcome, complaint, decide, outcome_of
from .restarts import TrainedRuns, train
from .training_parts import WholeRows


class ConservativePerceptron(Rejecting, LinearThreshold):
    """A linear classifier of two classes that rejects doubtful rows, trained for stated costs of answers.

    Parameters
    ----------
    rule : {"cplr2", "cplr1"}, default "cplr2"
        How weights and bands are corrected. "cplr1" corrects both by one gradient, row by row; "cplr2"
        corrects the bands once per epoch, by what answers would gain and lose in them.
    reject_cost : float, default 0.2
        The cost of a rejection, in [0, 1), where an error costs 1 and a right answer nothing.
    costs : Costs or None, default None
        Other costs, which may differ by class; `reject_cost` is ignored then.
    symmetric : bool, default False
        Whether both sides have the same band.
    band : {"cv", "learned", "exact"}, default "cv"
        How the bands are found. "cv": the weights are averages over the later half of 20 passes of the rule,
        and the bands are those of the lowest risk on rows that were left out: five folds, drawn twice, judged
        by weights that did not learn from them. "learned": weights and bands are learned together, as in the
        paper; a band that costs more than none on the training rows is set to 0. "exact": the same weights,
        with the bands of the lowest training risk. "learnt" is accepted for "learned".
    standardize : bool, default True
        Whether to learn from columns of mean 0 and deviation 1. `coef_` and `intercept_` are those of the
        columns as they are.
    eta_weights, eta_bands : float, sequence of floats or "auto", default "auto"
        The step sizes; all pairs are tried. "auto" is (0.01, 0.1) for weights, and (0.01, 0.1, 1) for bands,
        with "cplr1" times that of the weights. With band="cv" the bands take no steps; "auto" is then 0.5 and
        0.1 divided by the squared norm of a usual row, of which the one of the lowest risk on rows left out
        is kept.
    max_band : float or "auto", default "auto"
        The upper limit of the bands while they are learned. "auto" is twice the largest |score| at the start
        of a run; with band="cv" there is no limit.
    n_restarts : int, default 8
        The number of random starts; each is tried with each pair of step sizes. With band="cv" all runs start
        at 0.
    max_epochs : int, default 100
        The largest number of passes over the rows. Reaching it warns, except with band="cv", for which 20
        passes are enough.
    order : {"shuffle", "cyclic"}, default "shuffle"
        How an epoch visits the rows: in a random order of its own, or as they are given.
    reject_label : "auto", number, str or None, default "auto"
        What `predict` returns for a rejected row. "auto" is "reject" if classes are texts; otherwise it is 0,
        or -1 if 0 is a class, or a number below all classes. None makes `predict` always answer; `rejects`
        tells which rows are rejected. Ensembles that count predictions, like `BaggingClassifier` and
        `VotingClassifier`, need None, since they take -1 for a class.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives classes of few rows the
        same total weight as those of many. Unlike `costs`, these weights are not what errors cost when the
        model is used, but part of the sample weights.
    n_jobs : int or None, default None
        The number of threads that share the runs (starts times pairs of step sizes). None is one, -1 is one
        per core. The model does not depend on it.
    random_state : int, RandomState or None, default None
        Draws the starts and the order of rows. An int makes the fit repeatable.

    Attributes
    ----------
    classes_, coef_, intercept_, n_features_in_, feature_names_in_
        As in scikit-learn.
    bands_ : array of shape (2,)
        The λ on the side of `classes_[0]` and of `classes_[1]`: an answer needs a score ≤ −λ or ≥ λ. It is
        infinite where that side is never answered.
    reject_label_ : object
        What `predict` returns for a rejected row.
    training_risk_ : float
        The mean cost of the training rows, according to their weights.
    step_sizes_ : tuple
        The step sizes of weights and bands in the best run; with band="cv", that of the weights, twice.
    n_updates_ : int
        The number of corrections in that run until the model that was kept.
    n_iter_ : int
        The number of epochs.
    converged_ : bool
        Whether all training rows are answered correctly (or rejected, where that costs no more).

    Notes
    -----
    Rows of `error_reject_curve` are ordered by |score|; where the bands of both sides differ, what the model
    does by itself need not lie on that curve.

    Examples
    --------
    >>> import numpy as np
    >>> import warnings; warnings.simplefilter("ignore")  # it warns that it is not right about every row
    >>> from perceptrons import ConservativePerceptron
    >>> X = np.array([[-3], [-2], [-1.5], [-0.2], [-0.1], [0.1], [0.3], [1.5], [2], [3]])
    >>> y = np.array(["no", "no", "no", "yes", "no", "yes", "no", "yes", "yes", "yes"])
    >>> model = ConservativePerceptron(reject_cost=0.1, band="exact", random_state=0).fit(X, y)
    >>> model.predict([[-2.5], [0.2], [2.5]])
    array(['no', 'reject', 'yes'], dtype='<U6')
    >>> float(model.rejects(X).mean()), round(model.risk(X, y), 2)
    (0.4, 0.04)
    """

    _checks_bands: ClassVar[bool] = True  # the paper's experiment publishes bands as they were learned
    _file_fields: ClassVar[dict[str, Field]] = FIELDS
    _file_parameters: ClassVar[dict[str, Field]] = PARAMETERS
    _loaded = check_loaded

    def __init__(
        self,
        *,
        rule: str = "cplr2",
        reject_cost: float = 0.2,
        costs: Any = None,
        symmetric: bool = False,
        band: str = "cv",
        standardize: bool = True,
        eta_weights: Any = "auto",
        eta_bands: Any = "auto",
        max_band: Any = "auto",
        n_restarts: int = 8,
        max_epochs: int = 100,
        order: str = "shuffle",
        reject_label: Any = "auto",
        class_weight: Any = None,
        n_jobs: Any = None,
        random_state: Any = None,
    ) -> None:
        self.rule = rule
        self.reject_cost = reject_cost
        self.costs = costs
        self.symmetric = symmetric
        self.band = band
        self.standardize = standardize
        self.eta_weights = eta_weights
        self.eta_bands = eta_bands
        self.max_band = max_band
        self.n_restarts = n_restarts
        self.max_epochs = max_epochs
        self.order = order
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ConservativePerceptron":
        """Learn from rows of two classes.

        A row's weight, times that of its class, multiplies its steps, its share in the bands' steps and in
        the risk, and columns are standardized by weighted means and deviations. Only ratios of weights
        matter: they are divided by their mean, so that step sizes keep their meaning. A row of weight 0 is
        absent. A row of weight 2 is not quite the same as two rows, which are visited one after the other.
        """
        parameters, costs = read_parameters(self), read_costs(self.costs, self.reject_cost)
        (rng,) = generators(self.random_state, 1)
        with all_or_nothing(self, X, sample_weight):
            data = encode(self, X, y, sample_weight=sample_weight, class_weight=self.class_weight)
            check_two(data.classes)
            prices, label = costs.of(data.classes), resolve(self.reject_label, data.classes)
            signs = WeightedSigns.of(next(data.signs()), data.weights)
            learn = train_cross_validated if parameters.cross_validated else train
            rows = WholeRows(data, signs, parameters)
            training = learn(rows, prices, parameters, rng)
            check_finite(self, training.coef)
            scored = rows.scored(training.coef, training.intercept, prices)
            found = outcome_of(training, scored, parameters)
            self._publish(data.classes, label, prices, training, found)
        self._complain(found, parameters)
        return self

    def fit_stream(
        self,
        source: Any,
        *,
        classes: Any = None,
        batch_rows: int | None = None,
        checkpoint: str | Path | None = None,
        checkpoint_seconds: float = 10.0,
    ) -> "ConservativePerceptron":
        """Learn from rows that come batch by batch: the same model as from all of them in memory.

        `source`, `classes` and `batch_rows` as in `Perceptron.fit_stream`, and so are orders: "cyclic" gives
        what `fit` gives, with "shuffle" two batches at a time are mixed. Each epoch is a pass; before them
        come four (two without `standardize`), after them one for each step size, and one. The paper's bands
        ("learned") and "exact" ones take three more passes in each epoch, all of which read the source. What
        is kept of each row is its class, its folds, its weight, and in the end its scores, by which bands are
        found: about 100 bytes at most, however many columns there are. `checkpoint` is a file from which the
        fit goes on after it was interrupted, to the same model; it is written after an epoch, if the last
        time is `checkpoint_seconds` ago.

        >>> import numpy as np
        >>> X = np.random.default_rng(0).integers(-9, 10, (500, 3)).astype(float)
        >>> y = X @ [2, -1, 1] + np.random.default_rng(1).integers(-9, 10, 500) > 0
        >>> model = ConservativePerceptron(order="cyclic", random_state=0)
        >>> bands = model.fit(X, y).bands_
        >>> model.fit_stream((X, y), batch_rows=90).bands_ == bands
        array([ True,  True])
        """
        from .streamed_conservative import fit_stream

        self._complain(*fit_stream(self, source, classes, batch_rows, checkpoint, checkpoint_seconds))
        return self

    def _publish(
        self, classes: Array, label: Any, prices: Prices, training: TrainedRuns, found: ConservativeOutcome
    ) -> None:
        self.classes_, self.reject_label_, self._prices = classes, label, prices
        self.coef_, self.intercept_ = training.coef[None], np.array([training.intercept])
        self.bands_, self.training_risk_, self.converged_ = found.bands, found.risk, found.converged
        self.step_sizes_ = np.array(training.step_sizes)
        self.n_updates_, self.n_iter_ = training.n_updates, training.n_epochs

    def _complain(self, found: ConservativeOutcome, parameters: ConservativeParameters) -> None:
        """Of a model that rejects all rows, or is unfinished."""
        if found.rejects_all or not (found.converged or parameters.cross_validated):
            n_runs = parameters.n_restarts * len(parameters.step_sizes)
            category = UserWarning if found.rejects_all else ConvergenceWarning
            said = complaint(found, self._prices, n_runs, parameters.max_epochs)
            warnings.warn(said, category, stacklevel=3)

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        scores = self.decision_function(X)
        return *decide(scores, self.bands_), np.abs(scores)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def check_finite(model: Any, coef: Array) -> None:
    if not np.isfinite(coef).all():
        raise ValueError(
            f"The weights overflow with eta_weights={model.eta_weights!r}; use smaller ones, or 'auto'."
        )


def check_two(classes: Array) -> None:
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The target has {len(classes)} classes; use "
            "OneVsRestClassifier(ConservativePerceptron()) of scikit-learn, which always answers, or "
            "ChowClassifier, which may reject whatever the number of classes."
        )
