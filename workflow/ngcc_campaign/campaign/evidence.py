"""Which evidence a report is made from: measured here and now, stored earlier, or published by others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from ..common.errors import Mistake

Kind = Literal["measured", "stored", "published"]


@dataclass(frozen=True)
class Decision:
    """The kind of evidence, and why it is that: a sentence, then a line for each deviation of this host."""

    kind: Kind
    statement: str


class Holdings(Protocol):
    """What a report could be made from here. Each is looked at only where the decision needs it."""

    @property
    def deviations(self) -> list[dict]:
        """What keeps this host from being the system (host.unfit)."""

    @property
    def no_stored(self) -> str:
        """Why no stored records count, as part of a sentence; empty where some do."""

    @property
    def no_published(self) -> str:
        """Why no published figures can be shown, as part of a sentence; empty where some can."""


def decide(asked: str, system: dict, holdings: Holdings, *, unfit_host: str) -> Decision:
    """The best evidence there is, or the kind that was asked for (auto, measure, stored, published).

    Raises Mistake where what was asked for can't be had.
    """
    if asked in ("stored", "published"):
        return decide_unmeasured(asked, system, holdings)
    if "cross" in system:
        return Decision("measured", "Rehearsed under an emulator: every stage ran, and no figure is a measurement.")
    name, deviations = system["id"], holdings.deviations
    if not deviations:
        return Decision("measured", f"Measured on this host, which is {name}.")
    if unfit_host == "allow":
        return Decision("measured", "Measured on this host as it is, although it is not fit.")
    differs = f"This host is not {name}, or not in its state: {'; '.join(told(deviations))}."
    if asked == "measure":
        raise Mistake(f"evidence=measure: {differs} `snakemake host --config system={name}` says what to do.")
    if not holdings.no_stored:
        return Decision("stored", _why(f"From records stored in results/{name}", name, deviations))
    if not holdings.no_published:
        return Decision("published", _why(f"Published figures ({holdings.no_stored})", name, deviations))
    raise Mistake(
        f"system={name}: {differs} There are neither stored records ({holdings.no_stored}) nor published figures"
        f" ({holdings.no_published}): see `snakemake host --config system={name}`, or measure all the same with"
        " unfit_host=allow."
    )


def decide_unmeasured(asked: str, system: dict, holdings: Holdings) -> Decision:
    """The same where nothing may be measured, so that the host does not matter: stored evidence, else published."""
    name = system["id"]
    if asked == "measure":
        raise Mistake("evidence=measure: the target `report` measures nothing; leave out one of the two.")
    if asked in ("auto", "stored") and not holdings.no_stored:
        return Decision("stored", f"From records stored in results/{name}; nothing was measured for this report.")
    if asked == "stored":
        raise Mistake(f"evidence=stored: {holdings.no_stored}; copy the results of a campaign of {name} there.")
    if asked == "published":
        if holdings.no_published:
            raise Mistake(f"evidence=published: {holdings.no_published}; ask for other candidates or other evidence.")
        return Decision("published", "Published figures, as evidence=published asks; nothing was measured here.")
    if holdings.no_published:
        raise Mistake(
            f"report: {holdings.no_stored}, and {holdings.no_published}; copy the results of a campaign of {name}"
            " there, or run one."
        )
    return Decision("published", f"Published figures ({holdings.no_stored}); nothing was measured for this report.")


def hindrance(system: dict, holdings: Holdings, *, unfit_host: str) -> str:
    """Why this host can't measure the system, in one line; empty where it can, or may as it is."""
    if unfit_host == "allow" or "cross" in system or not holdings.deviations:
        return ""
    name, facts = system["id"], ", ".join(one["fact"] for one in holdings.deviations)
    return (
        f"This host can't measure it, as it is not {name}, or not in its state ({facts}):"
        f" see `snakemake host --config system={name}`."
    )


def _why(source: str, name: str, deviations: list[dict]) -> str:
    sentence = f"{source}; nothing was measured here, as this host is not {name}, or not in its state:"
    return "\n".join([sentence, *told(deviations)])


def told(deviations: list[dict]) -> list[str]:
    """What was expected and what was found, a line each."""
    return [f"{one['fact']}: expected {one['expected']}, found {one['found']}" for one in deviations]
