"""The page that sets all systems side by side: what each is known to take, and from which evidence that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..aggregate import tables
from ..aggregate.stored import in_order
from ..campaign import made
from ..common.errors import Mistake
from ..host.host import IDENTITY
from ..published import published
from . import figures, marks, pages
from .figures import NOT_MEASURED
from .markdown import link

LOCAL, PUBLISHED = "local", "published"
KINDS = ("measured", "stored", PUBLISHED)
FIGURES = ("c/B", "time")


@dataclass(frozen=True)
class Column:
    """One system's figures: (cycles/byte, time) as they print, by candidate, instance and message bytes."""

    system: str
    evidence: str  # one of KINDS, and then what its figures can't stand for
    description: str
    source: str
    figures: dict[tuple[str, str, int], tuple[str, str]]

    @property
    def title(self) -> str:
        return self.system if self.evidence in KINDS else f"{self.system}{marks.SIGN}"


def order(systems: Iterable[str], own: str) -> list[str]:
    """All systems in the order of their columns; this machine comes last."""
    return list(dict.fromkeys([*systems, own, LOCAL]))


def column(results: Path, system: str, folder: Path) -> Column | None:
    """What is known of another system: from the tables in its `results`, else from the published figures in `folder`.

    Tables count that are as they were made, of that system, and of a machine that is one; a report of published figures
    may show a part of them, and they count as a whole.
    """
    found = of_tables(results, system) if _counts(results, system) else None
    if (found is None or found.evidence == PUBLISHED) and (folder / system).is_dir():
        return of_published(folder, system)
    return found


def is_of(results: Path, system: str) -> bool:
    """Whether the tables in `results` are that system's, and not in the wrong place; or nobody can tell."""
    try:
        return tables.campaign(results)["system"] == system
    except Mistake:
        return True


def _counts(results: Path, system: str) -> bool:
    try:
        if not is_of(results, system) or made.edited(results / "tables"):
            return False
        facts = [] if tables.campaign(results)["evidence"] == PUBLISHED else tables.read(results, "unfit")
    except Mistake:
        return False
    return not {row["fact"] for row in facts} & set(IDENTITY.values())


def of_tables(results: Path, system: str) -> Column | None:
    """None where that system has no tables, or only those of another version: it has a run of its own to renew them."""
    try:
        campaign = tables.campaign(results)
        if campaign["evidence"] == PUBLISHED:
            cells = {_place(row): (row["cycles_per_byte"], row["mean_time"]) for row in _rows(results, "published_")}
            told = {row["item"]: row["value"] for row in tables.read(results, "published_environment")}
            source = told.get("source", "")
        else:
            cells = {_place(row): _cells(row) for row in _rows(results) if row["status"] == "MEASURED"}
            source = f"results/{system}/tables"
        evidence = ", ".join([campaign["evidence"], *_reserves(results, campaign)])
    except Mistake:
        return None
    return _column(system, evidence, campaign["description"], source, cells)


def _reserves(results: Path, campaign: dict[str, str]) -> list[str]:
    """Why measured figures can't stand for their system without reserve."""
    if campaign["evidence"] == PUBLISHED:
        return []
    rows = [row for row in _rows(results) if row["status"] == "MEASURED"]
    marked = sum(bool(row["marks"]) for row in rows)
    reserves = {
        "emulated": campaign["emulated"] == "yes",
        "unfit host": bool(tables.read(results, "unfit")),
        "cycles estimated": any(row["cycle_source"] == "core_clock_estimate" for row in rows),
        f"{marked} of {len(rows)} rows marked": marked,
    }
    return [text for text, holds in reserves.items() if holds]


def of_published(folder: Path, system: str) -> Column:
    """All that is published of a system below `folder`."""
    found = published.read(folder / system)
    cells = {place: (row["cycles_per_byte"], row["mean_time"]) for place, row in found.performance.items()}
    return _column(system, PUBLISHED, found.description, found.source, cells)


def _column(system: str, evidence: str, description: str, source: str, cells: dict) -> Column:
    return Column(system, evidence, description, source, {place: cell for place, cell in cells.items() if any(cell)})


def _rows(results: Path, kind: str = "") -> list[dict[str, str]]:
    return tables.read(results, f"{kind}performance")


def _place(row: dict[str, str]) -> tuple[str, str, int]:
    return row["candidate"], row["instance"], int(row["message_bytes"])


def _cells(row: dict[str, str]) -> tuple[str, str]:
    return figures.tenths(pages.number(row, "cycles_per_byte")), figures.time(pages.number(row, "mean_ns"))


def context(found: list[Column], page_of: Callable[[str], str | None]) -> dict:
    """What systems.md.j2 shows; `page_of` gives the page that a candidate's heading links."""
    places = {place for column in found for place in column.figures}
    sections = []
    for candidate in in_order({place[0] for place in places}):
        there = [column for column in found if any(place[0] == candidate for place in column.figures)]
        cells = [f"{column.title} {figure}" for column in there for figure in FIGURES]
        heading = link(candidate, page) if (page := page_of(candidate)) else candidate
        own = {place for place in places if place[0] == candidate}
        sections.append((heading, ["instance", "message", *cells], _table(there, own)))
    return {
        "columns": [(column.system, column.evidence, column.description, column.source) for column in found],
        "sections": sections,
        "reserved": any(column.title != column.system for column in found),
    }


def _table(there: list[Column], places: set[tuple[str, str, int]]) -> list[tuple]:
    """Rows of one candidate in natural order: instance, message, and two figures of each column."""
    order = {name: number for number, name in enumerate(in_order({name for _, name, _ in places}))}
    return [
        (
            place[1],
            f"{place[2]} B",
            *(text or NOT_MEASURED for column in there for text in column.figures.get(place, ("", ""))),
        )
        for place in sorted(places, key=lambda place: (order[place[1]], place[2]))
    ]
