"""The CSV tables between the stages aggregate and render: their columns, and how they are written and read.

docs/data-dictionary.md explains every column. Cells are text: an absent value is empty, a number is written so
that it reads back exactly, an id stays as it is (1e5, nan, 0007 and True are names like any other).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from ..campaign.catalog import MESSAGE_BYTES
from ..common.errors import Mistake
from ..common.files import write_text
from ..measure.own import OWN

# Of a cell; Python's csv reads 131,072 at most.
MOST_CHARACTERS = 100_000

_INSTANCE = ("candidate", "instance")
_FIGURES = (
    "mean", "half_width", "median_trial", "min_trial", "max_trial", "fastest_batch", "spread_between", "spread_within",
    "undisturbed", "undisturbed_half_width",
)  # fmt: skip
_TIMING = (
    "status", "reason", "calls", "trials", "calls_per_trial", "batches", "calls_per_batch", "stopped",
    *(f"{figure}_ns" for figure in _FIGURES), *(f"{figure}_cycles" for figure in _FIGURES),
    "figure", "marks", "undisturbed_share", "undisturbed_trials", "disturbed_batches", "canary_best_ns",
    "outlying_trials", "repeats_factor", "unaccounted_ns", "cycle_source", "cycle_source_reason", "multiplexed", "cpus",
    "started_utc", "ended_utc", "input_sha256", "driver_sha256", "library_sha256", "record", "record_sha256",
)  # fmt: skip

# The tables of a campaign whose figures come from records, measured now or stored earlier.
COLUMNS: dict[str, tuple[str, ...]] = {
    "candidates": (
        "candidate", "category", "function", "algorithm", "version", "submission_page", "security_evaluation",
        "outcome", "reason", "archive_kind", "archive", "archive_sha256", "fetch", "fetch_sha256",
    ),
    "instances": (
        *_INSTANCE, "digest_bits", "flags", "flags_reason", "options", "compiler", "cmake", "build_warnings",
        "libc_names", "verdict", "reason", "timed", "timed_reason", "kat_exception", "kat_exception_cause", "kat_level",
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
        "mb_per_s", "cycles_per_byte", "overhead_share", "ratio_to_pseudoxof", "ratio_half_width", "standing",
    ),
    "own": ("name", "operation", "message_bytes", *_TIMING),
    "fit": (
        *_INSTANCE, "digest_bits", "points", "unit", "cycle_source", "fixed", "fixed_half_width", "slope",
        "slope_half_width", "worst_residual", "worst_residual_bytes",
    ),
    "noise": ("message_bytes", "unit", "figure_a", "half_width_a", "figure_b", "half_width_b", "difference", "marks"),
    "control": ("control", "started_utc", "unit", "figure", "half_width", "relative_to_start"),
    "memory": (
        *_INSTANCE, "operation", "message_bytes", "status", "reason",
        "elf_load_bytes", "text_bytes", "rodata_bytes", "data_bytes", "bss_bytes",
        "rss_processes", "baseline_rss_kib", "peak_rss_kib",
        "call_processes", "stack_bytes", "heap_peak_bytes", "leak_bytes_per_call",
        "library_sha256", "memory", "memory_sha256",
    ),
    "ranking": (
        "digest_bits", "metric", "message_bytes", *_INSTANCE, "unit", "value", "half_width", "place", "shared",
        "reason",
    ),
    "environment": ("candidate", "source", "fact", "value", "files"),
    "conformance": ("fact", "expected", "found", "asked_by", "fits"),
    "unfit": ("fact", "expected", "found", "advice"),
    "evidence": (*_INSTANCE, "item", "file", "sha256"),
    "missing": ("candidate", "instance", "operation", "reason"),
    "campaign": (
        "system", "description", "evidence", "statement", "emulated", "records_there", "records_asked", "noise_floor",
    ),
}  # fmt: skip

# Those of a report of published figures, which are texts as printed and stand in tables of their own.
PUBLISHED: dict[str, tuple[str, ...]] = {
    "candidates": COLUMNS["candidates"],
    "published_kat": (*_INSTANCE, "digest_bits", "build_flags", "kat", "kat_log_sha256_prefix"),
    "published_performance": (
        *_INSTANCE, "message_bytes", "mean_cycles", "cycles_per_byte", "mean_time", "throughput_MB_per_s",
        "measurements", "trials", "iterations_per_trial", "elf_load_bytes", "baseline_rss_kib", "peak_rss_kib",
    ),
    "published_environment": ("part", "item", "value"),
    "ranking": COLUMNS["ranking"],
    "missing": COLUMNS["missing"],
    "campaign": COLUMNS["campaign"],
}  # fmt: skip

_ALL = COLUMNS | PUBLISHED

# The one fact of unfit.csv that records tell, and not the host.
UNSTEADY_CLOCK = "core clock, measured"

# The columns that tell the rows of a table apart; of tables with none there is one row.
_KEYS: dict[str, tuple[str, ...]] = {
    "candidates": ("candidate",), "instances": _INSTANCE, "kat": (*_INSTANCE, "file"),
    "performance": (*_INSTANCE, "message_bytes"), "own": ("name",), "fit": _INSTANCE, "noise": ("message_bytes",),
    "ranking": ("digest_bits", "metric", *_INSTANCE), "control": ("control",), "memory": (*_INSTANCE, "message_bytes"),
    "environment": ("candidate", "source", "fact", "value"), "campaign": (),
    "published_kat": _INSTANCE, "published_performance": (*_INSTANCE, "message_bytes"),
    "published_environment": ("part", "item"),
}  # fmt: skip

# How cells look that render makes numbers or sentences of; what is published is text, as printed.
_COUNT, _NUMBER = r"[0-9]{1,20}", r"[0-9]{1,20}(\.[0-9]{1,20})?(e[+-]?[0-9]{1,2})?"
_MARK = "disturbed|few|imprecise|outlier|unaccounted|remembers|overhead"
_REQUIRED = {"message_bytes": _COUNT, "files": _COUNT}
_OPTIONAL = {
    **dict.fromkeys(
        ("calls", "trials", "calls_per_trial", "batches", "calls_per_batch", "undisturbed_trials", "canary_best_ns"),
        _COUNT,
    ),
    **dict.fromkeys(
        (
            *(f"{figure}_{unit}" for figure in _FIGURES for unit in ("ns", "cycles")), "undisturbed_share",
            "mb_per_s", "cycles_per_byte", "overhead_share", "ratio_to_pseudoxof", "ratio_half_width", "noise_floor",
            "fixed_half_width", "slope_half_width", "figure_a", "half_width_a", "figure_b", "half_width_b",
            "difference", "half_width", "repeats_factor",
            "elf_load_bytes", "text_bytes", "rodata_bytes", "data_bytes", "bss_bytes",
            "baseline_rss_kib", "peak_rss_kib", "stack_bytes", "heap_peak_bytes", "leak_bytes_per_call",
        ),
        _NUMBER,
    ),
    **dict.fromkeys(("fixed", "slope", "worst_residual", "relative_to_start", "unaccounted_ns"), f"-?{_NUMBER}"),
    "cycle_source": "perf_event|core_clock_estimate|none",
    "stopped": "precision|budget|trials",
    "unit": "ns|cycles",
    "standing": "best|tied",
    "marks": f"({_MARK})( ({_MARK}))*",
}  # fmt: skip
# Of ranking.csv, where a metric may be of no message length; and its columns that are never empty.
_RANKING = {
    **dict.fromkeys(("digest_bits", "message_bytes", "place", "shared"), _COUNT),
    **dict.fromkeys(("value", "half_width"), _NUMBER),
    "metric": r"overall|cost_[0-9]{1,20}|throughput_[0-9]{1,20}|stack|heap|elf_load",
    "unit": "cycles/byte|ns|MB/s|byte|place",
}
_TOLD = ("digest_bits", "metric", "unit")
_NUMERIC_FACTS = r"core_clock_(min|median|max)_hz|plan_(target|budget)_ns"
_CLOCKS = {f"core_clock_{part}_hz" for part in ("min", "median", "max")}


def of(evidence: str) -> dict[str, tuple[str, ...]]:
    """The tables, with their columns, of a campaign whose evidence is measured, stored or published."""
    return PUBLISHED if evidence == "published" else COLUMNS


def path(results: Path, name: str) -> Path:
    return results / "tables" / f"{name}.csv"


def replace(results: Path, evidence: str, rows_of: dict[str, list[dict]]) -> None:
    """Write all tables of a campaign, and remove those that only the other kind of evidence has."""
    for name in of(evidence):
        write(results, name, rows_of[name])
    for name in _ALL.keys() - of(evidence).keys():
        path(results, name).unlink(missing_ok=True)


def write(results: Path, name: str, rows: list[dict]) -> None:
    """Write one table atomically."""
    write_text(path(results, name), text(name, rows))


def text(name: str, rows: list[dict]) -> str:
    """A table as its file has it; a row lacks a key where it has no value, and has none that is no column."""
    import pandas  # slow to import, and the columns are needed without it

    cells = [{key: _cell(value) for key, value in row.items()} for row in rows]
    for row in cells:
        if strange := row.keys() - set(_ALL[name]):
            raise KeyError(f"table {name} has no column {sorted(strange)}")
    frame = pandas.DataFrame(cells, columns=list(_ALL[name]), dtype=object)
    return frame.to_csv(index=False, lineterminator="\n")


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
    if tuple(header) != _ALL[name] or any(len(row) != len(header) for row in rows):
        raise Mistake(f"{file}: its columns are not those of this version; make it again with 'aggregate'.")
    found = [dict(zip(header, row, strict=True)) for row in rows]
    if flaw := _flaw(name, found):
        raise Mistake(f"{file}: damaged ({flaw}); run 'aggregate' again.")
    return found


def _flaw(name: str, rows: list[dict[str, str]]) -> str:
    """What rows hold that `aggregate` never writes; empty where there is nothing."""
    forms = _RANKING if name == "ranking" else _REQUIRED if name.startswith("published_") else _REQUIRED | _OPTIONAL
    for column in (column for column in _ALL[name] if column in forms):
        for row in rows:
            required = column in (_TOLD if name == "ranking" else _REQUIRED)
            if (row[column] or required) and not re.fullmatch(forms[column], row[column]):
                return f"{column} '{row[column][:100]}'"
    if name in _KEYS:
        keys = Counter(tuple(row[column] for column in _KEYS[name]) for row in rows)
        if twice := [key for key, count in keys.items() if count > 1]:
            return f"{' '.join(filter(None, twice[0]))[:100] or 'its row'} stands there twice"
        if not (rows or _KEYS[name]):
            return "its row is absent"
    if "mean_ns" in _ALL[name] and not all(map(_has_figures, rows)):
        return "a measured row without a figure"
    if name == "ranking":
        return _flaw_of_ranking(rows)
    return _flaw_of_facts(rows) if name == "environment" else ""


def _has_figures(row: dict[str, str]) -> bool:
    """Whether a row of a timing, if it calls itself measured, has what all such rows have."""
    times = (row["mean_ns"], row["fastest_batch_ns"])
    return row["status"] != "MEASURED" or bool(row["cycle_source"] and all(text and float(text) > 0 for text in times))


def _flaw_of_ranking(rows: list[dict[str, str]]) -> str:
    """That a place has no figure, or that the metrics of a width, overall among them, are not of the same instances."""
    ranked: dict[str, dict[str, set]] = {}
    for row in rows:
        own = ranked.setdefault(row["digest_bits"], {"overall": set()})
        own.setdefault(row["metric"], set()).add((row["candidate"], row["instance"]))
        if row["place"] and not (row["shared"] and row["value"]):
            return "a place without a figure"
    different = any(one != own["overall"] for own in ranked.values() for one in own.values())
    return "rows are absent" if different else ""


def _flaw_of_facts(rows: list[dict[str, str]]) -> str:
    clocks: dict[str, set[str]] = {}
    for row in rows:
        fact, value = row["fact"], row["value"]
        optional = fact == "scaling_max_khz" and not value
        if re.fullmatch(rf"{_NUMERIC_FACTS}|scaling_max_khz", fact) and not (optional or re.fullmatch(_NUMBER, value)):
            return f"{fact} '{value[:100]}'"
        if fact in _CLOCKS:
            clocks.setdefault(row["candidate"], set()).add(fact)
    return "" if all(facts == _CLOCKS for facts in clocks.values()) else "a core clock is absent"


def check_rows(results: Path, stored: dict[str, list[dict[str, str]]]) -> None:
    """Check that the tables of one campaign are about the same instances; Mistake names the one that is not whole."""
    published = "published_kat" in stored
    instances = [(row["candidate"], row["instance"]) for row in stored["published_kat" if published else "instances"]]
    wanted = {(*instance, str(size)) for instance in instances for size in MESSAGE_BYTES}
    damaged = [
        name
        for name in (("published_performance",) if published else ("performance", "memory"))
        if {tuple(row[column] for column in _KEYS[name]) for row in stored[name]} != wanted
    ]
    if not {candidate for candidate, _ in instances} <= {row["candidate"] for row in stored["candidates"]}:
        damaged.append("candidates")
    if not published and {row["name"] for row in stored["own"]} != set(OWN):
        damaged.append("own")
    told = {row["item"] for row in stored["published_environment"] if row["part"] == "system"} if published else set()
    if published and not {"architecture", "source"} <= told:
        damaged.append("published_environment")
    if damaged:
        raise Mistake(f"{path(results, damaged[0])}: damaged (rows are absent); run 'aggregate' again.")


def campaign(results: Path) -> dict[str, str]:
    """The row of campaign.csv. Raises Mistake where it is absent or tells of no evidence that there is."""
    rows = read(results, "campaign")
    if rows[0]["evidence"] not in ("measured", "stored", "published"):
        raise Mistake(f"{path(results, 'campaign')}: it tells of no campaign; make it again with 'aggregate'.")
    return rows[0]


def _cell(value: object) -> object:
    """Text without what a CSV reader would lose: NUL, lone surrogates, line ends other than LF, and what is so long
    that the reader takes the whole table for damaged."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return " ".join(str(part) for part in value)
    if isinstance(value, str):
        value = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        return value.encode("utf-8", "replace").decode("utf-8")[:MOST_CHARACTERS]
    return value
