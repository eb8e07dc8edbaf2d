"""Which functions a piece of C declares, defines and uses: enough to find the file that a linker would miss."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .preprocessor import Line, Unit

_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?|[A-Za-z_]\w*|\d[\w.]*|[(){};=]')
_NO_NAMES = {
    "void", "int", "char", "short", "long", "unsigned", "signed", "float", "double", "struct", "union", "enum", "const",
    "if", "while", "for", "switch", "return", "sizeof", "extern", "register", "volatile", "inline",
}  # fmt: skip
_OTHERS = {"static", "typedef", "return", "goto", "if", "else", "for", "while", "do", "switch", "case"}
_ATTRIBUTE = re.compile(r"__attribute|__declspec|_Align|alignas|__asm|asm$|_Static_assert|static_assert")


@dataclass
class Functions:
    """Names of functions with external linkage, each with the line that first declares or defines it."""

    declared: dict[str, Line] = field(default_factory=dict)
    defined: dict[str, Line] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)


def functions(unit: Unit) -> Functions:
    """The functions of a preprocessed source. Old-style definitions, and those that macros make, are not seen."""
    found = Functions()
    for body in unit.bodies:
        found.used.update(re.findall(r"[A-Za-z_]\w*", body))
    braces = parens = words = 0  # words: of the statement, before its first parenthesis
    name, previous, here = "", "", None
    other = False  # static, a typedef, an initialiser, a statement: neither a declaration nor a definition for others
    for line in unit.lines:
        if line.text.startswith("}") and not line.text.startswith("};"):  # both branches of an #if may have opened it
            braces = 1
        for token in _TOKEN.findall(line.text):
            word = token[0].isalpha() or token[0] == "_"
            if token == "(":
                if not braces and not parens and words > 1 and _can_be_a_name(previous):
                    name, here = previous, line
                parens += 1
            elif token == ")":
                parens = max(0, parens - 1)
            elif token == "{":
                if not braces and not parens and name and not other:
                    found.defined.setdefault(name, here)
                braces += 1
            elif token in ("}", ";"):
                braces = max(0, braces - (token == "}"))
                if token == ";" and not braces and not parens and name and not other:
                    found.declared.setdefault(name, here)
                if not braces:
                    name, words, other, parens = "", 0, False, 0
            elif braces and word:
                found.used.add(token)
            elif not braces and not parens:
                words += word
                other = other or token == "=" or token in _OTHERS
            previous = token
    return found


def _can_be_a_name(token: str) -> bool:
    return token[:1].isidentifier() and token not in _NO_NAMES and not _ATTRIBUTE.match(token)
