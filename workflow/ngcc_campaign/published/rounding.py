"""Whether figures that somebody printed can all be of one measurement, each rounded as it is printed."""

from __future__ import annotations

from fractions import Fraction

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}
Row = dict[str, str]
Range = tuple[Fraction, Fraction]


def contradiction(row: Row) -> tuple[str, str] | None:
    """The column of a row of published performance that the others gainsay, and how; None where they may all be true.

    A cell without a figure gainsays nothing.
    """
    size = int(row["message_bytes"])
    cycles, a_byte = _range(row["mean_cycles"]), _range(row["cycles_per_byte"])
    if cycles and a_byte and not _meet(cycles, _times(a_byte, (size, size))):
        told = f"{row['mean_cycles']} cycles for {size} B are not {row['cycles_per_byte']} cycles a byte"
        return "cycles_per_byte", told
    time, rate = _range(row["mean_time"]), _range(row["throughput_MB_per_s"])
    # 1 MB/s is a byte in 1000 ns.
    if time and rate and not _meet(_times(time, rate), (size * 1000, size * 1000)):
        return "throughput_MB_per_s", f"{size} B in {row['mean_time']} are not {row['throughput_MB_per_s']} MB/s"
    return _counts(row)


def _counts(row: Row) -> tuple[str, str] | None:
    told = [row[column] for column in ("measurements", "trials", "iterations_per_trial")]
    if all(told) and int(told[0]) != int(told[1]) * int(told[2]):
        return "measurements", f"{told[0]} are not {told[1]} trials of {told[2]}"
    least, most = row["baseline_rss_kib"], row["peak_rss_kib"]
    if least and most and int(least) > int(most):
        return "peak_rss_kib", f"a peak of {most} KiB is below the baseline, {least} KiB"
    return None


def _range(printed: str) -> Range | None:
    """All values that round to a figure as printed (`50.7 k`, `18.8 µs`), in its base unit; None for no figure."""
    if not printed:
        return None
    number, _, unit = printed.partition(" ")
    half = Fraction(1, 2 * 10 ** len(number.partition(".")[2]))
    return (Fraction(number) - half) * _UNITS[unit], (Fraction(number) + half) * _UNITS[unit]


def _times(one: Range, other: Range) -> Range:
    return one[0] * other[0], one[1] * other[1]


def _meet(one: Range, other: Range) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
