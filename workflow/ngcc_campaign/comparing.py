"""What rows of performance.csv say of one another: ratios, ties, and the share that the empty call has in them.

Rows are compared by their figures (timing.figure), and only where their cycles come from one kind of source.
"""

from __future__ import annotations

from collections import defaultdict

from . import statistics, timing
from .settings import YARDSTICK

# The field's yardstick gives the ratio column: pseudoXOF of the same digest width, whichever candidate has it.
YARDSTICK_CANDIDATES, YARDSTICK_INSTANCE = ("iccs", YARDSTICK), "pseudoXOF-{}"
OVERHEAD_SHARE = 0.01
# Rows with one of these marks are compared with nothing.
INCOMPARABLE = {"few", "remembers"}


def add_overhead(rows: list[dict], empty_call: dict) -> None:
    """The empty call's share of each figure, by time; above 1 % the row is marked. Nothing is subtracted."""
    if empty_call["status"] != "MEASURED":
        return
    empty, _ = timing.figure(empty_call, "ns")
    for row in _measured(rows):
        row["overhead_share"] = empty / timing.figure(row, "ns")[0]
        if row["overhead_share"] > OVERHEAD_SHARE:
            row["marks"].append("overhead")


def add_ratios(rows: list[dict]) -> None:
    """Cycles over those of the yardstick at the same width and length, with the half-width of the quotient."""
    yardsticks = {(row["digest_bits"], row["message_bytes"]): row for row in _comparable(rows) if _is_yardstick(row)}
    for row in _comparable(rows):
        yardstick = yardsticks.get((row["digest_bits"], row["message_bytes"]))
        if yardstick and row["cycle_source"] == yardstick["cycle_source"] != "none":
            own, its = timing.figure(row, "cycles"), timing.figure(yardstick, "cycles")
            # Against itself a row has no uncertainty.
            found = (1.0, 0.0) if row is yardstick else statistics.quotient(*own, *its)
            row["ratio_to_pseudoxof"], row["ratio_half_width"] = found


def add_standings(rows: list[dict], floor: float | None) -> None:
    """Of the rows of one width and length, which is the best, and which can't be told from it.

    `floor` is the machine's noise floor, a share. The yardstick that joins by itself is no competitor, and one
    row alone has no standing.
    """
    groups: dict[tuple, list[dict]] = defaultdict(list)
    for row in _comparable(rows):
        if row["candidate"] != YARDSTICK:
            groups[row["digest_bits"], row["message_bytes"], row["cycle_source"]].append(row)
    for group in groups.values():
        if len(group) > 1:
            _rank(group, floor or 0.0)


def _rank(group: list[dict], floor: float) -> None:
    unit = timing.common_unit(group)
    best = min(group, key=lambda row: timing.figure(row, unit)[0])
    for row in group:
        if row is best:
            row["standing"] = "best"
        elif is_tied(row, best, unit, floor):
            row["standing"] = "tied"


def is_tied(row: dict, best: dict, unit: str, floor: float) -> bool:
    """Whether a figure can't be told from the least: intervals overlap, or they differ by no more than `floor`."""
    (value, half_width), (least, its_half_width) = (timing.figure(one, unit) for one in (row, best))
    unknown = half_width is None or its_half_width is None
    return unknown or value - half_width <= least + its_half_width or value <= (1 + floor) * least


def _is_yardstick(row: dict) -> bool:
    return row["candidate"] in YARDSTICK_CANDIDATES and row["instance"] == YARDSTICK_INSTANCE.format(row["digest_bits"])


def _measured(rows: list[dict]) -> list[dict]:
    return [row for row in rows if row["status"] == "MEASURED"]


def _comparable(rows: list[dict]) -> list[dict]:
    """Measured rows but for those marked few, as a neighbour's share in them is not known, or remembers."""
    return [row for row in _measured(rows) if not INCOMPARABLE & set(row["marks"])]
