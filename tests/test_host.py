"""What is said of a machine, and the profiles of systems."""

import os
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import machines
from ngcc_campaign.campaign.settings import load_system
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import read_json
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.host.host import OTHER_MACHINE, conformance, describe, facts, host, machine, plain, shown, state
from ngcc_campaign.host.hostfacts import choose_cpu, format_cpus, observe, parse_cpus

CPU = machines.CPU
LOCAL = load_system("local")
ARM_1, X86_1 = load_system("arm_1"), load_system("x86_1")


@pytest.fixture
def on(tmp_path):
    """on("x86_1"): that machine, recreated."""
    return lambda name: machines.MACHINES[name](tmp_path / name)


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
    found = there.allow("16-17").observe()
    assert (found["cpu"], found["core_type"], found["cycle_counter"]) == (17, "efficiency", "cpu_atom")


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
    found = facts(LOCAL | {"cpu": cpu}, on(name).root)
    with pytest.raises(Mistake, match=f"CPU {cpu} is {reason}.*; in the system's profile .*'auto' or one of {allowed}"):
        choose_cpu(cpu, found)


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


def test_the_table_says_once_that_this_is_another_machine(on):
    table, fits = shown(on("x86_1").observe(2), ARM_1)
    differing = sum(not row["fits"] for row in conformance(on("x86_1").observe(2), ARM_1))
    assert not fits and (table.count(OTHER_MACHINE), table.count("as above")) == (1, differing - 1)


@pytest.mark.parametrize("name", machines.MACHINES)
def test_host_file_is_valid_on_every_machine(on, name):
    assert describe(LOCAL, {"machine": "m"}, on(name).root)["made_from"] == {"machine": "m"}


# What a process always knows of its kernel and itself.
KERNEL = {"proc/sys/kernel/arch", "proc/sys/kernel/osrelease", "proc/self/status"}


@pytest.mark.parametrize("name", machines.MACHINES)
def test_any_file_may_be_missing(on, name):
    root = on(name).root
    files = [path for path in root.rglob("*") if path.is_file() and str(path.relative_to(root)) not in KERNEL]
    for path in files:
        content = path.read_bytes()
        path.unlink()
        found = observe(root)
        assert conformance(found, X86_1) and plain(found, state(root, found["cpu"]))
        path.write_bytes(content)


def test_a_system_that_tells_nothing_is_no_crash(on, tmp_path):
    for name in KERNEL:
        there = tmp_path / "nothing" / name
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes((on("virtual").root / name).read_bytes())
    document = describe(LOCAL, {}, tmp_path / "nothing")
    assert document["facts"]["cpus_online"] == "0-1"
    assert document["facts"]["governor"] is None
    assert set(document["state"].values()) == {None}


def test_this_machine(tmp_path):
    document = host(LOCAL, tmp_path / "host.json", {"machine": machine(observe())})
    assert read_json(tmp_path / "host.json") == document
    assert document["facts"]["memory_mib"] > 100
    assert document["facts"]["cpu"] in os.sched_getaffinity(0)
    assert document["facts"]["architecture"] == os.uname().machine
    assert len(document["state"]["load_average"]) == 3


def test_what_changes_by_itself_is_no_fact(on):
    there = on("x86_1")
    before = describe(X86_1, {}, there.root)
    there.write({"proc/loadavg": "7.00 5.00 3.00 2/99 1", f"{CPU}/cpu2/thermal_throttle/core_throttle_count": 4})
    after = describe(X86_1, {}, there.root)
    assert before["state"] == {
        "load_average": [0.04, 0.11, 0.09],
        "core_throttle_count": 3,
        "package_throttle_count": 17,
    }
    assert after["state"] == before["state"] | {"load_average": [7, 5, 3], "core_throttle_count": 4}
    assert after["facts"] == before["facts"]


def test_evidence_of_an_earlier_version_has_no_state(on):
    document = describe(LOCAL, {}, on("arm_1").root)
    del document["state"]
    validate(document, "host", "host.json")


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


# Profiles


PLAN = {"trials": 5, "precision": 0.01, "patience": 10}


@pytest.mark.parametrize(
    "system, expected, plan",
    [
        (
            ARM_1,
            {"architecture": "aarch64", "cpu_model": "Qualcomm Oryon", "machine": "ASUS Vivobook S 15", "governor":
             "performance", "frequency_khz": 2707200, "boost": "off", "smt": "notsupported", "counter": "armv8"},
            {"target_seconds": 0.5, "budget_seconds": 300},
        ),
        (
            X86_1,
            {"architecture": "x86_64", "cpu_model": "i7-12700", "governor": "performance", "frequency_khz": 2100000,
             "boost": "off", "smt": "off", "counter": "cpu_core"},
            {"target_seconds": 1.0, "budget_seconds": 900},
        ),
    ],
    ids=["arm_1", "x86_1"],
)  # fmt: skip
def test_a_named_system_is_what_was_published(system, expected, plan):
    assert (system["cpu"], system["unfit_host"]) == (2, "refuse")
    assert system["expected"] == expected
    assert system["plan"] == PLAN | plan


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
