"""Killed anywhere, out of space, short of a CPU: the same command goes on; two runs keep apart."""

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from benchmarks.kill import (
    SMALL,
    TOLD,
    begun,
    differences,
    evidence,
    faults_after_kill,
    finished,
    half_written,
    kill,
    moment,
    outputs,
    programs_at_work,
    temporaries,
)  # fmt: skip
from workplaces import Workplace, small_workplace

LENGTHS = 8
OWN_RECORDS = 10
MADE = ("records", "tables", "report")
LAST_LINE = "What is done is kept; go on from here with: snakemake "


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> Workplace:
    """A campaign that nothing disturbed."""
    place = small_workplace(tmp_path_factory.mktemp("done"))
    run = place.run(config=SMALL)
    assert run.status == 0, run.output
    return place


@pytest.fixture
def place(done, tmp_path) -> Workplace:
    return done.copy(tmp_path / "place")


@pytest.fixture
def untimed(done, tmp_path) -> Workplace:
    """All is there that comes before timing."""
    return done.copy(tmp_path / "untimed", *MADE)


def wait_for(condition, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def completes(place: Workplace, done: Workplace, **jobs: int) -> None:
    """The plain command ends with all evidence, and ran exactly these jobs beside those of tables and pages."""
    run = place.run(config=SMALL)
    assert run.status == 0, run.output
    assert {name: count for name, count in run.jobs.items() if name not in ("aggregate", "render", "all")} == jobs
    assert half_written(place) + temporaries(place) + differences(evidence(place), evidence(done)) == []


def test_the_same_command_completes_a_campaign_killed_again_and_again(done, tmp_path):
    """By hand there are more moments, and the native programs' build among them: tests/benchmarks/kill.py."""
    place = begun(done, tmp_path / "place")
    finished_before: set[str] = set()
    for number in range(8):
        when = moment(f"ci {number}", jobs=(-1, 4))
        said = kill(place, when)
        assert faults_after_kill(place, seconds=10) == [], when
        assert not finished_before & set(outputs(said).values()), when
        finished_before |= finished(said)
    run = place.run(config=SMALL, options=TOLD)
    assert run.status == 0, run.output
    assert not finished_before & set(outputs(run.output).values())
    assert half_written(place) + temporaries(place) + differences(evidence(place), evidence(done)) == []
    assert "Nothing to be done" in place.run(config=SMALL)


def test_a_second_run_is_refused_and_drivers_die_with_the_first(untimed):
    running = untimed.start(config=(*SMALL, "target_seconds=30"), stdout=subprocess.DEVNULL)
    wait_for(lambda: programs_at_work(untimed))
    second = untimed.run(config=SMALL)
    assert second.status == 1 and "another run is at work there" in second and "Traceback" not in second
    assert untimed.run(config=SMALL, options=("--dry-run",)).status == 0
    assert running.poll() is None and programs_at_work(untimed)
    running.kill()  # the main process alone
    running.wait()
    assert faults_after_kill(untimed, seconds=20) == []


def test_what_a_killed_run_left_at_work_is_ended_by_the_next(place):
    """A compiler, say, which outlives the stage that started it; another folder's is left alone."""
    marks = {name: {"NGCC_CAMPAIGN_RESULTS": str(place.results) + name} for name in ("", "_other")}
    orphan, other = (subprocess.Popen(["sleep", "600"], env=os.environ | mark) for mark in marks.values())
    try:
        assert place.run(config=SMALL).status == 0
        assert orphan.wait(timeout=20) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_driver_whose_run_has_ended_already_times_nothing(done, tmp_path):
    """Between its start and its wish to end with the run, the run may end."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    programs = done.results / "bin"
    command = [programs / "ngcc_perf", "--library", programs / "libempty.so", "--digest-bits", "256", "--bytes", "32"]
    record = tmp_path / "record.json"
    command += ["--trials", "2", "--target-seconds", "0.001", "--canary", tmp_path / "canary.json", "--output", record]
    for run, status in ((ended.pid, 1), (os.getpid(), 0)):
        environment = os.environ | {"NGCC_CAMPAIGN_RUN": str(run)}
        assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == status
        assert record.exists() == (status == 0)


def places_that_time(places: list[Workplace]) -> set[Path]:
    """The workplaces whose drivers have a trial under way."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"--trial-process" in (process / "cmdline").read_bytes():
                parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
                found.add(Path(os.readlink(f"/proc/{parent}/cwd")))
    return found & {place.results for place in places}


def test_timing_on_one_cpu_never_interleaves(done, tmp_path):
    places = [done.copy(tmp_path / name, *MADE) for name in ("one", "other")]
    cpu = json.loads((done.results / "host.json").read_text())["facts"]["cpu"]
    seen: set[Path] = set()
    with contextlib.ExitStack() as stack:
        outputs = [stack.enter_context(open(place.path / "said", "w+")) for place in places]
        lock = stack.enter_context(open(f"/tmp/ngcc_perf-cpu{cpu}.lock", "rb"))
        fcntl.flock(lock, fcntl.LOCK_EX)  # both shall wait, and go on at once
        runs = [
            place.start(config=(*SMALL, "target_seconds=0.01"), stdout=output)
            for place, output in zip(places, outputs, strict=True)
        ]
        told = f"ngcc_perf: waiting for CPU {cpu}, which another ngcc_perf is using"
        wait_for(lambda: all(told in (place.path / "said").read_text() for place in places))
        fcntl.flock(lock, fcntl.LOCK_UN)
        while any(run.poll() is None for run in runs):
            at_once = places_that_time(places)
            assert len(at_once) < 2
            seen |= at_once
    assert [run.returncode for run in runs] == [0, 0]
    assert seen == {place.results for place in places}


def test_one_job_that_fails_leaves_the_others_alone(untimed, done):
    """The kernel, short of memory, kills a driver; another finds its CPU gone. Tables are made, and tell what lacks."""
    cpus = sorted(os.sched_getaffinity(0))
    offline = f'*ngcc_perf*hash_1024*) exec taskset -c {cpus[0]} {shutil.which("bash")} "$@";;' if cpus[1:] else ""
    env = untimed.stand_in("bash", f'case "$*" in *ngcc_perf*hash_512*) kill -KILL $$;; {offline} esac')
    run = untimed.run(config=SMALL, env=env)
    assert run.status == 3, run.output
    assert "failed: measure/iccs/sm3hash-256__hash_512: it ended without a word: killed, by a person or" in run
    assert "missing: iccs/sm3hash-256 timing hash_512: ABSENT: there is no record" in run
    if offline:
        assert f"is offline or not ours: choose one of {cpus[0]}." in run
    assert run.output.partition("Using workflow")[0].splitlines()[-1].startswith(LAST_LINE)
    assert "| sm3hash-256" in (untimed.results / "report" / "index.md").read_text()
    completes(untimed, done, measure=2 if offline else 1)


@contextlib.contextmanager
def short_of_memory(place: Workplace, *words: bytes):
    """Meanwhile whatever has such a word in its command and is at work on these results is killed, as by the kernel."""
    ended = threading.Event()

    def kill_all() -> None:
        while not ended.is_set():
            for process in Path("/proc").glob("[0-9]*"):
                with contextlib.suppress(OSError):
                    ours = os.readlink(process / "cwd") == str(place.results)
                    if ours and any(word in (process / "cmdline").read_bytes() for word in words):
                        os.kill(int(process.name), signal.SIGKILL)

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        yield
    finally:
        ended.set()
        killer.join()


def test_what_the_kernel_kills_for_want_of_memory_is_nobody_s_fault(untimed, done):
    """The drivers' own deaths, and that of processes with the library in it; the next run tries again."""
    for gone in ("kat", "memory"):
        shutil.rmtree(untimed.results / gone)
    killed = "by signal 9 while the library ran, as the kernel does where memory is short"
    with short_of_memory(untimed, b"bin/ngcc_kat"):
        run = untimed.run(config=SMALL)
    assert run.status == 3 and "Traceback" not in run
    assert re.search(f"missing: iccs/sm3hash-256: .*ngcc_kat itself was ended {killed}", run.output), run.output
    with short_of_memory(untimed, b"bin/ngcc_memory", b"--trial-process"):
        again = untimed.run(config=SMALL)
    assert again.status == 3 and "Traceback" not in again
    assert f"memory hash_32: KILLED: ngcc_memory itself was ended {killed}" in again, again.output
    assert "timing hash_32: KILLED: " in again
    for output in (run.output, again.output):
        assert output.partition("Using workflow")[0].splitlines()[-1].startswith(LAST_LINE)
    completes(untimed, done, measure=LENGTHS, memory=1)


def test_a_person_who_stops_a_run_is_not_kept_waiting(untimed, done):
    """No tables are made of what there is, nor is all named that is missing."""
    running = untimed.start(config=(*SMALL, "target_seconds=30"))
    wait_for(lambda: programs_at_work(untimed))
    os.killpg(running.pid, signal.SIGINT)
    output = running.communicate(timeout=60)[0]
    assert running.returncode == 130 and output.splitlines()[-1].startswith(LAST_LINE) and "missing:" not in output
    assert "Error" not in output and "failed" not in output and "Traceback" not in output
    assert not (untimed.results / "tables").exists()


FILLS_AND_LOCKS = """
set -u
export PYTHONUNBUFFERED=1
results=$1; shift
cp -a "$results" "$results.kept" && mount -t tmpfs -o size=200m none "$results" && cp -a "$results.kept/." "$results"
echo "== full"
resize() { mount -t tmpfs -o remount,size=$1k none "$results"; } # told all, or mount adds a user that is none here
resize $(($(df -k --output=used "$results" | tail -1) + 60))
"$@" 2>&1; echo "status $?"
resize 204800
echo "== read-only"
rm -rf "$results/records" "$results/tables"
LOCKS=1 "$@" 2>&1; echo "status $?"
umount "$results/records"
echo "== again"
"$@" 2>&1; echo "status $?"
rm -r "$results.kept"; mkdir "$results.kept"; cp -a "$results/." "$results.kept"
"""
CAN_MOUNT = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not CAN_MOUNT, reason="no file system can be mounted here without being root")
def test_a_full_disk_and_one_that_becomes_read_only_are_said_and_what_is_done_is_kept(untimed, done):
    records = untimed.results / "records"
    locks = f'mount --bind "{records}" "{records}" && mount -o remount,ro,bind "{records}"'
    env = os.environ | untimed.stand_in("bash", f'case "${{LOCKS-}}$*" in 1*control_middle*) {locks};; esac')
    command = ["unshare", "-Urm", "sh", "-c", FILLS_AND_LOCKS, "sh", untimed.results, *untimed.command(config=SMALL)]
    output = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=300).stdout
    full, locked, again = (
        output.partition(f"== {name}\n")[2].partition("\n== ")[0] for name in ("full", "read-only", "again")
    )
    assert "Traceback" not in output
    assert "status 1" in full and "No space left on device" in full and LAST_LINE in full, full
    assert "status 3" in locked and "Read-only file system; make its folder writable" in locked, locked
    assert "missing: " in locked and LAST_LINE in locked, locked
    assert "status 0" in again, again
    shutil.rmtree(untimed.results)
    untimed.results.with_name("local.kept").rename(untimed.results)
    completes(untimed, done)


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes through every permission")
def test_results_that_cannot_be_written_are_said_before_any_work(tmp_path):
    place = small_workplace(tmp_path / "place")
    (place.path / "results").mkdir()
    (place.path / "results").chmod(0o555)
    run = place.run(config=SMALL)
    assert run.status == 1 and "cannot be written (Permission denied); nothing was measured" in run
    assert "Traceback" not in run


def test_what_is_gone_or_damaged_is_made_again(place, done):
    """Also what lies behind tables that are newer: a kill removes nothing for good."""
    results = place.results
    for gone in (
        "host.json", "fetch/iccs.json", "records/empty_call.json", "tables/kat.csv", "bin/ngcc_perf",
        "memory/iccs/sm3hash-256.json", "report/method.md",
    ):  # fmt: skip
        (results / gone).unlink()
    shutil.rmtree(results / "records" / "iccs")
    library = results / "build" / "iccs" / "sm3hash-256" / "guide" / "libsm3hash-256.so"
    library.write_bytes(library.read_bytes() + b"x")
    (results / "report" / "index.md").write_text("")
    completes(place, done, host=1, fetch=1, drivers=1, build=1, memory=1, measure=LENGTHS, measure_own=1)
    assert "Nothing to be done" in place.run(config=SMALL)


def test_memory_is_that_of_the_library_that_is_built_again(place):
    """Its verdict outlives the library, and so nothing else would make one wait for the other."""
    memory = place.results / "memory" / "iccs" / "sm3hash-256.json"
    memory.unlink()
    (place.results / "build" / "iccs" / "sm3hash-256" / "guide" / "libsm3hash-256.so").write_text("")
    run = place.run(str(memory.relative_to(place.path)), config=SMALL)
    assert (run.status, run.jobs) == (0, {"build": 1, "memory": 1}), run.output


def test_a_clock_that_jumps_makes_nothing_stale(place):
    """Evidence of a clock that was ahead, tables of one that was behind."""
    now = time.time()
    for number, path in enumerate(sorted(place.results.rglob("*.*"))):
        os.utime(path, times=(now, now + (1 - 2 * (number % 2)) * 86400))
    assert "Nothing to be done" in place.run(config=SMALL)


def test_a_clock_that_is_set_back_between_two_jobs_stops_nothing(untimed, done):
    """All that timing rests on is of a time that is yet to come."""
    later = time.time() + 3600
    for path in untimed.path.rglob("*"):
        os.utime(path, times=(later, later))
    completes(untimed, done, measure=LENGTHS, measure_own=OWN_RECORDS)
    assert "Nothing to be done" in untimed.run(config=SMALL)


def test_what_is_forced_is_made_again_and_nothing_is_lost(place, done):
    for rule, jobs in (("verify", {"verify": 1}), ("memory", {"memory": 1}), ("build", {"build": 1})):
        asked = place.run("all", config=SMALL, options=("--dry-run", "-R", rule)).jobs
        assert jobs.items() <= asked.items(), rule
    run = place.run("all", config=SMALL, options=("-F",))
    assert run.status == 0 and run.jobs["measure"] == LENGTHS and run.jobs["measure_own"] == OWN_RECORDS, run.output
    assert differences(evidence(place), evidence(done)) == []


def test_a_verdict_that_turns_bad_costs_no_figures(place, done):
    manifest = place.path / "resources" / "kat" / "iccs.sha256"
    good = manifest.read_text()
    manifest.write_text(good.replace(good[:64], "0" * 64, 1))
    for jobs in (1, 0):
        run = place.run(config=SMALL)
        assert run.status == 3 and "missing: iccs/sm3hash-256: MISMATCH" in run
        assert "measure" not in run.jobs and run.jobs.get("verify", 0) == jobs
        assert LAST_LINE not in run, "the same command would change nothing"
    manifest.write_text(good)
    completes(place, done, verify=1)


def test_a_page_by_its_name_does_not_rest_on_stale_evidence(place):
    source = next((place.path / "resources" / "bundled" / "iccs").rglob("sm3hash-256/*.c"))
    source.write_text(source.read_text() + "\n")
    run = place.run("results/local/report/iccs.md", config=SMALL)
    assert run.status == 0 and run.jobs["measure"] == LENGTHS


def test_a_killed_compiler_is_no_verdict(place):
    killed = 'echo "gcc: fatal error: Killed signal terminated program cc1" >&2; exit 1'
    env = place.stand_in("gcc", f'case "$*" in *-std=c99*) {killed};; esac')
    source = next((place.path / "resources" / "bundled" / "iccs").rglob("sm3hash-256/*.c"))
    source.write_text(source.read_text() + "\n")
    place.run("results/local/build/iccs/sm3hash-256/build.json", config=SMALL, env=env)
    built = place.results / "build/iccs/sm3hash-256/build.json"
    assert json.loads(built.read_text())["retry"]
    run = place.run(config=SMALL)
    document = json.loads(built.read_text())
    assert run.status == 0 and document["variants"][0]["built"] and not document["retry"]
