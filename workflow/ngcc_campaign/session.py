"""One run of the workflow: its lock, what it must make again, and its last words.

Snakemake offers no hook that also runs when nothing is left to do, and none before the job graph is drawn, so
`Workflow.execute` is wrapped: everything here happens once per run, in the main process.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from snakemake.exceptions import WorkflowError

from . import processes, tables
from .campaign import Campaign
from .errors import Mistake
from .settings import ROOT

# Targets that rest on stored evidence alone.
STORED = frozenset({"report"})
# Exit statuses: something asked for is missing; a person's mistake, such as an archive that is not the stated one.
MISSING, MISTAKE = 3, 1


def find_own_programs() -> None:
    """Let jobs find the programs of this Python environment, activated or not, and the package of this clone.

    And let them end with this process: a job that outlives a killed run would work beside the next one.
    """
    os.environ[processes.DIES_WITH_PARENT] = "1"
    own = os.path.dirname(sys.executable)
    os.environ["PATH"] = os.pathsep.join([own, os.environ.get("PATH", os.defpath)])
    package = str(ROOT / "workflow")
    os.environ["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])


def guard(workflow, campaign: Campaign) -> None:
    """Wrap the workflow's execution: lock the results, force what is stale, and end with what is missing."""
    if not workflow.is_main_process:
        return
    execute = workflow.execute

    def guarded(*args, **kwargs):
        settings = workflow.dag_settings
        targets = set(settings.targets)
        dry = kwargs["executor_plugin"].common_settings.dryrun_exec
        try:
            if not targets & STORED:
                campaign.asked_for |= {Path(path) for path in settings.forcerun if Path(path) in campaign.evidence}
                settings.forcerun = {*settings.forcerun, *forced(campaign, targets)}
            with nullcontext() if dry else locked(campaign.results):
                began = time.time()
                try:
                    execute(*args, **kwargs)
                except WorkflowError:
                    print_failures(campaign, began)
                    raise
        except Mistake as mistake:
            sys.exit(f"ngcc-perf: {mistake}")
        if not dry and targets <= {"all", *STORED}:
            status = last_words(campaign)
            if status:
                sys.exit(status)

    workflow.execute = guarded


def forced(campaign: Campaign, targets: set[str]) -> set[str]:
    """Stale evidence that the targets rest on, as Snakemake names it; each is said with its reason."""
    stale = campaign.stale
    if not targets <= {"all"}:
        wanted = campaign.with_needs({Path(target) for target in targets})
        stale = {path: reason for path, reason in stale.items() if path in wanted}
    for reason, paths in _by_reason(stale).items():
        print(f"stale: {paths} ({reason})", file=sys.stderr)
    return {str(path) for path in stale}


def _by_reason(stale: dict[Path, str]) -> dict[str, str]:
    groups: dict[str, list[Path]] = {}
    for path, reason in sorted(stale.items()):
        groups.setdefault(reason, []).append(path)
    return {
        reason: str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        for reason, paths in groups.items()
    }


@contextmanager
def locked(results: Path) -> Iterator[None]:
    """Hold the results folder for this run; the kernel lets go of it when the process ends, however it ends."""
    try:
        results.mkdir(parents=True, exist_ok=True)
        handle = os.open(results / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise Mistake(f"{results}: cannot be written ({error.strerror}); nothing was measured.") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise Mistake(f"{results}: another run is at work there; wait until it ends.") from None
    finally:
        os.close(handle)


def print_failures(campaign: Campaign, began: float) -> None:
    """What the jobs of this run said of their failures, as the last words of a run that failed."""
    for log in sorted((campaign.results / "logs").rglob("*.log")):
        if log.stat().st_mtime >= began:
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            sentences = [line for line in lines if line.startswith(("ngcc-campaign: ", "ngcc_perf: "))]
            if sentences:
                print(f"failed: {log.relative_to(campaign.results / 'logs').with_suffix('')}: {sentences[-1]}")
    print("What is done is kept; the same command goes on from here.")


def last_words(campaign: Campaign) -> int:
    """Print what is missing, with reasons, and where the report lies; the exit status that says so."""
    missing = tables.read(campaign.results, "missing")
    for row in missing:
        name = "/".join(part for part in (row["candidate"], row["instance"]) if part)
        print(f"missing: {' '.join(part for part in (name, row['operation']) if part)}: {row['reason']}")
    print(f"Report: {campaign.results / 'report' / 'index.md'}")
    if any(row["outcome"] == "MISTAKE" for row in tables.read(campaign.results, "candidates")):
        return MISTAKE
    return MISSING if missing else 0
