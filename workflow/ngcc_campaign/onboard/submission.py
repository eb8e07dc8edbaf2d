"""A submission's files where they lie: in a ZIP or in a folder; nothing is unpacked, nothing is run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from ..campaign.catalog import tree_names
from ..common.errors import Mistake
from ..fetch.archive import Zip
from ..fetch.includes import SOURCE_BYTES

# Parts of a path that speak of an implementation for one kind of machine, or of one made fast.
_SPECIAL = re.compile(
    r"(?<![a-z])(opt\w*|fast\w*|additional\w*|avx\w*|sse\w*|simd\w*|neon\w*|sve\w*|asm\w*|arm\w*|aarch64\w*|riscv\w*)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"(?<![a-z])(ref|reference|plain|generic|portable)", re.IGNORECASE)


class Submission:
    """A context manager: `names` of all regular files (POSIX, relative), and their content as streams."""

    def __init__(self, path: Path):
        self.path = path
        self._zip = None if path.is_dir() else Zip(path)
        names = self._zip.names if self._zip else tree_names(path)
        self.names = sorted(name for name in names if not _is_litter(name))
        # The beginning of a file, the last ones kept: 256 MiB at most.
        self.source = lru_cache(maxsize=64)(self._source)

    def __enter__(self) -> Submission:
        return self

    def __exit__(self, *_: object) -> None:
        if self._zip:
            self._zip.__exit__()

    def open(self, name: str) -> BinaryIO:
        return self._zip.open_member(name) if self._zip else open(self.path / name, "rb")

    def _source(self, name: str) -> bytes:
        """The beginning of a file (SOURCE_BYTES); empty for one that can't be read: a link, damaged, encrypted."""
        try:
            with self.open(name) as stream:
                return stream.read(SOURCE_BYTES)
        except (Mistake, OSError):
            return b""

    def within(self, directory: str) -> list[str]:
        """Files directly in `directory`."""
        return [name for name in self.names if posixpath.dirname(name) == directory]


def preference(path: str) -> tuple[bool, int]:
    """Sort key: a reference implementation comes before others, one for every machine before special ones."""
    return _REFERENCE.search(path) is None, len(_SPECIAL.findall(path))


def shared_parts(path: str, other: str) -> int:
    """How many folders two paths have in common."""
    count = 0
    for a, b in zip(path.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def listed(words: Sequence[str], most: int = 4) -> str:
    """Words with commas between; where there are too many, how many more."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def _is_litter(name: str) -> bool:
    """What file managers leave in archives, hidden files, and names that are no text."""
    hidden = posixpath.basename(name).startswith(".") or not name.isprintable()
    return hidden or "__MACOSX" in name.split("/")
