"""What answers cost, from a JSON file such as {"wrong": {"healthy": 1, "ill": 5}, "reject": 0.3}.

People write these files, so a mistake raises: a misspelled member would otherwise keep its default.
"""

import os
import reprlib
from codecs import BOM_UTF8
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..rejection.costs import Costs

LIMIT = 2**16  # bytes
EXAMPLE = '{"wrong": {"healthy": 1, "ill": 5}, "reject": 0.3}'
PRICE = "a number, or an object of class → number"


def read_costs_file(path: str | Path) -> "Costs":
    """The costs in a file; what it does not say is as it is by default. ValueError if they cannot be."""
    from ..rejection.costs import Costs

    try:
        given = _checked(_parsed(path), tuple(Costs.__dataclass_fields__))
    except ValueError as error:
        raise ValueError(f"{path} cannot be read as costs: {error}; write it like {EXAMPLE}.") from None
    try:
        return Costs(**given)
    except ValueError as error:
        raise ValueError(f"{path} holds costs that cannot be: {error}") from None


def for_classes(costs: "Costs", classes: Any, path: str | Path | None) -> "Costs":
    """The costs of the classes of a table; those from a file name classes by their spelling, be they numbers.

    ValueError, which names the file, if a class has no price or if there is no such class.
    """
    from ..rejection.costs import Costs

    if path is None:
        return costs
    spelled = {str(name): name for name in classes}
    named = Costs(**{part: _renamed(value, spelled) for part, value in vars(costs).items()})
    try:
        named.of(classes)
    except ValueError as error:
        raise ValueError(f"{path} does not fit the table: {error}") from None
    return named


def _renamed(value: Any, names: dict[str, Any]) -> Any:
    if not isinstance(value, dict):
        return value
    return {names.get(name, name): price for name, price in value.items()}


def _parsed(path: str | Path) -> Any:
    """By the parser of model files, which trusts nothing; an editor's mark at the beginning is no JSON."""
    from ..model_file.document import parse
    from ..model_file.files import read_whole

    size = os.stat(path).st_size
    if size > LIMIT:
        raise ValueError(f"it has {size:,} bytes, more than the {LIMIT:,} that costs may have")
    return parse(read_whole(os.fspath(path), LIMIT).removeprefix(BOM_UTF8))


def _checked(given: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """The members, if all are known and of the right kind."""
    if not isinstance(given, dict):
        raise ValueError(f"it is {reprlib.repr(given)}, but it must be an object")
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"there is a member {reprlib.repr(name)}, but only {', '.join(known)} are known")
        if not all(type(price) in (int, float) for price in _prices(value)):
            raise ValueError(f"{name} is {reprlib.repr(value)}, but it must be {PRICE}")
    return given


def _prices(value: Any) -> list[Any]:
    return [*value.values()] if isinstance(value, dict) else [value]
