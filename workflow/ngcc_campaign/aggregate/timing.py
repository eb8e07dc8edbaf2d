"""What one call takes: the figures and marks of one measured record, by the column names of performance.csv."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..measure import disturbance, observations, plausibility
from . import statistics

# The two means of a row are told apart where they differ by more than this share.
DISTURBED_SHARE = 0.01
# A figure whose interval is wider, as half-width over figure, is called imprecise.
IMPRECISE_SHARE = 0.02
UNITS = ("ns", "cycles")
# What `figure` takes of a row, in each unit.
FIGURE_COLUMNS = ("mean", "half_width", "undisturbed", "undisturbed_half_width")


def figures(record: dict, canary_ns: int | None) -> dict:
    """Figures of one call, from a record that is MEASURED and does not contradict itself (module consistency).

    `canary_ns` is the time of an undisturbed canary on the record's host, the campaign's best, by which batches are
    judged; None where there are none.
    """
    plan, cycles = record["plan"], observations.cycles(record)
    judged = disturbance.words(record, canary_ns)
    undisturbed = np.array([[not words for words in trial] for trial in judged])
    kept = undisturbed.sum(axis=1) >= min(2, plan["batches_per_trial"])
    row = {
        **_counts(record, undisturbed),
        "stopped": record["stopped"],
        "canary_best_ns": canary_ns,
        "disturbed_batches": " ".join(f"{word}:{count}" for word, count in disturbance.counts(judged).items()),
        "undisturbed_share": float(undisturbed.mean()),
        "undisturbed_trials": int(kept.sum()),
        "figure": "all" if _is_few(plan, undisturbed, kept) else "undisturbed",
        "cycle_source": cycles.source,
        "cycle_source_reason": cycles.reason,
        "multiplexed": cycles.multiplexed,
        **plausibility.figures(record),
    }
    elapsed = observations.elapsed_ns(record)
    for unit, values in {"ns": elapsed, "cycles": cycles.of_batches}.items():
        if values is not None:
            row |= _figures(values, plan["calls_per_batch"], undisturbed, kept, unit, record["stopped"])
    row["outlying_trials"] = [int(number) for number in np.flatnonzero(statistics.outlying(elapsed.mean(axis=1)))]
    return row | {"marks": _marks(row, plausibility.marks(record))}


def per_byte(row: dict, message_bytes: int) -> dict:
    """Throughput in 10^6 bytes a second, from the time, and cycles per byte, from the cycles."""
    cycles = row.get("mean_cycles")
    return {
        "mb_per_s": message_bytes / row["mean_ns"] * 1000,
        "cycles_per_byte": None if cycles is None else cycles / message_bytes,
    }


def common_unit(rows: Iterable[dict]) -> str:
    """What measured rows are compared by: cycles, if all are of one kind of source, else time."""
    sources = {row["cycle_source"] for row in rows}
    return "cycles" if len(sources) == 1 and sources != {"none"} else "ns"


def figure(row: dict, unit: str) -> tuple[float, float | None]:
    """The figure of a measured row that comparisons take, and the half-width of its interval, None of one trial."""
    prefix = "undisturbed_" if row["figure"] == "undisturbed" else ""
    return row[f"{prefix or 'mean_'}{unit}"], row.get(f"{prefix}half_width_{unit}")


def _counts(record: dict, undisturbed: np.ndarray) -> dict:
    plan, trials = record["plan"], len(record["trials"])
    calls_per_trial = plan["calls_per_batch"] * plan["batches_per_trial"]
    return {
        "calls": trials * calls_per_trial,
        "trials": trials,
        "calls_per_trial": calls_per_trial,
        "batches": undisturbed.size,
        "calls_per_batch": plan["calls_per_batch"],
    }


def _is_few(plan: dict, undisturbed: np.ndarray, kept: np.ndarray) -> bool:
    """Whether undisturbed batches are too few to take the row's figure from; the driver goes on until they are not."""
    return kept.sum() < plan["trials"] or 2 * undisturbed.sum() < plan["trials"] * plan["batches_per_trial"]


def _figures(
    values: np.ndarray, calls: int, undisturbed: np.ndarray, kept: np.ndarray, unit: str, stopped: str
) -> dict:
    """Figures of one unit; `values` and `undisturbed` are of shape (trials, batches), each batch of so many calls."""
    batches = values / calls
    means, within = batches.mean(axis=1), statistics.spread(batches)
    of_kept = np.where(undisturbed, batches, 0).sum(axis=1)[kept] / undisturbed.sum(axis=1)[kept]
    found = {
        "mean": values.sum() / (calls * values.size),
        "half_width": statistics.half_width(means, stopped),
        "median_trial": np.median(means),
        "min_trial": means.min(),
        "max_trial": means.max(),
        "fastest_batch": batches.min(),
        "spread_between": statistics.spread(means),
        "spread_within": None if within is None else np.median(within),
        "undisturbed": of_kept.mean() if kept.any() else None,
        "undisturbed_half_width": statistics.half_width(of_kept, stopped),
    }
    return {f"{name}_{unit}": None if value is None else float(value) for name, value in found.items()}


def _marks(row: dict, implausible: dict[str, bool]) -> list[str]:
    """Words that a row is marked with, each explained in docs/statistics.md."""
    units = [unit for unit in UNITS if f"mean_{unit}" in row]
    both = [(row[f"mean_{unit}"], row[f"undisturbed_{unit}"]) for unit in units]
    holds = {
        "disturbed": any(part and abs(every - part) > DISTURBED_SHARE * part for every, part in both),
        "few": row["figure"] == "all",
        "imprecise": any(_is_imprecise(*figure(row, unit)) for unit in units),
        "outlier": bool(row["outlying_trials"]),
        **implausible,
    }
    return [word for word, does in holds.items() if does]


def _is_imprecise(value: float, half_width: float | None) -> bool:
    return half_width is None or half_width > IMPRECISE_SHARE * value
