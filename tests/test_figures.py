"""Figures print as the programme's published pages print them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ngcc_campaign.render import figures

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def value(text: str) -> float:
    """The number that a figure says, in cycles or ns."""
    number, _, unit = text.partition(" ")
    return float(number) * UNITS[unit]


@pytest.mark.parametrize(
    ("cycles", "text"),
    [
        (497.3, "497"), (1366.6, "1367"), (5284.2, "5284"), (9991, "9991"), (20482, "20.5 k"), (322961, "323.0 k"),
        (687104, "687.1 k"), (1177000, "1.18 M"), (37401000, "37.40 M"), (93.702e6, "93.70 M"), (2.5e9, "2.50 G"),
        # The unit is chosen after rounding.
        (9999.4, "9999"), (9999.6, "10.0 k"), (999_940, "999.9 k"), (999_960, "1.00 M"), (999.994e6, "999.99 M"),
        (999.996e6, "1.00 G"), (1.3, "1"), (0, "0"), (None, "–"), (math.nan, "–"), (math.inf, "–"),
    ],
)  # fmt: skip
def test_cycles(cycles, text):
    assert figures.cycles(cycles) == text


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (185.1, "185 ns"), (993.9, "994 ns"), (1003.1, "1 µs"), (1962, "1.96 µs"), (1604, "1.6 µs"), (12004, "12 µs"),
        (119850, "120 µs"), (49004, "49 µs"), (13.93e6, "13.9 ms"), (1.01e6, "1.01 ms"), (2.5e9, "2.5 s"),
        # The unit is chosen after rounding.
        (999.4, "999 ns"), (999.6, "1 µs"), (999_499, "999 µs"), (999_500.1, "1 ms"), (999.6e6, "1 s"),
        (1234e9, "1230 s"), (0.25, "0.25 ns"), (0, "0 ns"), (None, "–"), (math.nan, "–"),
    ],
)  # fmt: skip
def test_time(ns, text):
    assert figures.time(ns) == text


@pytest.mark.parametrize(
    ("form", "raw", "text"),
    [
        (figures.tenths, 15.52, "15.5"), (figures.tenths, 10128.74, "10128.7"), (figures.tenths, 546.81, "546.8"),
        (figures.tenths, 0.267, "0.3"), (figures.tenths, None, "–"),
        (figures.kib, 1400.5, "1400 KiB"), (figures.kib, 3444, "3444 KiB"), (figures.kib, None, "–"),
        (figures.integer, 32180.0, "32180"), (figures.integer, None, "–"),
        (figures.ratio, 1.2345, "1.23"), (figures.ratio, None, "–"),
        (figures.percent, 0.0153, "1.5 %"), (figures.percent, None, "–"),
        (figures.clock, 2707200000, "2.71 GHz"), (figures.clock, None, "–"),
        (figures.digest, "0123456789abcdef" * 4, "0123456789abcdef…"), (figures.digest, "", "–"),
    ],
)  # fmt: skip
def test_other_figures(form, raw, text):
    assert form(raw) == text


@pytest.mark.parametrize(
    ("counts", "text"),
    [((100000, 5, 20000), "100000 (5 × 20000)"), ((None, None, None), "–")],
)
def test_calls(counts, text):
    assert figures.calls(*counts) == text


@pytest.mark.parametrize(
    ("size", "cycles", "ns", "texts"),
    [
        (32, 497.3, 185.0, ("497", "15.5", "185 ns", "173.0")),
        (128, 1366.7, 508.7, ("1367", "10.7", "509 ns", "251.6")),
        (65536, 323005, 119_850, ("323.0 k", "4.9", "120 µs", "546.8")),
        (32, 324118, 120_100, ("324.1 k", "10128.7", "120 µs", "0.3")),
        (65536, 37401395, 13_944_000, ("37.40 M", "570.7", "13.9 ms", "4.7")),
    ],
)
def test_a_published_row(size, cycles, ns, texts):
    """All figures of one published row come from one pair of raw values."""
    row = figures.cycles(cycles), figures.tenths(cycles / size), figures.time(ns), figures.tenths(size / ns * 1000)
    assert row == texts


positive = st.floats(min_value=1e-3, max_value=1e15)


@given(positive, positive)
def test_a_greater_value_never_prints_less(first, second):
    low, high = sorted((first, second))
    assert value(figures.cycles(low)) <= value(figures.cycles(high))
    assert value(figures.time(low)) <= value(figures.time(high))


@given(st.floats(min_value=1, max_value=9.99e11))
def test_time_has_three_digits_and_the_largest_unit(ns):
    number, unit = figures.time(ns).split()
    digits = number.replace(".", "").lstrip("0")
    assert len(digits) <= 3 and (unit == "s" or 1 <= float(number) < 1000)
    assert "." not in number or not number.endswith("0")
    assert value(figures.time(ns)) == pytest.approx(ns, rel=0.00501)


@given(st.floats(min_value=100, max_value=1e12))
def test_cycles_are_right_to_half_a_unit_of_the_last_digit(cycles):
    text = figures.cycles(cycles)
    number, _, unit = text.partition(" ")
    decimals = {"": 0, "k": 1, "M": 2, "G": 2}[unit]
    assert len(number.partition(".")[2]) == decimals
    assert abs(value(text) - cycles) <= 0.5001 * 10**-decimals * UNITS[unit]
