"""Section 4 of a measured page: what a call costs, how far each figure can be trusted, and what it compares to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ..campaign.catalog import MESSAGE_BYTES
from ..published.comparison import Comparison
from . import figures, marks, pages
from .figures import NOT_MEASURED
from .pages import Row, number, whole

HEADER = (*pages.TIMINGS, "±", "undisturbed", "kept", "marks")
# The mean over undisturbed batches where it hardly differs from that over all; its own ± may follow.
SAME = "="
COMPARED = tuple(map(str, MESSAGE_BYTES))
FIT = ("instance", "unit", "fixed cost", "slope a byte", "worst residual")
SPREAD = (
    "instance", "message", "batches", "median of trials", "least", "greatest", "fastest batch", "between", "within",
    "undisturbed time", "disturbed by", "ended",
)  # fmt: skip


def context(performance: list[Row], fit: list[Row], campaign: Row, comparison: Comparison | None) -> dict:
    """What candidate.md.j2 shows in section 4, of one candidate's rows."""
    lengths, compared = _compared(performance)
    return {
        **pages.beside(HEADER, [_timing(row) + _trust(row) for row in performance], performance, comparison),
        "measured_caption": _CAPTION,
        "compared_header": ["instance", *(f"{size} B" for size in lengths)],
        "compared": compared,
        "noise_floor": figures.uncertainty(number(campaign, "noise_floor")),
        "fit_header": FIT,
        "fit": [_fit(row) for row in fit if row["unit"]],
        "spread_header": SPREAD,
        "spread": [_spread(row) for row in performance if row["status"] == "MEASURED"],
        "cycle_notes": pages.cycle_notes(performance),
        "timing_notes": _notes(performance),
    }


_CAPTION = (
    "±: half of the 95 % interval of the mean, in per cent."
    " undisturbed: the mean over batches that nothing disturbed, which comparisons take;"
    f" {SAME} where it is within 1 % of the mean over all, with its own ± where that prints otherwise."
    " kept: the share of such batches."
)


def _timing(row: Row) -> tuple:
    """A cell for each of pages.TIMINGS."""
    return (
        row["instance"],
        f"{row['message_bytes']} B",
        figures.cycles(number(row, "mean_cycles")) + (pages.MULTIPLEXED if row["multiplexed"] == "yes" else ""),
        figures.tenths(number(row, "cycles_per_byte")),
        figures.time(number(row, "mean_ns")),
        figures.tenths(number(row, "mb_per_s")),
        figures.calls(*(whole(row, column) for column in ("calls", "trials", "calls_per_trial"))),
    )


def is_few(row: Row) -> bool:
    """Whether too little of a row was undisturbed: its interval would tell how steady the disturbance was."""
    return "few" in row["marks"].split()


def relative_half_width(row: Row) -> float | None:
    """Of the mean over all calls, in cycles or, without them, in time; None where there is none."""
    unit = _unit(row)
    mean, half_width = number(row, f"mean_{unit}"), number(row, f"half_width_{unit}")
    return None if mean is None or half_width is None else half_width / mean


def _trust(row: Row) -> tuple:
    """Half-width, but not of a row marked few; undisturbed mean, share kept, marks."""
    share = figures.percent(number(row, "undisturbed_share"))
    width = None if is_few(row) else relative_half_width(row)
    return figures.uncertainty(width), _undisturbed(row, _unit(row)), share, row["marks"]


def _undisturbed(row: Row, unit: str) -> str:
    value = number(row, f"undisturbed_{unit}")
    half_width = None if is_few(row) else number(row, f"undisturbed_half_width_{unit}")
    if value is None or "disturbed" in row["marks"].split():
        return figures.with_width(_cost(value, unit), value, half_width)
    text = figures.with_width(SAME, value, half_width)
    return SAME if text == f"{SAME} ± {figures.uncertainty(relative_half_width(row))}" else text


def _unit(row: Row) -> str:
    """What a row's costs are told in: cycles, or ns where it has none."""
    return "cycles" if row["mean_cycles"] else "ns"


def _cost(value: float | None, unit: str) -> str:
    return figures.cycles(value) if unit == "cycles" else figures.time(value)


def _compared(performance: list[Row]) -> tuple[list[str], list[tuple]]:
    """Message lengths, and per instance a cell for each of them; only those that have any ratio or standing."""
    cells = {(row["instance"], row["message_bytes"]): ratio(row) for row in performance if ratio(row) != NOT_MEASURED}
    lengths = [size for size in COMPARED if any(size == message for _, message in cells)]
    instances = dict.fromkeys(instance for instance, _ in cells)
    return lengths, [(name, *(cells.get((name, size), NOT_MEASURED) for size in lengths)) for name in instances]


def ratio(row: Row) -> str:
    """A row's ratio to the yardstick, and its standing, as far as there are any."""
    value, half_width = number(row, "ratio_to_pseudoxof"), number(row, "ratio_half_width")
    text = "" if value is None else figures.with_width(figures.ratio(value), value, half_width or None)
    return " ".join(filter(None, (text, row["standing"]))) or NOT_MEASURED


def _fit(row: Row) -> tuple:
    """Fixed cost and slope with their half-widths, and the figure farthest from the line."""
    fixed, fixed_half, slope, slope_half = (
        number(row, name) for name in ("fixed", "fixed_half_width", "slope", "slope_half_width")
    )
    return (
        row["instance"],
        row["unit"],
        f"{figures.integer(fixed)} ± {figures.integer(fixed_half)}",
        f"{figures.ratio(slope)} ± {figures.ratio(slope_half)}",
        f"{figures.change(number(row, 'worst_residual'))} at {row['worst_residual_bytes']} B",
    )


def _spread(row: Row) -> tuple:
    """A cell for each of SPREAD."""
    unit = _unit(row)
    costs = (number(row, f"{name}_{unit}") for name in ("median_trial", "min_trial", "max_trial", "fastest_batch"))
    return (
        row["instance"],
        f"{row['message_bytes']} B",
        f"{row['batches']} × {row['calls_per_batch']}",
        *(_cost(value, unit) for value in costs),
        *(figures.uncertainty(number(row, f"spread_{name}_{unit}")) for name in ("between", "within")),
        _undisturbed(row, "ns"),
        row["disturbed_batches"].replace(" ", ", ").replace(":", " "),
        row["stopped"],
    )


def _notes(performance: list[Row]) -> list[str]:
    """Rows without a figure and why; what marks mean, which trials are outlying, why measuring ended."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    notes = pages.without_figure(performance) + marks.legend(measured)
    outlying = [
        f"{row['instance']} {row['operation']}: {row['outlying_trials'].replace(' ', ', ')} of {row['trials']}"
        for row in measured
        if row["outlying_trials"]
    ]
    if outlying:
        notes.append(f"Outlying trials, counted from 0, which are in every figure: {'; '.join(outlying)}.")
    notes += ended(Counter(row["stopped"] for row in measured))
    if any(not row["canary_best_ns"] for row in measured):
        notes.append("No canary could be timed here: what slows a call at full clock is not seen.")
    return notes


def ended(counts: Mapping[str, int]) -> list[str]:
    """Why the measuring of so many rows ended, in a sentence; none where nothing was measured."""
    told = [f"in {count} {_ENDED[word]}" for word, count in Counter(counts).most_common()]
    return [f"Of {sum(counts.values())} rows, measuring ended {', '.join(told)}."] if told else []


_ENDED = {
    "precision": "because the mean was known well enough",
    "budget": "because the time for it was spent",
    "trials": "after the greatest number of trials",
}
