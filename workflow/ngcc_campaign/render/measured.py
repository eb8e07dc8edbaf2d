"""What the templates show of a campaign whose figures come from records, measured now or stored earlier."""

from __future__ import annotations

from ..campaign.settings import YARDSTICK
from ..published.comparison import Comparison
from . import assessment, figures, layers, marks, pages, summary, timings
from . import method as how
from .assessment import Facts
from .markdown import Markdown, link

Stored = dict[str, list[dict[str, str]]]  # the tables, by name
METHOD = "method.md.j2"
method = how.context  # what it shows


def common(stored: Stored) -> dict:
    """What every page shows."""
    drivers = sorted({row["driver_sha256"] for row in stored["performance"] + stored["own"]} - {""})
    digests = ", ".join(map(figures.digest, drivers)) or figures.NOT_MEASURED
    return {
        "unfit": stored["unfit"],
        "deviations": [f"{one['fact']}: expected {one['expected']}, found {one['found']}" for one in stored["unfit"]],
        "marked": marks.share(_asked(stored["performance"])),
        "period": assessment.period(Facts(stored["environment"])),
        "programs": f"ngcc_perf timed the calls (sha256 {digests}), ngcc_kat drove the known-answer tests, "
        "ngcc_memory measured memory; ngcc-campaign made the tables (aggregate) and this page (render).",
    }


def _asked(performance: list[dict]) -> list[dict]:
    """The rows that the campaign is about: the yardstick's stand on its own page."""
    return [row for row in performance if row["candidate"] != YARDSTICK]


def candidate(stored: Stored, name: str, comparison: Comparison | None) -> dict:
    """What candidate.md.j2 shows."""
    told = pages.of(stored["candidates"], name)[0]
    instances, performance = pages.of(stored["instances"], name), pages.of(stored["performance"], name)
    memory = pages.of(stored["memory"], name)
    facts, campaign = Facts(stored["environment"], name), Facts(stored["environment"])
    return {
        "told": told,
        "architecture": assessment.architecture(facts.host("architecture")),
        "basic": _basic(told, instances),
        "assessment": [*assessment.rows(facts, campaign), *_sandbox(stored, [name])],
        "caption": _caption(facts, instances),
        "verdicts": pages.verdicts(instances),
        "verdict_notes": pages.verdict_notes(instances, pages.of(stored["kat"], name)),
        "levels": sorted({row["kat_level"] for row in instances} - {""}),
        "options": sorted({(row["flags"], row["options"]) for row in instances if row["flags"]}),
        "marked": marks.share(performance),
        **timings.context(performance, pages.of(stored["fit"], name), stored["campaign"][0], comparison),
        "resident": "median over processes",
        "memory": pages.memory(memory),
        "footprint": pages.footprint(memory),
        "memory_notes": [f"{pages.RESIDENT} What a call itself takes stands in table 5b.", *pages.memory_notes(memory)],
        "files": "files below the results folder of this system",
        "evidence_index": pages.evidence(pages.of(stored["evidence"], name)),
        "evidence_notes": [],
    }


def _basic(told: dict, instances: list[dict]) -> list[tuple]:
    """Section 1."""
    origin = told["archive"] and f"{told['archive_kind']} {told['archive']}"
    if told["archive_sha256"]:
        origin += f", sha256 {figures.digest(told['archive_sha256'])}"
    return pages.basic(told, origin, [row["instance"] for row in instances])


def _caption(facts: Facts, instances: list[dict]) -> str:
    """Where the figures of a table come from."""
    compilers, flags = (
        assessment.listed(sorted({row[column] for row in instances} - {""})) for column in ("compiler", "flags")
    )
    return f"System {facts.host('system')}; {compilers}; flags {flags}; {assessment.dates(facts)}."


def index(stored: Stored, candidates: list[str], comparison: Comparison | None) -> dict:
    """What index.md.j2 shows."""
    rows, chosen = [], [row for row in stored["performance"] if row["candidate"] in candidates]
    cost = summary.cost(chosen)
    for name in candidates:
        rows += summary.measured(_own_page(name), pages.of(stored["instances"], name), pages.of(chosen, name), cost)
    instances = [row for name in candidates for row in pages.of(stored["instances"], name)]
    shown = summary.context(rows, summary.at_longest(instances, chosen), comparison, cost)
    return shown | {
        "candidates": [row for row in stored["candidates"] if row["candidate"] in candidates],
        "caption": _caption(Facts(stored["environment"]), instances),
        "marked": marks.share(_asked(chosen)),
        "notes": [
            *pages.cycle_notes(chosen),
            *summary.noise_note(stored["campaign"][0]),
            *summary.control_note(stored["control"], stored["own"]),
            *summary.span_note(stored["control"], [row for row in stored["performance"] if row["started_utc"]]),
            *shown["comparison_notes"],
        ],
        "plans": mixed_plans(Facts(stored["environment"])),
        "yardstick": pages.of(chosen, YARDSTICK),
        "missing": pages.missing([row for row in stored["missing"] if row["candidate"] in ["", *candidates]]),
        "advice": [tuple(row.values()) for row in stored["unfit"]],
        "excluded": [
            f"{row['candidate']} {row['instance']} was not asked for, its candidate file excludes it: "
            + pages.sentence(row["kat_exception_cause"])
            for row in instances
            if row["kat_exception"] == "exclude"
        ],
    }


def _sandbox(stored: Stored, candidates: list[str]) -> list[tuple[str, str]]:
    """The row of section 2 that tells which layers confined submitted code; none where nobody knows."""
    text = layers.line(stored["environment"], candidates)
    return [("sandbox", text)] if text else []


def _own_page(candidate: str) -> Markdown:
    return link(candidate, f"{candidate}.md")


def mixed_plans(facts: Facts) -> bool:
    """Whether records of one report were made by different plans."""
    members = ("trials", "target_ns", "budget_ns", "precision", "patience")
    return any(len(facts.records(f"plan_{name}")) > 1 for name in members)
