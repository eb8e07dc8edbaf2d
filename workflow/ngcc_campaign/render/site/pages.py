"""The pages of a site: what Markdown pages say, in each language, with plots, and an index that can be sorted.

What a page says comes from the Markdown page of its name and from what that one was made from, so that no figure is
computed, rounded or worded twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import jinja2
from markupsafe import Markup

from ...common import root
from ..pages import Row
from . import blocks, document, drawing, inline, language, names, plots, table
from .document import Words
from .plots import Plot
from .sources import UP, Sources

TEMPLATES = root.TEMPLATES / "site"
# The pages of every report, as the head of each page names them.
NAVIGATION = {"index": "Index", "ranking": "Ranking", "method": "Method", "systems": "All systems"}


@dataclass
class Site:
    """The plots of each candidate, and the files that are texts, by their names in report/, made when asked for."""

    plots: dict[str, list[Plot]]
    make: Callable[[], dict[str, str]]

    @cached_property
    def texts(self) -> dict[str, str]:
        return self.make()

    def specs(self) -> dict[str, dict | None]:
        """What each picture is drawn from, by its name in the English part."""
        say = language.catalogue("en")
        return {
            names.drawing("en", candidate, plot.name): plot.spec and plot.spec(say)
            for candidate, own in self.plots.items()
            for plot in own
        }

    def files(self, draw: drawing.Draw) -> dict[str, str]:
        """All files, by name: pictures are drawn while the pages are made, and said in the other languages."""
        drawn = draw(self.specs())
        found = dict(self.texts)
        pictures = drawn()
        for code in names.LANGUAGES:
            say = language.catalogue(code)
            for name, picture in pictures.items():
                found[names.in_language(name, code)] = drawing.translated(picture, say)
        return found | {names.VEGA: drawing.script()}


def site(results: Path, stored: dict[str, list[Row]], shown: Mapping[str, dict], markdown: Mapping[str, str]) -> Site:
    """The site of a report: `shown` is what each Markdown page shows, `markdown` its text, by name.

    `stored` are the tables in `results`, which also holds the records.
    """
    candidates = [name for name in markdown if name not in NAVIGATION]
    found = {name: plots.of(results, stored, name, shown[name]) for name in candidates}
    return Site(found, lambda: _texts(stored, shown, markdown, found))


def _texts(stored: dict, shown: Mapping[str, dict], markdown: Mapping[str, str], drawn: dict) -> dict[str, str]:
    texts = {names.STYLE: _file("site.css"), names.SCRIPT: _file("site.js")}
    read = {name: blocks.read(text) for name, text in markdown.items()}
    sources = Sources(stored)
    for code in names.LANGUAGES:
        words = Words(code, language.catalogue(code))
        for name, found in read.items():
            if name == "index":
                body = _index(stored, list(drawn), shown[name], found, words, sources)
            elif name in drawn:
                body = _candidate(name, found, drawn[name], words, sources)
            else:
                body = fill("page.html.j2", words, sections=_sections(found, words, sources.of(name)))
            texts[names.page(code, name)] = _framed(name, list(read), found, body, words, shown[name]["comparisons"])
    return texts


def _sections(found: list[blocks.Block], words: Words, links: document.Links = document.no_links) -> list:
    """The parts of a page between the breadcrumb and the foot, each a list of nodes."""
    inside = [block for block in found[1:] if block.kind != "rule"]
    if found[-2].kind == "rule":
        inside.pop()  # the foot
    return [list(document.nodes(part, words, links)) for part in document.sections(inside)]


def _framed(
    name: str, pages: list[str], found: list[blocks.Block], body: Markup, words: Words, comparisons: bool
) -> str:
    """A whole page: its body between the head, with breadcrumb and navigation, and the foot.

    The navigation leads to `comparisons` where there are any.
    """
    crumbs, _, systems = found[0].text.partition(" · system: ")
    title = next(block.text for block in found if block.kind == "heading")
    return fill(
        "base.html.j2",
        words,
        name=name,
        title=inline.plain(title),
        crumbs=[words(crumb).html for crumb in crumbs.split(" › ")],
        systems=words(systems).html,
        navigation={page: label for page, label in NAVIGATION.items() if page in pages},
        comparisons=f"{UP}../{names.COMPARISONS}/{names.page(words.language, 'index')}" if comparisons else "",
        languages=names.LANGUAGES,
        plots=name not in NAVIGATION,
        body=body,
        foot=words(found[-1].text),
    )


def _index(
    stored: dict, candidates: list[str], shown: dict, found: list[blocks.Block], words: Words, sources: Sources
) -> Markup:
    """Above all the answer in a sentence; then the table; then what index.md says beside it."""
    answer = shown["answer"]
    # What the Markdown says of the answer stands here otherwise.
    first, *others = _sections([*found[:2], *found[2 + answer.blocks :]], words, sources.of("index"))
    by_name = {section[0].id: section for section in others}
    summary = by_name.pop("summary")
    return fill(
        "index.html.j2",
        words,
        first=first,
        answer=answer,
        submissions=by_name.pop("submissions"),
        notes=[node for node in summary[1:] if node.kind != "table"],
        caption=next(node.text for node in summary if node.kind == "table"),
        titles=table.titles(shown),
        held=sources.held,
        lines=table.lines(stored, candidates, shown, sources),
        others=list(by_name.values()),
    )


def _candidate(name: str, found: list[blocks.Block], own: list[Plot], words: Words, sources: Sources) -> Markup:
    first, *others = _sections(found, words, sources.of(name))
    drawn = [plot for plot in own if plot.spec]
    specs = {plot.name: Markup(drawing.inline_json(plot.spec(words.text))) for plot in drawn}
    told = {"first": first, "plots": drawn, "specs": specs, "sections": others, "held": sources.held}
    return fill("candidate.html.j2", words, name=name, **told)


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["address"] = _address
    return environment


@cache
def _address(file: str) -> str:
    """A file's path as part of a link."""
    from urllib.parse import quote

    return quote(file)


def fill(template: str, words: Words, **shown: object) -> Markup:
    """A template in the language of `words`: `_` says a text, `line` one of Markdown."""
    found = _environment().get_template(template).render(_=words.text, line=words, language=words.language, **shown)
    return Markup(found)
