"""The rows of all tables, by what they are about: where the figures of pages are looked up."""

from __future__ import annotations

import re
from collections import defaultdict

Row = dict[str, str]
Place = tuple[str, str, int]
_MOMENT = r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z?"


class Tables:
    """The rows of all tables, by what they are about; and what pages show of other systems (report/beside.json)."""

    def __init__(self, stored: dict[str, list[Row]], beside: dict | None) -> None:
        self.system = stored["campaign"][0]["system"] if stored.get("campaign") else ""
        self.candidates = {row["candidate"] for row in stored.get("candidates", ())}
        self.digests: set[str] = set()
        self.moments: set[str] = set()
        self.by_record: dict[str, list[Row]] = defaultdict(list)
        self._rows: dict[tuple, list[Row]] = defaultdict(list)
        self._campaign: list[Row] = []
        self.instances: set[str] = set()
        for row in (row for rows in stored.values() for row in rows):
            self._add(row)
        self.beside = _figures_beside(beside)

    def _add(self, row: Row) -> None:
        candidate, instance, size = (row.get(key) or None for key in ("candidate", "instance", "message_bytes"))
        if instance:
            self.instances.add(instance)
        if not candidate:
            self._campaign.append(row)
        if row.get("record"):
            self.by_record[row["record"]].append(row)
        self.moments |= {match[1] for cell in row.values() if (match := re.fullmatch(_MOMENT, cell))}
        self.digests |= {cell for cell in row.values() if re.fullmatch("[0-9a-f]{64}", cell)}
        for key in {(c, i, s) for c in (candidate, None) for i in (instance, None) for s in (size, None)}:
            self._rows[key].append(row)

    def common(self, candidate: str | None) -> list[Row]:
        """Rows about a candidate and those about the whole campaign; all rows where there is no candidate."""
        return self._rows[candidate, None, None] + (self._campaign if candidate else [])

    def rows(self, candidate: str | None, instance: str | None, sizes: set[str]) -> list[Row]:
        """Rows about a candidate, an instance and one of some message lengths; None and an empty set: about any."""
        keys = [(candidate, instance, size) for size in sizes or [None]]
        return [row for key in keys for row in self._rows[key]]


def _figures_beside(beside: dict | None) -> dict[tuple[str, Place, str], str]:
    """What other systems' figures print as, by system, place and figure."""
    found = {}
    if beside:
        named = [(column, ("cycles_per_byte", "time")) for column in beside["columns"]]
        named += [(beside["compared"], ("mean_cycles",))] if beside["compared"] else []
        for column, figures in named:
            for row in column["figures"]:
                place = (row["candidate"], row["instance"], row["message_bytes"])
                found |= {(column["system"], place, figure): row[figure] for figure in figures}
    return found
