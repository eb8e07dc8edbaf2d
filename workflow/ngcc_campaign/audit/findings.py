"""What an audit found, and how much it looked at."""

from __future__ import annotations

from collections import Counter

from ..common.printable import escaped


class Findings:
    """Faults, a sentence each in the order in which they were found, and counts by what was counted.

    earlier: records that name a host.json or a verdict that was made again since, and stand.
    """

    def __init__(self) -> None:
        self._faults: dict[str, None] = {}
        self.counts: Counter[str] = Counter()
        self.earlier: set[str] = set()

    @property
    def faults(self) -> list[str]:
        return list(self._faults)

    def fault(self, sentence: str) -> None:
        """Note a fault, as a line that a terminal can show; the same sentence is noted once."""
        self._faults.setdefault(escaped(sentence))

    def check(self, what: str, holds: bool, sentence: str) -> bool:
        """Count one more thing of the kind `what`, and note the sentence where it does not hold."""
        self.counts[what] += 1
        if not holds:
            self.fault(sentence)
        return holds
