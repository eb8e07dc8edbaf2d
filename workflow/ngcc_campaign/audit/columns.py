"""What the columns of pages show: from which columns of the tables their figures, intervals and words have to come."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .lookup import Row
from .reading import Figure, as_number, numbers, rounds_to


def _of_either(name: str) -> tuple[str, str]:
    return f"{name}_cycles", f"{name}_ns"


# Columns of pages by their headers, and the columns of tables from which their figures come.
COLUMNS = {
    "mean cycles": ("mean_cycles",),
    "cycles/byte": ("cycles_per_byte",),
    "mean time": ("mean_ns",),
    "MB/s": ("mb_per_s",),
    "n": ("calls", "trials", "calls_per_trial"),
    "undisturbed": _of_either("undisturbed"),
    "undisturbed time": ("undisturbed_ns",),
    "kept": ("undisturbed_share",),
    "": ("ratio_to_pseudoxof",),  # of a message length
    "ratio": ("ratio_to_pseudoxof",),
    "fixed cost": ("fixed",),
    "slope a byte": ("slope",),
    "worst residual": ("worst_residual", "worst_residual_bytes"),
    "batches": ("batches", "calls_per_batch"),
    "median of trials": _of_either("median_trial"),
    "least": _of_either("min_trial"),
    "greatest": _of_either("max_trial"),
    "fastest batch": _of_either("fastest_batch"),
    "between": _of_either("spread_between"),
    "within": _of_either("spread_within"),
    "figure of A": ("figure_a",),
    "figure of B": ("figure_b",),
    "difference": ("difference",),
    "figure": ("figure",),
    "against the start": ("relative_to_start",),
    "baseline RSS": ("baseline_rss_kib",),
    "peak RSS": ("peak_rss_kib",),
    "static: ELF image (bytes)": ("elf_load_bytes",),
    "text": ("text_bytes",),
    "rodata": ("rodata_bytes",),
    "data": ("data_bytes",),
    "bss": ("bss_bytes",),
    "stack": ("stack_bytes",),
    "heap peak": ("heap_peak_bytes",),
    "heap": ("heap_peak_bytes",),
    "leak per call": ("leak_bytes_per_call",),
    "ELF image": ("elf_load_bytes",),
    # Of the ranking: a place, and the figure that gave it.
    **dict.fromkeys(
        ("place", "mean place", "c/B", "time", "throughput", "stack bytes", "heap bytes", "ELF bytes"),
        ("place", "value"),
    ),
}
# What may stand before a ±, its half-width, and what that is divided by where it is printed in per cent.
_WIDTHS = (
    ("mean_cycles", "half_width_cycles", "mean_cycles"),
    ("mean_ns", "half_width_ns", "mean_ns"),
    ("undisturbed_cycles", "undisturbed_half_width_cycles", "undisturbed_cycles"),
    ("undisturbed_ns", "undisturbed_half_width_ns", "undisturbed_ns"),
    ("cycles_per_byte", "half_width_cycles", "mean_cycles"),
    ("ratio_to_pseudoxof", "ratio_half_width", "ratio_to_pseudoxof"),
    ("value", "half_width", "value"),
    ("fixed", "fixed_half_width", "fixed"),
    ("slope", "slope_half_width", "slope"),
    ("figure", "half_width", "figure"),
    ("figure_a", "half_width_a", "figure_a"),
    ("figure_b", "half_width_b", "figure_b"),
)
# Columns of words, which have to be those of the row in performance.csv.
_WORDS = {"marks": "marks", "ended": "stopped", "disturbed by": "disturbed_batches"}


def split(header: str) -> tuple[str, set[str]]:
    """`cycles/byte 32 B` as the figure's name and the message length; the name may be empty."""
    match = re.fullmatch(r"(?:(.*) )?(\d+) B", header)
    return (match[1] or "", {match[2]}) if match else (header, set())


def is_among(figure: Figure, rows: Iterable[Row], columns: tuple[str, ...]) -> bool:
    """Whether a figure stands in one of some columns of one of the rows; no columns: in any."""
    cells = ([row.get(column, "") for column in columns] if columns else row.values() for row in rows)
    return any(rounds_to(figure, value) for own in cells for value in numbers(own))


def is_pair(figure: Figure, width: Figure, rows: Iterable[Row], columns: tuple[str, ...]) -> bool:
    """Whether a figure of some columns (none: of any) and its half-width stand in one row."""
    for row in rows:
        for name, half, divisor in _WIDTHS:
            value, half_width, of = (as_number(row.get(column, "")) for column in (name, half, divisor))
            if value is None or not of or half_width is None or (columns and name not in columns):
                continue
            if rounds_to(figure, value) and rounds_to(width, half_width / (of if width.unit == "%" else 1)):
                return True
    return False


def is_width(figure: Figure, rows: Iterable[Row], undisturbed: bool = False) -> bool:
    """Whether a figure is the half-width of a row's mean over all calls or undisturbed batches, as a share of it."""
    names = ("undisturbed_half_width", "undisturbed") if undisturbed else ("half_width", "mean")
    shares = []
    for row in rows:
        for unit in ("cycles", "ns"):
            half, mean = (as_number(row.get(f"{name}_{unit}", "")) for name in names)
            shares += [half / mean] if half is not None and mean else []
    return figure.unit == "%" and any(rounds_to(figure, share) for share in shares)


def says(header: str, cell: str, row: Row) -> bool | None:
    """Whether the words and signs of a cell are those of its row in performance.csv; None where it has none."""
    named, sizes = split(header)
    if named in _WORDS:
        return cell.replace(",", "") == row[_WORDS[named]].replace(":", " ")
    if named.startswith("undisturbed"):
        return cell.startswith("=") == _are_one(
            row, "ns" if named.endswith("time") or not row["mean_cycles"] else "cycles"
        )
    if sizes and named in ("", "cycles/byte", "mean time"):
        if cell == "–":
            return not row[COLUMNS[named][0]]
        standing = " ".join(word for word in ("best", "tied") if word in cell.split())
        return standing == row["standing"] and (not named or ("*" in cell) == bool(row["marks"]))
    return None


def _are_one(row: Row, unit: str) -> bool:
    """Whether a row's undisturbed mean is left out, as it is that over all calls to 1 %."""
    return bool(row[f"undisturbed_{unit}"]) and "disturbed" not in row["marks"].split()
