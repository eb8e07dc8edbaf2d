"""Who comes first: the instances of each digest width, ranked by each metric and overall; rows of ranking.csv."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from ..campaign.catalog import MESSAGE_BYTES
from ..campaign.settings import YARDSTICK
from ..published import comparison
from . import comparing, timing
from .comparing import Figure
from .stored import in_order

OVERALL = "overall"
# Message lengths whose cost is ranked: the shortest, one in the middle, the longest.
COST_BYTES = (MESSAGE_BYTES[0], 1024, MESSAGE_BYTES[-1])
LONGEST = MESSAGE_BYTES[-1]
# Metrics that are the same each time, by the column of instances.csv.
RESOURCES = {"stack": "stack_bytes", "heap": "heap_peak_bytes", "elf_load": "elf_load_bytes"}
NOT_MEASURED = "not measured"


@dataclass
class Entry:
    """What one instance is ranked by: `value` as it is told, `cost` as it is compared, the less the better.

    Without a cost, `reason` says why there is none.
    """

    candidate: str
    instance: str
    value: float | None = None
    half_width: float | None = None
    cost: Figure | None = None
    reason: str = ""


@dataclass
class Metric:
    """A metric of one digest width, and the entries of its instances; `floor` is the least difference that counts."""

    digest_bits: int
    name: str
    unit: str
    message_bytes: int | None = None
    floor: float = 0.0
    entries: list[Entry] = field(default_factory=list)


def of_records(performance: list[dict], instances: list[dict], floor: float | None) -> list[dict]:
    """Rows of ranking.csv from those of performance.csv and instances.csv; the yardstick is no competitor."""
    timings = _by_width(row for row in performance if row["candidate"] != YARDSTICK)
    built = _by_width(row for row in instances if row["candidate"] != YARDSTICK)
    metrics = []
    for bits in sorted(timings):
        for size in COST_BYTES:
            metrics.append(_cost(bits, size, [row for row in timings[bits] if row["message_bytes"] == size], floor))
        metrics.append(_throughput(bits, [row for row in timings[bits] if row["message_bytes"] == LONGEST], floor))
        for name, column in RESOURCES.items():
            metrics.append(Metric(bits, name, "byte", entries=[_exact(row, row[column]) for row in built[bits]]))
    return _rows(metrics)


def of_published(performance: list[dict], kat: list[dict]) -> list[dict]:
    """The same from published figures, which have no intervals: only what is printed alike shares a place."""
    bits_of = {(row["candidate"], row["instance"]): row["digest_bits"] for row in kat}
    by_width = _by_width(row | {"digest_bits": bits_of[row["candidate"], row["instance"]]} for row in performance)
    metrics = []
    for bits in sorted(by_width):
        for size in COST_BYTES:
            costs = _printed(by_width[bits], size, "cycles_per_byte")
            metrics.append(Metric(bits, f"cost_{size}", "cycles/byte", size, entries=costs))
        rates = _printed(by_width[bits], LONGEST, "throughput_MB_per_s")
        for entry in rates:
            entry.cost = entry.cost and (1 / entry.cost[0], 0.0)
        metrics.append(Metric(bits, f"throughput_{LONGEST}", "MB/s", LONGEST, entries=rates))
        images = _printed(by_width[bits], LONGEST, "elf_load_bytes")
        metrics.append(Metric(bits, "elf_load", "byte", entries=images))
    return _rows(metrics)


def _by_width(rows: Iterable[dict]) -> dict[int, list[dict]]:
    groups: dict[int, list[dict]] = defaultdict(list)
    for row in rows:
        groups[row["digest_bits"]].append(row)
    return groups


def _cost(bits: int, size: int, rows: list[dict], floor: float | None) -> Metric:
    """Cycles a byte, or time where cycles are not all of one kind; by the figure that comparisons take."""
    unit = timing.common_unit(row for row in rows if not _unranked(row))
    divisor, told = (size, "cycles/byte") if unit == "cycles" else (1, "ns")
    metric = Metric(bits, f"cost_{size}", told, size, floor or 0.0)
    for row in rows:
        metric.entries.append(entry := _entry(row))
        if not entry.reason:
            entry.cost = timing.figure(row, unit)
            entry.value, entry.half_width = (part / divisor for part in entry.cost)
    return metric


def _throughput(bits: int, rows: list[dict], floor: float | None) -> Metric:
    """Bytes of the longest message over its time, by the figure that comparisons take."""
    metric = Metric(bits, f"throughput_{LONGEST}", "MB/s", LONGEST, floor or 0.0)
    for row in rows:
        metric.entries.append(entry := _entry(row))
        if not entry.reason:
            time, half_width = entry.cost = timing.figure(row, "ns")
            entry.value = LONGEST / time * 1000
            entry.half_width = entry.value * half_width / time
    return metric


def _entry(row: dict) -> Entry:
    return Entry(row["candidate"], row["instance"], reason=_unranked(row))


def _unranked(row: dict) -> str:
    """Why a row of performance.csv can't be ranked; empty where it can."""
    if row["status"] != "MEASURED":
        return f"{row['status']}: {row['reason']}"
    if marks := [mark for mark in comparing.INCOMPARABLE if mark in row["marks"]]:
        return f"marked {marks[0]}"
    return "" if timing.figure(row, "ns")[1] is not None else "one trial, no interval"


def _exact(row: dict, value: float | None) -> Entry:
    """An entry that has no uncertainty."""
    cost = None if value is None else (value, 0.0)
    return Entry(row["candidate"], row["instance"], value, None, cost, NOT_MEASURED if value is None else "")


def _printed(rows: list[dict], size: int, column: str) -> list[Entry]:
    """Entries of rows at one message length, by a figure as printed."""
    entries = []
    for row in (row for row in rows if int(row["message_bytes"]) == size):
        parsed = comparison.as_number(str(row.get(column) or ""))
        entries.append(entry := Entry(row["candidate"], row["instance"], reason="" if parsed else "not published"))
        if parsed:
            entry.value, entry.cost = parsed[0], (parsed[0], 0.0)
    return entries


def _rows(metrics: Sequence[Metric]) -> list[dict]:
    """Rows of all metrics, width by width, each width's overall ranking first."""
    found: list[dict] = []
    for bits in sorted({metric.digest_bits for metric in metrics}):
        own = [(metric, _ranked(metric)) for metric in metrics if metric.digest_bits == bits]
        found += _table(*_overall(bits, own))
        for metric, places in own:
            found += _table(metric, places)
    return found


def _ranked(metric: Metric) -> dict[tuple[str, str], int]:
    """The places of a metric's entries; who is alone has none."""
    costs = {(one.candidate, one.instance): one.cost for one in metric.entries if one.cost is not None}
    if len(costs) > 1:
        return comparing.places(costs, metric.floor)
    for entry in metric.entries:
        entry.reason = entry.reason or "nothing of its width to compare with"
    return {}


def _overall(bits: int, ranked: list[tuple[Metric, dict]]) -> tuple[Metric, dict[tuple[str, str], int]]:
    """The mean of an instance's places over all metrics; who lacks one is left out.

    Where a metric ranks nobody, nobody has one: the few metrics that are left would make a winner of their own.
    """
    overall, keys = Metric(bits, OVERALL, "place"), [(one.candidate, one.instance) for one in ranked[0][0].entries]
    for key in keys:
        lacking = [metric.name for metric, places in ranked if key not in places]
        if lacking:
            reason = f"no place by {', '.join(lacking)}" if keys[1:] else "nothing of its width to compare with"
            overall.entries.append(Entry(*key, reason=reason))
        else:
            mean = Fraction(sum(places[key] for _, places in ranked), len(ranked))
            overall.entries.append(Entry(*key, float(mean), None, (mean, Fraction(0))))
    return overall, _ranked(overall)


def _table(metric: Metric, places: dict[tuple[str, str], int]) -> list[dict]:
    """The rows of one metric, by place, then in natural order; those without a place last."""
    rows = []
    for one in metric.entries:
        place = places.get((one.candidate, one.instance))
        row = {"digest_bits": metric.digest_bits, "metric": metric.name, "message_bytes": metric.message_bytes}
        row |= {"candidate": one.candidate, "instance": one.instance, "unit": metric.unit, "value": one.value}
        row |= {"half_width": one.half_width, "place": place, "reason": "" if place else one.reason}
        rows.append(row | {"shared": list(places.values()).count(place) if place else None})
    candidates, instances = (in_order({row[part] for row in rows}) for part in ("candidate", "instance"))
    last = len(rows) + 1

    def order(row: dict) -> tuple[int, int, int]:
        return row["place"] or last, candidates.index(row["candidate"]), instances.index(row["instance"])

    return sorted(rows, key=order)
