"""The sentences above all: which instance is fastest at 1 KiB, by how much, and whether to believe it.

Markdown, in English, as all sentences of pages are before they are translated.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...aggregate import comparing, timing
from ...campaign.settings import YARDSTICK
from ...published.comparison import as_number
from .. import figures
from ..markdown import Markdown, escape
from ..pages import Row, number

MESSAGE_BYTES = "1024"
NOTHING = "No figure at 1 KiB can be compared here."
BELIEVE = "Believe it"
CARE = "Believe it with care"
NOT = "Do not believe it"
APART = "the difference is beyond both intervals and the noise floor"
TIED = "the two intervals overlap, or differ by no more than the noise floor"
# Beyond twice as much a quotient says more than a difference in per cent.
TWICE = 2.0
_INCOMPARABLE = " or ".join(comparing.INCOMPARABLE)


@dataclass(frozen=True)
class Headline:
    """The answer in a sentence, a word on its worth with the reasons, and the best of each digest width, if several."""

    sentence: str
    worth: str = ""
    reasons: list[str] = field(default_factory=list)
    widths: list[tuple[str, str]] = field(default_factory=list)

    @property
    def judgement(self) -> Markdown:
        """Its worth and the reasons."""
        return Markdown(f"**{self.worth}**: {'; '.join(self.reasons)}.")

    @property
    def blocks(self) -> int:
        """How many blocks index.md has of it."""
        return 1 + bool(self.worth) + bool(self.widths)


def of(stored: dict[str, list[Row]], candidates: list[str]) -> Headline:
    """From the tables of a campaign; `candidates` are those on the page."""
    kind = _published if "published_performance" in stored else _measured
    return kind(stored, [name for name in candidates if name != YARDSTICK])


def more(quotient: float) -> str:
    """How much more than 1 a quotient is, in words."""
    if quotient >= TWICE:
        return f"{figures.ratio(quotient)} times as much"
    return f"{figures.uncertainty(quotient - 1)} more"


def _measured(stored: dict[str, list[Row]], candidates: list[str]) -> Headline:
    there = [row for row in stored["performance"] if row["candidate"] in candidates and row["status"] == "MEASURED"]
    there = [row for row in there if row["message_bytes"] == MESSAGE_BYTES]
    rows = [row for row in there if not set(comparing.INCOMPARABLE) & set(row["marks"].split())]
    if not rows:
        return Headline(_none(len(there)) if there else NOTHING)
    figure_of = {(row["candidate"], row["instance"]): _numbers(row) for row in rows}
    unit = timing.common_unit(figure_of.values())
    rows.sort(key=lambda row: timing.figure(figure_of[_place(row)], unit)[0])
    floor = number(stored["campaign"][0], "noise_floor")
    best, *others = rows
    own = figure_of[_place(best)]
    tied = [row for row in others if comparing.is_tied(figure_of[_place(row)], own, unit, floor or 0.0)]
    value, half_width = timing.figure(own, unit)
    cost = f"{figures.cycles(value)} cycles" if unit == "cycles" else figures.time(value)
    cost = figures.with_width(cost, value, half_width)
    lead = timing.figure(figure_of[_place(others[0])], unit)[0] / value if others else None
    worth, reasons = _worth(stored, rows[:2], bool(tied), floor)
    sentence = _sentence(cost, best, others, tied, lead)
    if there[1:] and not others:
        sentence = _only(cost, best, len(there))
    return Headline(sentence, worth, reasons, _widths(rows))


def _place(row: Row) -> tuple[str, str]:
    return row["candidate"], row["instance"]


def _numbers(row: Row) -> dict:
    """A row with what timing.figure and common_unit take of it."""
    units = (f"{name}_{unit}" for name in timing.FIGURE_COLUMNS for unit in timing.UNITS)
    return {"figure": row["figure"], "cycle_source": row["cycle_source"]} | {name: number(row, name) for name in units}


def _sentence(cost: str, best: Row, others: list[Row], tied: list[Row], lead: float | None) -> Markdown:
    start = f"{_name(best)} is the fastest at 1 KiB on this system: {escape(cost)} for a message"
    if tied:
        named = ", ".join(escape(row["instance"]) for row in tied[:3]) + (" and others" if tied[3:] else "")
        return Markdown(f"{start}; not to be told from it: {named}.")
    if lead is None:
        return Markdown(f"{start}; there is no other to compare with.")
    following = f"{escape(others[0]['instance'])} ({escape(others[0]['candidate'])})"
    return Markdown(f"{start}; the next, {following}, takes {more(lead)}.")


def _only(cost: str, best: Row, count: int) -> Markdown:
    """Of several instances, all but one are compared with nothing."""
    rest = f"the other {count - 1} are" if count > 2 else "the other is"
    judged = f"only {_name(best)} can be judged at 1 KiB ({escape(cost)})"
    return Markdown(f"Of {count} instances {judged}; {rest} marked {_INCOMPARABLE}.")


def _none(count: int) -> Markdown:
    return Markdown(f"No instance can be judged at 1 KiB, of {count} measured: each is marked {_INCOMPARABLE}.")


def _name(row: Row) -> str:
    return f"**{escape(row['instance'])}** ({escape(row['candidate'])})"


def _worth(stored: dict[str, list[Row]], rows: list[Row], tied: bool, floor: float | None) -> tuple[str, list[str]]:
    """Whether to believe it, what speaks for it, and against."""
    if stored["campaign"][0]["emulated"] == "yes":
        return NOT, ["no figure here is a measurement, the programs ran under an emulator"]
    against = ["this machine is not fit to measure for publication, and the figures hold for it alone"]
    reasons = against if stored["unfit"] else []
    reasons = reasons + _marked(rows)
    if floor is None:
        reasons.append("the noise floor of this machine is not known")
    apart = [TIED if tied else APART] if rows[1:] and floor is not None else []
    if reasons:
        return CARE, apart + reasons
    return BELIEVE, [
        "the host is fit to measure",
        "neither row has a mark" if rows[1:] else "its row has no mark",
        *apart,
    ]


def _marked(rows: list[Row]) -> list[str]:
    """Which rows have which marks."""
    names: dict[str, list[str]] = {}
    for row in (row for row in rows if row["marks"]):
        names.setdefault(row["marks"], []).append(escape(row["instance"]))
    return [
        f"the row{'s' * bool(own[1:])} of {' and '.join(own)} {'are' if own[1:] else 'is'} marked {words}"
        for words, own in names.items()
    ]


def _widths(rows: list[Row]) -> list[tuple[str, str]]:
    """The best of each digest width, by the standings in the table, and which are not to be told from it."""
    found = []
    for bits in sorted({int(row["digest_bits"]) for row in rows}):
        best, *others = (row for row in rows if row["digest_bits"] == str(bits))
        tied = ", ".join(escape(row["instance"]) for row in others if row["standing"] == "tied")
        told = f"; tied: {tied}" if tied else "" if others else "; no other to compare with"
        found.append((f"{bits} bits", Markdown(_name(best) + told)))
    return found if len(found) > 1 else []


def _published(stored: dict[str, list[Row]], candidates: list[str]) -> Headline:
    """As printed: rounded, and without an interval."""
    rows = [row for row in stored["published_performance"] if row["candidate"] in candidates]
    known = [(found, row) for row in rows if row["message_bytes"] == MESSAGE_BYTES and (found := _printed(row))]
    if not known:
        return Headline(NOTHING)
    known.sort(key=lambda one: one[0])
    bits_of = {_place(row): row["digest_bits"] for row in stored["published_kat"]}
    judged, most = [], {}  # of a width, what the least may be at most
    for (value, half), row in known:
        bits = bits_of[_place(row)]
        standing = "tied" if value - half <= most.setdefault(bits, value + half) else ""
        judged.append(row | {"digest_bits": bits, "standing": standing})
    (value, half), best = known[0]
    tied = [row for (other, its_half), row in known[1:] if other - its_half <= value + half]
    lead = known[1][0][0] / value if known[1:] else None
    cost = f"{best['mean_cycles']} cycles"
    worth = "others published it, rounded and without intervals, so small differences may be noise"
    return Headline(_sentence(cost, best, [row for _, row in known[1:]], tied, lead), CARE, [worth], _widths(judged))


def _printed(row: Row) -> tuple[float, float] | None:
    return as_number(row["mean_cycles"])
