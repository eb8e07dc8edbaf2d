"""The marks of rows: what each says, and how many rows of a page have which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .markdown import Markdown, link
from .pages import Row

# What stands under a table that has the mark; docs/statistics.md has the rules.
MEANINGS = {
    "disturbed": "the means over all calls and over undisturbed batches differ by more than 1 %",
    "few": "hardly any undisturbed batches: the mean is an upper bound, without ±, and compared with nothing",
    "imprecise": "the half-width of the figure that comparisons take is above 2 % of it",
    "outlier": "a trial lies far from the others",
    "unaccounted": "its processes used more CPU time than calls and checks account for "
    "or calls took more than twice as long in the calibration",
    "remembers": "calls cost more where messages differ, as if answers were remembered: compared with nothing",
    "overhead": "the empty call, which is not subtracted, is above 1 % of the figure",
}
# What stands after a figure that is shown without its marks.
SIGN = " *"


def legend(rows: Iterable[Row]) -> list[str]:
    """In a sentence, what the marks of some rows mean; none where no row has one."""
    there = _counts(rows)
    told = ", ".join(f"{mark} ({meaning})" for mark, meaning in MEANINGS.items() if mark in there)
    return [f"Marks: {told}."] if told else []


def told(performance: Iterable[Row]) -> str:
    """In plain words, how many timings there are, and how many have which mark; empty where nothing was measured."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    if not measured:
        return ""
    marked, counts = sum(bool(row["marks"]) for row in measured), _counts(measured)
    which = ", ".join(f"{counts[mark]} {mark}" for mark in MEANINGS if mark in counts)
    timings = f"{len(measured)} timing{'s' if measured[1:] else ''}"
    return f"{timings}, {marked} of them marked: {which}" if marked else f"{timings}, none of them marked"


def share(performance: Iterable[Row]) -> Markdown:
    """How many rows have no mark, and how many have which; empty where nothing was measured."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    if not measured:
        return Markdown("")
    unmarked, counts = sum(not row["marks"] for row in measured), _counts(measured)
    told = ", ".join(f"{mark} {counts[mark]}" for mark in MEANINGS if mark in counts)
    rest = f"; marked: {told} ({link('what marks mean', 'method.md#marks')})" if told else ""
    return Markdown(f"**Rows without a mark: {unmarked} of {len(measured)}**{rest}.")


def _counts(rows: Iterable[Row]) -> Counter[str]:
    return Counter(mark for row in rows for mark in row["marks"].split())
