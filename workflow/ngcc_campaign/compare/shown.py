"""A comparison as a terminal shows it: what differs in the setting, then changed rows first, noise in grey."""

from __future__ import annotations

import os
from collections import Counter
from typing import TextIO

import tabulate

from ..common.printable import printable
from ..published import comparison
from ..render import figures
from ..render.figures import NOT_MEASURED

SIDES = ("baseline", "candidate")
HEADER = ("instance", "message", "baseline", "candidate", "ratio", "change", "verdict")
# What a verdict, or the reason for it, says.
MEANINGS = {
    "interval": "the interval of the ratio holds 1",
    "noise floor": "no more than a library differs from itself",
    "few": "hardly any undisturbed batches, so that the figure is an upper bound; a change that it proves is the least",
    "remembers": "calls cost more where messages differ, as if answers were remembered",
    "no interval": "one trial, no interval",
    "published": "published figures have no interval",
    "emulated": "an emulator ran the programs",
}
WORDS = {"slower": "slower", "faster": "faster", "same": "same", "unjudged": "not judged"}
SAME_SETTING = "The settings do not differ: host, kernel, compiler, flags, libraries, driver and plan are the same."
_COLOURS = {"slower": "31", "faster": "32", "same": "90", "unjudged": "90"}
_SHARE = 0.05  # of unchanged rows, those whose interval misses 1
_MENTIONED = 5  # instances of a difference in the setting


def has_colours(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user hasn't refused colours (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def text(found: dict, colours: bool = False) -> str:
    """A comparison (contrasts.document) in lines."""
    parts = [
        *(f"{side}: {_side(found[side])}" for side in SIDES),
        "",
        *_setting(found["setting"], len({name(row) for row in found["rows"]})),
        "",
        *basis(found),
        "",
        _rows(found["rows"], colours),
        "",
        *_one_sided(found),
        count(found),
        *(f"{word}: {meaning}" for word, meaning in meanings(found)),
        *chance(found),
        *gate(found),
    ]
    return "\n".join(parts)


def name(row: dict) -> str:
    return printable(f"{row['candidate']}/{row['instance']}")


def _side(side: dict) -> str:
    floor = "" if side["noise_floor"] is None else f"; noise floor {figures.uncertainty(side['noise_floor'])}"
    return f"{title(side)}, {side['evidence']}{floor} (given as {printable(side['name'])})"


def title(side: dict) -> str:
    """What a result set is called: its system, and when it was measured."""
    return printable(" ".join(filter(None, (side["system"], side["dates"]))))


def _setting(differing: list[dict], instances: int) -> list[str]:
    if not differing:
        return [SAME_SETTING]
    rows = [(fact(one, instances), printable(one["baseline"]), printable(one["candidate"])) for one in differing]
    table = tabulate.tabulate(
        rows, ["setting", "baseline", "candidate"], "simple", disable_numparse=True, maxcolwidths=[28, 44, 44]
    )
    return ["What differs in the setting, any of which may be what a ratio shows:", "", table]


def fact(one: dict, instances: int) -> str:
    """What differs, and in which instances where it is not all of so many that are compared."""
    own = one["instances"]
    if len(own) in (0, instances):
        return printable(one["fact"])
    more = f" and {len(own) - _MENTIONED} more" if len(own) > _MENTIONED else ""
    return printable(f"{one['fact']} of {', '.join(own[:_MENTIONED])}{more}")


def basis(found: dict) -> list[str]:
    """In what unit figures are compared, and by which noise floor."""
    kinds = Counter((row["unit"], row["cycle_source"]) for row in found["rows"])
    told = [
        f"{count} in cycles ({source})" if unit == "cycles" else f"{count} in time, as cycles are not of one kind"
        for (unit, source), count in kinds.most_common()
    ]
    return [f"Rows compared: {', '.join(told)}.", _floor(found)]


def _floor(found: dict) -> str:
    if found["counts"]["unjudged"] == len(found["rows"]):
        return "No row can be judged: differences are shown as they are."
    if found["noise_floor"] is None:
        return "No noise floor is known: intervals alone decide."
    floor = figures.uncertainty(found["noise_floor"])
    return f"Noise floor: {floor}, the greater of those known; no finer difference counts."


def cells(row: dict) -> tuple:
    """A row's cells under HEADER."""
    show = figures.cycles if row["unit"] == "cycles" else figures.time
    costs = (
        figures.with_width(show(row[f"{side}_figure"]), row[f"{side}_figure"], row[f"{side}_half_width"])
        for side in SIDES
    )
    ratio = comparison.with_known_decimals(row["ratio"], row["ratio_rounding"])
    change = NOT_MEASURED if ratio.startswith("≈") else figures.change(row["ratio"] - 1)
    if row["verdict"] != "unjudged" and row["reason"] == "few":
        ratio, change = f"{'≥' if row['ratio'] > 1 else '≤'} {ratio}", f"at least {change}"
    return (
        name(row),
        f"{row['message_bytes']} B",
        *costs,
        figures.with_width(ratio, row["ratio"], row["ratio_half_width"]),
        change,
        _verdict(row),
    )


def _verdict(row: dict) -> str:
    """A verdict in words, with the reason where there is one."""
    word = WORDS[row["verdict"]]
    return f"{word}: {row['reason']}" if row["reason"] else word


def _rows(rows: list[dict], colours: bool) -> str:
    table = [[_coloured(cell, row["verdict"]) if colours else cell for cell in cells(row)] for row in rows]
    return tabulate.tabulate(table, HEADER, "simple", disable_numparse=True, colalign=("left", *["right"] * 5, "left"))


def _coloured(cell: str, verdict: str) -> str:
    return f"\033[{_COLOURS[verdict]}m{cell}\033[0m"


def one_sided(found: dict) -> list[tuple[str, str, str, str]]:
    """Rows in only one of the two: its side, the instance, its messages, and why the other side has no figure."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for side in SIDES:
        for row in found[f"{side}_only"]:
            groups.setdefault((side, name(row), printable(row["reason"])), []).append(str(row["message_bytes"]))
    return [(side, place, f"{', '.join(sizes)} B", reason) for (side, place, reason), sizes in groups.items()]


def _one_sided(found: dict) -> list[str]:
    lines = [
        f"only the {side} has {place} at {sizes} ({SIDES[1 - SIDES.index(side)]}: {reason})"
        for side, place, sizes, reason in one_sided(found)
    ]
    return [*lines, ""] if lines else []


def count(found: dict) -> str:
    """How many rows changed."""
    counts = found["counts"]
    return (
        f"{counts['slower']} slower, {counts['faster']} faster, {counts['same']} not to be told apart,"
        f" {counts['unjudged']} not judged, of {len(found['rows'])} rows."
    )


def meanings(found: dict) -> list[tuple[str, str]]:
    """The reasons that rows have, each with what it says."""
    there = {row["reason"] for row in found["rows"]}
    return [(word, meaning) for word, meaning in MEANINGS.items() if word in there]


def chance(found: dict) -> list[str]:
    """How far chance alone goes, where something changed."""
    judged = len(found["rows"]) - found["counts"]["unjudged"]
    if not (found["counts"]["slower"] + found["counts"]["faster"] and judged * _SHARE >= 1):
        return []
    return [
        f"By chance alone about {judged * _SHARE:.0f} of {judged} intervals of 95 % miss 1: a few changes little above"
        " the noise floor are no finding."
    ]


def gate(found: dict) -> list[str]:
    """What `fail_above` says of the comparison."""
    limit = found["fail_above"]
    if limit is None:
        return []
    if not found["failed"]:
        return [f"fail_above: no row that can be judged is slower by more than {limit:g} %."]
    named = [f"{name(row)} at {row['message_bytes']} B" for row in found["failed"]]
    return [f"fail_above: slower by more than {limit:g} %: {', '.join(named)}."]
