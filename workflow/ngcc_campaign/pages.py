"""What the pages show: rows of their tables and sentences beneath them, as text, from the rows of the CSV tables."""

from __future__ import annotations

from itertools import groupby

from . import figures
from .comparison import Comparison
from .figures import NOT_MEASURED
from .markdown import Markdown, link

Row = dict[str, str]
# A record was disturbed where its trials lie further apart than this share of their mean, or its mean lies further
# above its fastest batch: what runs beside it all the time slows all trials alike.
UNSTEADY_TRIALS, UNSTEADY_BATCHES = 0.05, 0.10
_CRITERIA = (
    f"the trials' mean times lie more than {UNSTEADY_TRIALS * 100:.0f} % apart, or the mean more than"
    f" {UNSTEADY_BATCHES * 100:.0f} % above the fastest batch"
)
MULTIPLEXED = " †"


def number(row: Row, column: str) -> float | None:
    """A cell as a number, None where it is empty; tables are checked when they are read."""
    return float(row[column]) if row[column] else None


def whole(row: Row, column: str) -> int | None:
    value = number(row, column)
    return None if value is None else int(value)


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


TIMINGS = ("instance", "message", "mean cycles", "cycles/byte", "mean time", "MB/s", "n")


def timings(performance: list[Row]) -> list[tuple]:
    """Section 4, a row for each of TIMINGS' columns."""
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


def beside(cells: list[tuple], performance: list[Row], comparison: Comparison | None) -> dict:
    """What candidate.md.j2 shows of section 4's `cells`: with a column of ratios where there are any."""
    ratios, note = comparison.beside(performance) if comparison else ([], "")
    return {
        "timings_header": [*TIMINGS, *([comparison.title] if ratios else [])],
        "timings": [(*row, ratio) for row, ratio in zip(cells, ratios, strict=True)] if ratios else cells,
        "comparison_notes": [note] if note else [],
    }


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
    notes += unsteady(performance)
    return notes


def _unsteadiness(row: Row) -> tuple[float, float]:
    """How far the trials of a measured row lie apart, and the mean above the fastest batch, as shares of 1."""
    mean, apart = number(row, "mean_ns"), number(row, "max_trial_ns") - number(row, "min_trial_ns")
    return apart / mean, mean / number(row, "fastest_batch_ns") - 1


def _unsteady(row: Row) -> bool:
    trials, batches = _unsteadiness(row)
    return trials > UNSTEADY_TRIALS or batches > UNSTEADY_BATCHES


def unsteady(performance: list[Row]) -> list[str]:
    """Which rows were disturbed, named with how far; that none were, and how far at most, where that is so."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    if not measured:
        return []
    far = [row for row in measured if _unsteady(row)]
    if not far:
        trials, batches = (figures.percent(max(shares)) for shares in zip(*map(_unsteadiness, measured), strict=True))
        return [f"Mean times of the trials of one row lie at most {trials} apart, {batches} above its fastest batch."]
    groups: dict[str, list[str]] = {}
    for row in far:
        groups.setdefault(row["instance"], []).append(
            f"{row['operation']} ({figures.percent(max(_unsteadiness(row)))})"
        )
    listed = "; ".join(f"{instance}: {', '.join(rows)}" for instance, rows in groups.items())
    return [
        f"Unsteady: in {len(far)} of {len(measured)} rows {_CRITERIA}; the larger of the two stands with each."
        f" Something else ran on the core or its sibling, and these figures are too high: {listed}."
    ]


def unsteady_share(performance: list[Row]) -> list[str]:
    """For the index, one sentence; none where no row is unsteady."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    far = [max(_unsteadiness(row)) for row in measured if _unsteady(row)]
    if not far:
        return []
    return [
        f"Unsteady: {len(far)} of {len(measured)} records, where {_CRITERIA}, up to {figures.percent(max(far))}. Their"
        " figures are too high; each page names its own."
    ]


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
