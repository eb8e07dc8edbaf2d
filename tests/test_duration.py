"""How long a campaign is said to take."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import machines
from ngcc_campaign import cli
from ngcc_campaign.aggregate.tables import PUBLISHED
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES, load_candidate
from ngcc_campaign.campaign.duration import OWN_RECORDS, SURROUNDINGS, batches_of, estimate, record_seconds, table
from ngcc_campaign.campaign.settings import Plan, load_system
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.root import ROOT
from perf import Perf

LOCAL, ARM_1 = (Plan(**load_system(system)["plan"]) for system in ("local", "arm_1"))
CANDIDATES = {name: load_candidate(ROOT / "resources" / "candidates" / f"{name}.yaml") for name in ("iccs", "fips")}
NOWHERE = Path("nowhere")

# A campaign of the bundled submissions on a cloud server: what a call took, ns, by instance and message length, and
# what all of it took by Snakemake's account, s, less the 19.6 s of trials beyond five that neighbours made it run.
SEEN_NS = {
    "pseudoXOF-512": [858, 1662, 5233, 7102, 34926, 51146, 101073, 401038],
    "pseudoXOF-768": [1262, 2023, 4807, 7524, 26256, 69070, 115453, 403423],
    "pseudoXOF-1024": [1702, 2433, 4812, 7915, 26755, 52066, 101735, 405182],
    "pseudohash-512": [2814, 4395, 12242, 18573, 69666, 103136, 203665, 803676],
    "pseudohash-768": [5296, 6789, 11541, 17758, 55656, 105304, 205705, 921937],
    "pseudohash-1024": [9475, 10817, 15532, 22232, 59899, 114186, 210899, 812800],
    "sm3hash-256": [408, 1193, 4616, 6674, 28149, 50780, 101154, 401162],
    "SHA-512": [323, 677, 1481, 2644, 9606, 19075, 37519, 153771],
    "SHA3-512": [677, 1307, 5799, 9482, 35151, 105622, 141159, 564051],
}
SEEN_SECONDS = 104.2 - 19.6


def record_path(results: Path, candidate: str, instance: str, size: int) -> Path:
    return results / "records" / candidate / f"{instance}__hash_{size}.json"


def store(path: Path, *costs_ns: float) -> None:
    """A record, as far as costs are read from it: a trial for each cost, of 1000 calls."""
    trials = [{"batches": [{"calls": 1000, "elapsed_ns": round(1000 * cost)}]} for cost in costs_ns]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"schema": "ngcc-perf/record", "version": 3, "trials": trials}))


def publish(folder: Path, system: str, rows: list[tuple[str, str, int, str]]) -> Path:
    """A folder of published figures: candidate, instance, message bytes, mean time."""
    file = folder / system / "performance.csv"
    file.parent.mkdir(parents=True)
    lines = [",".join(PUBLISHED["published_performance"])]
    lines += [f"{','.join(map(str, row[:3]))},497,–,{row[3]},–,1,1,1,1,1,1" for row in rows]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def seen(tmp_path) -> Path:
    """The results of that campaign."""
    for candidate in CANDIDATES.values():
        for instance in candidate.instances:
            for size, cost in zip(MESSAGE_BYTES, SEEN_NS[instance.name], strict=True):
                store(record_path(tmp_path, candidate.id, instance.name, size), cost)
    return tmp_path


def seconds(shares) -> float:
    return sum(share.seconds for share in shares)


def origins(shares) -> dict:
    return {share.part: dict(share.origins) for share in shares if share.origins}


# One record


@given(st.floats(1, 1e11), st.integers(1, 100), st.floats(1e-6, 100), st.floats(1e-6, 9000))
def test_the_driver_plans_so_many_calls(call_ns, trials, target, budget):
    """The promises of native/tests/test_plan.c."""
    calls, batches = batches_of(call_ns, Plan(trials, target, budget, 0.01, 10))
    assert calls >= 1 and 1 <= batches <= 200
    share_ns = budget * 1e9 / trials
    assert calls * batches == 1 or calls * batches * call_ns <= share_ns * (1 + 1e-9)
    longer = (calls * 1.5 + 0.5) * batches * call_ns  # as far as rounding may take either of them
    assert batches == 200 or longer * 1.5 >= min(target * 1e9, share_ns / 3) or calls == 1


@pytest.mark.parametrize(
    "call_ns, planned", [(184, (54348, 50)), (1e6, (10, 50)), (1e8, (1, 20)), (1e10, (1, 6)), (1e11, (1, 1))],
    ids=lambda value: f"{value:g}" if isinstance(value, float) else "",
)  # fmt: skip
def test_full_batches_and_a_hundred_calls_within_the_budget(call_ns, planned):
    assert batches_of(call_ns, ARM_1) == planned


def test_the_driver_itself_plans_like_this(native, tmp_path):
    """The two are written twice, in C and in Python."""
    perf = Perf(native, tmp_path)
    record = perf.record(native / "libcontrol.so", "--trials", 2, "--target-seconds", 0.02, message_bytes=4096)
    cost = record["calibration"]["elapsed_ns"] / record["calibration"]["calls"]
    plan = record["plan"]
    planned = batches_of(cost, Plan(2, plan["target_ns"] / 1e9, plan["budget_ns"] / 1e9, 0.01, 10))
    assert planned == (plan["calls_per_batch"], plan["batches_per_trial"])


@pytest.mark.parametrize(
    "call_ns, expected",
    [
        pytest.param(100, 5 * 0.5, id="the target"),
        pytest.param(1e9, (5 * (20 + 1) + 2), id="a hundred calls, warm-up, calibration"),
        pytest.param(1e10, 5 * 6 * 10 + 10, id="the budget, without warm-up"),
        pytest.param(None, 5 * 0.5, id="unknown: the target"),
    ],
)
def test_seconds_of_a_record(call_ns, expected):
    assert record_seconds(call_ns, ARM_1) == pytest.approx(expected, rel=0.02, abs=0.03)


def test_an_unknown_cost_stays_in_the_budget():
    assert record_seconds(None, Plan(5, 100, 60, 0.01, 10)) < 61


# A campaign


def test_a_campaign_takes_what_it_took(seen):
    shares = estimate(CANDIDATES.values(), LOCAL, system="local", results=seen)
    assert [(share.part, share.instances, share.records) for share in shares] == [
        ("iccs", 7, 56), ("fips", 2, 16), (OWN_RECORDS, 0, 10), (SURROUNDINGS, 0, 0)
    ]  # fmt: skip
    assert seconds(shares) == pytest.approx(SEEN_SECONDS, rel=0.2)


def test_guessing_does_for_a_campaign_of_fast_functions():
    shares = estimate(CANDIDATES.values(), LOCAL, system="local", results=NOWHERE)
    assert origins(shares) == {"iccs": {"guessed": 56}, "fips": {"guessed": 16}, OWN_RECORDS: {"guessed": 10}}
    assert seconds(shares) == pytest.approx(SEEN_SECONDS, rel=0.2)


def test_twice_the_target_takes_twice_as_long_where_calls_do_not_bound_it(seen):
    once, twice = (estimate(CANDIDATES.values(), Plan(5, target, 900, 0.01, 10), system="local", results=seen)
                   for target in (5, 10))  # fmt: skip
    assert seconds(twice) / seconds(once) == pytest.approx(2, rel=0.05)


# Where costs are known from


def test_stored_costs_go_before_published_ones(tmp_path):
    rows = [("fips", "SHA-512", 32, "18.8 µs"), ("fips", "SHA-512", 128, "1.5 ms"), ("fips", "SHA-512", 512, "–")]
    published = publish(tmp_path / "published", "arm_1", rows)
    store(record_path(tmp_path, "fips", "SHA-512", 32), 300)
    arguments = dict(results=tmp_path, published=published)
    assert origins(estimate([CANDIDATES["fips"]], ARM_1, system="arm_1", **arguments)) == {
        "fips": {"stored": 1, "published": 1, "guessed": 14},
        OWN_RECORDS: {"guessed": 10},
    }
    assert origins(estimate([CANDIDATES["fips"]], ARM_1, system="local", **arguments)) == {
        "fips": {"stored": 1, "guessed": 15},
        OWN_RECORDS: {"guessed": 10},
    }


def only(path: Path, results: Path, published: Path) -> float:
    """What is estimated for one record of fips."""
    fips = [CANDIDATES["fips"]]
    shares = estimate(fips, ARM_1, system="arm_1", results=results, pending=[path], published=published)
    return shares[0].seconds


@pytest.mark.parametrize("printed, ns", [("185 ns", 185), ("18.8 µs", 18.8e3), ("31.5 ms", 31.5e6), ("2 s", 2e9)])
def test_a_printed_time_is_a_cost(tmp_path, printed, ns):
    published = publish(tmp_path, "arm_1", [("fips", "SHA-512", 32, printed)])
    path = record_path(NOWHERE, "fips", "SHA-512", 32)
    assert only(path, NOWHERE, published) == pytest.approx(record_seconds(ns, ARM_1))


def test_a_stored_cost_is_the_median_of_batches(tmp_path):
    path = record_path(tmp_path, "fips", "SHA-512", 32)
    store(path, 200, 100, 90000)
    assert only(path, tmp_path, tmp_path) == pytest.approx(record_seconds(200, ARM_1))


@pytest.mark.parametrize("content", ["", "{}", '{"trials": []}', '{"trials": [{"batches": 7}]}', "[]"])
def test_a_record_without_figures_tells_no_cost(tmp_path, content):
    path = record_path(tmp_path, "fips", "SHA-512", 32)
    store(path)
    assert only(path, tmp_path, tmp_path) == record_seconds(None, ARM_1)
    path.write_text(content)
    assert only(path, tmp_path, tmp_path) == record_seconds(None, ARM_1)


# What is left to be made


def test_what_is_settled_does_not_count(seen):
    pending = [record_path(seen, "fips", "SHA-512", size) for size in (32, 128)]
    shares = estimate(CANDIDATES.values(), LOCAL, system="local", results=seen, pending=pending)
    assert [(share.part, share.instances, share.records) for share in shares] == [("fips", 0, 2), (SURROUNDINGS, 0, 0)]


def test_an_instance_counts_where_its_verdict_is_to_be_made():
    pending = [NOWHERE / "kat" / "fips" / "SHA-512.json", NOWHERE / "records" / "empty_call.json"]
    shares = estimate(CANDIDATES.values(), LOCAL, system="local", results=NOWHERE, pending=pending)
    assert [(share.part, share.instances, share.records) for share in shares[:2]] == [
        ("fips", 1, 0),
        (OWN_RECORDS, 0, 1),
    ]


def test_nothing_left_is_said():
    shares = estimate(CANDIDATES.values(), LOCAL, system="local", results=NOWHERE, pending=[])
    assert shares == [] and table(shares, LOCAL) == "Nothing is left to be measured."


# What a person reads


def test_the_command_plans_the_published_campaign(capsys):
    assert cli.main(["plan", "results/nowhere", "--system", "arm_1"]) == 0
    said = capsys.readouterr().out
    rows = [re.split(r"\s{2,}", line.strip()) for line in said.partition("\n\n")[0].splitlines()]
    assert rows[0] == ["candidate", "instances", "records", "cost of a call", "minutes"]
    assert [row[:4] for row in rows[2:7]] == [
        ["hash-02", "3", "24", "24 published"],
        ["hash-04", "2", "16", "16 published"],
        ["hash-07", "6", "48", "48 published"],
        ["hash-30", "6", "48", "48 published"],
        ["hash-34", "2", "16", "16 published"],
    ]
    *parts, total = rows[2:]
    assert total[0] == "in all"
    assert int(total[2]) == sum(int(row[2]) for row in parts if row[2] != "–")
    assert sum(float(row[-1]) for row in parts) == pytest.approx(float(total[-1]), abs=0.05 * len(parts) + 0.05)
    assert re.search(r"Records: 152 of candidates, (\d+ of the yardstick, )?10 of our own functions\.", said)
    assert "5 trials of 0.5 s" in said and "published = mean time as printed" in said
    assert "results/nowhere holds no records" in said


def test_the_plan_says_in_one_line_that_this_host_cannot_run_it(tmp_path, monkeypatch, capsys):
    for name, fit in (("x86_1", False), ("arm_1", True)):
        monkeypatch.setenv("NGCC_MACHINE", str(machines.MACHINES[name](tmp_path / name).root))
        assert cli.main(["plan", "results/nowhere", "--system", "arm_1"]) == 0
        said = capsys.readouterr().out
        line = [line for line in said.splitlines() if line.startswith("This host can't measure it")]
        assert "Records: 152" in said and len(line) == (0 if fit else 1)
        assert fit or "not arm_1, or not in its state (architecture, processor, machine, " in line[0]


def test_what_is_no_results_folder_of_the_system_is_a_mistake(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert cli.main(["plan", str(tmp_path / "file")]) == 1
    assert "it is a file; expected the folder of a system's results, as results/local" in capsys.readouterr().err
    (tmp_path / "host.json").write_text('{"system": "x86_1"}')
    assert cli.main(["plan", str(tmp_path), "--system", "arm_1"]) == 1
    assert "host.json is of system x86_1, not of arm_1" in capsys.readouterr().err
    assert cli.main(["plan", str(tmp_path), "--system", "x86_1"]) == 0


@pytest.mark.parametrize("host", ['{"system": "x86_1"}', "{"], ids=["another system", "damaged"])
def test_records_of_another_system_tell_no_cost(tmp_path, host):
    path = record_path(tmp_path, "fips", "SHA-512", 32)
    store(path, 300)
    (tmp_path / "host.json").write_text(host)
    assert only(path, tmp_path, tmp_path) == record_seconds(None, ARM_1)


def test_damaged_published_figures_are_a_mistake(tmp_path):
    published = publish(tmp_path, "arm_1", [("fips", "SHA-512", 32, "banana µs")])
    with pytest.raises(Mistake, match="performance.csv, line 2, mean_time: found 'banana µs', expected a time"):
        only(record_path(NOWHERE, "fips", "SHA-512", 32), NOWHERE, published)


def test_the_yardstick_is_counted_apart(capsys):
    files = [str(ROOT / "resources" / "candidates" / f"{name}.yaml") for name in ("fips", "yardstick")]
    assert cli.main(["plan", "results/nowhere", "--candidates", *files]) == 0
    assert re.search(r"16 of candidates, \d+ of the yardstick, 10 of our own functions", capsys.readouterr().out)


def test_a_candidate_file_that_is_not_there_is_a_mistake(capsys):
    assert cli.main(["plan", "results/nowhere", "--candidates", "nosuch.yaml"]) == 1
    assert "nosuch.yaml: No such file" in capsys.readouterr().err
