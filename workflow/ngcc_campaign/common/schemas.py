"""Validation of what people write and of what stages leave behind."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterator

import jsonschema
import yaml

from . import conforms
from .errors import Mistake
from .root import SCHEMAS

# Quick, where PyYAML was built with libyaml.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Of a value that is quoted in a sentence, so many characters are shown.
QUOTED = 200
# Lists and mappings in one another; evidence has at most eight.
DEEPEST = 40


def _is_integer(checker: jsonschema.TypeChecker, value: object) -> bool:
    """An integer by how it is written: 256, not 256.0."""
    return isinstance(value, int) and not isinstance(value, bool)


def _pattern(validator, pattern: str, value: object, schema: dict) -> Iterator[jsonschema.ValidationError]:
    """As in ECMAScript: `$` is the very end, which no line end may follow, and `\\d` one of ten digits."""
    if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value, re.ASCII):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": _pattern},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return _Validator(yaml.load((SCHEMAS / f"{name}.schema.yaml").read_bytes(), LOADER))


def schema(name: str) -> dict:
    """What `schemas/<name>.schema.yaml` says."""
    return _validator(name).schema


def expected_version(name: str) -> int:
    """The version of documents that `schemas/<name>.schema.yaml` describes."""
    return schema(name)["properties"]["version"]["const"]


@functools.cache
def _quick(name: str) -> conforms.Check:
    return conforms.compiled(_validator(name).schema)


def validate(document: object, name: str, where: object) -> None:
    """Check `document` against `schemas/<name>.schema.yaml`.

    Raises Mistake with one sentence that begins with `where` (a file's path, say) and names the key, what was
    found and what was expected; an unknown key is answered with the nearest known one.
    """
    for place, value in leaves(document, where):
        if isinstance(value, int | float) and not abs(value) < 2**64:
            raise Mistake(f"{where}: {place}: {short(value)} is no number to work with.")
    if _quick(name)(document):
        return
    error = jsonschema.exceptions.best_match(_validator(name).iter_errors(document))
    if error is not None:
        raise Mistake(f"{where}: {_sentence(error, _validator(name).schema)}")


def short(value: object) -> str:
    """A value as a sentence quotes it, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python prints no number of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def leaves(document: object, where: object) -> Iterator[tuple[str, object]]:
    """All that is neither list nor mapping in a document, with its place in it.

    For what schemas let pass: NaN, infinity and 10^400 keep most limits. Raises Mistake where lists and mappings go
    deeper than any schema, which is more than what quotes and compares values can bear.
    """
    waiting = [("", document, 0)]
    while waiting:
        place, value, depth = waiting.pop()
        if not isinstance(value, dict | list):
            yield place, value
        elif depth == DEEPEST:
            raise Mistake(f"{where}: {place[:QUOTED]}: it is nested too deeply.")
        else:
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [(f"{place}.{name}" if place else str(name), part, depth + 1) for name, part in parts]


def _sentence(error: jsonschema.ValidationError, schema: dict) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    at = f"{place}: " if place else ""
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {})
        unknown = sorted(str(key) for key in error.instance if key not in known)[0][:QUOTED]
        near = difflib.get_close_matches(unknown, known, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}."
        return f"{at}unknown key '{unknown}'; {hint}"
    if error.validator == "required":
        return f"{at}{error.message.replace(' is a required property', ' is missing')}."
    message = error.message.replace(repr(error.instance), short(error.instance))
    expected = _description(error, schema)
    if error.validator == "type" and expected and "schema" not in schema["properties"]:  # evidence describes itself
        message = f"found {short(error.instance)}"
    if error.validator == "pattern" and expected:
        message = f"{short(error.instance)} does not match"
    return f"{at}{message}" + (f"; expected: {expected}" if expected else ".")


def _description(error: jsonschema.ValidationError, schema: dict) -> str:
    """What the schema says of the property that the error is about; empty where it says nothing."""
    found, node = schema.get("description", ""), schema
    for part in error.absolute_schema_path:
        if isinstance(node, dict) and "$ref" in node and part not in node:  # a path leaves references out
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
        node = node[part]
        if part == "properties":
            found = ""
        elif isinstance(node, dict) and isinstance(node.get("description"), str):
            found = node["description"]
    return found
