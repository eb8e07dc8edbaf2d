"""Evidence that contradicts itself is found out, and none that a driver writes."""

import json
from pathlib import Path

import pytest

from evidence import SANDBOX, record, settle, sha256
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.measure import consistency

ASKED = {"digest_bits": 256, "message_bytes": 1024}
ROOT = Path(__file__).parents[1]
NO_SANDBOX = dict.fromkeys(SANDBOX, False) | {"mode": "off", "landlock": 0}


def made(alter, settled=False, **shape) -> dict:
    document = record("iccs", "sm3hash-256", 1024, 256, "lib.so", **shape)
    alter(document)
    return settle(document) if settled else document


def flaw(alter, settled=False, **shape) -> str:
    return consistency.contradiction(made(alter, settled, **shape), ASKED)


@pytest.mark.parametrize("source", ["core_clock_estimate", "perf_event", "none"])
def test_a_sound_record_has_no_flaw(source):
    assert flaw(lambda record: None, source=source) == ""


def test_the_example_has_no_flaw():
    example = json.loads((ROOT / "tests" / "data" / "record_v3.json").read_text(encoding="utf-8"))
    validate(example, "record", "record_v3.json")
    assert consistency.contradiction(example, ASKED) == ""


def change_trial(**members):
    return lambda record: record["trials"][1].update(members)


def change_batch(**members):
    return lambda record: record["trials"][1]["batches"][0].update(members)


def change_process(**members):
    return lambda record: record["trials"][1]["process"].update(members)


def change_clock(**members):
    return lambda record: record["trials"][1]["core_clock"].update(members)


def change_end(moment, **members):
    return lambda record: record.update(ended_utc=moment, **members)


def without_canaries(record):
    record["canary"] = None
    for trial in record["trials"]:
        trial["canaries_ns"] = []


def without_ticks(record):
    record["reference_clock"] = "none"
    for trial in record["trials"]:
        trial["batches"][0]["elapsed_ns"] += trial["trial"]
        trial["elapsed_ns"] += trial["trial"]
        for part in (trial, *trial["batches"]):
            part["reference_ticks"] = None
        trial["process"]["reference_ticks"] = None


@pytest.mark.parametrize(
    "alter",
    [
        change_clock(before_ns=6_500, after_ns=650_000),
        change_clock(before_ns=650_000, after_ns=6_500),
        change_end("2026-11-30T13:16:29Z", lasted_ns=900_000_000),
        change_end("2026-11-30T13:17:31Z"),
        change_batch(elapsed_ns=20_680_000),
        change_batch(involuntary_switches=3, cpu_ns=10_000_000),
        lambda record: record["trials"][0].update(canaries_ns=[200_000, 190_000, 5_000_000]),
        without_canaries,
        lambda record: record["plan"].update(clock_hz=2.5e9),
        lambda record: record["plan"].update(clock_hz=2e9),
    ],
    ids=[
        "10 GHz, then 0.1", "0.1 GHz, then 10", "all in one second", "a clock that went fast", "a slow batch",
        "a torn batch", "a slow canary", "no canaries", "a known clock", "a clock that was left",
    ],
)  # fmt: skip
def test_what_may_be(alter):
    assert flaw(alter, settled=True) == ""


def test_a_host_may_have_no_reference_clock():
    assert flaw(without_ticks) == ""


FLAWS = {
    "message": (lambda record: record.update(message_bytes=32), "message_bytes are 32, asked for were 1024"),
    "width": (lambda record: record.update(digest_bits=512), "digest_bits are 512, asked for were 256"),
    "no trials": (lambda record: record["trials"].clear(), "it has no trials"),
    "trial missing": (lambda record: record["trials"].pop(), "4 trials of at least 5 and ended for 'precision'"),
    "first trial missing": (lambda record: record["trials"].pop(0), "trial 1: it stands in the place of trial 0"),
    "trial twice": (lambda record: record["trials"].append(record["trials"][0]), "trial 0: it stands in the place of"),
    "digests differ": (lambda record: record["digest"].update(same=False), "different digests"),
    "no digest": (lambda record: record.update(digest=None), "different digests"),
    "digest's width": (lambda record: record["digest"].update(value="AB"), "another width"),
    "trial's digest": (change_trial(digest="AC" * 32), "trial 1: it gave another digest"),
    "trial says so": (change_trial(digest_same=False), "trial 1: it gave another digest"),
    "calls planned": (lambda record: record["plan"].update(calls_per_batch=999), "trial 0: it has not the calls"),
    "batches planned": (lambda record: record["plan"].update(batches_per_trial=3), "trial 0: it has not the calls"),
    "calls of a batch": (change_batch(calls=1001), "trial 1: it has not the calls"),
    "CPU before": (change_trial(cpu_before=0), "trial 1: it ran on another CPU"),
    "CPU after": (change_trial(cpu_after=0), "trial 1: it ran on another CPU"),
    "layout": (lambda record: record["trials"][1]["layout"].update(stack_offset=16), "trial 1: its layout is not"),
    "plain layout": (lambda record: record["trials"][0]["layout"].update(message_offset=16), "trial 0: its layout"),
    "more CPU time": (change_process(cpu_ns=50_000_000), "trial 1: its CPU time is not what its process used"),
    "less CPU time": (change_process(cpu_ns=0), "trial 1: its CPU time is not what its process used"),
    "a short life": (change_process(wall_ns=21_000_000), "trial 1: it took longer than its process lived"),
    "slow outside": (change_process(reference_ticks=70_000_000), "trial 1: its reference clock ran at another speed"),
    "fast outside": (change_process(wall_ns=25_000_000), "trial 1: its reference clock ran at another speed"),
    "no clock outside": (change_process(reference_ticks=None), "it lacks reference ticks"),
    "clock too fast": (change_clock(before_ns=6_499, after_ns=6_499), "trial 1: its core clock cannot be"),
    "clock too slow": (change_clock(before_ns=650_001, after_ns=650_001), "trial 1: its core clock cannot be"),
    "canary missing": (lambda record: record["trials"][1]["canaries_ns"].pop(), "trial 1: it has not a canary around"),
    "canaries unasked": (lambda record: record.update(canary=None), "trial 0: it has not a canary around"),
    "canary of no core": (lambda record: record["canary"].update(seen_ns=13_000), "its canary cannot be"),
    "canary too fast": (lambda record: record["trials"][1]["canaries_ns"].insert(0, 99_999), "trial 1: it has not"),
    "canary far better": (change_trial(canaries_ns=[99_999, 200_000, 200_000]), "trial 1: its canaries cannot be"),
    "ticks missing": (change_batch(reference_ticks=None), "trial 1: its reference_ticks are not the sum"),
    "ticks without clock": (lambda record: record.update(reference_clock="none"), "it lacks reference ticks"),
    "no start": (lambda record: record.update(started_utc="2026-99-30T13:16:29Z"), "is no moment"),
    "ended before": (change_end("2026-11-30T13:16:28Z", lasted_ns=900_000_000), "ended before it started"),
    "clock set forward": (change_end("2026-11-30T14:17:29Z"), "it lasted 3660 s by its dates, 60 s in truth"),
    "clock set back": (change_end("2026-11-30T12:17:29Z"), "the host's clock was set meanwhile"),
    "ended for its budget": (lambda record: record.update(stopped="budget"), "although its precision was reached"),
    "ended for its trials": (lambda record: record.update(stopped="trials"), "5 trials and ended for 'trials'"),
    "word too many": (change_batch(disturbed="canary"), "trial 1: batch 0 is '' by its own numbers, it says 'canary'"),
    "word too few": (change_batch(cpu=0), "trial 1: batch 0 is 'migrated' by its own numbers, it says ''"),
    "better canary": (lambda record: record["canary"].update(seen_ns=190_000), "trial 0: batch 0 is 'canary' by"),
}  # fmt: skip


@pytest.mark.parametrize(("alter", "words"), FLAWS.values(), ids=FLAWS)
def test_what_cannot_be(alter, words):
    assert words in flaw(alter)


@pytest.mark.parametrize("key", consistency.SUMS[1:])
def test_a_batch_alone_contradicts_its_trial(key):
    def alter(record):
        record["trials"][3]["batches"][1][key] += 1

    assert flaw(alter, source="perf_event") == f"trial 3: its {key} are not the sum over its batches"


@pytest.mark.parametrize(("factor", "is_caught"), [(1.0005, False), (1.002, True), (0.998, True)])
def test_a_batch_with_its_totals_contradicts_the_reference_clock(factor, is_caught):
    def alter(record):
        trial = record["trials"][3]
        longer = round(trial["batches"][0]["elapsed_ns"] * factor)
        trial["elapsed_ns"] += longer - trial["batches"][0]["elapsed_ns"]
        trial["batches"][0]["elapsed_ns"] = longer

    assert flaw(alter) == ("its reference clock ran at two speeds" if is_caught else "")


def test_a_coarse_clock_has_too_few_ticks_for_short_batches():
    """As under an emulator: short batches that all lose a tick do not make the long one's rate wrong."""
    document = made(lambda record: None)
    for trial in document["trials"]:
        for batch in trial["batches"]:
            batch["elapsed_ns"], batch["cpu_ns"], batch["reference_ticks"] = 100_000, 100_000, 6234
    longest = document["trials"][0]["batches"][0]
    longest.update(elapsed_ns=16_000_000, cpu_ns=16_000_000, reference_ticks=1_000_000)
    document["plan"]["target_ns"] = 1_000_000
    assert consistency.contradiction(settle(document), ASKED) == ""


def short(batches: int, elapsed_ns: int, copied: int) -> dict:
    """Trials of so many batches; of trial 3 as many are those of trial 1."""
    document = made(lambda record: None)
    document["plan"].update(batches_per_trial=batches, target_ns=batches * elapsed_ns)
    for trial in document["trials"]:
        one = trial["batches"][0] | {"elapsed_ns": elapsed_ns, "cpu_ns": elapsed_ns}
        trial["batches"] = [one | {"elapsed_ns": elapsed_ns + trial["trial"]} for _ in range(batches)]
        trial["canaries_ns"] = [200_000] * (batches + 1)
    settle(document)
    one, other = document["trials"][1], document["trials"][3]
    other["batches"][:copied] = one["batches"][:copied]
    for key in consistency.SUMS:
        parts = [batch[key] for batch in other["batches"]]
        other[key] = None if None in parts else sum(parts)
    return document


@pytest.mark.parametrize(
    ("shape", "is_copy"),
    [
        ((2, 1_000_000, 2), True),
        ((2, 1_000_000, 1), False),
        ((2, 999_000, 2), False),
        ((5, 10_000, 5), True),
        ((5, 10_000, 4), False),
        ((5, 9_000, 5), False),
        ((4, 10_000, 4), False),
        ((1, 10_000_000, 1), False),
    ],
    ids=[
        "two long ones", "one of two", "two shorter ones", "five short ones", "four of five", "five too short ones",
        "four short ones", "one alone",
    ],
)  # fmt: skip
def test_a_trial_copied_from_another(shape, is_copy):
    words = "trial 3: its batches took what those of trial 1 did, to the nanosecond"
    assert consistency.contradiction(short(*shape), ASKED) == (words if is_copy else "")


def test_a_copy_is_seen_without_a_reference_clock():
    def alter(record):
        without_ticks(record)
        for key in ("batches", "elapsed_ns"):
            record["trials"][4][key] = record["trials"][2][key]

    assert flaw(alter).startswith("trial 4: its batches took what those of trial 2 did")


@pytest.mark.parametrize(("factor", "words"), [(3, ""), (0.5, "its reference clock ran at two speeds")])
def test_who_is_off_the_cpu_between_two_readings_has_more_ticks_not_fewer(factor, words):
    document = made(change_batch(involuntary_switches=1, cpu_ns=10_000_000), settled=True)
    trial = document["trials"][1]
    ticks = trial["batches"][0]["reference_ticks"]
    trial["batches"][0]["reference_ticks"] = round(ticks * factor)
    trial["reference_ticks"] += round(ticks * factor) - ticks
    assert consistency.contradiction(document, ASKED) == words


@pytest.mark.parametrize(
    ("elapsed_ns", "words"),
    [(0, "trial 1: a batch took no time"), (62 * 10**9, "its trials took longer than it lasted")],
)
def test_times_that_cannot_be(elapsed_ns, words):
    assert flaw(change_batch(elapsed_ns=elapsed_ns), settled=True) == words


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
    found = flaw(change_batch(**counts), settled=True, source="perf_event")
    assert found == ("" if is_possible else "trial 1: its counted cycles cannot be")


A, B = sha256("a"), sha256("b")


def verdict(*files: tuple, word: str = "PASS", **members) -> str:
    keys = ("verdict", "sha256", "expected_sha256")
    entries = [{"file": f"KAT_{number}"} | dict(zip(keys, file, strict=True)) for number, file in enumerate(files)]
    return consistency.verdict(
        {"verdict": word, "timed": True, "library_sha256": A, "sandbox": None, "files": entries, "messages": []}
        | members
    )


def test_sound_verdicts():
    assert verdict(("PASS", A, A), ("NOT_SUPPLIED", B, None)) == ""
    assert verdict(("MISMATCH", A, B), word="MISMATCH", timed=False) == ""
    assert verdict(word="BUILDFAIL", timed=False, library_sha256=None) == ""
    assert verdict(("PASS", A, A), sandbox=SANDBOX | {"seccomp": False}) == ""
    assert verdict(("PASS", A, A), sandbox=NO_SANDBOX) == ""


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


@pytest.mark.parametrize(
    ("sandbox", "words"),
    [
        (SANDBOX | {"mode": "require", "landlock": 0}, "lacks a layer, and all were required"),
        (SANDBOX | {"mode": "off"}, "was off, and has layers"),
        (NO_SANDBOX | {"mode": "require"}, "lacks a layer"),
    ],
)
def test_a_sandbox_that_is_not_that_of_its_mode(sandbox, words):
    assert words in verdict(("PASS", A, A), sandbox=sandbox)
    assert words in flaw(lambda record: record.update(sandbox=sandbox))


def message(size: int, outcome: str = "DONE", digest: str | None = "AB") -> dict:
    return {"message_bytes": size, "outcome": outcome, "digest": digest, "reason": "it did not"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([message(32), message(32)], "names a message twice"),
        ([message(32, "CRASH", None)], "it is PASS, but its message of 32 bytes has no answer"),
        ([message(32, "CRASH")], "has one without being DONE"),
        ([message(32, digest=None)], "DONE without a digest"),
    ],
)
def test_answers_that_do_not_make_a_pass(messages, words):
    assert words in verdict(("PASS", A, A), messages=messages)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([message(32, digest="CD"), message(1024)], ""),
        ([message(1024, digest="AC")], "its timed calls answer otherwise than in verification"),
        ([message(1024, "TIMEOUT", None)], "in verification its message has no answer: TIMEOUT: it did not"),
        ([message(32)], "in verification its message was not asked"),
    ],
)
def test_a_record_s_digest_is_the_verdict_s(messages, words):
    record = {"message_bytes": 1024, "digest": {"value": "AB", "same": True}}
    assert consistency.other_answer(record, {"messages": messages}) == words


def test_a_library_that_is_not_named_is_not_timed():
    assert "names none" in verdict(("PASS", A, A), library_sha256=None)
