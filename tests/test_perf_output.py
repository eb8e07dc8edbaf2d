"""A record is written whole or not at all."""

import os
import resource
import signal
import time

import pytest

from perf import QUICK, Perf


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


@pytest.fixture
def what(zoo):
    return ("--library", zoo("deed"), "--digest-bits", 256, "--bytes", 64, *QUICK)


def test_folders_are_made(perf, what):
    perf.output = perf.folder / "records" / "zoo" / "deed__hash_64.json"
    perf.run(*what, "--output", "records/zoo/deed__hash_64.json")
    assert perf.read()["status"] == "MEASURED"
    assert [path.name for path in perf.output.parent.iterdir()] == [perf.output.name]


def test_longest_names(perf, what):
    perf.output = perf.folder / ("n" * 250 + ".json")
    perf.run(*what, "--output", perf.output.name)
    assert perf.read()["status"] == "MEASURED"


@pytest.mark.parametrize("limit, trials", [(1024, 2), (60000, 100)], ids=["no-room-to-measure", "no-room-to-write"])
def test_file_size_limit(perf, what, limit, trials):
    perf.output.write_text("older")
    error = perf.run(
        *(*what, "--trials", trials, "--output", perf.output),
        status=1,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert error.count("\n") == 1 and "File too large" in error and "raise the file size limit" in error
    assert perf.output.read_text() == "older" and len(list(perf.folder.iterdir())) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_folder_that_is_not_writable(perf, what):
    locked = perf.folder / "locked"
    locked.mkdir(0o555)
    error = perf.run(*what, "--output", "locked/record.json", status=1)
    assert "locked/record.json: the record could not be written: Permission denied" in error


def test_full_device(perf, what):
    with open("/dev/full", "w") as full:
        process = perf.start(*what, stdout=full)
        error = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    assert error.endswith(  # on a busy machine, another driver holds the CPU first
        "ngcc_perf: standard output: the record could not be written: No space left on device; "
        "free some space and run again.\n"
    )


def test_folder_in_the_way(perf, what):
    (perf.folder / "record.json").mkdir()
    assert "could not be written: Is a directory" in perf.run(*what, "--output", "record.json", status=1)


@pytest.mark.parametrize("delay", [0.0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05])
def test_sigkill_leaves_a_whole_record_or_none(perf, what, delay):
    process = perf.start(*what, "--output", perf.output)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    if perf.output.exists():
        assert perf.read()["status"] == "MEASURED"
