"""How a run ends: what failed, what is missing and why, and the command that completes it."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

from ..aggregate import tables
from ..campaign.campaign import Campaign
from ..common import processes
from ..common.printable import printable
from ..render import marks
from ..render.site import names
from .interrupts import going_on

# Exit statuses: something asked for is missing; a person's mistake, such as an archive that is not the stated one.
MISSING, MISTAKE = 3, 1
# How the driver says that it has to wait, which is no failure.
WAITS = "ngcc_perf: waiting for CPU"
SPEAKERS = ("ngcc-campaign: ", "ngcc_perf: ")
SILENT = "it ended without a word: killed, by a person or by the kernel where memory is short"
# Bounds a stage that is run after failures.
SECONDS = 3600


def sentence(error: OSError) -> str:
    """What stopped a run that could not keep its own notes, and what to do."""
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}.\n{going_on()}"


def after_failures(campaign: Campaign, scheduler, targets: set[str]) -> bool:
    """Say what failed in this run; True where there are tables and pages all the same, of the evidence that there is.

    `scheduler` is Snakemake's, None where no job was run. Its own jobs do not make tables where evidence is missing.
    """
    failed = {Path(str(job.log[0])): job.rule.name for job in scheduler.failed if job.log} if scheduler else {}
    told: dict[str, list[str]] = {}
    for log in sorted(failed):
        name = log.relative_to(campaign.results / "logs").with_suffix("").as_posix()
        told.setdefault(_last_sentence(log), []).append(name)
    for reason, jobs in told.items():
        print(f"failed: {jobs[0]}{f' and {len(jobs) - 1} more' if jobs[1:] else ''}: {reason}")
    if _is_full(campaign.results):
        print(f"{campaign.results}: no space is left there.")
    is_interrupted = scheduler is None or bool(scheduler.open_jobs)
    is_whole = targets <= {"all"} and campaign.host.exists() and not {"aggregate", "render"} & {*failed.values()}
    return bool(failed) and is_whole and not is_interrupted and _tell_what_there_is(campaign)


def _last_sentence(log: Path) -> str:
    """What a job said of its failure; what may be behind it where it could not even say that."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    told = [line for line in lines if line.startswith(SPEAKERS) and not line.startswith(WAITS)]
    return printable(told[-1]) if told else SILENT


def _is_full(folder: Path) -> bool:
    """Whether the disk takes no more: no byte, or no file where it counts them."""
    disk = os.statvfs(folder)
    return disk.f_bavail == 0 or (disk.f_files > 0 and disk.f_favail == 0)


def _tell_what_there_is(campaign: Campaign) -> bool:
    """Make tables and pages of the evidence that there is; False, with the reason, where they can't be made."""
    compare = campaign.settings.compare
    for stage, options in (
        ("aggregate", campaign.evidence_options(campaign.decision)),
        ("render", ["--compare", compare] if compare else []),
    ):
        parts = ["ngcc-campaign", stage, str(campaign.results), *options]
        completed = processes.run(parts, cwd=Path.cwd(), seconds=SECONDS)
        if completed.returncode:
            words = completed.stderr.decode(errors="replace").splitlines()
            print(f"failed: {stage}: {printable(words[-1]) if words else SILENT}")
            return False
    return True


def last_words(campaign: Campaign, failed: bool, *, measures: bool) -> int:
    """Print what is missing, with reasons, where the report lies, and the command that completes it where there is one.

    The exit status that says so. `failed`: jobs of this run failed; `measures`: it asked for more than what is stored.
    """
    if not tables.path(campaign.results, "missing").exists():
        return 0  # a run that was to end before its tables
    missing = tables.read(campaign.results, "missing")
    for row in missing:
        name = "/".join(part for part in (row["candidate"], row["instance"]) if part)
        print(f"missing: {' '.join(part for part in (name, row['operation']) if part)}: {printable(row['reason'])}")
    if tables.path(campaign.results, "performance").exists() and (
        told := marks.told(tables.read(campaign.results, "performance"))
    ):
        print(told)
    report = campaign.results / "report"
    print(f"Site: {report / names.page('en', 'index')}")
    print(f"Report: {report / 'index.md'}")
    if failed or (missing and measures and _is_incomplete(campaign)):
        print(going_on())
    if any(row["outcome"] == "MISTAKE" for row in tables.read(campaign.results, "candidates")):
        return MISTAKE
    return MISSING if missing or failed else 0


def _is_incomplete(campaign: Campaign) -> bool:
    """Whether the same command would make something again, as things stand after this run."""
    return campaign.kind == "measured" and bool(Campaign(dataclasses.replace(campaign.settings, retime=())).unsettled)
