"""The header of an instance, CryptHash_AlgorithmInstance.h: which macros it defines, and to what."""

from __future__ import annotations

import codecs
import posixpath
import re
from collections.abc import Iterable

HEADER = "CryptHash_AlgorithmInstance.h"
NAME_MACRO = "ALGORITHM_INSTANCE"
WIDTH_MACRO = "DIGEST_BIT_LENGTH"

# Literals are matched so that a comment sign inside one is none. What is left open goes to the end of its line (a
# literal) or of the text (a comment), as for a compiler; and so no text takes more than linear time.
_LITERAL_OR_COMMENT = re.compile(
    r'"(?:\\.|[^"\\\n])*"?' r"|'(?:\\.|[^'\\\n])*'?" r"|//[^\n]*" r"|/\*.*?(?:\*/|\Z)", re.DOTALL
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:[ \t]+(.*))?$", re.MULTILINE)
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]{1,20}|[0-9]{1,20})[uUlL]{0,3}")


def header_names(directory: str, names: Iterable[str]) -> list[str]:
    """The instance headers directly in `directory`: HEADER first, then others called CryptHash_*.h (case ignored)."""
    headers = [
        name
        for name in names
        if (posixpath.dirname(name) or ".") == directory
        and posixpath.basename(name).lower().startswith("crypthash_")
        and name.lower().endswith(".h")
    ]
    return sorted(headers, key=lambda name: (posixpath.basename(name) != HEADER, name))


def macros(source: bytes) -> dict[str, str | None]:
    """Object-like macros that a C source defines: name to replacement text, without comments.

    '' for a macro without replacement, None for one that is defined in several ways (under #if, say): which of them
    holds is the compiler's to know. The text may have any encoding and any line ends.
    """
    text = plain_text(source).replace("\\\n", "")
    found: dict[str, str | None] = {}
    for match in _DEFINE.finditer(without_comments(text)):
        name, value = match[1], (match[2] or "").strip()
        found[name] = value if found.get(name, value) == value else None
    return found


def plain_text(source: bytes) -> str:
    """A C source as text, a character for each byte, with LF line ends."""
    return source.removeprefix(codecs.BOM_UTF8).decode("latin-1").replace("\r\n", "\n")


def without_comments(text: str) -> str:
    """A C source with a space, or its line ends, in place of each comment."""
    return _LITERAL_OR_COMMENT.sub(_without_comment, text)


def number(value: str | None) -> int | None:
    """The integer that a macro's replacement text spells, parentheses and suffixes allowed; None for anything else.

    One of more than 20 digits is none: no compiler has so large a type, and nobody could work with it.
    """
    match = _NUMBER.fullmatch((value or "").strip("() \t"))
    if match is None:
        return None
    digits = match[1]
    octal = len(digits) > 1 and digits.isdigit() and digits.startswith("0")
    try:
        return int(digits, 8 if octal else 0)
    except ValueError:  # 089 is no number in C
        return None


def string(value: str | None) -> str | None:
    """The text between the quotes of a macro's replacement text; None if it is no plain string literal."""
    match = re.fullmatch(r'\(?\s*"([^"\\]*)"\s*\)?', (value or "").strip())
    return match[1] if match else None


def _without_comment(match: re.Match) -> str:
    """A literal as it is; a comment as one space, or as its line ends, so that directives keep lines of their own."""
    if not match[0].startswith("/"):
        return match[0]
    return "\n" * match[0].count("\n") or " "
