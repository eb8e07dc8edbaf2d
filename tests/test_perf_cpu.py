"""Which CPU ngcc_perf takes, and that two drivers never share one."""

import fcntl
import os
import re
import signal
import time

import pytest

from misdeeds import FREE
from perf import QUICK, Perf

ALLOWED = sorted(os.sched_getaffinity(0))


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


def what(library):
    return ("--library", library, "--digest-bits", 256, "--bytes", 64, *QUICK)


@pytest.mark.parametrize("cpu", ALLOWED[:4])
def test_asked_cpu_is_the_one_it_runs_on(perf, zoo, cpu):
    record = perf.record(zoo("deed"), "--cpu", cpu)
    assert record["environment"]["cpu_asked"] == cpu
    assert {trial[key] for trial in record["trials"] for key in ("cpu_before", "cpu_after")} == {cpu}


def test_auto_takes_an_allowed_one(perf, zoo):
    """Though the machine may have others."""
    record = perf.record(zoo("deed"), preexec_fn=lambda: os.sched_setaffinity(0, {ALLOWED[0]}))
    assert record["environment"]["cpu_asked"] == ALLOWED[0]
    assert record["environment"]["cpus_allowed"] == str(ALLOWED[0])


def test_offline_cpu_is_refused(perf, zoo):
    error = perf.run(*what(zoo("deed")), "--cpu", 8191, "--output", perf.output, status=1)
    assert re.fullmatch(r"ngcc_perf: CPU 8191 is offline or not ours: choose one of [0-9,-]+\.\n", error)
    assert not perf.output.exists()


@pytest.mark.skipif(len(ALLOWED) < 2, reason="one CPU only")
def test_cpu_outside_the_affinity_mask_is_refused(perf, zoo):
    mask = {ALLOWED[0]}
    error = perf.run(
        *what(zoo("deed")), "--cpu", ALLOWED[1], status=1, preexec_fn=lambda: os.sched_setaffinity(0, mask)
    )
    assert f"CPU {ALLOWED[1]} is offline or not ours: choose one of {ALLOWED[0]}." in error


def test_a_taken_cpu_is_waited_for(perf, zoo):
    perf.record(zoo("deed"), "--cpu", ALLOWED[-1])  # makes the lock file
    with open(f"/tmp/ngcc_perf-cpu{ALLOWED[-1]}.lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = perf.start(*what(zoo("deed")), "--cpu", ALLOWED[-1])
        assert "waiting for CPU" in process.stderr.readline()
        assert process.poll() is None
    assert process.wait(timeout=60) == 0


def test_two_drivers_on_one_cpu_take_turns(perf, zoo):
    """Each call notes its driver: the notes of one never lie between those of the other."""
    notes = perf.folder / "notes"
    note = f'int f = open("{notes}", O_CREAT | O_APPEND | O_WRONLY, 0600); dprintf(f, "%d\\n", getppid()); close(f)'
    options = (*what(zoo("deed", f"-DDEED=usleep(500); {note}")), "--cpu", ALLOWED[-1], *FREE)
    drivers = [perf.start(*options), perf.start(*options)]
    assert [driver.communicate(timeout=120) and driver.returncode for driver in drivers] == [0, 0]
    order = notes.read_text().split()
    changes = sum(one != other for one, other in zip(order, order[1:], strict=False))
    assert set(order) == {str(driver.pid) for driver in drivers} and changes == 1


def ended(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(condition) -> None:
    for _ in range(1000):
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError("did not come true within 20 s")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_trials_die_with_the_driver(perf, zoo, number):
    mark = perf.folder / "mark"
    hang = f'int f = open("{mark}", O_CREAT | O_WRONLY, 0600); dprintf(f, "%d.", getpid()); for (;;) pause()'
    driver = perf.start(*what(zoo("deed", f"-DDEED={hang}")), "--output", perf.output, *FREE)
    wait_until(lambda: mark.exists() and mark.read_text().endswith("."))
    driver.send_signal(number)
    assert driver.wait(timeout=60) == -number
    wait_until(lambda: ended(int(mark.read_text()[:-1])))
    assert sorted(path.name for path in perf.folder.iterdir()) == ["mark"]
    assert perf.record(zoo("deed"))["status"] == "MEASURED"  # the lock went with it


def test_driver_dies_with_its_parent(perf, zoo):
    """The shell starts a driver, says its number and is killed."""
    mark = perf.folder / "mark"
    hang = f'int f = open("{mark}", O_CREAT | O_WRONLY, 0600); dprintf(f, "%d.", getppid()); for (;;) pause()'
    command = " ".join(f"'{part}'" for part in (perf.program, *what(zoo("deed", f"-DDEED={hang}")), *FREE))
    shell = Perf.__new__(Perf)
    shell.program, shell.folder = "/bin/sh", perf.folder
    process = shell.start("-c", f"{command}; true")
    wait_until(lambda: mark.exists() and mark.read_text().endswith("."))
    process.kill()
    process.wait(timeout=60)
    wait_until(lambda: ended(int(mark.read_text()[:-1])))
