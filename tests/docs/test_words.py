"""One plain technical voice: words and idioms that puzzle readers are in no page, docstring or message."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
AVOID = {  # what to write instead
    r"the least is best|smaller is better": "lower is better",
    r"on their sides?\b": "are classified correctly",
    r"to begin with": "at first; base points",
    r"if not (?:said|told)": "default",
    r"(?:is|are|be|as|not|otherwise) told\b(?! apart| from)": "is given",
    r"outshouts?|outruns?": "grows faster than",
    r"so many\b": "this number of",
    r"as many as\b": "the number that",
    r"but for\b": "except for",
    r"anew": "again",
    r"mend(?:s|ed|ing)?\b": "fix",
    r"(?:can|could|may|might) be had": "exists; is possible",
    r"hangs? on\b": "depends on",
    r"your word|is no kind of": "a plain sentence",
    r"the least (?:risk|cost|posterior|certainty|double|error|mean|norm|variance|margin|training)": "lowest",
    r"learnt(?!\")": "learned",
    r"colour|behaviour|favour|labell(?:ed|ing)\b|modell(?:ed|ing)\b|cancell(?:ed|ing)\b": "American spelling",
    r"(?:minim|maxim|optim|standard|normal|general|recogn)is(?:e|ed|es|ing|ation)\b": "-ize",
    r"(?:penal|summar|regular|emphas)is(?:e|ed|es|ing|ation)\b": "-ize",
    r"licence|catalogue|judgement|grey\b": "American spelling",
}
PATTERN = re.compile("|".join(rf"\b(?:{words})" for words in AVOID), re.IGNORECASE)

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
PAGES += sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "docs" / "papers").glob("*.md"))
PAGES += [ROOT / "docs" / "pictures" / "which-learner.svg", *sorted((ROOT / "src").rglob("*.html"))]
CODE = sorted((ROOT / "src").rglob("*.py")) + sorted((ROOT / "examples").rglob("*.py"))
NOTEBOOKS = sorted((ROOT / "examples").rglob("*.ipynb"))
ALLOWED = {
    "benchmarks.md": {"anew"},
    "conservative_parameters.py": {"learnt"},
    "conservative_perceptron.py": {"learnt"},
}


def texts_of(path: Path) -> Iterator[str]:
    """What a reader sees of a file: of code, its docstrings and messages."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        constants = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
        yield from (node.value for node in constants if isinstance(node.value, str))
    elif path.suffix == ".ipynb":
        yield from ("".join(cell["source"]) for cell in json.loads(text)["cells"])
    else:
        yield text


@pytest.mark.parametrize("path", PAGES + CODE + NOTEBOOKS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_words_that_puzzle_readers_are_avoided(path):
    found = {match for text in texts_of(path) for match in PATTERN.findall(re.sub(r"\s+", " ", text).lower())}
    assert found <= ALLOWED.get(path.name, set())


@pytest.mark.parametrize(
    "text", ["In so many words", "fit it anew", "Minimised", "is told", "all but for one"]
)
def test_they_are_found(text):
    assert PATTERN.search(text)
