"""Machines recreated as small /proc, /sys and /etc trees, for tests of what is read there.

NGCC_MACHINE=<tree> lets a command believe that it runs on one: `python machines.py arm_1 FOLDER` makes a tree by hand.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ngcc_campaign.host.hostfacts import observe

CPU = "sys/devices/system/cpu"
DMI = "sys/class/dmi/id"
PMU = "sys/bus/event_source/devices"
CLOCK = "sys/devices/system/clocksource/clocksource0"


@dataclass(frozen=True)
class Machine:
    """A tree: all that a process on that machine could read, its own CPUs among it."""

    root: Path

    def observe(self, cpu: int | None = None) -> dict:
        return observe(self.root, cpu)

    def write(self, files: dict[str, object]) -> Machine:
        """Change the machine: files by path; None takes one away."""
        for name, content in files.items():
            path = self.root / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{content}\n", encoding="utf-8")
        return self

    def allow(self, cpus: str) -> Machine:
        """Give the process these CPUs, in the kernel's form."""
        return self.write({"proc/self/status": f"Name:\tngcc-campaign\nCpus_allowed_list:\t{cpus}"})


def _machine(root: Path, architecture: str, release: str, allowed: str, files: dict) -> Machine:
    kernel = {"proc/sys/kernel/arch": architecture, "proc/sys/kernel/osrelease": release}
    return Machine(root).write(kernel | {"proc/loadavg": "0.04 0.11 0.09 1/812 4711"} | files).allow(allowed)


def _cpufreq(cpus, **settings: object) -> dict:
    return {f"{CPU}/cpu{cpu}/cpufreq/{name}": value for cpu in cpus for name, value in settings.items()}


def _cpuinfo(cpus, **fields: str) -> dict:
    lines = "\n".join(f"{name.replace('_', ' ')}\t: {value}" for name, value in fields.items())
    return {"proc/cpuinfo": "\n\n".join(f"processor\t: {cpu}\n{lines}" for cpu in cpus) + "\n"}


def x86_1(root: Path) -> Machine:
    """Intel desktop, 8 performance and 4 efficiency cores, SMT off: holes in the list of CPUs online."""
    cpus = [0, 2, 4, 6, 8, 10, 12, 14, 16, 17, 18, 19]
    governed = dict(scaling_governor="performance", scaling_driver="intel_pstate", scaling_min_freq=800000)
    files = {
        "etc/os-release": 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nNAME="Debian GNU/Linux"',
        "proc/meminfo": "MemTotal:       32551104 kB\nMemFree:        100 kB",
        "proc/sys/kernel/perf_event_paranoid": 2,
        f"{DMI}/sys_vendor": "ASUS",
        f"{DMI}/product_name": "System Product Name",
        f"{PMU}/cpu_core/cpus": "0,2,4,6,8,10,12,14",
        f"{PMU}/cpu_atom/cpus": "16-19",
        f"{PMU}/uncore_imc/cpumask": 0,
        "sys/devices/cpu_core/cpus": "0,2,4,6,8,10,12,14",
        "sys/devices/cpu_atom/cpus": "16-19",
        f"{CPU}/online": "0,2,4,6,8,10,12,14,16-19",
        f"{CPU}/isolated": "",
        f"{CPU}/smt/control": "off",
        f"{CPU}/intel_pstate/no_turbo": 1,
        f"{CPU}/vulnerabilities/meltdown": "Not affected",
        f"{CPU}/vulnerabilities/spectre_v1": "Mitigation: usercopy/swapgs barriers",
        f"{CPU}/vulnerabilities/itlb_multihit": "KVM: Mitigation: VMX disabled",
        f"{CPU}/vulnerabilities/spec_store_bypass": "Vulnerable",
        f"{CLOCK}/current_clocksource": "tsc",
        f"{CLOCK}/available_clocksource": "tsc hpet acpi_pm",
    }
    files |= {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": cpu for cpu in cpus}
    throttled = {"core_throttle_count": 3, "package_throttle_count": 17}
    files |= {f"{CPU}/cpu{cpu}/thermal_throttle/{name}": count for cpu in cpus for name, count in throttled.items()}
    files |= _cpufreq(cpus, **governed, scaling_max_freq=2100000, cpuinfo_max_freq=4900000)
    model = "12th Gen Intel(R) Core(TM)   i7-12700"
    files |= _cpuinfo(cpus, model_name=model, microcode="0x3a", flags="fpu tsc avx2")
    return _machine(root, "x86_64", "6.12.107+deb13-amd64", "0,2,4,6,8,10,12,14,16-19", files)


def arm_1(root: Path) -> Machine:
    """ARM laptop: one kind of core, clock fixed by minimum = maximum, a device tree, no SMT."""
    governed = dict(scaling_governor="performance", scaling_driver="scmi", boost=0, cpuinfo_max_freq=3417600)
    files = {
        "etc/os-release": 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 26.04.1 LTS"',
        "proc/meminfo": "MemTotal:       31296000 kB",
        "proc/sys/kernel/perf_event_paranoid": -1,
        "sys/firmware/devicetree/base/model": "ASUS Vivobook S 15\0",
        f"{DMI}/sys_vendor": "ASUSTeK COMPUTER INC.",
        f"{DMI}/product_name": "ASUS Vivobook S 15 S5507QA_S5507QAD",
        f"{PMU}/armv8_pmuv3/cpus": "0-11",
        f"{PMU}/arm_spe_0/cpumask": "0-11",
        f"{CPU}/online": "0-11",
        f"{CPU}/isolated": "",
        f"{CPU}/smt/control": "notsupported",
        f"{CPU}/cpufreq/boost": 0,
        f"{CPU}/vulnerabilities/spectre_v2": "Not affected",
        f"{CLOCK}/current_clocksource": "arch_sys_counter",
        f"{CLOCK}/available_clocksource": "arch_sys_counter",
    }
    files |= {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": cpu for cpu in range(12)}
    files |= {f"{CPU}/cpu{cpu}/cpu_capacity": 1024 if cpu > 3 else 906 for cpu in range(12)}
    files |= _cpufreq(range(12), **governed, scaling_min_freq=2707200, scaling_max_freq=2707200)
    files |= _cpuinfo(range(12), CPU_implementer="0x51", CPU_architecture="8", CPU_variant="0x2", CPU_part="0x001")
    return _machine(root, "aarch64", "7.0.0-34-generic", "0-11", files)


def hybrid_smt(root: Path) -> Machine:
    """The Intel desktop as it comes: SMT and turbo on, governor powersave, perf events closed."""
    machine = x86_1(root)
    cpus = range(20)
    files = {
        "proc/sys/kernel/perf_event_paranoid": 4,
        f"{PMU}/cpu_core/cpus": "0-15",
        "sys/devices/cpu_core/cpus": "0-15",
        f"{CPU}/online": "0-19",
        f"{CPU}/smt/control": "on",
        f"{CPU}/intel_pstate/no_turbo": 0,
    }
    files |= {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": f"{cpu & ~1}-{cpu | 1}" for cpu in range(16)}
    files |= {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": cpu for cpu in range(16, 20)}
    files |= _cpufreq(cpus, scaling_governor="powersave", scaling_max_freq=4900000)
    return machine.write(files).allow("0-19")


def virtual(root: Path) -> Machine:
    """A virtual machine of two CPUs: no cpufreq, no PMU, no firmware tables."""
    files = {
        "etc/os-release": "PRETTY_NAME='Debian GNU/Linux 12 (bookworm)'",
        "proc/meminfo": "MemTotal:       4030000 kB",
        "proc/sys/kernel/perf_event_paranoid": 2,
        f"{PMU}/software/type": 1,
        f"{CPU}/online": "0-1",
        f"{CPU}/isolated": "",
        f"{CPU}/smt/control": "notsupported",
        f"{CLOCK}/current_clocksource": "tsc",
        f"{CLOCK}/available_clocksource": "tsc kvm-clock",
    }
    files |= {f"{CPU}/cpu{cpu}/topology/thread_siblings_list": cpu for cpu in range(2)}
    files |= _cpuinfo(range(2), model_name="AMD EPYC", microcode="0x1000065", flags="fpu tsc hypervisor")
    return _machine(root, "x86_64", "6.1.0-50-cloud-amd64", "0-1", files)


def container(root: Path) -> Machine:
    """A container on arm_1 that got CPUs 6 and 7 only."""
    return arm_1(root).allow("6-7")


MACHINES: dict[str, Callable[[Path], Machine]] = {
    machine.__name__: machine for machine in (x86_1, arm_1, hybrid_smt, virtual, container)
}

if __name__ == "__main__":
    MACHINES[sys.argv[1]](Path(sys.argv[2]))
