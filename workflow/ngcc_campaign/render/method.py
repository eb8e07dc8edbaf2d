"""What method.md.j2 shows of a measured campaign: by which plan, on which clock, and what the machine did by itself."""

from __future__ import annotations

from ..campaign.catalog import MESSAGE_BYTES
from . import assessment, figures, layers, pages, timings, worked
from .assessment import Facts
from .pages import Row, number, whole

ISOLATION = {
    "memory_locked": "memory locked",
    "realtime": "real-time priority",
    "counter_pinned": "cycle counter pinned",
}


def context(stored: dict[str, list[Row]]) -> dict:
    """What method.md.j2 shows."""
    facts = Facts(stored["environment"])
    own = {row["name"]: row for row in stored["own"]}
    inputs = {(row["message_bytes"], row["input_sha256"]) for row in stored["performance"] if row["input_sha256"]}
    return {
        "conformance": [_conformance(row) for row in stored["conformance"]],
        "met": [sum(row["fits"] == word for row in stored["conformance"]) for word in ("yes", "no")],
        "plan": _plan(facts),
        "ended": timings.ended(dict(facts.counts("stopped"))),
        "additions": assessment.listed([text for text in facts.records("canary_additions") if text]),
        "isolation": [f"{name}: {assessment.listed(facts.records(fact))}" for fact, name in ISOLATION.items()],
        "sandbox": layers.line(stored["environment"], [row["candidate"] for row in stored["candidates"]]),
        "worked": worked.row(stored["performance"]),
        "noise": [_noise(row, own) for row in stored["noise"]],
        "noise_floor": figures.uncertainty(number(stored["campaign"][0], "noise_floor")),
        "control": [_control(row, own[row["control"]]) for row in stored["control"]],
        "sources": facts.counts("cycle_source"),
        "reasons": [pages.sentence(f"Reason given: {text}") for text in facts.records("cycle_source_reason") if text],
        "clock": assessment.clock(facts),
        "clocks": facts.records("clock"),
        "resolutions": facts.records("clock_resolution_ns"),
        **_empty(stored["own"]),
        "input_rules": facts.records("input_rule"),
        "inputs": sorted(((f"{size} B", sha256) for size, sha256 in inputs), key=lambda row: int(row[0][:-2])),
        "message_bytes": assessment.listed([str(size) for size in MESSAGE_BYTES]),
        "levels": sorted({row["kat_level"] for row in stored["instances"]} - {""}),
    }


def _conformance(row: Row) -> tuple:
    """Fact, expected, found, who asks for it, and whether it is met."""
    verdict = {"yes": "met", "no": "not met", "": figures.NOT_MEASURED}[row["fits"]]
    return row["fact"], row["expected"], row["found"], row["asked_by"] or figures.NOT_MEASURED, verdict


def _plan(facts: Facts) -> tuple:
    """Least trials, target of a trial, precision, patience, budget of a record; several values where plans differ."""
    target, budget = (
        [figures.time(float(value)) for value in facts.records(f"plan_{name}_ns")] for name in ("target", "budget")
    )
    precision = [figures.percent(float(value)) for value in facts.records("plan_precision")]
    told = (facts.records("plan_trials"), target, precision, facts.records("plan_patience"), budget)
    return tuple(map(assessment.listed, told))


def _noise(row: Row, own: dict[str, Row]) -> tuple:
    """Message length, one library's figure as A and as B, their difference, marks of either."""
    costs = (
        _cost(number(row, f"figure_{name}"), number(row, f"half_width_{name}"), row["unit"], one)
        for name, one in ((name, own[f"same_{name}_{row['message_bytes']}"]) for name in "ab")
    )
    return f"{row['message_bytes']} B", *costs, figures.uncertainty(number(row, "difference")), row["marks"]


def _control(row: Row, own: Row) -> tuple:
    """Record, start, figure, how much greater it is than at the start, marks."""
    cost = _cost(number(row, "figure"), number(row, "half_width"), row["unit"], own)
    moment = row["started_utc"].removesuffix("Z")
    return row["control"], moment, cost, figures.change(number(row, "relative_to_start")), own["marks"]


def _cost(value: float | None, half_width: float | None, unit: str, own: Row) -> str:
    """A figure of our own measuring, whose row in own.csv tells whether it has a half-width to print."""
    text = figures.cycles(value) if unit == "cycles" else figures.time(value)
    return figures.with_width(text, value, None if timings.is_few(own) else half_width)


def _empty(own: list[Row]) -> dict:
    """What calling costs by itself."""
    (empty,) = [row for row in own if row["name"] == "empty_call"]
    mean, cycles = number(empty, "mean_ns"), number(empty, "mean_cycles")
    return {
        "empty": empty,
        "empty_ns": figures.with_width(figures.time(mean), mean, number(empty, "half_width_ns")),
        "empty_cycles": figures.tenths(cycles),
        "empty_calls": figures.calls(*(whole(empty, name) for name in ("calls", "trials", "calls_per_trial"))),
    }
