"""What is quickly said to conform to a schema does, and what jsonschema refuses is refused."""

import copy
import random

import pytest

from evidence import Results
from ngcc_campaign.common import conforms, schemas
from ngcc_campaign.common.files import read_json

STRANGE = [None, True, 0, -1, 1, 1.0, 2.5, 3, 17, 10**19, "", "x", "0" * 64, "canary\n", [], [1], {}, {"x": 1}]


def places(document, path=()):
    """Every place in a document, as the keys on the way to it."""
    parts = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else ())
    )
    for key, part in list(parts):
        yield (*path, key)
        yield from places(part, (*path, key))


def altered(document, rng: random.Random):
    """The document with one thing in it another, absent, twice or new."""
    document = copy.deepcopy(document)
    *way, last = rng.choice(list(places(document)))
    holder = document
    for key in way:
        holder = holder[key]
    match rng.randrange(4):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        case 1:
            holder["new"] = 1
        case _:
            holder[last] = rng.choice(STRANGE)
    return document


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    results = Results(tmp_path_factory.mktemp("results")).complete("iccs", {"a": 256}).own()
    found = {}
    for path in sorted(results.folder.rglob("*.json")):
        document = read_json(path)
        found[document["schema"].removeprefix("ngcc-perf/")] = document
    return found


def test_what_stages_write_conforms(documents):
    assert conforms.compiled(schemas._validator("record").schema)(documents["record"])


@pytest.mark.parametrize("name", ["host", "fetch", "build", "kat", "record", "memory"])
def test_a_yes_is_never_wrong(documents, name):
    rng = random.Random(name)
    validator = schemas._validator(name)
    quick, said = conforms.compiled(validator.schema), {True: 0, False: 0}
    for _ in range(300):
        document = altered(documents[name], rng)
        is_valid = validator.is_valid(document)
        assert is_valid or not quick(document)
        said[is_valid] += 1
    assert min(said.values()) > 10


def test_of_records_a_no_is_never_wrong_either(documents):
    rng = random.Random("record")
    validator = schemas._validator("record")
    quick = conforms.compiled(validator.schema)
    for _ in range(300):
        document = altered(documents["record"], rng)
        assert quick(document) == validator.is_valid(document)


def test_an_unknown_keyword_gets_no_yes():
    assert not conforms.compiled({"anyOf": [{}]})(1)
    assert conforms.compiled({"type": ["integer", "null"], "minimum": 1})(None)
