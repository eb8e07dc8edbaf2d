"""Builds the targets in C with clang's libFuzzer, and starts those in Python under atheris."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "native"
SEEDS = FOLDER / "seeds"
ROOT = FOLDER.parents[2]


def names() -> list[str]:
    return sorted(file.stem for file in FOLDER.glob("*.c"))


def lacking() -> str:
    """Why the targets in C can't be built here; empty where they can."""
    if not shutil.which("clang"):
        return "clang is not installed"
    program = "int LLVMFuzzerTestOneInput(const char *data, long size) { return data == 0 && size < 0; }"
    options = ["-x", "c", "-", "-o", "/dev/null", "-fsanitize=fuzzer,address,undefined"]
    linked = subprocess.run(["clang", *options], input=program, text=True, capture_output=True)
    return "clang lacks libFuzzer (the package libclang-rt-dev)" if linked.returncode else ""


def build(folder: Path) -> dict[str, Path]:
    """The programs by their names, built below `folder`. Raises CalledProcessError."""
    options = ["-DNGCC_FUZZ=ON", "-DNGCC_WERROR=ON", "-DBUILD_TESTING=OFF", "-DCMAKE_C_COMPILER=clang"]
    options += ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS=-O1"]
    configure = ["cmake", "-S", ROOT / "native", "-B", folder, "-G", "Ninja", *options]
    for command in (configure, ["cmake", "--build", folder, "--target", "fuzz"]):
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return {name: folder / "fuzz" / f"fuzz_{name}" for name in names()}


def guided(name: str, options: list[str]) -> subprocess.CompletedProcess:
    """Run a target in Python under atheris, with libFuzzer's options and folders."""
    path = os.pathsep.join([str(ROOT / "tests"), str(ROOT / "workflow")])
    return _run([sys.executable, "-m", "fuzz.guided", name, *options], os.environ | {"PYTHONPATH": path})


def run(program: Path, options: list[str]) -> subprocess.CompletedProcess:
    """Run a target in C; what it prints itself is dropped, but for what libFuzzer and the sanitizers say."""
    return _run([str(program), "-close_fd_mask=3", "-detect_leaks=0", *options], os.environ)


def _run(command: list[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace")
