"""`MarginMLPClassifier`: the network of Moran et al., Section 3, behind scikit-learn's interface.

One hidden layer of ReLUs, output neurons one against the rest. The paper's way to train it is `MarginLoss`
and plain gradient descent, optimizer="sgd"; it is also that of `RejectLoss`, if answers have costs, so that
the network may reject rows (after Sundararajan and Pal). The everyday way, optimizer="adam", asks for the
same margin, but learns by squared shortfalls, a penalty on weights and Adam: see `adam.py`.

Deviations of the paper's way: columns are standardized unless told otherwise (the paper's images are of one
unit); two classes need one output neuron; biases are learned, too; training ends where an epoch has no row in
violation, after which nothing would change.
"""

import warnings
from typing import Any, ClassVar

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._types import Array
from ..base import Threshold, all_or_nothing, codes_of
from ..checks import validated
from ..model_file import declarations as file
from ..rejection.costs import Costs, Prices
from ..rejection.labels import resolve
from ..rejection.rejecting import Rejecting
from ..rows.encode import encode
from . import neural_file
from .network import scores_of
from .neural_parameters import NetworkParameters, read_parameters
from .reject import RejectLoss
from .training import TEMPERATURE, TrainedNetwork, shares_of, train_network

ROUNDING = 1e-9  # relative error of a mean, also of weights that are fractions
DEPENDENT = ("bands_", "training_risk_", "n_updates_", "margin_")  # attributes that not every fit sets


def _may_reject(model: Any) -> bool:
    """Whether the fitted network has bands, or, before `fit`, is to learn them."""
    if not (hasattr(model, "bands_") if hasattr(model, "network_") else model.costs is not None):
        raise AttributeError("Without costs every row is answered; use costs=Costs(...), and fit.")
    return True


class MarginMLPClassifier(Rejecting, Threshold):
    """A network of one hidden layer whose scores are to exceed a margin, or that may reject rows.

    Parameters
    ----------
    hidden_size : int, default 100
        The number of hidden neurons.
    optimizer : {"auto", "adam", "sgd"}, default "auto"
        "adam" minimizes squared shortfalls and the penalty alpha by Adam, and ends where the loss has ceased
        to fall: for everyday tables. "sgd" is the paper's: shortfalls, plain gradient descent, He's start.
        "auto" is "adam", but "sgd" if schedule is not a number > 0, or if costs or n_errors are given.
    schedule : float, Growing, Algorithm4 or Adaptive, default 1.0
        The target β, which y·score of every output neuron is to exceed; a number is >= 0, and 1 is the hinge
        loss. Training with `Growing` never converges by itself. For `Adaptive`, scale is eta / batch_size.
    costs : Costs or None, default None
        What answers and rejections cost. If they are given, the second half of the epochs minimizes
        `RejectLoss`, with a band for each class, and `predict` may reject rows. They require schedule=1.0,
        which suits the bands.
    max_epochs : int or "auto", default "auto"
        The largest number of passes over the rows. "auto" is 200 for Adam, 100 for gradient descent.
    batch_size : int or "auto", default "auto"
        The number of rows of a batch; each batch corrects the weights once. "auto" is 200 for Adam, 50 for
        gradient descent.
    n_errors : int or None, default None
        A batch is complete when this number of rows in violation has gathered, see `ErrorBatches`.
    eta : float or "auto", default "auto"
        The learning rate; the loss is the mean over a batch. "auto" is 0.002 for Adam, 0.03 for gradient
        descent. With gradient descent, data with many rows bear more, MNIST 0.1 to 0.4.
    alpha : float, default 0.01
        With Adam, alpha / 2 times the sum of the squared weights, without biases, is added to the mean loss.
        Beyond 1,000 rows it is alpha · 1,000 / rows, since many rows need less of a penalty.
    standardize : bool, default True
        Whether to learn from columns of mean 0 and deviation 1; the scaling is a part of `network_`.
    device : "cpu", "cuda", "auto" or another device of PyTorch, default "cpu"
        Where to train; "auto" is a GPU if there is one. Arrays of rows are moved there as a whole.
    reject_label : "auto", number, str or None, default "auto"
        With costs, what `predict` returns for a rejected row. "auto" is "reject" if classes are texts;
        otherwise it is 0, or -1 if 0 is a class, or a number below all classes. None makes `predict` always
        answer; `rejects` tells which rows are rejected.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives all classes the same total
        weight.
    random_state : int, RandomState or None, default None
        Draws the start and the order of rows. On a CPU an int makes the fit repeatable.
    verbose : int, default 0
        1 prints a line per epoch.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    network_ : nn.Sequential
        The network on the CPU, from rows as they are to scores: one neuron for two classes, otherwise one per
        class; in the precision of the rows if that is float32, otherwise in float64.
    optimizer_ : {"adam", "sgd"}
        The optimizer that was used.
    loss_ : MarginLoss or RejectLoss
        The loss, as training left it. Adam takes only margin and clock from it.
    loss_curve_ : list of float
        The mean loss of each epoch, by the weights of rows, without penalty.
    n_iter_ : int
        The number of epochs.
    n_updates_, margin_ : int and float
        Without costs: the number of rows that were in violation, counted each time, and β at the end.
    bands_ : array
        With costs: the score that each class must reach to be answered.
    reject_label_, training_risk_ : object and float
        With costs: what `predict` returns for a rejected row, and the mean cost of training rows, by their
        weights.
    converged_ : bool
        Whether the last epoch had no row in violation; with costs, whether all training rows are answered
        correctly.

    Notes
    -----
    It warns only if it does no better than to say the same of every row: to end at `max_epochs` is usual.
    There are no probabilities, `partial_fit` or `warm_start`. `score` is the accuracy, to which rejections
    count as errors: compare costs by `risk`.

    The weight of a row multiplies its loss, and so its correction; columns are standardized by weighted means
    and deviations. Weights are divided by their mean over the training rows, so that to multiply all by a
    constant changes nothing. A row of weight 0 is absent. What is a violation does not depend on weights, nor
    do `n_updates_`, `Growing` and `Adaptive` schedules, which rows gather for `n_errors`, and `converged_`.
    A weight of 2 is not the same as two rows, which would be visited at different times.

    Examples
    --------
    >>> from perceptrons.neural import MarginMLPClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["equal", "other", "other", "equal"]
    >>> MarginMLPClassifier(random_state=0).fit(X, y).predict(X).tolist()
    ['equal', 'other', 'other', 'equal']
    >>> model = MarginMLPClassifier(optimizer="sgd", max_epochs=1000, random_state=0).fit(X, y)
    >>> model.converged_
    True
    >>> bool((abs(model.decision_function(X)) > model.margin_).all())
    True
    """

    _file_parameters: ClassVar[dict[str, file.Field]] = neural_file.PARAMETERS
    _file_fields: ClassVar[dict[str, file.Field]] = neural_file.FIELDS

    def __init__(
        self,
        *,
        hidden_size: int = 100,
        optimizer: str = "auto",
        schedule: Any = 1.0,
        costs: Any = None,
        max_epochs: Any = "auto",
        batch_size: Any = "auto",
        n_errors: int | None = None,
        eta: Any = "auto",
        alpha: float = 0.01,
        standardize: bool = True,
        device: Any = "cpu",
        reject_label: Any = "auto",
        class_weight: Any = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.hidden_size = hidden_size
        self.optimizer = optimizer
        self.schedule = schedule
        self.costs = costs
        self.max_epochs = max_epochs
        self.batch_size = batch_size
        self.n_errors = n_errors
        self.eta = eta
        self.alpha = alpha
        self.standardize = standardize
        self.device = device
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MarginMLPClassifier":
        """Learn from rows of two or more classes; rows of weight 0 are not learned from."""
        parameters = read_parameters(self)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        with all_or_nothing(self, X, sample_weight):
            data = encode(self, X, y, sample_weight=sample_weight, class_weight=self.class_weight)
            label = None if parameters.costs is None else resolve(self.reject_label, data.classes)
            prices = (parameters.costs or Costs()).of(data.classes)
            with torch.inference_mode(False), torch.enable_grad():
                trained = train_network(data, parameters, seed)
            scores = _finite(trained.scores, parameters.eta)
            self.classes_, self.reject_label_, self._prices = data.classes, label, prices
            self._schedule, self._costs = parameters.schedule, parameters.costs
            self._publish(trained)
            self.optimizer_ = parameters.optimizer
            paid, least = self._assess_training(scores, data.codes.astype(np.intp), data.weights)
        if paid >= least - ROUNDING * abs(least):
            warnings.warn(complaint(self.n_iter_, parameters), ConvergenceWarning, stacklevel=2)
        return self

    def _publish(self, trained: TrainedNetwork) -> None:
        self.network_, self.loss_ = trained.network, trained.loss
        self.n_iter_, self.loss_curve_ = len(trained.curve), trained.curve
        for name in DEPENDENT:
            self.__dict__.pop(name, None)
        self._show_loss()
        self.converged_ = trained.converged

    def _show_loss(self) -> None:
        if isinstance(self.loss_, RejectLoss):
            self.bands_ = self.loss_.bands.numpy()
        else:
            self.n_updates_, self.margin_ = int(self.loss_.clock), self.loss_.margin

    def _loaded(self) -> None:
        """Check what was read from a file, and derive the rest."""
        neural_file.fill_in(self, TEMPERATURE)
        self._show_loss()

    def _assess_training(self, scores: Array, codes: Array, weights: Array) -> tuple[float, float]:
        """The mean cost of the training rows, by weight, and the least if every row got the same answer."""
        chosen, rejected, _ = self._decide(self._worth(scores))
        paid = self._prices.of_rows(codes, chosen == codes, rejected)
        shares = shares_of(weights)
        mean = float((paid * shares if len(shares) else paid).mean())
        if self._has_bands:
            self.training_risk_ = mean
            self.converged_ = not (paid + self._prices.gain[codes]).any()
        return mean, _least_of_constants(codes, shares, self._prices, self._has_bands)

    def decision_function(self, X: Any) -> Array:
        """One score per row for two classes, one per class for more.

        With costs and more than two classes, the bands are subtracted: the highest is answered if it is >= 0.
        """
        check_is_fitted(self)
        dtype = self.network_[-1].weight.numpy(force=True).dtype
        X = validated(self, X, reset=False, accept_sparse="csr", dtype=dtype)
        return self._worth(scores_of(self.network_, X))

    def _worth(self, scores: Array) -> Array:
        if scores.shape[1] == 1:
            return scores.ravel()
        return scores - self.bands_ if self._has_bands else scores

    def _decisions(self, X: Any) -> tuple[Array, Array, Array]:
        return self._decide(self.decision_function(X))

    def _decide(self, worth: Array) -> tuple[Array, Array, Array]:
        """An answer is as certain as its score goes beyond the band."""
        codes = codes_of(worth)
        certainty = np.abs(worth) if worth.ndim == 1 else worth.max(axis=1)
        if self._has_bands and worth.ndim == 1:
            certainty = certainty - self.bands_[codes]
        return codes, (certainty < 0.0) & self._has_bands, certainty

    @property
    def _has_bands(self) -> bool:
        return hasattr(self, "bands_")

    predict_liberal = available_if(_may_reject)(Rejecting.predict_liberal)
    rejects = available_if(_may_reject)(Rejecting.rejects)
    risk = available_if(_may_reject)(Rejecting.risk)
    confidence = available_if(_may_reject)(Rejecting.confidence)
    saving_interval = available_if(_may_reject)(Rejecting.saving_interval)
    error_reject_curve = available_if(_may_reject)(Rejecting.error_reject_curve)


def _finite(scores: Array, eta: float) -> Array:
    """The last batch may have been the one that was too much."""
    if not np.isfinite(scores).all():
        raise ValueError(f"Training diverged with eta={eta:g}; use a smaller one, as {eta / 10:g}.")
    return scores


def _least_of_constants(codes: Array, weights: Array, prices: Prices, may_reject: bool) -> float:
    """The lowest mean cost of saying the same of every row; the mean of the weights is 1."""
    shares = np.bincount(codes, weights if len(weights) else None) / len(codes)
    answered = float(shares @ prices.wrong - (shares * (prices.gain + prices.wrong)).max())
    return min(answered, float(shares @ prices.reject)) if may_reject else answered


def complaint(n_epochs: int, parameters: NetworkParameters) -> str:
    """What a fit says that ends no better than one answer for every row."""
    return (
        f"After {n_epochs} epochs the network does no better on the training rows than to say the same "
        f"of each; raise max_epochs={parameters.max_epochs}, or change eta={parameters.eta!r}, unless the "
        "columns tell "
        "nothing of the classes."
    )
