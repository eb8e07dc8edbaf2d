"""Stage aggregate: what the raw observations below a results folder amount to, as tables/*.csv.

Only this stage computes statistics that are printed; it withholds a figure whose evidence does not hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from ..campaign import made
from ..campaign.catalog import Candidate
from ..host.host import NOTHING, UNKNOWN, plain, requirements, unmet
from ..host.hostfacts import THROTTLE_COUNTS
from ..published import published
from ..render import guide
from ..render.figures import digest
from . import costs, environment, fit, noise, places, tables
from .stored import REMEDIES, StoredCampaign, StoredCandidate, StoredInstance, read_campaign

FALLBACK = "harness-default"
RowsOf = dict[tuple[str, str], list[dict]]  # by candidate and instance


def aggregate(
    results: Path, candidates: Sequence[str | Candidate] | None, evidence: str = "measured", statement: str = ""
) -> None:
    """Write tables/*.csv from the evidence below `results`, of the listed candidates (None: of all stored ones).

    Beside them goes made.json, which says of what they were made.
    A candidate is an id, or what its candidate file says; that counts its records where none of it is stored.
    `evidence` is measured or stored; pages print `statement`, which says why. Raises Mistake that names the file
    where evidence is damaged; the tables then stay as they were.
    """
    campaign = read_campaign(results, candidates, REMEDIES[evidence])
    _replace(results, evidence, rows(campaign, evidence, statement), inputs(results, campaign))


def inputs(results: Path, campaign: StoredCampaign) -> dict[str, Path]:
    """The evidence, by name, that the tables of a campaign are made from."""
    return made.evidence(results, [candidate.id for candidate in campaign.candidates])


def _replace(results: Path, evidence: str, rows_of: dict[str, list[dict]], inputs: dict[str, Path]) -> None:
    """Write the tables, and beside them what they were made from."""
    tables.replace(results, evidence, rows_of)
    made.write(results / "tables", inputs, [f"{name}.csv" for name in tables.of(evidence)])


def rows(campaign: StoredCampaign, evidence: str, statement: str) -> dict[str, list[dict]]:
    """The rows of all tables of a campaign whose figures come from records, by table."""
    performance, own = costs.timings(campaign)
    memory, own_of = costs.memory(campaign), {row["name"]: row for row in own}
    timings_of, memory_of = _by_instance(performance), _by_instance(memory)
    host = campaign.host.document
    there, asked = costs.counts(performance)
    seen = environment.facts(campaign, [*performance, *own])
    rules = requirements(host) + environment.steadiness(host["facts"], seen)
    instances = [_instance(instance, memory_of) for instance in campaign.instances]
    floor = noise.floor(noise.pairs(own_of))
    return {
        "candidates": [_candidate(candidate) for candidate in campaign.candidates],
        "instances": instances,
        "kat": [row for instance in campaign.instances for row in _kat_files(instance)],
        "performance": performance,
        "own": own,
        "fit": fit.rows(performance),
        "noise": noise.pairs(own_of),
        "control": noise.drift(own_of),
        "memory": memory,
        "ranking": places.of_records(performance, instances, floor),
        "environment": seen,
        "conformance": _conformance(host, rules, seen),
        "unfit": unmet(rules),
        "evidence": _common_evidence(campaign)
        + [row for instance in campaign.instances for row in _evidence(instance, timings_of)],
        "missing": _missing(campaign, timings_of, memory_of) + _lacking(own, "own record {name}"),
        "campaign": [
            {
                "system": host["system"],
                "description": host["description"],
                "evidence": evidence,
                "statement": statement,
                "emulated": environment.emulated(host["facts"]),
                "records_there": there,
                "records_asked": asked,
                "noise_floor": floor,
            }
        ],
    }


def aggregate_published(results: Path, folder: Path, candidates: Sequence[Candidate], statement: str) -> None:
    """Write tables/*.csv from the published figures in `folder` (resources/published/<system>), as printed there.

    Of the candidates, in their natural order, what a candidate file says is shown, and what `folder` has of their
    instances. `statement` says why nothing was measured: a sentence, or one with a list in the lines below it. Raises
    Mistake where the folder's files are not what they have to be; the tables then stay as they were.
    """
    rows_of = published.rows(published.read(folder), candidates, statement)
    _replace(results, "published", rows_of, published.inputs(folder, candidates))


def _conformance(host: dict, rules: list[dict], seen: list[dict]) -> list[dict]:
    """What the host is, and what is asked of it: what decides its fitness, the guide, then what nobody asks about."""
    compilers, tools = ({row["value"] for row in seen if row["fact"] == fact} for fact in ("compiler", "cmake"))
    clocks = [row["value"] for row in seen if (row["candidate"], row["fact"]) == ("", "core_clock_median_hz")]
    asked = guide.rows(host["facts"], compilers, tools, next(iter(clocks), None))
    state = host.get("state") or dict.fromkeys(("load_average", *THROTTLE_COUNTS))
    told = {row["fact"] for row in asked}
    others = [row for row in plain(host["facts"], state) if row["fact"] not in told and row["found"] != UNKNOWN]
    rows = [(by, row) for by, own in (("fitness", rules), ("guide", asked), ("", others)) for row in own]
    return [
        {key: row[key] for key in ("fact", "expected", "found")}
        | ({} if row["expected"] == NOTHING and row["fits"] else {"asked_by": by, "fits": row["fits"]})
        for by, row in rows
    ]


def _by_instance(rows: list[dict]) -> RowsOf:
    groups: RowsOf = defaultdict(list)
    for row in rows:
        groups[row["candidate"], row["instance"]].append(row)
    return groups


def _key(instance: StoredInstance) -> tuple[str, str]:
    return instance.candidate, instance.name


def _names(instance: StoredInstance) -> dict:
    return {"candidate": instance.candidate, "instance": instance.name}


def _candidate(candidate: StoredCandidate) -> dict:
    row = {"candidate": candidate.id} | {key: candidate.told.get(key) for key in published.TOLD}
    if candidate.fetch is None:
        return row | {"outcome": "ABSENT", "reason": f"fetch/{candidate.id}.json is absent"}
    document = candidate.fetch.document
    archive = document["archive"]
    return row | {
        "outcome": document["outcome"],
        "reason": document["reason"],
        "archive_kind": archive["kind"],
        "archive": archive["name"],
        "archive_sha256": archive["sha256"],
        "fetch": candidate.fetch.name,
        "fetch_sha256": candidate.fetch.sha256,
    }


def _instance(instance: StoredInstance, memory_of: RowsOf) -> dict:
    row = {**_names(instance), "digest_bits": instance.digest_bits, **_resources(memory_of[_key(instance)])}
    return row | _build(instance) | _verdict(instance)


def _verdict(instance: StoredInstance) -> dict:
    if instance.kat is None:
        return {"reason": "it was not verified"}
    kat = instance.kat.document
    exception = kat["kat_exception"] or {"action": None, "cause": None}
    told = ("flags", "verdict", "reason", "timed", "timed_reason", "library", "library_sha256")
    return {
        **{key: kat[key] for key in told},
        "kat_exception": exception["action"],
        "kat_exception_cause": exception["cause"],
        "kat_level": kat["level"],
        "kat_log": kat["log"],
        "kat_log_sha256": kat["log_sha256"],
        "kat": instance.kat.name,
        "kat_sha256": instance.kat.sha256,
    }


def _build(instance: StoredInstance) -> dict:
    """How the verified library was built; where the guide flags did not do, why."""
    if instance.build is None:
        return {}
    build = instance.build.document
    row = {"compiler": build["compiler"], "cmake": build["cmake"]}
    row |= {"build": instance.build.name, "build_sha256": instance.build.sha256}
    flags = instance.kat.document["flags"] if instance.kat else None
    for variant in build["variants"]:
        if variant["flags"] == flags:
            row |= {"options": variant["options"], "build_warnings": variant["warnings"]}
            row |= {"libc_names": variant["libc_names"]}
    if flags == FALLBACK:
        failures = [("BUILDFAIL", entry) for entry in build["variants"] if not entry["built"]]
        failures += [(entry["verdict"], entry) for entry in instance.kat.document["attempts"]]
        guide = [f"{verdict}: {entry['reason']}" for verdict, entry in failures if entry["flags"] != FALLBACK]
        row["flags_reason"] = guide[0] if guide else "no attempt is recorded"
    return row


def _resources(memory: list[dict]) -> dict:
    """Maxima over the operations of one instance."""
    keys = ("elf_load_bytes", "stack_bytes", "heap_peak_bytes", "leak_bytes_per_call")
    values = {key: [row[key] for row in memory if row.get(key) is not None] for key in keys}
    return {key: max(found, default=None) for key, found in values.items()}


def _kat_files(instance: StoredInstance) -> list[dict]:
    rows = []
    for file in instance.kat.document["files"] if instance.kat else ():
        differing = file["first_difference"] or {}
        row = {**_names(instance), "kat": instance.kat.name, "kat_sha256": instance.kat.sha256}
        row |= {key: file[key] for key in ("file", "records", "verdict", "reason", "expected_sha256", "sha256")}
        told = ("record", "message_bits", "field", "expected", "actual")
        row |= {f"differing_{key}": differing.get(key) for key in told}
        rows.append(row)
    return rows


def _common_evidence(campaign: StoredCampaign) -> list[dict]:
    """What all records rest on: the host, and the native programs."""
    named = (("host", campaign.host), ("native programs", campaign.drivers))
    return [{"item": item, "file": file.name, "sha256": file.sha256} for item, file in named if file is not None]


def _evidence(instance: StoredInstance, timings_of: RowsOf) -> list[dict]:
    """The KAT log, then the timing records by message length, whose state performance.csv tells."""
    rows = []
    if instance.kat is not None and instance.kat.document["log_sha256"]:
        log, sha256 = instance.kat.document["log"], instance.kat.document["log_sha256"]
        rows.append({"item": f"KAT log (sha256 {digest(sha256)})", "file": log, "sha256": sha256})
    for row in timings_of[_key(instance)]:
        if "record" in row:
            rows.append({"item": f"timing {row['operation']}", "file": row["record"], "sha256": row["record_sha256"]})
    return [_names(instance) | row for row in rows]


def _missing(campaign: StoredCampaign, timings_of: RowsOf, memory_of: RowsOf) -> list[dict]:
    """Everything asked for and not there; what its candidate file excludes was not asked for."""
    rows = []
    for candidate in campaign.candidates:
        if not candidate.fetched:
            told = _candidate(candidate)
            rows.append({"candidate": candidate.id, "reason": f"not fetched: {told['outcome']}: {told['reason']}"})
            continue
        for instance in candidate.instances:
            timings, memory = timings_of[_key(instance)], memory_of[_key(instance)]
            status = timings[0]["status"]
            if status == "NOTTIMED":
                rows.append({**_names(instance), "reason": timings[0]["reason"]})
            elif status != "EXCLUDED":
                rows += _lacking(timings, "timing {operation}") + _lacking(memory, "memory {operation}")
    return rows


def _lacking(rows: list[dict], name: str) -> list[dict]:
    """Rows of missing.csv for those of `rows` that hold no figure; `name` forms the operation's name."""
    return [
        {
            "candidate": row.get("candidate"),
            "instance": row.get("instance"),
            "operation": name.format_map(row),
            "reason": f"{row['status']}: {row['reason']}",
        }
        for row in rows
        if row["status"] != "MEASURED"
    ]
