"""What the templates show of published figures: each as it was printed, with nothing added."""

from __future__ import annotations

from ..published.comparison import Comparison
from . import assessment, figures, pages, summary
from .figures import NOT_MEASURED
from .markdown import link
from .measured import Stored

METHOD = "method_published.md.j2"

_SOURCES = (
    "Figures as published: cycles are counts of the hardware counter in user mode, time is wall clock; neither is "
    "derived from the other."
)


def common(stored: Stored) -> dict:
    """What every page shows."""
    return {
        "unfit": [],
        "marked": "",
        "source": _environment(stored, "system")["source"],
        "period": _period(_environment(stored)),
        "programs": "ngcc-campaign copied the published figures (aggregate) and made this page (render). The programs "
        "that measured are not held here.",
    }


def candidate(stored: Stored, name: str, comparison: Comparison | None) -> dict:
    """What candidate.md.j2 shows."""
    told = pages.of(stored["candidates"], name)[0]
    kat, performance = pages.of(stored["published_kat"], name), pages.of(stored["published_performance"], name)
    environment = _environment(stored)
    notes = [f"Nothing is published for {', '.join(absent)}."] if (absent := _absent(performance)) else []
    return {
        "told": told,
        "architecture": assessment.architecture(_environment(stored, "system")["architecture"]),
        "basic": _basic(told, kat),
        "assessment": list(environment.items()),
        "caption": _caption(stored, kat),
        "verdicts": [_cells(row, "instance", "build_flags", "kat") for row in kat],
        "verdict_notes": [],
        "levels": [],
        "options": [],
        **pages.beside(pages.TIMINGS, [_timing(row) for row in performance], performance, comparison),
        "measured_caption": "",
        "compared": [],
        "fit": [],
        "spread": [],
        "cycle_notes": [_SOURCES],
        "timing_notes": notes,
        "resident": "greatest of five processes",
        "memory": [_memory(row) for row in performance],
        "footprint": [],
        "memory_notes": [
            pages.RESIDENT,
            *_jumps(performance),
            "Stack and heap of a call, and the parts of the library, are not published.",
        ],
        "files": "files of the published campaign, by the names that its pages give",
        "evidence_index": [row for instance in kat for row in _evidence(instance, performance)],
        "evidence_notes": [
            "These files are not held here; of the KAT logs the first 16 digits of their SHA-256 are known, of the "
            "records no digest.",
        ],
    }


def index(stored: Stored, candidates: list[str], comparison: Comparison | None) -> dict:
    """What index.md.j2 shows."""
    rows: list[tuple] = []
    for name in candidates:
        kat, performance = pages.of(stored["published_kat"], name), pages.of(stored["published_performance"], name)
        rows += [_summary(link(name, f"{name}.md"), row, performance) for row in kat]
    instances = [row for name in candidates for row in pages.of(stored["published_kat"], name)]
    longest = summary.at_longest(instances, stored["published_performance"])
    shown = summary.context(rows, longest, comparison)
    return shown | {
        "candidates": [row for row in stored["candidates"] if row["candidate"] in candidates],
        "caption": _caption(stored, instances),
        "notes": [
            _SOURCES,
            "Stack and heap of a call are not published, nor the yardstick that a ratio would need.",
            *shown["comparison_notes"],
        ],
        "plans": False,
        "yardstick": [],
        "missing": pages.missing([row for row in stored["missing"] if row["candidate"] in candidates]),
        "advice": [],
        "excluded": [],
    }


def method(stored: Stored) -> dict:
    """What method_published.md.j2 shows."""
    return {"plan": list(_environment(stored, "plan").items())}


def _environment(stored: Stored, part: str = "environment") -> dict[str, str]:
    return {row["item"]: row["value"] for row in stored["published_environment"] if row["part"] == part}


def _cells(row: dict[str, str], *columns: str) -> tuple:
    return tuple(row[column] or NOT_MEASURED for column in columns)


def _basic(told: dict, kat: list[dict]) -> list[tuple]:
    """Section 1; the archive is the one that the candidate file names."""
    origin = told["archive"] and f"submitted as {told['archive']}, sha256 {figures.digest(told['archive_sha256'])}"
    return pages.basic(told, origin, [row["instance"] for row in kat])


def _caption(stored: Stored, kat: list[dict]) -> str:
    environment, (campaign,) = _environment(stored), stored["campaign"]
    flags = assessment.listed(sorted({row["build_flags"] for row in kat} - {""}))
    compiler = environment.get("compiler / build tool", NOT_MEASURED).partition(" / ")[0]
    days = dict.fromkeys(moment[:10] for moment in _period(environment))
    told = (f"System {campaign['system']}, as published", compiler, f"flags {flags}", " – ".join(days))
    return f"{'; '.join(filter(None, told))}."


def _period(environment: dict[str, str]) -> list[str]:
    """Start and end of the campaign, as printed; empty where they are not."""
    return [moment for moment in environment.get(assessment.PERIOD, "").split(" / ") if moment]


def _timing(row: dict[str, str]) -> tuple:
    """A row of section 4."""
    n = f"{row['measurements']} ({row['trials']} × {row['iterations_per_trial']})"
    told = _cells(row, "mean_cycles", "cycles_per_byte", "mean_time", "throughput_MB_per_s")
    return row["instance"], f"{row['message_bytes']} B", *told, n if row["measurements"] else NOT_MEASURED


def _memory(row: dict[str, str]) -> tuple:
    """A row of section 5, where pages print the unit of the resident set."""
    image, *resident = _cells(row, "elf_load_bytes", "baseline_rss_kib", "peak_rss_kib")
    resident = [size if size == NOT_MEASURED else f"{size} KiB" for size in resident]
    return row["instance"], f"hash_{row['message_bytes']}", image, *resident


def _evidence(instance: dict[str, str], performance: list[dict]) -> list[tuple]:
    """Rows of section 7: what is published of one instance has a log and a record a row."""
    name, prefix = instance["instance"], instance["kat_log_sha256_prefix"]
    place = f"{instance['candidate']}/{name}"
    log = [(name, f"KAT log (sha256 {prefix}…)", f"kat/{place}.log")] if prefix else []
    there = [row for row in performance if row["instance"] == name and (row["mean_time"] or row["mean_cycles"])]
    sizes = [row["message_bytes"] for row in there]
    return log + [(name, f"timing hash_{size}", f"records/{place}__hash_{size}.json") for size in sizes]


def _jumps(performance: list[dict]) -> list[str]:
    """In a sentence, the rows whose process was far larger before the first call than that of another row."""
    sizes = {f"{row['instance']} hash_{row['message_bytes']}": row["baseline_rss_kib"] for row in performance}
    known = {row: int(size) for row, size in sizes.items() if size.isdecimal()}
    far = [row for row, size in known.items() if size > 2 * min(known.values())]
    if not far:
        return []
    return [
        f"The baseline of {', '.join(far)} is more than twice the least on this page: page-cache luck of one of five"
        " processes, and no property of the instance."
    ]


def _absent(performance: list[dict]) -> list[str]:
    """Instances, or single messages of them, without a figure."""
    absent: dict[str, list[str]] = {}
    for row in performance:
        if not (row["mean_time"] or row["mean_cycles"]):
            absent.setdefault(row["instance"], []).append(f"hash_{row['message_bytes']}")
    complete = {name: sum(row["instance"] == name for row in performance) for name in absent}
    return [name if len(of) == complete[name] else f"{name} {', '.join(of)}" for name, of in absent.items()]


def _summary(name: object, kat: dict[str, str], performance: list[dict]) -> tuple:
    own = {row["message_bytes"]: row for row in performance if row["instance"] == kat["instance"]}
    longest = own[summary.LONGEST]
    return (
        name,
        *_cells(kat, "instance", "kat"),
        *(own[size]["cycles_per_byte"] or NOT_MEASURED for size in summary.SHOWN_BYTES),
        *_cells(longest, "throughput_MB_per_s"),
        *([NOT_MEASURED] * 3),
        *_cells(longest, "elf_load_bytes"),
    )
