"""The native programs that time, verify and weigh libraries, built once before the first instance."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .compiler import find_compiler
from .errors import Mistake
from .files import sha256_file, utc_now, write_json
from .processes import run
from .schemas import validate

NATIVE = Path(__file__).resolve().parents[2] / "native"
PROGRAMS = ("ngcc_perf", "ngcc_kat", "ngcc_memory", "libempty.so")
SECONDS = 600


def drivers(*, compiler_command: str, output: Path, made_from: dict[str, str]) -> dict:
    """Build the programs into the folder of `output` (bin/drivers.json), each replaced as a whole.

    Raises Mistake with the compiler's first error where they do not build.
    """
    folder = output.parent
    document = {
        "schema": "ngcc-perf/drivers",
        "version": 1,
        "made_from": made_from,
        "compiler": find_compiler(compiler_command),
        "started_utc": utc_now(),
    }
    part = folder.with_name(".bin.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
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
    for program in PROGRAMS:
        os.replace(part / "out" / program, folder / program)
    programs = {program: sha256_file(folder / program) for program in PROGRAMS}
    document |= {"ended_utc": utc_now(), "programs": programs}
    validate(document, "drivers", output)
    write_json(output, document)
    shutil.rmtree(part)
    return document


def _cmake(*arguments: str) -> None:
    completed = run(["cmake", *arguments], cwd=Path.cwd(), seconds=SECONDS)
    if completed.returncode != 0:
        lines = (completed.stdout + completed.stderr).decode(errors="replace").splitlines()
        errors = [line.strip() for line in lines if "rror" in line] or lines[-1:] or ["no reason given"]
        raise Mistake(f"the drivers do not build: {errors[0][:300]}")
