"""What machine this is: facts read from /proc, /sys and /etc, and the choice of the CPU to measure on.

Runs whenever the job graph is drawn, so it starts no process and reads small files only. A file that is not there
gives None. Facts hold nothing that changes by itself; load and throttling, which do, are the state.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection
from pathlib import Path

from ..common.errors import Mistake

CPU = "sys/devices/system/cpu"
# The environment variable that names a folder with the /proc, /sys and /etc of a recreated machine, for dry runs.
MACHINE = "NGCC_MACHINE"
THROTTLE_COUNTS = ("core_throttle_count", "package_throttle_count")

# Names of AArch64 cores, of which /proc/cpuinfo gives only the numbers (implementer, part) of MIDR_EL1.
_IMPLEMENTERS = {
    0x41: "ARM",
    0x46: "Fujitsu",
    0x48: "HiSilicon",
    0x4E: "NVIDIA",
    0x51: "Qualcomm",
    0x61: "Apple",
    0x70: "Phytium",
    0xC0: "Ampere",
}
_PARTS = {
    (0x00, 0x051): "QEMU max",
    (0x41, 0xD03): "ARM Cortex-A53",
    (0x41, 0xD05): "ARM Cortex-A55",
    (0x41, 0xD07): "ARM Cortex-A57",
    (0x41, 0xD08): "ARM Cortex-A72",
    (0x41, 0xD0B): "ARM Cortex-A76",
    (0x41, 0xD0C): "ARM Neoverse-N1",
    (0x41, 0xD40): "ARM Neoverse-V1",
    (0x41, 0xD41): "ARM Cortex-A78",
    (0x41, 0xD49): "ARM Neoverse-N2",
    (0x41, 0xD4F): "ARM Neoverse-V2",
    (0x41, 0xD81): "ARM Cortex-A720",
    (0x46, 0x001): "Fujitsu A64FX",
    (0x48, 0xD01): "HiSilicon Kunpeng 920",
    (0x51, 0x001): "Qualcomm Oryon",
    (0x61, 0x022): "Apple Icestorm (M1)",
    (0x61, 0x023): "Apple Firestorm (M1)",
    (0xC0, 0xAC3): "Ampere Ampere-1",
}

# What firmware, device tree and clock sources call a hypervisor; the first that is found names it.
_HYPERVISORS = {
    "kvm": "kvm|kvm-clock",
    "xen": "xen",
    "hyper-v": r"hyperv\w*|microsoft corporation virtual machine",
    "vmware": "vmware",
    "virtualbox": "virtualbox|innotek",
    "parallels": "parallels",
    "apple": "apple virtualization",
    "qemu": "qemu|bochs|linux,dummy-virt",
    "cloud": r"amazon ec2 (?!\S*metal)|google compute engine|alibaba cloud ecs|openstack|cvm",
}
# CPUs as the kernel lists them.
_CPUS = r"\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*"
# SMT control's words for the three states that matter.
_SMT = {"on": "on", "off": "off", "forceoff": "off"} | dict.fromkeys(("notsupported", "notimplemented"), "notsupported")
# What makers leave in the firmware where a product's name should be.
_NO_NAME = re.compile(r"to be filled|default string|system product name|not (applicable|specified)|^o\.?e\.?m", re.I)


def parse_cpus(text: str) -> frozenset[int]:
    """CPU numbers of a list as the kernel writes it: '0-3,8-11,64'; the empty text is the empty set."""
    cpus: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return frozenset(cpus)


def format_cpus(cpus: Collection[int]) -> str:
    """CPU numbers as the kernel writes them, in the shortest form."""
    runs: list[list[int]] = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def choose_cpu(wanted: int | str, facts: dict) -> int:
    """The CPU to measure on: the one wanted, or for 'auto' the last that is online and ours.

    `wanted` is what the system's profile says. On hybrid processors 'auto' takes a performance core where one is ours.
    Raises Mistake, listing the CPUs that can be had, where the one wanted can't.
    """
    allowed, online = parse_cpus(facts["cpus_allowed"]), parse_cpus(facts["cpus_online"])
    ours = allowed & online
    if not ours:
        raise Mistake(f"cpu: none is ours; allowed: {facts['cpus_allowed']}, online: {facts['cpus_online']}.")
    if wanted == "auto":
        return max(ours & parse_cpus(facts["cpus_performance"] or "") or ours)
    if wanted not in ours:
        state = "withheld from this process (affinity or cpuset)" if wanted in online else "offline or absent"
        raise Mistake(
            f"cpu: CPU {wanted} is {state}; in the system's profile (config/systems), set cpu to 'auto' or one of"
            f" {format_cpus(ours)}."
        )
    return int(wanted)


def machine_root() -> Path:
    """The folder whose /proc, /sys and /etc tell the facts: `/`, or what NGCC_MACHINE names; Mistake if it is none."""
    root = Path(os.environ.get(MACHINE) or "/")
    if not os.path.isdir(root):
        raise Mistake(f"{MACHINE}: '{root}' is no folder; name that of a recreated machine, or unset it.")
    return root


def observe(root: Path | None = None, cpu: int | None = None) -> dict:
    """Facts of the machine whose /proc, /sys and /etc lie below `root`, as the schema `host` describes them.

    root: by default what machine_root() answers.
    cpu: the CPU whose clock and core are described, by default the one that 'auto' takes.
    """
    tree = _Tree(machine_root() if root is None else root)
    architecture, release, allowed = _kernel(tree)
    online = tree.cpus(f"{CPU}/online") or frozenset(allowed)
    performance, isolated = _performance_cpus(tree, online), tree.cpus(f"{CPU}/isolated")
    facts = {
        "architecture": architecture,
        "cpus_allowed": format_cpus(allowed),
        "cpus_online": format_cpus(online),
        "cpus_performance": None if performance is None else format_cpus(performance),
        "cpus_isolated": None if isolated is None else format_cpus(isolated),
    }
    cpu = choose_cpu("auto", facts) if cpu is None else cpu
    core = _core(tree, cpu)
    return facts | {
        "cpu": cpu,
        "cpu_model": _cpu_model(core),
        "core_type": _core_type(cpu, online, performance),
        "machine": _product(tree),
        "virtual": _hypervisor(tree, core),
        "memory_mib": _memory_mib(tree),
        "os": _os(tree),
        "kernel": release,
        **_clock(tree, cpu),
        **_threads(tree, cpu, online),
        "perf_event_paranoid": tree.number("proc/sys/kernel/perf_event_paranoid"),
        "cycle_counter": _cycle_counter(tree, cpu),
        "microcode": core.get("microcode") or tree.text(f"{CPU}/cpu{cpu}/microcode/version"),
        "mitigations": _mitigations(tree),
        "clock_source": tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
    }


def state(root: Path | None, cpu: int) -> dict:
    """What changes by itself: load averages over 1, 5 and 15 minutes, and how often `cpu` was throttled by its heat."""
    tree = _Tree(machine_root() if root is None else root)
    load = re.match(r"([\d.]+) ([\d.]+) ([\d.]+) ", tree.content("proc/loadavg") or "")
    counts = {name: tree.number(f"{CPU}/cpu{cpu}/thermal_throttle/{name}") for name in THROTTLE_COUNTS}
    return {"load_average": [float(average) for average in load.groups()] if load else None, **counts}


def machine(facts: dict) -> str:
    """One line that tells machines apart: records made on another one are not of this machine."""
    return "; ".join(facts[key] for key in ("architecture", "cpu_model", "machine") if facts[key])


def fitness(unfit: list[dict]) -> str:
    """One line that tells states of a machine apart, of its deviations {fact, found, …}: 'fit', or each with its value.

    Records made in another state are not of this one: a clock that was set meanwhile changes every figure.
    """
    return "; ".join(f"{one['fact']}: {one['found']}" for one in unfit) or "fit"


class _Tree:
    """Small files below a folder, the root of a real system or of one recreated for a test."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def content(self, path: str) -> str | None:
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def text(self, path: str) -> str | None:
        """A file's words with one space between; device-tree texts lose the NUL that closes them."""
        return " ".join((self.content(path) or "").replace("\0", " ").split()) or None

    def number(self, path: str) -> int | None:
        text = self.text(path) or ""
        return int(text) if re.fullmatch(r"-?\d+", text) else None

    def cpus(self, path: str) -> frozenset[int] | None:
        content = self.content(path)
        return parse_cpus(content) if content is not None and re.fullmatch(rf"({_CPUS})?\n?", content) else None

    def names(self, path: str) -> list[str]:
        try:
            return sorted(os.listdir(self.root / path))
        except OSError:
            return []


def _kernel(tree: _Tree) -> tuple[str, str, frozenset[int]]:
    """The kernel's architecture and release, and the CPUs that it lets this process use."""
    if tree.root == Path("/"):
        uname = os.uname()
        return uname.machine, uname.release, frozenset(os.sched_getaffinity(0))
    architecture, release = (tree.text(f"proc/sys/kernel/{name}") for name in ("arch", "osrelease"))
    allowed = re.search(rf"^Cpus_allowed_list:\s*({_CPUS})$", tree.content("proc/self/status") or "", re.MULTILINE)
    if not (architecture and release and allowed):
        needs = "proc/sys/kernel/arch, proc/sys/kernel/osrelease and Cpus_allowed_list in proc/self/status"
        raise Mistake(f"{tree.root}: a recreated machine needs {needs}.")
    return architecture, release, parse_cpus(allowed[1])


def _performance_cpus(tree: _Tree, online: frozenset[int]) -> frozenset[int] | None:
    """Performance cores of a hybrid processor; None where all cores are of one kind."""
    if tree.cpus("sys/devices/cpu_atom/cpus"):
        return tree.cpus("sys/devices/cpu_core/cpus")
    capacity = {cpu: tree.number(f"{CPU}/cpu{cpu}/cpu_capacity") or 0 for cpu in online}
    # Capacity includes the highest clock, which also differs among equal cores; small cores reach less than half.
    fast = frozenset(cpu for cpu in online if 2 * capacity[cpu] >= max(capacity.values()))
    return fast if fast != online else None


def _core_type(cpu: int, online: frozenset[int], performance: frozenset[int] | None) -> str | None:
    if performance is None or cpu not in online:
        return None
    return "performance" if cpu in performance else "efficiency"


def _core(tree: _Tree, cpu: int) -> dict[str, str]:
    """/proc/cpuinfo's paragraph on `cpu`, keys in lower case; the first one where the CPU has none."""
    paragraphs = []
    for text in (tree.content("proc/cpuinfo") or "").split("\n\n"):
        pairs = (line.partition(":") for line in text.splitlines())
        paragraphs.append({key.strip().lower(): " ".join(value.split()) for key, _, value in pairs})
    return next((core for core in paragraphs if core.get("processor") == str(cpu)), paragraphs[0])


def _cpu_model(core: dict[str, str]) -> str | None:
    numbers = core.get("cpu implementer"), core.get("cpu part")
    if all(re.fullmatch(r"0x[0-9a-fA-F]+", number or "") for number in numbers):
        implementer, part = (int(number, 16) for number in numbers)
        maker = _IMPLEMENTERS.get(implementer, f"implementer {implementer:#04x}")
        return _PARTS.get((implementer, part), f"{maker} part {part:#05x}")
    return core.get("model name") or core.get("uarch") or core.get("cpu model")


def _product(tree: _Tree) -> str | None:
    model = tree.text("sys/firmware/devicetree/base/model") or tree.text("sys/class/dmi/id/product_name")
    return model if model and not _NO_NAME.search(model) else None


def _hypervisor(tree: _Tree, core: dict[str, str]) -> str | None:
    flags = core.get("flags", "").split()
    kind = tree.text("sys/hypervisor/type")
    if kind or (flags and "hypervisor" not in flags):  # the flag decides on x86: clouds rent out bare machines too
        return kind
    places = (
        "sys/class/dmi/id/sys_vendor",
        "sys/class/dmi/id/product_name",
        "sys/firmware/devicetree/base/hypervisor/compatible",
        "sys/firmware/devicetree/base/model",
        "sys/devices/system/clocksource/clocksource0/available_clocksource",
    )
    hints = " ".join(filter(None, map(tree.text, places)))
    for name, words in _HYPERVISORS.items():
        if re.search(rf"\b({words})", hints, re.IGNORECASE):
            return f"emulated by {name}" if core.get("cpu implementer") == "0x00" else name  # 0: software
    return "unknown" if flags else None


def _memory_mib(tree: _Tree) -> int | None:
    found = re.search(r"^MemTotal:\s*(\d+) kB", tree.content("proc/meminfo") or "", re.MULTILINE)
    return int(found[1]) // 1024 if found else None


def _os(tree: _Tree) -> str | None:
    release = tree.content("etc/os-release") or tree.content("usr/lib/os-release") or ""
    found = re.search(r"^PRETTY_NAME=(.*)$", release, re.MULTILINE)
    try:
        return " ".join(shlex.split(found[1])) or None if found else None
    except ValueError:  # a quote that nothing closes
        return found[1].strip()


def _clock(tree: _Tree, cpu: int) -> dict:
    policy = f"{CPU}/cpu{cpu}/cpufreq"
    switches = (
        ({0: "on", 1: "off"}, f"{CPU}/intel_pstate/no_turbo"),
        ({0: "off", 1: "on"}, f"{policy}/boost"),
        ({0: "off", 1: "on"}, f"{CPU}/cpufreq/boost"),
    )
    boost = (states.get(tree.number(path)) for states, path in switches)
    return {
        "governor": tree.text(f"{policy}/scaling_governor"),
        "frequency_driver": tree.text(f"{policy}/scaling_driver"),
        "scaling_min_khz": tree.number(f"{policy}/scaling_min_freq"),
        "scaling_max_khz": tree.number(f"{policy}/scaling_max_freq"),
        "cpuinfo_max_khz": tree.number(f"{policy}/cpuinfo_max_freq"),
        "boost": next(filter(None, boost), None),
    }


def _threads(tree: _Tree, cpu: int, online: frozenset[int]) -> dict:
    siblings = tree.cpus(f"{CPU}/cpu{cpu}/topology/thread_siblings_list")
    return {
        "smt": _SMT.get(tree.text(f"{CPU}/smt/control")),
        "smt_siblings": None if siblings is None else format_cpus((siblings & online) - {cpu}),
    }


def _cycle_counter(tree: _Tree, cpu: int) -> str | None:
    """The kernel's name of the counter unit (PMU) of `cpu`'s own kind of core."""
    folder = "sys/bus/event_source/devices"
    names = tree.names(folder)
    if "cpu" in names:
        return "cpu"
    return next((name for name in names if cpu in (tree.cpus(f"{folder}/{name}/cpus") or ())), None)


def _mitigations(tree: _Tree) -> str | None:
    """'mitigated: spectre_v1; vulnerable: …', without what does not affect this CPU."""
    folder = f"{CPU}/vulnerabilities"
    names = tree.names(folder)
    states: dict[str, list[str]] = {}
    for name in names:
        state = tree.text(f"{folder}/{name}") or "unknown"
        if not state.startswith("Not affected"):
            kind = "mitigated" if "Mitigation" in state else state.split()[0].rstrip(":;").lower()
            states.setdefault(kind, []).append(name)
    if not states:
        return "none needed" if names else None
    return "; ".join(f"{kind}: {', '.join(affected)}" for kind, affected in sorted(states.items()))
