"""Bundles that nobody vouches for: findings, or one sentence; and nothing is left behind."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from functools import cache
from unittest.mock import patch

from forger import files
from fuzz import sound
from fuzz.evidence import changed, examine
from fuzz.kit import Choices, folder
from ngcc_campaign.bundle import bundle, crate

RAW, MEMBER, COMPLETE = 0, 1, 2
SEEDS = [
    bytes([RAW, 10, 0, 0, 4]) + b"PK\1\2",
    bytes([RAW]) + b"\xff" * 40,
    *(bytes([MEMBER, number]) + b"\0\1\2\3" for number in range(0, 60, 9)),
    *(bytes([COMPLETE, number]) + bytes(range(number, number + 9)) for number in range(0, 60, 6)),
]


@cache
def _members() -> dict[str, bytes]:
    root = sound.results()
    return {name: (root / name).read_bytes() for name in files(root) if name != "audit.json"} | {
        crate.WORKFLOW: b"rule all:\n"
    }


@cache
def _packed() -> bytes:
    return bundle.packed(bundle.complete(_members()))


def target(data: bytes) -> None:
    choices = Choices(data)
    content = _content(choices.number(2), choices)
    with folder() as place:
        (place / "local.zip").write_bytes(content)
        with patch.object(tempfile, "tempdir", str(place)):
            examine(place / "local.zip")
        assert os.listdir(place) == ["local.zip"]


def _content(kind: int, choices: Choices) -> bytes:
    """The bundle with other bytes, with another member, or with one and all that follows from it."""
    if kind == RAW:
        return changed(_packed(), False, choices)
    members = _members() if kind == COMPLETE else bundle.complete(_members())
    name = choices.of(sorted(members))
    other = changed(members[name], name.endswith(".json"), choices)
    named = choices.of([name] * 6 + ["new/x.json", f"{name}/x"])
    members = members | {named: other}
    if kind == COMPLETE:
        with suppress(LookupError, TypeError, ValueError, AttributeError):  # evidence too damaged to be described
            members = bundle.complete(members)
    return bundle.packed(members)
