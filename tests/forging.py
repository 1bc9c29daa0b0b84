"""Values a little beside the true ones, for results and files that must not be believed."""

import copy

import numpy as np

from perceptrons.model_file.document import from_bytes, to_bytes


def nudged(value):
    """Other values near a field's own."""
    if value is None:
        return [np.array([0, 1])]
    if isinstance(value, float):
        return [value * 1.01, value * 0.99, -value, np.nan]
    if value.dtype.kind == "i":
        return [value + 1 + np.arange(len(value)), value - 1, value[:-1], value * 1.0, -value - 1]
    return [value * 1.01, value + 0.01, value[:-1], value * np.nan]


def forge(path, change):
    """The model in a file, its fitted part changed, in a file beside it whose checksum is right."""
    document = from_bytes(path.read_bytes())
    forged = copy.deepcopy({part: document[part] for part in ("library", "about", "model")})
    change(forged["model"]["fitted"])
    other = path.with_name("forged.json")
    other.write_bytes(to_bytes(forged))
    return other
