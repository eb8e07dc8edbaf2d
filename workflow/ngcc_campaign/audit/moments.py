"""Whether everything happened one after another, and nothing is from the future."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from .findings import Findings
from .holdings import Holdings

# Two machines' clocks, and two readings of one that is set meanwhile. Moments are subtracted: what is added to the last
# one of 9999 has no year.
FUTURE, STEP = timedelta(days=1), timedelta(seconds=1)
# A record may take this factor of its budget (or of its trials, where one alone takes longer) and this long besides:
# calibration, processes that start, canaries, warm-up.
LONGEST_FACTOR, LONGEST_BESIDES = 3, timedelta(minutes=5)


def check(holdings: Holdings, findings: Findings, now: datetime | None = None) -> None:
    """Check every moment that a document tells; `now` is UTC."""
    now = now or datetime.now(UTC)
    spans = {}
    for name, document in holdings.documents.items():
        if "created_utc" in document:
            spans[name] = _span(name, document, ("created_utc", "created_utc"), now, findings)
        elif "started_utc" in document:
            spans[name] = _span(name, document, ("started_utc", "ended_utc"), now, findings)
    records = {name: span for name, span in spans.items() if span and name.startswith("records/")}
    for name in records:
        _follows_what_it_rests_on(name, spans, holdings, findings)
        _lasted(name, records[name], holdings.documents[name], findings)
    _one_at_a_time(records, holdings, findings)


def _span(name: str, document: dict, keys: tuple, now: datetime, findings: Findings) -> tuple | None:
    """Start and end, where they are moments; faults are noted."""
    try:
        started, ended = (datetime.fromisoformat(document[key]) for key in keys)
    except ValueError:
        findings.check("moments", False, f"{name}: its start or end is no moment.")
        return None
    findings.check("moments", started <= ended, f"{name}: it ended before it started.")
    findings.check("moments", ended <= now + FUTURE, f"{name}: it ended in the future, {document[keys[1]]}.")
    return started, ended


def _follows_what_it_rests_on(name: str, spans: dict, holdings: Holdings, findings: Findings) -> None:
    """A record holds the digests of its verdict and its host, so that it was made after them."""
    files = holdings.documents[name]["files"]
    for key in ("verdict", "host"):
        before = files[key]
        if spans.get(before) and files[f"{key}_sha256"] == holdings.sha256(before):
            sentence = f"{name}: it started before {before} was made, whose digest it holds."
            findings.check("moments", spans[before][1] - spans[name][0] <= STEP, sentence)


def _lasted(name: str, span: tuple, document: dict, findings: Findings) -> None:
    timed = sum(batch["elapsed_ns"] for trial in document["trials"] for batch in trial["batches"])
    seconds = LONGEST_FACTOR * max(document["plan"]["budget_ns"], timed) / 1e9
    longest = timedelta(seconds=min(seconds, 1e9)) + LONGEST_BESIDES
    sentence = f"{name}: it lasted longer than its budget and its trials explain."
    findings.check("moments", span[1] - span[0] <= longest, sentence)


def _one_at_a_time(records: dict, holdings: Holdings, findings: Findings) -> None:
    """A driver holds the lock of its CPU from a record's start to its end."""
    by_cpu: dict[int, list] = {}
    for name, span in records.items():
        by_cpu.setdefault(holdings.documents[name]["environment"]["cpu_asked"], []).append((span, name))
    for cpu, timed in by_cpu.items():
        last, last_name = None, ""
        for (started, ended), name in sorted(timed):
            where = PurePosixPath(name)
            if last is not None:
                sentence = f"{where}: it started on CPU {cpu} before {last_name} had ended there."
                findings.check("moments", last - started <= STEP, sentence)
            if last is None or ended > last:
                last, last_name = ended, name
