"""What a person can put right."""

import re

# What ends a line, steers a terminal, or is no character of its own.
_UNSHOWN = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
MOST_CHARACTERS = 2000


class Mistake(Exception):
    """A person's mistake, as one sentence: what was found, where, what was expected, what to do.

    The command line prints it without a traceback and exits 1. Whatever names and texts of strangers are quoted in it,
    it is one line of bounded length that steers no terminal.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(shown(sentence, MOST_CHARACTERS))


def shown(text: str, most: int) -> str:
    """`text` for a sentence, of about `most` characters: control characters as \\x1b, a long middle left out."""
    return _cut(_UNSHOWN.sub(lambda match: _escape(ord(match[0])), _cut(text, most)), most)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}…{text[1 - most // 2 :]}"


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
