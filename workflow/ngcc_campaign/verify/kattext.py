"""KAT texts as submitted: where they lie, and where they differ from what a library computes."""

from __future__ import annotations

import codecs
import io
import posixpath
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import zip_longest
from pathlib import Path

from ..campaign.catalog import Candidate, Instance, tree_names
from ..fetch.archive import Zip
from ..fetch.download import locate

# A line of a text holds one message at most: 4096 bits in 2_12, and the seeds of the long ones.
LINE_BYTES = 1 << 20


@contextmanager
def submitted_text(
    candidate: Candidate, instance: Instance, name: str, archives: Path | None, downloads: Path
) -> Iterator[Iterable[str] | None]:
    """The lines of the submission's own KAT text `name`, read where it lies; None where there is no such text."""
    if candidate.archive.in_place:
        root = candidate.archive.path
        found = _nearest(instance, [path for path in tree_names(root) if path.endswith(f"/{name}") or path == name])
        with open(root / found, "rb") if found else nullcontext() as stream:
            yield _lines(stream) if stream else None
        return
    located = locate(candidate, archives, downloads)
    with Zip(located[0]) if located else nullcontext() as archive:
        found = _nearest(instance, archive.find(name)) if archive else None
        with archive.open_member(found) if found else nullcontext() as stream:
            yield _lines(stream) if stream else None


def _nearest(instance: Instance, paths: list[str]) -> str | None:
    """Of several files of one name, the one that shares most of its path with the instance's directory."""
    return max(paths, key=lambda path: len(posixpath.commonprefix([path, instance.directory])), default=None)


def _lines(stream: io.BufferedIOBase) -> Iterator[str]:
    """Lines as text; a byte order mark is none of it, and other bytes beyond ASCII only ever differ."""
    line = stream.readline(LINE_BYTES).removeprefix(codecs.BOM_UTF8)
    while line:
        yield line.decode("ascii", errors="replace")
        line = stream.readline(LINE_BYTES)


def records(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The records of a KAT text, field by name; white space, line ends and empty lines do not matter."""
    record: dict[str, str] = {}
    for line in lines:
        field, separator, value = (part.strip() for part in line.partition("="))
        if not separator:
            continue
        if field == "Msg_Len" and record:
            yield record
            record = {}
        record[field] = value
    if record:
        yield record


def first_difference(submitted: Iterable[str], ours: Iterable[str]) -> dict | None:
    """The first record in which two KAT texts differ, with both values; None where they agree."""
    for number, (theirs, mine) in enumerate(zip_longest(records(submitted), records(ours)), 1):
        if theirs == mine:
            continue
        bits = _short((mine or theirs).get("Msg_Len", ""))
        place = {"record": number, "message_bits": int(bits) if bits.isdecimal() and len(bits) < 20 else None}
        if theirs is None or mine is None:
            side = "submitted text" if theirs is None else "library"
            words = f"the {side} has {number - 1} records only"
            return place | {"field": "record", "expected": None, "actual": None, "words": words}
        field = next(name for name in [*mine, *theirs] if theirs.get(name) != mine.get(name))
        expected, actual = theirs.get(field), mine.get(field)
        what = "digest" if field == "Dst" else _short(field)
        words = (
            f"first difference in record {number} (message of {bits} bits): {what} {_short(actual)},"
            f" submitted {_short(expected)}"
        )
        return place | {"field": field, "expected": expected, "actual": actual, "words": words}
    return None


def _short(value: str | None) -> str:
    if value is None:
        return "absent"
    return value if len(value) <= 128 else f"{value[:64]}…{value[-32:]}"
