"""The batches behind the figures of a candidate: how far each is from its row's figure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from ...measure import disturbance, observations
from ..pages import Row, figure_column, number, whole

# So many batches of a candidate are drawn at most; of longer records every n-th.
MOST = 480


def points(results: Path, performance: list[Row]) -> tuple[list[dict], int]:
    """Batches of one candidate's measured rows, and how many there are in all.

    Each has the row's instance and message length, the trial's number, by how many per cent its calls took longer than
    the row's figure, and the words that speak against it. Records that are not the tables' are left out.
    """
    found = [(row, record) for row in performance if (record := _record(results, row))]
    most = max(MOST // max(len(found), 1), 1)
    batches = [list(_batches(row, record)) for row, record in found]
    return [point for own in batches for point in _thinned(own, most)], sum(map(len, batches))


def _record(results: Path, row: Row) -> dict | None:
    """The record of a measured row, which `aggregate` has validated; None where it is no longer that one."""
    if row["status"] != "MEASURED":
        return None
    try:
        data = (results / row["record"]).read_bytes()
    except OSError:
        return None
    return json.loads(data) if hashlib.sha256(data).hexdigest() == row["record_sha256"] else None


def _batches(row: Row, record: dict) -> Iterator[dict]:
    figure, calls = number(row, figure_column(row, "ns")), record["plan"]["calls_per_batch"]
    shares = (observations.elapsed_ns(record) / calls / figure - 1) * 100
    words = disturbance.words(record, whole(row, "canary_best_ns"))
    place = {"instance": row["instance"], "bytes": int(row["message_bytes"])}
    for trial, (own, said) in enumerate(zip(shares, words, strict=True)):
        for share, word in zip(own, said, strict=True):
            yield place | {"trial": trial, "percent": round(float(share), 2), "words": word}


def _thinned(batches: list[dict], most: int) -> list[dict]:
    """So many of the batches at most, evenly taken."""
    if len(batches) <= most:
        return batches
    return [batches[at * len(batches) // most] for at in range(most)]
