"""Learners as units: each way to score rows that the library has, read off a fitted model."""

from typing import Any

import numpy as np

from .._types import Array
from .encoded_columns import Columns, literals
from .program import (
    Above,
    All,
    Always,
    Exceeds,
    Feature,
    Indicator,
    KernelSums,
    Linear,
    NetworkLayers,
    Raw,
    Rules,
    SignedBits,
    Statement,
)

KERNELS = ("linear", "poly", "polynomial", "rbf", "laplacian", "sigmoid", "cosine")


def linear_unit(model: Any, features: list[Feature]) -> Linear:
    """Features without a weight are left out, but not columns as they are: a missing cell leaves no score."""
    weights = np.asarray(model.coef_, np.float64)
    kept = [
        k
        for k, feature in enumerate(features)
        if isinstance(feature, Raw) or (weights[:, k].any() and feature != Indicator(Always(False)))
    ]
    intercepts = np.asarray(model.intercept_, np.float64) + np.zeros(len(weights))
    return Linear(tuple(features[k] for k in kept), weights[:, kept], intercepts)


def rules_unit(model: Any, columns: Columns) -> Rules:
    """Weighted conjunctions: `SparsePerceptron` with and without points, `PrunedPerceptron`."""
    owners = model.encoder_.attributes_
    rules = []
    for number, places in enumerate(model._places):
        found = tuple(literals(model.encoder_, columns, places))
        ends = [k > 0 and owners[places[k - 1]] == owners[places[k]] for k in range(len(places))]
        rules.append(conjunction(found, tuple(not end for end in ends), number in model._negated))
    weights, points = np.asarray(model._weights), getattr(model, "cards_", None) is not None
    several = points and len(weights) > 1  # whose units and biases follow
    intercepts = np.asarray(model.intercept_)
    return Rules(
        tuple(rules),
        tuple(map(str, model._rules())),
        weights,
        np.zeros_like(weights) if model._only_adds else -weights,
        np.zeros(len(weights), np.int64) if several else intercepts,
    )


def conjunction(parts: tuple[Statement, ...], wanted: tuple[bool, ...], negated: bool) -> Statement:
    if len(parts) == 1 and wanted[0] and not negated:
        return parts[0]
    return All(parts, wanted, negated) if parts else Always(not negated)


def bits_unit(model: Any, features: list[Feature]) -> SignedBits:
    """Binary weights; a bit that has no weight is not looked at."""
    if model._levels is not None:
        raise ValueError(
            "binarize=None refuses values that columns have not had, which an exported model could not; fit "
            "with binarize='auto' or a number."
        )
    used = np.flatnonzero(model.coef_[0]).tolist()
    cuts = model.cuts_.tolist()
    plain = all(isinstance(feature, Raw) for feature in features)
    return SignedBits(
        tuple(exceeds(features[k], cuts[k]) for k in used),
        tuple(bool(model.coef_[0, k] > 0) for k in used),
        int(model.threshold_),
        tuple(cuts) if plain else (),
        tuple(used) if plain else (),
    )


def exceeds(feature: Feature, cut: float) -> Statement:
    """Whether the feature is greater; of a statement, 0 or 1, the statement itself or always the same."""
    if isinstance(feature, Raw):
        return Above(feature.input, cut)
    if isinstance(feature, Indicator):
        return feature.statement if 0.0 <= cut < 1.0 else Always(cut < 0.0)
    return Exceeds(feature, cut)


def kernel_unit(model: Any, features: list[Feature]) -> KernelSums:
    kernel = model._kernel
    if kernel.kind not in KERNELS:
        kind = "a function of Python's" if callable(kernel.kind) else repr(kernel.kind)
        raise ValueError(
            f"kernel={kind} cannot be exported; the kernels that can are {', '.join(map(repr, KERNELS))}."
        )
    return KernelSums(
        tuple(features),
        kernel.kind,
        float(kernel.gamma),
        float(kernel.degree),
        float(kernel.coef0),
        dense(model.support_vectors_),
        np.asarray(model.dual_coef_, np.float64),
        np.asarray(model.intercept_, np.float64),
    )


def dense(matrix: Any) -> Array:
    return np.asarray(matrix.toarray() if hasattr(matrix, "toarray") else matrix, np.float64)


def network_unit(model: Any, features: list[Feature]) -> NetworkLayers:
    """A network's layers as arrays, without a look at PyTorch itself."""
    network = model.network_
    hidden, output = (getattr(network, name) for name in ("hidden", "output"))
    n = len(features)
    if hasattr(network, "standardize"):
        mean, gain = (getattr(network.standardize, name).numpy() for name in ("mean", "gain"))
    else:
        mean, gain = np.zeros(n), np.ones(n)
    arrays = [layer.detach().numpy() for layer in (hidden.weight, hidden.bias, output.weight, output.bias)]
    single = arrays[0].dtype == np.float32
    doubles = [np.asarray(part, np.float64) for part in (mean, gain, *arrays)]
    return NetworkLayers(tuple(features), *doubles, single=single)  # type: ignore[misc,arg-type]
