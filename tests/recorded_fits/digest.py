"""A digest of all that a fit left behind: the public fitted attributes, and what the model says of rows."""

import hashlib
import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from .cases import Case


def fitted(case: Case) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return case.fit()


def digest_of(model: Any) -> str:
    content = json.dumps(plain(model), sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dicts alone; a float as its bits."""
    if isinstance(value, Pipeline):
        return [plain(step) for _, step in value.steps]
    if isinstance(value, BaseEstimator):
        return dict(_attributes(value))
    if isinstance(value, np.ndarray):
        items = value.tolist() if value.dtype == object else value
        return plain(items) if value.dtype == object else _bits(value)
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if is_dataclass(value):
        return {field.name: _part(field.name, getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float | np.floating):
        return float(value).hex()
    if isinstance(value, int | np.integer | np.bool_):
        return int(value)
    if hasattr(value, "__dict__") and not isinstance(value, type):  # scikit-learn's calibrators
        return {name: plain(one) for name, one in vars(value).items()}
    return str(value)


def _part(name: str, value: Any) -> Any:
    """The last bits of a bound are those of the linear algebra of this processor."""
    return f"{value:.12g}" if name == "margin_bound" and isinstance(value, float) else plain(value)


def _attributes(model: BaseEstimator) -> Iterator[tuple[str, Any]]:
    for name in sorted(vars(model)):
        if name.endswith("_") and not name.startswith("_"):
            value = getattr(model, name)
            if hasattr(value, "state_dict"):  # a network of torch's
                value = {key: tensor.numpy() for key, tensor in value.state_dict().items()}
            yield name, plain(value)


def _bits(values: np.ndarray) -> list[Any]:
    content = np.ascontiguousarray(values)
    return [str(values.dtype), list(values.shape), hashlib.sha256(content.tobytes()).hexdigest()]
