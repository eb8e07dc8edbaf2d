"""Which evidence a report is made from: measured here and now, stored earlier, or published by others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .errors import Mistake

Kind = Literal["measured", "stored", "published"]


@dataclass(frozen=True)
class Decision:
    """The kind of evidence, and why it is that: a sentence, then a line for each deviation of this host."""

    kind: Kind
    statement: str


def decide(
    asked: str, system: dict, *, unfit_host: str, deviations: list[dict], has_stored: bool, has_published: bool
) -> Decision:
    """The best evidence there is, or the kind that was asked for (auto, measure, stored, published).

    `deviations` is what keeps this host from being the system (host.unfit); `has_stored` and `has_published` say what
    lies in results/<system> and resources/published/<system>. Raises Mistake where what was asked for can't be had.
    """
    name = system["id"]
    if asked == "stored":
        if not has_stored:
            raise Mistake(f"evidence=stored: results/{name} holds no records; copy a results folder there, or measure.")
        return Decision("stored", f"From records stored in results/{name}; nothing was measured for this report.")
    if asked == "published":
        if not has_published:
            raise Mistake(f"evidence=published: no figures of '{name}' are in resources/published.")
        return Decision("published", "Published figures, as evidence=published asks; nothing was measured here.")
    if "cross" in system:
        return Decision("measured", "Rehearsed under an emulator: every stage ran, and no figure is a measurement.")
    if not deviations:
        return Decision("measured", f"Measured on this host, which is {name}.")
    if unfit_host == "allow":
        return Decision("measured", "Measured on this host as it is, although it is not fit.")
    differs = f"This host is not {name}, or not in its state: {'; '.join(told(deviations))}."
    if asked == "measure":
        raise Mistake(f"evidence=measure: {differs} `snakemake host --config system={name}` says what to do.")
    if has_stored:
        return Decision("stored", _why(f"From records stored in results/{name}", name, deviations))
    if has_published:
        return Decision("published", _why("Published figures", name, deviations))
    raise Mistake(
        f"system={name}: {differs} There are neither stored records nor published figures: see"
        f" `snakemake host --config system={name}`, or measure all the same with unfit_host=allow."
    )


def _why(source: str, name: str, deviations: list[dict]) -> str:
    sentence = f"{source}; nothing was measured here, as this host is not {name}, or not in its state:"
    return "\n".join([sentence, *told(deviations)])


def told(deviations: list[dict]) -> list[str]:
    """What was expected and what was found, a line each."""
    return [f"{one['fact']}: expected {one['expected']}, found {one['found']}" for one in deviations]
