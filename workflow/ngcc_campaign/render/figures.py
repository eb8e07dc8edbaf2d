"""How figures look: each function takes a raw value, or None where nothing was measured, and gives its text.

Every unit is chosen after rounding, so that 999.6 ns reads 1 µs and 9,999.6 cycles read 10.0 k.
"""

from __future__ import annotations

import math

NOT_MEASURED = "–"


def cycles(value: float | None) -> str:
    """Cycles of one call: an integer below 10^4, then one decimal in k, two in M and in G."""
    if _absent(value):
        return NOT_MEASURED
    for scale, decimals, limit, unit in ((1, 0, 1e4, ""), (1e3, 1, 1e3, " k"), (1e6, 2, 1e3, " M")):
        text = f"{value / scale:.{decimals}f}"
        if abs(float(text)) < limit:
            return text + unit
    return f"{value / 1e9:.2f} G"


def time(nanoseconds: float | None) -> str:
    """Three significant digits, no trailing zeros, in the largest of s, ms, µs, ns that keeps them at or above 1."""
    if _absent(nanoseconds):
        return NOT_MEASURED
    for scale, unit in ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")):
        rounded = float(f"{nanoseconds / scale:.3g}")
        if rounded >= 1 or unit == "ns":
            return f"{rounded:.15g} {unit}"
    raise AssertionError("nanoseconds take every value that is left")


def tenths(value: float | None) -> str:
    """One decimal: cycles/byte, and MB/s of 10^6 bytes."""
    return NOT_MEASURED if _absent(value) else f"{value:.1f}"


def ratio(value: float | None) -> str:
    """A quotient of two costs, two decimals."""
    return NOT_MEASURED if _absent(value) else f"{value:.2f}"


def percent(share: float | None) -> str:
    """A share (0.015) in percent (1.5 %), one decimal."""
    return NOT_MEASURED if _absent(share) else f"{share * 100:.1f} %"


def change(share: float | None) -> str:
    """A difference as a share, in percent with its sign: `+1.5 %`, `−0.3 %`; from a factor of 10 on, that factor."""
    if not _absent(share) and share >= 9:
        return f"{share + 1:.0f} times as much"
    return NOT_MEASURED if _absent(share) else f"{share * 100:+.1f} %".replace("-", "−")


def uncertainty(share: float | None) -> str:
    """A half-width or difference, a share, in percent: two digits, but two decimals at most."""
    if _absent(share):
        return NOT_MEASURED
    for decimals, limit in ((2, 1), (1, 10)):
        text = f"{share * 100:.{decimals}f}"
        if float(text) < limit:
            return f"{text} %"
    return f"{share * 100:.0f} %"


def with_width(text: str, value: float | None, half_width: float | None) -> str:
    """A figure's `text` and, where it is known, the half-width of its interval in percent of it: `1.47 ± 4.6 %`."""
    if _absent(value) or _absent(half_width) or not value:
        return text
    return f"{text} ± {uncertainty(half_width / value)}"


def six_digits(value: float | None) -> str:
    """Six significant digits and no unit, as a computation by hand has them."""
    if _absent(value):
        return NOT_MEASURED
    whole = math.floor(math.log10(abs(value))) + 1 if value else 1
    return f"{value:.{max(6 - whole, 0)}f}"


def kib(kibibytes: float | None) -> str:
    """Memory in whole KiB, rounded down."""
    return NOT_MEASURED if _absent(kibibytes) else f"{math.floor(kibibytes)} KiB"


def integer(value: float | None) -> str:
    """Bytes and other counts, rounded to the next whole number."""
    return NOT_MEASURED if _absent(value) else f"{value:.0f}"


def clock(hertz: float | None) -> str:
    """A clock in GHz, two decimals."""
    return NOT_MEASURED if _absent(hertz) else f"{hertz / 1e9:.2f} GHz"


def calls(total: int | None, trials: int | None, calls_per_trial: int | None) -> str:
    """Timed calls as `100000 (5 × 20000)`."""
    return NOT_MEASURED if total is None else f"{total} ({trials} × {calls_per_trial})"


def digest(sha256: str) -> str:
    """The first 16 hexadecimal digits of a SHA-256, with an ellipsis."""
    return f"{sha256[:16]}…" if sha256 else NOT_MEASURED


def _absent(value: float | None) -> bool:
    return value is None or not math.isfinite(value)
