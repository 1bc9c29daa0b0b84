"""Docstrings write |x| for a size and coef_ for an attribute; to Sphinx these would be names to look up."""

import re

BARS_AND_TAILS = re.compile(r"\||(?<=\w)_(?=[^\w`]|$)")
LITERAL = re.compile(r"(`[^`]*`_*)")


def escape(app, what, name, obj, options, lines):
    """After numpydoc: escape both, except in code."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if not in_example and not line.lstrip().startswith(".. "):
            parts = LITERAL.split(line)
            parts[::2] = [BARS_AND_TAILS.sub(lambda found: "\\" + found.group(), part) for part in parts[::2]]
            lines[number] = "".join(parts)


def setup(app):
    app.connect("autodoc-process-docstring", escape, priority=900)
    return {"parallel_read_safe": True}
