"""Markdown that says what a text says, whoever wrote the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote

import tabulate

from ..common.printable import printable

tabulate.WIDE_CHARS_MODE = False  # padding must not depend on whether wcwidth is installed


# Of a list of facts, so many stand in a sentence; they come with the most important ones first.
MENTIONED = 3


class Markdown(str):
    """Text that is Markdown already and is not escaped again."""


def escape(value: object) -> Markdown:
    """A text as Markdown for one line or table cell: nothing in it acts as markup, HTML or direction mark.

    Letters, digits, hyphens and the underscores inside a name stay as they are, so that names read verbatim.
    """
    if isinstance(value, Markdown):
        return value
    text = printable(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*\[\]|~$])", r"\\\1", text)
    text = re.sub(r"(?i)(?<=\bwww)(?=\.)|(?=://)", r"\\", text)  # an address in a text becomes no link
    # Underscores between two letters or digits are no emphasis: hash_32 and SHA-512__hash_32 stay as they are.
    return Markdown(re.sub(r"(?<!\w)_+|(?<!_)_+(?!\w)", lambda run: r"\_" * len(run[0]), text))


def link(text: object, address: str) -> Markdown:
    """A link; the address is a path of the report, or http and https as the candidate schema allows."""
    return Markdown(f"[{escape(text)}]({quote(address, safe=':/?#@!&=+,;%~.-_')})")


def in_short(facts: Sequence[object], address: str, mentioned: int = MENTIONED) -> Markdown:
    """The first of several facts as the end of a sentence, how many more there are, and a link to all of them."""
    named, more = "; ".join(map(escape, facts[:mentioned])), len(facts) - mentioned
    rest, text = (f"; and {more} more", f"all {len(facts)}, and what to do") if more > 0 else ("", "what to do")
    return Markdown(f"{named}{rest} ({link(text, address)}).")


def bullets(texts: Iterable[object]) -> Markdown:
    """A list of escaped texts."""
    return Markdown("\n".join(f"- {escape(text)}" for text in texts))


def table(header: Sequence[object], rows: Iterable[Sequence[object]], right: Iterable[int] = ()) -> Markdown:
    """A pipe table of escaped cells; columns whose numbers stand in `right` are aligned to the right."""
    align = ["right" if column in set(right) else "left" for column in range(len(header))]
    cells = [[str(escape(cell)) for cell in row] for row in rows]
    return Markdown(
        tabulate.tabulate(cells, [str(escape(cell)) for cell in header], "pipe", disable_numparse=True, colalign=align)
    )
