"""What the plots of a candidate's page show: rows of the tables, and batches of the records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import pages, summary, timings
from ..pages import Row, number, whole
from . import batches, names, specs

Say = Callable[[str], str]
# Titles of the columns whose cells a reader sees who points at a figure: the exact row.
TOLD = ("instance", "message", "mean cycles", "cycles/byte", "mean time", "MB/s", "n", "±", "undisturbed", "marks")


@dataclass(frozen=True)
class Plot:
    """A plot of a page: its words, in English, and its specification in the language of whoever says its words.

    `spec` is None where there is nothing to see. `table` is the number of the table that has the figures.
    """

    name: str
    title: str
    told: str
    table: str
    spec: Callable[[Say], dict] | None


def of(results: Path, stored: dict[str, list[Row]], candidate: str, shown: dict) -> list[Plot]:
    """The plots of a candidate; `shown` is what its Markdown page shows."""
    cells = [dict(zip(shown["timings_header"], row, strict=True)) for row in shown["timings"]]
    if "published_performance" in stored:
        performance = pages.of(stored["published_performance"], candidate)
        return [_cost(_published(performance, cells), summary.CYCLES), _memory(_images(performance))]
    performance = pages.of(stored["performance"], candidate)
    unit = summary.cost(stored["performance"])
    return [
        _cost(_measured(performance, cells, unit), unit),
        _trials(*batches.points(results, performance)),
        _memory(_parts(pages.of(stored["memory"], candidate))),
    ]


def _cost(rows: list[dict], unit: str) -> Plot:
    title = "cycles/byte" if unit == summary.CYCLES else "mean time of a call (ns)"
    told = "A line falls and flattens as the fixed cost of a call spreads over more bytes; lower is faster. "
    if unit != summary.CYCLES:
        told = "A line rises as a message has more bytes; lower is faster. "
    told += _extremes(rows)
    told += "Bands and bars are 95 % intervals." if any("low" in row for row in rows) else "No intervals are known."
    told += " A hollow point is a row marked few, an upper bound." if any(row["few"] for row in rows) else ""
    return Plot(
        names.PLOTS[0],
        f"{title[0].upper()}{title[1:]} against message length",
        told,
        "Table 4",
        (lambda say: specs.cost(rows, title, say)) if rows else None,
    )


def _extremes(rows: list[dict]) -> str:
    """The least and the greatest figure at 1 KiB, as they print."""
    own = sorted((row for row in rows if row["bytes"] == 1024), key=lambda row: row["cost"])
    if not own:
        return ""
    what = "cycles/byte" if own[0]["told"].get("cycles/byte", "–") != "–" else "mean time"
    unit = " cycles/byte" if what == "cycles/byte" else ""
    least, most = (f"{row['told'][what]}{unit} ({row['instance']})" for row in (own[0], own[-1]))
    return f"At 1024 B: {least}. " if len(own) == 1 else f"At 1024 B: from {least} to {most}. "


def _told(cells: dict) -> dict:
    return {title: str(cells[title]) for title in TOLD if cells.get(title)}


def _measured(performance: list[Row], cells: list[dict], unit: str) -> list[dict]:
    """Figures over all calls, in cycles per byte or ns a call, with the ends of their intervals where those print."""
    found = []
    for row, told in zip(performance, cells, strict=True):
        column, divisor = ("cycles", int(row["message_bytes"])) if unit == summary.CYCLES else ("ns", 1)
        mean, half = number(row, f"mean_{column}"), number(row, f"half_width_{column}")
        if mean is None:
            continue
        place = {"instance": row["instance"], "bytes": int(row["message_bytes"]), "few": timings.is_few(row)}
        point = place | {"cost": mean / divisor}
        if half is not None and half < mean and not point["few"]:
            point |= {"low": (mean - half) / divisor, "high": (mean + half) / divisor}
        found.append(point | {"told": _told(told)})
    return found


def _published(performance: list[Row], cells: list[dict]) -> list[dict]:
    """Figures as printed."""
    return [
        {
            "instance": row["instance"],
            "bytes": int(row["message_bytes"]),
            "cost": float(row["cycles_per_byte"]),
            "few": False,
            "told": _told(told),
        }
        for row, told in zip(performance, cells, strict=True)
        if row["cycles_per_byte"] and float(row["cycles_per_byte"]) > 0
    ]


def _trials(points: list[dict], there: int) -> Plot:
    disturbed = sum(bool(point["words"]) for point in points)
    shown = f"all {there} batches" if len(points) == there else f"{len(points)} of {there} batches, evenly taken"
    told = (
        f"Each tick is a batch, each column of ticks a trial: {shown}. What spreads within a column differs inside a"
        " process, what differs between columns, between processes. Of those shown, something speaks against"
        f" {disturbed}, which have the other colour and are left out of undisturbed means."
    )
    return Plot(
        names.PLOTS[1],
        "Trials and batches: how far each is from the row's figure, in %",
        told,
        "Table 4d",
        (lambda say: specs.trials(points, say)) if points else None,
    )


def _memory(rows: Sequence[dict]) -> Plot:
    published = any(row["part"] == "ELF image" for row in rows)
    told = (
        "The library's image as it is loaded; stack and heap of a call are not published."
        if published
        else "The library's parts, and the greatest stack and heap of a call over all message lengths."
    )
    table = "Table 5a" if published else "Table 5b"
    spec = (lambda say: specs.memory(rows, say)) if rows else None
    return Plot(names.PLOTS[2], "Memory", told, table, spec)


def _parts(memory: list[Row]) -> list[dict]:
    """The greatest of each part over the message lengths."""
    found: dict[tuple[str, str], int] = {}
    for row in memory:
        for part in pages.FOOTPRINT:
            size, place = whole(row, f"{part}_bytes"), (row["instance"], part.removesuffix("_peak"))
            if size is not None:
                found[place] = max(size, found.get(place, 0))
    return [{"instance": name, "part": part, "bytes": size} for (name, part), size in found.items()]


def _images(performance: list[Row]) -> list[dict]:
    sizes = {row["instance"]: row["elf_load_bytes"] for row in performance if row["elf_load_bytes"]}
    return [{"instance": name, "part": "ELF image", "bytes": int(size)} for name, size in sizes.items()]
