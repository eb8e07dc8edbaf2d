"""The messages that are timed, asked of a library while it is verified: a record must hold the same digests."""

import json
import subprocess

import pytest

from evidence import Results
from model.bits import whole
from model.drng import Generator
from model.instances import INSTANCES
from model.sm3 import sm3
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.common.schemas import validate
from perf import Perf
from test_bundled import CANDIDATES, compile_instance

SIZES = (0, 1, 32, 8192)


@pytest.fixture(scope="module")
def ask(native):
    """ask(library, *sizes) -> ngcc_kat's document about these lengths."""

    def command(library, *sizes: int, options=(), bits=256) -> dict:
        words = [native / "ngcc_kat", "--library", library, "--instance", "Asked", "--digest-bits", bits, *options]
        words += [word for size in sizes for word in ("--bytes", size)]
        ran = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True)
        document = json.loads(ran.stdout)
        validate(document, "kat_run", "ngcc_kat")
        return document

    return command


@pytest.fixture
def perf(native, tmp_path):
    driver = Perf(native, tmp_path)
    yield driver
    driver.end()


def test_verified_timed_and_the_model_s_digests_are_the_same(ask, perf, native):
    library = native / "libcontrol.so"
    document = ask(library, *SIZES)
    expected = [sm3(whole(Generator(bytes(range(48))).generate(8 * size))).hex().upper() for size in SIZES]
    assert document["messages"] == [
        {"message_bytes": size, "outcome": "DONE", "digest": digest, "reason": ""}
        for size, digest in zip(SIZES, expected, strict=True)
    ]
    assert document["files"] == []
    assert perf.record(library, message_bytes=32)["digest"]["value"] == expected[SIZES.index(32)]


@pytest.mark.parametrize("model", INSTANCES, ids=lambda model: model.name)
def test_the_bundled_functions_are_verified_on_what_they_are_timed_on(ask, perf, tmp_path, model):
    instance = CANDIDATES[model.candidate].instance(model.name)
    library = compile_instance(instance, tmp_path / "library.so", "-shared", "-fPIC")
    (message,) = ask(library, 1024, bits=model.digest_bits)["messages"]
    record = perf.record(library, digest_bits=model.digest_bits, message_bytes=1024)
    assert message["outcome"] == "DONE" and message["digest"] == record["digest"]["value"]


def test_files_and_messages_are_asked_for_together_or_alone(ask, native):
    library = native / "libcontrol.so"
    both = ask(library, 32, options=("--file", "2_23"))
    assert len(both["files"]) == len(both["messages"]) == 1
    assert ask(library, options=("--file", "2_23"))["messages"] == []


@pytest.mark.parametrize(
    ("animal", "outcome", "reason"),
    [
        ("by_process", "UNSTABLE", "answered otherwise when the timed message of 32 bytes was asked again"),
        ("half_a_digest", "UNSTABLE", "wrote only 16 of the digest's 32 bytes in the timed message of 32 bytes"),
        ("writes_behind", "OVERFLOW", "during the timed message of 32 bytes"),
        ("exits", "CRASH", "during the timed message of 32 bytes"),
    ],
)
def test_a_message_has_the_outcomes_of_a_file(ask, zoo, animal, outcome, reason):
    (message,) = ask(zoo(animal, "-w"), 32)["messages"]
    assert (message["outcome"], message["digest"]) == (outcome, None)
    assert reason in message["reason"]


def test_all_messages_share_one_time_limit(ask, zoo):
    first, second = ask(zoo("spins", "-w"), 32, 64, options=("--seconds", 0.2))["messages"]
    assert (first["outcome"], second["outcome"]) == ("TIMEOUT", "TIMEOUT")
    assert second["reason"] == "not asked: the messages before it took all the time"


def test_a_library_that_is_quick_and_wrong_where_it_is_timed_gives_no_figure(ask, perf, zoo, tmp_path):
    library = zoo("only_when_timed", "-w")
    timed, verified = perf.record(library, message_bytes=32), ask(library, 32)["messages"]
    assert timed["status"] == "MEASURED" and timed["digest"]["value"] == "00" * 32

    def alter(record: dict) -> None:
        record["digest"] = timed["digest"]
        for trial in record["trials"]:
            trial["digest"] = timed["digest"]["value"]

    results = Results(tmp_path / "local").complete("zoo", {"animal": 256}).own()
    results.change("kat/zoo/animal.json", lambda kat: kat.update(messages=verified + kat["messages"][1:]))
    results.change("records/zoo/animal__hash_32.json", alter)
    aggregate(results.folder, None)
    row = tables.read(results.folder, "performance")[0]
    assert (row["message_bytes"], row["status"], row["mean_ns"]) == ("32", "UNSTABLE", "")
    assert row["reason"] == "its timed calls answer otherwise than in verification"
