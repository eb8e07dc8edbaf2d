"""The arithmetic of printed figures: means of trials in, intervals and spreads out.

Trials are the replicates, each a process of its own; batches only show what happens inside. docs/statistics.md has
the formulas, and what a simulation with known truth says about them.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median

import numpy as np

LEVEL = 0.95
# Measuring that ends as soon as an interval looks narrow ends too often on trials that agree by luck. For such records
# this level makes intervals cover what 95 % ones are to cover (tests/test_simulation.py).
LEVEL_BY_PRECISION = 0.965
# A trial is outlying by the modified z-score on the median absolute deviation (Iglewicz and Hoaglin); that alone would
# name one in every fifth record of five normal trials, so it must also lie this far from the median.
MODIFIED_Z, NOTABLE_SHARE = 3.5, 0.01


def quantile(trials: int | np.ndarray, stopped: str) -> float | np.ndarray:
    """The two-sided quantile of Student's t that makes an interval of a standard error; trials ≥ 2.

    `stopped` is the record's word for why measuring ended.
    """
    from scipy.special import stdtrit  # slow to import, and most runs of the workflow compute nothing

    return stdtrit(trials - 1, (1 + level(stopped)) / 2)


def level(stopped: str) -> float:
    """The level of an interval, by the record's word for why measuring ended."""
    return LEVEL_BY_PRECISION if stopped == "precision" else LEVEL


def half_width(means: np.ndarray, stopped: str) -> float | np.ndarray | None:
    """Half-width of the interval about the mean of trial means, along the last axis; None of fewer than two."""
    trials = means.shape[-1]
    if trials < 2:
        return None
    return quantile(trials, stopped) * means.std(axis=-1, ddof=1) / np.sqrt(trials)


def outlying(means: np.ndarray) -> np.ndarray:
    """Which trials lie far from the others, along the last axis, as booleans."""
    distance = np.abs(means - np.median(means, axis=-1, keepdims=True))
    deviation = np.median(distance, axis=-1, keepdims=True)
    middle = np.median(means, axis=-1, keepdims=True)
    return (0.6745 * distance > MODIFIED_Z * deviation) & (distance > NOTABLE_SHARE * middle)


def spread(values: np.ndarray) -> np.ndarray | None:
    """Sample standard deviation as a share of the mean, along the last axis; None of a single value."""
    return values.std(axis=-1, ddof=1) / values.mean(axis=-1) if values.shape[-1] > 1 else None


def quotient(
    value: float, half: float | None, divisor: float, divisor_half: float | None
) -> tuple[float, float | None]:
    """A quotient and its half-width: relative half-widths add as squares. The two have to be independent."""
    ratio = value / divisor
    if half is None or divisor_half is None:
        return ratio, None
    return ratio, ratio * float(np.hypot(half / value, divisor_half / divisor))


def memory(operation: dict) -> dict:
    """Figures of one operation's memory runs, by the column names of memory.csv.

    RSS is the median over processes, so that one process's page-cache luck does not show; stack and heap are
    maxima, as they are high-water marks.
    """
    rss, call = operation["rss"], operation["call"]
    leaks = [leak for leak in map(_leak, call) if leak is not None]
    return {
        "rss_processes": len(rss),
        "baseline_rss_kib": median(run["baseline_kib"] for run in rss) if rss else None,
        "peak_rss_kib": median(run["peak_kib"] for run in rss) if rss else None,
        "call_processes": len(call),
        "stack_bytes": max((run["stack_bytes"] for run in call), default=None),
        "heap_peak_bytes": max((run["heap_peak_bytes"] for run in call), default=None),
        "leak_bytes_per_call": max(leaks, default=None),
    }


def _leak(run: dict) -> float | None:
    """Bytes that a call leaves behind: the median growth of the live heap over the calls beyond the first.

    Single calls that fill a table for good, the second one say, do not show in it.
    """
    growths = [after - before for before, after in pairwise(run["heap_live_bytes"])]
    return max(0.0, median(growths)) if growths else None
