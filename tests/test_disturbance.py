"""Batches are judged by the driver's rules, and again by the campaign's best canary."""

import pytest

from evidence import Results, record
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.measure import disturbance


def words(alter, canary_ns=200_000, **shape) -> list[str]:
    """Of the two batches of trial 1, once it is altered."""
    document = record("iccs", "a", 1024, 256, "lib.so", **shape)
    alter(document["trials"][1], document)
    judged = disturbance.words(document, canary_ns)
    assert all(word == "" for trial in (judged[0], *judged[2:]) for word in trial)
    return judged[1]


def canaries(*times):
    return lambda trial, record: trial.update(canaries_ns=list(times))


def batch(**members):
    return lambda trial, record: trial["batches"][0].update(members)


def clock(**members):
    return lambda trial, record: trial["core_clock"].update(members)


@pytest.mark.parametrize(
    ("alter", "expected"),
    [
        (canaries(200_000, 200_000, 200_000), ["", ""]),
        (canaries(206_000, 206_000, 206_000), ["", ""]),
        (canaries(206_001, 200_000, 200_000), ["canary", ""]),
        (canaries(200_000, 206_001, 200_000), ["canary", "canary"]),
        (canaries(200_000, 200_000, 206_001), ["", "canary"]),
        (batch(cpu=0), ["migrated", ""]),
        (batch(involuntary_switches=1), ["", ""]),
        (batch(cpu_ns=5_000_000), ["", ""]),
        (batch(involuntary_switches=1, cpu_ns=10_340_000 - 10_340), ["", ""]),
        (batch(involuntary_switches=1, cpu_ns=10_340_000 - 10_341), ["switched", ""]),
        (batch(voluntary_switches=1, cpu_ns=5_000_000), ["", ""]),
        (clock(before_ns=26_000, after_ns=27_300), ["", ""]),
        (clock(before_ns=26_000, after_ns=27_301), ["clock", "clock"]),
        (clock(before_ns=27_301, after_ns=26_000), ["clock", "clock"]),
    ],
    ids=[
        "quiet", "at the limit", "before", "between", "after", "migrated", "switched, not off the CPU",
        "off the CPU, not switched", "switched and off for 0.1 %", "torn", "gave the CPU up", "clocks at the limit",
        "slower after", "slower before",
    ],
)  # fmt: skip
def test_words(alter, expected):
    assert words(alter) == expected


def test_words_keep_their_order():
    def alter(trial, record):
        trial["canaries_ns"] = [300_000] * 3
        trial["core_clock"]["after_ns"] *= 2
        trial["batches"][0].update(involuntary_switches=1, cpu_ns=1, cpu=0)

    assert words(alter) == ["canary clock switched migrated", "canary clock"]


@pytest.mark.parametrize(
    ("clock_hz", "word"), [(None, ""), (2.5e9, ""), (2.39e9, ""), (2.38e9, "clock"), (2.64e9, "clock")]
)
def test_a_known_clock_that_is_left(clock_hz, word):
    document = record("iccs", "a", 1024, 256, "lib.so", ghz=2.5)
    document["plan"]["clock_hz"] = clock_hz
    assert {batch for trial in disturbance.words(document, 200_000) for batch in trial} == {word}


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({}, ""),
        ({"cycles": 24_559_000}, ""),
        ({"cycles": 24_557_000}, "clock"),
        ({"cycles": 12_925_000, "running_ns": 5_170_000}, ""),
        ({"cycles": 12_925_000}, "clock"),
        ({"running_ns": 0}, "clock"),
    ],
    ids=["as known", "at the limit", "left", "half of the time", "half of the cycles", "never counted"],
)
def test_counted_cycles_and_a_known_clock(members, expected):
    def alter(trial, record):
        record["plan"]["clock_hz"] = 2.5e9
        trial["batches"][0].update(members)

    assert words(alter, source="perf_event") == [expected, ""]


def test_counted_cycles_say_nothing_of_an_unknown_clock():
    assert words(batch(cycles=1), source="perf_event") == ["", ""]


def test_without_canaries_none_speaks_against_a_batch():
    def alter(trial, record):
        record["canary"] = None
        for one in record["trials"]:
            one["canaries_ns"] = []

    assert words(alter, canary_ns=None) == ["", ""]


def with_canary(seen_ns, reference_ns=200_000, driver="a", cpu=1):
    canary = {"reference_ns": reference_ns, "seen_ns": seen_ns}
    return {"canary": canary, "files": {"driver_sha256": driver}, "environment": {"cpu_asked": cpu}}


def test_the_best_canary_is_of_one_driver_and_cpu():
    records = [
        with_canary(210_000),
        with_canary(190_000),
        with_canary(191_000),
        with_canary(180_000, cpu=2),
        with_canary(170_000, driver="b"),
    ]
    records += [with_canary(250_000, reference_ns=185_000), with_canary(1, driver="c") | {"canary": None}]
    assert disturbance.best_canaries(records) == {("a", 1): 190_000, ("a", 2): 180_000, ("b", 1): 170_000}


@pytest.mark.parametrize(
    ("seen", "best"),
    [
        ([200_000], 200_000),
        ([200_000, 200_000], 200_000),
        ([206_000, 200_000], 200_000),
        ([206_001, 200_000], 206_001),
        ([100_000, 210_000, 205_000, 300_000], 205_000),
        ([100_000, 220_000, 200_000, 300_000], 200_000),
        ([100_000, 150_000, 204_000, 200_000], 200_000),
    ],
    ids=["alone", "twice", "at the limit", "beyond it", "a freak", "none agree", "two freaks"],
)
def test_the_best_canary_is_one_that_a_second_record_saw(seen, best):
    assert disturbance.best_canaries(with_canary(time) for time in seen) == {("a", 1): best}


def test_what_a_file_said_judges_no_other_record():
    records = [with_canary(200_000, reference_ns=90_000), with_canary(201_000, reference_ns=90_000)]
    assert disturbance.best_canaries(records) == {("a", 1): 200_000}


def see(results, name, canary_ns):
    """Let all canaries of a record take so long."""
    results.change(name, lambda record: (
        record["canary"].update(seen_ns=canary_ns),
        [trial.update(canaries_ns=[canary_ns] * 3) for trial in record["trials"]],
    ), settled=True)  # fmt: skip


def test_one_wrong_canary_spoils_no_other_record(tmp_path):
    results = Results(tmp_path).complete("iccs", {"a": 256}).own()
    see(results, "records/iccs/a__hash_1024.json", 150_000)
    results.change("records/iccs/a__hash_32.json", lambda record: record["canary"].update(reference_ns=120_000),
                   settled=True)  # fmt: skip
    aggregate(results.folder, None)
    rows = tables.read(results.folder, "performance") + tables.read(results.folder, "own")
    assert {(row["canary_best_ns"], row["figure"]) for row in rows} == {("200000", "undisturbed")}


def test_a_campaign_judges_again_by_its_best_canary(tmp_path):
    results = Results(tmp_path).complete("iccs", {"a": 256}).own()
    for name in ("control_middle", "control_end"):
        see(results, f"records/{name}.json", 192_000)
    aggregate(results.folder, None)
    rows = tables.read(results.folder, "performance")
    assert {
        (row["canary_best_ns"], row["disturbed_batches"], row["undisturbed_share"], row["figure"]) for row in rows
    } == {("192000", "canary:10", "0.0", "all")}
    (last,) = [row for row in tables.read(results.folder, "own") if row["name"] == "control_end"]
    assert (last["disturbed_batches"], last["figure"]) == ("", "undisturbed")


def test_canaries_of_another_cpu_judge_nothing(tmp_path):
    results = Results(tmp_path).complete("iccs", {"a": 256}).own()
    results.record("iccs", "a", 1024, cpu=7)
    see(results, "records/iccs/a__hash_1024.json", 150_000)
    aggregate(results.folder, None)
    found = {row["message_bytes"]: row["canary_best_ns"] for row in tables.read(results.folder, "performance")}
    assert (found["1024"], found["32"]) == ("150000", "200000")
