"""The CSV tables between the stages aggregate and render: their columns, and how they are written and read.

docs/data-dictionary.md explains every column. Cells are text: an absent value is empty, a number is written so
that it reads back exactly, an id stays as it is (1e5, nan, 0007 and True are names like any other).
"""

from __future__ import annotations

import csv
from pathlib import Path

from .errors import Mistake
from .files import write_text

_INSTANCE = ("candidate", "instance")
_TIMING = (
    "status", "reason", "calls", "trials", "calls_per_trial", "repeated_trials",
    "mean_ns", "min_trial_ns", "max_trial_ns", "trial_spread",
    "mean_cycles", "min_trial_cycles", "max_trial_cycles",
    "cycle_source", "cycle_source_reason", "multiplexed", "cpus", "started_utc", "ended_utc",
    "input_sha256", "driver_sha256", "library_sha256", "record", "record_sha256",
)  # fmt: skip

COLUMNS: dict[str, tuple[str, ...]] = {
    "candidates": (
        "candidate", "category", "function", "algorithm", "version", "submission_page", "security_evaluation",
        "outcome", "reason", "archive_kind", "archive", "archive_sha256", "fetch", "fetch_sha256",
    ),
    "instances": (
        *_INSTANCE, "digest_bits", "flags", "flags_reason", "options", "compiler", "cmake", "build_warnings",
        "verdict", "reason", "timed", "timed_reason", "kat_exception", "kat_exception_cause", "kat_level",
        "kat_log", "kat_log_sha256", "library", "library_sha256",
        "elf_load_bytes", "stack_bytes", "heap_peak_bytes", "leak_bytes_per_call",
        "build", "build_sha256", "kat", "kat_sha256",
    ),
    "kat": (
        *_INSTANCE, "file", "records", "verdict", "reason", "expected_sha256", "sha256",
        "differing_record", "differing_message_bits", "differing_field", "differing_expected", "differing_actual",
        "kat", "kat_sha256",
    ),
    "performance": (
        *_INSTANCE, "digest_bits", "operation", "message_bytes", *_TIMING,
        "mb_per_s", "cycles_per_byte", "ratio_to_pseudoxof",
    ),
    "empty_call": _TIMING,
    "memory": (
        *_INSTANCE, "operation", "message_bytes", "status", "reason",
        "elf_load_bytes", "text_bytes", "rodata_bytes", "data_bytes", "bss_bytes",
        "rss_processes", "baseline_rss_kib", "peak_rss_kib",
        "call_processes", "stack_bytes", "heap_peak_bytes", "leak_bytes_per_call",
        "library_sha256", "memory", "memory_sha256",
    ),
    "environment": ("candidate", "source", "fact", "value", "files"),
    "unfit": ("fact", "expected", "found", "advice"),
    "evidence": (*_INSTANCE, "item", "file", "sha256"),
    "missing": ("candidate", "instance", "operation", "reason"),
}  # fmt: skip


def path(results: Path, name: str) -> Path:
    return results / "tables" / f"{name}.csv"


def write(results: Path, name: str, rows: list[dict]) -> None:
    """Write one table atomically; a row lacks a key where it has no value, and has none that is no column."""
    import pandas  # slow to import, and the columns are needed without it

    cells = [{key: _cell(value) for key, value in row.items()} for row in rows]
    for row in cells:
        if strange := row.keys() - set(COLUMNS[name]):
            raise KeyError(f"table {name} has no column {sorted(strange)}")
    frame = pandas.DataFrame(cells, columns=list(COLUMNS[name]), dtype=object)
    write_text(path(results, name), frame.to_csv(index=False, lineterminator="\n"))


def read(results: Path, name: str) -> list[dict[str, str]]:
    """A table's rows, every cell as text. Raises Mistake where the table is absent, damaged or of another version."""
    file = path(results, name)
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            header, *rows = csv.reader(stream, strict=True)
    except FileNotFoundError:
        raise Mistake(f"{file}: the table is not there; make it with 'aggregate'.") from None
    except (OSError, ValueError, csv.Error) as error:
        raise Mistake(f"{file}: no readable table ({error}); make it again with 'aggregate'.") from None
    if tuple(header) != COLUMNS[name] or any(len(row) != len(header) for row in rows):
        raise Mistake(f"{file}: its columns are not those of this version; make it again with 'aggregate'.")
    return [dict(zip(header, row, strict=True)) for row in rows]


def _cell(value: object) -> object:
    """Text without what a CSV reader would lose: NUL, lone surrogates, line ends other than LF."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return " ".join(str(part) for part in value)
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        return value.encode("utf-8", "replace").decode("utf-8")
    return value
