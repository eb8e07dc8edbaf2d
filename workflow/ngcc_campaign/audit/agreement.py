"""Whether the records of a campaign agree with one another, and with the host: what one of them alone cannot show."""

from __future__ import annotations

from statistics import median

from ..measure.own import OWN
from .findings import Findings
from .holdings import Holdings

# The reference clock is one for the whole host. Both clocks are read at each end of a batch, and steps of a microsecond
# have been seen.
RATE_TOLERANCE, READING_NS = 0.01, 2000


def check(holdings: Holdings, findings: Findings) -> None:
    """Check what is one and the same in all records."""
    records = {name: one for name, one in holdings.documents.items() if name.startswith("records/")}
    _messages(records, findings)
    _rates(records, findings)
    _answers(records, findings)
    host = holdings.documents.get("host.json")
    for name, record in records.items() if host else ():
        facts, environment = host["facts"], record["environment"]
        same = environment["architecture"] == facts["architecture"]
        findings.check("statements", same, f"{name}: its architecture is not that of host.json.")


def _messages(records: dict[str, dict], findings: Findings) -> None:
    """Records of one length hashed one message, made by one rule."""
    first: dict[int, tuple[str, dict]] = {}
    for name, record in records.items():
        told = record["input"]
        if told["sha256"] is not None:
            other, expected = first.setdefault(record["message_bytes"], (name, told))
            findings.check("statements", told == expected, f"{name}: its message is not that of {other}.")


def _rates(records: dict[str, dict], findings: Findings) -> None:
    """The reference clock ran at one rate in all records."""
    rates = {}
    for name, record in records.items():
        ticks = [trial["reference_ticks"] for trial in record["trials"]]
        elapsed = sum(trial["elapsed_ns"] for trial in record["trials"])
        if elapsed and None not in ticks:
            batches = sum(len(trial["batches"]) for trial in record["trials"])
            rates[name] = sum(ticks) / elapsed, RATE_TOLERANCE + READING_NS * batches / elapsed
    usual = median(rate for rate, _ in rates.values()) if rates else 0
    for name, (rate, tolerance) in rates.items():
        sentence = f"{name}: its reference clock ran at {rate:.6g} ticks a ns, in the other records at {usual:.6g}."
        findings.check("statements", abs(rate - usual) <= tolerance * usual, sentence)


def _answers(records: dict[str, dict], findings: Findings) -> None:
    """The control gave one digest of one message, whatever it was called."""
    first: dict[tuple, tuple[str, str]] = {}
    for own in OWN.values():
        record = records.get(f"records/{own.name}.json")
        if record and record["digest"]:
            value = record["digest"]["value"]
            other, expected = first.setdefault((own.library, own.message_bytes), (own.name, value))
            findings.check("statements", value == expected, f"records/{own.name}.json: its digest is not {other}'s.")
