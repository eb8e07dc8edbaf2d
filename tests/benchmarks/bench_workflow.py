"""What the workflow costs beside the timing itself: python tests/benchmarks/bench_workflow.py [results/local]

Reads the records of a finished campaign. A timing job's wall clock is the time from the record before it to its own
record, Snakemake's share included; its own timed, warm-up and untimed calls, and its canaries, are subtracted. Also
tells how far planned calls rise with the message, and times `snakemake -n`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from itertools import combinations, pairwise
from pathlib import Path

TARGET_MS = 80


def timed_ms(record: dict) -> float:
    """Calls of a record, timed or not, and canaries, in ms; the call before a batch costs what the batch's calls do."""
    plan, total_ns = record["plan"], 0.0
    untimed = plan["warmup_calls"] + (plan["batches_per_trial"] if plan["calls_per_batch"] > 1 else 0)
    for trial in record["trials"]:
        total_ns += trial["elapsed_ns"] * (1 + untimed / trial["calls"]) + sum(trial["canaries_ns"])
    return total_ns / 1e6


def worst_rise(results: Path) -> float:
    """The most calls that a trial of a longer message makes for one of a shorter message of the same instance."""
    calls: dict[str, dict[int, int]] = {}
    for path in results.glob("records/*/*.json"):
        record = json.loads(path.read_text())
        if record["status"] == "MEASURED":
            of_instance = calls.setdefault(record["instance"], {})
            of_instance[record["message_bytes"]] = record["trials"][0]["calls"]
    sizes = [dict(sorted(found.items())) for found in calls.values()]
    return max(of[long] / of[short] for of in sizes for short, long in combinations(of, 2))


def overheads_ms(results: Path) -> list[float]:
    """Wall clock beyond timed calls of each timing job that followed another without anything between."""
    files = sorted((path.stat().st_mtime_ns, path) for path in results.glob("records/**/*.json"))
    found = []
    for (before, _), (after, path) in pairwise(files):
        record = json.loads(path.read_text())
        if record["status"] == "MEASURED":
            found.append((after - before) / 1e6 - timed_ms(record))
    return found


def main() -> None:
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "results/local")
    jobs = overheads_ms(results)
    quarter = statistics.quantiles(jobs, n=4)
    print(f"{len(jobs)} timing jobs: wall clock beyond timed and warm-up calls, median {quarter[1]:.1f} ms", end=" ")
    print(f"(quartiles {quarter[0]:.1f} and {quarter[2]:.1f} ms; target {TARGET_MS} ms)")
    print(f"calls of a longer message ÷ calls of a shorter one: at most {worst_rise(results):.3f} (target 1.05)")
    seconds = []
    for _ in range(5):
        begun = time.monotonic()
        snakemake = Path(sys.executable).with_name("snakemake")
        said = subprocess.run([snakemake, "-n"], capture_output=True, text=True, check=True)
        seconds.append(time.monotonic() - begun)
        assert "Nothing to be done" in said.stdout + said.stderr, "run the campaign to its end first"
    print(f"snakemake -n, everything up to date: median {statistics.median(seconds):.2f} s (target 3 s)")


if __name__ == "__main__":
    main()
