"""Where figures of pages lead: to the documents that they were computed from, where the results folder holds them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...measure.own import CONTROLS, SAME
from ..pages import Row
from ..summary import LONGEST
from .document import Links

# From a page to the folder of results.
UP = "../../../"
# Columns of figures that come from runs for memory, by how their titles begin; all others come from timings.
_MEMORY = ("static", "baseline", "peak", "text", "rodata", "data", "bss", "stack", "heap", "leak", "ELF")
# Facts on the method page that host.json does not tell.
_NOT_OF_HOST = ("compiler", "build tool", "clock", "core clock, measured")


class Sources:
    """The documents that the tables `stored` rest on, by candidate and instance; none of published figures."""

    def __init__(self, stored: dict[str, list[Row]]) -> None:
        self._files = {row["file"]: UP + row["file"] for row in stored.get("evidence", ()) if row["sha256"]}
        self._records = {
            (row["candidate"], row["instance"], row["message_bytes"]): UP + row["record"]
            for row in stored.get("performance", ())
            if row["record_sha256"]
        }
        self._memory, self._kat, self._build = (
            {_place(row): UP + row[name] for row in stored.get(table, ()) if row[f"{name}_sha256"]}
            for table, name in (("memory", "memory"), ("instances", "kat"), ("instances", "build"))
        )
        self._own = {row["name"]: UP + row["record"] for row in stored.get("own", ()) if row["record_sha256"]}

    @property
    def held(self) -> bool:
        """Whether any figure leads anywhere."""
        return bool(self._records or self._memory)

    def figure(self, candidate: str, instance: str, title: str, size: str = LONGEST) -> str:
        """The document of a figure by its column's title, which may name a message length; empty where none is held."""
        if title.startswith(_MEMORY):
            return self._memory.get((candidate, instance), "")
        named = re.search(r"(\d+) B$", title)
        return self._records.get((candidate, instance, named[1] if named else size), "")

    def verdict(self, candidate: str, instance: str) -> str:
        return self._kat.get((candidate, instance), "")

    def of(self, page: str) -> Links:
        """Where the cells of a page lead: of a candidate's, or of the method's, the ranking's."""

        def links(header: list[str], row: list[str], figures: frozenset[int]) -> Mapping[int, str]:
            told = dict(zip(header, row, strict=True))
            found = self._words(page, told) if page != "method" else self._method(told)
            names = told.get("candidate", page), told.get("instance", "")
            size = told.get("message", "").removesuffix(" B")
            for at in figures if "instance" in told else ():
                if row[at] not in ("–", ""):
                    found[header[at]] = self.figure(*names, header[at], size)
            return {header.index(title): file for title, file in found.items() if file and title in header}

        return links

    def _words(self, candidate: str, told: dict[str, str]) -> dict[str, str]:
        """Cells that are no figures: of a row's message, its library, its verdict, a file."""
        place = candidate, told.get("instance", "")
        return {
            "message": self._records.get((*place, told.get("message", "").removesuffix(" B")), ""),
            "operation": self._memory.get(place, ""),
            "build flags": self._build.get(place, ""),
            "KAT": self.verdict(*place),
            "file": self._files.get(told.get("file", ""), ""),
        }

    def _method(self, told: dict[str, str]) -> dict[str, str]:
        """Facts of the host, and what the machine does by itself."""
        if "asked by" in told:
            return {"found": "" if told["fact"] in _NOT_OF_HOST else f"{UP}host.json"}
        pair = next((pair for pair in SAME if told.get("message") == f"{pair[0].message_bytes} B"), ())
        found = {f"figure of {letter}": self._own.get(one.name, "") for letter, one in zip("AB", pair, strict=False)}
        control = self._own.get(told.get("record", ""), "") if told.get("record") in _CONTROLS else ""
        return found | {"record": control, "figure": control}


_CONTROLS = {one.name for one in CONTROLS}


def _place(row: Row) -> tuple[str, str]:
    return row["candidate"], row["instance"]
