"""Records of known truth: how often the printed interval holds it, where its assumptions hold and where they don't.

Each scenario makes 10,000 records, lets the driver's rule end each (native/perf/stop.c), and takes mean and interval by
the functions that make the tables. `python tests/test_simulation.py` prints the table of docs/statistics.md.
"""

import functools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "workflow"))

from ngcc_campaign.aggregate import fit, statistics  # noqa: E402

RECORDS, TRIALS, BATCHES, MOST, PRECISION = 10_000, 5, 10, 50, 0.01
TRUTH = 1.0


@dataclass
class Outcome:
    """Shares of records: those whose interval holds the truth, and those that ended for their precision."""

    covered: float
    precise: float
    trials: float
    half_width: float
    bias: float


def judge(means: np.ndarray, kept: np.ndarray | None = None, trials: int = TRIALS, most: int = MOST) -> Outcome:
    """Trial means of shape (records, trials), and which of them are kept; by default all."""
    kept = np.ones(means.shape, dtype=bool) if kept is None else kept
    ends, precise = ended(means, kept, trials, most)
    middle, half_width = np.empty(len(means)), np.empty(len(means))
    counts = np.array([kept[record, :end].sum() for record, end in enumerate(ends)])
    for count in np.unique(counts):
        for stopped in (True, False):
            (records,) = np.nonzero((counts == count) & (precise == stopped))
            if len(records):
                chosen = np.array([means[one, : ends[one]][kept[one, : ends[one]]] for one in records])
                middle[records] = chosen.mean(axis=1)
                half_width[records] = statistics.half_width(chosen, "precision" if stopped else "budget")
    covered = np.abs(middle - TRUTH) <= half_width
    values = (covered, precise, counts, half_width / middle, middle / TRUTH - 1)
    return Outcome(*(float(np.mean(value)) for value in values))


def ended(means: np.ndarray, kept: np.ndarray, trials: int, most: int) -> tuple[np.ndarray, np.ndarray]:
    """After how many trials each record ends, and whether for its precision."""
    values, counts = np.where(kept, means - TRUTH, 0.0), np.cumsum(kept, axis=1)
    some = np.maximum(counts, 2)
    middle = np.cumsum(values, axis=1) / some
    squares = np.cumsum(values**2, axis=1) - some * middle**2
    error = np.sqrt(np.maximum(squares, 0) / (some - 1) / some)
    narrow = statistics.quantile(some, stopped="") * error <= PRECISION * (TRUTH + middle)
    enough = narrow & (counts >= trials)
    enough[:, most:] = False
    return np.where(enough.any(axis=1), enough.argmax(axis=1) + 1, most), enough.any(axis=1)


def normal(rng: np.random.Generator, sigma: float) -> np.ndarray:
    return TRUTH + sigma * rng.standard_normal((RECORDS, MOST))


def drifting(rng: np.random.Generator, a_trial: float) -> np.ndarray:
    """The machine gets slower by so much with each trial; the truth is what a call took at the start."""
    return normal(rng, 0.005) + a_trial * np.arange(MOST)


def wandering(rng: np.random.Generator, correlation: float) -> np.ndarray:
    """Each trial is like the one before it: an autoregressive process with a standard deviation of 1 %."""
    noise = 0.01 * rng.standard_normal((RECORDS, MOST))
    for trial in range(1, MOST):
        noise[:, trial] = correlation * noise[:, trial - 1] + np.sqrt(1 - correlation**2) * noise[:, trial]
    return TRUTH + noise


def with_outliers(rng: np.random.Generator, share: float) -> np.ndarray:
    """So many trials take 20 % longer, and no canary sees why; the truth is what the others take."""
    return normal(rng, 0.005) + 0.2 * (rng.random((RECORDS, MOST)) < share)


def skewed(rng: np.random.Generator, sigma: float) -> np.ndarray:
    """Trial means of an exponential distribution with that standard deviation; the truth is its mean."""
    return TRUTH + sigma * (rng.exponential(size=(RECORDS, MOST)) - 1)


def contended(rng: np.random.Generator, missed: float) -> tuple[np.ndarray, np.ndarray]:
    """Half of the batches take 10 to 70 % longer, canaries miss a share of these: what is left, and of which trials."""
    shape = (RECORDS, MOST, BATCHES)
    batches = TRUTH + 0.004 * rng.standard_normal((RECORDS, MOST, 1)) + 0.01 * rng.standard_normal(shape)
    slowed = rng.random(shape) < 0.5
    batches += np.where(slowed, rng.uniform(0.1, 0.7, shape), 0)
    undisturbed = ~slowed | (rng.random(shape) < missed)
    counts = undisturbed.sum(axis=2)
    return np.where(undisturbed, batches, 0).sum(axis=2) / np.maximum(counts, 1), counts >= 2


def generator(name: str) -> np.random.Generator:
    return np.random.default_rng(list(name.encode()))


# Where the assumptions hold: trials are independent and normal.
HOLDS = {
    f"normal, standard deviation {100 * sigma:g} %": sigma for sigma in (0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05)
}
BREAKS = {
    "skewed (exponential), standard deviation 1 %": (skewed, 0.01),
    "skewed (exponential), standard deviation 3 %": (skewed, 0.03),
    "each trial like the one before, correlation 0.3": (wandering, 0.3),
    "each trial like the one before, correlation 0.7": (wandering, 0.7),
    "drift of 0.05 % a trial": (drifting, 0.0005),
    "drift of 0.3 % a trial": (drifting, 0.003),
    "1 % of trials 20 % slower, unseen": (with_outliers, 0.01),
    "10 % of trials 20 % slower, unseen": (with_outliers, 0.1),
    "half of the batches slower, all seen": (contended, 0.0),
    "half of the batches slower, 2 % of these unseen": (contended, 0.02),
}


@functools.cache
def outcome(name: str) -> Outcome:
    rng = generator(name)
    if name in HOLDS:
        return judge(normal(rng, HOLDS[name]))
    make, argument = BREAKS[name]
    made = make(rng, argument)
    return judge(*made) if isinstance(made, tuple) else judge(made)


def line(name: str) -> list[str]:
    """A row of the table in docs/statistics.md."""
    found = outcome(name)
    shares = (f"{100 * share:.1f} %" for share in (found.covered, found.precise))
    return [name, *shares, f"{found.trials:.1f}", f"{100 * found.half_width:.2f} %", f"{100 * found.bias:+.2f} %"]


@pytest.mark.parametrize("name", HOLDS)
def test_intervals_hold_the_truth_as_often_as_they_say(name):
    assert outcome(name).covered == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(("trials", "sigma"), [(5, 0.01), (10, 0.02), (20, 0.05)])
def test_intervals_of_a_fixed_number_of_trials(trials, sigma):
    means = normal(generator(f"{trials} trials"), sigma)[:, :trials]
    covered = np.abs(means.mean(axis=1) - TRUTH) <= statistics.half_width(means, "trials")
    assert covered.mean() == pytest.approx(0.95, abs=0.007)


def test_without_a_wider_quantile_records_that_end_for_their_precision_hold_it_too_rarely(monkeypatch):
    monkeypatch.setattr(statistics, "LEVEL_BY_PRECISION", statistics.LEVEL)
    name = "normal, standard deviation 2 %"
    assert judge(normal(generator(name), HOLDS[name])).covered < 0.93


@pytest.mark.parametrize("name", [*HOLDS, *BREAKS])
def test_the_documentation_has_what_this_run_gives(name):
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    (row,) = [line for line in text.splitlines() if line.startswith(f"| {name} |")]
    written, found = (
        [float(cell.strip(" %")) for cell in cells[1:]] for cells in (row.strip("| ").split(" | "), line(name))
    )
    assert written == pytest.approx(found, abs=0.31)


def test_lines_hold_the_truth_as_often_as_they_say():
    """A fit of eight lengths, whose figures are known to 0.1 … 1 % beside the line's own error of 0.5 %."""
    rng, held = generator("line"), np.zeros(2)
    sizes = np.array([32.0, 128, 512, 1024, 4096, 8192, 16384, 65536])
    true = 300 + 12 * sizes
    for _ in range(RECORDS // 5):
        errors = np.maximum(rng.uniform(0.001, 0.01, len(sizes)), fit.LEAST_SHARE) * true
        found = fit.line(sizes, true + errors * rng.standard_normal(len(sizes)), errors)
        held += [
            abs(found["fixed"] - 300) <= found["fixed_half_width"],
            abs(found["slope"] - 12) <= found["slope_half_width"],
        ]
    assert held / (RECORDS // 5) == pytest.approx([0.95, 0.95], abs=0.02)


if __name__ == "__main__":
    print("\n".join(f"| {' | '.join(line(name))} |" for name in [*HOLDS, *BREAKS]))
