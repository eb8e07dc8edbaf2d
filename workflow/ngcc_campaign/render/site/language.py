"""A catalogue of messages: what an English text of the pages is in another language, with the same figures.

Keys are English texts, as in gettext; `{name}` in a key stands for whatever a page prints there, and comes back at the
same name of the translation. What is printed there is translated, too, where the catalogue has it. So sentences are
translated as they come from the contexts of the Markdown pages; what is not known stays in English.
"""

from __future__ import annotations

import re
from functools import cache

import yaml

from ...common import root
from ..marks import MEANINGS

FOLDER = root.TEMPLATES / "site" / "messages"
_NAME = re.compile(r"\{(\w+)\}")
# Words of a text that has to be translated; what has fewer is a name, a figure or a command.
_MARKS = re.compile(rf"(({'|'.join(MEANINGS)}) ?)+")
_SENTENCE = re.compile(r"(?<=\S\.) |(?<=\.\*\*) ")
_CLAUSE = re.compile("(?<!&amp)(?<!&lt)(?<!&gt); ")  # an escaped sign ends no clause
# Several things at one place of a sentence.
_LIST = re.compile(r"; |(?<=\)), |, (?=in \d)")
# What can stand at a place of a message: no end of a sentence.
_PLACE = r"(?:(?!\. |\.\*\* ).)+?"
_WORDS = re.compile(r"(?<![\w`./-])[A-Za-z][a-z]+ [a-z]{2,}(?![\w./])")


class Catalogue:
    """Messages of one language; `missing` gathers the sentences that were asked for, have words, and are not in it."""

    def __init__(self, messages: dict[str, str]) -> None:
        self.missing: set[str] = set()
        self._exact = {key: text for key, text in messages.items() if not _NAME.search(key)}
        # What says most by itself comes first.
        keys = sorted(filter(_NAME.search, messages), key=lambda key: -len(_NAME.sub("", key)))
        self._patterns = [_pattern(key, messages[key]) for key in keys]
        self._known: dict[str, str | None] = {}

    def __call__(self, text: str) -> str:
        """A text in this language, sentence by sentence where it has several; as it is where it is not known."""
        found = self.find(text)
        if found is None:
            found = self._by_parts(text, _SENTENCE, "", "")
        return found

    def find(self, text: str) -> str | None:
        """A text in this language; None where the catalogue does not have it as a whole."""
        if text not in self._known:
            self._known[text] = self._exact[text] if text in self._exact else self._by_pattern(text)
        return self._known[text]

    def _by_parts(self, text: str, between: re.Pattern, joint: str, end: str) -> str:
        """Each part of a text, found or gone into further."""
        parts = between.split(text.removesuffix(end))
        if len(parts) == 1:
            if between is _SENTENCE:
                return self._by_parts(text, _CLAUSE, "；", ".")
            if found := self.find(parts[0]):
                return f"{found}。"
            self._miss(text)
            return text
        said = []
        for part in parts:
            found = self.find(part)
            if found is None and between is _SENTENCE:
                found = self._by_parts(part, _CLAUSE, "；", ".")
            elif found is None:
                self._miss(part)
            said.append(part if found is None else found)
        return joint.join(said) + ("。" if end and text.endswith(end) else "")

    def _inside(self, part: str) -> str:
        """What stands at a place of a sentence; of several things each, if all are known, or the whole is not."""
        parts = _LIST.split(part)
        said = [self.find(one) for one in parts]
        if len(parts) > 1 and (None not in said or self.find(part) is None):
            return "；".join(found or one for found, one in zip(said, parts, strict=True))
        return self.find(part) or part

    def _miss(self, text: str) -> None:
        if _WORDS.search(text) and not _MARKS.fullmatch(text):
            self.missing.add(text)

    def _by_pattern(self, text: str) -> str | None:
        for start, pattern, translation in self._patterns:
            if text.startswith(start) and (match := pattern.fullmatch(text)):
                told = {name: self._inside(part) for name, part in match.groupdict().items()}
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
    """The catalogue of `language`, en or one that has files."""
    return English() if language == "en" else Catalogue(messages(language))


def messages(language: str) -> dict[str, str]:
    """The messages of a language, as its files have them: of the pages, and of what our programs say."""
    files = [FOLDER / f"{language}.yaml", FOLDER / f"{language}-reasons.yaml"]
    found = [yaml.load(file.read_text(encoding="utf-8"), yaml.CSafeLoader) for file in files]
    return {key: text for own in found for key, text in own.items()}


def _pattern(key: str, text: str) -> tuple[str, re.Pattern, str]:
    parts = _NAME.split(key)
    names = [f"(?P<{part}>{_PLACE})" if at % 2 else re.escape(part) for at, part in enumerate(parts)]
    # The stop of a sentence is no part of what stands at its end.
    return parts[0], re.compile("".join(names) + ("" if parts[-1] else r"(?<!\.)"), re.DOTALL), text
