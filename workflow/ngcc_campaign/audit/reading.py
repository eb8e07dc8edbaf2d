"""Reading pages as their readers do: cells, and figures as they are printed."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

# What a unit stands for; figures in tables are in ns, bytes, KiB, cycles, Hz and shares of 1.
_SCALES = {
    "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9, "%": 0.01, "KiB": 1.0,
    "MiB": 1.0, "GHz": 1e9, "B": 1.0, "bytes": 1.0, "cycles": 1.0, "cycles/byte": 1.0, "MB/s": 1.0,
}  # fmt: skip
_TIMES = ("ns", "µs", "ms", "s")
_NUMBER = re.compile(
    r"(?<![\w.,/+-])(?P<sign>[-−+]?)(?P<digits>\d+(?:\.\d+)?)"
    r"(?: ?(?P<unit>ns|µs|ms|s|k|M|G|%|KiB|MiB|GHz|B|bytes|cycles/byte|cycles|MB/s)(?!\w))?"
    r"(?![\w/]|[.,-]\w)"
)
# What follows the first number of two that share a unit, as in `3.58 to 3.70 GHz`.
_SHARED = re.compile(r" ?(?:to|–|…) ?[-−]?\d+(?:\.\d+)? ?(ns|µs|ms|s|k|M|G|%|KiB|MiB|GHz)(?!\w)")
# What stands between a figure and its half-width; `26.2 k cycles ± 0.54 %` has the unit behind the scale.
_WIDTH_FOLLOWS = re.compile(r"(?: cycles)? ± ")


class Figure(NamedTuple):
    """A number as it is printed: its text and unit, its value in the unit of the tables, and that of its last digit."""

    text: str
    unit: str
    value: float
    step: float
    start: int
    end: int


def cells(line: str) -> list[str]:
    """The cells of a line of a pipe table, as a reader sees them."""
    return [plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def plain(text: str) -> str:
    """Text without the marks of Markdown: links are their words, backslashes go, entities are characters."""
    return html.unescape(re.sub(r"\\(?=[\W_])", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)))


def figures_in(text: str) -> list[Figure]:
    """The figures in a text; the first of two that share a unit has it, too."""
    found = []
    for match in _NUMBER.finditer(text):
        shared = None if match["unit"] else _SHARED.match(text, match.end())
        unit = shared[1] if shared else match["unit"] or ""
        sign = -1 if match["sign"] in ("-", "−") else 1
        step = 10.0 ** -len(match["digits"].partition(".")[2]) * _SCALES[unit]
        found.append(Figure(match[0], unit, sign * float(match["digits"]) * _SCALES[unit], step, *match.span()))
    return found


def with_widths(found: list[Figure], text: str) -> list[tuple[Figure, Figure | None]]:
    """Figures, each with the one behind its ±; those behind one don't stand alone."""
    pairs: list[tuple[Figure, Figure | None]] = []
    for figure in found:
        before = pairs[-1][0] if pairs else None
        if before and _WIDTH_FOLLOWS.fullmatch(text, before.end, figure.start):
            pairs[-1] = (before, figure)
        else:
            pairs.append((figure, None))
    return pairs


def numbers(cells: Iterable[str]) -> list[float]:
    found = (number for cell in cells for number in (cell.split(" ") if len(cell) < 60 else ()))
    return [value for text in found if re.match(r"-?\d", text) and (value := as_number(text)) is not None]


@cache
def as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def rounds_to(figure: Figure, value: float) -> bool:
    """Whether `value` prints as the figure: within half a unit of its last digit, KiB rounded down.

    Times are printed with three significant digits and without zeros at their end.
    """
    step = figure.step
    if figure.unit in _TIMES and figure.value:
        step = min(step, 10.0 ** (math.floor(math.log10(abs(figure.value))) - 2))
    if figure.unit == "KiB":
        return 0 <= value - figure.value < 1
    return abs(value - figure.value) <= step / 2 * (1 + 1e-9)
