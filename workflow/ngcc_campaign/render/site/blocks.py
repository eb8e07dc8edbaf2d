"""The blocks of a Markdown page as our templates write it: headings, paragraphs, tables, lists, quotes, folds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Block:
    """`kind` is heading, paragraph, quote, caption, table, list, numbers, fold, end or rule.

    `text` is Markdown without line ends; of a table `rows` are its cells, the header first, and `right` its columns
    of figures; of a list the items are the rows' only cells. `level` is that of a heading.
    """

    kind: str
    text: str = ""
    rows: list[list[str]] = field(default_factory=list)
    right: frozenset[int] = frozenset()
    level: int = 0


_ITEM = re.compile(r"(?:(-)|\d+\.) ")


def read(page: str) -> list[Block]:
    """The blocks of a page in their order."""
    return [block for group in _groups(page) for block in _blocks(group)]


def _groups(page: str) -> Iterator[list[str]]:
    """Lines that belong together: those between empty lines, a heading, a fold's ends and a rule apart."""
    group: list[str] = []
    for line in [*page.split("\n"), ""]:
        alone = line.startswith(("#", "<")) or line == "---"
        starts_table = line.startswith("|") and group and not group[-1].startswith("|")
        if group and (not line.strip() or alone or starts_table):
            yield group
            group = []
        if alone:
            yield [line]
        elif line.strip():
            group.append(line)


def _blocks(lines: list[str]) -> Iterator[Block]:
    first = lines[0]
    if heading := re.fullmatch(r"(#+) (.*)", first):
        yield Block("heading", heading[2], level=len(heading[1]))
    elif first == "---":
        yield Block("rule")
    elif first.startswith("<summary>"):
        yield Block("fold", first.removeprefix("<summary>").removesuffix("</summary>"))
    elif first == "</details>":
        yield Block("end")
    elif first.startswith("|"):
        yield _table(lines)
    elif first.startswith("> "):
        yield Block("quote", _joined(line.removeprefix("> ") for line in lines))
    elif item := _ITEM.match(first):
        yield Block("list" if item[1] else "numbers", rows=[[text] for text in _items(lines)])
    elif first != "<details>":
        yield _paragraph(_joined(lines))


def _joined(lines) -> str:
    return " ".join(line.strip() for line in lines)


def _paragraph(text: str) -> Block:
    """A paragraph; one that is emphasised as a whole is the caption of the table behind it."""
    if re.fullmatch(r"\*[^*].*[^*\\]\*", text):
        return Block("caption", text[1:-1])
    return Block("paragraph", text)


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if _ITEM.match(line):
            items.append(_ITEM.sub("", line, count=1).strip())
        else:
            items[-1] += f" {line.strip()}"
    return items


def _table(lines: list[str]) -> Block:
    header, marks, *rows = (_cells(line) for line in lines)
    right = frozenset(at for at, mark in enumerate(marks) if mark.endswith(":") and not mark.startswith(":"))
    return Block("table", rows=[header, *rows], right=right)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
