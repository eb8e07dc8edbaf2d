"""What pages show of other systems, as it was when they were rendered: kept with them as report/beside.json.

With it, and the tables of its own system, a report can be rendered again anywhere, to the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..common.files import read_json, write_json
from ..common.schemas import validate
from ..published import comparison
from ..published.comparison import Comparison
from . import overview
from .overview import Column
from .site import names

NAME = "report/beside.json"


@dataclass(frozen=True)
class Beside:
    """Other systems: those of the breadcrumb, which of them have which page, their figures, and who is compared with.

    `links` holds the systems by page, `columns` figures by system; `compared` is None where nothing is. `comparisons`
    says whether there are pages of them.
    """

    systems: tuple[str, ...]
    links: dict[str, list[str]]
    columns: dict[str, Column]
    compared: Comparison | None
    comparisons: bool

    def side_by_side(self, own: Column | None, system: str) -> list[Column]:
        """The columns of all systems; `own` is that of `system`, whose report this is, unless there is a whole one."""
        found = ({system: own} if own else {}) | self.columns
        return [found[name] for name in overview.order(self.systems, system) if name in found]

    def page_of(self, own: Iterable[str]) -> Callable[[str], str | None]:
        """Where the page of a candidate lies, from systems.md: among our `own`, else in another report, else None."""

        def page(candidate: str) -> str | None:
            if candidate in own:
                return f"{candidate}.md"
            return next((f"../../{system}/report/{candidate}.md" for system in self.links.get(candidate, ())), None)

        return page


def look(
    results: Path, campaign: dict[str, str], pages: Iterable[str], systems: Sequence[str], compare: str | None,
    published: Path,
) -> Beside:  # fmt: skip
    """What lies beside `results`, whose campaign.csv has the row `campaign`, and in the folder `published`; see render.

    `pages` are those of our own report; a page of a candidate that only others have is looked for, too. Our own column
    is made from our tables, but for published figures, of which they may hold a part.
    """
    own = campaign["system"]
    others = [system for system in overview.order(systems, own) if system != own] if systems else []
    found = {system: overview.column(results.parent / system, system, published) for system in others}
    if systems and campaign["evidence"] == overview.PUBLISHED and (published / own).is_dir():
        found[own] = overview.of_published(published, own)
    columns = {system: column for system, column in found.items() if column is not None}
    wanted = {*pages, *(place[0] for column in columns.values() for place in column.figures)}
    return Beside(
        systems=tuple(systems),
        links={page: _with_page(results, page, others) for page in sorted(wanted)},
        columns=columns,
        compared=comparison.load(published, compare) if compare else None,
        comparisons=(results.parent / names.COMPARISONS / names.page("en", "index")).is_file(),
    )


def _with_page(results: Path, page: str, systems: Sequence[str]) -> list[str]:
    places = {system: results.parent / system for system in systems}
    pages = [f"{page}.md", *(names.page(language, page) for language in names.LANGUAGES)]
    there = [system for system, place in places.items() if all((place / "report" / name).is_file() for name in pages)]
    return [system for system in there if overview.is_of(places[system], system)]


def write(results: Path, beside: Beside) -> None:
    """Write report/beside.json."""
    write_json(results / NAME, document(beside))


def document(beside: Beside) -> dict:
    """What report/beside.json holds."""
    columns = [
        {
            **{key: getattr(column, key) for key in ("system", "evidence", "description", "source")},
            "figures": [
                {**_place(place), "cycles_per_byte": cycles, "time": time}
                for place, (cycles, time) in sorted(column.figures.items())
            ],
        }
        for column in beside.columns.values()
    ]
    compared = beside.compared and {
        "system": beside.compared.system,
        "figures": [
            {**_place(place), "mean_cycles": cycles} for place, cycles in sorted(beside.compared.cycles.items())
        ],
    }
    told = {"schema": "ngcc-perf/beside", "version": 1, "systems": list(beside.systems), "links": beside.links}
    return told | {"columns": columns, "compared": compared, "comparisons": beside.comparisons}


def read(results: Path) -> Beside:
    """What `write` wrote; Mistake where it is absent or damaged."""
    found = read_json(results / NAME)
    validate(found, "beside", results / NAME)
    columns = {}
    for entry in found["columns"]:
        cells = {_key(row): (row["cycles_per_byte"], row["time"]) for row in entry["figures"]}
        told = {key: entry[key] for key in ("system", "evidence", "description", "source")}
        columns[entry["system"]] = Column(**told, figures=cells)
    compared = found["compared"]
    if compared:
        compared = Comparison(compared["system"], {_key(row): row["mean_cycles"] for row in compared["figures"]})
    return Beside(tuple(found["systems"]), found["links"], columns, compared, found["comparisons"])


def _place(place: tuple[str, str, int]) -> dict:
    return dict(zip(("candidate", "instance", "message_bytes"), place, strict=True))


def _key(row: dict) -> tuple[str, str, int]:
    return row["candidate"], row["instance"], row["message_bytes"]
