"""Running a program on a terminal of its own, and what a person then sees there."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Mapping, Sequence

CTRL_C = b"\x03"
SECONDS = 120


def on_terminal(
    command: Sequence[str], env: Mapping[str, str], columns: int = 80, interrupt_at: str = "\0"
) -> tuple[int, str]:
    """Exit status, and all that was written; Ctrl-C is typed when `interrupt_at` is read."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvpe(command[0], command, {**env, "TERM": "xterm"})
    said, end = b"", time.monotonic() + SECONDS
    while new := _read(terminal, end - time.monotonic()):
        said += new
        if interrupt_at.encode() in said:
            os.write(terminal, CTRL_C)
            interrupt_at = "\0"
    os.close(terminal)  # who is still there has lost his terminal
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), said.decode()


def _read(terminal: int, seconds: float) -> bytes:
    """What was written; empty where there is no more, or not within so many seconds."""
    try:
        return os.read(terminal, 1 << 16) if select.select([terminal], [], [], max(seconds, 0))[0] else b""
    except OSError:  # nobody has it open any more
        return b""


def seen(said: str) -> list[str]:
    """The lines that are left on an endless terminal, by the few sequences that we write."""
    lines, row, column = [""], 0, 0
    for text, up, new_line, erase, back in re.findall(
        r"([^\x1b\r\n]+)|\x1b\[(\d+)A|(\n)|(\x1b\[J)|(\r)|\x1b\[\d*m", said
    ):
        if text:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + len(text) :]
            column += len(text)
        elif up:
            row -= int(up)
        elif new_line:
            row += 1
            lines += [""] * (row == len(lines))
        elif erase:
            lines[row:] = [lines[row][:column]]
        elif back:
            column = 0
    return lines
