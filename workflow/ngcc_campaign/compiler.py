"""The C compiler: who it is, and with which options candidates are built."""

from __future__ import annotations

import shutil
import subprocess

from . import emulator
from .errors import Mistake

# The guide's reference build, the same on x86 and ARM (NGCC performance self-assessment guides).
GUIDE = ("-std=c99", "-Wpedantic", "-Wall", "-Wextra", "-O2")
# Where an instance does not build with the guide's options, or does not pass its KAT.
HARNESS_DEFAULT = ("-O2", "-std=gnu11", "-fno-strict-aliasing", "-fwrapv", "-fno-omit-frame-pointer")
# What shared libraries and pre-C99 declarations need (GCC >= 14 makes errors of these four warnings); none of it
# changes language level or optimisation.
EXTRA = (
    "-fPIC",
    "-D_GNU_SOURCE",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=int-conversion",
    "-Wno-error=implicit-int",
)
# The variants of every instance, in the order in which they are tried.
VARIANTS = {"guide": GUIDE + EXTRA, "harness-default": HARNESS_DEFAULT + EXTRA}


def find_compiler(command: str) -> str:
    """The compiler's own name and target, as in 'gcc (Debian 12.2.0-14) 12.2.0, x86_64-linux-gnu'.

    Raises Mistake where the command is absent or no compiler.
    """
    if shutil.which(command) is None:
        packages = emulator.PACKAGES if command == emulator.cross_compiler(command) else "gcc"
        raise Mistake(f"compiler: '{command}' is not on this machine; install {packages} or set `compiler` to another.")
    return f"{_ask(command, '--version')}, {_ask(command, '-dumpmachine')}"


def _ask(command: str, option: str) -> str:
    answer = subprocess.run([command, option], capture_output=True, text=True, env=None, check=False)
    if answer.returncode != 0 or not answer.stdout.strip():
        raise Mistake(f"compiler: '{command} {option}' failed; is it a C compiler?")
    return answer.stdout.splitlines()[0].strip()
