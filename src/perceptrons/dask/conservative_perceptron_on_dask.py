"""`ConservativePerceptron` over collections: weights by iterative parameter mixing, bands exact.

Sundararajan and Pal's rule sweeps over the parts of the rows side by side, and what it comes to is mixed
after each epoch (`conservative_rows`), as in `perceptron_on_dask`. Given the weights, bands are those that
rows in memory would have: parts answer questions about what lies between candidates, until one is left
(`conservative.band_search`).

Deviation: folds are drawn part by part, such that classes are spread over them as evenly as in memory.
"""

from typing import Any, ClassVar

import numpy as np

from ..conservative.conservative_parameters import read_parameters
from ..conservative.conservative_perceptron import ConservativePerceptron as LocalConservativePerceptron
from ..conservative.conservative_perceptron import check_finite, check_two
from ..conservative.cross_validated import train_cross_validated
from ..conservative.outcome import outcome_of
from ..conservative.restarts import train
from ..rejection.costs import read_costs
from ..rejection.labels import answers, resolve
from ..rows.order import generators
from .chunks import is_collection, read_chunks
from .conservative_rows import CollectionParts, MixedAverages, MixedRestarts
from .on_collections import OnCollections, light
from .part import CollectionPart
from .part_classes import labels_of
from .part_facts import facts_of
from .rounds import Rounds, rounds_over

BOOLEAN = np.dtype(np.bool_)


class ConservativePerceptron(OnCollections, LocalConservativePerceptron):
    """`perceptrons.ConservativePerceptron` over Dask collections: mixed weights, exact bands.

    The weights are those of another algorithm than in memory, iterative parameter mixing: parts of the rows
    are swept side by side, each from the same weights, and what they come to is mixed, each part in
    proportion to its corrections. Given the weights, the bands are exactly those that all rows would have in
    memory; where rows have weights that are fractions, except for rounding.

    Parameters
    ----------
    rule : {"cplr2", "cplr1"}, default "cplr2"
        How weights and bands are corrected, as in `perceptrons.ConservativePerceptron`.
    reject_cost : float, default 0.2
        The cost of a rejection, in [0, 1), where an error costs 1 and a right answer nothing.
    costs : Costs or None, default None
        Other costs, which may differ by class; `reject_cost` is ignored then.
    symmetric : bool, default False
        Whether both sides have the same band.
    band : {"cv", "learned", "exact"}, default "cv"
        How the bands are found. "cv": the weights are averages over the later half of 20 epochs, and the
        bands are those of the lowest risk on rows that were left out, in five folds, drawn twice. "learned":
        weights and bands are learned together, as in the paper, and both are mixed. "exact": the same
        weights, with the bands of the lowest training risk. The last two ask four questions in each of 100
        epochs. "learnt" is accepted for "learned".
    standardize : bool, default True
        Whether to learn from columns of mean 0 and deviation 1, over all rows.
    eta_weights, eta_bands : float, sequence of floats or "auto", default "auto"
        The step sizes; all pairs are tried, as in memory.
    max_band : float or "auto", default "auto"
        The upper limit of the bands while they are learned, as in memory.
    n_restarts : int, default 8
        The number of random starts; each is tried with each pair of step sizes. With band="cv" all runs start
        at 0.
    max_epochs : int, default 100
        The largest number of epochs. Reaching it warns, except with band="cv", for which 20 are enough.
    order : {"shuffle", "cyclic"}, default "shuffle"
        The order in which each part visits its rows: at random, or as given.
    reject_label : "auto", number, str or None, default "auto"
        What `predict` returns for a rejected row, as in memory. None makes `predict` always answer.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives both classes the same
        total weight.
    n_jobs : int or None, default None
        Not used by `fit`, whose work is shared by the threads of the workers.
    random_state : int, RandomState or None, default None
        Draws the folds, the starts and the order of rows in each part. An int makes the fit repeatable, on
        any cluster.

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
        The number of corrections of all parts in that run until the model that was kept.
    n_iter_ : int
        The number of epochs.
    converged_ : bool
        Whether all training rows are answered correctly (or rejected, where that costs no more).
    traffic_ : list of named tuples
        Per stage of the fit: its name, how many questions were asked, and how many bytes went to the parts
        (`told`) and came back (`answered`).

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> from perceptrons.dask import ConservativePerceptron
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 3))
    >>> y = X @ [2.0, -1.0, 1.0] + rng.normal(size=2000) > 0
    >>> rows, labels = da.from_array(X, (500, 3)), da.from_array(y, 500)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = ConservativePerceptron(random_state=0).fit(rows, labels, client=client)
    ...     risk = model.risk(rows, labels, client=client)
    >>> local = model.to_local()
    >>> bool((model.bands_ > 0).all()), abs(risk - local.risk(X, y)) < 1e-12
    (True, True)
    """

    _home: ClassVar[Any] = LocalConservativePerceptron

    def _check(self) -> None:
        read_parameters(self)
        read_costs(self.costs, self.reject_cost)

    def _learn(self, rounds: Rounds) -> None:
        parameters = read_parameters(self)._replace(n_jobs=1)
        costs = read_costs(self.costs, self.reject_cost)
        (rng,) = generators(self.random_state, 1)
        facts = facts_of(rounds, self)
        check_two(facts.classes)
        prices, label = costs.of(facts.classes), resolve(self.reject_label, facts.classes)
        rows = CollectionParts(rounds, facts, self.n_features_in_, parameters)
        if parameters.cross_validated:
            training = train_cross_validated(rows, prices, parameters, rng, kind=MixedAverages)
        else:
            training = train(rows, prices, parameters, rng, kind=MixedRestarts)
        check_finite(self, training.coef)
        found = outcome_of(training, rows.scored(training.coef, training.intercept, prices), parameters)
        self._publish(facts.classes, label, prices, training, found)
        self._complain(found, parameters)

    def predict(self, X: Any) -> Any:
        """The class of each row, or `reject_label_` where it is rejected; of a collection lazily."""
        return self._answers(X, "predict", dtype_of_answers)

    def predict_liberal(self, X: Any) -> Any:
        """The class of each row, whether it is rejected or not; of a collection lazily."""
        return self._answers(X, "predict_liberal", lambda model: model.classes_.dtype)

    def rejects(self, X: Any) -> Any:
        """Which rows are rejected; of a collection lazily."""
        return self._answers(X, "rejects", lambda model: BOOLEAN)

    def risk(self, X: Any, y: Any, *, client: Any = None) -> float:
        """The mean cost of what is answered and rejected, in memory or of a collection; lower is better.

        `client` as in `fit`.
        """
        local = self.to_local()
        if not is_collection(X) and not is_collection(y):
            return float(local.risk(X, y))
        with rounds_over(read_chunks(X, y), client) as rounds:
            paid = rounds.ask("risk", risk_of_part, light(local))
        return float(np.average(paid, weights=rounds.n_rows))

    def error_reject_curve(self, X: Any, y: Any) -> Any:
        """How errors fall as more rows are rejected; of rows in memory."""
        return self._in_memory("error_reject_curve", X, y)

    def confidence(self, X: Any, y: Any) -> float:
        """The confidence that rejections pay; of rows in memory."""
        return float(self._in_memory("confidence", X, y))

    def saving_interval(self, X: Any, y: Any, confidence: float = 0.95) -> Any:
        """What rejecting a row saves on average; of rows in memory."""
        return self._in_memory("saving_interval", X, y, confidence)

    def _in_memory(self, method: str, X: Any, y: Any, *more: Any) -> Any:
        if is_collection(X) or is_collection(y):
            raise ValueError(
                f"{method} is for rows in memory; for a collection use risk, or perceptrons.dask.evaluate, "
                "or compute() some of its rows."
            )
        return getattr(self.to_local(), method)(X, y, *more)


def dtype_of_answers(model: Any) -> Any:
    nothing = np.zeros(0, np.intp)
    return answers(model.classes_, nothing, nothing.astype(np.bool_), model.reject_label_).dtype


def risk_of_part(part: CollectionPart, model: Any) -> float:
    return float(model.risk(part.X, labels_of(part)))
