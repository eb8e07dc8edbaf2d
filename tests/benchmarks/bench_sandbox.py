"""Whether the sandbox changes what is timed, and what it costs to enter it. Prints figures; asserts nothing.

cmake -S native -B /tmp/native -G Ninja && cmake --build /tmp/native
python tests/benchmarks/bench_sandbox.py /tmp/native [pairs]

Pairs of records, one of them without the sandbox, turn by turn: off best best off off best …
"""

from __future__ import annotations

import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from scipy.special import stdtrit

# Trials of the records whose CPU time is compared: short ones, so that starting them is most of it.
SHORT_TRIALS = 20


def record(native: Path, canary: Path, library: str, mode: str, *plan: object) -> dict:
    command = [native / "ngcc_perf", "--library", native / library, "--digest-bits", 256, "--bytes", 1024]
    command += ["--canary", canary, "--sandbox", mode, *plan]
    return json.loads(subprocess.check_output([str(part) for part in command]))


def call_ns(document: dict) -> float:
    """Mean of a call over undisturbed batches; over all where there are none."""
    batches = [batch for trial in document["trials"] for batch in trial["batches"]]
    quiet = [batch for batch in batches if not batch["disturbed"]] or batches
    return sum(batch["elapsed_ns"] for batch in quiet) / sum(batch["calls"] for batch in quiet)


def children_ms() -> float:
    """CPU time of all children that have ended, ms: unlike the wall clock, hardly longer on a busy machine."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def turns(pairs: int, measure: Callable[[str], float]) -> tuple[list[float], list[float]]:
    """What `measure` gives outside and inside the sandbox, so many times each."""
    found: dict[str, list[float]] = {"off": [], "best": []}
    for pair in range(pairs):
        for mode in ("off", "best") if pair % 2 == 0 else ("best", "off"):
            found[mode].append(measure(mode))
    return found["off"], found["best"]


def interval(values: list[float]) -> tuple[float, float]:
    """Mean, and half-width of its 95 % interval."""
    half = stdtrit(len(values) - 1, 0.975) * statistics.stdev(values) / math.sqrt(len(values))
    return statistics.mean(values), half


def main(native: Path, pairs: int = 40) -> None:
    with tempfile.TemporaryDirectory() as folder:
        canary = Path(folder) / "canary.json"

        def timed(mode: str) -> float:
            return call_ns(record(native, canary, "libcontrol.so", mode, "--patience", 3))

        def cpu_ms(mode: str) -> float:
            plan = ("--trials", SHORT_TRIALS, "--target-seconds", 0.001, "--patience", 1)
            before = children_ms()
            record(native, canary, "libempty.so", mode, *plan)
            return children_ms() - before

        layers = record(native, canary, "libempty.so", "best", "--target-seconds", 0.001)["sandbox"]
        outside, inside = turns(pairs, timed)
        spent = turns(pairs, cpu_ms)
    mean, half = interval([one / other - 1 for one, other in zip(inside, outside, strict=True)])
    costs = [one - other for other, one in zip(*spent, strict=True)]
    print(f"{pairs} pairs; load average {os.getloadavg()[0]:.1f}; layers: {layers}")
    print(f"sm3hash-256 at 1024 B inside against outside: {mean:+.3%} ± {half:.3%} (95 %)")
    print(
        f"CPU time of a record of {SHORT_TRIALS} trials: {statistics.median(spent[0]):.1f} ms outside,"
        f" {statistics.median(costs):+.2f} ms inside, {statistics.median(costs) / (SHORT_TRIALS + 1):+.2f} ms a process"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:3]))
