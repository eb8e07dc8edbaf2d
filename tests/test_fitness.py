"""Whether a machine is fit to measure, and the table that says what to do about it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import machines
from ngcc_campaign.campaign.settings import load_system
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import read_json
from ngcc_campaign.host.host import conformance, facts, host, unfit
from ngcc_campaign.host.hostfacts import fitness, observe

CPU = machines.CPU
LOCAL, ARM_1, X86_1 = (load_system(system) for system in ("local", "arm_1", "x86_1"))


@pytest.fixture
def on(tmp_path):
    """on("x86_1"): that machine, recreated."""
    return lambda name: machines.MACHINES[name](tmp_path / name)


def deviations(found: dict, system: dict = LOCAL) -> dict[str, dict]:
    return {deviation["fact"]: deviation for deviation in unfit(found, system)}


CLOCK = {"governor", "highest clock", "boost"}


@pytest.mark.parametrize(
    "name, system, expected",
    [
        ("arm_1", ARM_1, set()),
        ("arm_1", X86_1, {"architecture", "processor", "highest clock", "lowest clock", "cycle counter"}),
        ("x86_1", X86_1, set()),
        ("x86_1", ARM_1, {"architecture", "processor", "machine", "highest clock", "cycle counter", "SMT"}),
        ("hybrid_smt", X86_1, {"perf_event_paranoid", "governor", "highest clock", "boost", "SMT"}),
        ("container", ARM_1, {"CPU"}),
        ("container", X86_1, {"architecture", "processor", "CPU", "highest clock", "lowest clock", "cycle counter"}),
        ("virtual", ARM_1, {"architecture", "processor", "machine", "virtual machine", "CPU", "cycle counter"} | CLOCK),
        ("virtual", X86_1, {"processor", "virtual machine", "CPU", "cycle counter"} | CLOCK),
    ],
)
def test_verdict(on, name, system, expected):
    assert set(deviations(facts(system, on(name).root), system)) == expected


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
    found = deviations(there.observe(2), ARM_1)["CPU"]
    assert found["found"] == "ours are 6-7"
    assert "--cpuset-cpus=2" in found["advice"]
    assert deviations(there.observe(7), ARM_1) == {}


def test_a_cpu_that_is_offline(on):
    found = deviations(on("x86_1").observe(3), X86_1)
    assert found["CPU"]["advice"] == f"echo 1 | sudo tee /{CPU}/cpu3/online"
    assert "core" not in found


def test_an_efficiency_core(on):
    found = deviations(on("x86_1").observe(17))["core"]
    assert found["found"] == "efficiency core"
    assert found["advice"].startswith("set cpu to one of 0,2,4")


@pytest.mark.parametrize("model, fits", [("i7-12700", True), ("i7-12700K", False), ("i7-1270", False)])
def test_a_processor_is_told_by_whole_words(on, model, fits):
    there = on("x86_1").write({"proc/cpuinfo": f"processor\t: 2\nmodel name\t: 12th Gen Intel(R) Core(TM) {model}"})
    assert ("processor" not in deviations(there.observe(2), X86_1)) is fits


def test_another_machine_is_named_as_such(on):
    found = deviations(on("x86_1").observe(2), ARM_1)
    assert found["processor"]["expected"] == "Qualcomm Oryon"
    assert found["processor"]["found"] == "12th Gen Intel(R) Core(TM) i7-12700"
    assert found["machine"]["found"] == "unknown"
    assert {"architecture", "cycle counter", "SMT"} <= set(found)
    assert all("another machine" in deviation["advice"] for deviation in found.values())


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


@pytest.mark.parametrize(
    ("control", "fit"),
    [("off", True), ("forceoff", True), ("notsupported", True), ("notimplemented", True), ("on", False)],
)
def test_no_second_thread_is_as_good_as_one_that_is_off(on, control, fit):
    there = on("x86_1").write({f"{CPU}/smt/control": control})
    assert ("SMT" not in deviations(there.observe(2), X86_1)) is fit


def test_what_is_fit_and_what_is_not_are_rows_of_one_table(on):
    found = facts(X86_1, on("hybrid_smt").root)
    rows = conformance(found, X86_1)
    fits = {row["fact"]: row["fits"] for row in rows}
    assert fits["processor"] and fits["core"] and not fits["SMT"]
    assert [{**row, "fits": False} for row in unfit(found, X86_1)] == [row for row in rows if not row["fits"]]


def test_without_cpufreq_no_rule_on_clocks_applies(on):
    rows = {row["fact"]: row for row in conformance(on("virtual").observe(), LOCAL)}
    assert [(rows[fact]["expected"], rows[fact]["found"], rows[fact]["fits"]) for fact in sorted(CLOCK)] == [
        ("–", "unknown", True)
    ] * 3


# The stage by hand and in the workflow


def run_host(*arguments: object, machine: Path | None = None) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "ngcc_campaign.cli", "host", *map(str, arguments)]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"} | ({"NGCC_MACHINE": str(machine)} if machine else {})
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=env, check=False)


@pytest.mark.parametrize("system", ["arm_1", "x86_1"])
@pytest.mark.parametrize("name", machines.MACHINES)
def test_the_table_tells_the_verdict_of_a_recreated_machine(on, name, system):
    done = run_host("--system", system, machine=on(name).root)
    expected = unfit(facts(load_system(system), on(name).root), load_system(system))
    assert done.returncode == bool(expected) == (name != system), done.stderr
    assert all(deviation["advice"] in done.stdout for deviation in expected)
    verdict = f"not fit: {len(expected)} of " if expected else f"fit: nothing differs from what {system} needs."
    assert done.stdout.splitlines()[-1].startswith(verdict)


def test_the_table_shows_rules_and_then_plain_facts(on):
    lines = run_host("--system", "x86_1", machine=on("hybrid_smt").root).stdout.splitlines()
    cells = [[cell.strip() for cell in re.split(r"\s{2,}", line)] for line in lines]
    assert cells[0] == ["fact", "expected", "found", "what to do"]
    assert ["architecture", "x86_64", "x86_64", "–"] in cells
    assert [
        "governor",
        "performance",
        "powersave",
        f"echo performance | sudo tee /{CPU}/cpu2/cpufreq/scaling_governor",
    ] in cells
    assert lines[-2:] == ["", "not fit: 5 of 12 facts differ from what x86_1 needs."]
    assert cells[-11:-2] == [
        ["microcode", "–", "0x3a", "–"],
        ["mitigations", "–", "mitigated: itlb_multihit, spectre_v1; vulnerable: spec_store_bypass", "–"],
        ["core throttle count", "–", "3", "–"],
        ["package throttle count", "–", "17", "–"],
        ["clock source", "–", "tsc", "–"],
        ["isolated CPUs", "–", "none", "–"],
        ["load average", "–", "0.04 0.11 0.09", "–"],
        ["memory", "–", "31788 MiB", "–"],
        ["kernel", "–", "6.12.107+deb13-amd64", "–"],
    ]


def test_a_recreated_machine_leaves_no_evidence(on, tmp_path):
    done = run_host("--system", "arm_1", "--output", tmp_path / "host.json", machine=on("arm_1").root)
    assert (done.returncode, done.stdout) == (1, "")
    assert "facts of a recreated machine are for dry runs" in done.stderr
    assert not (tmp_path / "host.json").exists()


def test_an_unfit_host_is_written_all_the_same(tmp_path):
    cpu = max(os.sched_getaffinity(0))
    host(X86_1 | {"cpu": cpu, "expected": {"cpu_model": "nosuch"}}, tmp_path / "host.json", {})
    assert "processor" in {deviation["fact"] for deviation in read_json(tmp_path / "host.json")["unfit"]}


def test_a_cpu_that_cannot_be_had_ends_the_stage(tmp_path):
    with pytest.raises(Mistake, match="CPU 4095 is offline or absent"):
        host(LOCAL | {"cpu": 4095}, tmp_path / "host.json", {})
    assert not (tmp_path / "host.json").exists()


@pytest.mark.parametrize(
    "files, sentence",
    [
        (None, "is no folder; name that of a recreated machine"),
        ({"proc/cpuinfo": ""}, "a recreated machine needs proc/sys/kernel/arch"),
    ],
)
def test_a_machine_that_is_none(tmp_path, monkeypatch, files, sentence):
    machines.Machine(tmp_path / "there").write(files or {})
    monkeypatch.setenv("NGCC_MACHINE", str(tmp_path / "there"))
    with pytest.raises(Mistake, match=sentence):
        observe()


@pytest.mark.parametrize("name", ["x" * 5000, "nosuch/deeper"], ids=["too long", "absent"])
def test_a_folder_that_cannot_be_looked_at_is_no_crash(monkeypatch, name):
    monkeypatch.setenv("NGCC_MACHINE", name)
    with pytest.raises(Mistake, match="NGCC_MACHINE: .* is no folder"):
        observe()


@pytest.mark.parametrize(
    "files",
    [{"proc/self/status": "Cpus_allowed_list:\t-3"}, {f"{CPU}/online": "-3"}, {f"{CPU}/isolated": "2-,"},
     {"proc/cpuinfo": "processor\t: 2\nCPU implementer\t: Qualcomm\nCPU part\t: Oryon"}],
    ids=["allowed", "online", "isolated", "implementer"],
)  # fmt: skip
def test_nonsense_in_a_recreated_machine_is_no_crash(on, files):
    there = on("arm_1").write(files)
    if "proc/self/status" in files:
        with pytest.raises(Mistake, match="Cpus_allowed_list in proc/self/status"):
            there.observe(2)
    else:
        assert conformance(there.observe(2), ARM_1)


def test_states_of_a_machine_are_told_apart(on):
    there = on("x86_1")
    assert fitness(unfit(there.observe(2), X86_1)) == "fit"
    there.write({f"{CPU}/cpu2/cpufreq/scaling_governor": "powersave", f"{CPU}/intel_pstate/no_turbo": 0})
    assert fitness(unfit(there.observe(2), X86_1)) == "governor: powersave; boost: on"
