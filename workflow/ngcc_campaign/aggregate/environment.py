"""The facts under which a campaign's figures were measured: the rows of environment.csv."""

from __future__ import annotations

from collections import Counter, defaultdict
from statistics import median, quantiles

from ..measure.observations import core_clocks
from ..render import layers
from .costs import cpus
from .stored import StoredCampaign, StoredCandidate, StoredFile, in_order
from .tables import UNSTEADY_CLOCK

CAMPAIGN = ""  # the candidate of facts about all of them
# Where cpufreq is absent the clock must be measured and be steady (the guide's hosts).
STEADY_IQR = 0.005
_RECORD_FACTS = {
    "environment": ("kernel", "architecture", "cpus_allowed", "clock", "clock_resolution_ns", "page_bytes"),
    "plan": ("trials", "target_ns", "budget_ns", "precision", "patience", "clock_hz"),
    "files": ("driver_sha256", "host_sha256"),
}


def facts(campaign: StoredCampaign, timings: list[dict]) -> list[dict]:
    """Every distinct value of every fact, with the number of files that say so.

    Facts of records count only records that gave a figure, so that a page names the CPUs its figures come from.
    `timings` are the rows of performance.csv and own.csv.
    """
    host = campaign.host.document
    told = {"system": host["system"], "description": host["description"], "created_utc": host["created_utc"]}
    rows = [_row(CAMPAIGN, "host", fact, value, 1) for fact, value in (told | host["facts"]).items()]
    measured = {row["record"] for row in timings if row["status"] == "MEASURED"}
    records = {candidate.id: _records(candidate, measured) for candidate in campaign.candidates}
    everything = [record for found in records.values() for record in found]
    own = [record for record in campaign.own.values() if record.name in measured]
    rows += _period(CAMPAIGN, [*everything, *own]) + _record_facts(CAMPAIGN, everything)
    for candidate in campaign.candidates:
        found = records[candidate.id]
        rows += _build_facts(candidate) + _layers(candidate, "kat") + _layers(candidate, "memory")
        rows += _period(candidate.id, found) + _record_facts(candidate.id, found)
    return rows


def steadiness(facts: dict, rows: list[dict]) -> list[dict]:
    """Of a host without cpufreq, whether its measured core clock is steady, as a row like those of host.conformance."""
    spreads = [row["value"] for row in rows if (row["candidate"], row["fact"]) == (CAMPAIGN, "core_clock_iqr")]
    if facts["governor"] is not None or not spreads:
        return []
    return [
        {
            "fact": UNSTEADY_CLOCK,
            "expected": f"an interquartile range within {STEADY_IQR:.1%} of the median, as there is no cpufreq",
            "found": _beside(spreads[0], STEADY_IQR),
            "advice": "measure where the clock can be fixed",
            "fits": spreads[0] <= STEADY_IQR,
        }
    ]


def _beside(share: float, limit: float) -> str:
    """A share in per cent, with as many decimals as tell it from a limit that it exceeds."""
    texts = (f"{share:.{decimals}%}" for decimals in range(1, 15))
    return next(text for text in texts if share <= limit or float(text[:-1]) > 100 * limit)


def emulated(facts: dict) -> bool:
    """Whether an emulator ran the programs, by the host's facts: what was timed then is the emulator."""
    return (facts["virtual"] or "").startswith("emulated")


def _records(candidate: StoredCandidate, measured: set[str]) -> list[StoredFile]:
    return [
        record for instance in candidate.instances for record in instance.records.values() if record.name in measured
    ]


def _build_facts(candidate: StoredCandidate) -> list[dict]:
    builds = [instance.build.document for instance in candidate.instances if instance.build]
    told = {fact: [build[fact] for build in builds] for fact in ("compiler", "cmake")}
    told[layers.FACT] = [layers.in_force(build["sandbox"]) for build in builds if build["variants"]]
    return _distinct(candidate.id, "build", told)


def _layers(candidate: StoredCandidate, source: str) -> list[dict]:
    """The layers of the sandbox in which libraries were verified (source kat), or their memory measured (memory)."""
    found = [file.document for file in (getattr(one, source) for one in candidate.instances) if file is not None]
    told = [layers.in_force(document["sandbox"]) for document in found if document["sandbox"]]
    return _distinct(candidate.id, source, {layers.FACT: told})


def _period(scope: str, records: list[StoredFile]) -> list[dict]:
    """First start and last end; a campaign begins and ends with records of our own functions."""
    found = {fact: [record.document[fact] for record in records] for fact in ("started_utc", "ended_utc")}
    extremes = {"started_utc": min(found["started_utc"]), "ended_utc": max(found["ended_utc"])} if records else {}
    return [_row(scope, "record", fact, value, len(records)) for fact, value in extremes.items()]


def _record_facts(scope: str, records: list[StoredFile]) -> list[dict]:
    seen: dict[str, list] = defaultdict(list)
    clocks: list[float] = []
    for record in records:
        for fact, value in _observed(record.document):
            seen[fact].append(value)
        clocks += [clock for trial in record.document["trials"] for clock in core_clocks(trial)]
    extremes: dict[str, object] = {}
    if records:
        extremes["load_average_max"] = max(seen.pop("load_average"))
    if len(clocks) > 1:
        low, middle, high = quantiles(clocks, n=4, method="inclusive")
        extremes["core_clock_iqr"] = (high - low) / middle
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
    named = ("cycle_source", "cycle_source_reason", "reference_clock", "stopped")
    found += [(name, record[name]) for name in named]
    found += [("canary_additions", record["canary"] and record["canary"]["additions"])]
    found += [(name, _in_force(record, name)) for name in ("memory_locked", "realtime", "counter_pinned")]
    found += [("cpu", cpu) for cpu in cpus(record)]
    found += [(layers.FACT, layers.in_force(record["sandbox"]))]
    return [*found, ("input_rule", record["input"]["rule"]), ("load_average", record["environment"]["load_average"][0])]


def _in_force(record: dict, name: str) -> str:
    """Whether a means of isolation was in force: in all trials, in some, or in none."""
    found = {trial["isolation"][name] for trial in record["trials"]}
    return "in some trials" if len(found) > 1 else "yes" if found == {True} else "no"


def _distinct(scope: str, source: str, seen: dict[str, list]) -> list[dict]:
    rows = []
    for fact, values in seen.items():
        counts = Counter("" if value is None else str(value) for value in values)
        rows += [_row(scope, source, fact, text, counts[text]) for text in in_order(counts)]
    return rows


def _row(scope: str, source: str, fact: str, value: object, files: int) -> dict:
    return {"candidate": scope, "source": source, "fact": fact, "value": value, "files": files}
