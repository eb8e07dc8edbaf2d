"""Whether every number for programs (summary.json) and papers (latex/*.tex) stands in the tables.

This module reads both by itself and shares no code with the stage that made them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .columns import COLUMNS, is_among, is_width, split
from .findings import Findings
from .holdings import Holdings
from .lookup import Row, Tables
from .reading import as_number, figures_in

SUMMARY = "report/summary.json"
# Members that say which rows the others are of.
_PLACE = ("candidate", "instance", "message_bytes")
_COSTS = COLUMNS["cycles/byte"] + COLUMNS["mean time"]
_COMMAND = re.compile(r"\\textsuperscript\{\w*\}|\{?\\scriptsize |\$\\pm\$|[{}]|\\\\$")


def check(holdings: Holdings, stored: dict[str, list[Row]], candidates: list[str], findings: Findings) -> None:
    """Look up every number of both in the tables `stored`."""
    tables = Tables(stored, None)
    summary = {name: part for name, part in holdings.documents.get(SUMMARY, {}).items() if name != "version"}
    for path, value, rows in _numbers(summary, (), {}, tables):
        column = next(part for part in reversed(path) if not part.isdecimal())
        there = any(as_number(row.get("value" if row.get("fact") == column else column, "")) == value for row in rows)
        findings.check("figures", there, f"{SUMMARY}: {'.'.join(path)}: {value} is not in the tables.")
    for candidate in candidates:
        file = f"report/latex/{candidate}.tex"
        if file in holdings:
            _paper(file, holdings.bytes(file).decode("utf-8", "replace"), candidate, tables, findings)


def _numbers(part: object, path: tuple, about: dict, tables: Tables) -> Iterator[tuple[tuple, float, list[Row]]]:
    """Every number below a part of a document: its place, its value, and the rows that the part is about."""
    if isinstance(part, dict):
        about = about | {name: part[name] for name in _PLACE if name in part}
    members = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, value in members:
        yield from _numbers(value, (*path, str(name)), about, tables)
    if isinstance(part, int | float) and not isinstance(part, bool):
        candidate, instance, size = (about.get(name) for name in _PLACE)
        yield path, part, tables.rows(candidate, instance, {str(size)} if size else set())


def _paper(file: str, text: str, candidate: str, tables: Tables, findings: Findings) -> None:
    """Look up the cells of the tables in a LaTeX file; a row without a name has the half-widths of the one before."""
    header, instance, lines = [], "", text.split("\n")
    for number, line in enumerate(lines, 1):
        first, *cells = (_plain(cell) for cell in line.split(" & "))
        if lines[number - 2] == r"\toprule":  # an instance may have the name of its column
            header = cells
        elif cells:
            instance = first or instance
            for title, cell in zip(header, cells, strict=False):
                named, sizes = split(title)
                rows, columns = tables.rows(candidate, instance, sizes), COLUMNS[named] if named else _COSTS
                for figure in figures_in(cell if first else f"{cell} %"):
                    there = is_among(figure, rows, columns) if first else is_width(figure, rows)
                    findings.check("figures", there, f"{file}: line {number}, {title}: {cell} is not in the tables.")


def _plain(cell: str) -> str:
    return _COMMAND.sub("", cell).replace(r"$\mu$", "µ").replace(r"\_", "_").strip()
