"""Whether evidence agrees with itself: figures are taken from none that contradicts itself."""

from __future__ import annotations

from datetime import datetime
from itertools import chain
from math import isfinite

from . import disturbance, plausibility, stopping

# A core clock is between 0.1 and 10 GHz; within a trial it may change as it likes, which makes its batches disturbed.
SLOWEST_NS, FASTEST_PER_NS = 10, 10  # ns a cycle, cycles a ns
# Additions that a core can make in a cycle, and how much better a canary can be than the best one.
ADDITIONS_A_CYCLE, CANARY_FACTOR = 12, 2
# Start and end are whole seconds, of a clock that may be made to run quicker or slower; what is more than that was set.
SECONDS_TOLERANCE, PACE_TOLERANCE = 2, 0.001
# Two clocks at constant rates, each read at both ends of a batch; what may lie between readings, ns.
TICKS_TOLERANCE, READING_NS = 0.001, 2000
# The same of the clocks outside the process, by the batches' rate, which short ones tell less well.
OUTER_TOLERANCE = 0.01
# Trials whose readings are all the same are one and its copy, where that many readings are of that many ticks or ns at
# least: honest ones, however quiet, differ by more than a tick in ten thousand, and short ones may all coincide.
COPIES = ((5, 10_000), (2, 1_000_000))
# What a trial has the sums of, over its batches.
SUMS = (
    "calls", "elapsed_ns", "cycles", "reference_ticks",
    "voluntary_switches", "involuntary_switches", "minor_faults", "major_faults",
)  # fmt: skip


def contradiction(record: dict, asked: dict) -> str:
    """Why a record that calls itself measured gives no figure; empty where it gives one.

    The record must be valid by its schema. `asked` holds digest_bits and message_bytes.
    """
    for key in ("digest_bits", "message_bytes"):
        if record[key] != asked[key]:
            return f"its {key} are {record[key]}, asked for were {asked[key]}"
    if flaw := _head(record):
        return flaw
    for number, trial in enumerate(record["trials"]):
        if flaw := _trial(number, trial, record):
            return f"trial {trial['trial']}: {flaw}"
    return _copies(record) or _ticks(record) or _words(record) or _end(record)


def _head(record: dict) -> str:
    if not record["trials"]:
        return "it has no trials"
    digest = record["digest"]
    if digest is None or not digest["same"]:
        return "its calls gave different digests"
    if len(digest["value"]) != 2 * ((record["digest_bits"] + 7) // 8):
        return "its digest has another width"
    if flaw := sandbox(record["sandbox"]):
        return flaw
    canary = record["canary"]
    possible = canary is None or all(_is_canary(canary[key], canary) for key in ("reference_ns", "seen_ns"))
    return "" if possible else "its canary cannot be"


def sandbox(layers: dict | None) -> str:
    """Why the layers of a sandbox are not those of its mode; empty where they can be."""
    found = [bool(layer) for name, layer in (layers or {}).items() if name != "mode"]
    if layers and layers["mode"] == "require" and not all(found):
        return "its sandbox lacks a layer, and all were required"
    if layers and layers["mode"] == "off" and any(found):
        return "its sandbox was off, and has layers"
    return ""


def _trial(number: int, trial: dict, record: dict) -> str:
    plan, batches = record["plan"], trial["batches"]
    if trial["trial"] != number:
        return f"it stands in the place of trial {number}"
    if len(batches) != plan["batches_per_trial"] or any(batch["calls"] != plan["calls_per_batch"] for batch in batches):
        return "it has not the calls or batches that were planned"
    for key in SUMS:
        parts = [batch[key] for batch in batches]
        if trial[key] != (None if None in parts else sum(parts)):
            return f"its {key} are not the sum over its batches"
    if not trial["digest_same"] or trial["digest"] != record["digest"]["value"]:
        return "it gave another digest"
    if {trial["cpu_before"], trial["cpu_after"]} != {record["environment"]["cpu_asked"]}:
        return "it ran on another CPU than the one asked for"
    if trial["layout"] != layout(number):
        return "its layout is not that of its number"
    return _times(trial, record)


def _times(trial: dict, record: dict) -> str:
    batches, canary = trial["batches"], record["canary"]
    if len(trial["canaries_ns"]) != (len(batches) + 1 if canary else 0):
        return "it has not a canary around each batch"
    if canary and not all(_is_canary(time, canary) for time in trial["canaries_ns"]):
        return "its canaries cannot be"
    if not _is_clock(trial["core_clock"]):
        return "its core clock cannot be"
    if not all(batch["elapsed_ns"] > 0 for batch in batches):
        return "a batch took no time"
    if not all(_is_count(batch) for batch in batches):
        return "its counted cycles cannot be"
    if canary and plausibility.exceeds(trial, plausibility.REFUSED):
        return "its CPU time is not what its process used"
    if trial["process"]["wall_ns"] < trial["elapsed_ns"] + sum(trial["canaries_ns"]):
        return "it took longer than its process lived"
    mean = trial["elapsed_ns"] / trial["calls"]
    return "" if mean > 0 and isfinite(mean) else "a call took no time"


def layout(trial: int) -> dict[str, int]:
    """Where things lie in the trial of this number, as native/perf/layout.c has it: SplitMix64 from the number."""
    if trial == 0:
        return {"message_offset": 0, "stack_offset": 0, "environment_bytes": 0}
    first, second, third = (_mixed(trial + step * 0x9E3779B97F4A7C15) for step in (1, 2, 3))
    return {"message_offset": first % 256 * 16, "stack_offset": second % 256 * 16, "environment_bytes": third % 4096}


def _mixed(state: int) -> int:
    state %= 1 << 64
    state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % (1 << 64)
    state = (state ^ state >> 27) * 0x94D049BB133111EB % (1 << 64)
    return state ^ state >> 31


def _is_canary(time_ns: int, canary: dict) -> bool:
    """Whether a canary's time is that of a processor, and not far better than the best that the host knows of."""
    best = min(canary["reference_ns"], canary["seen_ns"])
    return canary["additions"] <= ADDITIONS_A_CYCLE * FASTEST_PER_NS * time_ns and best <= CANARY_FACTOR * time_ns


def _is_clock(chain: dict | None) -> bool:
    """Whether additions and times are those of a processor; in integers, which no figure is too large for."""
    if chain is None:
        return True
    times = (chain["before_ns"], chain["after_ns"])
    additions = chain["additions"]
    return max(times) <= SLOWEST_NS * additions and additions <= FASTEST_PER_NS * min(times)


def _is_count(batch: dict) -> bool:
    """Whether counted cycles, scaled up as they are for figures, fit the time; a counter may also tell nothing."""
    cycles, enabled, running = batch["cycles"], batch["enabled_ns"], batch["running_ns"]
    if cycles is None or not enabled or not running:
        return True
    return running <= enabled and cycles * enabled <= FASTEST_PER_NS * batch["elapsed_ns"] * running


def _rate(rates: list[tuple[float, int]]) -> float:
    """The median of rates, each with its weight: in a short batch a coarse clock's ticks are too few to tell."""
    half, passed = sum(weight for _, weight in rates) / 2, 0
    for rate, weight in sorted(rates):
        passed += weight
        if passed >= half:
            return rate
    raise ValueError("no rates")


def _ticks(record: dict) -> str:
    """The reference clock ticks as often a nanosecond in each batch as in the others."""
    batches = list(chain.from_iterable(trial["batches"] for trial in record["trials"]))
    ticks = [batch["reference_ticks"] for batch in batches]
    if record["reference_clock"] == "none" or None in ticks:
        return "" if set(ticks) <= {None} and record["reference_clock"] == "none" else "it lacks reference ticks"
    times = [batch["elapsed_ns"] for batch in batches]
    rate = _rate([(count / time, time) for count, time in zip(ticks, times, strict=True)])
    step = record["environment"]["clock_resolution_ns"] or 0
    for count, batch in zip(ticks, batches, strict=True):
        apart_ns = count / rate - batch["elapsed_ns"]
        allowed_ns = TICKS_TOLERANCE * batch["elapsed_ns"] + READING_NS + 2 * step
        # Whoever took the CPU may have done so between two readings, those of the ticks being the outer ones.
        is_torn = "switched" in batch["disturbed"] and apart_ns > 0
        if abs(apart_ns) > allowed_ns and not is_torn:
            return "its reference clock ran at two speeds"
    return _outer_ticks(record, rate)


def _outer_ticks(record: dict, rate: float) -> str:
    """Nor does it tick otherwise for who looks from outside the process: no code of the library ran there."""
    for trial in record["trials"]:
        process = trial["process"]
        if process["reference_ticks"] is None:
            return "it lacks reference ticks"
        if abs(process["reference_ticks"] / rate - process["wall_ns"]) > OUTER_TOLERANCE * process["wall_ns"]:
            return f"trial {trial['trial']}: its reference clock ran at another speed than outside its process"
    return ""


def _copies(record: dict) -> str:
    """Two trials can't take the same time to the nanosecond, batch by batch."""
    first: dict[tuple, int] = {}
    for trial in record["trials"]:
        readings = tuple((batch["elapsed_ns"], batch["reference_ticks"]) for batch in trial["batches"])
        least = [min(time, time if ticks is None else ticks) for time, ticks in readings]
        if any(sum(count >= ticks for count in least) >= batches for batches, ticks in COPIES):
            original = first.setdefault(readings, trial["trial"])
            if original != trial["trial"]:
                return f"trial {trial['trial']}: its batches took what those of trial {original} did, to the nanosecond"
    return ""


def _words(record: dict) -> str:
    judged = disturbance.words(record, disturbance.own_canary(record))
    written = [[batch["disturbed"] for batch in trial["batches"]] for trial in record["trials"]]
    for trial, (found, said) in enumerate(zip(judged, written, strict=True)):
        for batch, (one, other) in enumerate(zip(found, said, strict=True)):
            if one != other:
                return f"trial {trial}: batch {batch} is '{one}' by its own numbers, it says '{other}'"
    return ""


def _end(record: dict) -> str:
    """It lasted from start to end; the trials one after another fit there, and ended when they had to."""
    try:
        started, ended = (datetime.fromisoformat(record[key]) for key in ("started_utc", "ended_utc"))
    except ValueError:
        return "its start or end is no moment"
    seconds = (ended - started).total_seconds()
    lasted = record["lasted_ns"] / 1e9
    if abs(seconds - lasted) > SECONDS_TOLERANCE + PACE_TOLERANCE * lasted:
        return f"the host's clock was set meanwhile: it lasted {seconds:g} s by its dates, {lasted:.0f} s in truth"
    if seconds < 0:
        return "it ended before it started"
    if sum(trial["process"]["wall_ns"] for trial in record["trials"]) > record["lasted_ns"]:
        return "its trials took longer than it lasted"
    return stopping.contradiction(record, lasted)


def other_answer(record: dict, kat: dict) -> str:
    """Why a measured record's digest is not what its library answers while it is verified; empty where it is."""
    for message in kat["messages"]:
        if message["message_bytes"] == record["message_bytes"]:
            if message["outcome"] != "DONE":
                return f"in verification its message has no answer: {message['outcome']}: {message['reason']}"
            same = message["digest"] == record["digest"]["value"]
            return "" if same else "its timed calls answer otherwise than in verification"
    return "in verification its message was not asked"


def verdict(kat: dict) -> str:
    """Why a verdict contradicts itself, a PASS that does not follow from its files, say; empty where it does not."""
    if kat["timed"] and not kat["library_sha256"]:
        return "it lets a library be timed and names none"
    if flaw := sandbox(kat["sandbox"]):
        return flaw
    sizes = [message["message_bytes"] for message in kat["messages"]]
    if len(set(sizes)) < len(sizes):
        return "it names a message twice"
    if any((message["outcome"] == "DONE") != bool(message["digest"]) for message in kat["messages"]):
        return "a message is DONE without a digest, or has one without being DONE"
    names = [file["file"] for file in kat["files"]]
    if len(set(names)) < len(names):
        return "it names a file twice"
    if kat["verdict"] != "PASS":
        return ""
    for file in kat["files"]:
        found, expected = file["sha256"], file["expected_sha256"]
        if file["verdict"] != ("PASS" if expected else "NOT_SUPPLIED") or (expected and found != expected):
            return f"it is PASS, but {file['file']} is not"
    for message in kat["messages"]:
        if message["outcome"] != "DONE":
            return f"it is PASS, but its message of {message['message_bytes']} bytes has no answer"
    if not any(file["expected_sha256"] for file in kat["files"]):
        return "it is PASS without a file that was compared"
    return ""
