"""One row of a campaign by hand: each step from its record's raw batches to the figures that the pages print."""

from __future__ import annotations

import math

from . import figures
from .markdown import Markdown, escape
from .pages import Row, figure_column, number, whole


def row(performance: list[Row]) -> dict | None:
    """The first row of performance.csv with the fewest marks: its names, and the steps; None where there is none."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    if not measured:
        return None
    found = min(measured, key=lambda row: len(row["marks"].split()))
    steps = [_counts(found), _mean(found), _interval(found), _undisturbed(found), _marks(found), *_cycles(found)]
    return {
        "name": f"{found['candidate']} {found['instance']} {found['operation']}",
        "record": found["record"],
        "steps": [Markdown(step) for step in (*steps, *_ratio(found, measured))],
    }


def _value(row: Row, column: str) -> str:
    return figures.six_digits(number(row, column))


def _counts(row: Row) -> str:
    return (
        f"`trials` holds n = {row['trials']} trials of b = {whole(row, 'batches') // whole(row, 'trials')} `batches` of"
        f" c = {row['calls_per_batch']} calls (`plan.calls_per_batch`): {row['calls']} calls, the n of the pages."
    )


def _mean(row: Row) -> str:
    total = round(number(row, "mean_ns") * whole(row, "calls"))  # a sum of whole ns
    size, mean = row["message_bytes"], _value(row, "mean_ns")
    return (
        f"The `elapsed_ns` of all batches add up to {total}. Over {row['calls']} calls that is the mean time,"
        f" **{mean} ns**, and {size} / {mean} · 1000 = {_value(row, 'mb_per_s')} MB/s."
    )


def _interval(row: Row) -> str:
    """How far trials lie apart, and what that makes of the mean; nothing of a single trial."""
    half_width = number(row, "half_width_ns")
    if half_width is None:
        return "There is one trial, and so no interval."
    mean = number(row, "mean_ns")
    spread = number(row, "spread_between_ns") * mean
    return (
        f"The `elapsed_ns` of each trial over its {row['calls_per_trial']} calls are the trials' means m: least"
        f" {_value(row, 'min_trial_ns')} ns, median {_value(row, 'median_trial_ns')} ns, greatest"
        f" {_value(row, 'max_trial_ns')} ns. Their standard deviation is s = {figures.six_digits(spread)};"
        f" `stopped` is {row['stopped']}, so the half-width is {_t(row, 'trials')} · s / √{row['trials']} ="
        f" **{_value(row, 'half_width_ns')} ns**, {figures.uncertainty(half_width / mean)} of the mean."
    )


def _t(row: Row, count: str) -> str:
    """The quantile by which the interval over so many trials was made."""
    from ..aggregate.statistics import level  # brings NumPy

    return f"{_student(level(row['stopped']), int(row[count]) - 1):.4f}"


def _student(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's t, to 9 decimals: importing SciPy for it takes 0.2 s."""
    low, high = 0.0, 1000.0
    for _ in range(42):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return low


def _within(t: float, freedom: int) -> float:
    """The probability that Student's t lies within ±t, in closed form for whole degrees of freedom."""
    angle = math.atan(t / math.sqrt(freedom))
    odd, cosine = freedom % 2, math.cos(angle)
    term = math.sin(angle) * (cosine if odd else 1.0)
    total = term if freedom > 1 else 0.0
    for power in range(2 + odd, freedom - 1, 2):
        term *= (power - 1) / power * cosine**2
        total += term
    return (angle + total) * 2 / math.pi if odd else total


def _undisturbed(row: Row) -> str:
    """Which batches count as undisturbed, and their mean."""
    kept = round(number(row, "undisturbed_share") * whole(row, "batches"))
    text = f"By the words above, {kept} of {row['batches']} batches are undisturbed"
    if row["disturbed_batches"]:
        text += f" (the others: {row['disturbed_batches'].replace(' ', ', ').replace(':', ' ')})"
    if row["canary_best_ns"]:
        text += (
            "; in `canaries_ns` the times at places i and i + 1, from 0, stand around batch i, and the limit is 1.03 ·"
            f" {row['canary_best_ns']} (`canary_best_ns` of the row) = {1.03 * whole(row, 'canary_best_ns'):.0f}"
        )
    return text + _undisturbed_mean(row)


def _undisturbed_mean(row: Row) -> str:
    if not row["undisturbed_ns"]:
        return ". No trial has enough of them."
    text = (
        f". In the {row['undisturbed_trials']} trials that have enough of them, the means of their `elapsed_ns` / c"
        f" have the mean **{_value(row, 'undisturbed_ns')} ns**"
    )
    if not row["undisturbed_half_width_ns"]:
        return f"{text}."
    width = _value(row, "undisturbed_half_width_ns")
    return f"{text}; its half-width, by the same formula with t = {_t(row, 'undisturbed_trials')}, is **{width} ns**."


def _marks(row: Row) -> str:
    told = f"marked {escape(row['marks'])}" if row["marks"] else "without a mark"
    words = row["marks"].split()
    if "few" in words:
        return f"The row is {told}; it has no figure, pages print no ± of it, and it is compared with nothing."
    what = "undisturbed mean" if row["figure"] == "undisturbed" else "mean over all calls"
    if "remembers" in words:
        return f"The row is {told}; its figure is the {what}, and is compared with nothing."
    return f"The row is {told}; its figure, which comparisons take, is the {what}."


def _cycles(row: Row) -> list[str]:
    if not row["mean_cycles"]:
        return []
    how = {
        "perf_event": "Steps 2 to 4 with `cycles` (× `enabled_ns` / `running_ns`) in place of `elapsed_ns` give",
        "core_clock_estimate": "Each batch's `elapsed_ns` times the clock of its trial, the mean of `additions` /"
        " `before_ns` and `additions` / `after_ns` in its `core_clock`, is the estimate of its cycles. Steps 2 to 4"
        " with these give",
    }
    parts = [f"the mean {_value(row, 'mean_cycles')} cycles"]
    parts += [f"its half-width {_value(row, 'half_width_cycles')} cycles"] if row["half_width_cycles"] else []
    parts += [f"the undisturbed mean {_value(row, 'undisturbed_cycles')} cycles"] if row["undisturbed_cycles"] else []
    told = f"{how[row['cycle_source']]} {', '.join(parts)}"
    quotient = f"{_value(row, 'mean_cycles')} / {row['message_bytes']} = {_value(row, 'cycles_per_byte')} cycles/byte"
    return [f"{told}. {quotient}."]


def _ratio(row: Row, performance: list[Row]) -> list[str]:
    """The ratio to the yardstick, whose row is the one of its name that has no uncertainty against itself."""
    names = {"instance": f"pseudoXOF-{row['digest_bits']}", "message_bytes": row["message_bytes"]}
    (its, *_) = [one for one in performance if one.items() >= names.items() and one["ratio_half_width"] == "0.0"] or [
        row
    ]
    if not row["ratio_to_pseudoxof"] or its is row:
        return []
    value = number(row, "ratio_to_pseudoxof")
    figure, other = (_value(one, figure_column(one, "cycles")) for one in (row, its))
    ratio = figures.with_width(figures.six_digits(value), value, number(row, "ratio_half_width"))
    return [
        f"By the same steps the figure of {its['instance']} is {other} cycles (`{its['record']}`): the ratio is"
        f" {figure} / {other} = {ratio}."
    ]
