"""The page that says who comes first: the rows of ranking.csv, a table for each digest width."""

from __future__ import annotations

from ..aggregate import places
from ..aggregate.stored import in_order
from . import figures
from .figures import NOT_MEASURED
from .markdown import link
from .pages import Row, number

PLACE, MEAN = "place", "mean place"
# What stands on a place that several share.
SHARED = "="
# Headers of the metrics' columns by unit, and by name where all have the same unit.
_BY_UNIT = {"cycles/byte": "c/B", "ns": "time", "MB/s": "throughput", "place": MEAN}
_BY_NAME = {"stack": "stack bytes", "heap": "heap bytes", "elf_load": "ELF bytes"}
_TEXTS = {"cycles/byte": figures.tenths, "MB/s": figures.tenths, "ns": figures.time, "byte": figures.integer}
MEANINGS = {
    "c/B": "core cycles a byte of the message",
    "time": "of one call",
    "throughput": "10⁶ bytes a second",
    "stack bytes": "of a call, the most over all messages",
    "heap bytes": "of a call, the most over all messages",
    "ELF bytes": "of the library, loaded",
}


def context(rows: list[Row], candidates: list[str]) -> dict:
    """What ranking.md.j2 shows of the rows of ranking.csv; `candidates` are those that have a page."""
    by_width: dict[str, list[Row]] = {}
    for row in rows:
        by_width.setdefault(row["digest_bits"], []).append(row)
    ranked = {bits: own for bits, own in by_width.items() if any(row["place"] for row in own)}
    titles = {_name(row) for own in ranked.values() for row in own}
    return {
        "widths": [(f"{bits} bits", *_table(own, candidates)) for bits, own in ranked.items()],
        "unplaced": [(bits, ", ".join(by)) for bits, own in ranked.items() if (by := _unranked(own))],
        "alone": [f"{bits} bits" for bits in by_width if bits not in ranked],
        "competitors": in_order({row["candidate"] for row in rows}),
        "meanings": [f"{title}: {text}" for title, text in MEANINGS.items() if title in titles],
        "left_out": [line for own in ranked.values() for line in _left_out(own)],
    }


def _table(rows: list[Row], candidates: list[str]) -> tuple[list[str], list[tuple]]:
    """Header and rows of one width's table, in the order of the overall ranking."""
    metrics = [name for name in dict.fromkeys(row["metric"] for row in rows) if name != places.OVERALL]
    of = {(row["metric"], row["candidate"], row["instance"]): row for row in rows}
    order = [row for row in rows if row["metric"] == places.OVERALL]
    titles = [_title(next(row for row in rows if row["metric"] == name)) for name in metrics]
    table = [
        (
            _place(row) or NOT_MEASURED,
            link(row["candidate"], f"{row['candidate']}.md") if row["candidate"] in candidates else row["candidate"],
            row["instance"],
            figures.ratio(number(row, "value")),
            *(_cell(of[name, row["candidate"], row["instance"]]) for name in metrics),
        )
        for row in order
    ]
    return [PLACE, "candidate", "instance", MEAN, *titles], table


def _name(row: Row) -> str:
    return _BY_NAME.get(row["metric"]) or _BY_UNIT[row["unit"]]


def _title(row: Row) -> str:
    return f"{_name(row)} {row['message_bytes']} B" if row["message_bytes"] else _name(row)


def _place(row: Row) -> str:
    """`2`, or `2=` where several share the place; empty where there is none."""
    return f"{row['place']}{SHARED if int(row['shared']) > 1 else ''}" if row["place"] else ""


def _cell(row: Row) -> str:
    """The place by a metric, and the figure that gave it."""
    value = number(row, "value")
    if value is None:
        return NOT_MEASURED
    text = figures.with_width(_TEXTS[row["unit"]](value), value, number(row, "half_width"))
    return f"{_place(row) or NOT_MEASURED} · {text}"


def _unranked(rows: list[Row]) -> list[str]:
    """The metrics by which nobody of a width has a place, and for want of which nobody has one overall."""
    placed = {row["metric"] for row in rows if row["place"]} | {places.OVERALL}
    return list(dict.fromkeys(_title(row) for row in rows if row["metric"] not in placed))


def _left_out(rows: list[Row]) -> list[str]:
    """Who has no place by what, and why; metrics that share the reason in one line."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if row["reason"] and row["metric"] != places.OVERALL:
            groups.setdefault((row["candidate"], row["instance"], row["reason"]), []).append(_title(row))
    return [f"{candidate} {name}, {', '.join(by)}: {reason}" for (candidate, name, reason), by in groups.items()]
