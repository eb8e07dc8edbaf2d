"""Coverage-guided runs of all targets, or of those that are named; README.md has the commands.

Each target runs in a process of its own, one after the other. What it found interesting stays in the folder
build/fuzz/<target>, with which the next run begins; what broke it is written there as crash-… or timeout-….
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent / "workflow")]

from fuzz import NAMES, libfuzzer  # noqa: E402 - neither folder is installed

CORPORA = TESTS.parent / "build" / "fuzz"
LIMITS = ("-timeout=60", "-rss_limit_mb=3000", "-max_len=8192")


def main() -> int:
    """Run; exit status 1 where a target broke."""
    parser = argparse.ArgumentParser(description="Fuzz by coverage: atheris for Python, libFuzzer for C.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="name, or native/name (default: all)")
    parser.add_argument("--seconds", type=int, default=10, help="for each target (default: 10)")
    options = parser.parse_args()
    everything = [*NAMES, *(f"native/{name}" for name in libfuzzer.names())]
    if unknown := set(options.targets) - set(everything):
        parser.error(f"no target {min(unknown)}; there are {', '.join(everything)}")
    chosen = options.targets or everything
    programs = libfuzzer.build(CORPORA / "programs") if any("/" in name for name in chosen) else {}
    broken = [name for name in chosen if not _holds(name, options.seconds, programs)]
    return int(bool(broken))


def _holds(name: str, seconds: int, programs: dict[str, Path]) -> bool:
    """Run a target and say what came of it."""
    corpus = CORPORA / name
    corpus.mkdir(parents=True, exist_ok=True)
    options = [f"-max_total_time={seconds}", *LIMITS, f"-artifact_prefix={corpus}/", str(corpus)]
    if name in NAMES:
        _write_seeds(name, corpus)
        ran = libfuzzer.guided(name, options)
    else:
        name_in_c = Path(name).name
        seeds = libfuzzer.SEEDS / name_in_c
        ran = libfuzzer.run(programs[name_in_c], [*options, *([str(seeds)] if seeds.is_dir() else [])])
    print(f"{name}: {_inputs(ran)} inputs, {'broke' if ran.returncode else 'held'}", flush=True)
    if ran.returncode:
        print(ran.stdout[-3000:], ran.stderr[-1500:], flush=True)
    return ran.returncode == 0


def _write_seeds(name: str, corpus: Path) -> None:
    for number, seed in enumerate(importlib.import_module(f"fuzz.{name}").SEEDS):
        (corpus / f"seed-{number}").write_bytes(seed)


def _inputs(ran: subprocess.CompletedProcess) -> int:
    told = re.findall(r"^(?:Done |#)(\d+)", ran.stderr, re.MULTILINE)
    return int(told[-1]) if told else 0


if __name__ == "__main__":
    sys.exit(main())
