"""Whether every figure on the site's pages stands in the tables, and the languages have the same figures.

Pages are read as a reader sees them, by a parser that knows nothing of how they were made.
"""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

from . import lead
from .figures import Page
from .findings import Findings
from .holdings import Holdings
from .lookup import Row, Tables

_BLOCKS = ("p", "li", "dt", "dd", "figcaption", "summary", "h1", "h2", "caption", "output")
_SILENT = ("script", "style", "form", "nav", "title")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class Reader(HTMLParser):
    """The lines of a page: sentences, `## ` headings, and the rows of tables between bars, as Markdown has them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._silent = 0
        self._row: list[str] | None = None
        self._text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list) -> None:
        if tag in _SILENT:
            self._silent += 1
        elif tag == "tr":
            self._row = []
        elif tag == "table":
            self.lines.append("")
        elif tag == "code":
            self._text += "`"
        if tag in _BLOCKS or tag in ("th", "td"):
            self._text = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent -= 1
        elif tag == "code":
            self._text += "`"
        elif tag in ("th", "td") and self._row is not None:
            self._row.append(re.sub(r"([\\|\[\]*])", r"\\\1", self._flat()))
        elif tag == "tr" and self._row is not None:
            self.lines.append(f"| {' | '.join(self._row)} |")
            self._row = None
        elif tag == "thead":
            self.lines.append("|---|")
        elif tag in _BLOCKS and not self._silent:
            self.lines.append(("## " if tag == "h2" else "") + self._flat())

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._text += data

    def _flat(self) -> str:
        return " ".join(self._text.split())


def check(
    holdings: Holdings, stored: dict[str, list[Row]], names: list[str], languages: list[str], findings: Findings
) -> None:
    """Look up every figure of the pages `names` in the first language, and compare the other languages with it."""
    tables = Tables(stored, holdings.documents.get("report/beside.json"))
    for name in names:
        read = {}
        for language in languages:
            file = f"report/html/{language}/{name}.html"
            if file in holdings:
                read[file] = Reader(holdings.bytes(file).decode("utf-8", "replace")).lines
        for number, (file, lines) in enumerate(read.items()):
            if number == 0:
                first = lines
                _figures(file, name, lines, stored, tables, findings)
            else:
                _same(file, first, lines, findings)


def _figures(file: str, name: str, lines: list[str], stored: dict, tables: Tables, findings: Findings) -> None:
    Page(name, tables, findings, file).check("\n".join(lead.checked(file, name, lines, stored, findings)))


def _same(file: str, first: list[str], lines: list[str], findings: Findings) -> None:
    """Each cell has the same figures, and all sentences together; words, and so figures, stand in another order."""
    cells, others = ([_cells(line) for line in own if line.startswith("|")] for own in (first, lines))
    findings.check("figures", cells == others, f"{file}: its tables have other figures than the page in English.")
    told, others = (
        Counter(_NUMBER.findall("\n".join(line for line in own if not line.startswith("|")))) for own in (first, lines)
    )
    differing = sorted((told - others) | (others - told))
    findings.check(
        "figures", not differing, f"{file}: its sentences have other figures than those in English: {differing[:5]}."
    )


def _cells(row: str) -> list[list[str]]:
    """The figures of each cell of a row, sorted; an escaped bar ends no cell."""
    return [sorted(_NUMBER.findall(cell)) for cell in row.split(" | ")]
