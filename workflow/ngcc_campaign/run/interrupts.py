"""What Ctrl-C does: the run ends at once, in one sentence, wherever it is.

Nothing is raised in the main thread: Python throws an exception away where it comes up in the wrong function, and
Snakemake takes the jobs that it ends for failures. What a run leaves behind so is what a killed one leaves.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from ..common import processes

# As of a program that a shell saw interrupted.
STATUS = 128 + signal.SIGINT

_rung: list[int] = []
_before: list[Callable[[], None]] = []


def going_on() -> str:
    """The last line of a run that is not complete: the same command, for a shell."""
    return f"What is done is kept; go on from here with: {shlex.join(['snakemake', *sys.argv[1:]])}"


def heed() -> None:
    """End this process in a sentence from now on when it is interrupted; not where it shall not heed interrupts."""
    if signal.getsignal(signal.SIGINT) != signal.default_int_handler:
        return
    bell = os.eventfd(0)

    def ring(number: int, _: object) -> None:
        _rung.append(number)
        logging.disable()  # jobs end by the same Ctrl-C, which is no failure of theirs
        os.eventfd_write(bell, 1)

    threading.Thread(target=_end, args=(bell,), daemon=True).start()
    signal.signal(signal.SIGINT, ring)


def before_end(do: Callable[[], None]) -> None:
    """Call `do` before the sentence, in another thread than the main one."""
    _before.append(do)


def held(execute: Callable[..., bool]) -> Callable[..., bool]:
    """`execute`, which does not come back once this process is interrupted: what it would tell is not so."""

    def executed(*args, **kwargs) -> bool:
        try:
            return execute(*args, **kwargs)
        finally:
            while _rung:
                signal.pause()

    return executed


def _end(bell: int) -> None:
    """Wait for the bell; then say so, and end all jobs and this process."""
    os.eventfd_read(bell)
    with contextlib.suppress(Exception):
        for do in _before:
            do()
    with contextlib.suppress(Exception):
        print(f"ngcc-perf: interrupted.\n{going_on()}", file=sys.stderr, flush=True)
    with contextlib.suppress(Exception):
        if results := os.environ.get(processes.RESULTS):
            processes.end_orphans(Path(results))
    os._exit(STATUS)
