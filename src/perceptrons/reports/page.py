"""From facts to one page: templates filled in, figures drawn, style and script inside, and nothing from
elsewhere.

What came from the data is escaped by the templates (Jinja's autoescape) and by `figures.svg`. The page
states a content security policy that allows its own style and script, by their hashes, and nothing else:
were a name of the data ever taken for markup, no browser would run it.
"""

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from .figures.bars import dots, share_bar, signed_bar
from .figures.histograms import draw_histogram, histogram_legend
from .figures.line_figure import draw_lines, legend

FOLDER = Path(__file__).parent / "templates"
DRAW = {"lines": draw_lines, "histogram": draw_histogram}
LEGENDS = {"lines": legend, "histogram": histogram_legend}


def render(template: str, facts: dict[str, Any]) -> str:
    """The page of these facts."""
    style, script = _file("style.css"), _file("calculator.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    return str(_templates().get_template(template).render(facts, policy=policy, style=style, script=script))


@cache
def _templates() -> Any:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise ImportError('Reports need jinja2: pip install "perceptrons[app]"') from error
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_unbroken,
    )
    drawings = {"signed_bar": signed_bar, "share_bar": share_bar, "dots": dots, "as_json": as_json}
    environment.globals |= {name: _marked(draw, Markup) for name, draw in drawings.items()}
    environment.globals["drawn"] = lambda figure: Markup(DRAW[figure["kind"]](figure))
    environment.globals["legend_of"] = lambda figure: LEGENDS[figure["kind"]](figure)
    environment.filters["own"] = Markup  # our own style and script
    return environment


def _unbroken(value: Any) -> Any:
    """No line ends between a number and its percent sign."""
    return value.replace(" %", "\N{NO-BREAK SPACE}%") if type(value) is str else value


def _marked(draw: Any, markup: Any) -> Any:
    """Text that is markup already: `figures` have escaped what is in it."""
    return lambda *given: markup(draw(*given))


def as_json(value: Any) -> str:
    """Data in an element of its own: no character in it can end the element."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


@cache
def _file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
