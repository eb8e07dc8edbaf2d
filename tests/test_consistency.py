"""Evidence that contradicts itself is found out, and none that a driver writes."""

import pytest

from evidence import record, sha256
from ngcc_campaign import consistency

ASKED = {"digest_bits": 256, "message_bytes": 1024}


def flaw(alter, **shape) -> str:
    document = record("iccs", "sm3hash-256", 1024, 256, "lib.so", **shape)
    for trial in document["trials"]:  # they share their parts otherwise
        trial["batches"] = [dict(batch) for batch in trial["batches"]]
        trial["core_clock"] = trial["core_clock"] and dict(trial["core_clock"])
    alter(document)
    return consistency.contradiction(document, ASKED)


@pytest.mark.parametrize("source", ["core_clock_estimate", "perf_event", "none"])
def test_a_sound_record_has_no_flaw(source):
    assert flaw(lambda record: None, source=source) == ""


def repeat(record):
    record["trials"][2]["used"] = False
    record["trials"].insert(3, record["trials"][2] | {"used": True, "repetition": 1})


@pytest.mark.parametrize(
    "alter",
    [
        repeat,
        lambda record: record["trials"][0]["core_clock"].update(before_ns=6_500, after_ns=13_000),
        lambda record: record["trials"][0]["core_clock"].update(before_ns=650_000, after_ns=325_000),
        lambda record: record.update(ended_utc="2026-11-30T13:16:29Z"),
    ],
    ids=["a repeated trial", "10 GHz, half of it after", "0.1 GHz", "all in one second"],
)
def test_what_may_be(alter):
    assert flaw(alter) == ""


def change_trial(**members):
    return lambda record: record["trials"][1].update(members)


def change_batch(**members):
    return lambda record: record["trials"][1]["batches"][0].update(members)


def change_clock(**members):
    return lambda record: record["trials"][1]["core_clock"].update(members)


FLAWS = {
    "message": (lambda record: record.update(message_bytes=32), "message_bytes are 32, asked for were 1024"),
    "width": (lambda record: record.update(digest_bits=512), "digest_bits are 512, asked for were 256"),
    "trial missing": (lambda record: record["trials"].pop(), "numbers [0, 1, 2, 3] were used"),
    "trial too many": (lambda record: record["plan"].update(trials=4), "of 4 planned trials"),
    "trial used twice": (lambda record: record["trials"].append(record["trials"][0]), "numbers [0, 0, 1"),
    "none used": (lambda record: [trial.update(used=False) for trial in record["trials"]], "numbers [] were used"),
    "digests differ": (lambda record: record["digest"].update(same=False), "different digests"),
    "no digest": (lambda record: record.update(digest=None), "different digests"),
    "digest's width": (lambda record: record["digest"].update(value="AB"), "another width"),
    "trial's digest": (change_trial(digest="AC" * 32), "trial 1: it gave another digest"),
    "trial says so": (change_trial(digest_same=False), "trial 1: it gave another digest"),
    "calls planned": (lambda record: record["plan"].update(calls_per_trial=1999), "trial 0: it has not the calls"),
    "batches planned": (lambda record: record["plan"].update(batches_per_trial=3), "trial 0: it has not the calls"),
    "calls of batches": (change_batch(calls=1001), "trial 1: its calls are not those of its batches"),
    "no time": (change_batch(elapsed_ns=0), "trial 1: a batch took no time"),
    "CPU before": (change_trial(cpu_before=0), "trial 1: it ran on another CPU"),
    "CPU after": (change_trial(cpu_after=0), "trial 1: it ran on another CPU"),
    "clock too fast": (change_clock(before_ns=6_499, after_ns=6_499), "trial 1: its core clock cannot be"),
    "clock too slow": (change_clock(before_ns=650_001, after_ns=650_001), "trial 1: its core clock cannot be"),
    "clock halved": (change_clock(before_ns=26_000, after_ns=52_001), "trial 1: its core clock cannot be"),
    "clock doubled": (change_clock(before_ns=52_001, after_ns=26_000), "trial 1: its core clock cannot be"),
    "no start": (lambda record: record.update(started_utc="2026-99-30T13:16:29Z"), "is no moment"),
    "ended before": (lambda record: record.update(started_utc="2026-11-30T13:17:30Z"), "ended before it started"),
    "took too long": (change_batch(elapsed_ns=62 * 10**9), "its trials took longer than it lasted"),
}


@pytest.mark.parametrize(("alter", "words"), FLAWS.values(), ids=FLAWS)
def test_what_cannot_be(alter, words):
    assert words in flaw(alter)


@pytest.mark.parametrize(
    ("counts", "is_possible"),
    [
        ({"cycles": 103_400_000}, True),
        ({"cycles": 103_400_001}, False),
        ({"running_ns": 5_170_000}, True),
        ({"running_ns": 10_340_001}, False),
        ({"running_ns": 2_000_000}, False),
        ({"cycles": None}, True),
        ({"enabled_ns": None}, True),
    ],
    ids=["10 GHz", "more", "half the time", "runs longer than enabled", "scaled beyond", "no answer", "not enabled"],
)
def test_counted_cycles_fit_the_time(counts, is_possible):
    found = flaw(change_batch(**counts), source="perf_event")
    assert found == ("" if is_possible else "trial 1: its counted cycles cannot be")


A, B = sha256("a"), sha256("b")


def verdict(*files: tuple, word: str = "PASS", **members) -> str:
    keys = ("verdict", "sha256", "expected_sha256")
    entries = [{"file": f"KAT_{number}"} | dict(zip(keys, file, strict=True)) for number, file in enumerate(files)]
    return consistency.verdict({"verdict": word, "timed": True, "library_sha256": A, "files": entries} | members)


def test_sound_verdicts():
    assert verdict(("PASS", A, A), ("NOT_SUPPLIED", B, None)) == ""
    assert verdict(("MISMATCH", A, B), word="MISMATCH", timed=False) == ""
    assert verdict(word="BUILDFAIL", timed=False, library_sha256=None) == ""


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "without a file that was compared"),
        ([("NOT_SUPPLIED", A, None)], "without a file that was compared"),
        ([("PASS", A, B)], "KAT_0 is not"),
        ([("PASS", None, None)], "KAT_0 is not"),
        ([("PASS", A, A), ("MISMATCH", A, B)], "KAT_1 is not"),
        ([("PASS", A, A), ("CRASH", None, B)], "KAT_1 is not"),
        ([("PASS", A, A), ("NOT_SUPPLIED", B, B)], "KAT_1 is not"),
    ],
)
def test_a_pass_that_does_not_follow(files, words):
    assert words in verdict(*files)


def test_a_library_that_is_not_named_is_not_timed():
    assert "names none" in verdict(("PASS", A, A), library_sha256=None)
