"""What speaks against a batch: something else took its clock, its CPU or its core's execution slots.

The driver judges each batch by the best canary that it knows of; aggregate judges all again, by the rules
of native/perf/disturbance.c, with the best canary of the campaign, which may have been seen later. That one is of no
single record where there are several: a freak, a forgery or a wrong file bin/canary.json spoils no other record.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

from . import observations

# The words, in the order in which a batch has them.
WORDS = ("canary", "clock", "switched", "migrated")
CANARY_TOLERANCE = 0.03
CLOCK_TOLERANCE = 0.05
OFF_CPU_SHARE = 0.001

Host = tuple[str, int]  # whose canaries can be compared: SHA-256 of the driver, CPU


def host(record: dict) -> Host:
    return record["files"]["driver_sha256"], record["environment"]["cpu_asked"]


def own_canary(record: dict) -> int | None:
    """The best canary that the driver knew of when it wrote the record, ns; None where there are none."""
    canary = record["canary"]
    return min(canary["reference_ns"], canary["seen_ns"]) if canary else None


def best_canaries(records: Iterable[dict]) -> dict[Host, int]:
    """The best canary of each host, ns."""
    seen: dict[Host, list[int]] = {}
    for record in records:
        if canary := record["canary"]:
            seen.setdefault(host(record), []).append(canary["seen_ns"])
    return {one: _confirmed(times) for one, times in seen.items()}


def _confirmed(times: Sequence[int]) -> int:
    """The least time that another one confirms, being at most 3 % longer; where none does, the second least of all."""
    times = sorted(times)
    confirmed = (one for one, other in pairwise(times) if other <= (1 + CANARY_TOLERANCE) * one)
    return next(confirmed, times[:2][-1])


def told(record: dict) -> tuple[int, int]:
    """How many batches of a record its driver found disturbed, and how many there are."""
    batches = [batch for trial in record["trials"] for batch in trial["batches"]]
    return sum(bool(batch["disturbed"]) for batch in batches), len(batches)


def words(record: dict, canary_ns: int | None) -> list[list[str]]:
    """Of each batch of each trial, the words that speak against it, separated by spaces; "" where none do.

    `canary_ns` is the time of an undisturbed canary, None where there are none.
    """
    limit = None if canary_ns is None else (1 + record["canary"]["tolerance"]) * canary_ns
    return [
        [_words(record, trial, number, limit) for number in range(len(trial["batches"]))] for trial in record["trials"]
    ]


def _words(record: dict, trial: dict, number: int, limit: float | None) -> str:
    batch = trial["batches"][number]
    holds = (
        limit is not None and max(trial["canaries_ns"][number : number + 2]) > limit,
        _left_clock(batch, trial, record["plan"]["clock_hz"]),
        batch["involuntary_switches"] > 0
        and batch["elapsed_ns"] - batch["cpu_ns"] > OFF_CPU_SHARE * batch["elapsed_ns"],
        batch["cpu"] != record["environment"]["cpu_asked"],
    )
    return " ".join(word for word, does in zip(WORDS, holds, strict=True) if does)


def _left_clock(batch: dict, trial: dict, clock_hz: float | None) -> bool:
    """Whether its counted cycles over its time leave the known clock; without a counter, whether its trial's does.

    A trial's clock also leaves where it changed from before to after.
    """
    if batch["cycles"] is not None:
        return bool(clock_hz) and _leaves(_counted_hz(batch), clock_hz)
    chain = trial["core_clock"]
    if chain is None:
        return False
    times = (chain["before_ns"], chain["after_ns"])
    clocks = observations.core_clocks(trial) if clock_hz else []
    return max(times) > (1 + CLOCK_TOLERANCE) * min(times) or any(_leaves(clock, clock_hz) for clock in clocks)


def _counted_hz(batch: dict) -> float:
    """Cycles a second; scaled up where the counter ran only part of the time, and nothing where it never did."""
    share = batch["running_ns"] / batch["enabled_ns"] if batch["running_ns"] and batch["enabled_ns"] else math.inf
    return batch["cycles"] / share / (batch["elapsed_ns"] / 1e9)


def _leaves(clock_hz: float, expected_hz: float) -> bool:
    return abs(clock_hz / expected_hz - 1) > CLOCK_TOLERANCE


def counts(judged: Sequence[Sequence[str]]) -> dict[str, int]:
    """How many batches each word speaks against, of the words that speak against any."""
    said = [word for trial in judged for batch in trial for word in batch.split()]
    return {word: said.count(word) for word in WORDS if word in said}
