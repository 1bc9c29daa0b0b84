"""What model files hold of a `SparsePerceptron` (the encoder and the stages) and of a `PrunedPerceptron` (the
encoder and the weights); everything else follows from these."""

from collections.abc import Sequence
from math import isclose, log
from typing import Any

import numpy as np

from ..model_file import declarations as file
from ..model_file.kinds import MOST
from ..tables.cells import NUMERIC
from ..tables.literal_encoder import LiteralEncoder
from .boosting import Stage
from .calibration import Calibration
from .joint import JointVector
from .pruning import Pruning
from .runs import BoostingTrial
from .scorecard import Total

STAGE = {
    "literals": file.Each(file.Count()),
    "sign": file.Count(-1, 1),
    "error": file.Real(least=0.0),
    "weight": file.Real(least=0.0),
}
TRIAL = {"stages": file.Count(1), "gamma": file.Real(least=0.0)}
TOTAL = {"points": file.Count(-MOST), "rows": file.Real(least=0.0), "positive": file.Real(least=0.0)}
JOINT = {
    "places": file.Each(file.Each(file.Count()), ".rules"),
    "weights": file.Array(("float64",), (".rules",)),
    "bias": file.Real(),
    "rows": file.Array(("float64",), (".rules",)),
    "positive": file.Array(("float64",), (".rules",)),
    "strength": file.Real(least=0.0),
    "slope": file.Real(least=0.0),
    "sizes": file.Each(file.Count(), ".tried"),
    "losses": file.Array(("float64",), (".tried",)),
    "points": file.Optional(file.Array(("int64",), (".rules",))),
    "n_rows": file.Real(least=0.0),
    "n_positive": file.Real(least=0.0),
}
PRUNING = {"n_weights": file.Count(), "accuracy": file.Real(least=0.0)}

COMMON: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    **file.SEEN,
    "encoder_": file.EstimatorField(LiteralEncoder),
}
FIELDS: dict[str, file.Field] = {
    **COMMON,
    "_runs": file.Each(file.Each(file.Record(Stage, STAGE)), "vectors"),
    "gamma_": file.Optional(file.Real(least=0.0)),
    "cv_accuracy_": file.Optional(file.Array(("float64",), ("tried",))),
    "cv_trials_": file.Optional(file.Each(file.Record(BoostingTrial, TRIAL), "tried")),
    "missed_": file.Optional(file.Real(least=0.0)),
    "_vectors": file.IfSet(file.Each(file.Record(JointVector, JOINT), "vectors")),
    "_risk": file.IfSet(file.Record(Calibration, {"slope": file.Real(least=0.0), "shift": file.Real()})),
    "_totals": file.Optional(file.Each(file.Each(file.Record(Total, TOTAL)), "vectors")),
    "_others": file.IfSet(file.Each(file.Record(JointVector, JOINT), "others")),
    "_other_totals": file.IfSet(file.Each(file.Each(file.Record(Total, TOTAL)), "others")),
}
PRUNED_FIELDS: dict[str, file.Field] = {
    **COMMON,
    "_places": file.Each(file.Each(file.Count()), "conjunctions"),
    "_weights": file.Array(("float64",), ("vectors", "conjunctions")),
    "intercept_": file.Array(("float64",), ("vectors",)),
    "_paths": file.Each(file.Each(file.Record(Pruning, PRUNING)), "vectors"),
    "n_iter_": file.Count(),
}


def check_loaded(model: Any) -> None:
    """Raise unless there is a run for each weight vector, whose stages boosting could have found."""
    _check_vectors(model, len(model._runs))
    model._vectors, model._risk = getattr(model, "_vectors", None), getattr(model, "_risk", None)
    model._others, model._other_totals = getattr(model, "_others", []), getattr(model, "_other_totals", [])
    if model._vectors is not None:
        _check_joint(model)
        return
    model._runs = [[stage._replace(literals=tuple(stage.literals)) for stage in run] for run in model._runs]
    stages = [stage for run in model._runs for stage in run]
    _check_places(model, [stage.literals for stage in stages])
    votes = model.gamma_ is not None
    for stage in stages:
        adaboost = 0.0 < stage.error < 0.5 and not votes
        weight = log((1.0 - stage.error) / stage.error) if adaboost else 1.0
        fits = isclose(stage.weight, weight, rel_tol=1e-9, abs_tol=1e-12)
        if stage.sign == 0 or stage.error >= 0.5 or not fits:
            raise ValueError(f"runs has {stage}, which is no stage of boosting")
    if any(stage.error == 0.0 for run in model._runs for stage in run[: 1 if votes else -1] if len(run) > 1):
        raise ValueError("runs go on after a stage without error, which is the last")
    tried = votes and model.cv_accuracy_ is not None
    if votes == (model._totals is None) or tried == (model.cv_trials_ is None):
        raise ValueError("gamma, totals and trials belong to votes")
    if votes:
        _check_votes(model)


def _check_joint(model: Any) -> None:
    """Raise unless weights could have been learned together."""
    if any(model._runs) or model.gamma_ is not None:
        raise ValueError("runs and gamma belong to boosting, vectors to weights learned together")
    model._vectors = [one._replace(places=[*map(tuple, one.places)]) for one in model._vectors]
    model._others = [one._replace(places=[*map(tuple, one.places)]) for one in model._others]
    if model._others and (model._totals is None or len(model._vectors) > 1):
        raise ValueError("other cards belong to a card of two classes")
    for one in [*model._vectors, *model._others]:
        _check_places(model, one.places)
        if () in one.places or len(set(one.places)) < len(one.places):
            raise ValueError("places must name each conjunction once, and none without literals")
        if not np.isfinite([*one.weights, one.bias]).all():
            raise ValueError("weights must be finite")
        if (one.positive < 0.0).any() or (one.positive > one.rows).any() or one.n_positive > one.n_rows:
            raise ValueError("rules must hold in rows, and not in more of one class than there are")
    if (model._totals is None) != all(one.points is None for one in model._vectors):
        raise ValueError("totals belong to points")
    if model._totals is not None:
        _check_card(model)


def _check_card(model: Any) -> None:
    """Raise unless points and weights agree, and totals are what a fit leaves."""
    for one in [*model._vectors, *model._others]:
        if one.points is None or not one.points.all():
            raise ValueError("a card has points for each rule, and none is 0")
        units = one.weights / one.points
        if len(units) and not (units[0] > 0.0 and np.allclose(units, units[0], rtol=1e-9)):
            raise ValueError("the weights of a card are its points times one unit")
    _check_totals(model)


def _check_votes(model: Any) -> None:
    """Raise unless a fit could have left these votes."""
    for trial in [BoostingTrial(1, model.gamma_), *(model.cv_trials_ or [])]:
        if trial.gamma is None or not 0.0 < trial.gamma <= 0.5 or trial.stages % 2 == 0:
            raise ValueError(f"there is {trial}, but the edge of votes is in (0, 0.5], their number odd")
    _check_totals(model)


def _check_totals(model: Any) -> None:
    """Raise unless totals rise, and count rows."""
    for totals in [*model._totals, *model._other_totals]:
        points = [one.points for one in totals]
        if not totals or sorted(set(points)) != points:
            raise ValueError(f"totals have the points {points}, which must rise")
        if any(one.rows <= 0.0 or one.positive > one.rows for one in totals):
            raise ValueError("totals must have rows, and not more of one class than there are")


def check_loaded_pruned(model: Any) -> None:
    """Raise unless there is a weight vector for each class, over different conjunctions."""
    _check_vectors(model, len(model._weights))
    model._places = [tuple(places) for places in model._places]
    _check_places(model, model._places)
    if () in model._places or len(set(model._places)) < len(model._places):
        raise ValueError("places must name each conjunction once, and none without literals")


def _check_vectors(model: Any, n_vectors: int) -> None:
    names = [list(getattr(one, "feature_names_in_", [])) for one in (model, model.encoder_)]
    if names[0] != names[1]:
        raise ValueError(f"the encoder has the columns {names[1]}, but the model {names[0]}")
    n_classes = len(model.classes_)
    if n_classes < 2 or n_vectors != (1 if n_classes == 2 else n_classes):
        raise ValueError(f"there are {n_vectors} weight vectors for {n_classes} classes")


def _check_places(model: Any, conjunctions: Sequence[tuple[int, ...]]) -> None:
    """Raise unless each conjunction names literals of different columns, in order."""
    attributes = model.encoder_.attributes_.tolist()
    for places in conjunctions:
        if any(place >= len(attributes) for place in places):
            raise ValueError(f"there is a literal {max(places)}, but the encoder has {len(attributes)}")
        owners = [attributes[place] for place in places]
        twice = {one for one in owners if owners.count(one) > 1}
        intervals = getattr(model, "_vectors", None) is not None and all(
            owners.count(one) == 2 and model.encoder_.kinds_[one] == NUMERIC for one in twice
        )
        if list(places) != sorted(places) or (twice and not intervals):
            raise ValueError(
                f"there is {places}, but literals must increase, and be of different columns or the ends of "
                "an interval"
            )
