"""The C reader of one member agrees with Python's json on whatever json.dumps(indent=2) wrote."""

from __future__ import annotations

import ctypes
import json

from fuzz.kit import Choices
from fuzz.native_library import modules

SEEDS = [
    bytes([3, 1, 4]) + b"name" + bytes([0, 6]) + b"value\n" + bytes([1, 1, 98, 2, 9, 9, 9, 9, 9, 9, 9, 9]),
    bytes([0, 2, 2]) + 'é"'.encode() + bytes([0, 8]) + '😀\\u0'.encode() + bytes([1, 1, 98, 3, 200, 5]),
    bytes([1, 2, 1]) + b"a" + bytes([4, 1, 1, 98, 5]),
]  # fmt: skip
_CAPACITY = 200


def target(data: bytes) -> None:
    choices, document = Choices(data), {}
    ascii_only = bool(choices.number(1))
    for _ in range(choices.number(8)):
        document[_text(choices, 20)] = _value(choices)
    text = json.dumps(document, indent=2, ensure_ascii=ascii_only) + "\n"
    for name, value in document.items():
        if "\0" not in name:
            stands = json.dumps(name, ensure_ascii=ascii_only) == f'"{name}"'
            _check(text, name, value, stands)
    assert _field(text, "no such name") is None or "no such name" in document


def _text(choices: Choices, most: int) -> str:
    return choices.piece(most).decode(choices.of(["utf-8", "latin-1", "utf-16-le"]), "replace")


def _value(choices: Choices) -> object:
    kind = choices.number(5)
    return (_text(choices, 255), choices.number(2**63), choices.number(999) / 8, kind == 3, None, [1, {"a": "b"}])[kind]


def _check(text: str, name: str, value: object, stands: bool) -> None:
    """`stands`: the name stands in the text as it is, as all names of our own documents do; others aren't found."""
    found = _field(text, name)
    if not stands:
        assert found is None
    elif isinstance(value, str):
        fits = "\0" not in value and len(value.encode()) < _CAPACITY
        assert found == (value if fits else None), (found, value)
    else:
        assert found == (None if isinstance(value, list) else json.dumps(value)), (found, value)


def _field(text: str, name: str) -> str | None:
    value = ctypes.create_string_buffer(_CAPACITY)
    found = modules().json_field(text.encode(), name.encode(), value, ctypes.c_size_t(_CAPACITY))
    return value.value.decode() if found == 0 else None
