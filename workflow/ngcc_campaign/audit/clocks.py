"""Whether core clocks fit canaries: additions a cycle are a constant of the core, which contention can only lower.

A chain of dependent additions takes a cycle each; a canary makes as many at once as the core has adders for. The least
time of each in a record was taken at the core's best, so that a record with more additions a cycle than the others has
a clock, or a canary, that no core showed.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from .findings import Findings
from .holdings import Holdings

# Chains of a canary (native/perf/canary.h), each an addition a cycle at best; what times read apart from one another.
CHAINS, TOLERANCE = 6, 0.05


def check(holdings: Holdings, findings: Findings) -> None:
    """Compare the records of each driver and CPU."""
    groups: dict[tuple, dict[str, dict]] = defaultdict(dict)
    for name, record in holdings.documents.items():
        if name.startswith("records/") and additions_a_cycle(record):
            groups[record["files"]["driver_sha256"], record["environment"]["cpu_asked"]][name] = record
    for records in groups.values():
        most = min(CHAINS, _usual(list(records.values()))) * (1 + TOLERANCE)
        for name, record in records.items():
            found = additions_a_cycle(record)
            told = f"its canary made {found:.3g} additions a cycle of its core clock, at most {most:.3g} fit"
            findings.check("statements", found <= most, f"{name}: {told}.")


def additions_a_cycle(record: dict) -> float:
    """By the least times of chain and canary; 0 where a record has not both."""
    chains = [trial["core_clock"] for trial in record["trials"] if trial["core_clock"]]
    if not chains or not record["canary"] or not (canary := _canary_ns(record)):
        return 0
    cycle_ns = min(min(chain["before_ns"], chain["after_ns"]) / max(chain["additions"], 1) for chain in chains)
    return record["canary"]["additions"] / canary * cycle_ns


def _canary_ns(record: dict) -> int:
    return min((time for trial in record["trials"] for time in trial["canaries_ns"]), default=0)


def _usual(records: list[dict]) -> float:
    """The median of records that were alone on the core for a moment: whose canary was once as quick as one was known.

    Without one of them nothing is known but how many chains there are.
    """
    least = median(record["canary"]["seen_ns"] for record in records)
    alone = [record for record in records if _canary_ns(record) <= (1 + record["canary"]["tolerance"]) * least]
    return median(map(additions_a_cycle, alone)) if alone else CHAINS
