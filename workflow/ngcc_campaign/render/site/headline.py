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
# What rows of performance.csv have and published ones lack.
_AS_PRINTED = {"marks": "", "figure": "all", "cycle_source": "none"}
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
    there = [row | _numbers(row) for row in there if row["message_bytes"] == MESSAGE_BYTES]
    rows = [row for row in there if _is_judged(row)]
    if not rows:
        return Headline(_none(len(there)) if there else NOTHING, widths=_widths(there))
    unit = timing.common_unit(there)
    rows.sort(key=lambda row: timing.figure(row, unit)[0])
    floor = number(stored["campaign"][0], "noise_floor")
    best, *others = rows
    tied = [row for row in others if comparing.is_tied(row, best, unit, floor or 0.0)]
    value, half_width = timing.figure(best, unit)
    rate = figures.tenths(value / int(MESSAGE_BYTES)) if unit == "cycles" else ""
    cost = _for_a_message(figures.with_width(_cost(value, unit), value, half_width), ", undisturbed", rate)
    lead = timing.figure(others[0], unit)[0] / value if others else None
    less = comparing.below(there, rows)
    rest = _at_most(less[0], unit) if less else _rest(others, tied, lead, len(there) - 1)
    worth, reasons = _worth(stored, rows[: 1 if less else 2], bool(tied), floor, (len(rows), len(there)))
    return Headline(Markdown(f"{_start(best, cost, len(rows), len(there))}; {rest}."), worth, reasons, _widths(there))


def _is_judged(row: Row) -> bool:
    return not set(comparing.INCOMPARABLE) & set(row["marks"].split())


def _cost(value: float, unit: str) -> str:
    return f"{figures.cycles(value)} cycles" if unit == "cycles" else figures.time(value)


def _for_a_message(cost: str, kind: str, rate: str) -> str:
    """A cost as the sentence tells it, and as the table does, in cycles/byte, where these are known."""
    return f"{cost} for a message{kind}" + (f" ({rate} cycles/byte)" if rate else "")


def _place(row: Row) -> tuple[str, str]:
    return row["candidate"], row["instance"]


def _numbers(row: Row) -> dict[str, float | None]:
    """What timing.figure takes of a row, as numbers."""
    units = (f"{name}_{unit}" for name in timing.FIGURE_COLUMNS for unit in timing.UNITS)
    return {name: number(row, name) for name in units}


def _start(best: Row, cost: str, judged: int, count: int) -> str:
    """Who is the fastest, and of whom: the figure of a row that is not judged may be anything."""
    if judged == count:
        return f"{_name(best)} is the fastest at 1 KiB on this system: {escape(cost)}"
    if judged == 1:
        return f"Of {count} instances only {_name(best)} can be judged at 1 KiB: {escape(cost)}"
    those = f"Of the {judged} of {count} instances that can be judged at 1 KiB"
    return f"{those}, {_name(best)} is the fastest: {escape(cost)}"


def _rest(others: list[Row], tied: list[Row], lead: float | None, unjudged: int) -> str:
    """How far the others are."""
    if tied:
        named = ", ".join(escape(row["instance"]) for row in tied[:3]) + (" and others" if tied[3:] else "")
        return f"not to be told from it: {named}"
    if lead is not None:
        return f"the next, {escape(others[0]['instance'])} ({escape(others[0]['candidate'])}), takes {more(lead)}"
    if not unjudged:
        return "there is no other to compare with"
    return f"the other {f'{unjudged} are' if unjudged > 1 else 'is'} marked {_INCOMPARABLE}"


def _at_most(row: Row, unit: str) -> str:
    """A row marked few, whose figure is an upper bound."""
    bound = _cost(timing.figure(row, unit)[0], unit)
    return f"{escape(row['instance'])} ({escape(row['candidate'])}), marked few, takes less: at most {escape(bound)}"


def _none(count: int) -> Markdown:
    return Markdown(f"No instance can be judged at 1 KiB, of {count} measured: each is marked {_INCOMPARABLE}.")


def _name(row: Row) -> str:
    return f"**{escape(row['instance'])}** ({escape(row['candidate'])})"


def _worth(
    stored: dict[str, list[Row]], rows: list[Row], tied: bool, floor: float | None, counts: tuple[int, int]
) -> tuple[str, list[str]]:
    """Whether to believe it, what speaks for it, and against; `counts` are how many rows are judged, of how many."""
    judged, count = counts
    if stored["campaign"][0]["emulated"] == "yes":
        return NOT, ["no figure here is a measurement, the programs ran under an emulator"]
    against = ["this machine is not fit to measure for publication, and the figures hold for it alone"]
    reasons = against if stored["unfit"] else []
    reasons = reasons + _marked(rows)
    if judged < count:
        reasons.append(f"{count - judged} of {count} instances cannot be judged, and may be faster")
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
    """The best of each digest width; nothing where there is but one."""
    found = []
    for bits in sorted({int(row["digest_bits"]) for row in rows}):
        found.append((f"{bits} bits", _width([row for row in rows if row["digest_bits"] == str(bits)])))
    return found if len(found) > 1 else []


def _width(rows: list[Row]) -> Markdown:
    """The best of one width, by the standings in the table, which are not to be told from it, and which not judged."""
    judged = [row for row in rows if _is_judged(row)]
    unit = timing.common_unit(rows)
    less = comparing.below(rows, judged)[:1] if judged else []
    rest = ", ".join(escape(row["instance"]) for row in rows if not _is_judged(row) and row not in less)
    if not judged:
        return Markdown(f"none can be judged: {rest}")
    best = min(judged, key=lambda row: timing.figure(row, unit)[0])
    tied = ", ".join(escape(row["instance"]) for row in judged if row is not best and row["standing"] == "tied")
    told = [_at_most(less[0], unit), f"of those that can be judged {_name(best)}"] if less else [_name(best)]
    told += [f"tied: {tied}"] if tied else []
    told += [f"not judged: {rest}"] if rest else []
    if len(rows) == 1:
        told.append("no other to compare with")
    return Markdown("; ".join(told))


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
        judged.append(row | {"digest_bits": bits, "standing": standing, **_AS_PRINTED, "mean_ns": value})
    (value, half), best = known[0]
    tied = [row for (other, its_half), row in known[1:] if other - its_half <= value + half]
    lead = known[1][0][0] / value if known[1:] else None
    cost = _for_a_message(f"{best['mean_cycles']} cycles", "", best["cycles_per_byte"])
    sentence = f"{_start(best, cost, 1, 1)}; {_rest([row for _, row in known[1:]], tied, lead, 0)}."
    worth = "others published it, rounded and without intervals, so small differences may be noise"
    return Headline(Markdown(sentence), CARE, [worth], _widths(judged))


def _printed(row: Row) -> tuple[float, float] | None:
    return as_number(row["mean_cycles"])
