"""The table of the index: a row an instance, with what sorting, filtering and bars go by.

They go by what the cells print: whatever two readers see as equal is equal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .. import marks, pages, summary
from ..pages import Row
from .sources import Sources

# Sizes of figures as they print; a unit that is absent counts 1.
_SCALES = {"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "k": 1e3, "M": 1e6, "G": 1e9}
_CELL = re.compile(r"(?P<figure>.*?)(?: (?P<width>± [\d.]+ %))?(?: (?P<standing>best|tied))?(?P<sign> \*)?")
_NUMBER = re.compile(r"(?:≈ )?(?P<number>\d+(?:\.\d+)?)(?: (?P<unit>ns|µs|ms|s|k|M|G))?")
# A bar as long as its cell stands for so many times the column's median, or for the greatest where that is less.
CAP = 4


@dataclass
class Cell:
    """A figure's parts as they print, its value to sort by, its bar as a share of the cell, and where it comes from."""

    figure: str
    width: str = ""
    standing: str = ""
    marks: str = ""
    value: float | None = None
    bar: float = 0.0
    longer: bool = False
    widths: bool = False  # whether the column has any
    source: str = ""


@dataclass(frozen=True)
class Line:
    candidate: str
    instance: str
    bits: str
    kat: str
    kat_source: str
    marks: str
    cells: list[Cell]


def lines(stored: dict[str, list[Row]], candidates: list[str], shown: dict, sources: Sources) -> list[Line]:
    """A line for each row of the summary that index.md has, which is `shown`; `sources` are those of its figures."""
    published = "published_kat" in stored
    instances = [
        row for name in candidates for row in pages.of(stored["published_kat" if published else "instances"], name)
    ]
    performance = [] if published else stored["performance"]
    marked = {
        (row["candidate"], row["instance"], row["message_bytes"]): row["marks"] for row in performance if row["marks"]
    }
    found = [
        _line(row, cells, shown["summary_header"], marked, sources)
        for row, cells in zip(instances, shown["summary"], strict=True)
    ]
    for column in zip(*(line.cells for line in found), strict=True):
        _add_bars(column)
        for cell in column:
            cell.widths = any(other.width for other in column)
    return found


def titles(shown: dict) -> list[str]:
    """The columns of figures."""
    return shown["summary_header"][3:]


def _line(row: Row, cells: tuple, header: list[str], marked: dict, sources: Sources) -> Line:
    place, own = (row["candidate"], row["instance"]), []
    for title, text in zip(header[3:], cells[3:], strict=True):
        parts = _CELL.fullmatch(str(text)).groupdict(default="")
        size = title.removesuffix(" B").rpartition(" ")[2] if parts["sign"] else ""
        parts["marks"] = marked.get((*place, size), "") if parts.pop("sign") else ""
        own.append(Cell(**parts, value=value(parts["figure"]), source=sources.figure(*place, title)))
    every = {mark for size in summary.SHOWN_BYTES for mark in marked.get((*place, size), "").split()}
    words = " ".join(mark for mark in marks.MEANINGS if mark in every)
    return Line(*place, row["digest_bits"], str(cells[2]), sources.verdict(*place), words, own)


def value(figure: str) -> float | None:
    """What a figure is as it prints; None where there is none."""
    match = _NUMBER.fullmatch(figure)
    return float(match["number"]) * _SCALES[match["unit"] or ""] if match else None


def _add_bars(column: tuple[Cell, ...]) -> None:
    values = sorted(cell.value for cell in column if cell.value is not None)
    if not values or not values[-1]:
        return
    full = min(values[-1], CAP * values[len(values) // 2] or values[-1])
    for cell in column:
        if cell.value is not None:
            cell.bar, cell.longer = round(min(cell.value / full, 1), 2), cell.value > full
