"""The C compiler: who it is, and with which options candidates are built."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from ..common.errors import Mistake
from . import emulator

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


def folders(command: str) -> list[Path]:
    """Where a compiler, which may be a wrapper of another one, has its programs, libraries and headers.

    By its own word; those that it looks for and that are not there are among them.
    """
    program = Path(shutil.which(command) or command)
    files = [one for named in (program, *_named_in(program)) for one in (named, named.resolve())]
    found = [*files, *(file.parent for file in files)]  # files too, as their folder may be a private one
    told = _output(command, "-print-search-dirs")
    for kind, paths in re.findall(r"^(install|programs|libraries): =?(.+)$", told, re.MULTILINE):
        found += map(Path, paths.split(os.pathsep))
        if kind == "install":
            found += _prefix(Path(paths))
    told = _output(command, "-v", "-E", "-xc", os.devnull)
    included = told.partition("search starts here:")[2].partition("End of search list")[0]
    found += [Path(line.strip()) for line in included.splitlines() if line.startswith(" /")]
    return found


def library(command: str, name: str) -> Path | None:
    """The shared library `name`, as libc.so.6, that a compiler links with; None where it has none."""
    found = Path(_output(command, f"-print-file-name={name}").partition("\n")[0])
    return found if found.is_absolute() and found.is_file() else None


def _named_in(program: Path) -> list[Path]:
    """The programs that a script names by their paths; none where it is no script."""
    with open(program, "rb") as stream:
        text = stream.read(1 << 16).decode(errors="replace")
    files = map(Path, re.findall(r"""/[^\s"'`$;|&()<>]+""", text)) if text.startswith("#!") else ()
    return [file for file in files if file.is_file() and os.access(file, os.X_OK)]


def _prefix(install: Path) -> list[Path]:
    """The folders of an installation of GCC whose own files lie in <prefix>/lib/gcc/<target>/<version>/."""
    if "gcc" not in install.parts or len(install.parts) < 5:
        return []
    prefix, target = install.parents[3], install.parent.name
    return [prefix / name for name in ("bin", "lib", "lib64", "libexec", "include", "share", target)]


def _output(command: str, *options: str) -> str:
    """All that a compiler says to a question that it may not know."""
    environment = {**os.environ, "LC_ALL": "C"}
    answer = subprocess.run([command, *options], capture_output=True, text=True, env=environment, check=False)
    return answer.stdout + answer.stderr


def _ask(command: str, option: str) -> str:
    answer = subprocess.run([command, option], capture_output=True, text=True, env=None, check=False)
    if answer.returncode != 0 or not answer.stdout.strip():
        raise Mistake(f"compiler: '{command} {option}' failed; is it a C compiler?")
    return answer.stdout.splitlines()[0].strip()
