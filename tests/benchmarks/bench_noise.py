"""What the means are worth on a noisy machine: this product beside a plain driver of the published method.

Both time the instances of a finished campaign at all message lengths, turn by turn in one run: product, plain, product,
plain. Then with a burner on the same CPU, and with one on another CPU. Prints figures; asserts nothing.

python tests/benchmarks/bench_noise.py results/local [instances [burnt instances]]
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from ngcc_campaign.aggregate import timing
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.measure import disturbance

BENCHMARKS = Path(__file__).resolve().parent
TRIALS, TARGET_SECONDS, PATIENCE = 5, 0.1, 10
MARKS = {"few", "imprecise"}  # what a mean over undisturbed batches can be marked with
MOVED = 0.03
Place = tuple[str, int]  # verdict, message bytes


def compiled(folder: Path, name: str) -> Path:
    program = folder / name
    subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", "-o", program, BENCHMARKS / f"{name}.c", "-ldl"], check=True)
    return program


class Bench:
    """The two ways of timing, on one CPU."""

    def __init__(self, results: Path, folder: Path) -> None:
        self.results, self.folder = results, folder
        self.cpu = json.loads((results / "host.json").read_text())["facts"]["cpu"]
        self.plain_driver, self.burner = compiled(folder, "plain_driver"), compiled(folder, "burner")
        self.calls: dict[Place, int] = {}

    def product(self, place: Place) -> dict:
        verdict, size = place
        output = self.folder / "record.json"
        plan = f"--trials {TRIALS} --target-seconds {TARGET_SECONDS} --patience {PATIENCE}".split()
        where = ["--cpu", self.cpu, "--canary", self.folder / "canary.json", "--output", output]
        command = ["bin/ngcc_perf", "--verdict", verdict, "--bytes", size, *plan, *where]
        subprocess.run([str(part) for part in command], cwd=self.results, check=True)
        return json.loads(output.read_text())

    def plain(self, place: Place) -> float:
        """Mean of five processes' means, ns a call; the calls of a process are planned once."""
        if place not in self.calls:
            ns = min(self._plain(place, 1) for _ in range(2))
            ns = min(self._plain(place, max(1, int(1e6 / ns))) for _ in range(2))
            self.calls[place] = min(max(int(TARGET_SECONDS * 1e9 / ns), 20), 20_000)
        return sum(self._plain(place, self.calls[place]) for _ in range(TRIALS)) / TRIALS

    def _plain(self, place: Place, calls: int) -> float:
        verdict = json.loads((self.results / place[0]).read_text())
        what = [self.results / verdict["library"], verdict["digest_bits"], place[1], self.cpu, calls]
        return float(subprocess.check_output([str(part) for part in (self.plain_driver, *what)], text=True))

    @contextmanager
    def burning(self, cpu: int) -> Iterator[None]:
        process = subprocess.Popen([self.burner, str(cpu)])
        try:
            yield
        finally:
            process.kill()
            process.wait()


def rounds(bench: Bench, places: list[Place], count: int, label: str) -> tuple[list, list]:
    """Records of the product and means of the plain driver, of each round by place."""
    records, means = [{} for _ in range(count)], [{} for _ in range(count)]
    for number, place in enumerate(places, 1):
        if sys.stderr.isatty():
            print(f"\r{label}: {number} of {len(places)} ", end="", file=sys.stderr)
        for turn in range(count):
            records[turn][place] = bench.product(place)
            means[turn][place] = bench.plain(place)
    return records, means


def rows(records: dict[Place, dict], best: dict) -> dict[Place, dict]:
    return {place: timing.figures(one, best.get(disturbance.host(one))) for place, one in records.items()}


def unmarked(found: dict[Place, dict]) -> set[Place]:
    return {place for place, row in found.items() if not MARKS & set(row["marks"])}


def percent(values: list[float]) -> str:
    values = sorted(values)
    if not values:
        return "none"
    return f"median {100 * median(values):.2f} %, 90th percentile {100 * values[int(0.9 * (len(values) - 1))]:.2f} %"


def differences(one: dict, other: dict, places: set[Place]) -> list[float]:
    return [abs(one[place] / other[place] - 1) for place in places]


def quiet(bench: Bench, places: list[Place]) -> tuple[dict, dict]:
    records, means = rounds(bench, places, 2, "no burner")
    best = disturbance.best_canaries(record for turn in records for record in turn.values())
    first, second = (rows(turn, best) for turn in records)
    steady = unmarked(first) & unmarked(second)
    every = [row for turn in (first, second) for row in turn.values()]
    planned = TRIALS * TARGET_SECONDS
    print(f"records {len(every)}, unmarked {sum(len(unmarked(turn)) for turn in (first, second))}")
    print(f"undisturbed batches: median share {median(row['undisturbed_share'] for row in every):.2f}")
    print(f"trials beyond the planned {TRIALS} ({planned:g} s): median {median(row['trials'] - 5 for row in every):g}")
    one, other = ({place: row["undisturbed_ns"] for place, row in turn.items()} for turn in (first, second))
    print(f"product, repeat against repeat, {len(steady)} unmarked places: {percent(differences(one, other, steady))}")
    for label, chosen in (("the same places", steady), ("all places", set(places))):
        print(f"plain driver, repeat against repeat, {label}: {percent(differences(*means, chosen))}")
    return {place: min(one[place], other[place]) for place in steady}, best


def burnt(bench: Bench, places: list[Place], cpu: int, label: str, known: dict[Place, float], best: dict) -> None:
    with bench.burning(cpu):
        (records,), (means,) = rounds(bench, places, 1, label)
    found = rows(records, best)
    places_known = unmarked(found) & known.keys()
    value = {place: row["undisturbed_ns"] for place, row in found.items()}
    moved = differences(value, known, places_known)
    print(f"{label}: unmarked {len(unmarked(found))} of {len(found)}, against the figures without: {percent(moved)}")
    print(f"  moved by more than {100 * MOVED:g} % and unmarked: {sum(one > MOVED for one in moved)}")
    worst = [place for place in places_known if abs(value[place] / known[place] - 1) > MOVED]
    for place in worst:
        print(f"    {place[0]} at {place[1]} B: {value[place] / known[place]:.3f} times")
    print(f"  plain driver, same comparison: {percent(differences(means, known, set(means) & known.keys()))}")


def main(results: Path, instances: int = 9, burnt_instances: int = 3) -> None:
    verdicts = sorted(str(path.relative_to(results)) for path in (results / "kat").glob("*/*.json"))[:instances]
    places = [(verdict, size) for verdict in verdicts for size in MESSAGE_BYTES]
    random.Random("bench_noise").shuffle(places)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(results, Path(folder))
        known, best = quiet(bench, places)
        few = [place for place in places if place[0] in verdicts[:burnt_instances]]
        burnt(bench, few, bench.cpu, "burner on the same CPU", known, best)
        burnt(bench, few, 0 if bench.cpu else 1, "burner on another CPU", known, best)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
