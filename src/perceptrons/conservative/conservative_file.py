"""What model files hold of this room's learners."""

from typing import Any

from ..checks import is_number
from ..model_file import declarations as file
from ..rejection.costs import MOST, Costs, Prices
from ..rejection.labels import AUTO, resolve


class Price(file.Parameter):
    """A number, or a dict of class → number."""

    def unpack(self, packed: Any, place: file.Place) -> Any:
        value = super().unpack(packed, place)
        prices = value.values() if isinstance(value, dict) else [value]
        if not all(map(is_number, prices)):
            raise place.refusal(packed, "a number, or a dict of class → number")
        if isinstance(value, dict) and len(value) < len(packed["dict"]):
            raise place.refusal(packed, "a dict that names each class once")
        return value


COSTS = file.Optional(file.Record(Costs, {"gain": Price(), "wrong": Price(), "reject": Price()}))
PARAMETERS: dict[str, file.Field] = {"costs": COSTS}

_PER_CLASS = file.Array(("float64",), ("classes",))
FIELDS: dict[str, file.Field] = {
    "classes_": file.Labels("classes"),
    **file.COLUMNS,
    **file.SEEN,
    "coef_": file.Array(("float64",), (1, "features")),
    "intercept_": file.Array(("float64",), (1,)),
    "bands_": file.Array(("float64",), (2,), finite=False),
    "reject_label_": file.Parameter(),
    "_prices": file.Record(Prices, dict.fromkeys(Prices._fields, _PER_CLASS)),
    "training_risk_": file.Real(),
    "step_sizes_": file.Array(("float64",), (2,)),
    "n_updates_": file.Count(),
    "n_iter_": file.Count(1),
    "converged_": file.Flag(),
}


def check_loaded(model: Any) -> None:
    """Raise a ValueError unless the loaded attributes form a model that can answer and reject."""
    if len(model.classes_) != 2:
        raise ValueError(f"there are {len(model.classes_)} classes, but it tells two apart")
    if not (model.bands_ >= 0.0).all():
        raise ValueError(f"bands_ are {model.bands_.tolist()}, but they must be >= 0")
    a, b, c = model._prices
    if not ((a >= 0.0) & (a <= MOST) & (c >= 0.0) & (c < b) & (b <= MOST)).all():
        raise ValueError(
            "prices must be gains >= 0 and, for each class, rejections that cost less than errors"
        )
    if not (model.step_sizes_ > 0.0).all():
        raise ValueError(f"step_sizes_ are {model.step_sizes_.tolist()}, but they must be > 0")
    if model.reject_label_ == AUTO:
        raise ValueError("reject_label_ is 'auto', but it must be the label itself")
    resolve(model.reject_label_, model.classes_)
