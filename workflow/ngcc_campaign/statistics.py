"""What raw observations amount to: the figures of one timing record, and those of one operation's memory runs.

Time and cycles are never derived from one another, except for the stated estimate (elapsed time × core clock).
Reference-clock ticks are not core cycles and are not used.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

NO_CYCLES = {"mean_cycles": None, "min_trial_cycles": None, "max_trial_cycles": None}


def timing(record: dict) -> dict:
    """Figures of a measured record, by the column names of performance.csv (of one call, times in ns).

    The mean is the sum over all used trials divided by the calls in them; the minimum and maximum of the trials'
    own means show the spread, the mean of the fastest batch what a call takes undisturbed. The record must not
    contradict itself (module consistency).
    """
    trials = [trial for trial in record["trials"] if trial["used"]]
    calls = [_sum(trial, "calls") for trial in trials]
    elapsed = [_sum(trial, "elapsed_ns") for trial in trials]
    means = [time / count for time, count in zip(elapsed, calls, strict=True)]
    mean_ns = sum(elapsed) / sum(calls)
    return {
        "calls": sum(calls),
        "trials": len(trials),
        "calls_per_trial": record["plan"]["calls_per_trial"],
        "repeated_trials": len(record["trials"]) - len(trials),
        "mean_ns": mean_ns,
        "min_trial_ns": min(means),
        "max_trial_ns": max(means),
        "fastest_batch_ns": min(batch["elapsed_ns"] / batch["calls"] for trial in trials for batch in trial["batches"]),
        "trial_spread": (max(means) - min(means)) / mean_ns if len(trials) > 1 else None,
        **_cycles(record, trials, calls),
    }


def per_byte(figures: dict, message_bytes: int) -> dict:
    """Throughput in 10^6 bytes a second, from the time, and cycles per byte, from the cycles."""
    cycles = figures["mean_cycles"]
    return {
        "mb_per_s": message_bytes / figures["mean_ns"] * 1000,
        "cycles_per_byte": None if cycles is None else cycles / message_bytes,
    }


def _cycles(record: dict, trials: list[dict], calls: list[int]) -> dict:
    """Cycle columns; without figures, and with the reason, where one used trial lacks a usable count."""
    source = record["cycle_source"]
    columns = {"cycle_source": source, "cycle_source_reason": record["cycle_source_reason"], "multiplexed": False}
    if source == "none":
        return columns | NO_CYCLES
    count = _counted if source == "perf_event" else _estimated
    counts = [count(trial) for trial in trials]
    if any(value is None for value in counts):
        lack = "a counter that answered nothing or 0" if source == "perf_event" else "a trial without a core clock"
        return columns | NO_CYCLES | {"cycle_source": "none", "cycle_source_reason": f"{source}: {lack}"}
    means = [total / number for total, number in zip(counts, calls, strict=True)]
    return columns | {
        "multiplexed": source == "perf_event" and any(_multiplexed(trial) for trial in trials),
        "mean_cycles": sum(counts) / sum(calls),
        "min_trial_cycles": min(means),
        "max_trial_cycles": max(means),
    }


def _counted(trial: dict) -> float | None:
    """A trial's cycles by the hardware counter; scaled up where the kernel let it run only part of the time."""
    total = 0
    for batch in trial["batches"]:
        if not batch["cycles"] or not batch["running_ns"] or not batch["enabled_ns"]:
            return None
        part_time = batch["running_ns"] < batch["enabled_ns"]
        total += batch["cycles"] * batch["enabled_ns"] / batch["running_ns"] if part_time else batch["cycles"]
    return total


def _multiplexed(trial: dict) -> bool:
    return any(batch["running_ns"] < batch["enabled_ns"] for batch in trial["batches"])


def _estimated(trial: dict) -> float | None:
    """A trial's cycles by the core clock: elapsed ns × mean of the additions per ns before and after it."""
    clocks = core_clocks(trial)
    return _sum(trial, "elapsed_ns") * sum(clocks) / len(clocks) / 1e9 if clocks else None


def core_clocks(trial: dict) -> list[float]:
    """The core clock before and after a trial, in Hz; empty where it was not measured."""
    chain = trial["core_clock"]
    if not chain or not chain["before_ns"] or not chain["after_ns"]:
        return []
    return [chain["additions"] * 1e9 / chain[moment] for moment in ("before_ns", "after_ns")]


def _sum(trial: dict, key: str) -> int:
    return sum(batch[key] for batch in trial["batches"])


def memory(operation: dict) -> dict:
    """Figures of one operation's memory runs, by the column names of memory.csv.

    RSS is the median over processes, so that one process's page-cache luck does not show; stack and heap are
    maxima, as they are high-water marks.
    """
    rss, call = operation["rss"], operation["call"]
    leaks = [leak for leak in map(_leak, call) if leak is not None]
    return {
        "rss_processes": len(rss),
        "baseline_rss_kib": median(run["baseline_kib"] for run in rss) if rss else None,
        "peak_rss_kib": median(run["peak_kib"] for run in rss) if rss else None,
        "call_processes": len(call),
        "stack_bytes": max((run["stack_bytes"] for run in call), default=None),
        "heap_peak_bytes": max((run["heap_peak_bytes"] for run in call), default=None),
        "leak_bytes_per_call": max(leaks, default=None),
    }


def _leak(run: dict) -> float | None:
    """Bytes that a call leaves behind: the median growth of the live heap over the calls beyond the first.

    Single calls that fill a table for good, the second one say, do not show in it.
    """
    growths = [after - before for before, after in pairwise(run["heap_live_bytes"])]
    return max(0.0, median(growths)) if growths else None
