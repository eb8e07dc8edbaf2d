"""Validation of what people write and of what stages leave behind."""

from __future__ import annotations

import difflib
import functools
import math
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import yaml

from .errors import Mistake

FOLDER = Path(__file__).parents[1] / "schemas"


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    schema = yaml.safe_load((FOLDER / f"{name}.schema.yaml").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def validate(document: object, name: str, where: object) -> None:
    """Check `document` against `schemas/<name>.schema.yaml`.

    Raises Mistake with one sentence that begins with `where` (a file's path, say) and names the key, what was
    found and what was expected; an unknown key is answered with the nearest known one.
    """
    for place, value in _numbers(document):
        if not math.isfinite(value):
            raise Mistake(f"{where}: {place}: {value} is no number to work with.")
    error = jsonschema.exceptions.best_match(_validator(name).iter_errors(document))
    if error is not None:
        raise Mistake(f"{where}: {_sentence(error)}")


def _numbers(document: object, place: str = "") -> Iterator[tuple[str, float]]:
    """All floats of a document with their place in it: schemas let NaN and infinity pass any limit."""
    if isinstance(document, float):
        yield place, document
    parts = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for name, part in parts:
        yield from _numbers(part, f"{place}.{name}" if place else str(name))


def _sentence(error: jsonschema.ValidationError) -> str:
    place = ".".join(str(part) for part in error.absolute_path)
    at = f"{place}: " if place else ""
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {})
        unknown = sorted(str(key) for key in error.instance if key not in known)[0]
        near = difflib.get_close_matches(unknown, known, n=1, cutoff=0.5)
        hint = f"did you mean '{near[0]}'?" if near else f"known keys: {', '.join(known)}."
        return f"{at}unknown key '{unknown}'; {hint}"
    if error.validator == "required":
        return f"{at}{error.message.replace(' is a required property', ' is missing')}."
    expected = error.schema.get("description")
    return f"{at}{error.message}" + (f"; expected: {expected}" if expected else ".")
