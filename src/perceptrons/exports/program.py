"""A fitted model as a program that knows no target: what is read, what is summed up, what is decided.

    inputs     columns of the table that the model reads: numbers, texts, truth values
    features   numbers made of inputs: as they are, standardized, ±1, or 1 where a statement is true
    units      scores from features: linear, weighted rules, packed bits, kernel, network
    steps      numbers one after the other, each from earlier ones: probabilities, costs, the answer

`read_program` reads it off a model, and each target has one writer that prints it. Numbers are doubles, as in
Python; sums of rules have the order that they have there, so that scores are the same to the last bit.
"""

from typing import Any, NamedTuple, TypeAlias

from .._types import Array

NUMBER, TEXT, TRUTH = "number", "text", "truth"


class Input(NamedTuple):
    """A column of the table. A number is missing where it is NaN, a text or truth value where it is none."""

    name: str
    kind: str
    place: int  # among the columns of an array
    note: str = ""  # what its numbers mean, if they stand for dates


class Above(NamedTuple):
    """The number is greater; false where it is missing."""

    input: int
    threshold: float


class Named(NamedTuple):
    """The text is this name, however spelled: 7 is also 7.0, and true is TRUE. False where it is missing."""

    input: int
    name: str


class Holds(NamedTuple):
    """The truth value is this one; false where it is missing."""

    input: int
    value: bool


class Always(NamedTuple):
    """A statement that no row changes."""

    value: bool


class All(NamedTuple):
    """Each of some statements is true, or false where `wanted` says so; turned round if `negated`."""

    parts: tuple["Statement", ...]
    wanted: tuple[bool, ...]
    negated: bool = False


Statement: TypeAlias = "Above | Named | Holds | Always | All | Exceeds"


class Raw(NamedTuple):
    """The number as it is: the model knows no missing ones."""

    input: int


class Standardized(NamedTuple):
    """(x − mean)/scale, 0 where x is missing."""

    input: int
    mean: float
    scale: float


class Sign(NamedTuple):
    """+1 where the truth value is true, −1 where it is false, 0 where it is missing."""

    input: int


class Indicator(NamedTuple):
    """1 where the statement is true, else 0."""

    statement: Statement


class Scaled(NamedTuple):
    """Another feature, less a number, divided by another."""

    feature: "Feature"
    mean: float
    scale: float


Feature: TypeAlias = "Raw | Standardized | Sign | Indicator | Scaled"


class Exceeds(NamedTuple):
    """A feature is greater than a number."""

    feature: Feature
    threshold: float


class Linear(NamedTuple):
    """⟨w, x⟩ + b: a row of weights per score."""

    features: tuple[Feature, ...]
    weights: Array
    intercepts: Array


class Rules(NamedTuple):
    """Σ over rules, in their order, of `weights` where one holds and `others` where not; then + intercept."""

    rules: tuple[Statement, ...]
    texts: tuple[str, ...]
    weights: Array  # a row per score; integers if they are points
    others: Array
    intercepts: Array

    @property
    def whole(self) -> bool:
        """Are all sums exact?"""
        return all(part.dtype.kind in "iu" for part in self[2:])


class SignedBits(NamedTuple):
    """Σ ±1 of the bits that count, less the threshold: an integer."""

    bits: tuple[Statement, ...]
    signs: tuple[bool, ...]  # of the weight of each bit
    threshold: int
    cuts: tuple[float, ...] = ()  # of all columns of an array, and
    places: tuple[int, ...] = ()  # which of them these bits are


class KernelSums(NamedTuple):
    """Σ duals·K(x, support) + intercept; a row of duals per score."""

    features: tuple[Feature, ...]
    kind: str
    gamma: float
    degree: float
    coef0: float
    support: Array
    duals: Array
    intercepts: Array


class NetworkLayers(NamedTuple):
    """(x − mean)·gain, a layer of max(0, ·), a layer of sums."""

    features: tuple[Feature, ...]
    mean: Array
    gain: Array
    hidden: Array
    hidden_bias: Array
    output: Array
    output_bias: Array
    single: bool  # precision


Unit: TypeAlias = Linear | Rules | SignedBits | KernelSums | NetworkLayers


class Step(NamedTuple):
    """A number, or a truth value, from those of earlier steps."""

    operation: str  # number score + - * / exp > >= and not choose interpolate
    parts: tuple[int, ...] = ()
    number: float = 0.0
    unit: int = 0
    score: int = 0
    knots: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())


TRUTHS = (">", ">=", "and", "not")  # operations whose results are truth values


class Program(NamedTuple):
    """All of a model that a target needs to know."""

    inputs: tuple[Input, ...]
    units: tuple[Unit, ...]
    steps: tuple[Step, ...]
    scores: tuple[int, ...]  # steps: one per row for two classes, else one per class
    probabilities: tuple[int, ...]  # one per class, or none
    code: int  # the place of the class answered, were nothing rejected
    rejected: int | None
    valid: int | None  # whether the scores are numbers, if cells that are missing could make them none
    labels: tuple[Any, ...]
    reject_label: Any
    width: int  # columns of the array, if the model knows no names; else 0
    title: str
