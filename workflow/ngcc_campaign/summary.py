"""The table of index.md: all instances at a glance."""

from __future__ import annotations

from . import figures, pages
from .comparison import Comparison
from .figures import NOT_MEASURED
from .pages import Row

SHOWN_BYTES = ("32", "1024", "65536")
LONGEST = SHOWN_BYTES[-1]
HEADER = (
    "candidate", "instance", "KAT", *(f"cycles/byte {size} B" for size in SHOWN_BYTES), f"MB/s {LONGEST} B",
    "ratio", "stack", "heap", "ELF image",
)  # fmt: skip
# What the columns mean that are left out where no row has a value.
OPTIONAL = {
    "ratio": f"cycles over those of pseudoXOF of the same digest width at {LONGEST} B, measured in this campaign",
    "stack": "of a call, in bytes",
    "heap": "of a call, in bytes",
}
_RESOURCES = ("stack_bytes", "heap_peak_bytes", "elf_load_bytes")


def measured(candidate: object, instances: list[Row], performance: list[Row]) -> list[tuple]:
    """The rows of one candidate, whose cell is `candidate`: one per instance, with a cell for each of HEADER."""
    table = []
    for instance in instances:
        timing = {row["message_bytes"]: row for row in performance if row["instance"] == instance["instance"]}
        table.append(
            (
                candidate,
                instance["instance"],
                instance["verdict"] or NOT_MEASURED,
                *(figures.tenths(pages.number(timing[size], "cycles_per_byte")) for size in SHOWN_BYTES),
                figures.tenths(pages.number(timing[LONGEST], "mb_per_s")),
                figures.ratio(pages.number(timing[LONGEST], "ratio_to_pseudoxof")),
                *(figures.integer(pages.number(instance, column)) for column in _RESOURCES),
            )
        )
    return table


def context(rows: list[tuple], longest: list[Row], comparison: Comparison | None) -> dict:
    """What index.md.j2 shows of `rows`: the columns that hold anything, what the optional ones mean, and a note.

    `longest` are the rows of performance, at LONGEST, that `rows` belong to.
    """
    header, optional = HEADER, OPTIONAL
    ratios, note = comparison.beside(longest) if comparison else ([], "")
    if ratios:
        place = HEADER.index("ratio") + 1
        header = (*HEADER[:place], comparison.title, *HEADER[place:])
        rows = [(*row[:place], ratio, *row[place:]) for row, ratio in zip(rows, ratios, strict=True)]
        optional = OPTIONAL | {comparison.title: f"of the cycles at {LONGEST} B"}
    kept = [at for at, title in enumerate(header) if title not in optional or _holds_anything(rows, at)]
    return {
        "summary_header": [header[at] for at in kept],
        "summary": [tuple(row[at] for at in kept) for row in rows],
        "meanings": optional,
        "comparison_notes": [note] if note else [],
    }


def _holds_anything(rows: list[tuple], column: int) -> bool:
    return any(row[column] != NOT_MEASURED for row in rows)


def at_longest(instances: list[Row], performance: list[Row]) -> list[Row]:
    """Of each instance, its row of performance at the longest message."""
    longest = {(row["candidate"], row["instance"]): row for row in performance if row["message_bytes"] == LONGEST}
    return [longest[instance["candidate"], instance["instance"]] for instance in instances]
