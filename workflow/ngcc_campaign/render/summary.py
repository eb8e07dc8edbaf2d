"""The table of index.md: all instances at a glance."""

from __future__ import annotations

from ..published.comparison import Comparison
from . import figures, marks, timings
from .figures import NOT_MEASURED
from .pages import Row, number

SHOWN_BYTES = ("32", "1024", "65536")
LONGEST = SHOWN_BYTES[-1]
RATIO = f"ratio {LONGEST} B"
# What a call costs, and what a newcomer has to know of it.
CYCLES, TIME = "cycles/byte", "mean time"
COSTS = {
    CYCLES: "core cycles of one call over the bytes of its message, the fewer the faster, whatever the clock;"
    " the mean over all calls",
    TIME: "of one call, over all calls",
}
# What the columns mean that are left out where no row has a value.
OPTIONAL = {
    RATIO: "undisturbed cycles over those of pseudoXOF of the same digest width, measured in this campaign",
    "stack": "of a call, in bytes",
    "heap": "of a call, in bytes",
}
_RESOURCES = ("stack_bytes", "heap_peak_bytes", "elf_load_bytes")


def header(cost: str) -> tuple[str, ...]:
    """The titles of all columns, with CYCLES or TIME as what a call costs."""
    costs = (f"{cost} {size} B" for size in SHOWN_BYTES)
    return "candidate", "instance", "KAT", *costs, f"MB/s {LONGEST} B", RATIO, "stack", "heap", "ELF image"


def cost(performance: list[Row]) -> str:
    """What to tell costs in: TIME where there are figures and none is in cycles."""
    measured = [row for row in performance if row["status"] == "MEASURED"]
    return TIME if measured and not any(row["mean_cycles"] for row in measured) else CYCLES


def measured(candidate: object, instances: list[Row], performance: list[Row], cost: str) -> list[tuple]:
    """The rows of one candidate, whose cell is `candidate`: one per instance, with a cell for each of header(cost)."""
    cell = _per_byte if cost == CYCLES else _time
    table = []
    for instance in instances:
        timing = {row["message_bytes"]: row for row in performance if row["instance"] == instance["instance"]}
        table.append(
            (
                candidate,
                instance["instance"],
                instance["verdict"] or NOT_MEASURED,
                *(cell(timing[size]) for size in SHOWN_BYTES),
                figures.tenths(number(timing[LONGEST], "mb_per_s")),
                timings.ratio(timing[LONGEST] | {"standing": ""}),
                *(figures.integer(number(instance, column)) for column in _RESOURCES),
            )
        )
    return table


def _per_byte(row: Row) -> str:
    text = figures.tenths(number(row, "cycles_per_byte"))
    return _told(figures.with_width(text, number(row, "mean_cycles"), _half_width(row, "cycles")), row)


def _time(row: Row) -> str:
    mean = number(row, "mean_ns")
    return _told(figures.with_width(figures.time(mean), mean, _half_width(row, "ns")), row)


def _half_width(row: Row, unit: str) -> float | None:
    return None if timings.is_few(row) else number(row, f"half_width_{unit}")


def _told(text: str, row: Row) -> str:
    """A figure with its row's standing, and whether that has marks, even where there is no figure of this kind."""
    return " ".join(filter(None, (text, row["standing"]))) + (marks.SIGN if row["marks"] else "")


def noise_note(campaign: Row) -> list[str]:
    """This machine's noise floor, and what that means for standings."""
    floor = number(campaign, "noise_floor")
    if floor is None:
        return []
    return [
        f"Noise floor: {figures.uncertainty(floor)}. By so much at most one library differed from itself, measured"
        " as if it were two, where neither figure was marked few or imprecise; no finer difference counts as one."
    ]


def control_note(control: list[Row], own: list[Row]) -> list[str]:
    """What one function took through the campaign, with the marks that its rows in own.csv have."""
    if not control:
        return []
    own_of, told = {row["name"]: row for row in own}, []
    for row in control:
        value, drift, its = number(row, "figure"), number(row, "relative_to_start"), own_of[row["control"]]
        cost = figures.cycles(value) if row["unit"] == "cycles" else figures.time(value)
        text = figures.with_width(cost, value, None if timings.is_few(its) else number(row, "half_width"))
        beside = ", ".join(filter(None, (figures.change(drift) if drift else "", its["marks"])))
        told.append(f"{row['control'].removeprefix('control_')} {text}{f' ({beside})' if beside else ''}")
    unit = " cycles" if control[0]["unit"] == "cycles" else ""
    return [f"Drift of the control, sm3hash-256 at 1024 B, through the campaign: {', '.join(told)}{unit}."]


def span_note(control: list[Row], timed: list[Row]) -> list[str]:
    """How many timings neither drift nor noise floor tells of: the control did not run on both sides of them."""
    moments = [row["started_utc"] for row in control]
    outside = [row for row in timed if moments and not min(moments) <= row["started_utc"] <= max(moments)]
    if not outside:
        return []
    return [
        f"Timed before the control's first record or after its last: {len(outside)} of {len(timed)} rows; of these"
        " neither its drift nor the noise floor tells."
    ]


def context(rows: list[tuple], longest: list[Row], comparison: Comparison | None, cost: str = CYCLES) -> dict:
    """What index.md.j2 shows of `rows`: the columns that hold anything, what the optional ones mean, and a note.

    `longest` are the rows of performance, at LONGEST, that `rows` belong to; `cost` is what these tell costs in.
    """
    titles, optional = header(cost), OPTIONAL
    ratios, note = comparison.beside(longest) if comparison else ([], "")
    if ratios:
        place = titles.index(RATIO) + 1
        titles = (*titles[:place], comparison.title, *titles[place:])
        rows = [(*row[:place], ratio, *row[place:]) for row, ratio in zip(rows, ratios, strict=True)]
        optional = OPTIONAL | {comparison.title: f"of the cycles at {LONGEST} B"}
    kept = [at for at, title in enumerate(titles) if title not in optional or _holds_anything(rows, at)]
    return {
        "summary_header": [titles[at] for at in kept],
        "summary": [tuple(row[at] for at in kept) for row in rows],
        "cost": f"{cost}: {COSTS[cost]}",
        "meanings": optional,
        "signs": _signs(rows),
        "comparison_notes": [note] if note else [],
    }


def _signs(rows: list[tuple]) -> list[str]:
    """What the words and signs beside figures mean, of those that there are."""
    cells = " ".join(str(cell) for row in rows for cell in row[3:])
    meanings = {
        "±": "half of the 95 % interval of the figure that it follows, in per cent",
        "best": "least of its digest width and message length, by undisturbed means",
        "tied": "not to be told from the best",
        marks.SIGN.strip(): "marked, see its page",
    }
    return [f"{sign}: {meaning}" for sign, meaning in meanings.items() if sign in cells]


def _holds_anything(rows: list[tuple], column: int) -> bool:
    return any(row[column] != NOT_MEASURED for row in rows)


def at_longest(instances: list[Row], performance: list[Row]) -> list[Row]:
    """Of each instance, its row of performance at the longest message."""
    longest = {(row["candidate"], row["instance"]): row for row in performance if row["message_bytes"] == LONGEST}
    return [longest[instance["candidate"], instance["instance"]] for instance in instances]
