"""Tables follow from the evidence, and hold no figure whose evidence does not hold."""

import csv
import re
from pathlib import Path

import pytest

from evidence import UNFIT, Results, sha256
from ngcc_campaign.aggregate import stored, tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import read_json, sha256_file
from ngcc_campaign.common.schemas import validate

ROOT = Path(__file__).parents[1]


@pytest.fixture
def results(tmp_path):
    """A campaign of one candidate with two instances, all of it there."""
    return Results(tmp_path / "local").complete("iccs", {"pseudoXOF-512": 512, "sm3hash-256": 256}).own()


def table(results: Results, name: str, **wanted: str) -> list[dict]:
    """Rows of a table, made anew, whose cells are the wanted ones."""
    aggregate(results.folder, None)
    rows = tables.read(results.folder, name)
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def timing(results: Results, instance: str = "sm3hash-256", size: int = 1024) -> dict:
    (row,) = table(results, "performance", instance=instance, message_bytes=str(size))
    return row


def own(results: Results, name: str) -> dict:
    (row,) = [row for row in table(results, "own") if row["name"] == name]
    return row


def missing(results: Results) -> list[tuple]:
    return [tuple(row.values()) for row in table(results, "missing")]


def change_record(results: Results, alter, instance="sm3hash-256", size=1024, settled=False):
    results.change(f"records/iccs/{instance}__hash_{size}.json", alter, settled)


def change_trials(results: Results, alter):
    """Alter every trial of one record, by its number, and what follows from it."""
    change_record(
        results, lambda record: [alter(number, trial) for number, trial in enumerate(record["trials"])], settled=True
    )


def test_synthetic_evidence_is_valid(results):
    for path in results.folder.rglob("*.json"):
        document = read_json(path)
        validate(document, document["schema"].removeprefix("ngcc-perf/"), path)


def test_every_instance_has_a_row_per_message_length(results):
    rows = table(results, "performance")
    assert [(row["instance"], int(row["message_bytes"])) for row in rows] == [
        (instance, size) for instance in ("pseudoXOF-512", "sm3hash-256") for size in MESSAGE_BYTES
    ]
    assert {row["status"] for row in rows} == {"MEASURED"}
    assert not missing(results)


def test_the_mean_is_over_all_calls(results):
    def alter(record):
        for number, trial in enumerate(record["trials"]):
            for batch in trial["batches"]:
                batch["elapsed_ns"] = 1000 * (number + 1)
        record["trials"][4]["batches"][0]["elapsed_ns"] = 500

    change_record(results, alter, settled=True)
    row = timing(results)
    counts = {"calls": "10000", "trials": "5", "calls_per_trial": "2000", "batches": "10", "calls_per_batch": "1000"}
    assert {key: row[key] for key in counts} == counts
    assert float(row["mean_ns"]) == 2.55
    assert (float(row["min_trial_ns"]), float(row["max_trial_ns"])) == (1.0, 4.0)
    assert (float(row["median_trial_ns"]), float(row["fastest_batch_ns"])) == (2.75, 0.5)
    assert float(row["mb_per_s"]) == pytest.approx(1024 / 2.55 * 1000)


def test_one_trial_has_no_interval_and_says_so(results):
    results.record("iccs", "sm3hash-256", 1024, trials=1)
    row = timing(results)
    assert row["half_width_ns"] == row["spread_between_ns"] == row["undisturbed_half_width_cycles"] == ""
    assert (row["status"], row["marks"]) == ("MEASURED", "imprecise")


def test_estimated_cycles_use_the_clock_of_each_trial(results):
    def alter(number, trial):
        ghz = 2 if number == 0 else 4
        trial["core_clock"] = {"additions": 8000, "before_ns": 8000 // ghz, "after_ns": 8000 // (2 * ghz)}

    change_trials(results, alter)
    row = timing(results)
    assert row["cycle_source"] == "core_clock_estimate"
    assert float(row["mean_cycles"]) == pytest.approx(10340 * (3 + 4 * 6) / 5)
    assert float(row["cycles_per_byte"]) == pytest.approx(float(row["mean_cycles"]) / 1024)


def test_counted_cycles_are_not_derived_from_time(results):
    results.record("iccs", "sm3hash-256", 1024, source="perf_event", ghz=2.5)
    change_trials(results, lambda number, trial: [batch.update(elapsed_ns=7_777_777) for batch in trial["batches"]])
    row = timing(results)
    assert (row["cycle_source"], row["multiplexed"]) == ("perf_event", "no")
    assert float(row["mean_cycles"]) == 10340 * 2.5
    assert float(row["mean_ns"]) == pytest.approx(7777.777)


def test_multiplexed_counter_is_scaled_and_marked(results):
    results.record("iccs", "sm3hash-256", 1024, source="perf_event", ghz=2.5)
    half = {"cycles": 1000, "enabled_ns": 800, "running_ns": 400}
    change_trials(results, lambda number, trial: [batch.update(half) for batch in trial["batches"]])
    row = timing(results)
    assert (float(row["mean_cycles"]), row["multiplexed"]) == (2.0, "yes")


@pytest.mark.parametrize("lack", [{"cycles": None}, {"running_ns": 0}, {"enabled_ns": None}], ids=str)
def test_a_counter_without_an_answer_gives_no_cycles(results, lack):
    results.record("iccs", "sm3hash-256", 1024, source="perf_event")
    change_trials(results, lambda number, trial: trial["batches"][1].update(lack) if number == 3 else None)
    row = timing(results)
    assert (row["mean_cycles"], row["cycles_per_byte"], row["cycle_source"]) == ("", "", "none")
    assert float(row["mean_ns"]) == 10340


@pytest.mark.parametrize("source", ["none", "core_clock_estimate"])
def test_reference_ticks_never_become_cycles(results, source):
    def alter(record):
        record["cycle_source"] = source
        for trial in record["trials"]:
            trial["core_clock"] = None

    change_record(results, alter)
    row = timing(results)
    assert (row["mean_cycles"], row["cycle_source"], row["ratio_to_pseudoxof"]) == ("", "none", "")


def test_ratio_is_to_the_yardstick_of_the_same_width_and_length(results):
    results.complete("fips", {"SHA-512": 512, "SHA-384": 384})
    results.record("fips", "SHA-512", 65536, 512, ns=1_000_000)
    rows = table(results, "performance", candidate="fips", message_bytes="65536")
    ratios = {row["instance"]: row["ratio_to_pseudoxof"] for row in rows}
    assert ratios["SHA-384"] == ""
    assert float(ratios["SHA-512"]) == pytest.approx(1_000_000 / 655_460)


def test_ratio_never_mixes_cycle_sources(results):
    results.complete("fips", {"SHA-512": 512})
    results.record("fips", "SHA-512", 65536, 512, source="perf_event")
    (row,) = table(results, "performance", candidate="fips", message_bytes="65536")
    assert row["mean_cycles"] and not row["ratio_to_pseudoxof"]


@pytest.mark.parametrize("status", ["UNSTABLE", "CRASH", "TIMEOUT", "OVERFLOW", "KILLED", "ERROR"])
def test_a_record_that_was_not_measured_gives_no_figure(results, status):
    change_record(results, lambda record: record.update(status=status, reason="it went wrong"))
    row = timing(results)
    assert (row["status"], row["reason"], row["mean_ns"], row["mean_cycles"]) == (status, "it went wrong", "", "")
    assert missing(results) == [("iccs", "sm3hash-256", "timing hash_1024", f"{status}: it went wrong")]


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda record: record["digest"].update(same=False), "its calls gave different digests"),
        (lambda record: record.pop("trials"), "'trials' is missing"),
        (lambda record: record.update(trials=7), "trials: 7 is not of type 'array'"),
        (lambda record: record["plan"].update(trials=True), "plan.trials: True is not of type 'integer'"),
        (lambda record: record["trials"][2]["batches"][0].update(elapsed_ns=-5), "-5 is less than the minimum of 0"),
        (lambda record: record["trials"][2]["batches"][0].update(cycles=10**400), "is no number to work with"),
        (lambda record: record.update(environment=None), "environment: None is not of type 'object'"),
    ],
    ids=["contradiction", "no trials", "trials are a number", "yes for 1", "negative time", "too large", "no object"],
)
def test_a_record_that_cannot_be_gives_no_figure_and_is_named(results, alter, reason):
    change_record(results, alter)
    row = timing(results)
    assert (row["status"], row["mean_ns"], row["mean_cycles"]) == ("UNUSABLE", "", "")
    assert row["reason"].startswith("records/iccs/sm3hash-256__hash_1024.json: ") and reason in row["reason"]
    assert row["reason"].endswith("; delete it and run again")
    assert missing(results) == [("iccs", "sm3hash-256", "timing hash_1024", f"UNUSABLE: {row['reason']}")]
    assert len(table(results, "performance", status="MEASURED")) == 15


@pytest.mark.parametrize(
    ("alter", "status"),
    [
        (lambda record: record.update(candidate="iccs"), "STALE"),
        (lambda record: record.update(instance="sm3hash-256"), "STALE"),
        (lambda record: record.update(operation="hash_64"), "STALE"),
        (lambda record: record.update(message_bytes=64), "UNUSABLE"),
        (lambda record: record["trials"].pop(), "UNUSABLE"),
    ],
    ids=["candidate", "instance", "operation", "length", "trials"],
)
def test_the_empty_call_is_no_other_record(results, alter, status):
    results.change("records/empty_call.json", alter)
    row = own(results, "empty_call")
    assert (row["status"], row["mean_ns"]) == (status, "")
    assert missing(results) == [("", "", "own record empty_call", f"{status}: {row['reason']}")]


def test_a_record_of_another_library_is_stale(results):
    change_record(results, lambda record: record["files"].update(library_sha256=sha256("old")))
    row = timing(results)
    assert (row["status"], row["mean_ns"]) == ("STALE", "")
    assert row["reason"].startswith(f"stale: it timed the library {sha256('old')[:16]}…")


def test_swapped_records_are_stale(results):
    one, other = (results.folder / f"records/iccs/sm3hash-256__hash_{size}.json" for size in (32, 128))
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    assert timing(results, size=32)["status"] == timing(results, size=128)["status"] == "STALE"


def test_an_absent_record_is_missing_by_name(results):
    (results.folder / "records/iccs/sm3hash-256__hash_32.json").unlink()
    assert missing(results) == [("iccs", "sm3hash-256", "timing hash_32", "ABSENT: there is no record")]


@pytest.mark.parametrize("name", ["empty_call", "control_middle", "same_b_1024"])
def test_an_absent_own_record_is_missing(results, name):
    (results.folder / f"records/{name}.json").unlink()
    assert missing(results) == [("", "", f"own record {name}", "ABSENT: there is no record")]


def test_a_record_without_the_canaries_that_others_have_gives_no_figure(results):
    """Nothing would speak against its batches."""

    def drop_canaries(record):
        record["canary"] = None
        for trial in record["trials"]:
            trial["canaries_ns"] = []

    results.change("records/iccs/sm3hash-256__hash_1024.json", drop_canaries, settled=True)
    (row,) = table(results, "performance", instance="sm3hash-256", message_bytes="1024")
    assert row["status"] == "UNUSABLE" and "it has no canaries, and others of its driver and CPU have" in row["reason"]
    assert not row["mean_ns"]


def test_a_library_that_answers_otherwise_while_it_is_timed_gives_no_figure(results):
    def alter(record):
        record["digest"]["value"] = "00" * 32
        for trial in record["trials"]:
            trial["digest"] = "00" * 32

    change_record(results, alter)
    row = timing(results)
    reason = "its timed calls answer otherwise than in verification"
    assert (row["status"], row["reason"], row["mean_ns"], row["mean_cycles"]) == ("UNSTABLE", reason, "", "")
    assert missing(results) == [("iccs", "sm3hash-256", "timing hash_1024", f"UNSTABLE: {reason}")]
    assert len(table(results, "performance", status="MEASURED")) == 15


@pytest.mark.parametrize("verdict", ["MISMATCH", "NOKAT", "CRASH", "BUILDFAIL", "UNSTABLE"])
def test_an_instance_that_is_not_pass_has_no_timing(results, verdict):
    results.instance("iccs", "sm3hash-256", 256, verdict)
    rows = table(results, "performance", instance="sm3hash-256")
    assert {row["status"] for row in rows} == {"NOTTIMED"} and not any(row["mean_ns"] for row in rows)
    assert missing(results) == [("iccs", "sm3hash-256", "", f"{verdict}: sm3hash-256 gave the reason")]


def test_no_build_no_library(results):
    lacking = {"flags": None, "library": None, "library_sha256": None}
    results.instance("iccs", "sm3hash-256", 256, "BUILDFAIL", **lacking)
    (row,) = table(results, "instances", instance="sm3hash-256")
    assert (row["flags"], row["library"], row["options"], row["timed"]) == ("", "", "", "no")


def test_kat_exception_measure_gives_figures(results):
    exception = {"action": "measure", "cause": "the manifest is of an older version"}
    results.instance("iccs", "sm3hash-256", 256, "MISMATCH", timed=True, kat_exception=exception)
    assert timing(results)["status"] == "MEASURED"
    assert not missing(results)


def test_kat_exception_exclude_was_not_asked_for(results):
    exception = {"action": "exclude", "cause": "withdrawn"}
    results.instance("iccs", "sm3hash-256", 256, timed=False, kat_exception=exception)
    assert (timing(results)["status"], timing(results)["reason"]) == (
        "EXCLUDED", "excluded by its candidate file: withdrawn",
    )  # fmt: skip
    assert not missing(results)


def test_an_unverified_instance_is_missing(results):
    (results.folder / "kat/iccs/sm3hash-256.json").unlink()
    (row,) = missing(results)
    assert row == ("iccs", "sm3hash-256", "", "no KAT verdict: kat/iccs/sm3hash-256.json is absent")


def test_a_candidate_that_was_not_fetched_is_missing(results):
    results.fetch("iccs", {"sm3hash-256": 256}, "UNREACHABLE", "no route to host")
    assert missing(results) == [("iccs", "", "", "not fetched: UNREACHABLE: no route to host")]
    assert not any(row["mean_ns"] for row in table(results, "performance"))


def test_only_the_listed_candidates(results):
    results.complete("fips", {"SHA-512": 512})
    aggregate(results.folder, ["fips", "hash-99"])
    assert [row["candidate"] for row in tables.read(results.folder, "candidates")] == ["fips", "hash-99"]
    assert {row["candidate"] for row in tables.read(results.folder, "performance")} == {"fips"}
    (row,) = tables.read(results.folder, "missing")
    assert tuple(row.values()) == ("hash-99", "", "", "not fetched: ABSENT: fetch/hash-99.json is absent")


def test_fallback_flags_come_with_their_reason(results):
    def fall_back(build):
        guide = dict(build["variants"][0], built=False, library=None, library_sha256=None, reason="no such macro")
        build["variants"] = [guide, dict(build["variants"][0], flags="harness-default", options=["-O2"])]

    results.change("build/iccs/sm3hash-256/build.json", fall_back)
    results.change("kat/iccs/sm3hash-256.json", lambda kat: kat.update(flags="harness-default"))
    (row,) = table(results, "instances", instance="sm3hash-256")
    assert (row["flags"], row["options"]) == ("harness-default", "-O2")
    assert row["flags_reason"] == "BUILDFAIL: no such macro"


def test_flags_guide_need_no_reason_although_the_fallback_failed_too(results):
    def fail(kat):
        attempt = {"verdict": "MISMATCH", "reason": ""}
        kat["attempts"] = [attempt | {"flags": flags} for flags in ("guide", "harness-default")]
        kat["verdict"] = "MISMATCH"

    results.change("kat/iccs/sm3hash-256.json", fail)
    (row,) = table(results, "instances", instance="sm3hash-256")
    assert (row["flags"], row["flags_reason"]) == ("guide", "")


def test_memory_takes_medians_of_rss_and_maxima_of_the_call(results):
    def alter(memory):
        memory["operations"][0]["call"][1] = {"stack_bytes": 9000, "heap_peak_bytes": 10, "heap_live_bytes": [10]}

    results.change("memory/iccs/sm3hash-256.json", alter)
    row = table(results, "memory", instance="sm3hash-256")[0]
    assert (row["baseline_rss_kib"], row["peak_rss_kib"], row["rss_processes"]) == ("1404", "1468", "3")
    assert (row["stack_bytes"], row["heap_peak_bytes"], row["elf_load_bytes"]) == ("9000", "300", "32180")
    (summary,) = table(results, "instances", instance="sm3hash-256")
    assert (summary["stack_bytes"], summary["elf_load_bytes"]) == ("9000", "32180")


def leaks(results: Results, instance: str) -> set[float]:
    return {float(row["leak_bytes_per_call"]) for row in table(results, "memory", instance=instance)}


def test_leak_is_the_growth_after_the_first_call(results):
    results.memory("iccs", "sm3hash-256", leak=16384)
    assert (leaks(results, "sm3hash-256"), leaks(results, "pseudoXOF-512")) == ({16384.0}, {0.0})


@pytest.mark.parametrize(
    ("live", "leak"),
    [
        ([5000, 5000, 5000, 4000], 0),
        ([0, 5000, 5000, 5000, 5000, 5000, 5000, 5000], 0),
        ([300, 300, 300, 300, 9000, 9000, 9000, 9000], 0),
        ([100, 5200, 5300, 5400, 5500, 5600, 5700, 5800], 100),
        ([900, 800, 700], 0),
    ],
    ids=["first call", "second call", "fifth call", "table and leak", "gives back"],
)
def test_a_table_that_is_filled_once_is_no_leak(results, live, leak):
    results.change("memory/iccs/sm3hash-256.json", lambda memory: [
        call.update(heap_live_bytes=live) for operation in memory["operations"] for call in operation["call"]
    ])  # fmt: skip
    assert leaks(results, "sm3hash-256") == {leak}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize(
    "name", ["records/iccs/sm3hash-256__hash_32.json", "host.json", "memory/iccs/sm3hash-256.json"]
)
def test_what_json_has_no_number_for_is_refused(results, name, number):
    path = results.folder / name
    path.write_text(re.sub(r": \d+,", f": {number},", path.read_text(), count=1))
    with pytest.raises(Mistake, match=rf"{re.escape(name)}: not JSON \({number} is no number of JSON\); delete it"):
        aggregate(results.folder, None)


@pytest.mark.parametrize(
    ("alter", "status", "rows"),
    [
        (lambda memory: memory.update(status="CRASH", reason="SIGSEGV", operations=[]), "CRASH", 8),
        (lambda memory: memory.update(library_sha256=sha256("old")), "STALE", 8),
        (lambda memory: memory["operations"][0].update(outcome="TIMEOUT", reason="60 s"), "TIMEOUT", 1),
        (lambda memory: memory["operations"].pop(), "ABSENT", 1),
    ],
    ids=["crash", "another library", "one operation timed out", "one operation absent"],
)
def test_memory_that_was_not_measured_is_missing(results, alter, status, rows):
    results.change("memory/iccs/sm3hash-256.json", alter)
    found = table(results, "memory", instance="sm3hash-256", status=status)
    assert len(found) == rows == len(missing(results))
    assert not any(row["peak_rss_kib"] for row in found)


def test_environment_names_every_cpu_of_used_records(results):
    results.record("iccs", "sm3hash-256", 32, cpu=3)
    results.record("iccs", "sm3hash-256", 128, cpu=7)
    change_record(results, lambda record: record.update(status="CRASH", reason="it died"), size=128)
    rows = table(results, "environment", candidate="iccs", fact="cpu")
    assert [(row["value"], row["files"]) for row in rows] == [("1", "14"), ("3", "1")]


def test_environment_holds_the_period_and_the_clock(results):
    change_record(results, lambda record: record.update(started_utc="2026-11-29T23:59:59Z", lasted_ns=47_850 * 10**9))
    results.record("iccs", "sm3hash-256", 32, ghz=2.6)
    rows = table(results, "environment", candidate="", source="record")
    facts = {row["fact"]: row["value"] for row in rows}
    assert (facts["started_utc"], facts["ended_utc"]) == ("2026-11-29T23:59:59Z", "2026-11-30T13:17:29Z")
    assert (float(facts["core_clock_min_hz"]), float(facts["core_clock_max_hz"])) == (2.5e9, 2.6e9)
    assert float(facts["core_clock_median_hz"]) == 2.5e9


def test_a_campaign_begins_and_ends_with_records_of_our_own_functions(results):
    late = {"ended_utc": "2026-11-30T14:00:00Z", "lasted_ns": 2_611 * 10**9}
    results.change("records/control_end.json", lambda record: record.update(late))
    ends = {row["candidate"]: row["value"] for row in table(results, "environment", fact="ended_utc")}
    assert ends == {"": "2026-11-30T14:00:00Z", "iccs": "2026-11-30T13:17:29Z"}


def test_unfit_host(tmp_path):
    results = Results(tmp_path, unfit=UNFIT)
    assert table(results, "unfit") == UNFIT


def test_inputs_stand_with_their_digest(results):
    row = timing(results)
    assert row["record_sha256"] == sha256_file(results.folder / row["record"])
    (kat,) = table(results, "instances", instance="sm3hash-256")
    for file in ("build", "kat", "kat_log"):
        assert kat[f"{file}_sha256"] == sha256_file(results.folder / kat[file])


def test_evidence_is_the_log_then_the_records(results):
    rows = table(results, "evidence", instance="sm3hash-256")
    digest = sha256_file(results.folder / "kat/iccs/sm3hash-256.log")
    assert rows[0]["item"] == f"KAT log (sha256 {digest[:16]}…)"
    assert [row["item"] for row in rows[1:]] == [f"timing hash_{size}" for size in MESSAGE_BYTES]
    assert all(row["sha256"] == sha256_file(results.folder / row["file"]) for row in rows)


def test_the_same_evidence_gives_the_same_bytes(results):
    aggregate(results.folder, None)
    files = sorted((results.folder / "tables").iterdir())
    before = [file.read_bytes() for file in files]
    aggregate(results.folder, None)
    assert before == [file.read_bytes() for file in files]
    assert {file.name for file in files} == {*(f"{name}.csv" for name in tables.COLUMNS), "made.json"}
    assert all(data.endswith(b"\n") and b"\r" not in data for data in before)


NAMES = ["1e5", "nan", "0007", "True", "NA", "2018_1", "inf", "None", "null", "1_000"]


def test_odd_names_read_back_as_they_are(tmp_path):
    results = Results(tmp_path).complete("1e5", dict.fromkeys(NAMES, 256), algorithm='a "b",\n|c\r\nd\0\u202e')
    assert {row["instance"] for row in table(results, "performance")} == set(NAMES)
    assert {row["instance"] for row in table(results, "memory")} == set(NAMES)
    (candidate,) = table(results, "candidates")
    assert (candidate["candidate"], candidate["algorithm"]) == ("1e5", 'a "b",\n|c\nd\ufffd\u202e')
    with open(tables.path(results.folder, "instances"), newline="") as stream:
        assert {row["instance"] for row in csv.DictReader(stream)} == set(NAMES)


@pytest.mark.parametrize("key", ["started_utc", "environment", "trials"])
def test_a_damaged_record_of_our_own_gives_no_figure_and_stops_nothing(tmp_path, key):
    results = Results(tmp_path).complete("iccs", {"sm3hash-256": 256}).own()
    results.change("records/control_start.json", lambda record: record.pop(key))
    (row,) = (row for row in table(results, "own") if row["name"] == "control_start")
    assert row["status"] == "UNUSABLE" and f"'{key}' is missing" in row["reason"]


def test_a_text_too_long_for_a_reader_of_tables_is_cut(tmp_path):
    results = Results(tmp_path).complete("long", {"One-256": 256}, algorithm="x" * 140_000)
    (candidate,) = table(results, "candidates")
    assert candidate["algorithm"] == "x" * tables.MOST_CHARACTERS


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize(
    "name", ["host.json", "fetch/iccs.json", "kat/iccs/sm3hash-256.json", "records/iccs/sm3hash-256__hash_32.json"]
)
def test_a_file_that_was_cut_off_is_named(results, name, share):
    aggregate(results.folder, None)
    before = {file: file.read_bytes() for file in (results.folder / "tables").iterdir()}
    path = results.folder / name
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    with pytest.raises(Mistake, match=rf"{re.escape(name)}: not JSON .*; delete it and run again\."):
        aggregate(results.folder, None)
    assert before == {file: file.read_bytes() for file in (results.folder / "tables").iterdir()}


_EARLIER = "made by an earlier ngcc-perf, ngcc-perf/record version 1, expected ngcc-perf/record version 3; delete it"


@pytest.mark.parametrize(
    ("name", "alter", "message"),
    [
        ("records/iccs/sm3hash-256__hash_32.json", lambda record: record.update(version=1), _EARLIER),
        ("kat/iccs/sm3hash-256.json", lambda kat: kat.update(verdict="FINE"), "'FINE' is not one of"),
        ("memory/iccs/sm3hash-256.json", lambda memory: memory.update(elff=1), "unknown key 'elff'"),
        ("kat/iccs/sm3hash-256.json", lambda kat: kat.update(schema="ngcc-perf/record"), "expected ngcc-perf/kat"),
        ("kat/iccs/sm3hash-256.json", lambda kat: kat.update(candidate="fips"), "about fips/sm3hash-256"),
        ("memory/iccs/sm3hash-256.json", lambda memory: memory.update(instance="sm3"), "about iccs/sm3"),
        ("build/iccs/sm3hash-256/build.json", lambda build: build.update(instance="sm3"), "about iccs/sm3"),
        ("fetch/iccs.json", lambda fetch: fetch["candidate"].update(id="fips"), "about fips"),
        ("memory/iccs/sm3hash-256.json", lambda memory: memory["elf"].update(bss_bytes=10**400), "bss_bytes: 10000"),
        ("kat/iccs/sm3hash-256.json", lambda kat: kat.update(files=[]), "PASS without a file that was compared"),
    ],
    ids=[
        "version", "verdict", "unknown key", "another schema", "verdict of another candidate",
        "memory of another instance", "build of another instance", "fetch of another candidate", "too large",
        "PASS of nothing",
    ],
)  # fmt: skip
def test_evidence_that_breaks_its_schema_is_named(results, name, alter, message):
    results.change(name, alter)
    with pytest.raises(Mistake) as mistake:
        aggregate(results.folder, None)
    assert name in str(mistake.value) and message in str(mistake.value)


def test_no_results(tmp_path):
    with pytest.raises(Mistake, match="host.json: not there, so nothing was measured here; run the campaign first"):
        aggregate(tmp_path, None)


def test_names_that_differ_in_case_or_zeros_have_one_order():
    assert stored.in_order(["a-10", "A-9", "a-9", "a-09"]) == stored.in_order(["a-09", "a-9", "a-10", "A-9"])


def test_every_column_is_in_the_data_dictionary():
    text = (ROOT / "docs" / "data-dictionary.md").read_text(encoding="utf-8")
    described = {}
    for section in text.split("\n## ")[1:]:
        name = section.split(".csv", 1)[0]
        rows = [[cell.strip() for cell in row] for row in re.findall(_DESCRIBED, section, re.MULTILINE)]
        described[name] = tuple(column for column, *_ in rows)
        assert all(meaning and source for _, meaning, _, source in rows), name
        assert all(unit for column, _, unit, _ in rows if column in _NUMBERS), name
    assert described == tables.COLUMNS | tables.PUBLISHED


_DESCRIBED = r"^\| `(\w+)` \|([^|\n]*)\|([^|\n]*)\|([^|\n]*)\|$"
_FORMS = tables._REQUIRED | tables._OPTIONAL | tables._RANKING
_NUMBERS = {column for column, form in _FORMS.items() if "[0-9]" in form and column != "metric"}
