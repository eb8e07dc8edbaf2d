"""Whether the sentence above all is true: by how much the next instance at 1 KiB takes more than the fastest."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .findings import Findings
from .lookup import Row
from .reading import as_number, figures_in, rounds_to

_LEAD = re.compile(r"takes ([\d.]+)(?: (%) more| times as much)\.$")
# What else it may say in cycles, and of which columns of a row at 1 KiB that is made.
_RATE = re.compile(r"undisturbed \(([\d.]+) cycles/byte\)")
_BOUND = re.compile(r", marked few, takes less: at most (\S+(?: [kMG])?) cycles")


def checked(file: str, name: str, lines: Iterable[str], stored: dict[str, list[Row]], findings: Findings) -> list[str]:
    """The lines of a page, of index without what this checks: no table holds how much more something takes."""
    lines = list(lines)
    at = next((at for at, line in enumerate(lines) if name == "index" and _LEAD.search(line)), None)
    if at is not None:
        findings.check("figures", _leads(lines[at], stored), f"{file}: '{lines[at]}' is not what the tables say.")
        lines[at] = _LEAD.sub("takes more.", lines[at])
    return [_without_own(file, line, stored, findings) for line in lines] if name == "index" else lines


def _without_own(file: str, line: str, stored: dict[str, list[Row]], findings: Findings) -> str:
    """A line without what stands in no table as it is told: cycles/byte undisturbed, and a few row's bound."""
    rows = [row for row in stored.get("performance", ()) if row["message_bytes"] == "1024"]
    for pattern, column, share, mark in ((_RATE, "undisturbed_cycles", 1024, ""), (_BOUND, "mean_cycles", 1, "few")):
        for match in pattern.finditer(line):
            values = [as_number(row[column]) for row in rows if mark in row["marks"]]
            (figure,) = figures_in(match[1])
            there = any(value and rounds_to(figure, value / share) for value in values)
            findings.check("figures", there, f"{file}: '{line}' is not what the tables say: {match[1]}.")
        line = pattern.sub("", line)
    return line


def _leads(sentence: str, stored: dict[str, list[Row]]) -> bool:
    """Whether the second least figure at 1 KiB is as much above the least as the sentence says."""
    number, percent = _LEAD.search(sentence).groups()
    quotients = []
    for unit in ("cycles", "ns"):
        found = sorted(filter(None, (_figure(row, unit) for row in stored.get("performance", ()))))
        quotients += [found[1] / found[0]] if len(found) > 1 else []
    for table in (stored.get("published_performance", ()),):
        found = sorted(filter(None, (_printed(row) for row in table)))
        quotients += [found[1] / found[0]] if len(found) > 1 else []
    half = 0.5 * 10.0 ** -len(number.partition(".")[2]) * 1.0001
    return any(
        abs((quotient - 1) * 100 - float(number) if percent else quotient - float(number)) <= half
        for quotient in quotients
    )


def _figure(row: Row, unit: str) -> float | None:
    """The figure of a row at 1 KiB that takes part in comparisons."""
    words = row["marks"].split()
    if row["message_bytes"] != "1024" or row["candidate"] == "yardstick" or "few" in words or "remembers" in words:
        return None
    return as_number(row[f"{'undisturbed' if row['figure'] == 'undisturbed' else 'mean'}_{unit}"])


def _printed(row: Row) -> float | None:
    number, _, unit = row["mean_cycles"].partition(" ")
    value = as_number(number) if row["message_bytes"] == "1024" else None
    return value and value * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}[unit]
