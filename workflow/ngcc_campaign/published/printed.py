"""Tables of printed figures, as people type them off: cells are texts, each of the form in which pages print it."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..campaign.catalog import CANDIDATE_ID, INSTANCE_NAME, MESSAGE_BYTES
from ..common.errors import Mistake
from ..common.schemas import short

# What a page has where it has nothing.
NOTHING = ("", "–")

# What a cell may be, and how a sentence calls it. A figure of which a page has nothing is `–`, or empty.
_WHOLE = "(0|[1-9][0-9]*)"
_COUNT = (rf"({_WHOLE}|–)?", "a whole number")
_NUMBER = (rf"({_WHOLE}(\.[0-9]+)?|–)?", "a number, as 412.4")
_VERDICTS = "PASS|MISMATCH|NOKAT|ERROR|CRASH|TIMEOUT|OVERFLOW|UNSTABLE|FORBIDDEN|BUILDFAIL"
FORMS = {
    "candidate": (CANDIDATE_ID, "a candidate's id"),
    "instance": (INSTANCE_NAME, "an instance's name"),
    "message_bytes": ("|".join(map(str, MESSAGE_BYTES)), f"one of {', '.join(map(str, MESSAGE_BYTES))}"),
    "mean_cycles": (rf"({_WHOLE}(\.[0-9]+)?( [kMG])?|–)?", "cycles as printed, as 50.7 k"),
    "mean_time": (rf"({_WHOLE}(\.[0-9]+)? (ns|µs|ms|s)|–)?", "a time as printed, as 18.8 µs"),
    **dict.fromkeys(("cycles_per_byte", "throughput_MB_per_s"), _NUMBER),
    **dict.fromkeys(("measurements", "trials", "iterations_per_trial"), _COUNT),
    **dict.fromkeys(("elf_load_bytes", "baseline_rss_kib", "peak_rss_kib"), _COUNT),
    "build_flags": ("(guide|harness-default|–)?", "guide or harness-default"),
    "kat": (f"({_VERDICTS}|–)?", f"a verdict: {_VERDICTS.replace('|', ', ')}"),
    "kat_log_sha256_prefix": ("([0-9a-f]{16}|–)?", "16 hexadecimal digits, in lower case"),
}


Row = dict[str, str]


def read(
    file: Path, columns: Sequence[str], key: Sequence[str], system: str, flaw: Callable[[Row], tuple[str, str] | None]
) -> list[Row]:
    """The rows of a table that has these columns, told apart by those of `key`; in a column `system` stands `system`.

    `flaw` gives what is wrong with a row whose cells all are of their forms: a column, and a sentence. A cell of which
    a page has nothing becomes empty; blank lines are nothing.

    Raises Mistake that names the file and, where one cell is to blame, its line and column.
    """
    forms = FORMS | {"system": (re.escape(system), f"{system}, the folder's name")}
    found: dict[tuple[str, ...], tuple[int, Row]] = {}
    for line, row in _rows(file, columns):
        _check(f"{file}, line {line}", row, forms)
        row = {column: "" if cell in NOTHING else cell for column, cell in row.items()}
        if told := flaw(row):
            raise Mistake(f"{file}, line {line}, {told[0]}: {told[1]}.")
        place = tuple(row[column] for column in key)
        if place in found:
            twice = f"{' '.join(place)} stands there twice, first in line {found[place][0]}"
            raise Mistake(f"{file}, line {line}, {key[-1]}: {twice}; leave one of them.")
        found[place] = (line, row)
    return [row for _, row in found.values()]


def _rows(file: Path, columns: Sequence[str]) -> list[tuple[int, Row]]:
    try:
        with open(file, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            header, *lines = [(reader.line_num, cells) for cells in reader if cells]
    except OSError as error:
        raise Mistake(f"{file}: {error.strerror}.") from None
    except (ValueError, csv.Error) as error:
        raise Mistake(f"{file}: no readable table ({error}).") from None
    for line, cells in (header, *lines):
        if len(cells) != len(columns) or (line == header[0] and tuple(cells) != tuple(columns)):
            raise Mistake(f"{file}, line {line}: expected the columns {', '.join(columns)} in every line.")
    return [(line, dict(zip(columns, cells, strict=True))) for line, cells in lines]


def _check(place: str, row: Mapping[str, str], forms: Mapping[str, tuple[str, str]]) -> None:
    for column, cell in row.items():
        form, expected = forms[column]
        if not re.fullmatch(form, cell):
            raise Mistake(f"{place}, {column}: found {short(cell)}, expected {expected}.")
