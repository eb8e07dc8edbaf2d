"""Stage render: what a person reads, report/*.md, from tables/*.csv; and, to compare with, those of other systems.

The same tables give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import jinja2

from . import beside, figures, measured, overview, reprint, tables
from .beside import Beside
from .errors import Mistake
from .files import write_text
from .markdown import Markdown, bullets, escape, link, table
from .published import FOLDER

TEMPLATES = Path(__file__).parents[1] / "templates"
OWN_PAGES = ("index", "method", "systems")
# How each page of a report but index.md begins.
HOME = link("Performance measurements", "index.md")


def render(
    results: Path,
    candidates: list[str] | None = None,
    *,
    systems: Sequence[str] = (),
    compare: str | None = None,
    published: Path = FOLDER,
) -> list[Path]:
    """Write index.md, method.md and one page per candidate (None: every candidate of the tables); their paths.

    Beside them goes beside.json: what they show of other systems, so that `texts` gives them again anywhere.

    `systems` are the named systems, in the order of the breadcrumb, which links those that have the same page beside
    `results`; with any, systems.md sets all side by side. `compare` adds to measured figures their ratio to the cycles
    of that system in `published`, a folder of published figures by system. Pages of candidates that are not in the
    tables are removed.

    Raises Mistake where a table is absent or damaged, a candidate not in them, or nothing published for `compare`.
    """
    stored = read_tables(results)
    known = [row["candidate"] for row in stored["candidates"]]
    chosen = _chosen(results, known, candidates)
    own = stored["campaign"][0]["system"]
    around = beside.look(results, own, [*OWN_PAGES, *known], systems, compare, published)
    found = texts(results, stored, around, chosen)
    _remove_pages(results / "report", {*known, *found})
    beside.write(results, around)
    paths = []
    for name, text in found.items():
        path = results / "report" / f"{name}.md"
        write_text(path, text)
        paths.append(path)
    return paths


def read_tables(results: Path) -> dict[str, list[dict[str, str]]]:
    """The tables of a campaign, by name. Raises Mistake where one is absent or damaged."""
    campaign = tables.campaign(results)
    stored = {name: tables.read(results, name) for name in tables.of(campaign["evidence"])}
    tables.check_rows(results, stored)
    return stored


def texts(results: Path, stored: dict, around: Beside, candidates: list[str]) -> dict[str, str]:
    """The pages by name: index, method, one per candidate, and systems where there are others.

    `stored` are the tables in `results`.
    """
    (campaign,) = stored["campaign"]
    kind = reprint if campaign["evidence"] == "published" else measured
    common = _common(campaign, _other_systems(campaign["system"], around), bool(around.systems)) | kind.common(stored)
    found = {
        "index": _page("index.md.j2", common | kind.index(stored, candidates)),
        "method": _page(kind.METHOD, common | kind.method(stored)),
    }
    for name in candidates:
        found[name] = _page("candidate.md.j2", common | kind.candidate(stored, name, around.compared))
    if around.systems:
        own = overview.of_tables(results, campaign["system"])
        columns = around.side_by_side(own, campaign["system"])
        found["systems"] = _page("systems.md.j2", common | overview.context(columns))
    return found


def _chosen(results: Path, known: list[str], candidates: list[str] | None) -> list[str]:
    for candidate in candidates or known:
        if candidate not in known:
            raise Mistake(f"{tables.path(results, 'candidates')}: no candidate '{candidate}'; run 'aggregate' for it.")
        if candidate in OWN_PAGES:
            raise Mistake(f"candidate '{candidate}': a page of the report has that name; give it another id.")
    return known if candidates is None else [candidate for candidate in known if candidate in candidates]


def _page(template: str, context: dict) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        finalize=escape,  # whatever a template prints is escaped, unless it is Markdown by its type
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(context)


def _common(campaign: dict[str, str], other_systems: Callable, side_by_side: bool) -> dict:
    return {
        "system": campaign["system"],
        "description": campaign["description"],
        "evidence": campaign["evidence"],
        # A sentence, and a list where there are more lines.
        "statement": [line.strip().removeprefix("- ") for line in campaign["statement"].splitlines() if line.strip()],
        "emulated": campaign["emulated"] == "yes",
        "there": campaign["records_there"],
        "asked": campaign["records_asked"],
        "other_systems": other_systems,
        "side_by_side": side_by_side,
        "home": HOME,
        "not_measured": figures.NOT_MEASURED,
        "table": table,
        "link": link,
        "bullets": bullets,
    }


def _other_systems(own: str, around: Beside) -> Callable[[str], Markdown]:
    """Of a page, the systems of the breadcrumb: links where another system has the same page."""

    def named(page: str) -> Markdown:
        parts = []
        for system in dict.fromkeys([*around.systems, own]):
            there = system in around.links.get(page, ())
            parts.append(link(system, f"../../{system}/report/{page}.md") if there else escape(system))
        return Markdown(" · ".join(parts))

    return named


def _remove_pages(report: Path, kept: set[str]) -> None:
    """Remove what an earlier report, maybe of another kind of evidence, left behind, and nothing that is not ours."""
    for path in report.glob("*.md"):
        if path.stem not in kept and path.read_text(encoding="utf-8", errors="replace").startswith(HOME):
            path.unlink()
