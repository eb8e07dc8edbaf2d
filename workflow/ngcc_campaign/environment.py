"""The facts under which a campaign's figures were measured: the rows of environment.csv."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median

from .costs import cpus
from .statistics import core_clocks
from .stored import StoredCampaign, StoredCandidate, StoredFile, explained, in_order

CAMPAIGN = ""  # the candidate of facts about all of them
_RECORD_FACTS = {
    "environment": ("kernel", "architecture", "cpus_allowed", "clock", "clock_resolution_ns", "page_bytes"),
    "plan": ("trials", "target_ns", "budget_ns", "max_calls"),
    "files": ("driver_sha256", "host_sha256"),
}


def facts(campaign: StoredCampaign, performance: list[dict]) -> list[dict]:
    """Every distinct value of every fact, with the number of files that say so.

    Facts of records count only records that gave a figure, so that a page names the CPUs its figures come from.
    """
    host = campaign.host.document
    told = {"system": host["system"], "description": host["description"], "created_utc": host["created_utc"]}
    rows = [_row(CAMPAIGN, "host", fact, value, 1) for fact, value in (told | host["facts"]).items()]
    measured = {row["record"] for row in performance if row["status"] == "MEASURED"}
    records = {candidate.id: _records(candidate, measured) for candidate in campaign.candidates}
    rows += _record_facts(CAMPAIGN, [record for found in records.values() for record in found])
    for candidate in campaign.candidates:
        rows += _build_facts(candidate) + _record_facts(candidate.id, records[candidate.id])
    return rows


def _records(candidate: StoredCandidate, measured: set[str]) -> list[StoredFile]:
    return [
        record for instance in candidate.instances for record in instance.records.values() if record.name in measured
    ]


def _build_facts(candidate: StoredCandidate) -> list[dict]:
    builds = [instance.build.document for instance in candidate.instances if instance.build]
    return _distinct(candidate.id, "build", {fact: [build[fact] for build in builds] for fact in ("compiler", "cmake")})


def _record_facts(scope: str, records: list[StoredFile]) -> list[dict]:
    seen: dict[str, list] = defaultdict(list)
    clocks: list[float] = []
    for record in records:
        with explained(record, "record"):
            for fact, value in _observed(record.document):
                seen[fact].append(value)
            clocks += [clock for trial in record.document["trials"] if trial["used"] for clock in core_clocks(trial)]
    extremes: dict[str, object] = {}
    if records:
        extremes["started_utc"] = min(seen.pop("started_utc"))
        extremes["ended_utc"] = max(seen.pop("ended_utc"))
        extremes["load_average_max"] = max(seen.pop("load_average"))
    if clocks:
        extremes["core_clock_min_hz"] = min(clocks)
        extremes["core_clock_median_hz"] = median(clocks)
        extremes["core_clock_max_hz"] = max(clocks)
    rows = [_row(scope, "record", fact, value, len(records)) for fact, value in extremes.items()]
    return rows + _distinct(scope, "record", seen)


def _observed(record: dict) -> list[tuple[str, object]]:
    """Facts that one record tells, as (name, value)."""
    found = [(name, record[part][name]) for part in ("environment", "files") for name in _RECORD_FACTS[part]]
    found += [(f"plan_{name}", record["plan"][name]) for name in _RECORD_FACTS["plan"]]
    named = ("cycle_source", "cycle_source_reason", "reference_clock", "started_utc", "ended_utc")
    found += [(name, record[name]) for name in named]
    found += [("cpu", cpu) for cpu in cpus(record)]
    return [*found, ("input_rule", record["input"]["rule"]), ("load_average", record["environment"]["load_average"][0])]


def _distinct(scope: str, source: str, seen: dict[str, list]) -> list[dict]:
    rows = []
    for fact, values in seen.items():
        counts = Counter("" if value is None else str(value) for value in values)
        rows += [_row(scope, source, fact, text, counts[text]) for text in in_order(counts)]
    return rows


def _row(scope: str, source: str, fact: str, value: object, files: int) -> dict:
    return {"candidate": scope, "source": source, "fact": fact, "value": value, "files": files}
