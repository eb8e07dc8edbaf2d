"""In which setting the figures of a result set were made, and what two settings differ in.

A difference of host, compiler or plan may be all that a ratio shows, so it is told before any ratio.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..aggregate import tables
from ..aggregate.stored import in_order
from ..render import assessment, figures
from ..render.assessment import Facts
from ..render.figures import NOT_MEASURED

Instance = tuple[str, str]  # candidate, name
# Facts of an instance, as sentences call them, and their columns in instances.csv.
BUILT = {
    "compiler": "compiler", "build tool": "cmake", "build flags": "flags", "compiler's options": "options",
    "library": "library_sha256",
}  # fmt: skip
# Facts of the whole campaign that section 2 of a page doesn't tell.
_HOST = {"microcode": "microcode", "mitigations": "mitigations"}
_COMPILER = "compiler / build tool"


@dataclass(frozen=True)
class Setting:
    """Facts by name, in the order in which they are told: of the whole campaign, and of each instance (BUILT)."""

    campaign: dict[str, str]
    instances: dict[Instance, dict[str, str]]


@dataclass(frozen=True)
class Difference:
    """A fact that is not the same on both sides; `instances` are those that it is told of, none: the whole campaign."""

    fact: str
    baseline: str
    candidate: str
    instances: tuple[str, ...] = ()


def of_tables(folder: Path, campaign: dict[str, str], performance: list[dict[str, str]]) -> Setting:
    """The setting that the tables in a results folder tell."""
    facts = Facts(tables.read(folder, "environment"))
    unfit = ", ".join(row["fact"] for row in tables.read(folder, "unfit"))
    told = {"system": campaign["system"], "evidence": campaign["evidence"]}
    told |= {"fit to measure": f"no: {unfit}" if unfit else "yes"}
    told |= {name: text for name, text in assessment.rows(facts, facts) if name != _COMPILER}
    told |= {name: facts.host(fact) for name, fact in _HOST.items()}
    told["plan"] = _plan(facts)
    drivers = {row["driver_sha256"] for row in performance} - {""}
    told["driver ngcc_perf"] = assessment.listed([figures.digest(sha256) for sha256 in sorted(drivers)])
    instances = {
        (row["candidate"], row["instance"]): {name: row[column] for name, column in BUILT.items()}
        for row in tables.read(folder, "instances")
    }
    return Setting(told, instances)


def _plan(facts: Facts) -> str:
    """How records were planned; of several plans all values."""
    trials, target, budget, precision, patience = (
        facts.records(f"plan_{name}") for name in ("trials", "target_ns", "budget_ns", "precision", "patience")
    )
    return (
        f"{assessment.listed(trials)} trials of {assessment.listed([figures.time(float(one)) for one in target])},"
        f" budget {assessment.listed([figures.time(float(one)) for one in budget])},"
        f" precision {assessment.listed(precision)}, patience {assessment.listed(patience)}"
    )


def of_reprint(folder: Path) -> Setting:
    """The setting that tables of published figures tell."""
    told: dict[str, dict[str, str]] = {"environment": {}, "plan": {}}
    for row in tables.read(folder, "published_environment"):
        told.setdefault(row["part"], {})[row["item"]] = row["value"]
    system = tables.campaign(folder)["system"]
    return of_published(system, told["environment"], told["plan"], tables.read(folder, "published_kat"))


def of_published(system: str, environment: dict[str, str], plan: dict[str, str], kat: Iterable[dict]) -> Setting:
    """The setting of published figures, as printed; `kat` are rows of their verdicts."""
    told = {"system": system, "evidence": "published"} | environment
    compiler, _, tool = told.pop(_COMPILER, "").partition(" / ")
    told["plan"] = "; ".join(f"{name}: {text}" for name, text in plan.items())
    built = {"compiler": compiler, "build tool": tool}
    instances = {(row["candidate"], row["instance"]): built | {"build flags": row["build_flags"]} for row in kat}
    return Setting(told, instances)


def differences(baseline: Setting, candidate: Setting, common: Iterable[Instance]) -> list[Difference]:
    """What two settings differ in: of the campaigns, and of the instances that both have figures of."""
    facts = dict.fromkeys([*baseline.campaign, *candidate.campaign])
    pairs = [(fact, *(one.campaign.get(fact) or NOT_MEASURED for one in (baseline, candidate))) for fact in facts]
    found = [Difference(*pair) for pair in pairs if pair[1] != pair[2]]
    names = {f"{candidate}/{instance}": (candidate, instance) for candidate, instance in common}
    for fact in BUILT:
        groups: dict[tuple[str, str], list[str]] = {}
        for name in in_order(names):
            groups.setdefault(_told(fact, names[name], baseline, candidate), []).append(name)
        found += [Difference(fact, *pair, tuple(own)) for pair, own in groups.items() if pair[0] != pair[1]]
    return found


def _told(fact: str, instance: Instance, *settings: Setting) -> tuple[str, str]:
    """A fact of an instance in both settings."""
    texts = [setting.instances.get(instance, {}).get(fact) or NOT_MEASURED for setting in settings]
    one, other = (figures.digest(text) if fact == "library" and text != NOT_MEASURED else text for text in texts)
    return one, other
