"""Rehearsals of an AArch64 campaign on another machine: cross-compiled, run by qemu's user-mode emulator.

Known answers, sizes and the way of the data are those of AArch64; times are the emulator's and mean nothing, cycles
there are none. So a rehearsal is a system of its own, whose evidence lies apart and whose pages say so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from ..common.errors import Mistake

ARCHITECTURE = "aarch64"
# A system's id, and what names its rehearsal.
SUFFIX = f"_{ARCHITECTURE}_emulated"
EMULATOR = (f"qemu-{ARCHITECTURE}", "-L", f"/usr/{ARCHITECTURE}-linux-gnu")
# What Debian and Ubuntu call the cross compiler, its C library and the emulator.
PACKAGES = "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"


def rehearsal(system: dict) -> dict:
    """The profile of a system's rehearsal: whatever the machine, on any of its CPUs, and never taken for the system."""
    name = system["id"].removesuffix(SUFFIX)
    return system | {
        "id": f"{name}{SUFFIX}",
        "description": f"a rehearsal of {name} under an emulator, which measures nothing",
        "cross": ARCHITECTURE,
        "cpu": "auto",
        "unfit_host": "allow",
    }


def cross_compiler(command: str) -> str:
    """The cross compiler that goes with a compiler: aarch64-linux-gnu-gcc-12 with gcc-12, and with itself."""
    prefix = f"{ARCHITECTURE}-linux-gnu-"
    return prefix + command.removeprefix(prefix)


def check() -> None:
    """Raise Mistake where no rehearsal can be held on this machine."""
    if os.uname().machine == ARCHITECTURE:
        raise Mistake(f"cross={ARCHITECTURE}: this machine is {ARCHITECTURE} itself; measure without cross.")
    if not shutil.which(EMULATOR[0]) or not Path(EMULATOR[2]).is_dir():
        raise Mistake(f"cross={ARCHITECTURE} needs the packages {PACKAGES}; a part of them is not on this machine.")


def emulated(facts: dict) -> dict:
    """Facts of a machine as a rehearsal on it has them."""
    emulator = f"{EMULATOR[0]} {_version()}"
    return facts | {
        "architecture": ARCHITECTURE,
        "cpu_model": f"{emulator} on {facts['cpu_model'] or facts['architecture']}",
        "machine": None,
        "virtual": f"emulated by {emulator}",
        "cycle_counter": None,
    }


def wrap(folder: Path, programs: tuple[str, ...]) -> tuple[str, ...]:
    """Move AArch64 programs below `folder` to aarch64/ and put scripts that run them by the emulator in their places.

    So every command works as it does on an AArch64 machine, from any folder. Returns the names below `folder`.
    """
    (folder / ARCHITECTURE).mkdir(exist_ok=True)
    for program in programs:
        os.replace(folder / program, folder / ARCHITECTURE / program)
        run = f'exec {" ".join(EMULATOR)} "${{0%/*}}/{ARCHITECTURE}/{program}" "$@"'
        (folder / program).write_text(f"#!/bin/sh\n{run}\n", encoding="ascii")
        (folder / program).chmod(0o755)
    return tuple(f"{ARCHITECTURE}/{program}" for program in programs)


def _version() -> str:
    """The emulator's version, as in 7.2.22. Stored evidence may be read where there is no emulator."""
    try:
        told = subprocess.run([EMULATOR[0], "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        told = ""
    found = re.search(r"version (\S+)", told)
    return found[1] if found else "of unknown version"
