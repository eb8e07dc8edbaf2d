"""A candidate's tables for a paper, report/latex/<candidate>.tex: the figures of its page, by booktabs."""

from __future__ import annotations

import re
from functools import cache

import jinja2

from ..common import root
from ..common.printable import printable
from . import figures, marks, pages, summary
from .figures import NOT_MEASURED
from .pages import Row, number

FOLDER = "latex"
TEMPLATES = root.TEMPLATES / "latex"
# What TeX takes for something else; and our own signs, which not every engine and font has.
_ESCAPED = str.maketrans(
    {sign: f"\\{sign}" for sign in "{}$&#%_"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "`": "{`}"}
    | {"[": "{[}", "]": "{]}", '"': r"{\char34}"}
    | {sign: f"${sign}$" for sign in "<>|*"}
    | {"±": r"$\pm$", "×": r"$\times$", "µ": r"$\mu$", "·": r"$\cdot$", "−": "$-$", "≈": r"$\approx$", "⁶": "$^6$"}
    | {NOT_MEASURED: r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}", "†": r"\dag{}"}
)
# What the figures of each kind of cost are, by their column on the page.
_TITLES = {summary.CYCLES: "Core cycles per byte", summary.TIME: "Mean time of a call"}
_PARTS = ("elf_load", *pages.FOOTPRINT)
_HEADERS = {"elf_load": "ELF image", "heap_peak": "heap"}


class Latex(str):
    """Text that is LaTeX already and is not escaped again."""


def escape(value: object) -> Latex:
    """A text as LaTeX for a line or a cell: nothing in it is a command, ends a cell or becomes another character."""
    if isinstance(value, Latex):
        return value
    return Latex(re.sub("-(?=-)", "-{}", printable(value).translate(_ESCAPED)))


def name(candidate: str) -> str:
    """The file of a candidate, below report/."""
    return f"{FOLDER}/{candidate}.tex"


def text(stored: dict[str, list[Row]], shown: dict) -> str:
    """The file of a candidate, of whose page `shown` is what it shows; `stored` are the tables."""
    costs, letters = _costs(shown)
    told = {"marks": letters, "notes": _notes(stored, shown, letters), "label": _label(shown)}
    return _template().render(shown | costs | told | _footprint(stored, shown))


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        finalize=escape,  # whatever the template prints is escaped, unless it is LaTeX by its type
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["comment"] = lambda text: Latex(printable(text))
    return environment.get_template("candidate.tex.j2")


def _label(shown: dict) -> str:
    return f"{shown['told']['candidate']}-{shown['system']}".replace("_", "-")


def _costs(shown: dict) -> tuple[dict, dict[str, str]]:
    """Of each instance a figure for each message length, the letters of its marks, and half of its interval.

    And the letter of each mark that there is.
    """
    table = [dict(zip(shown["timings_header"], row, strict=True)) for row in shown["timings"]]
    timed = [row for row in table if row[summary.TIME] != NOT_MEASURED]
    cost = summary.TIME if timed and all(row[summary.CYCLES] == NOT_MEASURED for row in timed) else summary.CYCLES
    words = {word for row in table for word in row.get("marks", "").split()}
    letters = dict(zip((word for word in marks.MEANINGS if word in words), "abcdefg", strict=False))
    rows = []
    for instance in dict.fromkeys(row["instance"] for row in table):
        own = [row for row in table if row["instance"] == instance]
        cells = [(row[cost], "".join(letters[word] for word in row.get("marks", "").split())) for row in own]
        halves = [_half(row, cost) for row in own]
        rows.append((instance, cells, halves if any(halves) else []))
    sizes = list(dict.fromkeys(row["message"] for row in table))
    found = {"title": _TITLES[cost], "sizes": sizes, "rows": rows}
    return found | {"widths": any(halves for _, _, halves in rows)}, letters


def _half(row: dict, cost: str) -> str:
    width = row.get("±", NOT_MEASURED)
    return "" if NOT_MEASURED in (row[cost], width) else f"±{width.removesuffix(' %')}"


def _notes(stored: dict[str, list[Row]], shown: dict, letters: dict[str, str]) -> list[str]:
    """What a reader of the table has to know: what speaks against all figures or some, and what they are."""
    notes = ["An emulator ran the programs: no figure is a measurement."] if shown["emulated"] else []
    if shown["unfit"]:
        told = "; ".join(f"{one['fact']}: expected {one['expected']}, found {one['found']}" for one in shown["unfit"])
        notes.append(f"The host is not fit to measure for publication ({told}).")
    notes += shown["cycle_notes"]
    if letters:
        notes.append("; ".join(f"{letter}: {word}, {marks.MEANINGS[word]}" for word, letter in letters.items()) + ".")
    if "performance" not in stored:
        return notes + shown["timing_notes"]
    own = {name: pages.of(stored[name], shown["told"]["candidate"]) for name in ("instances", "performance")}
    failed = [row for row in own["instances"] if row["verdict"] != "PASS"]
    return notes + pages.verdict_notes(failed, []) + pages.without_figure(own["performance"])


def _footprint(stored: dict[str, list[Row]], shown: dict) -> dict:
    """The parts of each library, and the stack and heap of a call, the most over all messages; published: the image."""
    candidate = shown["told"]["candidate"]
    published = "published_performance" in stored
    rows = pages.of(stored["published_performance" if published else "memory"], candidate)
    parts = _PARTS[:1] if published else _PARTS
    table = []
    for instance in dict.fromkeys(row["instance"] for row in rows):
        own = [row for row in rows if row["instance"] == instance]
        sizes = ([number(row, f"{part}_bytes") for row in own if row[f"{part}_bytes"]] for part in parts)
        table.append((instance, [figures.integer(max(found, default=None)) for found in sizes]))
    return {"footprint": [_HEADERS.get(part, part) for part in parts], "memory": table}
