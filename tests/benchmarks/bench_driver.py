"""What ngcc_perf itself costs, and how well its core clock holds. Prints figures; asserts nothing.

cmake -S native -B /tmp/native -G Ninja && cmake --build /tmp/native
python tests/benchmarks/bench_driver.py /tmp/native [rounds]
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS, NATIVE = ROOT / "tests" / "benchmarks", ROOT / "native"


def compiled(folder: Path, name: str, *arguments: object) -> Path:
    target = folder / name
    command = ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O3", "-o", target, *arguments]
    subprocess.run([str(part) for part in command], check=True)
    return target


def timed(program: Path, library: Path, *options: object) -> tuple[dict, float]:
    """A record at 1024 bytes, and the wall clock of making it, s."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "record.json"
        command = [program, "--library", library, "--digest-bits", 256, "--bytes", 1024, "--output", output]
        command += ["--patience", 1, *options]
        start = time.perf_counter()
        subprocess.run([str(part) for part in command], check=True)
        wall = time.perf_counter() - start
        return json.loads(output.read_text()), wall


def batches(record: dict) -> list[dict]:
    return [batch for trial in record["trials"] for batch in trial["batches"]]


def cycles_per_call(record: dict) -> float:
    """Median over batches: counted cycles, else elapsed time times the core clock before and after the trial."""
    figures = []
    for trial in record["trials"]:
        clock = trial["core_clock"]
        rate = clock and sum(clock["additions"] / clock[name] for name in ("before_ns", "after_ns")) / 2
        for batch in trial["batches"]:
            figures.append((batch["cycles"] or batch["elapsed_ns"] * rate) / batch["calls"])
    return statistics.median(figures)


def overhead_ms(record: dict, wall: float) -> float:
    """Wall clock beyond the calls of trials, ms; an untimed call is taken to last as long as a timed one."""
    plan = record["plan"]
    timed_ns = sum(batch["elapsed_ns"] for batch in batches(record))
    timed = sum(batch["calls"] for batch in batches(record))
    untimed = plan["warmup_calls"] + (plan["calls_per_batch"] > 1) * plan["batches_per_trial"]
    return wall * 1e3 - timed_ns * (1 + untimed * len(record["trials"]) / timed) / 1e6


def canaries_ms(record: dict) -> float:
    return sum(sum(trial["canaries_ns"]) for trial in record["trials"]) / 1e6


def main(native: Path, rounds: int = 15) -> None:
    program = native / "ngcc_perf"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        modules = ("perf/clock", "lib/cpu", "lib/library", "lib/self")
        sources = [BENCHMARKS / "driver_parts.c", *(NATIVE / f"{module}.c" for module in modules)]
        parts = compiled(folder, "driver_parts", "-I", NATIVE / "lib", "-I", NATIVE / "perf", *sources, "-ldl")
        empty = native / "libempty.so"
        chain = compiled(folder, "libchain.so", "-shared", "-fPIC", BENCHMARKS / "chain.c")
        deed = compiled(folder, "libdeed.so", "-shared", "-fPIC", ROOT / "tests" / "zoo" / "deed.c")
        canary = ("--canary", folder / "canary.json")
        record, first = timed(program, empty, *canary)
        cpu = record["environment"]["cpu_asked"]
        first = overhead_ms(record, first)
        hundred = (*canary, "--trials", 1, "--target-seconds", 0.03)  # 100 calls of 10^6 additions
        bare, driver, chained, overheads, canaries = [], [], [], [], []
        for _ in range(rounds):
            *ns, ghz = map(float, subprocess.check_output([parts, empty, str(cpu)], text=True).split())
            bare.append(statistics.median(ns) * ghz)
            driver.append(cycles_per_call(timed(program, empty, *canary)[0]))
            chained.append(cycles_per_call(timed(program, chain, *hundred)[0]) / 1e6)
            record, wall = timed(program, deed, *canary, "--target-seconds", 0.02)
            overheads.append(overhead_ms(record, wall))
            canaries.append(canaries_ms(record))
    print(f"{rounds} interleaved rounds; load average {os.getloadavg()[0]:.1f}, best below 0.5")
    print(f"{'':45} {'median':>8} {'fastest':>8} {'slowest':>8}")
    for label, figures, unit in (
        ("empty CryptHash in a bare loop", bare, "cycles a call"),
        ("empty CryptHash through the driver", driver, "cycles a call"),
        ("the driver's own cost", [one - other for one, other in zip(driver, bare, strict=True)], "cycles a call"),
        ("chain of 10^8 additions / 10^8", chained, "cycles"),
        ("a record beyond the calls of its trials", overheads, "ms"),
        ("of it, canaries in trials", canaries, "ms"),
        ("the first record, that measures the canary", [first], "ms"),
    ):
        print(f"{label:45} {statistics.median(figures):8.3f} {min(figures):8.3f} {max(figures):8.3f} {unit}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *map(int, sys.argv[2:3]))
