"""What the machine does by itself: a function differs from itself, and a control drifts over the campaign."""

from __future__ import annotations

from ..measure.own import CONTROLS, SAME
from . import timing

# Marks of a figure that is not known well enough to be set against another one.
BLURRED = ("few", "imprecise")


def pairs(own: dict[str, dict]) -> list[dict]:
    """Rows of noise.csv from those of own.csv, by name: one function measured as if it were two, A and B."""
    rows = []
    for one, other in SAME:
        a, b = own[one.name], own[other.name]
        if a["status"] == b["status"] == "MEASURED":
            unit = timing.common_unit((a, b))
            (value_a, half_a), (value_b, half_b) = timing.figure(a, unit), timing.figure(b, unit)
            row = {"message_bytes": one.message_bytes, "unit": unit}
            row |= {"figure_a": value_a, "half_width_a": half_a, "figure_b": value_b, "half_width_b": half_b}
            row["marks"] = [word for word in BLURRED if word in a["marks"] or word in b["marks"]]
            rows.append(row | {"difference": abs(value_a - value_b) / min(value_a, value_b)})
    return rows


def floor(pairs: list[dict]) -> float | None:
    """The noise floor: no difference finer than the greatest of them is one; None where nothing is known.

    Pairs with a figure that is marked as hardly known tell of that mark, and not of the rows that have none.
    """
    return max((row["difference"] for row in pairs if not row["marks"]), default=None)


def drift(own: dict[str, dict]) -> list[dict]:
    """Rows of control.csv from those of own.csv, by name: the control at the campaign's start, middle and end."""
    found = {one.name: own[one.name] for one in CONTROLS if own[one.name]["status"] == "MEASURED"}
    start = found.get(CONTROLS[0].name)
    unit, rows = timing.common_unit(found.values()), []
    for name, row in found.items():
        value, half_width = timing.figure(row, unit)
        line = {"control": name, "started_utc": row["started_utc"], "unit": unit}
        line |= {"figure": value, "half_width": half_width}
        if start:
            line["relative_to_start"] = value / timing.figure(start, unit)[0] - 1
        rows.append(line)
    return rows
