"""Whether a document conforms to a schema, fast: a record has thousands of numbers, jsonschema takes 50 µs for each.

A schema is made into nested functions once. A yes is true; a no means that jsonschema has to say, as there are keywords
that are not known here.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

Check = Callable[[object], bool]
_SILENT = {"$schema", "$id", "$defs", "title", "description"}
_TYPES = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None),
    "boolean": bool,
}  # fmt: skip
# What a keyword's number limits, of values of which type, and how.
_LIMITS = {
    "minimum": ("number", None, operator.ge),
    "maximum": ("number", None, operator.le),
    "exclusiveMinimum": ("number", None, operator.gt),
    "multipleOf": ("integer", None, lambda value, limit: value % limit == 0),
    "minItems": ("array", len, operator.ge),
    "maxItems": ("array", len, operator.le),
}


def compiled(schema: dict) -> Check:
    """A function that is true of no document but such as conform to `schema`."""
    known: dict[str, Check] = {}

    def check(part: dict) -> Check:
        if "$ref" in part:
            name = part["$ref"].removeprefix("#/$defs/")
            if name not in known:
                known[name] = check(schema["$defs"][name])
            others = {word: value for word, value in part.items() if word != "$ref"}
            return _all([known[name], *_checks(others, check)])
        return _all(_checks(part, check))

    return check(schema)


def _all(checks: list[Check]) -> Check:
    return checks[0] if len(checks) == 1 else lambda value: all(check(value) for check in checks)


def _checks(part: dict, check: Callable[[dict], Check]) -> list[Check]:
    words = part.keys() - _SILENT
    found = [_limit(word, part[word]) for word in words & _LIMITS.keys()]
    found += [make(part[word]) for word, make in _KEYWORDS.items() if word in words]
    if words & _OF_OBJECTS:
        found.append(_object(part, check))
    if "items" in words:
        one = check(part["items"])
        found.append(lambda value: not isinstance(value, list) or all(map(one, value)))
    if words - _LIMITS.keys() - _KEYWORDS.keys() - _OF_OBJECTS - {"items"}:
        found.append(lambda value: False)
    return found


def _is(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _type(kinds: str | list[str]) -> Check:
    if isinstance(kinds, str):
        return lambda value: _is(value, kinds)
    return lambda value: any(_is(value, kind) for kind in kinds)


def _limit(word: str, limit: float) -> Check:
    kind, size, holds = _LIMITS[word]
    if size is None:
        return lambda value: not _is(value, kind) or holds(value, limit)
    return lambda value: not _is(value, kind) or holds(size(value), limit)


def _pattern(pattern: str) -> Check:
    search = re.compile(pattern.replace("$", r"\Z"), re.ASCII).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _enum(listed: list) -> Check:
    return lambda value: any(type(value) is type(one) and value == one for one in listed)


_KEYWORDS = {"type": _type, "pattern": _pattern, "enum": _enum, "const": lambda one: _enum([one])}
_OF_OBJECTS = {"properties", "required", "additionalProperties"}


def _object(part: dict, check: Callable[[dict], Check]) -> Check:
    parts = {name: check(one) for name, one in part.get("properties", {}).items()}
    required, others = frozenset(part.get("required", ())), part.get("additionalProperties", True)
    other = check(others) if isinstance(others, dict) else lambda value: others

    def conforms(value: object) -> bool:
        return not isinstance(value, dict) or (
            required <= value.keys() and all(parts.get(name, other)(one) for name, one in value.items())
        )

    return conforms
