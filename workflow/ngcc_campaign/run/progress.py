"""How far a run is, and the words that say so.

Nothing here reads a clock, a file or a terminal: module live does, and shows what this says. Moments are in seconds
since the epoch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ..render.figures import percent

TIMING = "timing"
# What each rule does; other rules are not counted.
STAGES = {
    "host": "looking at the host",
    "drivers": "building the drivers",
    "fetch": "fetching",
    "build": "building",
    "verify": "verifying",
    "measure": TIMING,
    "measure_own": TIMING,
    "memory": "measuring memory",
    "aggregate": "making tables",
    "render": "making pages",
    "report": "making tables and pages",
}
SEPARATOR = " · "
MOST_LINES = 3


@dataclass(frozen=True)
class Job:
    """One job: words for its stage, what it is about, planned seconds; its record, if it times."""

    stage: str
    subject: str
    seconds: float
    record: Path | None = None


@dataclass
class Progress:
    """All jobs of a run, by Snakemake's numbers; when those under way began, and the seconds that those done took."""

    jobs: dict[int, Job]
    under_way: dict[int, float] = field(default_factory=dict)
    done: dict[int, float] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)
    disturbed: int = 0
    batches: int = 0

    def begin(self, jobs: Sequence[int], now: float) -> None:
        self.under_way |= {job: now for job in jobs if job in self.jobs}

    def finish(self, job: int, now: float) -> None:
        if (began := self.under_way.pop(job, None)) is not None:
            self.done[job] = now - began

    def fail(self, job: int) -> None:
        if self.under_way.pop(job, None) is not None:
            self.failed.add(job)

    def count(self, disturbed: int, batches: int) -> None:
        """Add the batches of a record."""
        self.disturbed, self.batches = self.disturbed + disturbed, self.batches + batches

    def parts(self, now: float) -> list[str]:
        """What a person wants to know, the most wanted first; nothing before the first job has begun."""
        if not (self.under_way or self.done or self.failed):
            return []
        current = next(iter(self.under_way or [*self.done, *self.failed][-1:]))
        stage = self.jobs[current].stage
        own = [job for job, one in self.jobs.items() if one.stage == stage]
        found = [
            f"{stage}, {len(self.done.keys() & {*own})} of {len(own)} done",
            self._subject(),
            self._left(now),
            f"{percent(self.disturbed / self.batches)} of batches disturbed" if self.batches else "",
            f"{len(self.failed)} job{'s' if len(self.failed) > 1 else ''} failed" if self.failed else "",
        ]
        return [part for part in found if part]

    def _subject(self) -> str:
        """What the jobs under way are about."""
        subjects = [self.jobs[job].subject for job in self.under_way]
        return f"{subjects[0]} and {len(subjects) - 1} more" if subjects[1:] else "".join(subjects)

    def _left(self, now: float) -> str:
        """The time left, and when that will be; from the plan alone where most of it is of stages not yet tried.

        Nothing where a job takes longer than twice what was expected of it and than all that is left: who knows.
        """
        (seconds, untried), pace = self.seconds_left(now), self._pace()
        overdue = [
            number
            for number, began in self.under_way.items()
            if now - began > max(2 * self._expected(number, pace), seconds)
        ]
        if overdue or not seconds:
            return ""
        source = " by the plan" if 2 * untried > seconds else ""
        return f"{_length(seconds)} left{source}, done about {_moment(now + seconds, now)}"

    def seconds_left(self, now: float) -> tuple[float, float]:
        """What all jobs to come are planned to take, at the pace of their stage in this run so far, as if one ran at a
        time; and how much of it is of stages whose pace nobody knows yet.
        """
        pace, seconds, untried = self._pace(), 0.0, 0.0
        for number, job in self.jobs.items():
            if number not in self.done and number not in self.failed:
                spent = now - self.under_way.get(number, now)
                expected = max(self._expected(number, pace) - spent, 0)
                seconds += expected
                untried += expected if job.stage not in pace else 0
        return seconds, untried

    def _expected(self, number: int, pace: dict[str, float]) -> float:
        job = self.jobs[number]
        return job.seconds * pace.get(job.stage, 1)

    def _pace(self) -> dict[str, float]:
        """By stage, what its finished jobs took over what they were planned to take."""
        took, planned = Counter(), Counter()
        for number, seconds in self.done.items():
            took[self.jobs[number].stage] += seconds
            planned[self.jobs[number].stage] += self.jobs[number].seconds
        return {stage: took[stage] / seconds for stage, seconds in planned.items() if seconds}


def layout(parts: Sequence[str], width: int) -> list[str]:
    """`parts` in at most three lines of at most `width` characters; a part that is longer is cut."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(SEPARATOR) + len(part) <= width:
            lines[-1] += SEPARATOR + part
        else:
            lines.append(part)
    return [line if len(line) <= width else f"{line[: max(width - 1, 0)]}…" for line in lines[:MOST_LINES]]


def _length(seconds: float) -> str:
    """Tens of seconds below a minute, else minutes, from an hour and a half on with hours."""
    if seconds < 55:
        return f"{max(round(seconds, -1), 10):.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"


def _moment(then: float, now: float) -> str:
    """The time of day, with its day where that is not today."""
    day, today = datetime.fromtimestamp(then), datetime.fromtimestamp(now)
    return f"{day:%H:%M}" if day.date() == today.date() else f"{day:%a %d %b, %H:%M}"
