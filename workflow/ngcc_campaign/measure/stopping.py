"""Whether a record ended when it had to: the driver's rule (native/perf/stop.c), applied to what the record says."""

from __future__ import annotations

import numpy as np

from ..aggregate import statistics

MOST_TRIALS = 100
# The driver has its quantiles from a table.
ROUNDING = 0.002


def contradiction(record: dict, seconds: float) -> str:
    """Why the record's word for its end is not what its trials say; empty where it is. It lasted so many seconds."""
    plan, stopped, count = record["plan"], record["stopped"], len(record["trials"])
    if count > MOST_TRIALS or (stopped == "trials") != (count == MOST_TRIALS and stopped != "precision"):
        return f"it has {count} trials and ended for '{stopped}'"
    if count < plan["trials"] and stopped != "budget":
        return f"it has {count} trials of at least {plan['trials']} and ended for '{stopped}'"
    planned = plan["patience"] * plan["trials"] * plan["target_ns"] if count >= plan["trials"] else plan["budget_ns"]
    if stopped == "budget" and seconds * 1e9 < min(planned, plan["budget_ns"]):
        return "it ended for its budget before that was spent"
    width = _relative_half_width(record) if count >= plan["trials"] else None
    if stopped == "precision" and (width is None or width > (1 + ROUNDING) * plan["precision"]):
        return "it ended for its precision before that was reached"
    if stopped != "precision" and width is not None and width < (1 - ROUNDING) * plan["precision"]:
        return f"it went on until '{stopped}' although its precision was reached"
    return ""


def _relative_half_width(record: dict) -> float | None:
    """Half-width of the 95 % interval over undisturbed batches, as a share of the mean; None where they are too few."""
    plan, means, undisturbed = record["plan"], [], 0
    for trial in record["trials"]:
        times = [batch["elapsed_ns"] for batch in trial["batches"] if not batch["disturbed"]]
        undisturbed += len(times)
        if len(times) >= min(2, plan["batches_per_trial"]):
            means.append(sum(times) / len(times))
    if len(means) < max(2, plan["trials"]) or 2 * undisturbed < plan["trials"] * plan["batches_per_trial"]:
        return None
    return statistics.half_width(np.array(means), stopped="") / np.mean(means)
