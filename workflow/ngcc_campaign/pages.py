"""What the pages show: rows of their tables and sentences beneath them, as text, from the rows of the CSV tables."""

from __future__ import annotations

from itertools import groupby

from . import figures
from .errors import Mistake
from .figures import NOT_MEASURED

Row = dict[str, str]
MULTIPLEXED = " †"


def number(row: Row, column: str) -> float | None:
    """A cell as a number, None where it is empty."""
    try:
        return float(row[column]) if row[column] else None
    except ValueError:
        raise Mistake(f"tables: '{row[column]}' in column {column} is no number; run 'aggregate' again.") from None


def whole(row: Row, column: str) -> int | None:
    value = number(row, column)
    return None if value is None else int(value)


def verdicts(instances: list[Row]) -> list[tuple]:
    """Section 3: instance, build flags, KAT."""
    return [(row["instance"], row["flags"] or NOT_MEASURED, row["verdict"] or NOT_MEASURED) for row in instances]


def verdict_notes(instances: list[Row], kat: list[Row]) -> list[str]:
    """Why an instance is not PASS, what follows from it, why it needed the fallback flags, which files are missing."""
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
        absent = [file["file"] for file in kat if file["instance"] == name and file["verdict"] == "NOT_SUPPLIED"]
        if absent:
            notes.append(f"{name}: no expected digest is supplied for {', '.join(absent)}.")
    return notes


def sentence(text: str) -> str:
    """`text` with one full stop at its end."""
    return text.rstrip(" .") + "."


def timings(performance: list[Row]) -> list[tuple]:
    """Section 4: instance, message, mean cycles, cycles/byte, mean time, MB/s, n."""
    return [
        (
            row["instance"],
            f"{row['message_bytes']} B",
            figures.cycles(number(row, "mean_cycles")) + (MULTIPLEXED if row["multiplexed"] == "yes" else ""),
            figures.tenths(number(row, "cycles_per_byte")),
            figures.time(number(row, "mean_ns")),
            figures.tenths(number(row, "mb_per_s")),
            figures.calls(*(whole(row, column) for column in ("calls", "trials", "calls_per_trial"))),
        )
        for row in performance
    ]


def cycle_notes(performance: list[Row]) -> list[str]:
    """Where the cycles come from, a paragraph per source; with more than one, the rows that each is about."""
    sentences = {
        "perf_event": "Cycles are counts of the hardware counter in user mode, time is wall clock; neither is derived "
        "from the other.",
        "core_clock_estimate": "Cycles are estimates, not counts: the elapsed time of each trial times the core clock "
        "measured before and after it.",
        "none": f"There is no source of core cycles, so they print {NOT_MEASURED}.",
    }
    why = {"perf_event": "Note", "core_clock_estimate": "No counter", "none": "Reason"}
    measured = [row for row in performance if row["status"] == "MEASURED"]
    sources = sorted({row["cycle_source"] for row in measured})
    notes = []
    for source in sources:
        rows = [row for row in measured if row["cycle_source"] == source]
        where = f"{_where(rows, performance)}: " if len(sources) > 1 else ""
        reasons = "; ".join(sorted({row["cycle_source_reason"] for row in rows} - {""}))
        notes.append(f"{where}{sentences[source]}" + (sentence(f" {why[source]}: {reasons}") if reasons else ""))
    if any(row["multiplexed"] == "yes" for row in measured):
        notes.append(f"{MULTIPLEXED.strip()} The counter ran for a part of the time and its count is scaled up.")
    return notes


def timing_notes(performance: list[Row]) -> list[str]:
    """Which rows hold no figure and why; how far trials lie apart."""
    notes = without_figure(performance)
    spreads = [row for row in performance if row["trial_spread"]]
    if spreads:
        widest = max(spreads, key=lambda row: number(row, "trial_spread"))
        spread = figures.percent(number(widest, "trial_spread"))
        notes.append(
            f"Mean times of the trials of one row lie at most {spread} of their mean apart ({widest['instance']} "
            f"{widest['operation']}); performance.csv holds the least and the greatest of each row."
        )
    repeated = sum(whole(row, "repeated_trials") or 0 for row in performance)
    if repeated:
        notes.append(f"Trials repeated because they lost their core: {repeated}. The records hold them and say why.")
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
        notes.append(sentence(f"No figure for {_where(group, rows)}: {word}{reason}"))
    return notes


def _where(group: list[Row], rows: list[Row]) -> str:
    """The instances of `group`, each with its operations where the group does not hold all of its rows."""
    parts = []
    for instance, own in groupby(group, key=lambda row: row["instance"]):
        operations = [row["operation"] for row in own]
        complete = len(operations) == sum(row["instance"] == instance for row in rows)
        parts.append(instance if complete else f"{instance} {', '.join(operations)}")
    return "; ".join(parts)


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
    named_leaks = [(_where(group, rows), size) for (_, size), group in leaks.items()]
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


SUMMARY_BYTES = ("32", "1024", "65536")
RESOURCES = ("stack_bytes", "heap_peak_bytes", "elf_load_bytes")


def summary(candidate: object, instances: list[Row], performance: list[Row]) -> list[tuple]:
    """The index: one row per instance of a candidate, whose cell is `candidate`."""
    table = []
    for instance in instances:
        timing = {row["message_bytes"]: row for row in performance if row["instance"] == instance["instance"]}
        longest = timing[SUMMARY_BYTES[-1]]
        table.append(
            (
                candidate,
                instance["instance"],
                instance["verdict"] or NOT_MEASURED,
                *(figures.tenths(number(timing[size], "cycles_per_byte")) for size in SUMMARY_BYTES),
                figures.tenths(number(longest, "mb_per_s")),
                figures.ratio(number(longest, "ratio_to_pseudoxof")),
                *(figures.integer(number(instance, column)) for column in RESOURCES),
            )
        )
    return table
