"""The vocabulary of model files: each field takes back what it gave, and nothing that others forged."""

import json
from typing import ClassVar, NamedTuple

import jsonschema
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from perceptrons.conservative.conservative_file import COSTS, PARAMETERS
from perceptrons.model_file.declarations import (
    FLOATS,
    Array,
    Choice,
    Count,
    Each,
    Either,
    EstimatorField,
    Flag,
    IfSet,
    Labels,
    LostFunction,
    Matrix,
    Names,
    OneOrMore,
    Optional,
    Parameter,
    Parameters,
    Place,
    RandomState,
    Real,
    Record,
    Structured,
    Text,
    Tuples,
)
from perceptrons.rejection.costs import Costs


class Pair(NamedTuple):
    a: int
    b: object


NUMBERS = np.array([[1.5, -0.0, 1e-320], [2.0**60, 3.0, 0.1]])
CLOCK = np.array([(3, 0.5)], [("ticks", np.int64), ("time", np.float64)])
KEPT = [
    (Count(-1, 9), 4),
    (Count(), np.uint8(7)),
    (Real(), 0.1),
    (Real(finite=False), -np.inf),
    (Flag(), np.bool_(True)),
    (Text(), "é"),
    (Choice("a", "b"), "b"),
    (Optional(Count()), None),
    (IfSet(Count()), 3),
    (Either(Count(), Text()), "x"),
    (Either(Array(("int64",), ()), Array(("int64",), ("n",))), np.array([1, 2])),
    (Each(Flag(), "n"), [True, False]),
    (Tuples(Count(), Real()), ((3, 0.5), (4, 0.25))),
    (Tuples(Count()), ()),
    (OneOrMore(Count()), 5),
    (OneOrMore(Count()), [5, 6]),
    (Record(Pair, {"a": Count(), "b": Optional(Text())}), Pair(1, None)),
    (Record(dict, {"a": Array(FLOATS, (".n", 3))}), {"a": NUMBERS}),
    (Array(FLOATS, ("n", "m")), NUMBERS.astype(np.float32)),
    (Array(FLOATS, ("n",), finite=False), np.array([np.nan, np.inf, -np.inf, 1.0])),
    (Array(("bool",), ("n",)), np.array([True, False])),
    (Array(("uint64",), ("n",)), np.array([2**64 - 1], np.uint64)),
    (Array(FLOATS, ("n", "m")), np.zeros((3, 0))),
    (Array(("int64",), ()), np.int64(3)),
    (Names("n"), np.array(["a", "b"], object)),
    (Labels("n"), np.array(["a", "b"], "U7")),
    (Structured(CLOCK.dtype), CLOCK),
    (Matrix(("n", "m")), NUMBERS),
    (Matrix(("n", "m")), sp.csr_array(NUMBERS)),
    (Matrix(("n", "m")), sp.csr_matrix(([1.0, 2.0], ([0, 2], [1, 0])), (4, 2), dtype=np.float32)),
    (Matrix(("n", "m")), sp.csr_array((0, 3))),
    (Parameters(), {"a": (1, None), "b": [2.0, "x"], "c": np.nan, "d": LostFunction("f")}),
    (RandomState(), np.random.RandomState(4)),
    (COSTS, None),
    (COSTS, Costs()),
    (COSTS, Costs(gain=1, wrong={"healthy": 1, "ill": 5.5}, reject={"healthy": 0, "ill": 2})),
    (COSTS, Costs(wrong={0: 1, -1: 5, True: 2, 0.5: 3})),
]


def same(one, other):
    if isinstance(one, np.random.RandomState):
        return one.normal() == other.normal() and one.randint(9) == other.randint(9)
    if sp.issparse(one):
        return type(one) is type(other) and one.dtype == other.dtype and (one != other).nnz == 0
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    plain, other = (value.item() if isinstance(value, np.generic) else value for value in (one, other))
    return repr(plain) == repr(other)


@pytest.mark.parametrize(("field", "value"), KEPT, ids=lambda value: type(value).__name__)
def test_what_is_packed_is_unpacked(field, value):
    packed = json.loads(json.dumps(field.pack(value), allow_nan=False))
    jsonschema.validate(packed, field.schema())
    assert same(value, field.unpack(packed, Place("it", {})))


CSR = Matrix(("n", "m")).pack(sp.csr_array(NUMBERS))
BROKEN = [
    ("indices", [0, 1, 2, 0, 1, 3]),
    ("indices", [0, 1, 2, 0, 1, -1]),
    ("indices", [0, 1, 2, 0, 1, 1]),
    ("indptr", [0, 7, 6]),
    ("indptr", [0, 3, 5]),
    ("indptr", [1, 3, 6]),
    ("indptr", [0, 6]),
    ("shape", [2, 2]),
    ("shape", [3, 3]),
    ("shape", [-1, 3]),
]


@pytest.mark.parametrize(("part", "values"), BROKEN)
def test_a_sparse_matrix_that_points_elsewhere(part, values):
    broken = {**CSR, part: {**CSR[part], "shape": [len(values)], "values": values}}
    Matrix(("n", "m")).unpack(CSR, Place("it", {}))
    with pytest.raises(ValueError, match="it"):
        Matrix(("n", "m")).unpack(broken, Place("it", {}))


def priced(**changes):
    return {"gain": 0, "wrong": 1, "reject": 0, **changes}


REFUSED = [
    (Count(), -1, "it is -1, but it must be an integer from 0"),
    (Real(least=0), -0.5, "a number >= 0"),
    (Real(), "nan", "a finite number"),
    (Flag(), 1, "true or false"),
    (Text(), 1, "text"),
    (Choice("a"), "b", "one of 'a'"),
    (Either(Count(), Text()), None, "text"),
    (Each(Count()), {}, "a list"),
    (Each(Count()), [0, "x"], r"it\[1\] is 'x'"),
    (Tuples(Count(), Real()), 3, "a list"),
    (Tuples(Count(), Real()), [[3]], r"it\[0\] is \[3\], but it must be a list of 2 values"),
    (Tuples(Count(), Real()), [[3, "x"]], r"it\[0\]\[1\] is 'x'"),
    (Names(), "ab", "a list of names"),
    (Names(), [1], r"it\[0\] is 1"),
    (Record(dict, {"a": Count()}), [], "an object"),
    (Parameters(), [], "an object"),
    (Parameters(), {"a": [[[1]]]}, r"it.a\[0\]\[0\] is \[1\]"),
    (Parameter(), {"tuple": 1}, "plain, or an object"),
    (Array(FLOATS, ("n",)), {"dtype": "float32", "shape": [1], "values": [0.1]}, "that float32 can hold"),
    (Array(FLOATS, ("n",)), {"dtype": "float32", "shape": [1], "values": [1e300]}, "that float32 can hold"),
    (Array(FLOATS, ("n",)), {"dtype": "float64", "shape": [1], "values": ["nan"]}, r"values\[0\] is 'nan'"),
    (
        Array(("bool",), ("n",)),
        {"dtype": "bool", "shape": [1], "values": [1]},
        "a finite value of dtype bool",
    ),
    (Array(("int8",), ("n",)), {"dtype": "int8", "shape": [1], "values": [1.0]}, "dtype int8"),
    (Array(("int8",), (2,)), {"dtype": "int8", "shape": [1], "values": [1]}, "has 1, but it must have 2"),
    (Labels("n"), {"dtype": "|S1", "shape": [1], "values": ["ā"]}, "a label of dtype .S1"),
    (Labels("n"), {"dtype": "<U1", "shape": [1], "values": ["ab"]}, "a label of dtype <U1"),
    (Labels("n"), {"dtype": "M8", "shape": [1], "values": [1]}, "a dtype that labels have"),
    (COSTS, 5, "it is 5, but it must be an object"),
    (COSTS, priced(profit=1), "it.'profit' is nothing this version knows"),
    (COSTS, priced(gain=None), "it.gain is None, but it must be a number, or a dict of class → number"),
    (COSTS, priced(gain=True), "it.gain is True"),
    (COSTS, priced(gain={"function": "f"}), "it.gain is {'function': 'f'}"),
    (COSTS, priced(wrong={"dict": [["ill", None]]}), r"it.wrong is {'dict': \[\['ill', None\]\]}"),
    (COSTS, priced(wrong={"dict": [["ill"]]}), r"it.wrong\[0\] is \['ill'\]"),
    (COSTS, priced(wrong={"dict": [["ill", 5], ["ill", 1]]}), "a dict that names each class once"),
    (COSTS, priced(gain={"number": "nan"}), "it: gain=nan, but costs must be numbers from 0 to 1e.100"),
    (COSTS, priced(reject=2), "it: reject=2, but it must be below wrong=1.* always answers$"),
    (COSTS, priced(wrong={"dict": [["ill", 0]]}), r"it: reject\['ill'\]=0, but it must be below"),
]


@pytest.mark.parametrize(("field", "packed", "message"), REFUSED)
def test_what_is_refused(field, packed, message):
    with pytest.raises(ValueError, match=message):
        field.unpack(packed, Place("it", {}))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Array(FLOATS, ("n",)), np.array([1])),
        (Labels("n"), np.array(["2020-01-01"], "M8[D]")),
        (RandomState(), np.random.RandomState(np.random.PCG64(0))),
        (Parameter(), np.zeros(2)),
        (Parameter(), {"a": [1]}),
        (Either(Count(), Flag()), object),
    ],
)
def test_what_is_not_packed(field, value):
    if isinstance(field, Either):
        assert field.pack(value) is True
    else:
        with pytest.raises(ValueError, match=r"\w"):
            field.pack(value)


def test_sizes_are_the_same_in_the_whole_model():
    """But for those with a dot, which are each record's own."""
    place, one = Place("it", {}), Array(("int64",), ("n",))
    one.unpack(one.pack(np.array([1, 2])), place.of("a"))
    with pytest.raises(ValueError, match=r"it.b has 1 n, but it must have 2 as the rest implies"):
        one.unpack(one.pack(np.array([1])), place.of("b"))
    own = Each(Record(dict, {"a": Array(("int64",), (".n",)), "b": Array(("int64",), (".n",))}))
    packed = own.pack([{"a": np.arange(n), "b": np.arange(n)} for n in (1, 2)])
    assert len(own.unpack(packed, place.of("c"))) == 2
    packed[1]["b"] = packed[0]["b"]
    with pytest.raises(ValueError, match=r"it.c\[1\].b has 1 n, but it must have 2"):
        own.unpack(packed, Place("it.c", {}))


def test_a_member_without_a_field_is_noticed_when_declared():
    with pytest.raises(TypeError, match="Pair has the members"):
        Record(Pair, {"a": Count()})
    with pytest.raises(TypeError, match="is no Pair"):
        Record(Pair, {"a": Count(), "b": Count()}).pack((1, 2))


class Thrifty(BaseEstimator):
    """An estimator with a parameter that is not plain."""

    _file_fields: ClassVar = {"n_iter_": Count()}
    _file_parameters = PARAMETERS

    def __init__(self, *, eta=1.0, costs=None):
        self.eta, self.costs = eta, costs


def fitted(**parameters):
    model = Thrifty(**parameters)
    model.n_iter_ = 3
    return model


@pytest.mark.parametrize("costs", [None, Costs(wrong={"healthy": 1, "ill": 5}, reject=0.5)])
def test_a_parameter_with_a_field_of_its_own(costs):
    part = EstimatorField(Thrifty)
    packed = json.loads(json.dumps(part.pack(fitted(eta=(1, 2), costs=costs))))
    jsonschema.validate(packed, part.schema())
    again = part.unpack(packed, Place("", {}))
    assert (again.eta, again.costs, again.n_iter_) == ((1, 2), costs, 3)
    del packed["parameters"]["costs"]  # a file from before there were costs
    assert part.unpack(packed, Place("", {})).costs is None


def test_a_parameter_with_a_field_of_its_own_is_not_believed():
    part = EstimatorField(Thrifty)
    packed = part.pack(fitted(costs=Costs()))
    packed["parameters"]["costs"]["reject"] = 7
    with pytest.raises(ValueError, match=r"^parameters\.costs: reject=7, but it must be below wrong=1\.0"):
        part.unpack(packed, Place("", {}))
    with pytest.raises(ValueError, match="Thrifty cannot be saved: its costs is 3 is no Costs"):
        part.pack(fitted(costs=3))


def test_a_field_for_a_parameter_that_does_not_exist():
    class Misspelled(Thrifty):
        _file_parameters: ClassVar = {"cost": COSTS}

    with pytest.raises(TypeError, match=r"Misspelled has the parameters \['costs', 'eta'\], .* \['cost'\]"):
        EstimatorField(Misspelled)
