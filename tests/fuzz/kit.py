"""What the targets share."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ngcc_campaign.common.errors import Mistake

Option = TypeVar("Option")
# What ends a line, moves a terminal's cursor, or can't be printed.
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MOST = 3000  # characters of a sentence


class Choices:
    """Takes choices off the front of some bytes; 0 and the first option once they are used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, most: int) -> int:
        """From 0 to `most`, below 2^64."""
        size = (most.bit_length() + 7) // 8
        return int.from_bytes(self.bytes(size), "little") % (most + 1)

    def bytes(self, size: int) -> bytes:
        """So many, fewer at the end."""
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def piece(self, most: int = 255) -> bytes:
        return self.bytes(self.number(most))

    def of(self, options: Sequence[Option]) -> Option:
        return options[self.number(len(options) - 1)]

    @property
    def left(self) -> bool:
        return self._at < len(self._data)


def expect_sentence(mistake: Mistake) -> str:
    """The text of a mistake, which is one line of bounded length that a terminal can show."""
    text = str(mistake)
    assert text and len(text) <= _MOST, f"{len(text)} characters: {text[:200]!r}"
    assert not _UNPRINTABLE.search(text), repr(text)
    return text


@contextmanager
def folder() -> Iterator[Path]:
    """An empty folder for a moment."""
    with tempfile.TemporaryDirectory(prefix="ngcc-fuzz-") as place:
        yield Path(place)
