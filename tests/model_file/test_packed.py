"""Long arrays in few characters: nothing is lost, a program in another language can read them, and nothing
that a file declares fills the memory."""

import base64
import json
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons import load, save
from perceptrons.model_file import packed
from perceptrons.model_file.declarations import Array, Place, Room
from perceptrons.model_file.kinds import LIMIT
from tests.margin.classic import classic
from tests.naive import packed as naive
from tests.sizes import cases

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KINDS = ("int64", "float64", "float32", "uint32")
PLAIN = Array(KINDS, ("n",), finite=False, compact=True)


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def place(room=LIMIT):
    return Place("it", {}, room=Room(room))


WIDTHS = st.sampled_from([1, 7, 8, 15, 16, 31, 32, 53, 62, 63])
WHOLE = WIDTHS.flatmap(lambda bits: st.integers(-(2**bits), 2**bits - 1))
INTEGERS = st.lists(st.one_of(st.integers(-3, 300), WHOLE), max_size=40)
FLOATS = st.lists(st.one_of(st.floats(), st.integers(-9, 9).map(float), st.just(-0.0)), max_size=40)
ARRAYS = st.one_of(
    INTEGERS.map(lambda values: np.array(values, np.int64)),
    INTEGERS.map(lambda values: np.sort(np.array(values, np.int64))),
    FLOATS.map(np.array).map(lambda array: array.astype(np.float64)),
    st.lists(st.floats(width=32), max_size=40).map(lambda values: np.array(values, np.float32)),
    st.lists(st.integers(0, 2**32 - 1), max_size=40).map(lambda values: np.array(values, np.uint32)),
    st.lists(st.integers(-(2**53), 2**53)).map(lambda values: np.array(values, np.float64)),
)


@pytest.mark.thorough
def test_nothing_is_lost_and_plain_python_reads_it():
    kinds = set()

    @settings(max_examples=cases(2000), deadline=None, derandomize=True, database=None)
    @given(ARRAYS)
    def run(array):
        given = json.loads(json.dumps(packed.pack(array)))
        assert same_bits(packed.unpack(given, array.dtype, array.size, place()), array)
        assert same_bits(np.array(naive.numbers(given, array.size), array.dtype), array)
        kinds.add((given["as"], given["differences"]))

    run()
    assert len(kinds) >= 9


@pytest.mark.parametrize(
    ("values", "kind", "differences"),
    [
        (np.arange(10**6, 10**6 + 300), "int32", False),  # the first is as far from 0 as they all are
        (np.cumsum(np.arange(300) % 3), "int8", True),
        (np.tile([3.0, -1.0], 200), "int8", False),
        (np.tile([3.5, -1.0], 200), "float64", False),
        (np.tile([0.0, -0.0], 200), "float64", False),
        (np.tile([0.0, np.nan], 200), "float64", False),
        (np.array([2.0**53] * 300), "int64", False),
        (np.array([2.0**54] * 300), "float64", False),
        (np.array([-(2**63), 2**63 - 1] * 200), "int64", False),
    ],
)
def test_the_narrowest_kind_that_holds_all(values, kind, differences):
    given = packed.pack(values)
    assert (given["as"], given["differences"]) == (kind, differences)


def test_short_arrays_stay_readable():
    row = PLAIN.pack(np.arange(packed.LONG - 1))
    assert row["values"] == [*range(packed.LONG - 1)]
    assert set(PLAIN.pack(np.arange(packed.LONG))) == {"dtype", "shape", "packed"}
    assert "values" in Array(("int64",), ("n",)).pack(np.arange(10**4))


def zipped(data):
    return base64.b64encode(zlib.compress(data)).decode()


BOMB = zipped(bytes(2**26))
LINES = np.arange(300) % 2
GOOD = packed.pack(LINES)
BAD = [
    ({"zlib": GOOD["zlib"][:-4]}, "base64 of what zlib|300 bytes"),
    ({"zlib": GOOD["zlib"][:-1]}, "base64 of what zlib has compressed"),
    ({"zlib": "é"}, "base64 of what zlib has compressed"),
    ({"zlib": zipped(bytes(299))}, "it.packed.zlib is .* but it must be 300 bytes"),
    ({"zlib": zipped(bytes(301))}, "300 bytes"),
    ({"zlib": base64.b64encode(base64.b64decode(GOOD["zlib"]) + b"more").decode()}, "300 bytes"),
    ({"zlib": base64.b64encode(zlib.compress(bytes(300))[:-1]).decode()}, "300 bytes"),
    ({"zlib": BOMB}, "300 bytes"),
    ({"zlib": 3}, "zlib is 3, but it must be text"),
    ({"as": "int16"}, "600 bytes"),
    ({"as": "object"}, "as is 'object', but it must be one of 'int8'"),
    ({"as": "float64"}, "as is 'float64', but it must be one of"),
    ({"differences": 1}, "differences is 1, but it must be true or false"),
    ({"differences": True, "as": "int64", "zlib": zipped(b"\x7f" * 2400)}, "those of numbers below"),
    ({"more": 1}, "'more' is nothing this version knows"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_what_does_not_fit_is_refused(change, message):
    given = {"dtype": "int64", "shape": [300], "packed": {**GOOD, **change}}
    with pytest.raises(ValueError, match=message):
        PLAIN.unpack(given, place())


def test_numbers_that_the_dtype_cannot_hold():
    for dtype, values in [
        ("uint32", [-1]),
        ("uint32", [2**32]),
        ("float64", [2**53 + 1]),
        ("float32", [2**25 + 1]),
    ]:
        given = packed.pack(np.array(values * 300))
        with pytest.raises(ValueError, match=f"{dtype} can hold"):
            PLAIN.unpack({"dtype": dtype, "shape": [300], "packed": given}, place())
    finite = Array(("float64",), ("n",), compact=True)
    with pytest.raises(ValueError, match="finite values"):
        finite.unpack(PLAIN.pack(np.full(300, np.inf)), place())


def test_a_small_file_cannot_fill_the_memory():
    """Neither by what it holds nor by what it declares."""
    bomb = {"dtype": "int64", "shape": [300], "packed": {**GOOD, "zlib": BOMB}}
    huge = {**bomb, "shape": [2**40]}
    several = {**bomb, "shape": [2**26], "packed": {**GOOD, "zlib": BOMB}}
    tracemalloc.start()
    for small, message in [
        (bomb, "300 bytes"),
        (huge, "it.packed would bring what is packed to 8,796,093,022,208"),
    ]:
        with pytest.raises(ValueError, match=message):
            PLAIN.unpack(small, place())
    with pytest.raises(ValueError, match="more than max_bytes=268,435,456; raise max_bytes if you trust it"):
        PLAIN.unpack(several, place())
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_the_limit_is_for_all_arrays_of_a_file_together():
    given, here = PLAIN.pack(np.zeros(1000)), place(room=20_000)
    for _ in range(2):
        PLAIN.unpack(given, here)
    with pytest.raises(
        ValueError, match="would bring what is packed to 24,000 bytes, more than max_bytes=20,000"
    ):
        PLAIN.unpack(given, here)


def test_a_model_of_many_rows_has_a_small_file(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "model.json"
    X = rng.normal(size=(20_000, 13)).astype(np.float32)
    model = classic(max_epochs=3, random_state=0).fit(X, rng.integers(0, 2, 20_000))
    save(model, path)
    assert len(model.support_) > 15_000
    assert path.stat().st_size < 60_000  # as lists: 250,000
    twin = load(path)
    assert same_bits(twin.support_, model.support_)
    assert same_bits(twin.dual_coef_, model.dual_coef_)
    memory = json.loads(path.read_text())["model"]["fitted"]["memories"][0]
    assert naive.numbers(memory["rows"]["packed"], len(model.support_)) == model.support_.tolist()
    assert naive.numbers(memory["duals"]["packed"], len(model.support_)) == model.dual_coef_[0].tolist()
