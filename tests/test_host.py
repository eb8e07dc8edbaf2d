"""What is said of a machine, and whether it is fit to measure."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import machines
from ngcc_campaign.errors import Mistake
from ngcc_campaign.files import read_json
from ngcc_campaign.host import facts, host, machine, unfit
from ngcc_campaign.hostfacts import choose_cpu, format_cpus, observe, parse_cpus
from ngcc_campaign.schemas import validate
from ngcc_campaign.settings import load_system

CPU = machines.CPU
LOCAL = load_system("local")
ARM_1 = LOCAL | {
    "id": "arm_1",
    "cpu": 2,
    "unfit_host": "refuse",
    "expected": {
        "architecture": "aarch64",
        "cpu_model": "Qualcomm Oryon",
        "machine": "Vivobook S 15",
        "governor": "performance",
        "frequency_khz": 2707200,
        "boost": "off",
        "smt": "notsupported",
        "counter": "armv8",
    },
}
X86_1 = LOCAL | {
    "id": "x86_1",
    "cpu": 2,
    "unfit_host": "refuse",
    "expected": {"architecture": "x86_64", "cpu_model": "i7-12700", "frequency_khz": 2100000, "smt": "off"},
}


@pytest.fixture
def on(tmp_path, monkeypatch):
    """on("x86_1"): a machine that this process believes to be on."""

    def enter(name: str) -> machines.Machine:
        found = machines.MACHINES[name](tmp_path / name)
        found.enter(monkeypatch)
        return found

    return enter


def deviations(found: dict, system: dict = LOCAL) -> dict[str, dict]:
    return {deviation["fact"]: deviation for deviation in unfit(found, system)}


# CPU lists


@given(st.sets(st.integers(0, 200)))
def test_cpu_list_is_read_as_it_was_written(cpus):
    assert parse_cpus(format_cpus(cpus)) == cpus


@given(st.lists(st.tuples(st.integers(0, 150), st.integers(0, 5))))
def test_cpu_list_equals_the_set_of_its_ranges(ranges):
    text = ",".join(f"{first}-{first + more}" if more else str(first) for first, more in ranges)
    assert parse_cpus(text) == {cpu for first, more in ranges for cpu in range(first, first + more + 1)}


@pytest.mark.parametrize(
    "text, cpus",
    [("", set()), ("0", {0}), ("0-3,8-11,64", {0, 1, 2, 3, 8, 9, 10, 11, 64}), ("63-64,127,128", {63, 64, 127, 128})],
)
def test_cpu_list_in_kernel_form(text, cpus):
    assert parse_cpus(text + "\n") == cpus
    assert format_cpus(parse_cpus(text)) in (text, "63-64,127-128")


# Choice of the CPU


@pytest.mark.parametrize(
    "name, cpu", [("x86_1", 14), ("arm_1", 11), ("hybrid_smt", 15), ("virtual", 1), ("container", 7)]
)
def test_auto_takes_the_last_cpu_that_is_ours_and_a_performance_core(on, name, cpu):
    found = on(name).observe()
    assert found["cpu"] == choose_cpu("auto", found) == cpu
    assert found["core_type"] in (None, "performance")


def test_auto_takes_an_efficiency_core_where_nothing_else_is_ours(tmp_path):
    there = machines.x86_1(tmp_path)
    found = machines.Machine(there.root, there.uname, {16, 17}).observe()
    assert (found["cpu"], found["core_type"], found["cycle_counter"]) == (17, "efficiency", "cpu_atom")
    assert deviations(found)["core"]["advice"].startswith("set cpu to one of 0,2,4")


def test_small_arm_cores_are_efficiency_cores(tmp_path):
    there = machines.arm_1(tmp_path)
    there.write({f"{CPU}/cpu{cpu}/cpu_capacity": 380 for cpu in range(4, 12)})
    found = there.observe()
    assert (found["cpu"], found["cpus_performance"]) == (3, "0-3")


@pytest.mark.parametrize(
    "name, cpu, reason, allowed",
    [
        ("x86_1", 3, "offline or absent", "0,2,4,6,8,10,12,14,16-19"),
        ("virtual", 2, "offline or absent", "0-1"),
        ("container", 2, "withheld", "6-7"),
    ],
)
def test_cpu_that_cannot_be_had_is_a_mistake_that_lists_the_others(on, name, cpu, reason, allowed):
    there = on(name)
    with pytest.raises(Mistake, match=f"CPU {cpu} is {reason}.*'auto' or one of {allowed}"):
        facts(LOCAL | {"cpu": cpu}, there.root)


# Facts


def test_facts_of_x86_1(on):
    found = on("x86_1").observe(2)
    assert found == found | {
        "architecture": "x86_64",
        "cpus_online": "0,2,4,6,8,10,12,14,16-19",
        "cpus_performance": "0,2,4,6,8,10,12,14",
        "cpus_isolated": "",
        "cpu_model": "12th Gen Intel(R) Core(TM) i7-12700",
        "core_type": "performance",
        "machine": None,
        "virtual": None,
        "memory_mib": 31788,
        "os": "Debian GNU/Linux 13 (trixie)",
        "kernel": "6.12.107+deb13-amd64",
        "governor": "performance",
        "frequency_driver": "intel_pstate",
        "scaling_min_khz": 800000,
        "scaling_max_khz": 2100000,
        "cpuinfo_max_khz": 4900000,
        "boost": "off",
        "smt": "off",
        "smt_siblings": "",
        "cycle_counter": "cpu_core",
        "microcode": "0x3a",
        "mitigations": "mitigated: itlb_multihit, spectre_v1; vulnerable: spec_store_bypass",
        "clock_source": "tsc",
    }
    assert machine(found) == "x86_64; 12th Gen Intel(R) Core(TM) i7-12700"


def test_facts_of_arm_1(on):
    found = on("arm_1").observe(2)
    assert found == found | {
        "cpu_model": "Qualcomm Oryon",
        "cpus_performance": None,
        "core_type": None,
        "machine": "ASUS Vivobook S 15",
        "virtual": None,
        "memory_mib": 30562,
        "os": "Ubuntu 26.04.1 LTS",
        "boost": "off",
        "smt": "notsupported",
        "perf_event_paranoid": -1,
        "cycle_counter": "armv8_pmuv3",
        "microcode": None,
        "mitigations": "none needed",
    }
    assert machine(found) == "aarch64; Qualcomm Oryon; ASUS Vivobook S 15"


@pytest.mark.parametrize("name", machines.MACHINES)
def test_host_file_is_valid_on_every_machine(on, tmp_path, name):
    there = on(name)
    document = host(LOCAL, tmp_path / "host.json", {"machine": "m"}, there.root)
    assert read_json(tmp_path / "host.json") == document
    assert document["made_from"] == {"machine": "m"}


@pytest.mark.parametrize("name", machines.MACHINES)
def test_any_file_may_be_missing(on, tmp_path, name):
    there = on(name)
    for path in sorted(path for path in there.root.rglob("*") if path.is_file()):
        content = path.read_bytes()
        path.unlink()
        host(LOCAL, tmp_path / "host.json", {}, there.root)
        path.write_bytes(content)


def test_a_system_that_tells_nothing_is_no_crash(tmp_path, monkeypatch):
    machines.virtual(tmp_path / "vm").enter(monkeypatch)
    document = host(LOCAL, tmp_path / "host.json", {}, tmp_path / "nothing")
    assert document["facts"]["cpus_online"] == "0-1"
    assert document["facts"]["governor"] is None


def test_this_machine(tmp_path):
    document = host(LOCAL, tmp_path / "host.json", {"machine": machine(observe())})
    assert document["facts"]["memory_mib"] > 100
    assert str(document["facts"]["cpu"]) in document["facts"]["cpus_allowed"]


@pytest.mark.parametrize(
    "implementer, part, name",
    [
        ("0x41", "0xd0c", "ARM Neoverse-N1"),
        ("0x48", "0xd01", "HiSilicon Kunpeng 920"),
        ("0x51", "0x123", "Qualcomm part 0x123"),
        ("0x99", "0x001", "implementer 0x99 part 0x001"),
        ("0x00", "0x051", "QEMU max"),
    ],
)
def test_arm_core_is_named_by_implementer_and_part(tmp_path, implementer, part, name):
    there = machines.arm_1(tmp_path)
    there.write({"proc/cpuinfo": f"processor\t: 2\nCPU implementer\t: {implementer}\nCPU part\t: {part}\n"})
    assert there.observe(2)["cpu_model"] == name


def test_each_arm_core_has_its_own_name(tmp_path):
    there = machines.arm_1(tmp_path)
    core = "processor\t: {}\nCPU implementer\t: 0x41\nCPU part\t: {}\n"
    there.write({"proc/cpuinfo": core.format(0, "0xd05") + "\n" + core.format(1, "0xd41")})
    assert [there.observe(cpu)["cpu_model"] for cpu in (0, 1)] == ["ARM Cortex-A55", "ARM Cortex-A78"]


@pytest.mark.parametrize(
    "files, name",
    [
        ({}, None),
        ({f"{machines.DMI}/sys_vendor": "QEMU"}, "qemu"),
        ({f"{machines.DMI}/sys_vendor": "Amazon EC2", f"{machines.DMI}/product_name": "m6g.large"}, "cloud"),
        ({f"{machines.DMI}/sys_vendor": "Amazon EC2", f"{machines.DMI}/product_name": "m6g.metal"}, None),
        ({"sys/firmware/devicetree/base/hypervisor/compatible": "linux,kvm\0"}, "kvm"),
        ({"sys/firmware/devicetree/base/model": "linux,dummy-virt\0"}, "qemu"),
        ({"sys/hypervisor/type": "xen"}, "xen"),
    ],
)
def test_hypervisor_on_arm(tmp_path, files, name):
    there = machines.arm_1(tmp_path)
    there.write(files)
    assert there.observe()["virtual"] == name


@pytest.mark.parametrize(
    "files, name",
    [
        ({}, "kvm"),
        ({f"{machines.CLOCK}/available_clocksource": "tsc"}, "unknown"),
        ({f"{machines.CLOCK}/available_clocksource": "hyperv_clocksource_tsc_page acpi_pm"}, "hyper-v"),
        ({"proc/cpuinfo": "processor\t: 1\nflags\t: fpu", f"{machines.DMI}/sys_vendor": "Amazon EC2"}, None),
    ],
)
def test_hypervisor_on_x86(tmp_path, files, name):
    there = machines.virtual(tmp_path)
    there.write(files)
    assert there.observe()["virtual"] == name


# Fitness


@pytest.mark.parametrize("name, system", [("arm_1", ARM_1), ("x86_1", X86_1)])
def test_a_named_system_is_fit_as_published(on, tmp_path, name, system):
    there = on(name)
    validate(system, "system", name)
    assert host(system, tmp_path / "host.json", {}, there.root)["unfit"] == []


def test_the_desktop_as_it_comes_gets_a_command_for_each_deviation(on):
    found = deviations(on("hybrid_smt").observe(2), X86_1)
    policy = f"/{CPU}/cpu2/cpufreq"
    assert {fact: (deviation["found"], deviation["advice"]) for fact, deviation in found.items()} == {
        "perf_event_paranoid": ("4", "sudo sysctl kernel.perf_event_paranoid=2"),
        "governor": ("powersave", f"echo performance | sudo tee {policy}/scaling_governor"),
        "highest clock": ("4900000 kHz", f"echo 2100000 | sudo tee {policy}/scaling_max_freq"),
        "boost": ("on", f"echo 1 | sudo tee /{CPU}/intel_pstate/no_turbo"),
        "SMT": ("CPU 3 shares the core", f"echo off | sudo tee /{CPU}/smt/control"),
    }


def test_a_virtual_machine_is_unfit(on):
    found = deviations(on("virtual").observe())
    assert {fact: deviation["found"] for fact, deviation in found.items()} == {
        "virtual machine": "kvm",
        "cycle counter": "none",
    }


def test_a_cpu_that_the_container_withholds(on):
    there = on("container")
    assert deviations(there.observe(2), ARM_1)["CPU"]["found"] == "ours are 6-7"
    assert deviations(there.observe(7), ARM_1) == {}


def test_a_cpu_that_is_offline(on):
    found = deviations(on("x86_1").observe(3), X86_1)["CPU"]
    assert found["advice"] == f"echo 1 | sudo tee /{CPU}/cpu3/online"


def test_another_machine_is_named_as_such(on):
    found = deviations(on("x86_1").observe(2), ARM_1)
    assert found["processor"]["expected"] == "Qualcomm Oryon"
    assert found["processor"]["found"] == "12th Gen Intel(R) Core(TM) i7-12700"
    assert found["machine"]["found"] == "unknown"
    assert {"architecture", "cycle counter", "SMT"} <= set(found)
    assert "another machine" in found["SMT"]["advice"]


@pytest.mark.parametrize("paranoid, fit", [(-1, True), (0, True), (1, True), (2, True), (3, False), (4, False)])
def test_perf_event_paranoid(tmp_path, paranoid, fit):
    there = machines.arm_1(tmp_path)
    there.write({"proc/sys/kernel/perf_event_paranoid": paranoid})
    assert ("perf_event_paranoid" not in deviations(there.observe())) is fit


def test_a_kernel_without_perf_events(tmp_path):
    there = machines.arm_1(tmp_path)
    there.write({"proc/sys/kernel/perf_event_paranoid": None})
    assert "CONFIG_PERF_EVENTS" in deviations(there.observe())["perf_event_paranoid"]["advice"]


def test_an_arm_clock_that_is_not_fixed(tmp_path):
    there = machines.arm_1(tmp_path)
    there.write({f"{CPU}/cpu11/cpufreq/scaling_min_freq": 710400})
    found = deviations(there.observe())["lowest clock"]
    assert found["expected"] == "2707200 kHz, as the highest"
    assert found["advice"] == f"echo 2707200 | sudo tee /{CPU}/cpu11/cpufreq/scaling_min_freq"


def test_boost_without_intel_pstate(tmp_path):
    there = machines.arm_1(tmp_path)
    there.write({f"{CPU}/cpufreq/boost": 1, f"{CPU}/cpu11/cpufreq/boost": 1})
    assert deviations(there.observe())["boost"]["advice"] == f"echo 0 | sudo tee /{CPU}/cpufreq/boost"


def test_an_unfit_host_is_refused_where_the_profile_says_so(on, tmp_path):
    there = on("hybrid_smt")
    with pytest.raises(Mistake, match=r"system x86_1: this host is not fit.*governor: expected performance, found"):
        host(X86_1, tmp_path / "host.json", {}, there.root)
    assert not (tmp_path / "host.json").exists()


# Profiles


def test_local_measures_on_any_host():
    assert (LOCAL["cpu"], LOCAL["unfit_host"], LOCAL["plan"]["target_seconds"]) == ("auto", "allow", 0.1)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"cpus": 2}, "unknown key 'cpus'; did you mean 'cpu'"),
        ({"cpu": "first"}, "cpu: "),
        ({"cpu": -1}, "cpu: "),
        ({"unfit_host": "maybe"}, "'allow'.*or 'refuse'"),
        ({"expected": {"boost": False}}, "expected.boost: .*in quotes"),
        ({"plan": {"trials": 5}}, "target_seconds' is missing"),
    ],
)
def test_a_wrong_profile_is_a_mistake(change, message):
    with pytest.raises(Mistake, match=message):
        validate(LOCAL | change, "system", Path("config/systems/local.yaml"))


def test_profile_file_is_named_for_its_system():
    for file in Path(__file__).parents[1].glob("config/systems/*.yaml"):
        assert yaml.safe_load(file.read_text(encoding="utf-8"))["id"] == file.stem
