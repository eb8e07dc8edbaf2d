"""One run of the workflow: its lock, and what it must make again.

Snakemake offers no hook that also runs when nothing is left to do, and none before the job graph is drawn, so
`Workflow.execute` is wrapped: everything here happens once per run, in the main process.
"""

from __future__ import annotations

import difflib
import fcntl
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import fields
from pathlib import Path

from snakemake.exceptions import WorkflowError, print_exception

from ..build import drivers
from ..build.build import UNUSABLE_PATH as UNUSABLE
from ..campaign import duration
from ..campaign.campaign import Campaign
from ..campaign.evidence import Decision, hindrance
from ..campaign.settings import FOLDERS, Versus
from ..common import processes
from ..common.errors import Mistake
from ..common.printable import printable
from ..common.root import ROOT
from ..host import host
from ..published import comparison, published
from . import ending, interrupts, live

# Targets that rest on stored evidence alone.
STORED = frozenset({"report"})
# Targets that are answered at once, with no job.
ALONE = frozenset({"host", "plan", "audit", "bundle", "compare"})


def find_own_programs() -> None:
    """Let jobs find the programs of this Python environment, activated or not, and the package of this clone."""
    own = os.path.dirname(sys.executable)
    os.environ["PATH"] = os.pathsep.join([own, os.environ.get("PATH", os.defpath)])
    package = str(ROOT / "workflow")
    os.environ["PYTHONPATH"] = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])


def guard(workflow, campaign: Campaign) -> None:
    """Wrap the workflow's execution: lock the results, force what is stale, and end with what is missing."""
    if not workflow.is_main_process:
        return
    execute = interrupts.held(workflow.execute)

    def guarded(*args, **kwargs):
        settings = workflow.dag_settings
        targets = set(settings.targets)
        dry = kwargs["executor_plugin"].common_settings.dryrun_exec
        try:
            check_targets(targets, {"all", *STORED, *ALONE, *(rule.name for rule in workflow.rules)})
            check_versus(campaign, targets)
            if targets & ALONE:
                sys.exit(answer(campaign, targets))
            check(campaign)
            if targets & STORED:
                check_retime(campaign, campaign.stored_decision)
                print(f"evidence: {campaign.stored_decision.statement}", file=sys.stderr)
            else:
                settings.forcerun = {*settings.forcerun, *prepare(campaign, targets, settings)}
            if dry:
                return execute(*args, **kwargs)
            with locked(campaign.results):
                status = work(workflow, campaign, targets, lambda: execute(*args, **kwargs))
        except Mistake as mistake:
            sys.exit(f"ngcc-perf: {mistake}")
        except OSError as error:
            sys.exit(f"ngcc-perf: {ending.sentence(error)}")
        if status:
            sys.exit(status)

    workflow.execute = guarded
    _ignore_time_stamps()


def _ignore_time_stamps() -> None:
    """Keep what a job made though it looks older than what it was made from, as when the clock was set back meanwhile.

    Snakemake would take it away, and fail until the clock is where it was.
    """
    from snakemake.dag import DAG  # only once there is a workflow: their modules import one another

    async def keep(*_: object) -> None:
        pass

    DAG.check_output_mtime = keep


def work(workflow, campaign: Campaign, targets: set[str], execute: Callable[[], None]) -> int:
    """Run the jobs and say how it ended; the exit status, where there are tables and pages, or were not asked for."""
    failed = False
    try:
        with live.shown(workflow, campaign):
            execute()
    except WorkflowError as error:
        failed = True
        if not ending.after_failures(campaign, workflow.scheduler, targets):
            print_exception(error, workflow.linemaps)
            sys.exit(interrupts.going_on())
    if not targets <= {"all", *STORED}:
        return 0
    return ending.last_words(campaign, failed, measures=not targets & STORED)


def check_targets(targets: set[str], known: set[str]) -> None:
    """Raise Mistake where a setting stands among the targets, as it does without --config before it, or a word that
    is neither one of the `known` targets nor a file.
    """
    if settings := sorted(target for target in targets if re.match(r"\w+=", target)):
        raise Mistake(f"{settings[0]}: there is no such target; did you mean --config {' '.join(settings)}?")
    for word in sorted(target for target in targets - known if re.fullmatch(r"[\w-]+", target)):
        if not Path(word).exists():
            meant = difflib.get_close_matches(word, sorted(known), 1) or sorted({"all", *STORED, *ALONE})
            raise Mistake(f"{word}: there is no such target; did you mean {' or '.join(meant)}?")


def check(campaign: Campaign) -> None:
    """Raise Mistake now, not after hours of measuring, where tables or pages can't be made."""
    check_places(
        campaign.results,
        [*campaign.tables, *campaign.pages, *campaign.data, *campaign.notes, *(one[0] for one in campaign.drawings)],
    )
    check_published(campaign)


def check_places(results: Path, files: Iterable[Path]) -> None:
    """Raise Mistake where something else is in the place of a folder of results, or of one of the `files` in it."""
    folders = {results, *(results / name for name in (*FOLDERS, "logs"))}
    for folder in sorted(folders.union(*({*file.parents} for file in files)) | {*results.parents}):
        if folder.is_symlink() and not folder.exists():
            gone = f"it is a link to '{os.readlink(folder)}', which is not there"
            raise Mistake(f"{folder}: {gone}; mend it, or take it away.")
        if folder.exists() and not folder.is_dir():
            raise Mistake(f"{folder}: it is a file where a folder of results should be; take it away.")
    for file in files:
        if file.is_dir():
            raise Mistake(f"{file}: it is a folder where a file should be; take it away.")


def check_retime(campaign: Campaign, decision: Decision) -> None:
    """Raise Mistake where something is to be timed again and nothing is timed."""
    if campaign.settings.retime and decision.kind != "measured":
        sentence = f"nothing is timed for a report of {decision.kind} evidence ({decision.statement.splitlines()[0]})"
        raise Mistake(f"retime: {sentence.rstrip(').:;')}); leave it out, or measure.")


def check_versus(campaign: Campaign, targets: set[str]) -> None:
    """Raise Mistake where keys of `compare` are given to a run that compares nothing."""
    asked, nothing = campaign.settings.versus, Versus()
    given = [field.name for field in fields(Versus) if getattr(asked, field.name) != getattr(nothing, field.name)]
    if given and "compare" not in targets:
        hint = "; submissions are chosen by candidates=" if given == ["candidate"] else ""
        raise Mistake(f"{given[0]}: it belongs to the target `compare`, which was not asked for{hint}.")


def check_published(campaign: Campaign) -> None:
    """Raise Mistake where pages will find damage in what they compare with."""
    published.read_all(published.FOLDER)
    if system := campaign.settings.compare:
        comparison.load(published.FOLDER, system)


def answer(campaign: Campaign, targets: set[str]) -> int:
    """Do what needs no job; the exit status."""
    if len(targets) > 1:
        raise Mistake(f"{' '.join(sorted(targets & ALONE))}: ask for it alone, in a run of its own.")
    if targets <= {"host", "plan"}:
        return show_host(campaign) if targets == {"host"} else show_plan(campaign)
    from ..audit import audit  # slow to import, and most runs need none of them
    from ..bundle import bundle  # slow to import, and most runs need none of them
    from ..compare import compare  # slow to import, and most runs need none of them

    if targets == {"compare"}:
        return compare.compare_into_results(campaign.settings.versus)
    results = campaign.results
    with locked(results) if results.is_dir() else nullcontext():
        if targets == {"audit"}:
            return audit.report(results)
        print(bundle.bundle(results, results.with_name(f"{results.name}.zip")))
        return 0


def show_host(campaign: Campaign) -> int:
    """Print what this host is and what keeps it from being the system; 0 only where all fits."""
    text, fits = host.shown(campaign.facts, campaign.settings.system)
    print(text)
    return 0 if fits else 1


def show_plan(campaign: Campaign) -> int:
    """Print how long a measuring campaign takes from here, and whether this host can run it."""
    settings = campaign.settings
    pending = [path for path in campaign.evidence if not campaign.is_settled(path)]
    shares = duration.estimate(
        settings.candidates, settings.plan, system=settings.system["id"], results=campaign.results, pending=pending
    )
    print(duration.table(shares, settings.plan))
    if told := hindrance(settings.system, campaign.holdings, unfit_host=settings.unfit_host):
        print(told)
    return 0


def prepare(campaign: Campaign, targets: set[str], settings) -> set[str]:
    """What has to be made again before the targets can rest on it; says which evidence they are made from.

    `settings` are Snakemake's: what the person forces (-F, -R rule or file) is asked for, too.
    """
    decision = campaign.decision
    check_retime(campaign, decision)
    print(f"evidence: {decision.statement}", file=sys.stderr)
    if decision.kind == "measured":
        check_places(campaign.results, campaign.evidence)
        if unusable := UNUSABLE.search(str(Path.cwd())):
            raise Mistake(f"the working directory's path holds {unusable[0]!r}, which no build tool takes; move it.")
        host.choose_cpu(campaign.settings.system["cpu"], campaign.facts)
        if campaign.settings.sandbox == "require" and campaign.is_settled(campaign.drivers):
            drivers.check_sandbox(campaign.drivers.parent)
        asked = settings.forcerun if not settings.forceall else campaign.evidence
        for one in asked:
            campaign.asked_for |= {Path(one)} & campaign.evidence.keys() or campaign.made_by(str(one))
    return forced(campaign, targets)


def forced(campaign: Campaign, targets: set[str]) -> set[str]:
    """What the targets rest on and has to be made, as Snakemake names it; what is stale is said with its reason."""
    unsettled = campaign.unsettled
    paths = {Path(target) for target in targets}
    if paths and campaign.kind == "measured" and paths <= campaign.evidence.keys():
        unsettled &= campaign.with_needs(paths)
    stale = {path: reason for path, reason in campaign.stale.items() if path in unsettled}
    for reason, named in _by_reason(stale).items():
        print(f"stale: {named} ({printable(reason)})", file=sys.stderr)
    gone = {table for table in campaign.tables if not table.exists()} if targets <= {"all"} else set()
    return {str(path) for path in (*unsettled, *gone)}


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
        processes.end_orphans(results)
        processes.mark(results)
        sweep(results)
        yield
    except BlockingIOError:
        raise Mistake(f"{results}: another run is at work there; wait until it ends.") from None
    finally:
        os.close(handle)


def sweep(results: Path) -> None:
    """Remove what killed runs left under temporary names."""
    _remove(*results.glob("tmp.*"), *results.rglob(".*.part"), *results.rglob(".*.tmp"))
    for lock in (results.parent / "sources").glob(".*.lock"):
        with suppress(OSError):  # another system's run is at work there, or they are another user's
            _sweep_fetched(lock)


def _sweep_fetched(lock: Path) -> None:
    """The same of a candidate's archive and sources, which all systems share; `lock` is the fetch stage's."""
    sources, name = lock.parent, lock.stem
    with open(lock, "rb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(sources / f"{name}.part", sources / f"{name}.old", *sources.glob(f"{name}.sha256.*.tmp"))
        _remove(sources.with_name("archives") / f"{name}.zip.part")


def _remove(*paths: Path) -> None:
    for path in paths:
        is_folder = path.is_dir() and not path.is_symlink()
        shutil.rmtree(path, ignore_errors=True) if is_folder else path.unlink(missing_ok=True)
