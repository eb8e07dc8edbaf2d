"""A results folder with something changed in one of its files: the audit finds faults or says one sentence."""

from __future__ import annotations

import json
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from unittest.mock import patch

from forger import files
from fuzz import sound
from fuzz.kit import Choices, expect_sentence
from ngcc_campaign.audit import audit
from ngcc_campaign.common.errors import Mistake

EDIT, BYTES = 0, 1
SEEDS = [
    *(bytes([EDIT, number]) + bytes(range(number, number + 12)) for number in range(0, 60, 4)),
    *(bytes([BYTES, number, 1, 0, 5, 4]) + b"\xff\x00,\n" for number in range(0, 60, 6)),
]


@cache
def _names() -> list[str]:
    return [name for name in files(sound.results()) if name != "audit.json"]


def target(data: bytes) -> None:
    choices = Choices(data)
    kind, name = choices.number(1), choices.of(_names())
    file = sound.results() / name
    before = file.read_bytes()
    try:
        file.write_bytes(changed(before, kind == EDIT and name.endswith(".json"), choices))
        # Tables and pages, which take half of the time, follow from files of their own.
        with nullcontext() if name.startswith(("tables/", "report/")) else patch.object(audit, "_tables_and_pages"):
            examine(sound.results())
    finally:
        file.write_bytes(before)


def changed(content: bytes, as_json: bool, choices: Choices) -> bytes:
    """A file's content with edits in it, of its JSON or of its bytes."""
    if as_json:
        document = json.loads(content)
        while choices.left:
            document = sound.edit(document, choices)
        return json.dumps(document, indent=2).encode() + b"\n"
    while choices.left:
        at, gone = choices.number(len(content)), choices.number(20)
        content = content[:at] + choices.piece(20) + content[at + gone :]
    return content


def examine(folder: Path) -> None:
    try:
        findings = audit.audit(folder)
    except Mistake as mistake:
        expect_sentence(mistake)
        return
    for fault in findings.faults:
        expect_sentence(Mistake(fault))
    audit.text(findings).encode()
