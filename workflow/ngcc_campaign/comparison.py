"""Ratios of measured cycles to those that are published for a named system."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from . import published
from .errors import Mistake
from .figures import NOT_MEASURED

_SCALES = {None: 1, "k": 1e3, "M": 1e6, "G": 1e9}


def load(folder: Path, system: str) -> Comparison:
    """What is published for `system` below `folder`; Mistake names the systems that there are."""
    if not (folder / system).is_dir():
        known = ", ".join(sorted(path.name for path in folder.glob("*/"))) or "none"
        raise Mistake(f"compare: nothing is published for system '{system}'; there are figures of: {known}.")
    figures = published.read(folder / system).performance
    return Comparison(system, {place: row["mean_cycles"] for place, row in figures.items()})


@dataclass(frozen=True)
class Comparison:
    """A system's published cycles, by candidate, instance and message bytes, that measured ones are divided by."""

    system: str
    cycles: dict[tuple[str, str, int], str]

    @property
    def title(self) -> str:
        return f"ratio to {self.system}"

    @property
    def note(self) -> str:
        return (
            f"The {self.title} is the mean cycles of this table over the cycles published for system {self.system}, "
            f"of the same candidate, instance and message; ≈ where the published figure is rounded too far for two "
            f"decimals, {NOT_MEASURED} where there is none. The two were measured by different programs."
        )

    def ratio(self, row: dict[str, str]) -> str:
        """The ratio for a row of performance.csv, with no more decimals than the published figure's rounding allows."""
        place = (row["candidate"], row["instance"], int(row["message_bytes"]))
        printed = as_number(self.cycles.get(place, ""))
        if printed is None or not row["mean_cycles"]:
            return NOT_MEASURED
        value, error = printed
        quotient = float(row["mean_cycles"]) / value
        decimals = next((count for count in (2, 1) if quotient * error / value <= 0.5 * 10**-count), 0)
        return f"{'' if decimals == 2 else '≈ '}{quotient:.{decimals}f}"


def as_number(printed: str) -> tuple[float, float] | None:
    """Cycles as printed (`50.7 k`), as a number and the half unit of its last digit; None where there is no figure."""
    match = re.fullmatch(r"(\d+)(?:\.(\d+))?(?: ([kMG]))?", printed)
    if match is None:
        return None
    whole, decimals, unit = match.groups()
    value = float(f"{whole}.{decimals or 0}") * _SCALES[unit]
    return (value, 0.5 * 10 ** -len(decimals or "") * _SCALES[unit]) if value else None
