"""Whether every figure on the pages stands in the tables.

This module reads pages and tables by itself and shares no code with the stages that made them. Figures are the numbers
in the pages' Markdown tables; in their sentences the times, clocks, sizes and shares, and what stands beside a ±;
the moments and digests that they print, and the marks of rows.
"""

from __future__ import annotations

import re
from functools import cache

from ..common.root import TEMPLATES
from . import lead
from .columns import COLUMNS, is_among, is_pair, is_width, says, split
from .findings import Findings
from .lookup import Place, Row, Tables
from .reading import cells, numbers, plain, with_widths
from .reading import figures_in as _figures
from .reading import rounds_to as _rounds_to

_DIGEST = re.compile(r"sha256 ([0-9a-f]{16})…|\b([0-9a-f]{64})\b")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
# Units of figures that sentences print; a count in a sentence may be one of rows, which no table holds.
_MEASURED = ("ns", "µs", "ms", "s", "KiB", "MiB", "GHz", "%", "cycles", "cycles/byte", "MB/s")
# Thresholds and levels, which sentences name and no table holds.
_THRESHOLDS = ("1 %", "2 %", "95 %", "1 KiB")


def check(pages: dict[str, str], stored: dict[str, list[Row]], beside: dict | None, findings: Findings) -> None:
    """Look up every figure of the `pages`, texts by name."""
    tables = Tables(stored, beside)
    for name, text in pages.items():
        file = f"report/{name}.md"
        told = lead.checked(file, name, text.split("\n"), stored, findings)
        Page(name, tables, findings, file).check("\n".join(told))


class Page:
    """The lines of one page, the `file` that faults name; `name` is that of all its forms."""

    def __init__(self, name: str, tables: Tables, findings: Findings, file: str) -> None:
        self._name, self._tables, self._findings, self._file = name, tables, findings, file
        self._candidate = name if name in tables.candidates else None
        self._about: list[Row] = []  # the rows of the records that a section has named

    def check(self, text: str) -> None:
        section, header, start = "", [], 0
        for number, whole in enumerate(text.split("\n"), 1):
            line = self._without_moments(number, whole)
            if line.startswith("## "):
                section, self._about = plain(line[3:]), []
            for record in re.findall(r"`(records/[^`]*)`", line):
                self._about = self._about + self._tables.by_record.get(record, [])
            if not line.startswith("|"):
                header = []
                self._sentence(number, line)
            elif not header:
                header, start = cells(line), number
            elif number > start + 1 and "formula" not in header:
                self._row(number, section, dict(zip(header, cells(line), strict=False)))
            self._digests(number, line)

    def _found(self, number: int, where: str, figure: str, there: bool) -> None:
        sentence = f"{self._file}: line {number}{where}: {figure} is not in the tables."
        self._findings.check("figures", there, sentence)

    def _digests(self, number: int, line: str) -> None:
        for match in _DIGEST.finditer(line):
            digest = match[1] or match[2]
            there = any(known.startswith(digest) for known in self._tables.digests | self._tables.instances)
            self._findings.check("digests", there, f"{self._file}: line {number}: no file has SHA-256 {digest}.")

    def _without_moments(self, number: int, line: str) -> str:
        """A line without the moments that it tells, which are looked up as a whole."""
        for moment in _MOMENT.findall(line):
            self._found(number, "", moment, moment in self._tables.moments)
        return _MOMENT.sub("", line)

    def _sentence(self, number: int, line: str) -> None:
        """Figures with a unit that no template has in its own words, and those beside a ±."""
        rows, text = self._about or self._tables.common(self._candidate), plain(line)
        for figure, width in with_widths(_figures(text), text):
            if width:
                self._found(number, "", f"{figure.text} ± {width.text}", is_pair(figure, width, rows, ()))
            elif figure.unit in _MEASURED and figure.text not in {*_words_of_templates(), *_THRESHOLDS}:
                there = is_among(figure, rows, ()) or is_width(figure, rows) or self._told(figure.text)
                self._found(number, "", figure.text, there)

    def _row(self, number: int, section: str, row: dict[str, str]) -> None:
        candidate, instance = self._candidate or row.get("candidate"), row.get("instance")
        candidate = candidate if candidate in self._tables.candidates else None
        if self._name == "systems":
            candidate = section if section in self._tables.candidates else None
        instance = instance if instance in self._tables.instances else None
        sizes = _sizes(row)
        for header, cell in row.items():
            if self._name == "systems" and header == "evidence":
                self._marked_rows(number, row.get("system", ""), cell)
            elif not _is_label(header, cell, instance):
                named, own_sizes = split(header)
                where = f", {header}"
                if self._name == "systems" and (place := _place(section, row)):
                    if header.endswith((" c/B", " time")):
                        self._side_by_side(number, header, cell, place)
                elif named.startswith("ratio to "):
                    self._ratio(number, where, cell, named.removeprefix("ratio to "), (candidate, instance, sizes))
                else:
                    labelled = instance or own_sizes or sizes
                    rows = self._tables.rows(candidate, instance, own_sizes or sizes)
                    rows = rows if labelled else self._tables.common(candidate)
                    said = [says(header, cell, row) for row in rows if "standing" in row] if instance else []
                    if said and None not in said:
                        self._found(number, where, cell, any(said))
                    self._cell(number, where, cell, rows, named)

    def _marked_rows(self, number: int, system: str, cell: str) -> None:
        """How many rows of this system are marked, and of how many; of others, beside.json keeps the words."""
        rows = [
            row for row in self._tables.rows(None, None, set()) if "standing" in row and row["status"] == "MEASURED"
        ]
        rows = [row for row in rows if row.get("instance")]
        for told in re.finditer(r"(\d+) of (\d+) rows marked", cell) if system == self._tables.system else ():
            there = (int(told[1]), int(told[2])) == (sum(bool(row["marks"]) for row in rows), len(rows))
            self._found(number, ", evidence", told[0], there)

    def _cell(self, number: int, where: str, cell: str, rows: list[Row], named: str) -> None:
        columns = COLUMNS.get(named, ())
        for figure, width in with_widths(_figures(cell), cell):
            if width:
                there = is_pair(figure, width, rows, columns)
            elif named == "±" or cell.startswith("="):
                there = is_width(figure, rows, named != "±")
            else:
                there = is_among(figure, rows, columns) or (not columns and self._told(figure.text))
            self._found(number, where, f"{figure.text} ± {width.text}" if width else figure.text, there)

    def _told(self, text: str) -> bool:
        """Whether a number stands in the words of any table."""
        pattern = rf"(?<![\w.]){re.escape(text)}(?![\w]|\.\d)"
        return any(re.search(pattern, words) for words in self._words())

    @cache  # noqa: B019 - one page, one audit
    def _words(self) -> list[str]:
        rows = self._tables.common(self._candidate)
        return sorted({cell for row in rows for cell in row.values() if re.search(r"\D", cell)})

    def _side_by_side(self, number: int, header: str, cell: str, place: Place) -> None:
        """A figure of systems.md: of this system from the tables, of others as they were when the page was rendered."""
        system, _, figure = header.replace(" *", "").rpartition(" ")
        figure = {"c/B": "cycles_per_byte", "time": "time"}[figure]
        if system != self._tables.system:
            there = self._tables.beside.get((system, place, figure)) == cell
            self._findings.check("figures", there or cell == "–", _elsewhere(self._file, number, header, cell))
            return
        rows = self._tables.rows(place[0], place[1], {str(place[2])})
        self._cell(number, f", {header}", cell, rows, "mean time" if figure == "time" else "cycles/byte")

    def _ratio(self, number: int, where: str, cell: str, system: str, about: tuple) -> None:
        """Cycles over those published for another system, computed here from both."""
        candidate, instance, sizes = about
        for figure in _figures(cell):
            found = False
            for row in self._tables.rows(candidate, instance, sizes):
                place = (row["candidate"], row["instance"], int(row.get("message_bytes") or 0))
                printed = _figures(self._tables.beside.get((system, place, "mean_cycles"), ""))
                column = "undisturbed_cycles" if row.get("figure") == "undisturbed" else "mean_cycles"
                cycles = numbers([row.get(column, "")])
                if printed and cycles:
                    found = found or _rounds_to(figure, cycles[0] / printed[0].value)
            self._found(number, where, figure.text, found)


def _elsewhere(file: str, number: int, header: str, cell: str) -> str:
    return f"{file}: line {number}, {header}: '{cell}' is not what report/beside.json keeps of that system."


def _is_label(header: str, cell: str, instance: str | None) -> bool:
    return (header == "instance" and cell == instance) or bool(
        re.fullmatch(r"(\d+ B|hash_\d+( to hash_\d+)?|[0-9a-f]{64})", cell)
    )


def _sizes(row: dict[str, str]) -> set[str]:
    """Message lengths that a row is about; of `hash_32 to hash_128` both ends, whose rows print alike."""
    told = (cell for header, cell in row.items() if header not in ("candidate", "instance"))
    cells = [cell for cell in told if re.fullmatch(r"\d+ B|hash_\d+( to hash_\d+)?", cell)]
    return {size for cell in cells for size in re.findall(r"\d+", cell)}


def _place(candidate: str, row: dict[str, str]) -> Place | None:
    sizes = re.fullmatch(r"(\d+) B", row.get("message", ""))
    return (candidate, row["instance"], int(sizes[1])) if sizes and "instance" in row else None


@cache
def _words_of_templates() -> frozenset[str]:
    """Numbers with units in the templates' own sentences."""
    texts = (file.read_text(encoding="utf-8") for file in TEMPLATES.glob("*.j2"))
    return frozenset(figure.text for text in texts for figure in _figures(plain(text)))
