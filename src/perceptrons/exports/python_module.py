"""A program as one file of Python that needs nothing else: functions of a dict, or, without names, a list."""

from typing import Any

from . import python_parts
from .identifiers import PYTHON_WORDS, distinct
from .program import (
    TEXT,
    TRUTH,
    Above,
    Always,
    Exceeds,
    Feature,
    Holds,
    Indicator,
    KernelSums,
    Linear,
    Named,
    NetworkLayers,
    Program,
    Raw,
    Rules,
    Scaled,
    Sign,
    SignedBits,
    Standardized,
    Statement,
    Step,
    Unit,
)
from .program_lines import Lines, outputs

FORMS = {
    **{sign: f"({{0}} {sign} {{1}})" for sign in ("+", "-", "*", "/", ">", ">=", "and")},
    "not": "(not {0})",
    "exp": "_exp({0})",
    "choose": "({1} if {0} else {2})",
    "interpolate": "_interpolate({0}, {1}, {2})",
}
READERS = {TEXT: "_text", TRUTH: "_truth"}
IMPORTS = {  # what each helper needs
    "bisect_right": "from bisect import bisect_right",
    "Fraction(": "from fractions import Fraction",
    "re.": "import re",
    "math.": "import math",
}


class PythonWriter:
    """Prints one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        names = distinct((one.name for one in program.inputs), PYTHON_WORDS)
        self.names = [f"x[{k}]" for k in range(len(names))] if program.width else names

    def statement(self, one: Statement) -> str:
        """An expression that is true or false."""
        if isinstance(one, Above):
            return f"{self.names[one.input]} > {one.threshold!r}"
        if isinstance(one, Exceeds):
            return f"{self.feature(one.feature)} > {one.threshold!r}"
        if isinstance(one, Named):
            return f"{self.names[one.input]} == {one.name!a}"
        if isinstance(one, Holds):
            return f"{self.names[one.input]} is {one.value}"
        if isinstance(one, Always):
            return f"{one.value}"
        pairs = zip(one.parts, one.wanted, strict=True)
        text = " and ".join(
            f"({self.statement(part)})" if wanted else f"not ({self.statement(part)})"
            for part, wanted in pairs
        )
        return f"not ({text})" if one.negated else text

    def feature(self, one: Feature) -> str:
        """An expression that is a number."""
        if isinstance(one, Raw):
            return self.names[one.input]
        if isinstance(one, Standardized):
            return f"_standardized({self.names[one.input]}, {one.mean!r}, {one.scale!r})"
        if isinstance(one, Sign):
            return f"_sign({self.names[one.input]})"
        if isinstance(one, Indicator):
            return f"(1.0 if {self.statement(one.statement)} else 0.0)"
        assert isinstance(one, Scaled)
        return f"({self.feature(one.feature)} - {one.mean!r}) / {one.scale!r}"

    def list_of(self, parts: list[str]) -> str:
        return "[\n        " + ",\n        ".join(parts) + ",\n    ]" if parts else "[]"

    def unit(self, number: int, unit: Unit) -> tuple[list[str], list[str]]:
        """Constants, and lines that set the scores of a unit."""
        own, score = f"_{number}", f"_score_{number}"
        if isinstance(unit, Linear):
            exact = "_linear" if len(unit.weights) == 1 else "_product"
            return [
                f"WEIGHTS{own} = {_rows(unit.weights)}",
                f"INTERCEPTS{own} = {unit.intercepts.tolist()!r}",
            ], [
                f"_features = {self.list_of([self.feature(one) for one in unit.features])}",
                f"{score} = [{exact}(_features, *one) for one in zip(WEIGHTS{own}, INTERCEPTS{own})]",
            ]
        if isinstance(unit, Rules):
            return [
                f"WEIGHTS{own} = {_rows(unit.weights)}",
                f"OTHERS{own} = {_rows(unit.others)}",
                f"INTERCEPTS{own} = {unit.intercepts.tolist()!r}",
            ], [
                f"_held{own} = {self.list_of([self.statement(one) for one in unit.rules])}",
                f"{score} = [",
                f"    _rules(_held{own}, *one) for one in zip(WEIGHTS{own}, OTHERS{own}, INTERCEPTS{own})",
                "]",
            ]
        if isinstance(unit, SignedBits):
            return [f"SIGNS{own} = {list(unit.signs)!r}"], [
                f"_bits = {self.list_of([self.statement(one) for one in unit.bits])}",
                f"{score} = [float(sum(1 if bit == sign else -1 for bit, sign in zip(_bits, SIGNS{own})) - "
                f"{unit.threshold})]",
            ]
        features = f"_features = {self.list_of([self.feature(one) for one in unit.features])}"
        if isinstance(unit, KernelSums):
            kind = unit.kind.removesuffix("nomial")
            value = python_parts.KERNELS[kind].format(gamma=unit.gamma, degree=unit.degree, coef0=unit.coef0)
            return [
                f"SUPPORT{own} = {_rows(unit.support)}",
                f"DUALS{own} = {_rows(unit.duals)}",
                f"INTERCEPTS{own} = {unit.intercepts.tolist()!r}",
                f"\n\ndef _kernel{own}(x, z):\n    return {value}\n",
            ], [
                features,
                f"_values = [_kernel{own}(_features, one) for one in SUPPORT{own}]",
                f"{score} = [_dot(duals, _values) + b for duals, b in zip(DUALS{own}, INTERCEPTS{own})]",
            ]
        assert isinstance(unit, NetworkLayers)
        tables = ("mean", "gain", "hidden", "hidden_bias", "output", "output_bias")
        return [f"{name.upper()}{own} = {getattr(unit, name).tolist()!r}" for name in tables], [
            features,
            f"_features = [(x - mean) * gain for x, mean, gain in zip(_features, MEAN{own}, GAIN{own})]",
            f"_hidden = [max(x, 0.0) for x in _layer(_features, HIDDEN{own}, HIDDEN_BIAS{own})]",
            f"{score} = _layer(_hidden, OUTPUT{own}, OUTPUT_BIAS{own})",
        ]

    def lines(self) -> list[str]:
        """The body of `evaluate`."""
        program = self.program
        body = self._cells()
        for number, unit in enumerate(program.units):
            body += self.unit(number, unit)[1]
        steps = Lines(program, FORMS, _free, outputs(program), "_")
        body += [f"{name} = {text}" for _, name, text in steps.named]
        if program.valid is not None:
            body += [
                f"if not {steps[program.valid]}:",
                '    raise ValueError("The row has a missing number.")',
            ]
        probabilities = ", ".join(steps[one] for one in program.probabilities)
        rejected = "False" if program.rejected is None else steps[program.rejected]
        answered = f"LABELS[int({steps[program.code]})]"
        if program.rejected is not None and program.reject_label is not None:
            answered = f"REJECTED if _rejected else {answered}"
        held = [f"*_held_{k}" for k, unit in enumerate(program.units) if isinstance(unit, Rules)]
        return [
            *body,
            f"_rejected = {rejected}",
            "return {",
            f'    "label": {answered},',
            '    "rejected": _rejected,',
            f'    "scores": [{", ".join(steps[one] for one in program.scores)}],',
            f'    "probabilities": [{probabilities}],',
            *([f'    "rules": [{", ".join(held)}],'] if held else []),
            "}",
        ]

    def _cells(self) -> list[str]:
        inputs = self.program.inputs
        if not self.program.width:
            pairs = zip(self.names, inputs, strict=True)
            return [f"{name} = {_reader(one.kind)}(row[{one.name!a}], {one.name!a})" for name, one in pairs]
        return [
            f"if len(row) != {self.program.width}:",
            f'    raise ValueError(f"The row has {{len(row)}} cells, but must have {self.program.width}.")',
            "x = " + self.list_of([f"{_reader(one.kind)}(row[{one.place}], {one.name!a})" for one in inputs]),
        ]


def _reader(kind: str) -> str:
    return READERS.get(kind, "_number")


def _free(step: Step) -> str:
    return repr(step.number) if step.operation == "number" else f"_score_{step.unit}[{step.score}]"


def _rows(table: Any) -> str:
    return "[\n" + "".join(f"    {row!r},\n" for row in table.tolist()) + "]"


MAIN = '''

def predict(row):
    """The class of a row{or_rejected}."""
    return evaluate(row)["label"]
'''
EXPLAIN = '''

def explain(row):
    """Each rule, and whether it holds."""
    return list(zip(RULES, evaluate(row)["rules"]))
'''


def python_module(program: Program, about: str) -> str:
    """The file."""
    writer = PythonWriter(program)
    constants = [f"LABELS = {list(program.labels)!a}"]
    if program.rejected is not None and program.reject_label is not None:
        constants.append(f"REJECTED = {program.reject_label!a}")
    texts = [text for unit in program.units if isinstance(unit, Rules) for text in unit.texts]
    if texts:
        constants.append("RULES = [\n" + "".join(f"    {text!a},\n" for text in texts) + "]")
    for number, unit in enumerate(program.units):
        constants += writer.unit(number, unit)[0]
    body = "\n".join(f"    {line}" for line in writer.lines())
    what = "a sequence of cells" if program.width else "a dict of columns and cells"
    says = f"What the model says of a row, {what}; None or NaN is a missing cell."
    evaluate = f'def evaluate(row):\n    """{says}"""\n{body}\n'
    or_rejected = (
        ", or what stands for a rejection" if len(constants) > 1 and "REJECTED" in constants[1] else ""
    )
    functions = evaluate + MAIN.format(or_rejected=or_rejected) + (EXPLAIN if texts else "")
    main = "\n".join(constants) + "\n\n\n" + functions
    helpers = _needed(main)
    imports = sorted(line for word, line in IMPORTS.items() if word in helpers + main)
    head = f'"""{_docstring(about)}"""\n\n' + "".join(f"{line}\n" for line in imports)
    return head + "\n" + helpers + "\n" * bool(helpers) + main


def _docstring(about: str) -> str:
    return about.encode("ascii", "backslashreplace").decode().replace("\\", "\\\\").replace('"', "'")


def _needed(main: str) -> str:
    """The helpers that are called, by others, too."""
    helpers = [part for name, part in vars(python_parts).items() if name.isupper() and isinstance(part, str)]
    return "\n".join(part for part in helpers if any(f"{name}(" in main for name in _defined(part)))


def _defined(part: str) -> list[str]:
    return [line[4 : line.index("(")] for line in part.splitlines() if line.startswith("def ")]
