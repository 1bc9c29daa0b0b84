"""What a model file holds of scikit-learn's learners that the commands compare with ours.

Their parameters change from version to version, so a file holds those alone that differ from the defaults.
A tree is a list per column of its nodes, each node before those below it: scikit-learn's compiled code would
follow any number it finds there, so each is checked before the tree is put together.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .declarations import (
    COLUMNS,
    SEEN,
    Array,
    Count,
    EstimatorField,
    Field,
    Labels,
    Parameters,
    Place,
    Record,
    Schema,
    members_schema,
)

NODES = {  # in a file → in scikit-learn
    "left": "left_child",
    "right": "right_child",
    "feature": "feature",
    "threshold": "threshold",
    "missing_left": "missing_go_to_left",
    "impurity": "impurity",
    "n_rows": "n_node_samples",
    "weight": "weighted_n_node_samples",
}
LEAF = -1  # where a node has none below it


class TreeNodes(NamedTuple):
    """A decision tree, an entry per node: the nodes below it, where it splits, how many rows reach it, and
    the shares of the classes among them."""

    left: Any
    right: Any
    feature: Any
    threshold: Any
    missing_left: Any
    impurity: Any
    n_rows: Any
    weight: Any
    shares: Any


class LoadedTree(NamedTuple):
    """Nodes whose tree cannot be built before the numbers of columns and classes are known."""

    nodes: TreeNodes


class Tree(Field):
    """scikit-learn's compiled tree."""

    def __init__(self) -> None:
        whole, real = Array(("int64",), ("nodes",)), Array(("float64",), ("nodes",))
        kinds: dict[str, Field] = dict.fromkeys(TreeNodes._fields, real)
        kinds |= dict.fromkeys(("left", "right", "feature", "missing_left", "n_rows"), whole)
        self.record = Record(TreeNodes, {**kinds, "shares": Array(("float64",), ("nodes", "classes"))})

    def pack(self, value: Any) -> Any:
        state = value.__getstate__()
        table = {name: state["nodes"][own] for name, own in NODES.items()}
        table["missing_left"] = table["missing_left"].astype(np.int64)
        return self.record.pack(TreeNodes(**table, shares=state["values"][:, 0, :]))

    def unpack(self, packed: Any, place: Place) -> Any:
        return LoadedTree(self.record.unpack(packed, place))

    def schema(self) -> Schema:
        return self.record.schema()


def check_tree(model: Any) -> None:
    """Put the tree together, if its nodes hang together."""
    nodes, n_classes = model.tree_.nodes, len(model.classes_)
    model.tree_ = _tree(nodes, model.n_features_in_, n_classes, _depth_of(nodes, model.n_features_in_))
    model.n_classes_, model.max_features_ = np.int64(n_classes), int(model.max_features_)


def _depth_of(nodes: TreeNodes, n_features: int) -> int:
    """How deep the tree is; ValueError if it is none, or splits by columns that do not exist."""
    n = len(nodes.left)
    depths: list[int | None] = [0, *[None] * (n - 1)]
    for k, (left, right) in enumerate(zip(nodes.left.tolist(), nodes.right.tolist(), strict=True)):
        depth = depths[k]
        if depth is None:
            raise ValueError(f"tree_ has a node {k} below no other")
        if left == right == LEAF:
            continue
        if not (k < left < n and k < right < n) or left == right:
            raise ValueError(f"tree_ has the nodes {left} and {right} below node {k} of {n}")
        if depths[left] is not None or depths[right] is not None:
            raise ValueError(f"tree_ has a node below node {k} that is below another, too")
        if not 0 <= nodes.feature[k] < n_features:
            raise ValueError(f"tree_ splits by column {nodes.feature[k]}, but there are {n_features}")
        depths[left] = depths[right] = depth + 1
    if ((nodes.missing_left != 0) & (nodes.missing_left != 1)).any() or (nodes.n_rows < 0).any():
        raise ValueError("tree_ has missing_left other than 0 and 1, or n_rows below 0")
    if (nodes.shares < 0.0).any() or not (nodes.shares.sum(axis=1) > 0.0).all():
        raise ValueError("tree_ has shares of classes below 0, or none")
    return max(depth for depth in depths if depth is not None)


def _tree(nodes: TreeNodes, n_features: int, n_classes: int, depth: int) -> Any:
    make, dtype = _compiled_tree()
    table = np.zeros(len(nodes.left), dtype)
    for name, own in NODES.items():
        table[own] = getattr(nodes, name)
    tree = make(n_features, np.array([n_classes], np.intp), 1)
    shares = np.ascontiguousarray(nodes.shares[:, None, :])
    tree.__setstate__({"max_depth": depth, "node_count": len(table), "nodes": table, "values": shares})
    return tree


@cache
def _compiled_tree() -> tuple[Any, Any]:
    """scikit-learn's class of trees, and the type of a node: those of the smallest tree."""
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1]).tree_
    return type(tree), tree.__getstate__()["nodes"].dtype


def check_logistic(model: Any) -> None:
    """Is there a vector for two classes, or one per class?"""
    n = len(model.classes_)
    if len(model.coef_) != (1 if n == 2 else n):
        raise ValueError(f"coef_ has {len(model.coef_)} rows for {n} classes")


LEARNERS: dict[str, tuple[dict[str, Field], Any]] = {  # what was learned, and whether it agrees
    "LogisticRegression": (
        {
            **COLUMNS,
            **SEEN,
            "classes_": Labels("classes"),
            "coef_": Array(("float64", "float32"), ("vectors", "features")),
            "intercept_": Array(("float64", "float32"), ("vectors",)),
            "n_iter_": Array(("int32", "int64"), ("runs",)),
        },
        check_logistic,
    ),
    "DecisionTreeClassifier": (
        {
            **COLUMNS,
            **SEEN,
            "classes_": Labels("classes"),
            "n_classes_": Count(1),
            "n_outputs_": Count(1, 1),
            "max_features_": Count(1),
            "tree_": Tree(),
        },
        check_tree,
    ),
}


class LearnerField(EstimatorField):
    """A learner of scikit-learn, its parameters as far as they are not the defaults."""

    def __init__(self, make: Any) -> None:
        super().__init__(make, {}, *LEARNERS[make.__name__])

    def pack_parameters(self, value: Any) -> dict[str, Any]:
        given, usual = value.get_params(deep=False), self.make().get_params(deep=False)
        changed = {
            name: one
            for name, one in given.items()
            if type(one) is not type(usual[name]) or one != usual[name]
        }
        try:
            return Parameters().pack(changed)
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"{self.name} cannot be saved: its parameters hold {error}.") from error

    def unpack_parameters(self, packed: Any, place: Place) -> Any:
        given = Parameters().unpack(packed, place)
        for name in given:
            if name not in self.defaults:
                raise place.of(name).refusal(name, f"a parameter of the {self.name} installed")
        return self.make(**given)

    def schema(self) -> Schema:
        fitted = {name.lstrip("_"): field.schema() for name, field in self.fitted.items()}
        return members_schema({"parameters": Parameters().schema(), "fitted": members_schema(fitted)})
