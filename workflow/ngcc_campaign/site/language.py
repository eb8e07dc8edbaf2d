"""A catalogue of messages: what an English text of the pages is in another language, with the same figures.

Keys are English texts, as in gettext; `{name}` in a key stands for whatever a page prints there, and comes back at the
same name of the translation. What is printed there is translated, too, where the catalogue has it: a reason, a link's
words. So whole sentences are translated as they come from the contexts of the Markdown pages.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import yaml

FOLDER = Path(__file__).parents[2] / "templates" / "site" / "messages"
_NAME = re.compile(r"\{(\w+)\}")
# Words of a text that has to be translated; what has fewer is a name, a figure or a command.
_WORDS = re.compile(r"(?<![\w`./-])[A-Za-z][a-z]+ [a-z]{2,}(?![\w./])")


class Catalogue:
    """Messages of one language; `missing` gathers the texts that were asked for, have words, and are not in it."""

    def __init__(self, messages: dict[str, str]) -> None:
        self.missing: set[str] = set()
        self._exact = {key: text for key, text in messages.items() if not _NAME.search(key)}
        self._patterns = [_pattern(key, text) for key, text in messages.items() if _NAME.search(key)]
        self._known: dict[str, str | None] = {}

    def __call__(self, text: str) -> str:
        """A text in this language; as it is where the catalogue does not have it."""
        found = self.find(text)
        if found is None and _WORDS.search(text):
            self.missing.add(text)
        return text if found is None else found

    def find(self, text: str) -> str | None:
        """A text in this language; None where the catalogue does not have it."""
        if text not in self._known:
            self._known[text] = self._exact[text] if text in self._exact else self._by_pattern(text)
        return self._known[text]

    def _by_pattern(self, text: str) -> str | None:
        for start, pattern, translation in self._patterns:
            if text.startswith(start) and (match := pattern.fullmatch(text)):
                told = {name: self.find(part) or part for name, part in match.groupdict().items()}
                return _NAME.sub(lambda name, told=told: told[name[1]], translation)
        return None


class English(Catalogue):
    """The pages' own language."""

    def __init__(self) -> None:
        super().__init__({})

    def __call__(self, text: str) -> str:
        return text

    def find(self, text: str) -> str:
        return text


@cache
def catalogue(language: str) -> Catalogue:
    """The catalogue of `language`, en or one that has a file."""
    return English() if language == "en" else Catalogue(messages(language))


def messages(language: str) -> dict[str, str]:
    """The messages of a language, as its file has them, with the line ends of long ones taken out."""
    found = yaml.load((FOLDER / f"{language}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    return {" ".join(key.split()): text for key, text in found.items()}


def _pattern(key: str, text: str) -> tuple[str, re.Pattern, str]:
    parts = _NAME.split(key)
    names = (f"(?P<{part}>.+?)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
    return parts[0], re.compile("".join(names), re.DOTALL), text
