"""A comparison as pages of a site, in each language: what differs, then every row, noise in grey."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from markupsafe import Markup

from ..render import figures
from ..render.markdown import escape
from ..render.site import document, language, names, pages
from ..render.site.blocks import Block
from ..render.site.document import Words
from . import shown

TITLE, LISTING = "Two result sets side by side", "Comparisons"
# The sides by what pages call them: `candidate` is also a submission.
_SIDES = {side: side.capitalize() for side in shown.SIDES}
_FOOT = (
    "Made by ngcc-campaign compare from the tables of both sets, or from published figures as printed."
    " `docs/compare.md` says when a row counts as changed."
)


def texts(
    found: dict, name: str, reports: Mapping[str, str] = MappingProxyType({}), listed: bool = False
) -> dict[str, str]:
    """The files of the site of a comparison (contrasts.document), whose pages are called `name`.

    `reports` are, by side, the addresses of the folders of its own site from the folder of this one; `listed`
    says that `listing` lies beside the page.
    """
    files = {file: (pages.TEMPLATES / file).read_text(encoding="utf-8") for file in ("site.css", "site.js")}
    for code in names.LANGUAGES:
        files[f"{code}/{name}.html"] = _page(found, name, Words(code, language.catalogue(code)), reports, listed)
    return files


def listing(found: Mapping[str, dict]) -> dict[str, str]:
    """The pages that lead to all comparisons; these are given by the names of their pages."""
    rows = [
        [escape(text) for text in (*(shown.title(one[side]) for side in _SIDES), *_counts(one), _given(one))]
        for one in found.values()
    ]
    header = [*_SIDES.values(), *shown.WORDS.values(), "given as"]
    blocks = [Block("heading", LISTING, level=1), Block("table", rows=[header, *rows], right=frozenset(range(2, 6)))]
    files = {}
    for code in names.LANGUAGES:
        words, addresses = Words(code, language.catalogue(code)), iter(found)
        told = list(document.nodes(blocks, words, lambda *row, rest=addresses: {0: f"{next(rest)}.html"}))
        body = pages.fill("page.html.j2", words, sections=[told])
        files[f"{code}/index.html"] = _framed("index", LISTING, found.values(), body, words)
    return files


def _counts(found: dict) -> list[int]:
    return [found["counts"][verdict] for verdict in shown.WORDS]


def _given(found: dict) -> str:
    return ", ".join(found[side]["name"] for side in _SIDES)


def _framed(name: str, title: str, found: Iterable[dict], body: Markup, words: Words, listed: bool = True) -> str:
    """A whole page; `found` are the comparisons that it is about."""
    systems = dict.fromkeys(one[side]["system"] for one in found for side in _SIDES)
    return pages.fill(
        "base.html.j2",
        words,
        name=name,
        title=title,
        crumbs=[words(crumb).html for crumb in ("Performance measurements", *dict.fromkeys((LISTING, title)))],
        systems=" · ".join(systems),
        navigation={"index": LISTING} if listed else {},
        comparisons="",
        languages=names.LANGUAGES,
        plots=False,
        body=body,
        foot=words(_FOOT),
    )


def _page(found: dict, name: str, words: Words, reports: Mapping[str, str], listed: bool) -> str:
    body = pages.fill(
        "compare.html.j2",
        words,
        first=list(document.nodes(_first(found), words, _report_of(reports, words.language))),
        setting=list(document.nodes(_setting(found), words)),
        basis=list(document.nodes(_paragraphs([*shown.basis(found), *shown.chance(found)]), words)),
        header=[_SIDES.get(title, title) for title in shown.HEADER],
        rows=[(row["verdict"], *_cells(row)) for row in found["rows"]],
        meanings=shown.meanings(found),
        one_sided=list(document.nodes(_one_sided(found), words)),
    )
    return _framed(name, TITLE, [found], body, words, listed)


def _paragraphs(lines: list[str]) -> list[Block]:
    return [Block("paragraph", line) for line in lines]


def _first(found: dict) -> list[Block]:
    """The title, both sides, what became of the rows, and of `fail_above`."""
    sides = [[title, *map(escape, _side(found[side]))] for side, title in _SIDES.items()]
    header = ["side", "system", "campaign", "evidence", "noise floor", "given as"]
    told = shown.gate(found)
    return [
        Block("heading", TITLE, level=1),
        Block("paragraph", f"**{shown.count(found)}**"),
        *(Block("quote" if found["failed"] else "paragraph", escape(line)) for line in told),
        Block("table", rows=[header, *sides]),
    ]


def _side(side: dict) -> tuple[str, ...]:
    floor = figures.uncertainty(side["noise_floor"])
    return side["system"], side["dates"] or figures.NOT_MEASURED, side["evidence"], floor, side["name"]


def _report_of(reports: Mapping[str, str], code: str) -> document.Links:
    """The system of each side leads to its pages, where there are any."""

    def links(header: list[str], row: list[str], figures: frozenset[int]) -> dict[int, str]:
        side = next((side for side, title in _SIDES.items() if title == row[0]), "")
        return {1: f"../{reports[side]}/{code}/index.html"} if side in reports else {}

    return links


def _setting(found: dict) -> list[Block]:
    heading = Block("heading", "What differs in the setting", level=2)
    if not found["setting"]:
        return [heading, Block("paragraph", shown.SAME_SETTING)]
    instances = len({shown.name(row) for row in found["rows"]})
    rows = [[shown.fact(one, instances), one["baseline"], one["candidate"]] for one in found["setting"]]
    table = [["setting", *_SIDES.values()], *([escape(cell) for cell in row] for row in rows)]
    return [heading, Block("paragraph", "Any of this may be what a ratio shows."), Block("table", rows=table)]


def _cells(row: dict) -> tuple[tuple, str, str]:
    """The cells of a row but its last, whose word and reason are told in the page's language."""
    *cells, _ = shown.cells(row)
    return tuple(cells), shown.WORDS[row["verdict"]], row["reason"]


def _one_sided(found: dict) -> list[Block]:
    rows = [
        [escape(place), sizes, _SIDES[side], escape(reason)] for side, place, sizes, reason in shown.one_sided(found)
    ]
    header = ["instance", "messages", "only in", "why the other has none"]
    heading = Block("heading", "Rows in only one of both", level=2)
    return [heading, Block("table", rows=[header, *rows])] if rows else []
