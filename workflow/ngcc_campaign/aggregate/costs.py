"""What one call costs: the rows of the tables performance, own and memory.

There is a row for everything asked for. Its status is MEASURED and it holds figures, or it is another word, the
reason says why, and it holds none:
  NOTTIMED, EXCLUDED   the instance may not be timed (no PASS, no verdict; its candidate file excludes it)
  ABSENT               the evidence is not there
  STALE                the evidence is about something else, an earlier library say
  UNUSABLE             it is no valid record, or calls itself measured and contradicts itself
  UNSTABLE, CRASH, …   the stage's own word
"""

from __future__ import annotations

from collections.abc import Iterable

from ..campaign.catalog import MESSAGE_BYTES
from ..campaign.settings import YARDSTICK
from ..common.errors import Mistake
from ..common.schemas import validate
from ..measure import disturbance
from ..measure.consistency import contradiction, other_answer
from ..measure.own import OWN
from ..render.figures import digest
from . import comparing, noise, statistics, timing
from .stored import StoredCampaign, StoredCandidate, StoredFile, StoredInstance

Judged = tuple[dict, dict]  # a row, and the record that it takes its figures from


def timings(campaign: StoredCampaign) -> tuple[list[dict], list[dict]]:
    """Rows of performance.csv, every instance at every message length, and of own.csv, our own records."""
    performance = [
        judged
        for candidate in campaign.candidates
        for instance in candidate.instances
        for judged in _instance_timings(candidate, instance)
    ]
    own = [_own_timing(name, campaign.own.get(name)) for name in OWN]
    _add_figures([*performance, *own])
    rows, own_rows = ([row for row, _ in judged] for judged in (performance, own))
    for row in rows:
        row |= timing.per_byte(row, row["message_bytes"]) if row["status"] == "MEASURED" else {}
    by_name = {row["name"]: row for row in own_rows}
    comparing.add_overhead(rows, by_name["empty_call"])
    comparing.add_ratios(rows)
    comparing.add_standings(rows, noise.floor(noise.pairs(by_name)))
    return rows, own_rows


def counts(rows: list[dict]) -> tuple[int, int]:
    """How many of the records asked for give figures, and how many are asked for: (there, asked).

    The yardstick's are not counted, and what its candidate file excludes was not asked for.
    """
    asked = [row for row in rows if row["candidate"] != YARDSTICK and row["status"] != "EXCLUDED"]
    return sum(row["status"] == "MEASURED" for row in asked), len(asked)


def memory(campaign: StoredCampaign) -> list[dict]:
    """Rows of memory.csv: every instance at every message length."""
    return [row | _memory(instance, row["operation"]) for instance in campaign.instances for row in _asked(instance)]


def _asked(instance: StoredInstance) -> list[dict]:
    names = {"candidate": instance.candidate, "instance": instance.name}
    return [{**names, "operation": f"hash_{size}", "message_bytes": size} for size in MESSAGE_BYTES]


def _refusal(candidate: StoredCandidate, instance: StoredInstance) -> dict | None:
    """Status and reason where no timing of the instance may be shown."""
    if not candidate.fetched:
        return _no_figure("NOTTIMED", "its submission was not fetched")
    if instance.kat is None:
        return _no_figure("NOTTIMED", f"no KAT verdict: kat/{instance.candidate}/{instance.name}.json is absent")
    kat = instance.kat.document
    exception = kat["kat_exception"] or {"action": None, "cause": None}
    if exception["action"] == "exclude":
        return _no_figure("EXCLUDED", f"excluded by its candidate file: {exception['cause']}")
    if kat["verdict"] != "PASS" and exception["action"] != "measure":
        return _no_figure("NOTTIMED", f"{kat['verdict']}: {kat['reason']}")
    return None if kat["timed"] else _no_figure("NOTTIMED", kat["timed_reason"])


def _instance_timings(candidate: StoredCandidate, instance: StoredInstance) -> list[Judged]:
    refusal, judged = _refusal(candidate, instance), []
    for row in _asked(instance):
        row["digest_bits"] = instance.digest_bits
        if refusal:
            judged.append((row | refusal, {}))
            continue
        record = instance.records.get(row["message_bytes"])
        judged.append((row | _judgement(record, row, instance.kat.document), record.document if record else {}))
    return judged


def _own_timing(name: str, record: StoredFile | None) -> Judged:
    asked = OWN[name].asked
    row = {"name": name} | {key: asked[key] for key in ("operation", "message_bytes")}
    return row | _judgement(record, asked), record.document if record else {}


def _add_figures(judged: Iterable[Judged]) -> None:
    """Figures of the rows that may have them, by the best canary among their records."""
    measured = [(row, record) for row, record in judged if row["status"] == "MEASURED"]
    best = disturbance.best_canaries(record for _, record in measured)
    for row, record in measured:
        canary_ns = best.get(disturbance.host(record))
        if canary_ns is not None and record["canary"] is None:  # nothing would speak against its batches
            row |= _no_figure("UNUSABLE", f"{row['record']}: it has no canaries, and others of its driver and CPU have")
            continue
        row["cpus"], row["input_sha256"] = cpus(record), record["input"]["sha256"]
        row |= timing.figures(record, canary_ns)


def _judgement(record: StoredFile | None, asked: dict, kat: dict | None = None) -> dict:
    """Status of one record, and its origin; `kat` is its verdict, if it needs one."""
    if record is None:
        return _no_figure("ABSENT", "there is no record")
    document = record.document
    try:
        validate(document, "record", record.name)
    except Mistake as mistake:
        source = {"record": record.name, "record_sha256": record.sha256}
        return _no_figure("UNUSABLE", f"{str(mistake).rstrip('.')}; {record.remedy}") | source
    if stale := _stale(document, asked, kat) or record.foreign:
        return _no_figure("STALE", f"stale: {stale}") | _source(record)
    if document["status"] != "MEASURED":
        return _no_figure(document["status"], document["reason"]) | _source(record)
    if flaw := contradiction(document, asked):
        return _no_figure("UNUSABLE", f"{record.name}: {flaw}; {record.remedy}") | _source(record)
    if kat and (flaw := other_answer(document, kat)):
        return _no_figure("UNSTABLE", flaw) | _source(record)
    return {"status": "MEASURED", "reason": ""} | _source(record)


def _stale(document: dict, asked: dict, kat: dict | None) -> str:
    """Why the record is not about what was asked; empty where it is."""
    for key in ("candidate", "instance", "operation"):
        if document[key] != asked[key]:
            return f"it is the record of another {key}, {document[key]}"
    found = document["files"]["library_sha256"]
    if kat and found != kat["library_sha256"]:
        return f"it timed the library {digest(found or '')}, the KAT verdict is about {digest(kat['library_sha256'])}"
    return ""


def _source(record: StoredFile) -> dict:
    document = record.document
    return {
        "started_utc": document["started_utc"],
        "ended_utc": document["ended_utc"],
        "driver_sha256": document["files"]["driver_sha256"],
        "library_sha256": document["files"]["library_sha256"],
        "record": record.name,
        "record_sha256": record.sha256,
    }


def cpus(document: dict) -> list[int]:
    """The CPUs on which a record's trials ran, ascending."""
    return sorted({trial[key] for trial in document["trials"] for key in ("cpu_before", "cpu_after")})


def _memory(instance: StoredInstance, operation: str) -> dict:
    evidence = instance.memory
    if evidence is None:
        return _no_figure("ABSENT", f"memory/{instance.candidate}/{instance.name}.json is absent")
    document = evidence.document
    source = {"library_sha256": document["library_sha256"], "memory": evidence.name, "memory_sha256": evidence.sha256}
    if instance.kat is None or document["library_sha256"] != instance.kat.document["library_sha256"]:
        return _no_figure("STALE", "stale: it is not about the library of the KAT verdict") | source
    if evidence.foreign:
        return _no_figure("STALE", f"stale: {evidence.foreign}") | source
    if document["status"] != "MEASURED":
        return _no_figure(document["status"], document["reason"]) | source
    entries = {entry["operation"]: entry for entry in document["operations"]}
    entry = entries.get(operation, {"outcome": "ABSENT", "reason": f"{evidence.name} has no {operation}"})
    static = {"elf_load_bytes" if key == "load_bytes" else key: size for key, size in (document["elf"] or {}).items()}
    if entry["outcome"] != "DONE":
        return _no_figure(entry["outcome"], entry["reason"]) | source | static
    return {"status": "MEASURED", "reason": ""} | source | static | statistics.memory(entry)


def _no_figure(status: str, reason: str) -> dict:
    return {"status": status, "reason": reason}
