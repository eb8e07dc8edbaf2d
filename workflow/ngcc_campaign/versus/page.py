"""A comparison as pages of a site, in each language: what differs, then every row, noise in grey."""

from __future__ import annotations

from .. import figures
from ..markdown import escape
from ..site import document, language, names, pages
from ..site.blocks import Block
from ..site.document import Words
from . import shown

TITLE = "Two result sets side by side"
# The sides by what pages call them: `candidate` is also a submission.
_SIDES = {side: side.capitalize() for side in shown.SIDES}
_FOOT = (
    "Made by ngcc-campaign compare from the tables of both sets, or from published figures as printed."
    " `docs/compare.md` says when a row counts as changed."
)


def texts(found: dict, name: str) -> dict[str, str]:
    """The files of the site of a comparison (contrasts.document), whose pages are called `name`."""
    files = {file: (pages.TEMPLATES / file).read_text(encoding="utf-8") for file in ("site.css", "site.js")}
    for code in names.LANGUAGES:
        files[f"{code}/{name}.html"] = _page(found, name, Words(code, language.catalogue(code)))
    return files


def _page(found: dict, name: str, words: Words) -> str:
    body = pages.fill(
        "compare.html.j2",
        words,
        first=list(document.nodes(_first(found), words)),
        setting=list(document.nodes(_setting(found), words)),
        basis=list(document.nodes(_paragraphs([*shown.basis(found), *shown.chance(found)]), words)),
        header=[_SIDES.get(title, title) for title in shown.HEADER],
        rows=[(row["verdict"], *_cells(row)) for row in found["rows"]],
        meanings=shown.meanings(found),
        one_sided=list(document.nodes(_one_sided(found), words)),
    )
    return pages.fill(
        "base.html.j2",
        words,
        name=name,
        title=TITLE,
        crumbs=[words(crumb).html for crumb in ("Performance measurements", TITLE)],
        systems=" · ".join(dict.fromkeys(found[side]["system"] for side in _SIDES)),
        navigation={},
        languages=names.LANGUAGES,
        plots=False,
        body=body,
        foot=words(_FOOT),
    )


def _paragraphs(lines: list[str]) -> list[Block]:
    return [Block("paragraph", line) for line in lines]


def _first(found: dict) -> list[Block]:
    """The title, both sides, what became of the rows, and of `fail_above`."""
    sides = [[title, *map(escape, _side(found[side]))] for side, title in _SIDES.items()]
    header = ["side", "result set", "system", "evidence", "noise floor"]
    told = shown.gate(found)
    return [
        Block("heading", TITLE, level=1),
        Block("paragraph", f"**{shown.count(found)}**"),
        *(Block("quote" if found["failed"] else "paragraph", escape(line)) for line in told),
        Block("table", rows=[header, *sides]),
    ]


def _side(side: dict) -> tuple[str, ...]:
    return side["name"], side["system"], side["evidence"], figures.uncertainty(side["noise_floor"])


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
