"""Whatever a library does becomes the record's status, with its reason; the driver itself ends well.

More that a library can do is in test_zoo.py and test_perf_lies.py.
"""

import resource

import pytest

from misdeeds import FREE, leave_a_daemon, lives, overwrite_shared
from perf import Perf

DEEDS = {
    "returns-a-number": ("return 5", "ERROR", "returned 5"),
    "segfaults": ("*(volatile int *)8 = 0", "CRASH", "signal 11 (SIGSEGV)"),
    "takes-16-mib-of-stack": ("volatile char f[16 << 20]; f[0] = f[sizeof f - 1] = 1", "MEASURED", ""),
    "aborts": ("abort()", "CRASH", "signal 6 (SIGABRT)"),
    "divides-by-zero": ("raise(SIGFPE)", "CRASH", "signal 8 (SIGFPE)"),
    "exits-3": ("_exit(3)", "CRASH", "called exit(3)"),
    "changes-its-answer": ("digest[0] ^= call > 7", "UNSTABLE", "two digests"),
    "answers-by-process": ("digest[0] ^= getpid()", "UNSTABLE", "another process"),
    "writes-far-behind": ("digest[8192] = 0", "OVERFLOW", "far behind its digest"),
    "says-that-it-could-not-start": ("_exit(127)", "CRASH", "called exit(127) during calibration"),
    "fails-later": ("if (call == 2000000) abort()", "MEASURED|CRASH", ""),
}
# What the sandbox forbids must do no harm without it either: hosts may lack layers.
FREE_DEEDS = {
    "is-killed": ("kill(getpid(), SIGKILL)", "KILLED", "killed from outside"),
    "zeroes-its-report": (overwrite_shared(0), "CRASH", "called exit(0)"),
    "reports-that-it-was-killed": (overwrite_shared(7), "CRASH", "called exit(0)"),
    "moves-to-another-cpu": (
        "cpu_set_t s; memset(&s, 255, sizeof s); sched_setaffinity(0, sizeof s, &s)",
        "MEASURED|ERROR",
        "",
    ),
}


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


@pytest.mark.parametrize("deed, statuses, reason", DEEDS.values(), ids=DEEDS)
def test_deed(perf, zoo, deed, statuses, reason, *options):
    record = perf.record(zoo("deed", f"-DDEED={deed}"), "--budget-seconds", "0.1", *options)
    assert record["status"] in statuses.split("|")
    assert reason in record["reason"] and (record["reason"] == "") == (record["status"] == "MEASURED")
    assert record["retry"] == (record["status"] == "KILLED")
    if record["status"] == "UNSTABLE" and record["digest"] is not None:
        assert record["digest"]["same"] is False


@pytest.mark.parametrize("deed, statuses, reason", FREE_DEEDS.values(), ids=FREE_DEEDS)
def test_deed_without_a_sandbox(perf, zoo, deed, statuses, reason):
    test_deed(perf, zoo, deed, statuses, reason, *FREE)


@pytest.mark.parametrize("deed, status", [("exit(0)", "CRASH"), ("abort()", "CRASH")], ids=["exits", "aborts"])
def test_deed_while_loading(perf, zoo, deed, status):
    record = perf.record(zoo("deed", f"-DON_LOAD={deed}"))
    assert record["status"] == status and "while the library was loaded" in record["reason"]


def limited_stack(soft: int, hard: int):
    return lambda: resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def test_the_user_s_stack_does_not_matter(perf, zoo):
    library = zoo("deed", "-DDEED=volatile char f[4 << 20]; f[0] = f[sizeof f - 1] = 1")
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    assert perf.record(library, preexec_fn=limited_stack(1 << 20, hard))["status"] == "MEASURED"


def test_a_hard_limit_of_the_stack_is_named(perf, zoo):
    library = zoo("deed", "-DDEED=volatile char f[9 << 20]; f[0] = f[sizeof f - 1] = 1")
    record = perf.record(library, preexec_fn=limited_stack(8 << 20, 8 << 20))
    assert (record["status"], record["reason"]) == ("CRASH", "used up its stack of 8 MiB during calibration")


def test_nothing_that_the_library_started_lives_on(perf, zoo, tmp_path):
    record = perf.record(zoo("deed", f"-DDEED={leave_a_daemon(tmp_path / 'pids')}"), *FREE)
    pids = (tmp_path / "pids").read_text().split()
    assert record["status"] == "MEASURED" and pids
    assert not any(map(lives, pids))


def test_library_without_crypthash(perf, zoo):
    record = perf.record(zoo("other_name"))
    assert (record["status"], record["trials"]) == ("ERROR", []) and "does not define CryptHash" in record["reason"]


def test_file_that_is_no_library(perf):
    (perf.folder / "text.so").write_text("no ELF")
    record = perf.record("text.so")
    assert record["status"] == "ERROR" and "can't be loaded" in record["reason"]


def test_trials_before_the_bad_one_are_kept(perf, zoo, tmp_path):
    """Every process leaves a mark; the fourth (calibration, trials 0, 1, 2) crashes."""
    marks = tmp_path / "marks"
    leave_mark = f'int f = open("{marks}", O_CREAT | O_APPEND | O_WRONLY, 0600)'
    crash = 'if (write(f, "x", 1) == 1 && lseek(f, 0, SEEK_END) == 4) abort(); close(f)'
    record = perf.record(zoo("deed", f"-DON_LOAD={leave_mark}; {crash}"), "--trials", "5", *FREE)
    assert record["status"] == "CRASH" and "trial" not in record["reason"] and len(record["trials"]) == 2
