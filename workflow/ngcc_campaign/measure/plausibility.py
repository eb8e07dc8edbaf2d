"""Whether a record's times are those of calls: what its processes used besides, and whether its library remembers.

The driver refuses what cannot be (native/perf/plausible.c); what can be, and looks wrong, is marked.
"""

from __future__ import annotations

from statistics import median

# CPU time that nothing accounts for: what checking calls, reporting and giving memory back may take. ns, share of what
# the process used once it was ready, at most so many ns for its memory, of which a KiB takes NS_PER_KIB, and so many
# times what it took to be ready. Above REFUSED it cannot be, above MARKED in half of the trials the record is marked.
REFUSED, MARKED, NS_PER_KIB = (20e6, 0.05, 20e6, 1), (5e6, 0.02, 5e6, 0), 250
# How many times a trial's call a call may take in the calibration, and from how many ns on that is judged.
SKIPS_FACTOR, SKIPS_LEAST_NS = 2, 100
# How much more a call may cost where messages differ.
REMEMBERS_FACTOR = 1.5


def unaccounted_ns(trial: dict) -> int:
    """CPU time of a trial's process since it was ready, less what its batches and the rest took, ns.

    A batch used the CPU no longer than it lasted; a coarse clock may have missed it.
    """
    process = trial["process"]
    batches = sum(min(batch["elapsed_ns"], batch["cpu_ns"] or batch["elapsed_ns"]) for batch in trial["batches"])
    return process["cpu_ns"] - process["ready_cpu_ns"] - process["untimed_ns"] - batches


def exceeds(trial: dict, limit: tuple[float, float, float, int]) -> bool:
    """Whether more than `limit` (REFUSED or MARKED) is unaccounted for, or as much accounted for but not used."""
    process = trial["process"]
    least_ns, share, memory_ns, times = limit
    used_ns, ready_ns = process["cpu_ns"] - process["ready_cpu_ns"], process["ready_cpu_ns"]
    memory_ns = min(NS_PER_KIB * process["peak_rss_kib"], memory_ns)
    return abs(unaccounted_ns(trial)) > least_ns + times * ready_ns + share * used_ns + memory_ns


def figures(record: dict) -> dict:
    """Of performance.csv, the columns that tell; empty under an emulator, which has work of its own."""
    native = record["canary"] is not None
    return {
        "unaccounted_ns": median(map(unaccounted_ns, record["trials"])) if native else None,
        "repeats_factor": repeats_factor(record),
    }


def marks(record: dict) -> dict[str, bool]:
    """Words that a row may be marked with, and whether it is."""
    exceeding = sum(exceeds(trial, MARKED) for trial in record["trials"])
    native = record["canary"] is not None
    return {
        "unaccounted": native and (2 * exceeding >= len(record["trials"]) or skips_calls(record)),
        "remembers": (repeats_factor(record) or 0) > REMEMBERS_FACTOR,
    }


def skips_calls(record: dict) -> bool:
    """Whether calls took so much longer in the calibration that the trials can't have made all of theirs."""
    tried = record["calibration"] and record["calibration"]["repeats"]
    if not tried or not tried["plain_calls"]:
        return False
    call_ns = tried["plain_ns"] / tried["plain_calls"]
    batches = [batch for trial in record["trials"] for batch in trial["batches"]]
    mean_ns = sum(batch["elapsed_ns"] for batch in batches) / sum(batch["calls"] for batch in batches)
    return call_ns >= SKIPS_LEAST_NS and call_ns > SKIPS_FACTOR * mean_ns


def repeats_factor(record: dict) -> float | None:
    """How many times as much calls cost that alternate between messages; None where that was not tried."""
    tried = record["calibration"] and record["calibration"]["repeats"]
    if not tried:
        return None
    return tried["alternating_ns"] / tried["alternating_calls"] / (tried["plain_ns"] / tried["plain_calls"])
