"""Child processes: bounded in time, ended as a group, dead when we are."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import Mistake

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1
# Of what a child writes, so much is kept: a source can make a compiler warn without end.
OUTPUT_BYTES = 16 << 20
# Set for the jobs of a workflow: the process that their programs have to end with, which starts them; and, for them and
# all that they start, the results that they work for.
RUN, RESULTS = "NGCC_CAMPAIGN_RUN", "NGCC_CAMPAIGN_RESULTS"
# Seconds that a killed process may take to be gone.
DEATH_SECONDS = 10


@dataclass(frozen=True)
class Completed:
    """How a child ended: exit status (minus the signal's number where one ended it), and the beginning of its words."""

    returncode: int
    stdout: bytes
    stderr: bytes
    timed_out: bool


def end_with(parent: int) -> None:
    """Ask the kernel to kill this process when `parent`, which started it, ends; at once if it has ended already."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def end_with_run() -> None:
    """End with the run of the workflow that started this process as a job, if one did; at once if that has ended."""
    if run_of := os.environ.pop(RUN, ""):
        end_with(int(run_of))


def mark(results: Path) -> None:
    """Let all that this process starts from now on be known as at work on `results`, and end with this process."""
    os.environ |= {RUN: str(os.getpid()), RESULTS: str(results.resolve())}


def end_orphans(results: Path) -> None:
    """Kill what a killed run has left at work on `results`; whoever calls holds their lock, so nobody else may be.

    Programs end with their stages, but a compiler is a grandchild of a stage, which no parent's death ends.
    """
    wanted = os.fsencode(f"{RESULTS}={results.resolve()}")
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                process = os.pidfd_open(int(entry.name))  # so that its number can't pass to another
                try:
                    if wanted in Path(entry, "environ").read_bytes().split(b"\0"):
                        signal.pidfd_send_signal(process, signal.SIGKILL)
                        select.select([process], [], [], DEATH_SECONDS)
                finally:
                    os.close(process)


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    seconds: float,
    stdout: Path | None = None,
    env: Mapping[str, str] | None = None,
    confine: Callable[[], None] | None = None,
) -> Completed:
    """Run `command` in folder `cwd` with nothing on standard input and the C locale.

    Whatever is left of its process group is killed when it ends or after `seconds`. `stdout` is a file that takes
    standard output instead of the result; `env` adds to the environment. A program that cannot be started is a
    Mistake. Output goes through files, so that a grandchild that keeps a pipe open holds nobody up. `confine` is called
    in the child before the program; what it raises is a Mistake.
    """
    parent = os.getpid()

    def begin() -> None:
        if confine:
            confine()
        end_with(parent)

    with tempfile.TemporaryFile() if stdout is None else open(stdout, "wb") as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                command,
                cwd=cwd,
                env={**os.environ, **(env or {}), "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=begin,
            )
        except OSError as error:
            raise Mistake(f"{command[0]}: cannot be run in {cwd} ({error.strerror}).") from None
        except subprocess.SubprocessError:
            raise Mistake(f"{command[0]}: the sandbox could not be entered; run again.") from None
        timed_out = False
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return Completed(process.returncode, b"" if stdout else _content(out), _content(err), timed_out)


def supervisor_end(name: str, completed: Completed, seconds: float) -> tuple[str, str] | None:
    """How a driver that supervises candidate code ended, where it did not by itself: outcome and reason.

    Candidate code can signal its parent, or stop it; only SIGKILL is also what a kernel short of memory sends.
    """
    if completed.timed_out:
        return "TIMEOUT", f"{name} itself was not done after {seconds:g} s"
    if completed.returncode < 0:
        reason = f"{name} itself was ended by signal {-completed.returncode} while the library ran"
        if completed.returncode == -signal.SIGKILL:
            return "KILLED", f"{reason}, as the kernel does where memory is short"
        return "CRASH", reason
    return None


def _content(stream) -> bytes:
    stream.seek(0)
    return stream.read(OUTPUT_BYTES)
