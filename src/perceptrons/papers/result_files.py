"""The result of an experiment as one document of plain values, and its forms: JSON, Markdown, pictures.

Two runs give the same document except for what stands under "measured": when, where, and how long it took.
"""

import datetime
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from . import pictures
from .environment import machine, versions
from .experiment import ExperimentResult, Inputs

Document = dict[str, Any]
PICTURES = ("svg", "png")


def document(
    name: str, module: Any, inputs: Inputs, result: ExperimentResult, quick: bool, seconds: float
) -> Document:
    """Everything there is to know about one run; the claims are judged here."""
    values = json.loads(json.dumps(result.values, allow_nan=False))  # as a reader of the file sees them
    return {
        "experiment": name,
        "paper": module.PAPER,
        "title": module.TITLE,
        "command": f"perceptrons reproduce {name}" + " --quick" * quick,
        "quick": quick,
        "settings": dict(inputs.settings),
        "data": dict(inputs.digests),
        "versions": versions(getattr(module, "PACKAGES", ())),
        "claims": [asdict(claim) for claim in module.check(values)],
        "tables": [asdict(table) for table in result.tables],
        "values": values,
        "measured": {
            "date": datetime.date.today().isoformat(),
            "seconds": round(seconds, 1),
            "machine": machine(),
        },
    }


def stem(result: Document) -> str:
    """The name of its files without suffix: a quick run does not replace a full one."""
    return f"{result['experiment']}-quick" if result["quick"] else str(result["experiment"])


def as_text(value: Any) -> str:
    """JSON to be read in a diff: indented, but a list of numbers or words on one line."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    return re.sub(r"\[[^][{}]*\]", lambda found: re.sub(r"\n\s*", " ", found[0]), text) + "\n"


def forms(result: Document, module: Any) -> Iterator[tuple[str, bytes]]:
    """(suffix, bytes) of the files of one result."""
    yield "json", as_text(result).encode()
    yield "md", page(result).encode()
    yield from pictures.files(lambda figure: module.draw(figure, result["values"]), module.HEIGHT, PICTURES)


def page(result: Document) -> str:
    """The result as a page of its own."""
    title = result["title"]
    return f"# {result['paper']}: {title}\n\n![{title}]({stem(result)}.svg)\n\n{body(result)}\n"


def body(result: Document) -> str:
    """Verdicts, tables, and the line that says where they come from."""
    parts = [markdown(CLAIM_HEADS, [claim_cells(claim) for claim in result["claims"]])]
    for one in result["tables"]:
        parts += [f"**{one['title']}**", markdown(one["heads"], one["rows"])]
    return "\n\n".join([*parts, source(result)])


CLAIM_HEADS = ("claim", "paper", "ours", "verdict", "by which rule")


def claim_cells(claim: dict[str, Any]) -> list[str]:
    return [claim[key] for key in ("text", "paper", "ours", "verdict", "rule")]


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def source(result: Document) -> str:
    """Command, date, machine, versions, data: what the numbers depend on."""
    measured, here = result["measured"], result["measured"]["machine"]
    used = ", ".join(f"{package} {version}" for package, version in result["versions"].items())
    gpu = f", {result['settings']['gpu']}" if result["settings"].get("gpu") else ""
    checked = "; ".join(f"{name} {digest[:12]}…" for name, digest in result["data"].items())
    return (
        f"`{result['command']}`, {measured['date']}, {measured['seconds']:,.0f} s on {here['cores']} cores "
        f"({here['cpu']}){gpu}; {used}." + f" Data (SHA-256): {checked}." * bool(checked)
    )
