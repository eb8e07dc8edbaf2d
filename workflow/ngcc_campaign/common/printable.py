"""Texts of strangers (names of files, reasons, words of a compiler) as a terminal and a page may show them."""

from __future__ import annotations

import unicodedata

# What steers a terminal, ends a line, turns the direction of reading, or is no character of its own.
_UNSHOWN = ("Cc", "Cf", "Cs", "Zl", "Zp")
MOST_CHARACTERS = 2000


def printable(text: object) -> str:
    """`text` as one line, with U+FFFD for what can't be shown; to be read."""
    line = " ".join(str(text).split())
    return "".join("\ufffd" if unicodedata.category(char) in _UNSHOWN else char for char in line)


def escaped(text: str, most: int = MOST_CHARACTERS) -> str:
    """`text` as one line of about `most` characters, with \\x1b and the like for what can't be shown."""
    line = "".join(_escape(char) if unicodedata.category(char) in _UNSHOWN else char for char in _cut(text, most))
    return _cut(line, most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[1 - most // 2 :]}"


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
