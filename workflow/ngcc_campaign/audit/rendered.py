"""Whether the pages are what the product renders from the tables, byte by byte; and plots of what it would draw."""

from __future__ import annotations

from itertools import zip_longest

from ..common.errors import Mistake
from ..common.files import json_text
from ..render import beside, render
from ..render.site import drawing, names
from ..render.site.pages import Site
from .findings import Findings
from .holdings import Holdings


def check(holdings: Holdings, stored: dict, candidates: list[str], findings: Findings) -> None:
    """Render every page from the tables as they are and compare."""
    try:
        around = beside.read(holdings.folder)
        pages, site, data = render.reports(holdings.folder, stored, around, candidates)
    except Mistake as mistake:
        findings.fault(f"The pages cannot be rendered again: {mistake}")
        return
    same = json_text(beside.document(around)).encode() == holdings.bytes(beside.NAME)
    findings.check("statements", same, f"{beside.NAME}: not as render writes it.")
    for name, text in ({f"{name}.md": text for name, text in pages.items()} | data | site.texts).items():
        file = f"report/{name}"
        if file not in holdings:
            continue
        found, expected = holdings.bytes(file), text.encode("utf-8", "surrogateescape")
        line = "" if found == expected else _first_difference(found, expected)
        findings.check("pages", found == expected, f"{file}: {line}.")
    _pictures(holdings, site, findings)


def _pictures(holdings: Holdings, site: Site, findings: Findings) -> None:
    """Each picture says what it was drawn from; whether it shows that, only the same library could tell."""
    for name, spec in site.specs().items():
        for language in names.LANGUAGES:
            file = f"report/{names.in_language(name, language)}"
            if file in holdings:
                told = drawing.origin(spec).encode() in holdings.bytes(file)
                findings.check("statements", told, f"{file}: not drawn from what the tables and records give.")


def _first_difference(found: bytes, expected: bytes) -> str:
    lines = zip_longest(found.split(b"\n"), expected.split(b"\n"))
    number, (here, there) = next((place, pair) for place, pair in enumerate(lines, 1) if pair[0] != pair[1])
    return f"line {number} is not what the tables give: found {_part(here, there)}, rendered {_part(there, here)}"


def _part(line: bytes | None, other: bytes | None) -> str:
    """The part of a line in which it differs from the other, with a little before it."""
    if line is None:
        return "no line"
    same = next((at for at, (a, b) in enumerate(zip(line, other or b"", strict=False)) if a != b), 0)
    start = max(0, same - 10)
    return repr(line[start : start + 60].decode("utf-8", "replace"))
