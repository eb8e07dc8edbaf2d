"""Stage render: what a person reads, report/*.md and report/html, from tables/*.csv; and, to compare with, those of
other systems. And what a paper or a program takes: report/latex and report/summary.json.

The same tables, and the records that they are made from, give the same bytes, plots apart: another version of their
library may draw them otherwise.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2

from ..aggregate import tables
from ..campaign import made
from ..campaign.catalog import PAGES
from ..common.errors import Mistake
from ..common.files import json_text, write_text
from ..common.root import TEMPLATES
from ..published.published import FOLDER
from . import beside, figures, latex, measured, nested, overview, pages, ranking, reprint
from .beside import Beside
from .markdown import Markdown, bullets, escape, in_short, link, table
from .site import names

if TYPE_CHECKING:
    from .site.pages import Site

OWN_PAGES = PAGES
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
    """Write index, method, ranking and one page per candidate (None: every candidate of the tables); their paths.

    In html/ go the same pages as a site, with plots of the records that lie beside the tables.

    Beside them goes beside.json: what they show of other systems, so that `texts` gives them again anywhere; and
    made.json: from which tables they were made.

    `systems` are the named systems, in the order of the breadcrumb, which links those that have the same page beside
    `results`; with any, systems.md sets all side by side. `compare` adds to measured figures their ratio to the cycles
    of that system in `published`, a folder of published figures by system. Pages of candidates that are not in the
    tables are removed.

    Raises Mistake where a table is absent or damaged, a candidate not in them, or nothing published for `compare`.
    """
    from .site import drawing  # slow to import, and most runs of the workflow render nothing

    stored = read_tables(results)
    known = [row["candidate"] for row in stored["candidates"]]
    chosen = _chosen(results, known, candidates)
    with drawing.begun(len(chosen) * len(names.PLOTS)) as draw:
        around = look_beside(results, stored, systems, compare, published)
        found, its_site, data = reports(results, stored, around, chosen)
        pages = {f"{name}.md": text for name, text in found.items()}
        files = pages | data | its_site.files(draw)
    report = results / "report"
    _remove_pages(report, {*known, *found})
    beside.write(results, around)
    for name, text in files.items():
        write_text(report / name, text)
    for folder in (names.FOLDER, latex.FOLDER):
        _remove_others(report / folder, {report / name for name in files})
    made.write(report, inputs(results, stored), [*files, (results / beside.NAME).name])
    return [report / name for name in pages]


def inputs(results: Path, stored: dict) -> dict[str, Path]:
    """The tables `stored` in `results`, by the names that made.json gives them."""
    return {f"tables/{name}.csv": tables.path(results, name) for name in stored}


def look_beside(results: Path, stored: dict, systems: Sequence[str], compare: str | None, published: Path) -> Beside:
    """What pages made of the tables `stored` in `results` would show of other systems."""
    pages = [*OWN_PAGES, *(row["candidate"] for row in stored["candidates"])]
    return beside.look(results, stored["campaign"][0], pages, systems, compare, published)


def read_tables(results: Path) -> dict[str, list[dict[str, str]]]:
    """The tables of a campaign, by name. Raises Mistake where one is absent or damaged."""
    campaign = tables.campaign(results)
    stored = {name: tables.read(results, name) for name in tables.of(campaign["evidence"])}
    tables.check_rows(results, stored)
    return stored


def reports(
    results: Path, stored: dict, around: Beside, candidates: list[str]
) -> tuple[dict[str, str], Site, dict[str, str]]:
    """The Markdown pages by name: index, method, ranking, one per candidate, and systems where there are others.

    And the site of the same pages; and the same figures for papers and programs, texts by their names in report/.
    `stored` are the tables in `results`.
    """
    from .site.pages import site  # brings NumPy, and most runs of the workflow render nothing

    shown = contexts(results, stored, around, candidates)
    pages = {name: _page(template, context) for name, (template, context) in shown.items()}
    data = {nested.NAME: json_text(nested.document(stored, candidates))}
    data |= {latex.name(name): latex.text(stored, shown[name][1]) for name in candidates}
    return pages, site(results, stored, {name: context for name, (_, context) in shown.items()}, pages), data


def data_files(candidates: Sequence[str]) -> list[str]:
    """The files for papers and programs, by their names in report/."""
    return [nested.NAME, *map(latex.name, candidates)]


def contexts(results: Path, stored: dict, around: Beside, candidates: list[str]) -> dict[str, tuple[str, dict]]:
    """The template of each page, and what it shows."""
    (campaign,) = stored["campaign"]
    kind = reprint if campaign["evidence"] == "published" else measured
    compared = around.compared
    if compared and kind is reprint:
        compared = dataclasses.replace(compared, reprinted=campaign["system"])
    common = _common(campaign, around) | kind.common(stored)
    from .site import headline  # brings NumPy

    answer = {"answer": headline.of(stored, candidates)}
    found = {
        "index": ("index.md.j2", common | answer | kind.index(stored, candidates, compared)),
        "method": (kind.METHOD, common | kind.method(stored)),
        "ranking": ("ranking.md.j2", common | ranking.context(stored["ranking"], candidates)),
    }
    for name in candidates:
        found[name] = ("candidate.md.j2", common | kind.candidate(stored, name, compared))
    if around.systems:
        columns = around.side_by_side(overview.of_tables(results, campaign["system"]), campaign["system"])
        found["systems"] = ("systems.md.j2", common | overview.context(columns, around.page_of(candidates)))
    return found


def _chosen(results: Path, known: list[str], candidates: list[str] | None) -> list[str]:
    for candidate in candidates or known:
        if candidate not in known:
            raise Mistake(f"{tables.path(results, 'candidates')}: no candidate '{candidate}'; run 'aggregate' for it.")
        if candidate in OWN_PAGES:
            raise Mistake(f"candidate '{candidate}': a page of the report has that name; give it another id.")
    return known if candidates is None else [candidate for candidate in known if candidate in candidates]


def _page(template: str, context: dict) -> str:
    return _environment().get_template(template).render(context)


@functools.cache
def _environment() -> jinja2.Environment:
    """One for all pages, as it keeps the templates that it compiled."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        finalize=escape,  # whatever a template prints is escaped, unless it is Markdown by its type
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _common(campaign: dict[str, str], around: Beside) -> dict:
    # A sentence, and a list where there are more lines.
    lines = [line.strip().removeprefix("- ") for line in campaign["statement"].splitlines() if line.strip()]
    return {
        "system": campaign["system"],
        "description": campaign["description"],
        "evidence": campaign["evidence"],
        "statement": "".join(lines[:1]),
        "differences": lines[1:],
        "emulated": campaign["emulated"] == "yes",
        "noise_floor": figures.uncertainty(pages.number(campaign, "noise_floor")),
        "shared_sign": ranking.SHARED,
        "there": campaign["records_there"],
        "asked": campaign["records_asked"],
        "other_systems": _other_systems(campaign["system"], around),
        "side_by_side": bool(around.systems),
        "comparisons": around.comparisons,
        "home": HOME,
        "not_measured": figures.NOT_MEASURED,
        "table": table,
        "link": link,
        "bullets": bullets,
        "in_short": in_short,
    }


def _other_systems(own: str, around: Beside) -> Callable[[str], Markdown]:
    """Of a page, the systems of the breadcrumb: links where another system, or this machine, has the same page."""

    def named(page: str) -> Markdown:
        parts = []
        for system in overview.order(around.systems, own):
            there = system in around.links.get(page, ())
            if there or system in (*around.systems, own):
                parts.append(link(system, f"../../{system}/report/{page}.md") if there else escape(system))
        return Markdown(" · ".join(parts))

    return named


def _remove_pages(report: Path, kept: set[str]) -> None:
    """Remove what an earlier report, maybe of another kind of evidence, left behind, and nothing that is not ours."""
    for path in report.glob("*.md"):
        if path.stem not in kept and path.read_text(encoding="utf-8", errors="replace").startswith(HOME):
            path.unlink()


def _remove_others(folder: Path, kept: set[Path]) -> None:
    """Remove what an earlier report left in a folder of its own."""
    for path in folder.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
