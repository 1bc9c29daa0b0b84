"""Model files: `save` and `load`. JSON that any language can read; see docs/model-file.md."""

import math
import os
import reprlib
from typing import Any

import numpy as np

from .. import __version__
from .certificate_fields import ModelCertificateField
from .declarations import DIGITS, LIMIT, Place, Text, members
from .document import from_bytes, to_bytes
from .estimators import pack, require_nothing_lost, unpack
from .files import read_whole, write_whole

CERTIFICATE, CERTIFIED = "certificate", ModelCertificateField()
PARTS = ("format", "version", "checksum", "library", "about", "model")

About = dict[str, str | int | float | bool]
Path = str | os.PathLike[str]


def save(
    model: Any, path: Path, *, about: About | None = None, certificate: Any = True, max_bytes: int = LIMIT
) -> None:
    """Write a fitted model, or a pipeline that ends with one, to a file.

    The file is replaced in one step: it is never half written. What is written has been read back before.

    Parameters
    ----------
    model : classifier, encoder or pipeline
        The fitted model.
    path : str or path
        The file to write.
    about : dict or None, default None
        Facts to keep with the model, name → text, number or flag.
    certificate : bool or certificate, default True
        A certificate of this model, from `certify` or `draw`, to keep in the file, see `load_certificate`.
        False leaves out what only margin certificates and further training need: the model in the file
        predicts, but cannot be warm-started or continued by `partial_fit`, and its margin cannot be
        certified. False concerns `Perceptron` and `MaxMarginPerceptron`; the others keep nothing that they do
        not need to predict.
    max_bytes : int, default 2**28
        The largest size of the file; a larger model raises. `load` refuses larger files unless it is given
        the same number.

    Examples
    --------
    >>> import os, tempfile
    >>> from perceptrons import Perceptron, load, save
    >>> model = Perceptron(order="cyclic").fit([[0.0], [2.0]], ["low", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.json"))
    ...     load(os.path.join(folder, "model.json")).predict([[0.5], [3.0]])
    array(['low', 'high'], dtype='<U4')
    """
    document = {"library": __version__, "about": check_about({} if about is None else about)}
    more = {}
    if not isinstance(certificate, bool | np.bool_):
        more, certificate = {CERTIFICATE: _packed_certificate(certificate)}, True
    data = _encoded({**document, **more, "model": pack(model, bool(certificate))})
    if len(data) > max_bytes:
        raise ValueError(
            f"The file would have {len(data):,} bytes, more than max_bytes={max_bytes:,}; raise max_bytes, "
            "here and when loading."
        )
    require_nothing_lost(model, _twin(data, max_bytes))
    write_whole(os.fsdecode(path), data)


def load(path: Path, *, max_bytes: int = LIMIT) -> Any:
    """The model in a file; ValueError with the reason if the file is not one that `save` wrote.

    Nothing in the file is executed. Functions (a callable `eta`) are not in it: set them again to train on.

    Parameters
    ----------
    path : str or path
        The file to read.
    max_bytes : int, default 2**28
        The largest size of the file; a larger one is refused.

    Examples
    --------
    >>> import os, tempfile
    >>> from perceptrons import Perceptron, load, save
    >>> model = Perceptron(order="cyclic").fit([[0.0], [2.0]], ["low", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.json"))
    ...     again = load(os.path.join(folder, "model.json"))
    >>> bool((again.coef_ == model.coef_).all()), again.certificate_ == model.certificate_
    (True, True)
    """
    return read(path, max_bytes)[0]


def load_certificate(path: Path, *, max_bytes: int = LIMIT) -> Any:
    """What was certified about the model in a file when it was saved; None if nothing was.

    It is as good as the file: recheck it with `verify`.

    Parameters
    ----------
    path : str or path
        The file to read.
    max_bytes : int, default 2**28
        The largest size of the file; a larger one is refused.

    Examples
    --------
    >>> import os, tempfile
    >>> from perceptrons import Perceptron, certify, load, load_certificate, save, verify
    >>> X, y = [[0.0], [2.0]], [0, 1]
    >>> model = Perceptron(order="cyclic").fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.json"), certificate=certify(model, X, y))
    ...     certificate = load_certificate(os.path.join(folder, "model.json"))
    >>> verify(certificate, model, X, y)
    """
    name = os.fsdecode(path)
    try:
        return _certificate_in(from_bytes(read_whole(name, max_bytes)))
    except ValueError as error:
        raise ValueError(f"{name!r} cannot be loaded: {error}.") from None


def _packed_certificate(certificate: Any) -> Any:
    try:
        return CERTIFIED.pack(certificate)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"certificate must be True, False, or what certify or draw returned: {error}."
        ) from None


def _certificate_in(document: dict[str, Any]) -> Any:
    packed = document.get(CERTIFICATE)
    return None if packed is None else CERTIFIED.unpack(packed, Place(CERTIFICATE, {}))


def read(path: Path, max_bytes: int = LIMIT) -> tuple[Any, About]:
    """The model in a file, and what was saved about it."""
    try:
        return _decoded(read_whole(os.fsdecode(path), max_bytes), max_bytes)
    except ValueError as error:
        raise ValueError(f"{os.fsdecode(path)!r} cannot be loaded: {error}.") from None


def _encoded(document: dict[str, Any]) -> bytes:
    try:
        return to_bytes(document)
    except ValueError as error:
        raise ValueError(f"The model cannot be saved: {error}.") from None


def _twin(data: bytes, max_bytes: int) -> Any:
    """The model that will be loaded; a file that would be refused must not be written."""
    try:
        return _decoded(data, max_bytes)[0]
    except ValueError as error:
        raise ValueError(f"The model cannot be saved, it would not load again: {error}.") from None


def _decoded(data: bytes, max_bytes: int) -> tuple[Any, About]:
    document = from_bytes(data)
    parts = (*PARTS, CERTIFICATE) if CERTIFICATE in document else PARTS
    document = members(document, parts, Place("", {}))
    _certificate_in(document)
    Text().unpack(document["library"], Place("library", {}))
    return unpack(document["model"], max_bytes, document["version"]), check_about(document["about"])


def check_about(about: Any) -> About:
    """A flat dict of plain values, which every reader can show."""
    if not isinstance(about, dict):
        raise ValueError(f"about={reprlib.repr(about)}, but it must be a dict of names and plain values")
    plain = {name: one.item() if isinstance(one, np.generic) else one for name, one in about.items()}
    for name, value in plain.items():
        known = isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value))
        small = not isinstance(value, int) or abs(value) < 10**DIGITS
        if not isinstance(name, str) or not known or not small:
            raise ValueError(
                f"about has {reprlib.repr(name)}: {reprlib.repr(value)}, but it must be a name and a text, "
                "flag or finite number"
            )
    return plain
