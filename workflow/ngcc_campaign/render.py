"""Stage render: what a person reads, report/*.md, from tables/*.csv and nothing else.

The same tables give the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import jinja2

from . import assessment, figures, pages, tables
from .assessment import Facts
from .catalog import MESSAGE_BYTES
from .errors import Mistake
from .files import write_text
from .markdown import Markdown, bullets, escape, link, table

TEMPLATES = Path(__file__).parents[1] / "templates"
OWN_PAGES = ("index", "method")


def render(results: Path, candidates: list[str] | None = None) -> list[Path]:
    """Write index.md, method.md and one page per candidate (None: every candidate of the tables); their paths.

    Raises Mistake where a table is absent or damaged, or a candidate is not in them.
    """
    stored = {name: tables.read(results, name) for name in tables.COLUMNS}
    known = [row["candidate"] for row in stored["candidates"]]
    chosen = known if candidates is None else [candidate for candidate in known if candidate in candidates]
    for candidate in candidates or known:
        if candidate not in known:
            raise Mistake(f"{tables.path(results, 'candidates')}: no candidate '{candidate}'; run 'aggregate' for it.")
        if candidate in OWN_PAGES:
            raise Mistake(f"candidate '{candidate}': a page of the report has that name; give it another id.")
    common = _common(stored)
    texts = {
        "index": _page("index.md.j2", common | _index(stored, chosen)),
        "method": _page("method.md.j2", common | _method(stored)),
        **{candidate: _page("candidate.md.j2", common | _candidate(stored, candidate)) for candidate in chosen},
    }
    paths = []
    for name, text in texts.items():
        path = results / "report" / f"{name}.md"
        write_text(path, text)
        paths.append(path)
    return paths


def _page(template: str, context: dict) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        finalize=escape,  # whatever a template prints is escaped, unless it is Markdown by its type
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(context)


def _common(stored: dict[str, list[dict]]) -> dict:
    facts = Facts(stored["environment"])
    drivers = sorted({row["driver_sha256"] for row in stored["performance"] + stored["empty_call"]} - {""})
    return {
        "system": facts.host("system"),
        "description": facts.host("description"),
        "unfit": stored["unfit"],
        "drivers": ", ".join(map(figures.digest, drivers)) or figures.NOT_MEASURED,
        "period": assessment.period(facts),
        "not_measured": figures.NOT_MEASURED,
        "table": table,
        "link": link,
        "bullets": bullets,
    }


def _of(rows: list[dict], candidate: str) -> list[dict]:
    return [row for row in rows if row["candidate"] == candidate]


def _candidate(stored: dict[str, list[dict]], candidate: str) -> dict:
    """What candidate.md.j2 shows."""
    told = _of(stored["candidates"], candidate)[0]
    instances, performance = _of(stored["instances"], candidate), _of(stored["performance"], candidate)
    memory = _of(stored["memory"], candidate)
    facts, campaign = Facts(stored["environment"], candidate), Facts(stored["environment"])
    architecture = facts.host("architecture")
    return {
        "told": told,
        "architecture": assessment.ARCHITECTURES.get(architecture, architecture),
        "basic": _basic(told, instances),
        "assessment": assessment.rows(facts, campaign),
        "caption": _caption(facts, instances),
        "verdicts": pages.verdicts(instances),
        "verdict_notes": pages.verdict_notes(instances, _of(stored["kat"], candidate)),
        "levels": sorted({row["kat_level"] for row in instances} - {""}),
        "options": sorted({(row["flags"], row["options"]) for row in instances if row["flags"]}),
        "timings": pages.timings(performance),
        "cycle_notes": pages.cycle_notes(performance),
        "timing_notes": pages.timing_notes(performance),
        "memory": pages.memory(memory),
        "footprint": pages.footprint(memory),
        "memory_notes": pages.memory_notes(memory),
        "evidence": pages.evidence(_of(stored["evidence"], candidate)),
    }


def _basic(told: dict, instances: list[dict]) -> list[tuple]:
    """Section 1."""
    origin = told["archive"] and f"{told['archive_kind']} {told['archive']}"
    if told["archive_sha256"]:
        origin += f", sha256 {figures.digest(told['archive_sha256'])}"
    links = [("security evaluation", told["security_evaluation"]), ("method", "method.md")]
    links.append(("submission page", told["submission_page"]))
    return [
        ("category", told["category"]),
        ("function", told["function"]),
        ("algorithm", told["algorithm"]),
        ("implementation versions", f"{told['version']} ({origin})" if origin else told["version"]),
        ("parameter sets", assessment.listed([row["instance"] for row in instances])),
        ("links", Markdown(" · ".join(link(text, address) for text, address in links if address))),
    ]


def _caption(facts: Facts, instances: list[dict]) -> str:
    """Where the figures of a table come from."""
    compilers, flags = (
        assessment.listed(sorted({row[column] for row in instances} - {""})) for column in ("compiler", "flags")
    )
    return f"System {facts.host('system')}; {compilers}; flags {flags}; {assessment.dates(facts)}."


def _index(stored: dict[str, list[dict]], candidates: list[str]) -> dict:
    """What index.md.j2 shows."""
    rows, chosen = [], [row for row in stored["performance"] if row["candidate"] in candidates]
    for candidate in candidates:
        instances = _of(stored["instances"], candidate)
        rows += pages.summary(link(candidate, f"{candidate}.md"), instances, _of(chosen, candidate))
    instances = [row for row in stored["instances"] if row["candidate"] in candidates]
    return {
        "candidates": [row for row in stored["candidates"] if row["candidate"] in candidates],
        "summary": rows,
        "caption": _caption(Facts(stored["environment"]), instances),
        "cycle_notes": pages.cycle_notes(chosen),
        "measured": sum(row["status"] == "MEASURED" for row in chosen),
        "asked": len(chosen),
        "missing": pages.missing([row for row in stored["missing"] if row["candidate"] in ["", *candidates]]),
        "advice": [tuple(row.values()) for row in stored["unfit"]],
        "excluded": [
            f"{row['candidate']} {row['instance']} was not asked for, its candidate file excludes it: "
            + pages.sentence(row["kat_exception_cause"])
            for row in instances
            if row["kat_exception"] == "exclude"
        ],
    }


def _plan(facts: Facts) -> tuple:
    """Trials, target of a trial, budget of a record, most calls a trial; more than one value where plans differ."""
    target, budget = (
        [figures.time(float(value)) for value in facts.records(f"plan_{name}_ns")] for name in ("target", "budget")
    )
    trials, calls = facts.records("plan_trials"), facts.records("plan_max_calls")
    return tuple(assessment.listed(values) for values in (trials, target, budget, calls))


def _method(stored: dict[str, list[dict]]) -> dict:
    """What method.md.j2 shows."""
    facts = Facts(stored["environment"])
    (empty,) = stored["empty_call"]
    inputs = {(row["message_bytes"], row["input_sha256"]) for row in stored["performance"] if row["input_sha256"]}
    return {
        "plan": _plan(facts),
        "sources": facts.counts("cycle_source"),
        "reasons": [pages.sentence(f"Reason given: {text}") for text in facts.records("cycle_source_reason") if text],
        "clock": assessment.clock(facts),
        "clocks": facts.records("clock"),
        "resolutions": facts.records("clock_resolution_ns"),
        "empty": empty,
        "empty_ns": figures.time(pages.number(empty, "mean_ns")),
        "empty_cycles": figures.tenths(pages.number(empty, "mean_cycles")),
        "empty_calls": figures.calls(*(pages.whole(empty, name) for name in ("calls", "trials", "calls_per_trial"))),
        "input_rules": facts.records("input_rule"),
        "inputs": sorted(((f"{size} B", sha256) for size, sha256 in inputs), key=lambda row: int(row[0][:-2])),
        "message_bytes": assessment.listed([str(size) for size in MESSAGE_BYTES]),
        "levels": sorted({row["kat_level"] for row in stored["instances"]} - {""}),
    }
