"""`SparsePerceptron` over collections: the same conjunctions and weights as in memory.

Thresholds and categories come from one pass (`encoders_on_dask`). Weights learned together are those of
`joint_on_dask`. Stagewise, each stage of boosting is a few questions (`sparse_rounds`), whose answers are
as large as the square of the number of literals, however many rows there are.
"""

import warnings
from functools import reduce
from itertools import islice
from numbers import Integral
from operator import add
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..checks import is_number
from ..compiled import one_thread
from ..sparse.boosting import boost_over
from ..sparse.coded_training import scope_for, share_factor
from ..sparse.limits import read_limits
from ..sparse.n_stages import StagePlan, promised_trial
from ..sparse.risk_card import added_totals
from ..sparse.runs import BoostingTrial
from ..sparse.sparse_complaints import complaints
from ..sparse.sparse_parameters import (
    ADABOOST,
    CV,
    THEORY,
    TOGETHER,
    SparseParameters,
    check_size,
    read_parameters,
    read_thresholds,
)
from ..sparse.sparse_perceptron import SparsePerceptron as LocalSparsePerceptron
from ..tables.literal_encoder import LiteralEncoder
from .encoders_on_dask import fit_encoder
from .joint_on_dask import learn_together
from .joint_parts import CodeSettings, totals_of_cards
from .joint_runs import deal_folds
from .on_collections import OnCollections
from .part import CollectionPart
from .part_classes import KnownClasses, read_classes
from .rounds import Rounds
from .sparse_rounds import LiteralSettings, RowsOnCluster, twins_in
from .stage_calibration import calibrated
from .stages_on_dask import choose_stages


class WeightSums(NamedTuple):
    """What is needed of the weights of all rows."""

    lightest: float
    heaviest: float
    weights: float
    counts: float
    n_rows: int

    def __add__(self, other: Any) -> "WeightSums":
        ends = min(self.lightest, other.lightest), max(self.heaviest, other.heaviest)
        return WeightSums(*ends, *(mine + its for mine, its in zip(self[2:], other[2:], strict=True)))

    @property
    def factor(self) -> float:
        """As `coded_training.rescaled`: after which a share of 2 is two rows."""
        return share_factor(self.counts, self.n_rows, self.weights / self.heaviest)

    @property
    def ratio(self) -> float:
        """All rows to the lightest."""
        return self.n_rows if self.lightest == self.heaviest else self.weights / self.lightest


class SparsePerceptron(OnCollections, LocalSparsePerceptron):
    """`perceptrons.SparsePerceptron` over Dask collections, with the same parameters and the same model.

    The model is that of all rows in memory, except for rounding, as long as a column has no more than 65,536
    different numbers; thresholds of a column that has more are quantiles of a sketch. Rows stay on the
    workers; of each fold 16,384, at which a path looks, go from worker to worker.

    Parameters
    ----------
    k : int, default 2
        The largest number of literals in a conjunction, from 1 to 10; stagewise, 1 or 2.
    max_rules : int or None, default None
        The largest number of conjunctions, per class if there are more than two, of weights learned together.
        None is 8 for a scorecard, and otherwise 50.
    max_points : int or None, default None
        An int makes a scorecard: every rule has whole points from −max_points to max_points.
    refit : {"together", "stagewise"}, default "together"
        How weights are learned. "together": conjunctions are selected from those that boosting proposes, and
        their weights are fitted jointly to the logistic loss. "stagewise": the paper's AdaBoost, with its
        guarantee.
    stages : int, "cv" or "theory", default "cv"
        With weights learned together, the largest number of conjunctions that boosting proposes; "cv" is 200.
        Stagewise, the number of times that boosting adds a conjunction. "cv" chooses it by cross-validation;
        "theory" chooses a number that makes the model classify all rows correctly, provided that a model of
        integer weights does so whose absolute sum is `target_size`.
    cv : int, default 5
        The number of folds in which the number of rules or of stages is chosen. Each part finds the folds of
        its own rows, which are those in memory; of more than 134 million rows they are drawn row by row.
        Splitters and lists are for rows in memory.
    max_stages : int or None, default None
        The largest number of stages that "cv" tries; None is the number of literals. Each stage asks all
        parts twice.
    target_size : int or None, default None
        The absolute sum of weights, including that of the constant, that "theory" assumes.
    booster : {"adaboost"}, default "adaboost"
        How conjunctions are boosted. The booster "majority" is for rows in memory.
    penalty : bool, default True
        Whether the correlation of a conjunction of k literals counts only 1/k, so that simple conjunctions
        are preferred.
    beam : int or None, default None
        From k = 3 on, only the best `beam` conjunctions of each order are extended; None is 20.
    max_visits : int or None, default None
        Not used, since it shortens the stagewise search from k = 3 on, which is for rows in memory.
    n_thresholds : int or "auto", default "auto"
        The largest number of literals `x > t` per numeric column. "auto" is 32 if weights are learned
        together, and 8 if they are learned stagewise or if there are more than 256 columns. Stagewise,
        answers of the parts grow with the square of the number of literals.
    keep : None, "all" or list of names, default None
        Columns of a frame to keep although they seem to carry no information: ids, counters, free text,
        constant and empty columns. "all" keeps every column.
    groups : None
        Joining columns of names is for rows in memory.
    monotone : None or dict of column → sign, default None
        With +1 the probability of `classes_[1]` never falls as the column rises, with −1 it never rises. It
        is for two classes and weights learned together.
    required, forbidden : None or list of columns, default None
        Each required column gets a rule of its own, and no rule uses a forbidden column. They are for weights
        learned together.
    n_cards : int, default 1
        The search for other scorecards is for rows in memory, so that it must be 1.
    class_weight : None, "balanced" or dict of class → weight, default None
        The weight of each row is multiplied by that of its class. "balanced" gives all classes the same total
        weight.
    n_jobs : int or None, default None
        Not used by `fit`, whose work is shared by the threads of the workers.
    device : {"cpu"}, default "cpu"
        What computes; GPUs are for rows in memory.
    random_state : int, RandomState or None, default None
        Draws the folds. An int makes the fit repeatable.

    Attributes
    ----------
    conjunctions_ : list of conjunctions
        The rules; `str` gives each in words.
    weights_ : array
        One weight per conjunction; with more than two classes, one row of weights per class. With weights
        learned together, a rule that holds adds its weight to the log odds, and one that does not adds
        nothing. Stagewise, a rule that does not hold subtracts its weight.
    intercept_ : array
        The weights of the constant, which is a hypothesis like any other, but is not counted.
    cv_sizes_, cv_loss_ : array or None
        The numbers of rules tried in cross-validation, and the log-loss of each on the rows left out, one row
        per class if there are more than two. They are None if weights are learned stagewise.
    cards_ : list of RiskCard or None
        The scorecards, one per weight vector; None without `max_points`.
    feature_importances_ : array
        The share of each column in the absolute weights.
    n_weights_ : int or array
        The number of weights that are not 0; with more than two classes, an array.
    stages_ : int or None
        The number of stages; None if weights are learned together.
    cv_accuracy_ : array or None
        The accuracy in cross-validation after 1, 2, … stages; None without it.
    missed_ : float or None
        0 stagewise, since every stage finds the best conjunction; None if weights are learned together.
    history_ : list of Stage
        One entry per stage: literals, by their positions in `encoder_.literals_`, sign, error and weight.
        With more than two classes, a list of lists.
    encoder_ : LiteralEncoder
        The encoder, fitted to all parts.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.
    traffic_ : list of named tuples
        Per stage of the fit: its name, how many questions were asked, and how many bytes went to the parts
        (`told`) and came back (`answered`).

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from distributed import Client
    >>> from perceptrons.dask import SparsePerceptron
    >>> caps = ["red", "red", "brown", "brown", "white", "white"]
    >>> table = pd.DataFrame({"cap": 10 * caps, "width": 10 * [3, 8, 2, 9, 4, 7]})
    >>> table["kind"] = 10 * ["poisonous", "poisonous", "edible", "poisonous", "edible", "edible"]
    >>> rows = dd.from_pandas(table, npartitions=4)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = SparsePerceptron(random_state=0).fit(rows[["cap", "width"]], rows["kind"], client=client)
    >>> print(model.to_local().to_text())
    poisonous if the sum is > 0, else edible. Its probability is 1/(1 + exp(-sum)).
    A rule that holds adds its weight.
    <BLANKLINE>
      weight  rule         rows  poisonous
       -4.22  cap = white    20       0.0%
       +3.97  cap = red      20     100.0%
       +3.97  width > 7      20     100.0%
       -3.80  always         60      50.0%
       +3.60  width > 2      50      60.0%
    """

    _home: ClassVar[Any] = LocalSparsePerceptron

    def _check(self) -> None:
        parameters = read_parameters(self)
        together = parameters.refit == TOGETHER
        remedies = {
            f"booster={self.booster!r}": self.booster != ADABOOST,
            f"k={self.k}": parameters.scope.k > 2 and not together,
            f"device={self.device!r}": self.device != "cpu",
            f"groups={self.groups!r}": self.groups is not None,
            f"n_cards={self.n_cards}": self.n_cards > 1,
            f"cv={self.cv!r}": not is_number(self.cv, Integral),
        }
        for what, unknown in remedies.items():
            if unknown:
                raise ValueError(
                    f"{what} is for rows in memory; over a collection use SparsePerceptron(cv=5), or "
                    'SparsePerceptron(refit="stagewise", k=2), or fit on a sample of the rows.'
                )

    def _learn(self, rounds: Rounds) -> None:
        parameters = read_parameters(self)
        known = read_classes(rounds, self.class_weight)
        width = rounds.ask("columns", width_of, only=[0])[0]
        n_thresholds = read_thresholds(self.n_thresholds, parameters.refit, np.zeros((0, width)))
        encoder = fit_encoder(LiteralEncoder(n_thresholds=n_thresholds, keep=self.keep), rounds, True)
        learn = self._together if parameters.refit == TOGETHER else self._stagewise
        for one in learn(rounds, encoder, known, parameters):
            warnings.warn(one, ConvergenceWarning, stacklevel=3)

    def _together(
        self, rounds: Rounds, encoder: LiteralEncoder, known: KnownClasses, parameters: SparseParameters
    ) -> list[str]:
        limits = self._read_limits(encoder)
        scope = scope_for(limits, len(known.classes), parameters.path)
        sums: WeightSums = reduce(add, rounds.ask("codes", weight_sums, known))
        settings = CodeSettings(encoder, known, limits, sums.heaviest, sums.factor)
        with one_thread():
            folds = deal_folds(rounds, settings, self.cv, self.random_state)
            vectors = learn_together(rounds, folds, scope)
        self._others, self._other_totals, totals = [], [], None
        if parameters.max_points is not None:
            totals = added_totals(rounds.ask("codes", totals_of_cards, settings, vectors))
        return self._adopt_vectors(encoder, known.classes, vectors, totals)

    def _stagewise(
        self, rounds: Rounds, encoder: LiteralEncoder, known: KnownClasses, parameters: SparseParameters
    ) -> list[str]:
        check_size(len(encoder.literals_), parameters.scope.k)
        settings = LiteralSettings(encoder, known)
        sums: WeightSums = reduce(add, rounds.ask("literals", weight_sums, known))
        n_vectors = 1 if len(known.classes) == 2 else len(known.classes)
        twins, runs = twins_in(rounds, settings), []
        if parameters.stages == CV:
            coded = CodeSettings(encoder, known, read_limits(encoder), sums.heaviest, sums.factor)
            folds = deal_folds(rounds, coded, self.cv, self.random_state)
            plan = choose_stages(rounds, settings, folds, twins, parameters, n_vectors)
        elif parameters.stages == THEORY:
            plan = StagePlan(promised_trial(sums.ratio, parameters))
        else:
            plan = StagePlan(BoostingTrial(int(parameters.stages)))
        for vector in range(n_vectors):
            rows = RowsOnCluster(rounds, settings, twins, vector, parameters.scope)
            runs.append([*islice(boost_over(rows), plan.trial.stages)])
        self._adopt(known.classes, encoder)
        self._vectors, self._runs, self.gamma_ = None, runs, None
        self._others, self._other_totals = [], []
        self.cv_accuracy_, self.cv_trials_, self._totals = plan.accuracies, None, None
        self.missed_ = 0.0
        self._derive()
        self._risk = calibrated(
            rounds, settings, self._places, self._weights, self.intercept_, sums.factor / sums.heaviest
        )
        return [*complaints(self, plan)]

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, of a collection lazily."""
        return self._answers(X, "predict_proba", lambda model: np.dtype(np.float64), n_classes)


def n_classes(model: Any) -> int:
    return len(model.classes_)


# --- questions ---


def width_of(part: CollectionPart) -> int:
    return int(part.X.shape[1])


def weight_sums(part: CollectionPart, known: KnownClasses) -> WeightSums:
    _, weights, counts = known.weights(part)
    weights, counts = weights[weights > 0.0], counts[weights > 0.0]
    ends = weights.min(initial=np.inf), weights.max(initial=0.0)
    sums = float(weights.sum()), float(counts.sum())
    return WeightSums(float(ends[0]), float(ends[1]), *sums, len(weights))
