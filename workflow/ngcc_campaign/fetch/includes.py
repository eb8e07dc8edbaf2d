"""Files that an instance's sources include from anywhere in the submission, followed as a compiler looks for them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path

from ..campaign.catalog import Instance, instance_files, tree_path

# A source is looked into so far; what goes on longer is a table.
SOURCE_BYTES = 4 << 20
MAX_INCLUDES = 1000  # of one source
# Of a precompiled header, a file or a folder of them: a compiler takes it instead of the header that the source names.
PRECOMPILED = (".gch", ".pch")

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def needed_files(instance: Instance, names: Sequence[str], included: Callable[[str], list[str]]) -> list[str]:
    """All that building the instance reads of the submission, sorted.

    By their names (catalog.instance_files), and by what those files include: `#include "../../lib/x.h"` may lead
    outside every folder that the candidate file names. Which #if holds does not matter here. `names` are the
    submission's files, of which precompiled headers are none; `included` gives what one of them includes (as
    included_names does).
    """
    known = {name for name in names if not is_precompiled(name)}
    home = tree_path(instance, instance.directory, instance.candidate)
    folders = [home, *(posixpath.normpath(f"{home}/{folder}") for folder in instance.include_dirs)]
    found = instance_files(instance, sorted(known))
    needed = set(found)
    while found:
        file = found.pop()
        for name in included(file):
            target = look_for(name, file, folders, known)
            if target and target not in needed:
                needed.add(target)
                found.append(target)
    return sorted(needed)


def is_precompiled(name: str) -> bool:
    return any(part.endswith(PRECOMPILED) for part in name.lower().split("/"))


def included_names(source: bytes) -> list[str]:
    """What a source names in #include, commented out or not; with quotes or angle brackets."""
    names = dict.fromkeys(_INCLUDE.findall(source))
    return [name.decode("utf-8", errors="replace") for name in islice(names, MAX_INCLUDES)]


def look_for(included: str, includer: str, folders: Iterable[str], known: Collection[str]) -> str | None:
    """The file among `known` that `#include "included"` means in `includer`: beside it, else in the first folder."""
    for folder in (posixpath.dirname(includer), *folders):
        path = posixpath.normpath(f"{folder}/{included}" if folder else included)
        if path in known:
            return path
    return None


def included_in(root: Path) -> Callable[[str], list[str]]:
    """What files below `root` include; nothing for one that is gone."""

    def included(name: str) -> list[str]:
        try:
            with open(root / name, "rb") as stream:
                return included_names(stream.read(SOURCE_BYTES))
        except OSError:
            return []

    return included
