"""Texts of strangers (names of files, reasons, words of a compiler) as a terminal and a page may show them."""

from __future__ import annotations

import unicodedata


def printable(text: object) -> str:
    """`text` as one line, in which no character controls a terminal or turns the direction of reading."""
    line = " ".join(str(text).split())
    return "".join("\ufffd" if unicodedata.category(char) in ("Cc", "Cf", "Cs") else char for char in line)
