"""Whether every figure on the pages stands in the tables.

This module reads pages and tables by itself and shares no code with the stages that made them. Figures are the numbers
in the pages' Markdown tables, the times, clocks and sizes in their sentences, and the digests that they print.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from .findings import Findings
from .reading import MOMENT, Figure, cells, figures, plain, rounds_to

TEMPLATES = Path(__file__).parents[2] / "templates"
_DIGEST = re.compile(r"sha256 ([0-9a-f]{16})…|\b([0-9a-f]{64})\b")
# Columns whose header is the name of one column of the tables.
_COLUMNS = {
    "mean cycles": "mean_cycles",
    "cycles/byte": "cycles_per_byte",
    "mean time": "mean_ns",
    "MB/s": "mb_per_s",
    "baseline RSS": "baseline_rss_kib",
    "peak RSS": "peak_rss_kib",
    "static: ELF image (bytes)": "elf_load_bytes",
    "text": "text_bytes",
    "rodata": "rodata_bytes",
    "data": "data_bytes",
    "bss": "bss_bytes",
    "stack": "stack_bytes",
    "heap peak": "heap_peak_bytes",
}
# Units of figures that sentences print; a share or a count in a sentence may be one of rows, which no table holds.
_MEASURED = ("ns", "µs", "ms", "s", "KiB", "MiB", "GHz")
Row = dict[str, str]
Place = tuple[str, str, int]


class Tables:
    """The rows of all tables, by what they are about; and what pages show of other systems (report/beside.json)."""

    def __init__(self, stored: dict[str, list[Row]], beside: dict | None) -> None:
        self.system = stored["campaign"][0]["system"] if stored.get("campaign") else ""
        self.candidates = {row["candidate"] for row in stored.get("candidates", ())}
        self.digests: set[str] = set()
        self.moments: set[str] = set()
        self._rows: dict[tuple, list[Row]] = defaultdict(list)
        self._campaign: list[Row] = []
        self.instances: set[str] = set()
        for row in (row for rows in stored.values() for row in rows):
            self._add(row)
        self.beside = _figures_beside(beside)

    def _add(self, row: Row) -> None:
        candidate, instance, size = (row.get(key) or None for key in ("candidate", "instance", "message_bytes"))
        if instance:
            self.instances.add(instance)
        if not candidate:
            self._campaign.append(row)
        self.digests |= {cell for cell in row.values() if re.fullmatch("[0-9a-f]{64}", cell)}
        self.moments |= {cell for cell in row.values() if MOMENT.match(cell)}
        for key in {(c, i, s) for c in (candidate, None) for i in (instance, None) for s in (size, None)}:
            self._rows[key].append(row)

    def common(self, candidate: str | None) -> list[Row]:
        """Rows about a candidate and those about the whole campaign; all rows where there is no candidate."""
        return self._rows[candidate, None, None] + (self._campaign if candidate else [])

    def rows(self, candidate: str | None, instance: str | None, sizes: set[str]) -> list[Row]:
        """Rows about a candidate, an instance and one of some message lengths; None and an empty set: about any."""
        keys = [(candidate, instance, size) for size in sizes or [None]]
        return [row for key in keys for row in self._rows[key]]


def _figures_beside(beside: dict | None) -> dict[tuple[str, Place, str], str]:
    """What other systems' figures print as, by system, place and figure."""
    found = {}
    if beside:
        named = [(column, ("cycles_per_byte", "time")) for column in beside["columns"]]
        named += [(beside["compared"], ("mean_cycles",))] if beside["compared"] else []
        for column, figures in named:
            for row in column["figures"]:
                place = (row["candidate"], row["instance"], row["message_bytes"])
                found |= {(column["system"], place, figure): row[figure] for figure in figures}
    return found


def check(pages: dict[str, str], stored: dict[str, list[Row]], beside: dict | None, findings: Findings) -> None:
    """Look up every figure of the `pages`, texts by name."""
    tables = Tables(stored, beside)
    for name, text in pages.items():
        _Page(name, tables, findings).check(text)


class _Page:
    def __init__(self, name: str, tables: Tables, findings: Findings) -> None:
        self._name, self._tables, self._findings = name, tables, findings
        self._candidate = name if name in tables.candidates else None

    def check(self, text: str) -> None:
        section, header, start = "", [], 0
        for number, line in enumerate(text.split("\n"), 1):
            if line.startswith("## "):
                section = line[3:]
            if not line.startswith("|"):
                header = []
                self._sentence(number, line)
            elif not header:
                header, start = cells(line), number
            elif number > start + 1 and "formula" not in header:
                self._row(number, section, dict(zip(header, cells(line), strict=False)))
            self._digests_and_moments(number, line)

    def _found(self, number: int, where: str, figure: str, there: bool) -> None:
        sentence = f"report/{self._name}.md: line {number}{where}: {figure} is not in the tables."
        self._findings.check("figures", there, sentence)

    def _digests_and_moments(self, number: int, line: str) -> None:
        for match in _DIGEST.finditer(line):
            digest = match[1] or match[2]
            there = any(known.startswith(digest) for known in self._tables.digests)
            sentence = f"report/{self._name}.md: line {number}: no file has SHA-256 {digest}."
            self._findings.check("digests", there, sentence)
        for match in MOMENT.finditer(line):
            there = any(known.startswith(match[0]) for known in self._tables.moments)
            self._found(number, "", match[0], there)

    def _sentence(self, number: int, line: str) -> None:
        """Figures with a unit that no template has in its own words."""
        for figure in figures(plain(line)):
            if figure.unit in _MEASURED and figure.text not in _words_of_templates():
                rows = self._tables.common(self._candidate)
                self._found(number, "", figure.text, _is_among(figure, rows, None) or self._told(figure.text))

    def _row(self, number: int, section: str, row: dict[str, str]) -> None:
        candidate = self._candidate or next((cell for cell in row.values() if cell in self._tables.candidates), None)
        if self._name == "systems":
            candidate = section if section in self._tables.candidates else None
        instance = next((cell for cell in row.values() if cell in self._tables.instances), None)
        sizes = _sizes(row)
        for header, cell in row.items():
            if not _is_label(cell, instance):
                named, own_sizes = _split(header)
                where = f", {header}"
                if self._name == "systems" and (place := _place(section, row)):
                    if " (" in header:
                        self._side_by_side(number, header, cell, place)
                elif named.startswith("ratio to "):
                    self._ratio(number, where, cell, named.removeprefix("ratio to "), (candidate, instance, sizes))
                else:
                    labelled = instance or own_sizes or sizes
                    rows = self._tables.rows(candidate, instance, own_sizes or sizes)
                    rows = rows if labelled else self._tables.common(candidate)
                    self._cell(number, where, cell, rows, _COLUMNS.get(named) if instance else None)

    def _cell(self, number: int, where: str, cell: str, rows: list[Row], column: str | None) -> None:
        for figure in figures(cell):
            there = _is_among(figure, rows, column) or (not column and self._told(figure.text))
            self._found(number, where, figure.text, there)

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
        system, _, figure = header.partition(" (")
        figure = {"cycles/byte": "cycles_per_byte", "time": "time"}.get(figure.rpartition(") ")[2], "")
        if system != self._tables.system:
            there = self._tables.beside.get((system, place, figure)) == cell
            self._findings.check("figures", there or cell == "–", _elsewhere(self._name, number, header, cell))
            return
        rows = self._tables.rows(place[0], place[1], {str(place[2])})
        self._cell(number, f", {header}", cell, rows, "mean_ns" if figure == "time" else figure)

    def _ratio(self, number: int, where: str, cell: str, system: str, about: tuple) -> None:
        """Cycles over those published for another system, computed here from both."""
        candidate, instance, sizes = about
        for figure in figures(cell):
            found = False
            for row in self._tables.rows(candidate, instance, sizes):
                place = (row["candidate"], row["instance"], int(row.get("message_bytes") or 0))
                printed = figures(self._tables.beside.get((system, place, "mean_cycles"), ""))
                cycles = _numbers([row.get("mean_cycles", "")])
                if printed and cycles:
                    found = found or rounds_to(figure, cycles[0] / printed[0].value)
            self._found(number, where, figure.text, found)


def _elsewhere(page: str, number: int, header: str, cell: str) -> str:
    return f"report/{page}.md: line {number}, {header}: '{cell}' is not what report/beside.json keeps of that system."


def _is_label(cell: str, instance: str | None) -> bool:
    return cell == instance or bool(re.fullmatch(r"(\d+ B|hash_\d+( to hash_\d+)?|[0-9a-f]{64}|–)", cell))


def _sizes(row: dict[str, str]) -> set[str]:
    """Message lengths that a row is about; of `hash_32 to hash_128` both ends, whose rows print alike."""
    cells = [cell for cell in row.values() if re.fullmatch(r"\d+ B|hash_\d+( to hash_\d+)?", cell)]
    return {size for cell in cells for size in re.findall(r"\d+", cell)}


def _split(header: str) -> tuple[str, set[str]]:
    """`cycles/byte 32 B` as the figure's name and the message length."""
    match = re.fullmatch(r"(.+) (\d+) B", header)
    return (match[1], {match[2]}) if match else (header, set())


def _place(candidate: str, row: dict[str, str]) -> Place | None:
    sizes = re.fullmatch(r"(\d+) B", row.get("message", ""))
    return (candidate, row["instance"], int(sizes[1])) if sizes and "instance" in row else None


def _is_among(figure: Figure, rows: Iterable[Row], column: str | None) -> bool:
    cells = ([row.get(column, "")] if column else row.values() for row in rows)
    return any(rounds_to(figure, value) for own in cells for value in _numbers(own))


def _numbers(cells: Iterable[str]) -> list[float]:
    found = (number for cell in cells for number in (cell.split(" ") if len(cell) < 60 else ()))
    return [value for text in found if re.match(r"-?\d", text) and (value := _float(text)) is not None]


@cache
def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


@cache
def _words_of_templates() -> frozenset[str]:
    """Numbers with units in the templates' own sentences."""
    texts = (file.read_text(encoding="utf-8") for file in TEMPLATES.glob("*.j2"))
    return frozenset(figure.text for text in texts for figure in figures(plain(text)))
