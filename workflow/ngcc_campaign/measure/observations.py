"""What a record observed, as arrays: all batches of all trials are of one size, so nothing has to be weighted.

Time and cycles are never derived from one another, except for the stated estimate (elapsed time × core clock).
Reference-clock ticks are not core cycles and are not used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cycles:
    """Cycles of each batch, shape (trials, batches); None, and the reason, where not every trial has a usable source.

    `source` and `reason` are as in performance.csv; `multiplexed`: counts were scaled up.
    """

    of_batches: np.ndarray | None
    source: str
    reason: str
    multiplexed: bool = False


def elapsed_ns(record: dict) -> np.ndarray:
    """Time of each batch, ns, shape (trials, batches)."""
    return _of_batches(record, "elapsed_ns")


def cycles(record: dict) -> Cycles:
    """Cycles of each batch by the record's own source."""
    source, reason = record["cycle_source"], record["cycle_source_reason"]
    if source == "none":
        return Cycles(None, source, reason)
    found = counted(record) if source == "perf_event" else _estimated(record)
    if found is None:
        lack = "a counter that answered nothing or 0" if source == "perf_event" else "a trial without a core clock"
        return Cycles(None, "none", f"{source}: {lack}")
    return Cycles(found, source, reason, source == "perf_event" and _is_multiplexed(record))


def counted(record: dict) -> np.ndarray | None:
    """Cycles by the hardware counter; scaled up where the kernel let it run only part of the time.

    None where the counter was silent in any batch.
    """
    if not all(
        batch[key] for trial in record["trials"] for batch in trial["batches"] for key in ("cycles", *_COUNTER_TIMES)
    ):
        return None
    enabled, running = (_of_batches(record, key) for key in _COUNTER_TIMES)
    return _of_batches(record, "cycles") * np.where(running < enabled, enabled / running, 1.0)


_COUNTER_TIMES = ("enabled_ns", "running_ns")


def _is_multiplexed(record: dict) -> bool:
    return any(batch["running_ns"] < batch["enabled_ns"] for trial in record["trials"] for batch in trial["batches"])


def _estimated(record: dict) -> np.ndarray | None:
    """Elapsed time × the trial's core clock, the mean of the one before it and the one after it."""
    clocks = [core_clocks(trial) for trial in record["trials"]]
    return elapsed_ns(record) * np.array(clocks).mean(axis=1, keepdims=True) / 1e9 if all(clocks) else None


def core_clocks(trial: dict) -> list[float]:
    """The core clock before and after a trial, in Hz; empty where it was not measured."""
    chain = trial["core_clock"]
    return [chain["additions"] * 1e9 / chain[moment] for moment in ("before_ns", "after_ns")] if chain else []


def _of_batches(record: dict, key: str) -> np.ndarray:
    return np.array([[batch[key] for batch in trial["batches"]] for trial in record["trials"]], dtype=float)
