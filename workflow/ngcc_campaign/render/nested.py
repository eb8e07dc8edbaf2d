"""The tables of a report as one document, report/summary.json: the same cells, by candidate, instance and message.

Its schema says which columns of a table are taken, in which order, and which of them are numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from ..common import schemas
from . import pages
from .pages import Row

NAME = "summary.json"
SCHEMA = "summary"
# The tables that have rows of one instance.
_OF_INSTANCES = ("kat", "performance", "memory", "published_kat", "published_performance")
_NUMBERS = ("count", "figure")
# Kinds of members that are cells; the others are made of rows.
_CELLS = ("text", "yes_or_no", "sha256", "words", *_NUMBERS)


def document(stored: dict[str, list[Row]], candidates: list[str]) -> dict:
    """What summary.json holds of the tables `stored`, of those `candidates` that the report shows.

    Raises Mistake that names the member where a table has a cell that no stage writes.
    """
    (campaign,) = stored["campaign"]
    shown = {"", *candidates}
    found = {"schema": f"ngcc-perf/{SCHEMA}", "version": schemas.expected_version(SCHEMA)}
    found |= _cells(schemas.schema(SCHEMA), campaign) | {
        "fit": None if campaign["evidence"] == "published" else not stored["unfit"],
        "unfit": _rows("unfit", stored.get("unfit", ())),
        "environment": _facts("environment", stored),
        "plan": _facts("plan", stored),
        "candidates": [_candidate(stored, row) for row in stored["candidates"] if row["candidate"] in shown],
        "missing": _rows("missing", (row for row in stored["missing"] if row["candidate"] in shown)),
        "published_environment": _rows("published_environment", stored.get("published_environment", ())),
    }
    schemas.validate(found, SCHEMA, f"report/{NAME}")
    return found


def _candidate(stored: dict[str, list[Row]], row: Row) -> dict:
    own = {name: pages.of(stored.get(name, []), row["candidate"]) for name in ("instances", *_OF_INSTANCES)}
    instances = [_instance(own, one) for one in own["instances"] or own["published_kat"]]
    return _cells(_definition("candidates"), row) | {"instances": instances}


def _instance(own: dict[str, list[Row]], row: Row) -> dict:
    """One of a candidate's instances; `own` are the candidate's rows, by table."""
    of = {name: [one for one in own[name] if one["instance"] == row["instance"]] for name in _OF_INSTANCES}
    if not own["instances"]:  # what else is published of it stands in the rows
        row = {name: row[name] for name in ("instance", "digest_bits")}
    return _cells(_definition("instances"), row) | {"rows": {name: _rows(name, rows) for name, rows in of.items()}}


def _rows(table: str, rows: Iterable[Row]) -> list[dict]:
    return [_cells(_definition(table), row) for row in rows]


def _definition(name: str) -> dict:
    return schemas.schema(SCHEMA)["$defs"][name]


def _facts(part: str, stored: dict[str, list[Row]]) -> dict:
    """Every distinct value of some facts: as the host tells them, or else builds, or records of the whole campaign."""
    known: dict[str, tuple[str, list[str]]] = {}
    for row in stored.get("environment", ()):
        if row["value"] and (row["source"] == "build" or not row["candidate"]):
            source, values = known.setdefault(row["fact"], (row["source"], []))
            if source == row["source"] and row["value"] not in values:
                values.append(row["value"])
    found = {}
    for fact, told in _definition(part)["properties"].items():
        values = known.get(fact, ("", []))[1]
        found[fact] = list(map(_number, values)) if told["$ref"].endswith("/numbers") else values
    return found


def _cells(definition: dict, row: Row) -> dict:
    """The cells of a row by the columns that a part of the schema names, as what it says that they are."""
    kinds = {name: told.get("$ref", "").rpartition("/")[2] for name, told in definition["properties"].items()}
    return {name: _value(row.get(name, ""), kind) for name, kind in kinds.items() if kind in _CELLS}


def _value(cell: str, kind: str) -> object:
    if kind == "words":
        return cell.split()
    if not cell:
        return None
    if kind == "yes_or_no":
        return {"yes": True, "no": False}.get(cell, cell)
    return _number(cell) if kind in _NUMBERS else cell


def _number(cell: str) -> float | str | None:
    """A cell's number, whole where it is written so, None where it is not finite; a text where it is none."""
    try:
        value = int(cell) if cell.isdecimal() else float(cell)
    except ValueError:
        return cell
    return value if math.isfinite(value) else None
