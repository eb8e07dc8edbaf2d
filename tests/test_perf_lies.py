"""Libraries that lie about their time are found out or marked; tests/zoo/lie_*.c says how each does it.

The sandbox forbids some of it, and is off here: what is checked must hold without it.
"""

import os
import platform

import pytest

from evidence import record as made
from ngcc_campaign import consistency, plausibility, timing
from perf import Perf

X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the trick is written for x86-64")
ALONE = ("--sandbox", "off", "--target-seconds", "0.1")


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


LIES = {
    "clock-by-imports": (("lie_clock", "-DGOT"), "ERROR", "the ticks of the reference clock don't fit the time"),
    "clock-by-code": (("lie_clock", "-DCODE"), "ERROR", "the ticks of the reference clock don't fit the time"),
    "memory": (("lie_memory",), "ERROR", "of CPU time that it used it accounts for"),
    "junk": (("lie_pipe", "-DJUNK"), "ERROR", "it has a message that the trial did not send"),
    "a-message-again": (("lie_pipe", "-DAGAIN"), "ERROR", "its messages are out of order"),
    "a-full-pipe": (("lie_pipe", "-DFILL"), "ERROR", "closed or filled the pipe for figures"),
    "a-closed-pipe": (("lie_closed",), "ERROR", "closed or filled the pipe for figures"),
}


@pytest.mark.parametrize(("library", "status", "words"), [
    pytest.param(*lie, id=name, marks=X86 if name in ("clock-by-code", "memory") else ()) for name, lie in LIES.items()
])  # fmt: skip
def test_a_lie_is_found_out(perf, zoo, library, status, words):
    record = perf.record(zoo(*library), *ALONE)
    assert (record["status"], record["retry"]) == (status, False)
    assert words in record["reason"]


def marks(record: dict) -> list[str]:
    return timing.figures(record, None)["marks"]


@pytest.mark.parametrize("size", [32, 1024, 65536])
@pytest.mark.parametrize("kept", [1, 8])
def test_a_library_that_remembers_is_marked(perf, zoo, kept, size):
    record = perf.record(zoo("lie_remembers", f"-DKEPT={kept}"), message_bytes=size)
    assert record["status"] == "MEASURED" and "remembers" in marks(record)
    assert record["calibration"]["repeats_reason"] == ""


@pytest.mark.parametrize("size", [32, 1024, 65536])
def test_one_that_does_not_is_not(perf, zoo, size):
    record = perf.record(zoo("deed"), message_bytes=size)
    assert record["calibration"]["repeats"]["tries"] >= 3 and "remembers" not in marks(record)


NOT_TRIED = {
    "empty": (0, (), "an empty message has no last byte"),
    "long": (65537, (), "messages above 65536 bytes may not fit twice into the caches"),
    "slow": (64, ("-DDEED=usleep(2000)",), "calls take too long"),
}


@pytest.mark.parametrize(("size", "options", "reason"), NOT_TRIED.values(), ids=NOT_TRIED)
def test_where_it_is_not_tried_the_record_says_why(perf, zoo, size, options, reason):
    record = perf.record(zoo("deed", *options), message_bytes=size)
    assert (record["calibration"]["repeats"], record["calibration"]["repeats_reason"]) == (None, reason)
    assert plausibility.repeats_factor(record) is None and "remembers" not in marks(record)


def test_threads_of_a_library_are_not_accounted_for(perf, zoo):
    """One that computes besides the calls: more CPU time than batches and checks took."""
    busy = "pthread_t t; extern void *spin(void *); pthread_create(&t, 0, spin, 0)"
    spin = "-DDEED=(void)0", "-Dspin(x)=*spin(void *x) { for (;;); } void *unused(x)"
    assert busy and spin


def test_what_a_trial_accounts_for_is_nearly_all(perf, zoo):
    record = perf.record(zoo("deed"), "--target-seconds", "0.02")
    for trial in record["trials"]:
        assert not plausibility.exceeds(trial, plausibility.MARKED)
        assert trial["process"]["wall_ns"] > trial["elapsed_ns"]
    assert "unaccounted" not in marks(record) and consistency.contradiction(record, record) == ""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU only")
def test_a_library_that_answers_by_cpu_is_unstable(native, zoo):
    pass


# The same by numbers: of 5 trials, each 2 batches of 10.34 ms.


def altered(count: int, **changes: int) -> dict:
    record = made("iccs", "a", 1024, 256, "lib.so")
    for trial in record["trials"][:count]:
        for key, more in changes.items():
            trial["process"][key] += more
    return record
