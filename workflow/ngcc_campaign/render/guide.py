"""What the programme's performance guides ask of a system beside the rules of a fit host: memory, versions, clock."""

from __future__ import annotations

import re

from ..host.host import UNKNOWN
from . import figures

LEAST_MEMORY_MIB = 4e9 / 2**20
LEAST_HZ = 2e9
LEAST_KERNEL, LEAST_GCC, LEAST_CMAKE = (4, 19), (8, 5), (3, 11, 4)


def rows(facts: dict, compilers: set[str], tools: set[str], clock_hz: float | None) -> list[dict]:
    """Rows {fact, expected, found, fits} on the host's `facts` and on what built the libraries.

    `compilers` and `tools` are as builds name them, `clock_hz` as it was measured around the trials, which counts where
    the system bounds none. `fits` is None where nothing is known.
    """
    memory, kernel, bound = (facts[name] for name in ("memory_mib", "kernel", "scaling_max_khz"))
    clock = bound * 1000 if bound else clock_hz
    enough, fast = bool(memory and memory > LEAST_MEMORY_MIB), bool(clock and clock > LEAST_HZ)
    return [
        _row("memory", "above 4 GB", f"{memory} MiB" if memory else "", enough),
        _row("kernel", "Linux 4.19 or later", kernel, _version(kernel) >= LEAST_KERNEL),
        _row("clock", "above 2 GHz (recommended)", figures.clock(clock) if clock else "", fast),
        _row("compiler", "GCC 8.5 or later", ", ".join(sorted(compilers)), _all_are("gcc", LEAST_GCC, compilers)),
        _row("build tool", "CMake 3.11.4 or later", ", ".join(sorted(tools)), _all_are("cmake", LEAST_CMAKE, tools)),
    ]


def _row(fact: str, expected: str, found: str, fits: bool) -> dict:
    return {"fact": fact, "expected": expected, "found": found or UNKNOWN, "fits": fits if found else None}


def _all_are(program: str, least: tuple[int, ...], told: set[str]) -> bool:
    return all(program in text and _version(text) >= least for text in told)


def _version(text: str) -> tuple[int, ...]:
    """The first number with dots outside of parentheses, in which distributions put their own."""
    found = re.search(r"\d+(\.\d+)+", re.sub(r"\([^)]*\)", "", text))
    return tuple(map(int, found[0].split("."))) if found else ()
