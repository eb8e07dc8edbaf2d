"""The native programs that time, verify and weigh libraries, built once before the first instance."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from ..common.errors import Mistake
from ..common.files import sha256_file, utc_now, workplace, write_json
from ..common.processes import run
from ..common.root import NATIVE
from ..common.schemas import validate
from . import emulator
from .compiler import find_compiler

EXECUTABLES = ("ngcc_perf", "ngcc_kat", "ngcc_memory")
PROGRAMS = (*EXECUTABLES, "libempty.so", "libcontrol.so")
SECONDS = 600


def drivers(
    *, compiler_command: str, output: Path, made_from: dict[str, str], cross: bool = False, sandbox: str = "best"
) -> dict:
    """Build the programs into the folder of `output` (bin/drivers.json), each replaced as a whole.

    cross: the compiler makes programs for AArch64, which an emulator runs here.

    Raises Mistake with the compiler's first error where they do not build, and where `sandbox` is require and this host
    lacks a layer of it.
    """
    if cross:
        emulator.check()
    folder = output.parent
    document = {
        "schema": "ngcc-perf/drivers",
        "version": 1,
        "made_from": made_from,
        "compiler": find_compiler(compiler_command),
        "started_utc": utc_now(),
    }
    part = workplace(folder)
    build = part / "cmake"
    _cmake(
        "-S",
        str(NATIVE),
        "-B",
        str(build),
        "-G",
        "Ninja",
        f"-DCMAKE_C_COMPILER={compiler_command}",
        "-DBUILD_TESTING=OFF",
        "-DCMAKE_BUILD_TYPE=Release",
    )
    _cmake("--build", str(build))
    _cmake("--install", str(build), "--prefix", str((part / "out").resolve()))
    folder.mkdir(parents=True, exist_ok=True)
    programs = PROGRAMS
    if cross:
        programs += emulator.wrap(part / "out", EXECUTABLES)
        (folder / emulator.ARCHITECTURE).mkdir(exist_ok=True)
    for program in programs:
        os.replace(part / "out" / program, folder / program)
    digests = {program: sha256_file(folder / program) for program in programs}
    document |= {"ended_utc": utc_now(), "programs": digests}
    validate(document, "drivers", output)
    write_json(output, document)
    shutil.rmtree(part)
    if sandbox == "require":
        check_sandbox(folder)
    return document


def check_sandbox(folder: Path) -> None:
    """Raise Mistake where this host lacks a layer of the sandbox; `folder` holds the programs."""
    command = ["./ngcc_kat", "--library", "libempty.so", "--instance", "empty", "--digest-bits", "8"]
    completed = run([*command, "--sandbox", "require"], cwd=folder, seconds=SECONDS)
    if completed.returncode != 0:
        raise Mistake(completed.stderr.decode(errors="replace").strip() or f"ngcc_kat: {completed.returncode}")


def _cmake(*arguments: str) -> None:
    completed = run(["cmake", *arguments], cwd=Path.cwd(), seconds=SECONDS)
    if completed.returncode != 0:
        lines = (completed.stdout + completed.stderr).decode(errors="replace").splitlines()
        telling = re.compile(r"error:|undefined reference|CMake Error|No space left|Killed")
        errors = [line.strip() for line in lines if telling.search(line)]
        errors += [*lines[-1:], "no reason given"]
        raise Mistake(f"the drivers do not build: {errors[0][:300]}")
