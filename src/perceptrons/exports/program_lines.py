"""Steps as lines of a language with infix operators: which of them are needed, and what each one says."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from .program import Program, Step

FREE = ("number", "score")  # never worth a name of their own


def outputs(program: Program) -> list[int]:
    """The steps that a caller sees."""
    found = [*program.scores, *program.probabilities, program.code]
    return found + [one for one in (program.rejected, program.valid) if one is not None]


def needed(program: Program, wanted: Iterable[int], often: Mapping[str, int] | None = None) -> Counter[int]:
    """How often each step is used, by others that are needed or as an output; those that are not are absent.
    `often`: operations that write their parts several times."""
    uses = Counter(wanted)
    for place in range(len(program.steps) - 1, -1, -1):
        if place in uses:
            step = program.steps[place]
            uses.update(step.parts * (often or {}).get(step.operation, 1))
    return uses


class Lines:
    """The expression of each step. Steps used more than once get a name and a line, others stand where they
    are used; no expression is longer than some steps, so that compilers do not choke."""

    DEPTH = 12
    OFTEN: Mapping[str, int] = {}

    def __init__(
        self,
        program: Program,
        forms: dict[str, str],
        free: Callable[[Step], str],
        wanted: Iterable[int],
        mark: str = "",
    ) -> None:
        self.program, self.forms, self.free = program, forms, free
        self.texts: dict[int, str] = {}
        self.named: list[tuple[int, str, str]] = []  # step, its name, its expression
        depths: dict[int, int] = {}
        uses = needed(program, wanted, self.OFTEN)
        for place in sorted(uses):
            step = program.steps[place]
            depths[place] = 1 + max((depths[part] for part in step.parts), default=0)
            text = self._text(step)
            if step.operation not in FREE and (uses[place] > 1 or depths[place] >= self.DEPTH):
                self.named.append((place, f"{mark}t{place}", text))
                text, depths[place] = f"{mark}t{place}", 0
            self.texts[place] = text

    def _text(self, step: Step) -> str:
        if step.operation in FREE:
            return self.free(step)
        if step.operation == "interpolate":
            return self.interpolated(step)
        return self.forms[step.operation].format(*(self.texts[part] for part in step.parts))

    def interpolated(self, step: Step) -> str:
        """How a language looks up a table: by a function it is given, unless a subclass knows better."""
        return self.forms["interpolate"].format(self.texts[step.parts[0]], *step.knots)

    def __getitem__(self, place: int) -> str:
        return self.texts[place]
