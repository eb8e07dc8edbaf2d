"""Stage host: what machine is this, and is it fit to measure?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from ..build import emulator
from ..campaign.settings import load_system, named_systems
from ..common.errors import Mistake
from ..common.files import utc_now, write_json
from ..common.schemas import validate
from .hostfacts import CPU, MACHINE, THROTTLE_COUNTS, choose_cpu, machine, observe, parse_cpus, state

__all__ = [
    "choose_cpu",
    "conformance",
    "describe",
    "deviations",
    "facts",
    "host",
    "machine",
    "other_machine",
    "plain",
    "requirements",
    "shown",
    "state",
    "table",
    "unfit",
    "unmet",
]

OTHER_MACHINE, AS_ABOVE = "this is another machine: choose the system that it is", "as above"
NOTHING, UNKNOWN = "–", "unknown"
# Facts that make a machine the one that it is, and how rows call them.
IDENTITY = {"architecture": "architecture", "cpu_model": "processor", "machine": "machine"}


def facts(system: dict, root: Path | None = None) -> dict:
    """Facts of this machine and of the CPU that the system's profile names, whether or not that CPU can be had."""
    found = observe(root, None if system["cpu"] == "auto" else system["cpu"])
    return emulator.emulated(found) if "cross" in system else found


def conformance(facts: dict, system: dict) -> list[dict]:
    """Every rule that makes a machine fit to measure as `system`, as rows {fact, expected, found, advice, fits}.

    All but `fits` is text; `expected` is '–' where anything does, and `advice`, what to do unless it fits, is the very
    command where there is one. Where there is no cpufreq and the profile expects none, no rule on clocks applies: their
    steadiness is to be judged from the records.
    """
    expected = system.get("expected", {})
    identity = list(_identity(facts, expected))
    rows = [row for rule in (_virtual, _cpu, _counter, _clock, _threads) for row in rule(facts, expected)]
    if not all(row["fits"] for row in identity):  # commands would turn a machine into what it can't be
        rows = [row | {"advice": OTHER_MACHINE} for row in rows]
    return identity + rows


def unfit(facts: dict, system: dict) -> list[dict]:
    """What keeps a machine from being fit to measure as `system`; empty where nothing does.

    Each deviation is {fact, expected, found, advice}, as `conformance` has them.
    """
    return unmet(conformance(facts, system))


def unmet(rows: list[dict]) -> list[dict]:
    """Of rows as those of `conformance` the deviations, as `unfit` has them."""
    return [{key: value for key, value in row.items() if key != "fits"} for row in rows if not row["fits"]]


def requirements(document: dict) -> list[dict]:
    """The rows of `conformance` of the host of a host.json, by its facts and today's profile of its system.

    Of `local`, of rehearsals, and of systems that have no profile here, what deviates is what host.json says.
    """
    name = document["system"]
    if name in named_systems():
        return conformance(document["facts"], load_system(name))
    told = {one["fact"]: one | {"fits": False} for one in document["unfit"]}
    rows = [told.pop(row["fact"], row | {"fits": True}) for row in conformance(document["facts"], {})]
    return rows + list(told.values())


def deviations(document: dict) -> list[dict]:
    """What keeps the host of a host.json from being its system, as `unfit` has it."""
    return unmet(requirements(document))


def other_machine(document: dict) -> list[dict]:
    """Those of its deviations by which the host of a host.json is no machine of its system, in whatever state."""
    return [one for one in deviations(document) if one["fact"] in IDENTITY.values()]


def plain(facts: dict, state: dict) -> list[dict]:
    """Rows, as those of `conformance`, of facts that no rule is about."""
    isolated, load, memory = facts["cpus_isolated"], state["load_average"], facts["memory_mib"]
    told = {
        "microcode": facts["microcode"],
        "mitigations": facts["mitigations"],
        **{name.replace("_", " "): state[name] for name in THROTTLE_COUNTS},
        "clock source": facts["clock_source"],
        "isolated CPUs": "none" if isolated == "" else isolated,
        "load average": load and " ".join(f"{average:.2f}" for average in load),
        "memory": memory and f"{memory} MiB",
        "kernel": facts["kernel"],
    }
    return [_row(fact, None, found, NOTHING, True) for fact, found in told.items()]


def table(rows: list[dict]) -> str:
    """Rows of `conformance` and `plain` as a person reads them; what fits needs nothing done.

    That this is another machine is said once.
    """
    from tabulate import tabulate

    advice = [NOTHING if row["fits"] else row["advice"] for row in rows]
    first = advice.index(OTHER_MACHINE) if OTHER_MACHINE in advice else None
    told = [AS_ABOVE if text == OTHER_MACHINE and at != first else text for at, text in enumerate(advice)]
    cells = [[row["fact"], row["expected"], row["found"], what] for row, what in zip(rows, told, strict=True)]
    return tabulate(cells, ["fact", "expected", "found", "what to do"], "simple", disable_numparse=True)


def shown(facts: dict, system: dict) -> tuple[str, bool]:
    """The table of this host beside what it has to be as `system`, with the verdict below; and whether it fits."""
    rules = conformance(facts, system)
    told = table([*rules, *plain(facts, state(None, facts["cpu"]))])
    differing = sum(not row["fits"] for row in rules)
    verdict = f"not fit: {differing} of {len(rules)} facts differ" if differing else "fit: nothing differs"
    return f"{told}\n\n{verdict} from what {system['id']} needs.", not differing


def host(system: dict, output: Path, made_from: dict[str, str]) -> dict:
    """Observe this machine and write host.json to `output`; returns its content. Fit or not is for the reader to judge.

    Raises Mistake where the CPU to measure on can't be had, and for a recreated machine, of which there is no evidence.
    """
    if os.environ.get(MACHINE):
        raise Mistake(f"{MACHINE} is set: facts of a recreated machine are for dry runs; no evidence is written.")
    document = describe(system, made_from)
    choose_cpu(system["cpu"], document["facts"])
    write_json(output, document)
    return document


def describe(system: dict, made_from: dict[str, str], root: Path | None = None) -> dict:
    """The content of host.json for the machine below `root`."""
    found = facts(system, root)
    document = {
        "schema": "ngcc-perf/host",
        "version": 1,
        "made_from": made_from,
        "system": system["id"],
        "description": system["description"],
        "created_utc": utc_now(),
        "facts": found,
        "state": state(root, found["cpu"]),
        "unfit": unfit(found, system),
    }
    validate(document, "host", "host.json")
    return document


def _row(fact: str, expected: object, found: object, advice: str, fits: bool) -> dict:
    return {
        "fact": fact,
        "expected": NOTHING if expected is None else str(expected),
        "found": UNKNOWN if found is None else str(found),
        "advice": advice,
        "fits": fits,
    }


def _set(value: object, path: str) -> str:
    return f"echo {value} | sudo tee /{path}"


def _khz(clock: int | None) -> str | None:
    return None if clock is None else f"{clock} kHz"


def _identity(facts: dict, expected: dict) -> Iterator[dict]:
    for key, name in IDENTITY.items():
        # Whole words: an i7-12700K is no i7-12700.
        words = rf"(?<!\w){re.escape(expected.get(key, ''))}(?!\w)"
        fits = key not in expected or re.search(words, facts[key] or "", re.IGNORECASE) is not None
        yield _row(name, expected.get(key), facts[key], OTHER_MACHINE, fits)


def _virtual(facts: dict, expected: dict) -> Iterator[dict]:
    virtual = facts["virtual"]
    yield _row("virtual machine", "none", virtual or "none", "measure without a hypervisor", not virtual)


def _cpu(facts: dict, expected: dict) -> Iterator[dict]:
    cpu, online, ours = facts["cpu"], facts["cpus_online"], facts["cpus_allowed"]
    if cpu not in parse_cpus(online):
        yield _row("CPU", f"{cpu}, online", f"online are {online}", _set(1, f"{CPU}/cpu{cpu}/online"), False)
    else:
        advice = f"start from a shell or container that may use it (taskset -c, docker run --cpuset-cpus={cpu})"
        yield _row("CPU", f"{cpu}, ours to use", f"ours are {ours}", advice, cpu in parse_cpus(ours))
    if facts["cpus_performance"] is not None:
        core = facts["core_type"] and f"{facts['core_type']} core"
        advice = f"set cpu to one of {facts['cpus_performance']} in the system's profile"
        yield _row("core", "performance core", core, advice, facts["core_type"] != "efficiency")


def _counter(facts: dict, expected: dict) -> Iterator[dict]:
    paranoid, counter = facts["perf_event_paranoid"], facts["cycle_counter"]
    if paranoid is None:
        advice = "boot a kernel with CONFIG_PERF_EVENTS"
        yield _row("perf_event_paranoid", "at most 2", "no perf events in this kernel", advice, False)
    else:
        advice = "sudo sysctl kernel.perf_event_paranoid=2"
        yield _row("perf_event_paranoid", "at most 2", paranoid, advice, paranoid <= 2)
    fits = counter is not None and expected.get("counter", "") in counter
    advice = "give the virtual machine a PMU" if facts["virtual"] else "boot a kernel that drives this CPU's PMU"
    yield _row("cycle counter", expected.get("counter", "a hardware counter"), counter or "none", advice, fits)


def _clock(facts: dict, expected: dict) -> Iterator[dict]:
    policy = f"{CPU}/cpu{facts['cpu']}/cpufreq"
    governor = expected.get("governor") or (facts["governor"] and "performance")
    advice = _set(governor, f"{policy}/scaling_governor")
    yield _row("governor", governor, facts["governor"], advice, facts["governor"] == governor)

    highest, lowest = facts["scaling_max_khz"], facts["scaling_min_khz"]
    fixed = expected.get("frequency_khz", highest)
    advice = _set(fixed, f"{policy}/scaling_max_freq")
    yield _row("highest clock", _khz(expected.get("frequency_khz")), _khz(highest), advice, highest == fixed)
    if facts["architecture"] == "aarch64":
        wanted = fixed and f"{_khz(fixed)}, as the highest"
        yield _row("lowest clock", wanted, _khz(lowest), _set(fixed, f"{policy}/scaling_min_freq"), lowest == fixed)

    boost = expected.get("boost") or (facts["boost"] and "off")
    intel = (facts["frequency_driver"] or "").startswith("intel")
    off, switch = (1, f"{CPU}/intel_pstate/no_turbo") if intel else (0, f"{CPU}/cpufreq/boost")
    advice = _set(off if boost == "off" else 1 - off, switch)
    yield _row("boost", boost, facts["boost"], advice, facts["boost"] == boost)


def _threads(facts: dict, expected: dict) -> Iterator[dict]:
    siblings, control = facts["smt_siblings"], expected.get("smt")
    # Cores that have no second thread are as good as cores whose second thread is off.
    fits = {None, facts["smt"]} | ({"off"} if facts["smt"] == "notsupported" else set())
    if siblings or (siblings is None and facts["smt"] == "on"):
        found = f"CPU {siblings} shares the core" if siblings else "on"
        yield _row("SMT", "no sibling online", found, _set("off", f"{CPU}/smt/control"), False)
    else:
        advice = OTHER_MACHINE if control == "notsupported" else _set(control, f"{CPU}/smt/control")
        yield _row("SMT", control or "no sibling online", facts["smt"], advice, control in fits)
