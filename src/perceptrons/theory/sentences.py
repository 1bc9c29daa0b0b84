"""What certificates have in common: they are said in sentences."""

from html import escape
from math import ceil, floor


class Sentences:
    """Something that is said in sentences, one to a line; in a notebook, too."""

    def sentences(self) -> list[str]:
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(one)}</p>" for one in self.sentences())


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def percent_up(share: float) -> str:
    """Of what is at most: rounded up."""
    return percent(min(ceil(1000 * share * (1 - 1e-12)) / 1000, 1.0))


def percent_down(share: float) -> str:
    """Of what is at least: rounded down."""
    return percent(floor(1000 * share) / 1000)


def sure_of(confidence: float) -> str:
    return f"{100 * confidence:.6g} %"
