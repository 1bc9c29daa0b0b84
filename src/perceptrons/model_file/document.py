"""A JSON document with a checksum: to bytes a person can read, and back from bytes nobody should trust."""

import hashlib
import json
import re
import reprlib
from collections import Counter
from typing import Any

from ..texts import ACTS
from .declarations import DIGITS

WIDTH = 110
FORMAT, VERSION = "perceptrons-model", 2
FIRST = 1  # files of this version on can be read
ZEROS = b"0" * 64
SUM = re.compile(rb'"checksum": "sha256:([0-9a-f]{64})"')


def to_bytes(document: dict[str, Any]) -> bytes:
    """The document, its checksum filled in."""
    blank = {"format": FORMAT, "version": VERSION, "checksum": f"sha256:{ZEROS.decode()}", **document}
    try:
        data = f"{lines(blank)}\n".encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"a text holds {error.object[error.start]!r}, half of a character") from None
    found = _find(data)
    return data[: found.start(1)] + hashlib.sha256(data).hexdigest().encode() + data[found.end(1) :]


def lines(value: Any, indent: str = "") -> str:
    """JSON for people: what is short stands on one line, and so do arrays."""
    if isinstance(value, dict) and not isinstance(value.get("values"), list):
        opening, closing = "{", "}"
        items = [f"{_flat(name)}: {lines(one, indent + '  ')}" for name, one in value.items()]
    elif isinstance(value, list) and any(isinstance(one, dict | list) for one in value):
        opening, closing = "[", "]"
        items = [lines(one, indent + "  ") for one in value]
    else:
        return _flat(value)
    if sum(map(len, items)) <= WIDTH and not any("\n" in item for item in items):
        return opening + ", ".join(items) + closing
    inner = f",\n{indent}  ".join(items)
    return f"{opening}\n{indent}  {inner}\n{indent}{closing}"


def _flat(value: Any) -> str:
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    return ACTS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def from_bytes(data: bytes) -> dict[str, Any]:
    """The document, if it is one of ours and whole; else a ValueError that says why not."""
    document = parse(data)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f'it is JSON, but not a model file: its "format" is not "{FORMAT}"')
    version = document.get("version")
    if type(version) is int and version > VERSION:
        raise ValueError(
            f"it has version {version} of the format, and this library knows {VERSION}; upgrade it"
        )
    if type(version) is not int or version < FIRST:
        raise ValueError(f"its version is {reprlib.repr(version)}, but there are only {FIRST} to {VERSION}")
    _check(data, document.get("checksum"))
    return document


def _find(data: bytes) -> "re.Match[bytes]":
    found = SUM.search(data)
    if found is None:
        raise ValueError(
            "its checksum is missing, or not as we write it: another program has rewritten the file"
        )
    return found


def _check(data: bytes, checksum: Any) -> None:
    found, digest = _find(data), hashlib.sha256()
    for part in (data[: found.start(1)], ZEROS, data[found.end(1) :]):
        digest.update(part)
    if digest.hexdigest().encode() != found[1] or checksum != f"sha256:{digest.hexdigest()}":
        raise ValueError(
            "its checksum does not match: it has been changed since it was written, or is damaged"
        )


def parse(data: bytes) -> Any:
    hooks: dict[str, Any] = {
        "object_pairs_hook": _object,
        "parse_int": _integer,
        "parse_constant": _constant,
    }
    try:
        return json.loads(data.decode(), **hooks)
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON, or only a part of it: {error}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"an object has two members named {reprlib.repr(twice)}")
    return members


def _integer(digits: str) -> int:
    if len(digits) > DIGITS + 1:  # and a sign
        raise ValueError(f"an integer has {len(digits)} digits, more than {DIGITS}")
    return int(digits)


def _constant(name: str) -> None:
    raise ValueError(f"it is not JSON: {name} is not a number there")
