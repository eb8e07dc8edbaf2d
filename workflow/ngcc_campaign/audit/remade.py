"""Whether a record stands although host.json, or its verdict, was made again since.

A campaign makes both again without timing anything again: after a kernel's update, on other CPUs, at another level of
known answers. The record then holds the digest of a document that is no more.
"""

from __future__ import annotations

from ..aggregate.stored import strangeness


def host(record: dict, host: dict) -> bool:
    """Whether host.json was made after a record and tells of the machine and the state that the record names."""
    told = record["made_from"].keys() >= {"machine", "fitness"} and not strangeness(record, host)
    return told and _follows(host["created_utc"], record)


def verdict(record: dict, kat: dict) -> bool:
    """Whether a verdict was made after a record, and lets the same library be timed; or withholds the figure."""
    same = kat["library_sha256"] == record["files"]["library_sha256"]
    return _follows(kat["started_utc"], record) and (same if kat["timed"] else is_withheld(record, kat))


def is_withheld(document: dict, kat: dict) -> bool:
    """Whether a record, or a measurement of memory, outlives its verdict: no page shows a figure of it."""
    return document["status"] == "MEASURED" and not kat["timed"] and _follows(kat["started_utc"], document)


def _follows(moment: str, document: dict) -> bool:
    """Moments are texts of one form, which sort as they follow one another."""
    return moment >= document["ended_utc"]
