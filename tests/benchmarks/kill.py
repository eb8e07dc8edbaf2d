"""Kills a small campaign at seeded moments, and runs the same command again: python tests/benchmarks/kill.py

    --moments 200   so many kills, each of a campaign of its own, of which every fourth also builds the native programs
    --seed 0        other moments

Prints a line for each fault, and how many moments there were, by what was at work; exit status 1 where a fault was
found. After each kill nothing may be half-written, a second later no native program of that campaign may run, and the
same command must finish, redo nothing that had been logged as finished, leave no temporary file, and end with the
evidence of an undisturbed campaign, but for what is measured.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workplaces import Workplace, small_workplace  # noqa: E402

SMALL = ("candidates=iccs",)
TOLD = ("--quiet", "host")  # Snakemake then tells of each job what it makes
JOBS = 27
# What evidence says whatever was measured.
STEADY = (
    "schema", "version", "made_from", "retry", "status", "reason", "candidate", "instance", "operation", "verdict",
    "outcome", "digest_bits", "library", "library_sha256", "command",
)  # fmt: skip
KEPT = ("host.json", "bin", "fetch", "build", "kat", "records", "memory", "tables", "report")


@dataclass(frozen=True)
class Moment:
    """When a run is killed: so many jobs have finished (-1: it has just been started), and so many seconds later."""

    victim: str  # group, main process
    jobs: int
    seconds: float


def moment(seed: object, jobs: tuple[int, int] = (-1, JOBS - 1)) -> Moment:
    """The moment of a seed, after a number of finished jobs between `jobs`."""
    chance = random.Random(str(seed))
    finished = chance.randint(*jobs)
    longest = {-1: 3.0, 0: 3.0}.get(finished, 0.4)  # the start, and the native programs' build, are long
    return Moment(chance.choice(("group", "main process")), finished, chance.uniform(0, longest))


def begun(done: Workplace, path: Path) -> Workplace:
    """A campaign of which only the native programs are built, which takes longer than all the rest."""
    place = done.copy(path, "fetch", "build", "kat", "records", "memory", "tables", "report")
    (place.results / "host.json").unlink()
    return place


def kill(place: Workplace, when: Moment) -> str:
    """Run the small campaign up to the moment, and kill it; what it had said until then."""
    with tempfile.TemporaryFile("w+") as said:
        running = place.start(config=SMALL, options=TOLD, stdout=said)
        while running.poll() is None and len(finished_jobs(text_of(said))) < when.jobs:
            time.sleep(0.01)
        with contextlib.suppress(subprocess.TimeoutExpired):
            running.wait(when.seconds)
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if when.victim == "group" else os.kill)(running.pid, signal.SIGKILL)
        running.wait()
        return text_of(said)


def text_of(stream) -> str:
    stream.seek(0)
    return stream.read()


def finished_jobs(output: str) -> list[str]:
    return re.findall(r"^Finished jobid: (\d+)", output, re.MULTILINE)


def outputs(output: str) -> dict[str, str]:
    """What each job that was started makes, by its number."""
    started = re.findall(r"^(?:local)?rule \w+:\n((?:    .*\n)+)", output, re.MULTILINE)
    fields = [dict(re.findall(r"^    (\w+): (.*)", text, re.MULTILINE)) for text in started]
    return {job["jobid"]: job["output"] for job in fields if "output" in job}


def finished(output: str) -> set[str]:
    """What the jobs made that Snakemake logged as finished."""
    made = outputs(output)
    return {made[job] for job in finished_jobs(output) if job in made}


def redone(killed: str, after: str) -> set[str]:
    """What Snakemake had logged as finished, and made again."""
    return finished(killed) & set(outputs(after).values())


def half_written(place: Workplace) -> list[str]:
    """Files under a final name that can't be read to their end."""
    found = []
    for path in place.results.rglob("*"):
        if path.is_file() and not is_temporary(path.relative_to(place.path)) and path.name != ".lock":
            text = path.read_bytes()
            if path.suffix == ".json":
                try:
                    json.loads(text)
                except ValueError:
                    found.append(f"{path.relative_to(place.results)} is half-written")
            elif path.suffix in (".csv", ".md") and not text.endswith(b"\n"):
                found.append(f"{path.relative_to(place.results)} is half-written")
    return found


def is_temporary(path: Path) -> bool:
    return any(part.startswith("tmp.") or part.endswith((".tmp", ".part")) for part in path.parts)


def temporaries(place: Workplace) -> list[str]:
    """What a run that ended must not leave, in all that is below results/."""
    names = (path.relative_to(place.path) for path in (place.path / "results").rglob("*"))
    return [f"{name} is left" for name in names if is_temporary(name)]


def evidence(place: Workplace) -> dict[str, dict]:
    """All that a campaign leaves, by name, with what it says whatever was measured."""
    found = {}
    for top in KEPT:
        root = place.results / top
        for path in [root] if root.is_file() else root.rglob("*"):
            if path.is_file():
                document = json.loads(path.read_text()) if path.suffix == ".json" else {}
                steady = {key: document[key] for key in STEADY if key in document}
                found[path.relative_to(place.results).as_posix()] = steady
    return found


def programs_at_work(place: Workplace) -> list[str]:
    """Native programs of the workplace that run. (A compiler may go on until the next run ends it.)"""
    found = []
    for process in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            program = os.readlink(f"/proc/{process.name}/exe")
            if program.startswith(f"{place.results}/"):
                found.append(program)
    return found


def differences(found: dict[str, dict], wanted: dict[str, dict]) -> list[str]:
    return [
        *(f"{name} is missing" for name in sorted(wanted.keys() - found.keys())),
        *(f"{name} is there" for name in sorted(found.keys() - wanted.keys())),
        *(f"{name} says something else" for name in sorted(wanted) if found.get(name, wanted[name]) != wanted[name]),
    ]


def faults_after_kill(place: Workplace, seconds: float = 1) -> list[str]:
    """What is wrong so many seconds after a kill, or as soon as no program is at work any more."""
    deadline = time.monotonic() + seconds
    while programs_at_work(place) and time.monotonic() < deadline:
        time.sleep(0.02)
    return half_written(place) + [f"still at work: {program}" for program in programs_at_work(place)]


def faults_of_next(place: Workplace, killed: str, undisturbed: dict[str, dict]) -> list[str]:
    """What is wrong with the run after a kill, which said `killed`."""
    run = place.run(config=SMALL, options=TOLD)
    if run.status:
        return [f"status {run.status}: {run.output[-2000:]}"]
    again = [f"{made} is made again" for made in sorted(redone(killed, run.output))]
    return again + half_written(place) + temporaries(place) + differences(evidence(place), undisturbed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("--seed", default="0")
    options = parser.parse_args()
    faulty, at_work = 0, Counter()
    with tempfile.TemporaryDirectory(prefix="ngcc-kill.") as folder:
        done = small_workplace(Path(folder) / "undisturbed")
        began = time.monotonic()
        if (run := done.run(config=SMALL)).status:
            sys.exit(run.output)
        print(f"an undisturbed campaign takes {time.monotonic() - began:.0f} s here", flush=True)
        undisturbed = evidence(done)
        for number in range(options.moments):
            when = moment(f"{options.seed} {number}")
            path = Path(folder) / str(number)
            place = begun(done, path) if number % 4 else small_workplace(path)
            said = kill(place, when)
            at_work[(re.findall(r"^(?:local)?rule (\w+):", said, re.MULTILINE) or ["the start"])[-1]] += 1
            # Every other time the next run comes at once, while what is killed may not have ended yet.
            faults = faults_after_kill(place) if number % 2 else []
            faults += faults_of_next(place, said, undisturbed)
            faulty += bool(faults)
            for fault in faults:
                print(f"{number}: {when}: {fault}", flush=True)
            shutil.rmtree(place.path, ignore_errors=True)
            if number % 10 == 9:
                print(f"{number + 1} moments, {faulty} with faults", flush=True)
    print(f"{options.moments} moments, {faulty} with faults; last started: {dict(at_work.most_common())}")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
