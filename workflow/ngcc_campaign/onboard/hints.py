"""Where build scripts of a submission give macros to the compiler. They are read, never run."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass

from .submission import Submission

MAX_SCRIPTS = 500
_SUFFIXES = (".sh", ".bash", ".bat", ".cmd", ".ps1", ".mk", ".mak", ".cmake", ".py", ".md")
_NAMES = ("makefile", "gnumakefile", "cmakelists.txt", "readme", "readme.txt", "build", "compile")
_OPTION = re.compile(r"(?<![\w-])[-/]D[ \t]*([A-Za-z_]\w*)(=[^\s\"']+)?")
_CMAKE = re.compile(r"compile_definitions\s*\(([^)]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Hint:
    """A script gives a macro to the compiler: NAME or NAME=VALUE."""

    script: str
    line: int
    define: str


def find_hints(submission: Submission) -> dict[str, list[Hint]]:
    """Macros that scripts define, by name."""
    hints: dict[str, list[Hint]] = {}
    scripts = [name for name in submission.names if _is_script(name)]
    for script in scripts[:MAX_SCRIPTS]:
        text = submission.source(script).decode("utf-8", errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            for define in _defines(line):
                name = define.partition("=")[0]
                if not any(hint.script == script for hint in hints.get(name, [])[-1:]):
                    hints.setdefault(name, []).append(Hint(script, number, define))
    return hints


def _defines(line: str) -> list[str]:
    found = [name + (value or "") for name, value in _OPTION.findall(line)]
    for names in _CMAKE.findall(line):
        found += re.findall(r"(?<![\w-])[A-Za-z_]\w*", names)
    return found


def _is_script(name: str) -> bool:
    base = posixpath.basename(name).lower()
    return base.endswith(_SUFFIXES) or base in _NAMES
