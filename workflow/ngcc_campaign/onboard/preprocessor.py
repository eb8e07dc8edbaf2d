"""A source as the compiler's preprocessor sees it, as far as that can be told without running one.

Conditions are true, false, or not known (None): what the compiler itself defines differs between machines. Both
branches of a condition that is not known are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ..fetch.header import number, plain_text, string, without_comments
from ..fetch.includes import look_for

MAX_FILES = 1000  # read for one source; a file counts each time it is included
MAX_DEPTH = 40  # of includes
MAX_NESTING = 200  # of conditions
MAX_LINES = 300_000

# Macros of compilers, of C libraries and of machines.
_COMPILERS = re.compile(
    r"__(GNUC|STDC|x86|amd64|i[3-6]86|aarch64|arm|ARM|BYTE_ORDER|ORDER|LITTLE|BIG|linux|unix|gnu|SIZEOF|U?INT|CHAR|LP64"
    r"|OPTIMIZE|powerpc|ppc|riscv|mips|SSE2?__|MMX|has_|VERSION|GLIBC|FLOAT|USE_)|_(GNU_SOURCE|LP64|POSIX|XOPEN|DEFAULT)"
    r"|(BYTE_ORDER|LITTLE_ENDIAN|BIG_ENDIAN|linux|unix|SIZE_MAX|CHAR_BIT)$|U?INT\w*_(MAX|MIN)$"
)
_DIRECTIVE = re.compile(r"\s*#\s*([a-z_]+)\b\s*(.*)", re.DOTALL)
_DEFINE = re.compile(r"([A-Za-z_]\w*)(\([^)]*\))?(.*)", re.DOTALL)
_TOKEN = re.compile(r"\s*(defined\b|[A-Za-z_]\w*|\d\w*|\|\||&&|==|!=|<=|>=|[!<>()+*-]|\S)")
_MAX_TOKENS = 200


@dataclass(frozen=True)
class Line:
    """A line of C that is read; `certain` if every condition around it holds, `guards` the undefined names in them."""

    file: str
    number: int
    text: str
    certain: bool
    guards: tuple[str, ...]


@dataclass(frozen=True)
class Missing:
    """An #include of a file that is not where the compiler would look for it."""

    file: str
    number: int
    name: str
    certain: bool


@dataclass
class Unit:
    """One source with all that it includes."""

    lines: list[Line] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)  # of macros
    included: list[str] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    # Names that conditions ask for and nothing defines, with the first place of each.
    asked: dict[str, tuple[str, int]] = field(default_factory=dict)
    whole: bool = True  # False where a bound stopped the reading


@dataclass
class _Branch:
    holds: bool | None
    taken: bool | None  # whether this branch or an earlier one of the same #if holds
    guards: tuple[str, ...]


def preprocess(source: str, read: Callable[[str], bytes], folders: Sequence[str], known: Collection[str]) -> Unit:
    """The unit of `source`. `read` gives a file's bytes, `folders` are searched for includes, `known` are all files."""
    reader = _Reader(read, folders, known)
    reader.file(source, 0)
    return reader.unit


class _Reader:
    def __init__(self, read: Callable[[str], bytes], folders: Sequence[str], known: Collection[str]):
        self.read, self.folders, self.known = read, folders, known
        self.unit = Unit()
        # Replacement text, and whether it is sure to be defined.
        self.macros: dict[str, tuple[str, bool]] = {}
        self.files = 0
        self.branches: list[_Branch] = []

    def file(self, name: str, depth: int) -> None:
        self.files += 1
        if depth > MAX_DEPTH or self.files > MAX_FILES or len(self.unit.lines) > MAX_LINES:
            self.unit.whole = False
            return
        outer = len(self.branches)
        for number_, text in _logical_lines(without_comments(plain_text(self.read(name)))):
            if len(self.branches) > MAX_NESTING:
                self.unit.whole = False
                break
            match = _DIRECTIVE.match(text)
            if match:
                self.directive(match[1], match[2].strip(), name, number_, depth, outer)
            elif text.strip() and self.holds is not False:
                self.unit.lines.append(Line(name, number_, text, bool(self.holds), self.guards))
        del self.branches[outer:]

    @property
    def holds(self) -> bool | None:
        return _all(branch.holds for branch in self.branches)

    @property
    def guards(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for branch in self.branches for name in branch.guards))

    def directive(self, word: str, rest: str, file: str, number_: int, depth: int, outer: int) -> None:
        if word in ("if", "ifdef", "ifndef"):
            expression = {"ifdef": f"defined {rest}", "ifndef": f"!defined {rest}"}.get(word, rest)
            value, guards = (None, ()) if self.holds is False else self.evaluate(expression, file, number_)
            self.branches.append(_Branch(value, value, guards))
        elif word in ("elif", "else", "endif") and len(self.branches) > outer:
            branch = self.branches.pop()
            if word != "endif":
                value, guards = (True, ()) if word == "else" else self.evaluate(rest, file, number_)
                holds = _all([_not(branch.taken), value])
                taken = _not(_all([_not(branch.taken), _not(value)]))
                self.branches.append(_Branch(holds, taken, (*branch.guards, *guards)))
        elif self.holds is not False:
            self.effective(word, rest, file, number_, depth)

    def effective(self, word: str, rest: str, file: str, number_: int, depth: int) -> None:
        """A directive in a branch that may hold."""
        if word == "define" and (match := _DEFINE.match(rest)):
            self.macros[match[1]] = (match[3].strip(), self.holds is True)
            self.unit.bodies.append(match[3])
        elif word == "undef":
            self.macros.pop(rest.split()[0] if rest else "", None)
        elif word == "include":
            self.include(rest, file, number_, depth)

    def include(self, rest: str, file: str, number_: int, depth: int) -> None:
        if re.fullmatch(r"[A-Za-z_]\w*", rest):
            rest = self.macros.get(rest, ("", True))[0]
        name = string(rest)
        if rest.startswith("<"):
            self.unit.lines.append(Line(file, number_, f"#include {rest}", bool(self.holds), self.guards))
            name = rest[1:].partition(">")[0]
        if name is None:
            return
        name = name.encode("latin-1").decode("utf-8", errors="replace")
        found = look_for(name, file, self.folders, self.known)
        if found:
            self.unit.included.append(found)
            self.file(found, depth + 1)
        elif not rest.startswith("<"):
            self.unit.missing.append(Missing(file, number_, name, self.holds is True))

    def evaluate(self, expression: str, file: str, number_: int) -> tuple[bool | None, tuple[str, ...]]:
        """Whether an #if holds, and the names in it that nothing defines."""
        tokens = _TOKEN.findall(expression)[:_MAX_TOKENS]
        undefined = []
        for name in tokens:
            if re.match(r"[A-Za-z_]", name) and name != "defined" and self.defined(name) is False:
                undefined.append(name)
                self.unit.asked.setdefault(name, (file, number_))
        value = _Expression(tokens, self).value()
        return (None if value is None else bool(value)), tuple(undefined)

    def defined(self, name: str) -> bool | None:
        if name in self.macros:
            return True if self.macros[name][1] else None
        return None if _COMPILERS.match(name) else False

    def number(self, name: str) -> int | None:
        if name in self.macros:
            text, certain = self.macros[name]
            return number(text) if certain else None
        return None if _COMPILERS.match(name) else 0


class _Expression:
    """The value of an #if expression by precedence climbing: an integer, or None where it is not known."""

    LEVELS = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, ">": 4, "<=": 4, ">=": 4, "+": 5, "-": 5, "*": 6}

    def __init__(self, tokens: list[str], reader: _Reader):
        self.tokens, self.reader, self.place = tokens, reader, 0

    def value(self) -> int | None:
        value = self.binary(1)
        return value if self.place >= len(self.tokens) else None

    def next(self) -> str:
        token = self.tokens[self.place] if self.place < len(self.tokens) else ""
        self.place += 1
        return token

    def binary(self, level: int) -> int | None:
        left = self.unary()
        while self.place < len(self.tokens) and self.LEVELS.get(self.tokens[self.place], 0) >= level:
            operator = self.next()
            left = _apply(operator, left, self.binary(self.LEVELS[operator] + 1))
        return left

    def unary(self) -> int | None:
        token = self.next()
        if token == "!":
            operand = self.unary()
            return None if operand is None else int(not operand)
        if token == "-":
            operand = self.unary()
            return None if operand is None else -operand
        if token == "(":
            value = self.binary(1)
            self.place += 1  # the closing one
            return value
        if token == "defined":
            name = self.next()
            if name == "(":
                name = self.next()
                self.place += 1
            known = self.reader.defined(name)
            return None if known is None else int(known)
        if re.match(r"\d", token):
            return number(token)
        if re.match(r"[A-Za-z_]", token) and self.tokens[self.place : self.place + 1] != ["("]:
            return self.reader.number(token)
        self.place = len(self.tokens) + 1  # nothing that we know
        return None


def _apply(operator: str, left: int | None, right: int | None) -> int | None:
    if operator == "||":
        return 1 if left or right else None if left is None or right is None else 0
    if operator == "&&":
        return 0 if left == 0 or right == 0 else None if left is None or right is None else 1
    if left is None or right is None:
        return None
    return int(
        {
            "==": left == right, "!=": left != right, "<": left < right, ">": left > right, "<=": left <= right,
            ">=": left >= right, "+": left + right, "-": left - right, "*": left * right,
        }[operator]
    )  # fmt: skip


def _all(values: Iterable[bool | None]) -> bool | None:
    result: bool | None = True
    for value in values:
        if value is False:
            return False
        result = None if value is None else result
    return result


def _not(value: bool | None) -> bool | None:
    return None if value is None else not value


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(number of the first physical line, text) with continued lines joined."""
    joined, first = "", 0
    for count, line in enumerate(text.split("\n"), 1):
        first = first or count
        if line.endswith("\\"):
            joined += line[:-1] + " "
            continue
        yield first, joined + line
        joined, first = "", 0
    if joined:
        yield first, joined
