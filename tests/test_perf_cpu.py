"""Which CPU ngcc_perf takes, and that two drivers never share one."""

import copy
import fcntl
import os
import pwd
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from misdeeds import FREE
from perf import QUICK, Perf

ALLOWED = sorted(os.sched_getaffinity(0))


@pytest.fixture
def perf(native, tmp_path):
    perf = Perf(native, tmp_path)
    yield perf
    perf.end()


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


def timers(driver: int) -> str:
    return Path(f"/proc/{driver}/timers").read_text()


@pytest.fixture
def replacing(tmp_path):
    """replacing(source) -> an environment in which these functions stand in the place of libc's."""

    def replaced(source: str) -> dict[str, str]:
        (tmp_path / "soon.c").write_text(source)
        command = ["gcc", "-shared", "-fPIC", "-D_GNU_SOURCE", "soon.c", "-o", "soon.so", "-ldl"]
        subprocess.run(command, cwd=tmp_path, check=True)
        return {"LD_PRELOAD": str(tmp_path / "soon.so")}

    return replaced


# A tenth of a second for whatever was asked.
EARLY_ALARM = """
#include <stdio.h>
#include <unistd.h>
unsigned alarm(unsigned seconds)
{
    if (seconds > 0)
        dprintf(2, "waits %u s\\n", seconds);
    return ualarm(seconds > 0 ? 100000 : 0, 0);
}
"""


def test_a_taken_cpu_is_waited_for_and_a_long_wait_is_told(perf, zoo, replacing):
    perf.record(zoo("deed"), "--cpu", ALLOWED[-1])  # makes the lock file
    with open(f"/tmp/ngcc_perf-cpu{ALLOWED[-1]}.lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = perf.start(*what(zoo("deed")), "--cpu", ALLOWED[-1], env=replacing(EARLY_ALARM))
        assert process.stderr.readline() == "waits 10 s\n"
        told = process.stderr.readline()
        assert "waiting for CPU" in told
        if f"FLOCK  ADVISORY  WRITE {os.getpid()} " in Path("/proc/locks").read_text():
            assert f"(process {os.getpid()} of user {pwd.getpwuid(os.geteuid()).pw_name}; /tmp/" in told
        assert process.poll() is None and timers(process.pid) == ""
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


def at_rest(driver: int) -> int | None:
    """The driver's process in which the library is loaded and sleeps."""
    try:
        (child,) = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
        state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        return int(child) if state == "S" and "libdeed" in Path(f"/proc/{child}/maps").read_text() else None
    except (OSError, ValueError):  # none yet, or the one that tries the sandbox
        return None


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_trials_die_with_the_driver(perf, zoo, number):
    driver = perf.start(*what(zoo("deed", "-DDEED=for (;;) pause()")), "--output", perf.output)
    wait_until(lambda: at_rest(driver.pid))
    trial = at_rest(driver.pid)
    driver.send_signal(number)
    assert driver.wait(timeout=60) == -number
    wait_until(lambda: ended(trial))
    assert list(perf.folder.iterdir()) == []
    assert perf.record(zoo("deed"))["status"] == "MEASURED"  # the lock went with it


# Of the minutes that a driver has while a trial is under way, a second or so is left.
NO_PATIENCE = """
#include <dlfcn.h>
#include <time.h>
int timer_settime(timer_t timer, int flags, const struct itimerspec *end, struct itimerspec *before)
{
    int (*set)(timer_t, int, const struct itimerspec *, struct itimerspec *) = dlsym(RTLD_NEXT, "timer_settime");
    struct itimerspec sooner = *end;
    sooner.it_value.tv_sec -= end->it_value.tv_sec >= 360 ? 359 : 0;
    return set(timer, flags, &sooner, before);
}
"""


def test_a_driver_that_is_stopped_does_not_hang_for_ever(perf, zoo, replacing):
    options = (*what(zoo("deed", "-DDEED=for (;;) pause()")), "--budget-seconds", 10, "--output", perf.output)
    driver = perf.start(*options, env=replacing(NO_PATIENCE))
    wait_until(lambda: at_rest(driver.pid))
    trial = at_rest(driver.pid)
    driver.send_signal(signal.SIGSTOP)
    told = driver.communicate(timeout=60)[1].splitlines()[-1]
    assert driver.returncode == 1 and not perf.output.exists()
    assert told.startswith("ngcc_perf: it neither finished nor answered for 360 s: something stopped it"), told
    wait_until(lambda: ended(trial))


def test_driver_dies_with_its_parent(perf, zoo):
    """A shell starts a driver and is killed."""
    command = " ".join(f"'{part}'" for part in (perf.program, *what(zoo("deed", "-DDEED=for (;;) pause()"))))
    shell = copy.copy(perf)  # what it starts is ended with the rest
    shell.program = "/bin/sh"
    process = shell.start("-c", f"{command}; true")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: [int(driver) for driver in children.read_text().split() if at_rest(int(driver))])
    (driver,) = map(int, children.read_text().split())
    process.kill()
    process.wait(timeout=60)
    wait_until(lambda: ended(driver))
