"""What the pages show: rows of their tables and sentences beneath them, as text, from the rows of the CSV tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from . import figures
from .figures import NOT_MEASURED
from .markdown import Markdown, link

if TYPE_CHECKING:
    from ..published.comparison import Comparison

Row = dict[str, str]
MULTIPLEXED = " †"


def number(row: Row, column: str) -> float | None:
    """A cell as a number, None where it is empty; tables are checked when they are read."""
    return float(row[column]) if row[column] else None


def whole(row: Row, column: str) -> int | None:
    value = number(row, column)
    return None if value is None else int(value)


def figure_column(row: Row, unit: str) -> str:
    """The column of the figure of a measured row that comparisons take, by the rule of timing.figure."""
    return f"{'undisturbed' if row['figure'] == 'undisturbed' else 'mean'}_{unit}"


def of(rows: list[Row], candidate: str) -> list[Row]:
    return [row for row in rows if row["candidate"] == candidate]


def basic(told: Row, origin: str, instances: list[str]) -> list[tuple]:
    """Section 1, from the candidate's row; `origin` says where the implementation comes from."""
    links = [("security evaluation", told["security_evaluation"]), ("method", "method.md")]
    links.append(("submission page", told["submission_page"]))
    return [
        ("category", told["category"]),
        ("function", told["function"]),
        ("algorithm", told["algorithm"]),
        ("implementation versions", f"{told['version']} ({origin})" if origin else told["version"]),
        ("parameter sets", ", ".join(instances) or NOT_MEASURED),
        ("links", Markdown(" · ".join(link(text, address) for text, address in links if address))),
    ]


def verdicts(instances: list[Row]) -> list[tuple]:
    """Section 3: instance, build flags, KAT."""
    return [(row["instance"], row["flags"] or NOT_MEASURED, row["verdict"] or NOT_MEASURED) for row in instances]


def verdict_notes(instances: list[Row], kat: list[Row]) -> list[str]:
    """Why an instance is not PASS, what follows from it, why it needed the fallback flags, what it has of libc's."""
    notes = []
    for row in instances:
        name = row["instance"]
        if row["verdict"] != "PASS":
            notes.append(sentence(f"{name}: {row['verdict'] or 'no verdict'}: {row['reason']}"))
        if row["kat_exception"]:
            done = "timed all the same" if row["kat_exception"] == "measure" else "excluded from timing"
            notes.append(sentence(f"{name} is {done}, by its candidate file: {row['kat_exception_cause']}"))
        if row["flags_reason"]:
            notes.append(sentence(f"{name}: flags {row['flags'] or 'none'}, as flags guide gave {row['flags_reason']}"))
        if row["libc_names"]:
            own = _first(row["libc_names"].split())
            notes.append(f"{name} defines itself what libc also offers: {own}; its calls go to its own.")
        absent = [file["file"] for file in kat if file["instance"] == name and file["verdict"] == "NOT_SUPPLIED"]
        if absent:
            notes.append(f"{name}: no expected digest is supplied for {', '.join(absent)}.")
    return notes


def _first(names: list[str], mentioned: int = 8) -> str:
    """Names with commas; of many, the first ones and how many more there are."""
    more = f" and {len(names) - mentioned} more" if len(names) > mentioned else ""
    return f"{', '.join(names[:mentioned])}{more}"


def sentence(text: str) -> str:
    """`text` with one full stop at its end."""
    return text.rstrip(" .") + "."


TIMINGS = ("instance", "message", "mean cycles", "cycles/byte", "mean time", "MB/s", "n")


def beside(header: Sequence[str], cells: list[tuple], performance: list[Row], comparison: Comparison | None) -> dict:
    """What candidate.md.j2 shows of section 4's `cells`: with a column of ratios where there are any."""
    ratios, note = comparison.beside(performance) if comparison else ([], "")
    titles = [*header, *([comparison.title] if ratios else [])]
    return {
        "timings_header": titles,
        "timings": [(*row, ratio) for row, ratio in zip(cells, ratios, strict=True)] if ratios else cells,
        "timings_right": [column for column, title in enumerate(titles) if column > 1 and title != "marks"],
        "comparison_notes": [note] if note else [],
    }


def cycle_notes(performance: list[Row]) -> list[str]:
    """Where the cycles come from, a paragraph per source; with more than one, the rows that each is about."""
    sentences = {
        "perf_event": "Cycles are counts of the hardware counter in user mode, time is wall clock; neither is derived "
        "from the other.",
        "core_clock_estimate": "Cycles are estimates, not counts: the elapsed time of each trial times the core clock "
        "measured before and after it.",
        "none": f"There is no source of core cycles: tables that have a column of them print {NOT_MEASURED}.",
    }
    why = {"perf_event": "Note", "core_clock_estimate": "No counter", "none": "Reason"}
    measured = [row for row in performance if row["status"] == "MEASURED"]
    sources = sorted({row["cycle_source"] for row in measured})
    notes = []
    for source in sources:
        rows = [row for row in measured if row["cycle_source"] == source]
        where = f"{places(rows, performance)}: " if len(sources) > 1 else ""
        reasons = "; ".join(sorted({row["cycle_source_reason"] for row in rows} - {""}))
        notes.append(f"{where}{sentences[source]}" + (sentence(f" {why[source]}: {reasons}") if reasons else ""))
    if any(row["multiplexed"] == "yes" for row in measured):
        notes.append(f"{MULTIPLEXED.strip()} The counter ran for a part of the time and its count is scaled up.")
    return notes


def without_figure(rows: list[Row]) -> list[str]:
    """One sentence per instance and reason for the rows without figures."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        if row["status"] != "MEASURED":
            groups.setdefault((row["instance"], row["status"], row["reason"]), []).append(row)
    notes = []
    for (_, status, reason), group in groups.items():
        word = "" if status in ("NOTTIMED", "EXCLUDED", "STALE") else f"{status}: "
        notes.append(sentence(f"No figure for {places(group, rows)}: {word}{reason}"))
    return notes


def places(group: list[Row], rows: list[Row]) -> str:
    """The instances of `group`, each with its operations where the group does not hold all of its rows."""
    parts = []
    for instance, own in groupby(group, key=lambda row: row["instance"]):
        operations = [row["operation"] for row in own]
        complete = len(operations) == sum(row["instance"] == instance for row in rows)
        parts.append(instance if complete else f"{instance} {', '.join(operations)}")
    return "; ".join(parts)


RESIDENT = (
    "The resident set is that of the whole process, most of it driver and libc, and the kernel decides how much of"
    " these is resident: where rows differ by some tens of KiB, that says nothing of an instance."
)


def memory(rows: list[Row]) -> list[tuple]:
    """Section 5: instance, operation, ELF image, baseline RSS, peak RSS."""
    return [
        (
            row["instance"],
            row["operation"],
            figures.integer(number(row, "elf_load_bytes")),
            figures.kib(number(row, "baseline_rss_kib")),
            figures.kib(number(row, "peak_rss_kib")),
        )
        for row in rows
    ]


FOOTPRINT = ("text", "rodata", "data", "bss", "stack", "heap_peak")


def footprint(rows: list[Row]) -> list[tuple]:
    """Section 5, second table: the library's sections and one call's own memory; equal operations share a row."""
    cells = [
        (
            row["instance"],
            *(figures.integer(number(row, f"{part}_bytes")) for part in FOOTPRINT),
            figures.integer(number(row, "leak_bytes_per_call")),
            row["operation"],
        )
        for row in rows
    ]
    table = []
    for equal, group in groupby(cells, key=lambda cell: cell[:-1]):
        operations = [cell[-1] for cell in group]
        span = operations[0] if len(operations) == 1 else f"{operations[0]} to {operations[-1]}"
        table.append((equal[0], span, *equal[1:]))
    return table


def memory_notes(rows: list[Row]) -> list[str]:
    """Leaks by name, then the rows without figures."""
    leaks: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        size = number(row, "leak_bytes_per_call")
        if size is not None and size >= 1:
            leaks.setdefault((row["instance"], figures.integer(size)), []).append(row)
    named_leaks = [(places(group, rows), size) for (_, size), group in leaks.items()]
    notes = [f"Leak: {where}: each call leaves {size} bytes behind." for where, size in named_leaks]
    return notes + without_figure(rows)


def evidence(rows: list[Row]) -> list[tuple]:
    """Section 7: instance, item, file."""
    return [(row["instance"], row["item"], row["file"]) for row in rows]


def missing(rows: list[Row]) -> list[tuple]:
    """Candidate, instance, what, why; operations of one instance that share the reason share a row."""
    table = []
    for (candidate, instance, reason), group in groupby(
        rows, key=lambda row: (row["candidate"], row["instance"], row["reason"])
    ):
        operations = ", ".join(row["operation"] for row in group) or "everything"
        table.append((candidate or NOT_MEASURED, instance or NOT_MEASURED, operations, reason))
    return table
