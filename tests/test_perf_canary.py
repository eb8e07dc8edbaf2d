"""The canary's reference goes from record to record in a file, believed only where it is this host's and driver's."""

import json
import os
import shutil
from pathlib import Path

import pytest

from perf import CANARY, Perf


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


@pytest.fixture
def kept(perf, zoo):
    """A copy of the file that a record left behind, and that record."""
    record = perf.record(zoo("deed"))
    if record["canary"] is None:
        pytest.skip("no canary on this machine")
    return Path(shutil.copy(CANARY, perf.folder)), record


def change(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes, indent=2))


def test_the_best_is_kept(kept):
    path, record = kept
    document, canary = json.loads(path.read_text()), record["canary"]
    assert document["best_ns"] == min(canary["reference_ns"], canary["seen_ns"])
    assert (document["schema"], document["version"]) == ("ngcc-perf/canary", 1)
    assert document["additions"] == canary["additions"] and record["files"]["driver_sha256"] in document["key"]
    assert f"cpu {record['environment']['cpu_asked']}," in document["key"]


def test_a_kept_one_is_the_reference(perf, zoo, kept):
    path, before = kept
    reference = before["canary"]["seen_ns"] * 3 // 4
    chains = [trial["core_clock"] for trial in before["trials"] if trial["core_clock"]]
    if any(before["canary"]["additions"] / 6 * chain["before_ns"] / chain["additions"] > reference for chain in chains):
        pytest.skip("this core makes more than four additions a cycle")
    change(path, best_ns=reference)
    before = path.read_bytes()
    record = perf.record(zoo("deed"), "--canary", path)
    assert record["canary"]["reference_ns"] == reference < record["canary"]["seen_ns"]
    assert path.read_bytes() == before, "nothing better was seen"
    assert all("canary" in batch["disturbed"] for trial in record["trials"] for batch in trial["batches"])
    assert record["stopped"] == "budget"


def test_a_better_one_is_kept(perf, zoo, kept):
    path, _ = kept
    change(path, best_ns=10**9)
    record = perf.record(zoo("deed"), "--canary", path)
    assert record["canary"]["reference_ns"] == 10**9
    assert json.loads(path.read_text())["best_ns"] == record["canary"]["seen_ns"] < 10**8


@pytest.mark.parametrize(
    "changes", [{"key": "another host"}, {"additions": 6}, {"best_ns": 1}], ids=["foreign", "other-kernel", "absurd"]
)
def test_what_cannot_be_ours_is_measured_anew(perf, zoo, kept, changes):
    path, _ = kept
    change(path, best_ns=10**9)
    change(path, **changes)
    record = perf.record(zoo("deed"), "--canary", path)
    assert record["canary"]["reference_ns"] < 10**8
    assert json.loads(path.read_text())["best_ns"] <= record["canary"]["reference_ns"]


def test_what_is_no_document_is_measured_anew(perf, zoo, kept):
    path, _ = kept
    path.write_bytes(b"\0{")
    assert perf.record(zoo("deed"), "--canary", path)["status"] == "MEASURED"
    assert json.loads(path.read_text())["best_ns"] > 0


@pytest.mark.parametrize("name", ["machine", "fitness"])
def test_another_machine_or_state_starts_anew(perf, zoo, kept, name):
    path, _ = kept
    perf.record(zoo("deed"), "--canary", path, "--from", f"{name}=boost: off; " + 1000 * "x")
    change(path, best_ns=10**9)
    record = perf.record(zoo("deed"), "--canary", path, "--from", f"{name}=boost: off; " + 1000 * "x")
    assert record["canary"]["reference_ns"] == 10**9
    change(path, best_ns=10**9)
    record = perf.record(zoo("deed"), "--canary", path, "--from", f"{name}=boost: off; " + 1000 * "x" + "y")
    assert record["canary"]["reference_ns"] < 10**8


def test_a_file_that_cannot_be_kept_costs_no_record(perf, zoo):
    (perf.folder / "folder").mkdir()
    what = ("--library", zoo("deed"), "--digest-bits", 256, "--bytes", 64, "--trials", 1, "--target-seconds", 0.002)
    error = perf.run(*what, "--output", perf.output, "--canary", "folder")
    record = perf.read()
    assert record["status"] == "MEASURED"
    if record["canary"]:
        assert error.count("\n") == 1 and "folder: the canary's reference could not be kept: Is a directory" in error
        assert error.endswith("choose another --canary.\n")


def test_without_a_file_none_is_written(perf, zoo):
    what = ("--library", zoo("deed"), "--digest-bits", 256, "--bytes", 64, "--trials", 1, "--target-seconds", 0.002)
    assert perf.run(*what, "--output", perf.output) == ""
    assert os.listdir(perf.folder) == [perf.output.name]


def test_other_tests_share_one(perf, zoo):
    """Measured once, by whichever came first."""
    record = perf.record(zoo("deed"))
    assert CANARY.exists() == (record["canary"] is not None)


def test_an_emulated_processor_has_none(perf, zoo):
    environment = {"LD_PRELOAD": str(zoo("stand_in_emulator"))}
    record = perf.record(zoo("deed"), "--canary", "canary.json", env=environment)
    assert (record["status"], record["canary"]) == ("MEASURED", None)
    assert not (perf.folder / "canary.json").exists()
    for trial in record["trials"]:
        assert trial["canaries_ns"] == [] and not any(trial["isolation"].values())
        assert not any("canary" in batch["disturbed"] for batch in trial["batches"])
