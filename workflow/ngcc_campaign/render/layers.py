"""Which layers of the sandbox confined submitted code, stage by stage: as tables hold it, and as pages say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import groupby

FACT = "sandbox"
_COMPILER = ("limits", "namespaces", "landlock")
_CANDIDATE = ("no_new_privs", *_COMPILER, "seccomp")
# Sources of environment.csv: what was done there, and the layers that there can be.
_STAGES = {
    "build": ("compiling", _COMPILER),
    "kat": ("verifying", _CANDIDATE),
    "record": ("timing", _CANDIDATE),
    "memory": ("measuring memory", _CANDIDATE),
}


def in_force(sandbox: dict) -> str:
    """The layers in force by the member `sandbox` of a document, Landlock with its ABI; none, or names with commas."""
    found = [f"landlock {sandbox[name]}" if name == "landlock" else name for name in _CANDIDATE if sandbox.get(name)]
    return ", ".join(found) or "none"


def line(environment: Iterable[dict[str, str]], candidates: Iterable[str]) -> str:
    """What environment.csv tells of the layers, for some candidates together; empty where it tells nothing."""
    known, counts = set(candidates), {source: Counter() for source in _STAGES}
    for row in environment:
        if row["fact"] == FACT and row["candidate"] in known:
            counts[row["source"]][row["value"]] += int(row["files"])
    told = [(doing, _told(counts[source], possible)) for source, (doing, possible) in _STAGES.items() if counts[source]]
    parts = [(text, [doing for doing, _ in group]) for text, group in groupby(told, key=lambda one: one[1])]
    return "; ".join(f"{', '.join(doing)}: {text}" for text, doing in parts)


def _told(counts: Counter[str], possible: tuple[str, ...]) -> str:
    """The layers of one stage, and those that were missing; where files differ, each with the number of them."""
    texts = {value: f"{value}{_lacking(value, possible)}" for value in sorted(counts)}
    if len(texts) == 1:
        return next(iter(texts.values()))
    files = {value: f"{count} file{'s' if count > 1 else ''}" for value, count in counts.items()}
    return "mixed: " + "; ".join(f"{text} in {files[value]}" for value, text in texts.items())


def _lacking(value: str, possible: tuple[str, ...]) -> str:
    there = {name.split()[0] for name in value.split(", ")}
    missing = [name for name in possible if name not in there]
    return f" (missing: {', '.join(missing)})" if missing else ""
