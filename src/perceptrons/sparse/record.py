"""What model files hold of this room's learners: the encoder, and the stages or weights; the rest follows."""

from collections.abc import Sequence
from math import isclose, log
from typing import Any

from ..data.literals import LiteralEncoder
from ..fields import COLUMNS, Array, Count, Each, Field, Labels, Optional, Part, Real, Record
from .boosting import Stage
from .pruning import Pruning

STAGE = {"literals": Each(Count()), "sign": Count(-1, 1), "error": Real(least=0.0), "weight": Real(least=0.0)}
PRUNING = {"n_weights": Count(), "accuracy": Real(least=0.0)}

COMMON: dict[str, Field] = {"classes_": Labels("classes"), **COLUMNS, "encoder_": Part(LiteralEncoder)}
BOOSTED: dict[str, Field] = {
    **COMMON,
    "_runs": Each(Each(Record(Stage, STAGE)), "vectors"),
    "cv_accuracy_": Optional(Array(("float64",), ("tried",))),
}
PRUNED: dict[str, Field] = {
    **COMMON,
    "_places": Each(Each(Count()), "conjunctions"),
    "_weights": Array(("float64",), ("vectors", "conjunctions")),
    "intercept_": Array(("float64",), ("vectors",)),
    "_paths": Each(Each(Record(Pruning, PRUNING)), "vectors"),
    "n_iter_": Count(),
}


def restore_runs(model: Any) -> None:
    """Is there a run for each weight vector, and are its stages such as boosting finds?"""
    _check_vectors(model, len(model._runs))
    model._runs = [[stage._replace(literals=tuple(stage.literals)) for stage in run] for run in model._runs]
    stages = [stage for run in model._runs for stage in run]
    _check_places(model, [stage.literals for stage in stages])
    for stage in stages:
        weight = log((1.0 - stage.error) / stage.error) if 0.0 < stage.error < 0.5 else 1.0
        fits = isclose(stage.weight, weight, rel_tol=1e-9, abs_tol=1e-12)
        if stage.sign == 0 or stage.error >= 0.5 or not fits:
            raise ValueError(f"runs has {stage}, which is no stage of boosting")
    if any(stage.error == 0.0 for run in model._runs for stage in run[:-1]):
        raise ValueError("runs go on after a stage without error, which is the last")


def restore_weights(model: Any) -> None:
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
    if n_vectors != (1 if n_classes == 2 else n_classes):
        raise ValueError(f"there are {n_vectors} weight vectors for {n_classes} classes")


def _check_places(model: Any, conjunctions: Sequence[tuple[int, ...]]) -> None:
    """Do they name literals, in order, of different columns?"""
    attributes = model.encoder_.attributes_.tolist()
    for places in conjunctions:
        if any(place >= len(attributes) for place in places):
            raise ValueError(f"there is a literal {max(places)}, but the encoder has {len(attributes)}")
        owners = [attributes[place] for place in places]
        if list(places) != sorted(places) or len(set(owners)) < len(owners):
            raise ValueError(f"there is {places}, but literals must increase and be of different columns")
