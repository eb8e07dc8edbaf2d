"""How long a campaign will take, told before it starts.

What is timed takes a known number of calls, once the cost of a call is known: from records of an earlier campaign, else
from published figures of the system. An unknown cost is taken to be such that each trial lasts as long as it aims at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from ..common.errors import Mistake
from ..common.files import read_json
from ..measure.own import CANDIDATE, OWN
from ..published.published import FOLDER, performance
from .catalog import MESSAGE_BYTES, Candidate
from .holdings import other_system
from .settings import YARDSTICK, Plan

OWN_RECORDS = "own functions"
SURROUNDINGS = "drivers, tables, pages"

# What comes on top of timed calls, as seen in a campaign of the bundled submissions on one core of a cloud server:
RECORD_SECONDS = 0.045  # starting the driver and its processes, calibrating, writing the record
# And what jobs take that time nothing, by rule: building is of both variants, verifying of the quick KAT.
JOB_SECONDS = {"drivers": 5.0, "build": 1.0, "verify": 0.5, "memory": 0.7, "aggregate": 2.0, "render": 2.0}
INSTANCE_SECONDS = sum(JOB_SECONDS[rule] for rule in ("build", "verify", "memory"))
CAMPAIGN_SECONDS = 1.0 + sum(JOB_SECONDS[rule] for rule in ("drivers", "aggregate", "render"))  # 1 for starting

_UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
# As in native/perf/plan.c and plan.h: calls of all trials together, what a batch aims at, batches of a trial.
_LEAST_CALLS, _BATCH_NS, _MOST_BATCHES = 100, 10e6, 200


@dataclass(frozen=True)
class Share:
    """One part of a campaign: a candidate, our own functions (module own), or what surrounds them.

    `origins` counts records by where the cost of a call is known from: stored, published or guessed.
    """

    part: str
    seconds: float
    instances: int = 0
    records: int = 0
    origins: Counter[str] = field(default_factory=Counter)


def estimate(
    candidates: Iterable[Candidate],
    plan: Plan,
    *,
    system: str,
    results: Path,
    pending: Iterable[Path] | None = None,
    published: Path = FOLDER,
) -> list[Share]:
    """The parts of a campaign and what each takes; empty where nothing is left to be made.

    results: the system's results, in which costs are looked up and to which paths in `pending` belong.
    pending: evidence still to be made, as `Campaign.evidence` names it; by default all.
    """
    costs = Costs(results, system, published)
    wanted = None if pending is None else set(map(Path, pending))

    def is_wanted(path: Path) -> bool:
        return wanted is None or path in wanted

    shares = [_candidate(candidate, plan, costs, is_wanted) for candidate in candidates]
    shares.append(_own(plan, costs, is_wanted))
    shares = [share for share in shares if share.records or share.instances]
    return [*shares, Share(SURROUNDINGS, CAMPAIGN_SECONDS)] if shares or wanted else []


def check(results: Path, system: str) -> None:
    """Raise Mistake where `results` is no folder that holds results of `system`, or will."""
    if results.exists() and not results.is_dir():
        raise Mistake(f"{results}: it is a file; expected the folder of a system's results, as results/{system}.")
    if other := other_system(results, system):
        raise Mistake(f"{other}; give the results of {system}, or the system by --system.")


def table(shares: list[Share], plan: Plan) -> str:
    """Shares as a person reads them, with their total and what it rests on."""
    from tabulate import tabulate

    if not shares:
        return "Nothing is left to be measured."
    rows = [
        [
            share.part,
            share.instances or "–",
            share.records or "–",
            ", ".join(f"{count} {origin}" for origin, count in share.origins.items()) or "–",
            f"{share.seconds / 60:.1f}",
        ]
        for share in shares
    ]
    total = sum(share.seconds for share in shares) / 60
    rows.append(["in all", sum(s.instances for s in shares), sum(s.records for s in shares), "", f"{total:.1f}"])
    head = ["candidate", "instances", "records", "cost of a call", "minutes"]
    align = ("left", "right", "right", "left", "right")
    return "\n".join(
        [
            tabulate(rows, head, "simple", disable_numparse=True, colalign=align),
            "",
            _summary(shares, total),
            _basis(plan),
        ]
    )


def record_seconds(call_ns: float | None, plan: Plan) -> float:
    """What one record takes on a quiet machine, seconds; `call_ns`: the cost of a call, None where it is not known."""
    if call_ns is None:
        return RECORD_SECONDS + min(plan.trials * plan.target_seconds, plan.budget_seconds)
    warmup = 3 if call_ns < 50e6 else 1 if call_ns < 5e9 else 0
    calibration = 2 if warmup else 1
    calls_per_batch, batches = batches_of(call_ns, plan)
    untimed = batches if calls_per_batch > 1 else 0
    calls = calibration + plan.trials * (warmup + calls_per_batch * batches + untimed)
    return RECORD_SECONDS + calls * call_ns / 1e9


def batches_of(call_ns: float, plan: Plan) -> tuple[int, int]:
    """Calls of a batch and batches of a trial, as ngcc_perf plans them (native/perf/plan.c)."""
    target_ns, share_ns = plan.target_seconds * 1e9, plan.budget_seconds * 1e9 / plan.trials
    calls = max(round(max(min(_BATCH_NS, target_ns / 10), target_ns / _MOST_BATCHES) / call_ns), 1)
    batches = max(round(target_ns / (calls * call_ns)), math.ceil(math.ceil(_LEAST_CALLS / plan.trials) / calls), 1)
    affordable = math.floor(share_ns / ((calls + (calls > 1)) * call_ns))
    batches = max(min(batches, _MOST_BATCHES, affordable), 1)
    return (calls, batches) if batches > 1 else (max(min(calls, math.floor(share_ns / call_ns)), 1), 1)


def _own(plan: Plan, costs: Costs, is_wanted: Callable[[Path], bool]) -> Share:
    seconds, origins = 0.0, Counter()
    for name in OWN:
        path = costs.results / "records" / f"{name}.json"
        if is_wanted(path):
            call_ns, origin = costs.look_up(path, (CANDIDATE, name, ""))
            seconds += record_seconds(call_ns, plan)
            origins[origin] += 1
    return Share(OWN_RECORDS, seconds, 0, origins.total(), origins)


def _candidate(candidate: Candidate, plan: Plan, costs: Costs, is_wanted: Callable[[Path], bool]) -> Share:
    instances, seconds, origins = 0, 0.0, Counter()
    for instance in candidate.instances:
        if is_wanted(costs.results / "kat" / candidate.id / f"{instance.name}.json"):
            instances += 1
            seconds += INSTANCE_SECONDS
        for size in MESSAGE_BYTES:
            path = costs.results / "records" / candidate.id / f"{instance.name}__hash_{size}.json"
            if is_wanted(path):
                call_ns, origin = costs.look_up(path, (candidate.id, instance.name, str(size)))
                seconds += record_seconds(call_ns, plan)
                origins[origin] += 1
    return Share(candidate.id, seconds, instances, origins.total(), origins)


class Costs:
    """What a call costs, as far as anybody knows. Raises Mistake where published figures are damaged."""

    def __init__(self, results: Path, system: str, published: Path = FOLDER) -> None:
        self.results = results
        self._is_own = not _is_foreign(results, system)
        self._published = _published_ns(published / system)

    def look_up(self, record: Path, key: tuple[str, str, str]) -> tuple[float | None, str]:
        """Nanoseconds of a call, None where nobody knows, and where they are from."""
        stored = _stored_ns(record) if self._is_own else None
        if stored is not None:
            return stored, "stored"
        return (self._published[key], "published") if key in self._published else (None, "guessed")


def _stored_ns(path: Path) -> float | None:
    """Median cost of a call in a record, ns; None where it tells none, be it absent, failed or damaged."""
    try:
        trials = read_json(path)["trials"]
        costs = [batch["elapsed_ns"] / batch["calls"] for trial in trials for batch in trial["batches"]]
        return median(costs) or None
    except (Mistake, LookupError, TypeError, ValueError, ArithmeticError):
        return None


def _is_foreign(results: Path, system: str) -> bool:
    try:
        return bool(other_system(results, system))
    except Mistake:  # of a damaged host.json nobody can tell
        return True


def _published_ns(folder: Path) -> dict[tuple[str, str, str], float]:
    """Published mean times in ns, by candidate, instance and message bytes. Raises Mistake where they are damaged."""
    found = {}
    for (candidate, instance, size), row in performance(folder).items():
        number, _, unit = row["mean_time"].partition(" ")
        if unit and float(number):
            found[candidate, instance, str(size)] = float(number) * _UNITS[unit]
    return found


def _summary(shares: list[Share], minutes: float) -> str:
    apart = {YARDSTICK: "of the yardstick", OWN_RECORDS: "of our own functions"}
    counts: Counter[str] = Counter()
    for share in shares:
        counts[apart.get(share.part, "of candidates")] += share.records
    records = ", ".join(f"{count} {whose}" for whose, count in counts.items() if count) or "none"
    return f"Records: {records}. About {minutes:.1f} minutes in all, on a quiet machine and one core."


def _basis(plan: Plan) -> str:
    return (
        f"Plan: {plan}. Costs: stored = median of the record there, published = mean time as printed,"
        f" guessed = unknown, taken as trials of {plan.target_seconds:g} s. Besides: {RECORD_SECONDS:g} s a record,"
        f" {INSTANCE_SECONDS:g} s an instance (build, quick KAT, memory). Not in it: downloads, kat=full,"
        f" and the trials beyond {plan.trials} that a noisy machine needs, up to {plan.patience:g} times as many."
    )
