"""Every public name is documented: an example that runs, and each parameter and attribute in a sentence.

The examples are run as doctests of `src`. Names of the reference that import torch have its marker.
"""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference" / "index.md"
SECTIONS = ("Parameters", "Attributes", "Returns", "Notes", "Examples")


def listed() -> Iterator[tuple[str, str]]:
    """Module and name of each entry of the reference."""
    module = ""
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split(":: ")[1]
        elif re.fullmatch(r"   \w[\w.]*", line):
            yield module, line.strip()


def marked(entries: list[tuple[str, str]]) -> list:
    return [
        pytest.param(*entry, id=".".join(entry), marks=[pytest.mark.torch] if "neural" in entry[0] else [])
        for entry in entries
    ]


ENTRIES = [*listed()]
MODULES = [one for one in ENTRIES if one[1].startswith("theory.") or one[1] in ("synthetic", "datasets")]
OBJECTS = [one for one in ENTRIES if one not in MODULES]


def section_of(text: str, title: str) -> list[tuple[str, str]]:
    """The entries of a section: names and type, and the description."""
    lines = text.splitlines()
    heads = [k for k, line in enumerate(lines) if line in SECTIONS and set(lines[k + 1]) == {"-"}]
    start = next((k for k in heads if lines[k] == title), None)
    if start is None:
        return []
    end = min((k for k in heads if k > start), default=len(lines))
    found: list[tuple[str, str]] = []
    for line in lines[start + 2 : end]:
        if line and not line.startswith(" "):
            found.append((line, ""))
        elif line.strip():
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}".strip())
    return found


def names_in(entries: list[tuple[str, str]]) -> list[str]:
    return [name for head, _ in entries for name in head.split(" : ")[0].split(", ")]


def is_sentence(text: str) -> bool:
    return bool(text) and text.endswith((".", "…", ")")) and not re.match(r"[a-z]+ ", text)


def parameters_of(thing: object) -> list[str]:
    if inspect.isclass(thing) and issubclass(thing, tuple):
        return [*thing._fields]  # type: ignore[attr-defined]
    return [*inspect.signature(thing).parameters]  # type: ignore[arg-type]


@pytest.mark.parametrize(("module", "name"), marked(OBJECTS))
def test_public_names_have_examples_and_full_sentences(module, name):
    thing = getattr(import_module(module), name)
    text = inspect.getdoc(thing) or ""
    assert ">>> " in text
    assert text.splitlines()[0].endswith((".", ":"))
    parameters, attributes = section_of(text, "Parameters"), section_of(text, "Attributes")
    described = names_in(parameters) or names_in(attributes)  # the fields of results are their attributes
    assert described == parameters_of(thing)
    assert [head for head, sentence in parameters + attributes if not is_sentence(sentence)] == []


@pytest.mark.parametrize("name", [name for _, name in MODULES])
def test_public_modules_say_what_each_function_returns(name):
    module = import_module(f"perceptrons.{name}")
    public = getattr(module, "__all__", None) or [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]
    documented = [key for key in public if callable(getattr(module, key))]
    assert documented
    assert [key for key in documented if ">>> " not in (getattr(module, key).__doc__ or "")] == []
