"""What a model file holds of sparse perceptrons: the encoder and the stages; the rest follows from them."""

from typing import Any

from ..data.literals import LiteralEncoder
from ..fields import COLUMNS, Array, Count, Each, Field, Labels, Optional, Part, Real, Record
from .boosting import Stage

STAGE = {"literals": Each(Count()), "sign": Count(-1, 1), "error": Real(least=0.0), "weight": Real(least=0.0)}

FIELDS: dict[str, Field] = {
    "classes_": Labels("classes"),
    **COLUMNS,
    "encoder_": Part(LiteralEncoder),
    "_runs": Each(Each(Record(Stage, STAGE))),
    "cv_accuracy_": Optional(Array(("float64",), ("tried",))),
}


def check_runs(model: Any) -> None:
    """Is there a run for each weight vector, and are its stages such as boosting finds?"""
    n_classes = len(model.classes_)
    if len(model._runs) != (1 if n_classes == 2 else n_classes):
        raise ValueError(f"runs has {len(model._runs)} lists of stages for {n_classes} classes")
    attributes = model.encoder_.attributes_
    model._runs = [[stage._replace(literals=tuple(stage.literals)) for stage in run] for run in model._runs]
    for stage in (stage for run in model._runs for stage in run):
        places = stage.literals
        if any(place >= len(attributes) for place in places):
            raise ValueError(f"runs has the literal {max(places)}, but there are {len(attributes)}")
        if list(places) != sorted(places) or len({int(attributes[place]) for place in places}) < len(places):
            raise ValueError(f"runs has {places}, but literals must increase and be of different columns")
        if stage.sign == 0 or stage.error >= 0.5:
            raise ValueError(f"runs has sign {stage.sign} and error {stage.error}: no stage of boosting")
