"""Stage host: what machine is this, and is it fit to measure?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .errors import Mistake
from .files import utc_now, write_json
from .hostfacts import CPU, choose_cpu, machine, observe, parse_cpus
from .schemas import validate

__all__ = ["facts", "host", "machine", "unfit"]

OTHER_MACHINE = "this is another machine: choose the system that it is"


def facts(system: dict, root: Path = Path("/")) -> dict:
    """Facts of this machine, with the CPU that the system's profile chooses; Mistake where that CPU can't be had."""
    found = observe(root, None if system["cpu"] == "auto" else system["cpu"])
    choose_cpu(system["cpu"], found)
    return found


def unfit(facts: dict, system: dict) -> list[dict]:
    """What keeps a machine from being fit to measure as `system`; empty where nothing does.

    Each deviation is {fact, expected, found, advice}, all text; the advice is the very command where there is one.
    Where there is no cpufreq, no rule on clocks applies: their steadiness is to be judged from the records.
    """
    expected = system.get("expected", {})
    rules = (_identity, _cpu, _counter, _clock, _threads)
    return [deviation for rule in rules for deviation in rule(facts, expected)]


def host(system: dict, output: Path, made_from: dict[str, str], root: Path = Path("/")) -> dict:
    """Observe the machine below `root` and write host.json to `output`; returns its content.

    Raises Mistake where the system's CPU can't be had, or where its profile refuses an unfit host and this is one.
    """
    found = facts(system, root)
    deviations = unfit(found, system)
    if deviations and system["unfit_host"] == "refuse":
        listed = [f"{d['fact']}: expected {d['expected']}, found {d['found']} ({d['advice']})" for d in deviations]
        raise Mistake(f"system {system['id']}: this host is not fit to measure: {'; '.join(listed)}.")
    document = {
        "schema": "ngcc-perf/host",
        "version": 1,
        "made_from": made_from,
        "system": system["id"],
        "description": system["description"],
        "created_utc": utc_now(),
        "facts": found,
        "unfit": deviations,
    }
    validate(document, "host", output)
    write_json(output, document)
    return document


def _deviation(fact: str, expected: object, found: object, advice: str) -> dict:
    return {
        "fact": fact,
        "expected": str(expected),
        "found": "unknown" if found is None else str(found),
        "advice": advice,
    }


def _set(value: object, path: str) -> str:
    return f"echo {value} | sudo tee /{path}"


def _identity(facts: dict, expected: dict) -> Iterator[dict]:
    for key, name in (("architecture", "architecture"), ("cpu_model", "processor"), ("machine", "machine")):
        if expected.get(key, "").lower() not in (facts[key] or "").lower():
            yield _deviation(name, expected[key], facts[key], OTHER_MACHINE)
    if facts["virtual"]:
        yield _deviation("virtual machine", "none", facts["virtual"], "measure without a hypervisor")


def _cpu(facts: dict, expected: dict) -> Iterator[dict]:
    cpu = facts["cpu"]
    if cpu not in parse_cpus(facts["cpus_online"]):
        advice = _set(1, f"{CPU}/cpu{cpu}/online")
        yield _deviation("CPU", f"{cpu}, online", f"online are {facts['cpus_online']}", advice)
    elif cpu not in parse_cpus(facts["cpus_allowed"]):
        advice = f"start from a shell or container that may use it (taskset -c, docker run --cpuset-cpus={cpu})"
        yield _deviation("CPU", f"{cpu}, ours to use", f"ours are {facts['cpus_allowed']}", advice)
    if facts["core_type"] == "efficiency":
        advice = f"set cpu to one of {facts['cpus_performance']} in the system's profile"
        yield _deviation("core", "a performance core", "an efficiency core", advice)


def _counter(facts: dict, expected: dict) -> Iterator[dict]:
    paranoid, counter = facts["perf_event_paranoid"], facts["cycle_counter"]
    if paranoid is None:
        advice = "boot a kernel with CONFIG_PERF_EVENTS"
        yield _deviation("perf_event_paranoid", "at most 2", "no perf events in this kernel", advice)
    elif paranoid > 2:
        yield _deviation("perf_event_paranoid", "at most 2", paranoid, "sudo sysctl kernel.perf_event_paranoid=2")
    if counter is None or expected.get("counter", "") not in counter:
        advice = "give the virtual machine a PMU" if facts["virtual"] else "boot a kernel that drives this CPU's PMU"
        yield _deviation("cycle counter", expected.get("counter", "a hardware counter"), counter or "none", advice)


def _clock(facts: dict, expected: dict) -> Iterator[dict]:
    policy = f"{CPU}/cpu{facts['cpu']}/cpufreq"
    governor = expected.get("governor", "performance")
    if facts["governor"] != governor and (facts["governor"] or "governor" in expected):
        yield _deviation("governor", governor, facts["governor"], _set(governor, f"{policy}/scaling_governor"))

    highest, lowest = facts["scaling_max_khz"], facts["scaling_min_khz"]
    fixed = expected.get("frequency_khz", highest)
    if highest != fixed:
        advice = _set(fixed, f"{policy}/scaling_max_freq")
        yield _deviation("highest clock", f"{fixed} kHz", highest and f"{highest} kHz", advice)
    if facts["architecture"] == "aarch64" and lowest != fixed:
        advice = _set(fixed, f"{policy}/scaling_min_freq")
        yield _deviation("lowest clock", f"{fixed} kHz, as the highest", lowest and f"{lowest} kHz", advice)

    boost = expected.get("boost", "off")
    if facts["boost"] != boost and (facts["boost"] or "boost" in expected):
        intel = (facts["frequency_driver"] or "").startswith("intel")
        off, switch = (1, f"{CPU}/intel_pstate/no_turbo") if intel else (0, f"{CPU}/cpufreq/boost")
        yield _deviation("boost", boost, facts["boost"], _set(off if boost == "off" else 1 - off, switch))


def _threads(facts: dict, expected: dict) -> Iterator[dict]:
    siblings, control = facts["smt_siblings"], expected.get("smt", facts["smt"])
    if siblings or (siblings is None and facts["smt"] == "on"):
        found = f"CPU {siblings} shares the core" if siblings else "on"
        yield _deviation("SMT", "no sibling online", found, _set("off", f"{CPU}/smt/control"))
    elif facts["smt"] != control:
        advice = OTHER_MACHINE if control == "notsupported" else _set(control, f"{CPU}/smt/control")
        yield _deviation("SMT", control, facts["smt"], advice)
