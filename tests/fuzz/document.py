"""Documents of evidence, each alone: JSON that fits its schema, or one sentence; what fits can be worked with."""

from __future__ import annotations

import copy
import json
from functools import cache

from evidence import settle
from forger import files
from fuzz import sound
from fuzz.kit import Choices, expect_sentence
from ngcc_campaign.aggregate import statistics, timing
from ngcc_campaign.aggregate.stored import strangeness
from ngcc_campaign.audit.holdings import SCHEMAS, refuse_other
from ngcc_campaign.common import schemas
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import json_text, parse_json
from ngcc_campaign.measure import consistency, disturbance
from ngcc_campaign.verify import verify

RAW = 255
SEEDS = [
    *(bytes([number, 0]) + bytes(range(number, 60)) for number in range(8)),
    bytes([RAW, 5]) + b'{"schema": "ngcc-perf/kat", "version": 1, "x": [1e5, -0, "\\ud800"]}',
    bytes([RAW, 1]) + b"[" * 980,
    bytes([RAW, 1]) + b'{"trials":' * 900 + b"1" + b"}" * 900,
    bytes([RAW, 2]) + "\ufeff{}".encode("utf-16"),
]


@cache
def _documents() -> list[tuple[str, str]]:
    """Name of the schema and text of one document of each kind."""
    found = {}
    for name in files(sound.results()):
        if name.endswith(".json") and not name.startswith("audit"):
            text = (sound.results() / name).read_text()
            found.setdefault(json.loads(text)["schema"].removeprefix("ngcc-perf/"), text)
    return sorted(found.items())


def target(data: bytes) -> None:
    choices = Choices(data)
    raw, (schema, text) = choices.number(255) == RAW, choices.of(_documents())
    content = choices.bytes(len(data)) if raw else text.encode()
    try:
        document = parse_json(content)
    except ValueError as error:
        assert raw and str(error)
        return
    settled = choices.number(1)
    while not raw and choices.left:
        document = sound.edit(document, choices)
    if settled and schema == "record":
        document = _settled(document)
    try:
        document = parse_json(json.dumps(document).encode())  # as it would be read from a file
    except ValueError:
        return
    json_text(document).encode()
    try:
        refuse_other(document, schema, "x.json")
        schemas.validate(document, schema, "x.json")
    except Mistake as mistake:
        assert expect_sentence(mistake).startswith("x.json: ")
        return
    _work_with(document, schema)


def _settled(record: object) -> object:
    """A record in which sums and words follow from the batches again, so that what follows from odd ones is seen."""
    try:
        return settle(copy.deepcopy(record))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):  # it is too damaged for that
        return record


def _work_with(document: dict, schema: str) -> None:
    assert schema in SCHEMAS.values()
    match schema:
        case "record":
            asked = {"digest_bits": document["digest_bits"], "message_bytes": document["message_bytes"]}
            if document["status"] == "MEASURED" and not consistency.contradiction(document, asked):
                row = timing.figures(document, disturbance.own_canary(document))
                assert row["mean_ns"] > 0
        case "kat":
            consistency.verdict(document)
            assert verify.log_text(document)
        case "memory":
            assert all(statistics.memory(operation) for operation in document["operations"])
        case "host":
            assert strangeness(document, document) == ""
