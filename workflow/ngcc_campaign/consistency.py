"""Whether evidence agrees with itself: figures are taken from none that contradicts itself."""

from __future__ import annotations

from datetime import datetime
from math import isfinite

# A core clock is between 0.1 and 10 GHz, and within a trial does not change by more than this factor.
SLOWEST_NS, FASTEST_PER_NS = 10, 10  # ns a cycle, cycles a ns
CLOCK_FACTOR = 2
# Start and end are whole seconds, of a clock that may be set meanwhile.
SECONDS_TOLERANCE = 2


def contradiction(record: dict, asked: dict) -> str:
    """Why a record that calls itself measured gives no figure; empty where it gives one.

    The record must be valid by its schema. `asked` holds digest_bits and message_bytes.
    """
    for key in ("digest_bits", "message_bytes"):
        if record[key] != asked[key]:
            return f"its {key} are {record[key]}, asked for were {asked[key]}"
    used = sorted(trial["trial"] for trial in record["trials"] if trial["used"])
    if used != list(range(record["plan"]["trials"])):
        return f"of {record['plan']['trials']} planned trials, numbers {used} were used"
    digest = record["digest"]
    if digest is None or not digest["same"]:
        return "its calls gave different digests"
    if len(digest["value"]) != 2 * ((record["digest_bits"] + 7) // 8):
        return "its digest has another width"
    for trial in record["trials"]:
        if flaw := _trial(trial, record):
            return f"trial {trial['trial']}: {flaw}"
    return _duration(record)


def _trial(trial: dict, record: dict) -> str:
    plan, batches = record["plan"], trial["batches"]
    if (trial["calls"], len(batches)) != (plan["calls_per_trial"], plan["batches_per_trial"]):
        return "it has not the calls or batches that were planned"
    if trial["calls"] != sum(batch["calls"] for batch in batches):
        return "its calls are not those of its batches"
    if not trial["digest_same"] or trial["digest"] != record["digest"]["value"]:
        return "it gave another digest"
    if {trial["cpu_before"], trial["cpu_after"]} != {record["environment"]["cpu_asked"]}:
        return "it ran on another CPU than the one asked for"
    if not _is_clock(trial["core_clock"]):
        return "its core clock cannot be"
    if not all(batch["elapsed_ns"] > 0 for batch in batches):
        return "a batch took no time"
    if not all(_is_count(batch) for batch in batches):
        return "its counted cycles cannot be"
    mean = sum(batch["elapsed_ns"] for batch in batches) / trial["calls"]
    return "" if mean > 0 and isfinite(mean) else "a call took no time"


def _is_clock(chain: dict | None) -> bool:
    """Whether additions and times are those of a processor; in integers, which no figure is too large for."""
    if chain is None:
        return True
    times = (chain["before_ns"], chain["after_ns"])
    slow, fast = max(times), min(times)
    additions = chain["additions"]
    return slow <= SLOWEST_NS * additions and additions <= FASTEST_PER_NS * fast and slow <= CLOCK_FACTOR * fast


def _is_count(batch: dict) -> bool:
    """Whether counted cycles, scaled up as they are for figures, fit the time; a counter may also tell nothing."""
    cycles, enabled, running = batch["cycles"], batch["enabled_ns"], batch["running_ns"]
    if cycles is None or not enabled or not running:
        return True
    return running <= enabled and cycles * enabled <= FASTEST_PER_NS * batch["elapsed_ns"] * running


def _duration(record: dict) -> str:
    """The trials one after another fit between start and end."""
    try:
        started, ended = (datetime.fromisoformat(record[key]) for key in ("started_utc", "ended_utc"))
    except ValueError:
        return "its start or end is no moment"
    seconds = (ended - started).total_seconds()
    if seconds < 0:
        return "it ended before it started"
    timed = sum(batch["elapsed_ns"] for trial in record["trials"] for batch in trial["batches"])
    return "" if timed <= (seconds + SECONDS_TOLERANCE) * 1e9 else "its trials took longer than it lasted"


def verdict(kat: dict) -> str:
    """Why a verdict contradicts itself, a PASS that does not follow from its files, say; empty where it does not."""
    if kat["timed"] and not kat["library_sha256"]:
        return "it lets a library be timed and names none"
    names = [file["file"] for file in kat["files"]]
    if len(set(names)) < len(names):
        return "it names a file twice"
    if kat["verdict"] != "PASS":
        return ""
    for file in kat["files"]:
        found, expected = file["sha256"], file["expected_sha256"]
        if file["verdict"] != ("PASS" if expected else "NOT_SUPPLIED") or (expected and found != expected):
            return f"it is PASS, but {file['file']} is not"
    if not any(file["expected_sha256"] for file in kat["files"]):
        return "it is PASS without a file that was compared"
    return ""
