"""What a person sees while a campaign runs: on a terminal a live region, elsewhere a line a minute.

Snakemake tells handlers of its logger of each job that begins and ends. Nothing here may harm a run: where it goes
wrong, nothing more is shown. Nor may it disturb what is timed: records are read when their jobs have ended.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from snakemake.logging import logger
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from ..campaign import duration
from ..campaign.campaign import Campaign
from ..common.files import read_json
from ..measure import disturbance
from ..measure.own import CANDIDATE
from . import interrupts
from .display import Lines, Region
from .progress import STAGES, TIMING, Job, Progress

# What Snakemake says of each job, which the region says better.
CHATTER = (LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS)
SELECTS = "Select jobs to execute"


@contextlib.contextmanager
def shown(workflow, campaign: Campaign) -> Iterator[None]:
    """Show how far the run is while its jobs run; nothing where the person wants Snakemake quiet about progress."""
    if {Quietness.PROGRESS, Quietness.ALL} & {*(workflow.output_settings.quiet or ())}:
        yield
        return
    watcher = Watcher(lambda: planned(workflow.dag, campaign))
    logger.addHandler(watcher)
    interrupts.before_end(watcher.close)
    try:
        yield
    finally:
        logger.removeHandler(watcher)
        with contextlib.suppress(Exception):
            watcher.close()


def planned(dag, campaign: Campaign) -> Progress:
    """The jobs that Snakemake is about to run, with what each is planned to take."""
    plan = campaign.settings.plan
    costs = duration.Costs(campaign.results, campaign.settings.system["id"])
    jobs = {}
    for job in dag.needrun_jobs():
        rule, names = job.rule.name, dict(job.wildcards_dict)
        if rule not in STAGES:
            continue
        seconds, record = duration.JOB_SECONDS.get(rule, 0), None
        if STAGES[rule] == TIMING:
            record = Path(job.output[0])
            key = tuple(names.values()) if rule == "measure" else (CANDIDATE, names["own"], "")
            seconds = duration.record_seconds(costs.look_up(record, key)[0], plan)
        jobs[job.jobid] = Job(STAGES[rule], _subject(names), seconds, record)
    return Progress(jobs)


def _subject(names: dict[str, str]) -> str:
    """What a job is about, by its wildcards."""
    length = int(names.pop("message_bytes", 0))
    size = f"{length // 1024} KiB" if length and length % 1024 == 0 else f"{length} B" if length else ""
    return " ".join(filter(None, [*names.values(), size]))


def is_terminal() -> bool:
    """Whether a person looks at standard error on a terminal that can move its cursor."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class Watcher(logging.Handler):
    """Keeps a run's progress by Snakemake's events. `planned` gives it, once the jobs are known."""

    def __init__(self, planned: Callable[[], Progress]) -> None:
        super().__init__()
        self._planned, self._progress = planned, None
        self._offset = time.time() - time.monotonic()  # kept, as a clock may be set while jobs run
        if not is_terminal():
            self._display = Lines(self.parts, logger.info)
            return
        self._display = Region(self.parts)
        for handler in logger.handlers:
            if not isinstance(handler, logging.FileHandler):
                handler.addFilter(self.is_wanted)

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._note(record)
        except Exception:
            self._progress = None

    def parts(self) -> list[str]:
        """What is to be shown now; called by the display's own thread."""
        with self.lock:
            return self._progress.parts(self._now()) if self._progress else []

    def is_wanted(self, record: logging.LogRecord) -> bool:
        """Whether a terminal should have what Snakemake says, beside the region."""
        is_chatter = getattr(record, "event", None) in CHATTER or str(record.msg).startswith(SELECTS)
        return not (is_chatter and self._progress)

    def close(self) -> None:
        if self._display.is_alive():
            self._display.end()
        super().close()

    def _now(self) -> float:
        return time.monotonic() + self._offset

    def _note(self, record: logging.LogRecord) -> None:
        event, progress, now = getattr(record, "event", None), self._progress, self._now()
        if event == LogEvent.RUN_INFO:
            self._progress = self._planned()
            self._display.start()
        elif progress is None:
            return
        elif event == LogEvent.JOB_STARTED:
            progress.begin(record.jobs, now)
            self._display.tell()
        elif event == LogEvent.JOB_FINISHED:
            progress.finish(record.job_id, now)
            if (job := progress.jobs.get(record.job_id)) and job.record:
                progress.count(*disturbance.told(read_json(job.record)))
        elif event == LogEvent.JOB_ERROR:
            progress.fail(record.jobid)
