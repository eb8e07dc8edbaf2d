"""The blocks of a Markdown page as a template shows them: in one language, as HTML, with captions, names and links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from markupsafe import Markup

from . import inline
from .blocks import Block
from .language import Catalogue

_WIDTH = re.compile(r" (± [\d.]+ %)$")

# Where a cell leads, by its place in the row: given the columns' titles, the cells as they read, and which are figures.
Links = Callable[[list[str], list[str], frozenset[int]], Mapping[int, str]]


class Text(NamedTuple):
    """HTML, and its language where that is not the page's."""

    html: Markup
    lang: str = ""


class Words:
    """Says what pages say in one language."""

    def __init__(self, language: str, catalogue: Catalogue) -> None:
        self.language, self._say = language, catalogue

    def __call__(self, text: str) -> Text:
        """A line of Markdown, in English, as HTML in this language, or else as it is."""
        said = self._say(text)
        foreign = said == text and self.language != "en" and bool(re.search("[A-Za-z]{2} [A-Za-z]{2}", text))
        return Text(inline.to_html(said, self.language), "en" if foreign else "")

    def text(self, text: str) -> str:
        """A text that is no Markdown."""
        return self._say(text)


@dataclass
class Node:
    """A block of a page. Of a table `rows` are lists of cells, each with the address that it leads to, or none."""

    kind: str
    text: Text = Text(Markup(""))
    id: str = ""
    level: int = 0
    items: list[Text] = field(default_factory=list)
    header: list[Text] = field(default_factory=list)
    rows: list[list[tuple[Text, str]]] = field(default_factory=list)
    begins: set[int] = field(default_factory=set)
    right: frozenset[int] = frozenset()
    described: bool = False
    banner: str = ""


def no_links(header: list[str], row: list[str], figures: frozenset[int]) -> Mapping[int, str]:
    return {}


def nodes(blocks: list[Block], words: Words, links: Links = no_links) -> Iterator[Node]:
    """The blocks of a page, or of a part of it, for the template."""
    heading, fold, caption, tables = "", "", None, Counter()
    for block in blocks:
        if block.kind == "caption":
            caption = block
            continue
        fold = block.text if block.kind == "fold" else "" if block.kind == "end" else fold
        if block.kind == "heading":
            heading = block.text
            yield Node("heading", words(block.text), id=slug(block.text), level=block.level)
        elif block.kind == "table":
            tables[slug(heading)] += 1
            name = _table_name([caption.text if caption else "", fold]) or f"{slug(heading)}-{tables[slug(heading)]}"
            told = words(caption.text if caption else heading)
            yield _table(block, words, links, Node("table", told, id=name, described=caption is not None))
        elif block.kind in ("list", "numbers"):
            yield Node(block.kind, items=[words(item[0]) for item in block.rows])
        else:
            yield Node(block.kind, words(block.text), banner=_banner(block))
        caption = None


def sections(blocks: list[Block]) -> list[list[Block]]:
    """A page's blocks before its first section, and those of each section, its heading first."""
    found: list[list[Block]] = [[]]
    for block in blocks:
        if block.kind == "heading" and block.level == 2:
            found.append([])
        found[-1].append(block)
    return found


def slug(heading: str) -> str:
    """The name by which pages link to a heading, as Markdown has it."""
    return re.sub(r"[^\w -]", "", inline.plain(heading).lower()).strip().replace(" ", "-") or "page"


def _table_name(texts: list[str]) -> str:
    """The name of a table whose caption, or the fold that it is in, gives it a number."""
    numbered = (re.match(r"Table (\d+\w?):", text) for text in texts)
    return next((f"table-{match[1]}" for match in numbered if match), "")


def _banner(block: Block) -> str:
    if block.kind == "quote" or block.text.startswith("**Evidence: published"):
        return "warning"
    return "note" if block.text.startswith(("**Evidence:", "**Rows without a mark", "**Records of different")) else ""


def _table(block: Block, words: Words, links: Links, node: Node) -> Node:
    header, *rows = block.rows
    node.header, node.right = [words(title) for title in header], block.right
    titles = [inline.plain(title) for title in header]
    before = None
    for at, row in enumerate(rows):
        where = links(titles, [inline.plain(cell) for cell in row], block.right)
        node.rows.append([(words(cell), where.get(column, "")) for column, cell in enumerate(row)])
        if before not in (None, row[0]):
            node.begins.add(at)
        before = row[0]
    for column in block.right:
        _set_widths_apart(node.rows, column)
    # Where every row begins anew, no line sets one apart.
    node.begins = node.begins if len(node.begins) < len(rows) - 1 else set()
    return node


def _set_widths_apart(rows: list[list[tuple[Text, str]]], column: int) -> None:
    """Where figures of a column have intervals, these stand in elements of their own, so that figures stand aligned."""
    if not any(_WIDTH.search(row[column][0].html) for row in rows):
        return
    for row in rows:
        cell, address = row[column]
        figure, width, _ = [*_WIDTH.split(str(cell.html)), "", ""][:3]  # Markup would escape what we put in
        row[column] = cell._replace(html=Markup(f"{figure} <small>{width}</small>")), address
