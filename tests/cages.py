"""Cages for the animals of tests/zoo: what they could harm, and what is seen of a visit to them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from perf import QUICK

SCHEMAS = {"kat": "kat_run", "perf": "record", "memory": "memory_run"}


def command(native: Path, driver: str, library: Path, seconds: int) -> list[str]:
    """ngcc_perf has limits of its own."""
    options = {
        "kat": ["--instance", "Animal", "--file", "2_12", "--seconds", seconds],
        "perf": ["--bytes", 64, *QUICK, "--budget-seconds", 0.1],
        "memory": ["--bytes", 64, "--processes", 1, "--seconds", seconds],
    }
    program = native / f"ngcc_{driver}"
    return [str(part) for part in (program, "--library", library, "--digest-bits", 256, *options[driver])]


def judged(driver: str, document: dict) -> tuple[str, str]:
    """Outcome and reason. MEASURED is DONE."""
    entries = {"kat": "files", "memory": "operations"}.get(driver)
    told = document[entries][0] if entries else document
    outcome = told["status" if driver == "perf" else "outcome"]
    return "DONE" if outcome == "MEASURED" else outcome, told["reason"]


class Visit(NamedTuple):
    """What was seen of a driver and its animal."""

    status: int
    error: str
    output: str
    touched: bool  # whether anything in the cage was changed


class Cage:
    """A folder for one run: one to work in, and one that is somebody else's."""

    def __init__(self, folder: Path, neighbour: int, port: int) -> None:
        self.victim, self.work = folder / "victim", folder / "work"
        for made in (folder, self.victim, self.work):
            made.mkdir()
        (self.victim / "file").write_text("untouched")
        self.macros = (f'-DVICTIM="{self.victim}"', f"-DVICTIM_PID={neighbour}", f"-DVICTIM_PORT={port}")

    def _look(self) -> list[tuple]:
        """Everything that a library could change, but for the time at which a file was read."""
        paths = [self.victim, self.work, *self.victim.iterdir(), *self.work.iterdir()]
        facts = [(str(path), path.lstat()) for path in sorted(paths)]
        return [(path, at.st_mode, at.st_nlink, at.st_size, at.st_mtime_ns, at.st_ctime_ns) for path, at in facts]

    def visited(self, command: list[str], library: Path) -> Visit:
        """Runs a driver to its end, for 120 s at most."""
        shutil.copy(library, self.victim / "library.so")
        before = self._look()
        ran = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=self.work,
            timeout=120,
            start_new_session=True,
            env=os.environ | {"NGCC_ZOO_SECRET": "secret"},
        )
        said = [line for line in ran.stderr.splitlines() if not line.startswith("ngcc_perf: waiting for CPU")]
        return Visit(ran.returncode, "".join(said), ran.stdout, self._look() != before)


@contextlib.contextmanager
def adopting() -> Iterator[Callable[[], set[str]]]:
    """While it lasts, whatever outlives its driver becomes a child of this process. Gives a list of the children."""
    libc = ctypes.CDLL(None)
    PR_SET_CHILD_SUBREAPER = 36
    assert libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0

    def children() -> set[str]:
        tasks = Path("/proc/self/task").iterdir()
        return {pid for task in tasks for pid in (task / "children").read_text().split()}

    yield children
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def child_that_computes(parent: int) -> int:
    """The child of a driver that has used 0.2 s of CPU time: it is in the library. Waits for it."""
    ticks = 0.2 * os.sysconf("SC_CLK_TCK")
    for _ in range(6000):
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            if int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11]) >= ticks:
                return int(child)
        time.sleep(0.01)
    raise AssertionError("no library within 60 s")


def has_ended(child: int) -> bool:
    """Of a process that was adopted, within 20 s. Else kills it."""
    for _ in range(2000):
        with contextlib.suppress(ChildProcessError):  # it is not yet adopted
            if os.waitpid(child, os.WNOHANG)[0] == child:
                return True
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    return False
