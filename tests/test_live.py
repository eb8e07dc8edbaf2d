"""What a person sees while jobs run: Snakemake's events, and the two displays."""

import logging
import sys
import time
from types import SimpleNamespace

import pytest
from snakemake.logging import logger
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from evidence import record
from ngcc_campaign.campaign import duration
from ngcc_campaign.campaign.settings import Plan
from ngcc_campaign.common.files import write_json
from ngcc_campaign.run import display, live
from ngcc_campaign.run.progress import TIMING, Job, Progress
from terminals import on_terminal, seen
from workplaces import ROOT, environment

PLAN = Plan(5, 0.1, 900, 0.01, 3)


def job(number: int, rule: str, output: str, **wildcards):
    return SimpleNamespace(jobid=number, rule=SimpleNamespace(name=rule), output=[output], wildcards_dict=wildcards)


def happen(watcher: live.Watcher, event: LogEvent, **members) -> None:
    watcher.handle(logging.makeLogRecord({"msg": "", "event": event, **members}))


@pytest.fixture
def watch():
    """watch(*jobs) -> a watcher that knows these jobs by their numbers."""
    watchers = []

    def watching(*jobs: Job) -> live.Watcher:
        watchers.append(live.Watcher(lambda: Progress(dict(enumerate(jobs)))))
        happen(watchers[-1], LogEvent.RUN_INFO)
        return watchers[-1]

    yield watching
    for watcher in watchers:
        watcher.close()


def test_jobs_are_planned_by_what_they_make(tmp_path):
    name = {"candidate": "fips", "instance": "SHA-512"}
    jobs = [
        job(1, "all", ""),
        job(2, "build", "build.json", **name),
        job(3, "measure", "records/fips/SHA-512__hash_1024.json", **name, message_bytes="1024"),
        job(4, "measure", "records/fips/SHA-512__hash_32.json", **name, message_bytes="32"),
        job(5, "measure_own", "records/empty_call.json", own="empty_call"),
        job(6, "host", "host.json"),
    ]
    settings = SimpleNamespace(plan=PLAN, system={"id": "local"})
    found = live.planned(
        SimpleNamespace(needrun_jobs=lambda: jobs), SimpleNamespace(settings=settings, results=tmp_path)
    )
    assert {number: (one.stage, one.subject, one.seconds) for number, one in found.jobs.items()} == {
        2: ("building", "fips SHA-512", duration.JOB_SECONDS["build"]),
        3: (TIMING, "fips SHA-512 1 KiB", duration.record_seconds(None, PLAN)),
        4: (TIMING, "fips SHA-512 32 B", duration.record_seconds(None, PLAN)),
        5: (TIMING, "empty_call", duration.record_seconds(None, PLAN)),
        6: ("looking at the host", "", 0),
    }
    assert [number for number, one in found.jobs.items() if one.record] == [3, 4, 5]


def test_events_become_progress(watch, tmp_path):
    document = record("iccs", "a", 1024, 256, "lib.so")
    document["trials"][0]["batches"][0]["disturbed"] = "canary"
    write_json(tmp_path / "record.json", document)
    watcher = watch(Job(TIMING, "a", 1, tmp_path / "record.json"), Job(TIMING, "b", 1))
    assert watcher.parts() == []
    happen(watcher, LogEvent.JOB_STARTED, jobs=[0])
    assert watcher.parts()[:2] == ["timing, 0 of 2 done", "a"]
    happen(watcher, LogEvent.JOB_FINISHED, job_id=0)
    happen(watcher, LogEvent.JOB_STARTED, jobs=[1])
    batches = sum(len(trial["batches"]) for trial in document["trials"])
    parts = watcher.parts()
    assert parts[:2] == ["timing, 1 of 2 done", "b"]
    assert parts[-1] == f"{100 / batches:.1f} % of batches disturbed"
    happen(watcher, LogEvent.JOB_ERROR, jobid=1)
    assert watcher.parts()[-1] == "1 job failed"


def test_a_clock_that_is_set_meanwhile_makes_no_job_longer(watch, monkeypatch):
    watcher = watch(Job(TIMING, "a", 60), Job(TIMING, "b", 60_000))
    happen(watcher, LogEvent.JOB_STARTED, jobs=[0])
    monkeypatch.setattr(time, "time", lambda: 0)
    happen(watcher, LogEvent.JOB_FINISHED, job_id=0)
    happen(watcher, LogEvent.JOB_STARTED, jobs=[1])
    assert "s left, done" in watcher.parts()[2]


def test_a_record_that_cannot_be_read_ends_what_is_shown_and_not_the_run(watch, tmp_path):
    watcher = watch(Job(TIMING, "a", 1, tmp_path / "absent.json"))
    happen(watcher, LogEvent.JOB_STARTED, jobs=[0])
    happen(watcher, LogEvent.JOB_FINISHED, job_id=0)
    happen(watcher, LogEvent.JOB_STARTED, jobs=[0])
    assert watcher.parts() == []


def test_jobs_that_cannot_be_planned_are_not_shown():
    watcher = live.Watcher(lambda: 1 // 0)
    happen(watcher, LogEvent.RUN_INFO)
    happen(watcher, LogEvent.JOB_STARTED, jobs=[0])
    assert watcher.parts() == []
    watcher.close()


@pytest.mark.parametrize(
    ("quiet", "is_watched"),
    [({Quietness.RULES}, True), (None, True), ({Quietness.PROGRESS}, False), ({Quietness.ALL}, False)],
)
def test_who_wants_quiet_gets_quiet(quiet, is_watched):
    workflow = SimpleNamespace(output_settings=SimpleNamespace(quiet=quiet))
    before = [*logger.handlers]
    with live.shown(workflow, None):
        assert (len(logger.handlers) > len(before)) == is_watched
    assert logger.handlers == before


# In a log


def lines(words, seconds: float, monkeypatch) -> list[str]:
    """What a log is told until it has three lines, or within so many seconds."""
    monkeypatch.setattr(display, "LINE_SECONDS", 0.01)
    said = []
    shown = display.Lines(words, said.append)
    shown.start()
    end = time.monotonic() + seconds
    while len(said) < 3 and shown.is_alive() and time.monotonic() < end:
        time.sleep(0.01)
    shown.end()
    return said


def test_a_log_gets_a_line_with_the_time_of_day_at_each_interval(monkeypatch):
    said = lines(lambda: ["timing, 1 of 2 done", "12 min left"], 60, monkeypatch)
    assert len(said) >= 3
    assert all(time.strptime(line[:5], "%H:%M") and line[5:] == " timing, 1 of 2 done · 12 min left" for line in said)


def test_where_nothing_is_known_or_words_fail_a_log_gets_nothing(monkeypatch):
    assert lines(lambda: [], 0.1, monkeypatch) == []
    assert lines(lambda: [str(1 // 0)], 60, monkeypatch) == []


def test_a_short_run_gets_no_line():
    said = []
    shown = display.Lines(lambda: ["timing"], said.append)
    shown.start()
    shown.end()
    assert said == []


# On a terminal

# A region, beside which this process, its child and a child that ends no line write.
SCRIPT = """
import subprocess, sys
from ngcc_campaign.run import display
display.LEAST_SECONDS = 0
region = display.Region(lambda: {words})
region.start()
for number in range({count}):
    region.tell()
    print("out", number)
    print("err", number, file=sys.stderr)
    subprocess.run(["sh", "-c", "echo child; echo error >&2"])
{then}
subprocess.run(["printf", "unended"])
region.end()
print("afterwards")
"""
ABOVE = ["out {0}", "err {0}", "child", "error"]


def show(words: str, count: int = 2, then: str = "", columns: int = 80) -> tuple[int, str]:
    script = SCRIPT.format(words=words, count=count, then=then)
    path = {"PYTHONPATH": str(ROOT / "workflow")}
    return on_terminal([sys.executable, "-c", script], environment() | path, columns)


def above(count: int) -> list[str]:
    return [line.format(number) for number in range(count) for line in ABOVE]


def test_whatever_is_written_scrolls_by_above_the_region_and_nothing_of_it_is_left():
    status, said = show('["timing", "x" * 60, "y" * 60]')
    assert status == 0
    assert f"timing · {'x' * 60}\r\n{'y' * 60}" in said
    assert seen(said) == [*above(2), "unendedafterwards", ""]


def test_the_region_is_as_narrow_as_the_terminal():
    _, said = show('["timing, 1 of 2 done", "fips SHA-512"]', columns=16)
    assert "timing, 1 of 2…\r\nfips SHA-512" in said


def test_words_that_fail_leave_what_is_written():
    status, said = show("1 // 0")
    assert status == 0 and seen(said) == [*above(2), "unendedafterwards", ""]


def test_a_region_that_breaks_leaves_the_terminal_to_those_who_write():
    """More than a pipe holds: who writes would wait for ever."""
    broken = "region._draw = None; print('lost'); region.join(); print('x\\n' * 100_000)"
    status, said = show("[]", then=broken)
    assert status == 0 and seen(said)[-4:] == ["x", "", "unendedafterwards", ""]
    assert said.count("x\r\n") == 100_000


def test_in_the_background_nothing_is_drawn():
    """As after Ctrl-Z and bg: who types a command there is not disturbed."""
    script = SCRIPT.format(words='["timing"]', count=1, then="")
    put_behind = "import os; os.setpgid(0, 0)\n"
    path = {"PYTHONPATH": str(ROOT / "workflow")}
    parent = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"
    status, said = on_terminal([sys.executable, "-c", parent, put_behind + script], environment() | path)
    assert status == 0 and "timing" not in said and "\x1b" not in said
