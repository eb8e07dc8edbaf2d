"""Ratios of the cycles of a report to those that are published for a named system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..common.errors import Mistake
from ..render import pages
from ..render.figures import NOT_MEASURED
from . import published

_CYCLES = {None: 1, "k": 1e3, "M": 1e6, "G": 1e9}
_TIMES = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
Row = dict[str, str]
Place = tuple[str, str, int]


def load(folder: Path, system: str) -> Comparison:
    """What is published for `system` below `folder`; Mistake names the systems that there are."""
    if not (folder / system).is_dir():
        known = ", ".join(published.systems(folder)) or "none"
        raise Mistake(f"compare: nothing is published for system '{system}'; there are figures of: {known}.")
    figures = published.read(folder / system).performance
    return Comparison(system, {place: row["mean_cycles"] for place, row in figures.items()})


@dataclass(frozen=True)
class Comparison:
    """A system's published cycles, by candidate, instance and message bytes, that those of a report are divided by.

    `reprinted` is the system whose published figures the report shows, where none are measured.
    """

    system: str
    cycles: dict[Place, str]
    reprinted: str = ""

    @property
    def title(self) -> str:
        return f"ratio to {self.system}"

    def beside(self, rows: list[Row]) -> tuple[list[str], str]:
        """A ratio for each row of a table of performance, and a sentence on them; no ratio, and why, where none is."""
        ratios = [self.ratio(row) for row in rows]
        if self.system == self.reprinted:
            return [], f"No {self.title}: the figures here are those published for system {self.system}."
        if any(ratio != NOT_MEASURED for ratio in ratios):
            return ratios, self._note
        known = sorted({candidate for candidate, _, _ in self.cycles})
        if any(self._printed(row) for row in rows):
            return [], f"No {self.title}: there are no cycles here to divide."
        asked = ", ".join(dict.fromkeys(row["candidate"] for row in rows)) or "no candidate"
        return [], f"No {self.title}: for system {self.system}, {', '.join(known)} are published, and not {asked}."

    @property
    def _note(self) -> str:
        own = "mean over undisturbed batches (over all calls where a row is marked few), in cycles,"
        caution = "The two were measured by different programs"
        if self.reprinted:
            own, caution = "mean cycles here", "Both are reprints, of different machines, and rounded as printed"
        return (
            f"The {self.title} is the {own} over the cycles published for system {self.system}, of the same candidate, "
            f"instance and message; ≈ where figures are rounded too far for two decimals, {NOT_MEASURED} where there "
            f"is none. {caution}."
        )

    def ratio(self, row: Row) -> str:
        """The ratio for a row, with no more decimals than the rounding of published figures allows."""
        printed = self._printed(row)
        own = as_number(row["mean_cycles"]) if self.reprinted else _figure(row)
        if printed is None or own is None:
            return NOT_MEASURED
        quotient = own[0] / printed[0]
        return with_known_decimals(quotient, quotient * (own[1] / own[0] + printed[1] / printed[0]))

    def _printed(self, row: Row) -> tuple[float, float] | None:
        place = (row["candidate"], row["instance"], int(row["message_bytes"]))
        return as_number(self.cycles.get(place, ""))


def _figure(row: Row) -> tuple[float, float] | None:
    """The figure of a row that comparisons take, in cycles, which nothing has rounded."""
    cycles = pages.number(row, pages.figure_column(row, "cycles"))
    return (cycles, 0.0) if cycles else None


def with_known_decimals(ratio: float, rounding: float) -> str:
    """A ratio with no more decimals than the rounding of its figures allows, which may move it so far."""
    decimals = next((count for count in (2, 1) if rounding <= 0.5 * 10**-count), 0)
    return f"{'' if decimals == 2 else '≈ '}{ratio:.{decimals}f}"


def as_number(printed: str) -> tuple[float, float] | None:
    """Cycles as printed (`50.7 k`), as a number and the half unit of its last digit; None where there is no figure."""
    return _parsed(printed, _CYCLES)


def as_nanoseconds(printed: str) -> tuple[float, float] | None:
    """The same of a time as printed (`18.8 µs`)."""
    return _parsed(printed, _TIMES)


def _parsed(printed: str, scales: dict[str | None, float]) -> tuple[float, float] | None:
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?(?: (\S+))?", printed)
    if match is None or match[3] not in scales:
        return None
    whole, decimals, unit = match.groups()
    value = float(f"{whole}.{decimals or 0}") * scales[unit]
    return (value, 0.5 * 10 ** -len(decimals or "") * scales[unit]) if value else None
