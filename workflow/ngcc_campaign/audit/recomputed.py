"""Whether the tables are what the product makes of the evidence, cell by cell, and their digests those of the files."""

from __future__ import annotations

import csv
import io
from itertools import zip_longest

from ..aggregate import aggregate, tables
from ..aggregate.stored import read_campaign
from ..common.errors import Mistake
from .findings import Findings
from .holdings import Holdings

# Statuses of a record that is there and gives no figure although nothing went wrong while timing.
WITHHELD = ("UNUSABLE", "STALE")


def check(holdings: Holdings, campaign: dict[str, str], candidates: list[str], findings: Findings) -> None:
    """Compute all tables of the campaign anew and compare; `campaign` is the row of campaign.csv."""
    try:
        stored = read_campaign(holdings.folder, candidates)
        rows = aggregate.rows(stored, campaign["evidence"], campaign["statement"])
    except Mistake as mistake:
        findings.fault(f"The tables cannot be computed again: {mistake}")
        return
    for name in tables.of(campaign["evidence"]):
        if f"tables/{name}.csv" in holdings:
            _compare(name, holdings.bytes(f"tables/{name}.csv"), tables.text(name, rows[name]), findings)
    for name in rows:
        for row in rows[name]:
            if row.get("status") in WITHHELD and row.get("record"):
                findings.fault(f"{row['record']}: {row['status']}: {row['reason']}.")


def _compare(name: str, found: bytes, expected: str, findings: Findings) -> None:
    """Note every cell in which a table differs from what it should be."""
    file = f"tables/{name}.csv"
    try:
        text = found.decode("utf-8")
        here, there = (list(csv.reader(io.StringIO(one, newline=""), strict=True)) for one in (text, expected))
    except (ValueError, csv.Error) as error:
        findings.fault(f"{file}: no readable table ({error}).")
        return
    findings.counts["cells"] += sum(map(len, there))
    findings.counts["tables"] += 1
    if text == expected:
        return
    if here == there:
        findings.fault(f"{file}: its cells are right, its bytes are not those of a table (quotes, line ends).")
    for number, (row, right) in enumerate(zip_longest(here, there), 1):
        if row is None or right is None:
            what = "is not there" if row is None else "follows from nothing"
            findings.fault(f"{file}: line {number} ({_name(row or right)}) {what}.")
            continue
        for column, (cell, value) in enumerate(zip_longest(row, right)):
            if cell != value:
                header = there[0][column] if column < len(there[0]) else column + 1
                place = f"{file}: line {number} ({_name(right)}), {header}"
                findings.fault(f"{place}: found {_quoted(cell)}, recomputed {_quoted(value)}.")


def _name(row: list[str]) -> str:
    return " ".join(row[:4])[:100]


def _quoted(cell: str | None) -> str:
    return "no cell" if cell is None else f"'{cell[:100]}'"


def digests(
    holdings: Holdings, stored: dict[str, list[dict[str, str]]], not_held: set[str], findings: Findings
) -> None:
    """Check each file that a table names with a SHA-256: columns X and X_sha256, or file and sha256."""
    for table, rows in stored.items():
        for row in rows:
            for column, cell in row.items():
                named = "file" if column == "sha256" else column.removesuffix("_sha256")
                if named == column or not (file := row.get(named)) or table == "kat" and named == "file":
                    continue
                if file in not_held:
                    findings.counts["digests of files not held"] += 1
                elif "/" in file or file == "host.json":
                    holdings.has_digest(file, cell, f"tables/{table}.csv")
