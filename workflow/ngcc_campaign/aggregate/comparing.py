"""What rows of performance.csv say of one another: ratios, ties, differences, and the share of the empty call in them.

Rows are compared by their figures (timing.figure), and only where their cycles come from one kind of source.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TypeVar

from ..campaign.settings import YARDSTICK
from . import statistics, timing

# The field's yardstick gives the ratio column: pseudoXOF of the same digest width, whichever candidate has it.
YARDSTICK_CANDIDATES, YARDSTICK_INSTANCE = ("iccs", YARDSTICK), "pseudoXOF-{}"
OVERHEAD_SHARE = 0.01
# Marks of rows that are compared with nothing.
INCOMPARABLE = ("few", "remembers")
Key = TypeVar("Key")
Figure = tuple[float, float | None]  # with the half-width of its interval


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

    `floor` is the machine's noise floor, a share. The yardstick that joins by itself is no competitor, one row
    alone has no standing, and nobody has one where a row that is not judged costs less for certain.
    """
    groups: dict[tuple, list[dict]] = defaultdict(list)
    for row in _measured(rows):
        if row["candidate"] != YARDSTICK:
            groups[row["digest_bits"], row["message_bytes"], row["cycle_source"]].append(row)
    for group in groups.values():
        judged = _comparable(group)
        if len(judged) > 1 and not below(group, judged):
            _rank(judged, floor or 0.0)


def below(rows: list[dict], judged: list[dict]) -> list[dict]:
    """Of `rows`, those whose figure is an upper bound (few) below the least of the `judged`, the least first."""
    unit = timing.common_unit(rows)
    least = min(timing.figure(row, unit)[0] for row in judged)
    found = [row for row in rows if "few" in row["marks"] and "remembers" not in row["marks"]]
    return sorted(
        (row for row in found if timing.figure(row, unit)[0] < least), key=lambda row: timing.figure(row, unit)[0]
    )


def _rank(group: list[dict], floor: float) -> None:
    unit = timing.common_unit(group)
    best = min(group, key=lambda row: timing.figure(row, unit)[0])
    for row in group:
        if row is best:
            row["standing"] = "best"
        elif is_tied(row, best, unit, floor):
            row["standing"] = "tied"


def is_tied(row: dict, best: dict, unit: str, floor: float) -> bool:
    """Whether a row's figure can't be told from the least."""
    return are_one(timing.figure(best, unit), timing.figure(row, unit), floor)


def are_one(least: Figure, other: Figure, floor: float) -> bool:
    """Whether a figure can't be told from one that is not greater: intervals overlap, or `floor` covers the two."""
    (value, half_width), (greater, its_half_width) = least, other
    unknown = half_width is None or its_half_width is None
    return unknown or greater - its_half_width <= value + half_width or greater <= (1 + floor) * value


def places(costs: dict[Key, Figure], floor: float) -> dict[Key, int]:
    """The place of each cost, from 1 for the least: all that can't be told from the least of those left share one."""
    found: dict[Key, int] = {}
    left = sorted(costs, key=lambda key: costs[key][0])
    while left:
        tied = [key for key in left if key == left[0] or are_one(costs[left[0]], costs[key], floor)]
        found |= dict.fromkeys(tied, len(found) + 1)
        left = [key for key in left if key not in found]
    return found


def contrast(baseline: dict, candidate: dict, floor: float) -> dict:
    """What became of one row's figure in another campaign: both figures, their ratio, and the verdict on it.

    Verdicts: `slower` and `faster` where the interval of the ratio excludes 1 and the difference, as a share of the
    lesser figure, exceeds the noise floor; `same` where it does not, and `unjudged` where either is not known well
    enough to say. `reason` tells which of the two held for `same`, and why nothing is judged. A change whose reason is
    `few` is proved by an upper bound alone; its `ratio` is the one next to 1 that the figures allow, and has no width.

    Beside what performance.csv holds, a row has `unjudged`, why no difference of it is judged whatever its figures
    (empty: nothing speaks against it), and `rounding_ns` and `rounding_cycles`, by how much printed figures may be off.
    """
    unit = timing.common_unit((baseline, candidate))
    one, other = (_known(row, unit) for row in (baseline, candidate))
    ratio, half_width = statistics.quotient(*other, *one)
    rounding = ratio * sum(row[f"rounding_{unit}"] / figure[0] for row, figure in ((baseline, one), (candidate, other)))
    verdict, reason = "unjudged", _unknown(baseline, candidate, half_width)
    if not reason:
        verdict = "slower" if ratio > 1 else "faster"
        if abs(ratio - 1) <= half_width:
            verdict, reason = "same", "interval"
        elif max(ratio, 1 / ratio) - 1 <= floor:
            verdict, reason = "same", "noise floor"
    elif reason == "few" and (proved := _proved(baseline, candidate, unit, floor)):
        verdict, ratio = "slower" if proved > 1 else "faster", proved
    return {
        "unit": unit, "baseline_figure": one[0], "baseline_half_width": one[1], "candidate_figure": other[0],
        "candidate_half_width": other[1], "ratio": ratio, "ratio_half_width": half_width,
        "ratio_rounding": rounding, "verdict": verdict, "reason": reason,
    }  # fmt: skip


def _known(row: dict, unit: str) -> Figure:
    """A row's figure; one marked few has no half-width, which would only tell how steady the disturbance was."""
    value, half_width = timing.figure(row, unit)
    return value, None if "few" in row["marks"] else half_width


def _proved(baseline: dict, candidate: dict, unit: str, floor: float) -> float | None:
    """The ratio next to 1 that is left where one row's upper bound lies below the other's lower end; None elsewhere."""
    bounded = [row for row in (baseline, candidate) if "few" in row["marks"]]
    if len(bounded) != 1 or any("remembers" in row["marks"] for row in (baseline, candidate)):
        return None
    ends = [timing.figure(row, unit) for row in (bounded[0], candidate if bounded[0] is baseline else baseline)]
    if any(half_width is None for _, half_width in ends) or "clock:" in bounded[0]["disturbed_batches"]:
        return None
    most, least = ends[0][0] + ends[0][1], ends[1][0] - ends[1][1]
    if least <= (1 + floor) * most:
        return None
    return least / most if bounded[0] is baseline else most / least


def _unknown(one: dict, other: dict, half_width: float | None) -> str:
    """Why a difference between two rows can't be judged, in a word; empty where it can."""
    reasons = [row["unjudged"] for row in (one, other) if row["unjudged"]]
    reasons += [mark for mark in INCOMPARABLE if mark in one["marks"] or mark in other["marks"]]
    return next(iter(reasons), "no interval" if half_width is None else "")


def _is_yardstick(row: dict) -> bool:
    return row["candidate"] in YARDSTICK_CANDIDATES and row["instance"] == YARDSTICK_INSTANCE.format(row["digest_bits"])


def _measured(rows: list[dict]) -> list[dict]:
    return [row for row in rows if row["status"] == "MEASURED"]


def _comparable(rows: list[dict]) -> list[dict]:
    """Measured rows but for those marked few, as a neighbour's share in them is not known, or remembers."""
    return [row for row in _measured(rows) if not set(INCOMPARABLE) & set(row["marks"])]
