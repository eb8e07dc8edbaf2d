"""What is sound before a target damages it: a results folder and its documents, made once; and edits of JSON."""

from __future__ import annotations

import atexit
import json
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import forger
from fuzz.kit import Choices

ZOO = Path(__file__).parents[1] / "zoo"
# Numbers and texts at which readers err.
_STRANGE = (
    None, True, False, 0, -1, 1, 2, 3, 7, 8, 2**31, 2**53, 2**63, 2**64, -(2**63), 0.5, -0.0, 1e-308, 1e19, 1e308, "",
    "x", "0", "..", "../../x", "/", "\0", "\ud800", "\x1b[2J", "a\nb", "|", "`", "²", "٣", "0" * 64, "AB" * 32,
    "0000-00-00T00:00:00Z", "2026-11-30T13:16:29", "9999-12-31T23:59:59Z", "x" * 5000, [], {}, [[]], {"": {}},
)  # fmt: skip
_NUMBERS = (
    lambda value: 0, lambda value: 1, lambda value: value + 1, lambda value: value - 1, lambda value: 2 * value,
    lambda value: value // 2, lambda value: value * 1000, lambda value: -value, lambda value: 2**53,
    lambda value: 2**63,
)  # fmt: skip


@cache
def library() -> Path:
    """A shared library."""
    return _temporary() / "libsound.so"


@cache
def results() -> Path:
    """A results folder that passes the audit, beside that of another system."""
    place = _temporary() / "local"
    place.mkdir()
    forger.sound(place, library())
    forger.neighbour(place, place.with_name("other"))
    return place


@cache
def _temporary() -> Path:
    place = tempfile.TemporaryDirectory(prefix="ngcc-fuzz-sound-")
    atexit.register(place.cleanup)
    command = ["gcc", "-shared", "-fPIC", "-O2", "-D_GNU_SOURCE", ZOO / "mem_zeros.c"]
    subprocess.run([*command, "-o", f"{place.name}/libsound.so"], check=True)
    return Path(place.name)


def edit(document: object, choices: Choices) -> object:
    """Change one thing in a document of JSON: another value, none, one more, or two that change places."""
    place, parts = document, []
    while isinstance(place, dict | list) and place:
        key = choices.of(sorted(place) if isinstance(place, dict) else range(len(place)))
        parts.append((place, key))
        place = place[key]
        if parts and choices.number(7) == 0:
            break
    if not parts:
        return _value(choices)
    holder, key = parts[-1]
    match choices.number(7):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, json.loads(json.dumps(holder[key])))
        case 1:
            holder[choices.of(["new", "", "\ud800", "a\nb"])] = _value(choices)
        case 2 | 5 | 6 if isinstance(holder[key], int):
            holder[key] = choices.of(_NUMBERS)(holder[key])
        case 3 if isinstance(holder[key], str):
            at = choices.number(len(holder[key]))
            holder[key] = holder[key][:at] + choices.piece(3).decode("latin-1") + holder[key][at + choices.number(2) :]
        case 4:
            other, other_key = choices.of(parts)
            holder[key] = json.loads(json.dumps(other[other_key]))
        case _:
            holder[key] = _value(choices)
    return document


def _value(choices: Choices) -> object:
    value = choices.of(_STRANGE)
    if value == "x":
        return choices.piece(20).decode("utf-8", "replace")
    return choices.number(2**64 - 1) if value == 7 else value
