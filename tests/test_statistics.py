"""Intervals, spreads and outliers by their formulas; and the documented example, recomputed with nothing but Python."""

import json
import math
import re
import statistics as plain
from pathlib import Path

import numpy as np
import pytest

from evidence import record
from ngcc_campaign.aggregate import statistics, timing
from ngcc_campaign.measure import disturbance

ROOT = Path(__file__).parents[1]
EXAMPLE = json.loads((ROOT / "tests" / "data" / "record_v3.json").read_text(encoding="utf-8"))
# From a table of Student's t.
T = {("budget", 5): 2.7764, ("budget", 2): 12.7062, ("budget", 31): 2.0423, ("trials", 100): 1.9842}


@pytest.mark.parametrize(("case", "expected"), T.items(), ids=str)
def test_quantiles(case, expected):
    stopped, trials = case
    assert statistics.quantile(trials, stopped) == pytest.approx(expected, abs=5e-5)


def test_the_quantile_is_wider_where_measuring_ended_for_its_precision():
    assert statistics.quantile(5, "precision") == pytest.approx(3.1355, abs=5e-5)


def test_half_width_by_its_formula():
    means = [100.0, 101, 99, 102, 98]
    expected = 2.776445 * plain.stdev(means) / math.sqrt(5)
    assert statistics.half_width(np.array(means), "budget") == pytest.approx(expected, rel=1e-6)
    assert statistics.half_width(np.array([means, means]), "budget") == pytest.approx([expected] * 2, rel=1e-6)
    assert statistics.half_width(np.array([100.0]), "budget") is None


@pytest.mark.parametrize(
    ("means", "expected"),
    [
        ([100, 100, 100, 100, 100], []),
        ([739, 739, 740, 1044, 1043], [3, 4]),
        ([100, 100.1, 99.9, 100.2, 103], [4]),
        ([100, 100.1, 99.9, 100.2, 97], [4]),
        ([100, 100.01, 99.99, 100.02, 100.9], []),
        ([100, 101, 99, 102, 104], []),
        ([100], []),
        ([100, 200], []),
    ],
    ids=["equal", "two of five", "above", "below", "within 1 %", "as wide as the others", "one", "two"],
)
def test_outlying_trials(means, expected):
    assert list(np.flatnonzero(statistics.outlying(np.array(means, dtype=float)))) == expected


def test_spread():
    assert statistics.spread(np.array([[9.0, 10, 11], [10, 10, 10]])) == pytest.approx([0.1, 0])
    assert statistics.spread(np.array([[10.0]])) is None


def test_a_quotient_adds_relative_half_widths_as_squares():
    assert statistics.quotient(200, 6, 100, 4) == pytest.approx((2, 2 * 0.05))
    assert statistics.quotient(200, None, 100, 4) == (2, None)


def shown(text: str) -> list[float]:
    """The numbers of the documented example, in their order."""
    example = text.partition("## An example")[2].partition("\n## ")[0]
    return [float(number.replace(",", "")) for number in re.findall(r"\*\*([0-9][0-9,.]*)\*\*", example)]


def test_the_documented_example_in_plain_python():
    record, canary = EXAMPLE, min(EXAMPLE["canary"]["reference_ns"], EXAMPLE["canary"]["seen_ns"])
    calls = record["plan"]["calls_per_batch"]
    trial_means, undisturbed_means, within, kept = [], [], [], 0
    for trial in record["trials"]:
        batches = [batch["elapsed_ns"] / calls for batch in trial["batches"]]
        trial_means.append(sum(batches) / len(batches))
        within.append(plain.stdev(batches) / plain.mean(batches))
        quiet = [
            mean
            for number, (mean, batch) in enumerate(zip(batches, trial["batches"], strict=True))
            if max(trial["canaries_ns"][number : number + 2]) <= 1.03 * canary and batch["involuntary_switches"] == 0
        ]
        kept += len(quiet)
        undisturbed_means.append(sum(quiet) / len(quiet))
    quantile = 3.1354747
    half_width, undisturbed_half_width = (
        quantile * plain.stdev(means) / math.sqrt(len(means)) for means in (trial_means, undisturbed_means)
    )
    clocks = [65536e9 * (1 / chain["before_ns"] + 1 / chain["after_ns"]) / 2 for chain in
              (trial["core_clock"] for trial in record["trials"])]  # fmt: skip
    cycles = [mean * clock / 1e9 for mean, clock in zip(trial_means, clocks, strict=True)]
    expected = {
        "mean_ns": plain.mean(trial_means), "half_width_ns": half_width,
        "median_trial_ns": plain.median(trial_means), "min_trial_ns": min(trial_means),
        "spread_between_ns": plain.stdev(trial_means) / plain.mean(trial_means),
        "spread_within_ns": plain.median(within), "undisturbed_share": kept / 50,
        "undisturbed_ns": plain.mean(undisturbed_means), "undisturbed_half_width_ns": undisturbed_half_width,
        "mean_cycles": plain.mean(cycles),
    }  # fmt: skip
    row = timing.figures(record, canary)
    assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    assert (row["figure"], row["marks"], row["outlying_trials"]) == ("undisturbed", ["disturbed", "outlier"], [1, 3])
    documented = shown((ROOT / "docs" / "statistics.md").read_text(encoding="utf-8"))
    assert documented == pytest.approx(list(expected.values()), rel=1e-3)


def test_figures_are_symmetrical_in_time_and_cycles():
    row = timing.figures(record("iccs", "a", 32, 256, "lib.so", factors=(1, 1.02, 1.04), ghz=2.0), 200_000)
    for name in ("mean", "half_width", "median_trial", "min_trial", "max_trial", "fastest_batch", "undisturbed"):
        assert row[f"{name}_cycles"] == pytest.approx(2 * row[f"{name}_ns"])
    for name in ("spread_between", "spread_within"):
        assert row[f"{name}_cycles"] == pytest.approx(row[f"{name}_ns"])


def marks(alter=lambda record: None, canary_ns=200_000, **shape) -> tuple[str, list[str]]:
    document = record("iccs", "a", 32, 256, "lib.so", **shape)
    alter(document)
    row = timing.figures(document, canary_ns)
    return row["figure"], row["marks"]


def slow_canaries(*trials: int):
    """All canaries of these trials are slow, and the first batch takes a tenth longer."""

    def alter(record):
        for trial in trials:
            record["trials"][trial]["canaries_ns"] = [300_000] * 3
            record["trials"][trial]["batches"][0]["elapsed_ns"] = 462_000

    return alter


def test_marks():
    assert marks() == ("undisturbed", [])
    assert marks(trials=1) == ("undisturbed", ["imprecise"])
    assert marks(trials=6, alter=slow_canaries(5)) == ("all", ["few", "imprecise", "outlier"])
    assert marks(trials=5, alter=slow_canaries(0, 1, 2, 3, 4)) == ("all", ["few"])
    assert marks(factors=(1, 1.04, 0.96, 1, 1)) == ("undisturbed", ["imprecise", "outlier"])
    assert marks(factors=(1, 1.02, 0.98, 1.01, 0.99)) == ("undisturbed", [])
    assert marks(canary_ns=194_000) == ("all", ["few"])
    assert marks(canary_ns=None) == ("undisturbed", [])


def test_two_means_that_differ_are_marked():
    def alter(record):
        record["plan"]["trials"] = 5
        slow_canaries(5)(record)

    assert marks(alter, trials=6) == ("undisturbed", ["outlier"])
    document = record("iccs", "a", 32, 256, "lib.so", trials=6)
    alter(document)
    document["trials"][5]["batches"][1]["elapsed_ns"] = 462_000
    row = timing.figures(document, 200_000)
    assert row["marks"] == ["disturbed", "outlier"]
    assert (row["undisturbed_share"], row["undisturbed_trials"]) == (10 / 12, 5)
    assert (row["undisturbed_ns"], row["mean_ns"]) == (420, pytest.approx(420 * (5 + 1.1) / 6))
    assert row["disturbed_batches"] == "canary:2"


def test_a_trial_with_one_undisturbed_batch_of_two_is_not_kept():
    def alter(record):
        record["trials"][2]["canaries_ns"] = [300_000, 200_000, 200_000]

    document = record("iccs", "a", 32, 256, "lib.so", trials=6)
    alter(document)
    row = timing.figures(document, disturbance.own_canary(document))
    assert (row["undisturbed_trials"], row["undisturbed_share"]) == (5, 11 / 12)
