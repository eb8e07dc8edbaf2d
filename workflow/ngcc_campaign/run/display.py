"""Two ways to show a few words that change: a live region at the end of a terminal, and lines in a log.

Each is a thread that asks for the words by itself; an error there shows nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime

from .progress import SEPARATOR, layout

# Seconds between lines; between looks at the region while nothing happens; and at least between two drawings of it.
LINE_SECONDS, LOOK_SECONDS, LEAST_SECONDS = 60, 10, 1
STDOUT, STDERR = 1, 2
READ_BYTES = 1 << 16

Words = Callable[[], list[str]]


class Lines(threading.Thread):
    """A line a minute, with the time of day."""

    def __init__(self, words: Words, say: Callable[[str], None]) -> None:
        super().__init__(daemon=True)
        self._words, self._say, self._ended = words, say, threading.Event()

    def tell(self) -> None:
        """A job has begun; the line can wait."""

    def end(self) -> None:
        self._ended.set()
        self.join()

    def run(self) -> None:
        with contextlib.suppress(Exception):
            while not self._ended.wait(LINE_SECONDS):
                if words := self._words():
                    self._say(f"{datetime.now():%H:%M} {SEPARATOR.join(words)}")


class Region(threading.Thread):
    """The last one to three lines of the terminal on standard error, redrawn in place.

    Whatever this process and its jobs write to the terminal goes through this thread, which lets it scroll by above the
    region: there is one writer, and no two mix. In the background nothing is drawn.
    """

    def __init__(self, words: Words) -> None:
        super().__init__(daemon=True)
        self._words, self._ending = words, False
        self._drawn, self._drawn_at = 0, 0.0  # lines, and when

    def start(self) -> None:
        is_one = os.path.samestat(os.fstat(STDOUT), os.fstat(STDERR))
        self._terminals = {stream: os.dup(stream) for stream in ((STDOUT, STDERR) if is_one else (STDERR,))}
        self._reader, writer = os.pipe()
        self._bell = os.eventfd(0)
        for stream in self._terminals:
            os.dup2(writer, stream)
        os.close(writer)
        super().start()

    def tell(self) -> None:
        """A job has begun."""
        os.eventfd_write(self._bell, 1)

    def end(self) -> None:
        """Take the region away and leave the terminal to others."""
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        self._ending = True
        self.tell()
        self.join()

    def run(self) -> None:
        try:
            self._pass_on()
        finally:  # also after an error, or who writes would wait for ever
            for stream, terminal in self._terminals.items():
                os.dup2(terminal, stream)

    def _pass_on(self) -> None:
        unfinished, draw_at = b"", time.monotonic() + LOOK_SECONDS
        while not self._ending:
            ready = self._ready(max(draw_at - time.monotonic(), 0))
            if self._bell in ready:
                os.eventfd_read(self._bell)
                draw_at = min(draw_at, self._drawn_at + LEAST_SECONDS)
            new = os.read(self._reader, READ_BYTES) if self._reader in ready else b""
            whole, end, unfinished = (unfinished + new).rpartition(b"\n")
            if end or not ready:
                self._draw(whole + end)
                draw_at = self._drawn_at + LOOK_SECONDS
        while self._reader in self._ready(0):
            unfinished += os.read(self._reader, READ_BYTES)
        self._write(self._erased() + unfinished)

    def _ready(self, seconds: float) -> list[int]:
        """What can be read within so many seconds: what was written, the bell, both or none."""
        return select.select([self._reader, self._bell], [], [], seconds)[0]

    def _draw(self, above: bytes) -> None:
        """Write `above` in the place of the region, and the region below it."""
        lines = self._lines()
        text = "\n".join(lines).encode(sys.stderr.encoding, "replace")
        self._write(self._erased() + above + text)
        self._drawn, self._drawn_at = len(lines), time.monotonic()

    def _erased(self) -> bytes:
        """What takes the region away; the cursor is at the end of its last line."""
        up = f"\x1b[{self._drawn - 1}A" if self._drawn > 1 else ""
        return f"\r{up}\x1b[J".encode() if self._drawn else b""

    def _lines(self) -> list[str]:
        try:
            terminal = self._terminals[STDERR]
            with contextlib.suppress(OSError):  # it is nobody's terminal
                if os.tcgetpgrp(terminal) != os.getpgrp():
                    self._drawn = 0
                    return []
            return layout(self._words(), (os.get_terminal_size(terminal).columns or 80) - 1)
        except Exception:
            return []

    def _write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone
            while data:
                data = data[os.write(self._terminals[STDERR], data) :]
