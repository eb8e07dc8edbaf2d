"""The counter's way on a real AArch64 kernel, Debian's, which an emulated machine boots. No figure is a measurement."""

import json
import shutil

import pytest

from aarch64 import SYSTEM_TOOLS, NoKernel, boot, debian_kernel, lacking
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.campaign import settings
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.files import write_json
from ngcc_campaign.common.root import ROOT
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.host import host
from ngcc_campaign.host.hostfacts import observe
from ngcc_campaign.render.render import render
from ngcc_campaign.verify.manifest import expected

pytestmark = pytest.mark.skipif(bool(lacking(SYSTEM_TOOLS)), reason=lacking(SYSTEM_TOOLS))

FIPS = load_candidate(ROOT / "resources" / "candidates" / "fips.yaml")
INSTANCES = ("SHA-512", "SHA3-512")
ROOT_USER, NOBODY = 0, 65534
TRIALS, TARGET = 3, 0.02
PLAN = f"--cpu 0 --trials {TRIALS} --target-seconds {TARGET} --patience 1 --canary /tmp/canary.json"
TIMING = "bin/ngcc_perf --verdict kat/fips/{}.json --bytes 1024 " + PLAN
EMPTY = f"bin/ngcc_perf --library bin/libempty.so --digest-bits 256 --bytes 32 {PLAN}"
ANSWERS = "bin/ngcc_kat --library build/fips/{0}/guide/lib{0}.so --instance {0} --digest-bits 512"

# All that tells what machine it is, and more.
WANTED = (
    "/results/records/*", "/results/records/fips/*", "/tmp/*.json",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg", "/proc/version", "/proc/cmdline", "/proc/self/status",
    "/proc/sys/kernel/arch", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/perf_*",
    "/sys/devices/system/cpu/*", "/sys/devices/system/cpu/*/*", "/sys/devices/system/cpu/cpu*/*/*",
    "/sys/devices/system/clocksource/*/*", "/sys/bus/event_source/devices/*/*",
    "/sys/firmware/devicetree/base/*", "/sys/class/dmi/id/*", "/sys/hypervisor/*",
)  # fmt: skip


@pytest.fixture(scope="module")
def guest(rehearsal, tmp_path_factory):
    """A machine that ran the rehearsal's AArch64 programs on its libraries."""
    try:
        kernel = debian_kernel()
    except NoKernel as reason:
        pytest.skip(f"Debian's arm64 kernel can't be had: {reason}")
    (results,) = (rehearsal.path / "results").glob("*_emulated")
    root = tmp_path_factory.mktemp("guest") / "root"
    for folder in ("build", "kat"):
        shutil.copytree(results / folder, root / "results" / folder)
    shutil.copytree(results / "bin" / "aarch64", root / "results" / "bin")
    shutil.copy(results / "bin" / "libempty.so", root / "results" / "bin")
    (root / "results" / "records" / "fips").mkdir(parents=True)
    jobs = [f"{ROOT_USER} /dev/null {EMPTY} --output records/empty_call.json"]
    for name in INSTANCES:
        record = f"records/fips/{name}__hash_1024.json"
        jobs.append(f"{ROOT_USER} /dev/null {TIMING.format(name)} --output {record}")
        jobs.append(f"{ROOT_USER} /tmp/{name}.json {ANSWERS.format(name)}")
    jobs.append(f"{NOBODY} /tmp/nobody.json {TIMING.format(INSTANCES[0])}")
    return boot(kernel, root, jobs, WANTED)


@pytest.fixture(scope="module")
def machine(guest, tmp_path_factory):
    """The guest's own /proc and /sys, unpacked."""
    root = tmp_path_factory.mktemp("machine")
    guest.unpack(root, ("/proc/", "/sys/"))
    return root


def document(guest, path: str, schema: str) -> dict:
    content = json.loads(guest.files[path])
    validate(content, schema, path)
    return content


def test_every_program_ended_well(guest):
    assert guest.jobs == [0] * 6


@pytest.mark.parametrize("name", ["empty_call", *(f"fips/{name}__hash_1024" for name in INSTANCES)])
def test_cycles_come_from_the_kernel_s_counter(guest, name):
    record = document(guest, f"/results/records/{name}.json", "record")
    assert (record["status"], record["cycle_source"], record["cycle_source_reason"]) == ("MEASURED", "perf_event", "")
    assert record["environment"]["architecture"] == "aarch64" and "cloud-arm64" in record["environment"]["kernel"]
    assert record["plan"]["trials"] == TRIALS and record["plan"]["target_ns"] == TARGET * 1e9
    assert [trial["trial"] for trial in record["trials"]] == list(range(len(record["trials"])))
    assert len(record["trials"]) >= TRIALS
    for trial in record["trials"]:
        assert {batch["calls"] for batch in trial["batches"]} == {record["plan"]["calls_per_batch"]}
        assert len(trial["batches"]) == record["plan"]["batches_per_trial"]
        for batch in trial["batches"]:
            assert batch["cycles"] > 0 and 0 < batch["running_ns"] <= batch["enabled_ns"]
            assert batch["reference_ticks"] > 0


@pytest.mark.parametrize("name", INSTANCES)
def test_known_answers_are_computed_there(guest, name):
    run = document(guest, f"/tmp/{name}.json", "kat_run")
    digests = expected(FIPS.kat, name)
    assert [file["outcome"] for file in run["files"]] == ["DONE", "DONE"]
    assert all(file["sha256"] == digests[file["file"]] for file in run["files"])


def test_without_privilege_a_closed_kernel_leaves_the_core_clock(guest):
    assert int(guest.files["/proc/sys/kernel/perf_event_paranoid"]) == 3
    record = document(guest, "/tmp/nobody.json", "record")
    assert (record["status"], record["cycle_source"]) == ("MEASURED", "core_clock_estimate")
    assert "answered EACCES: kernel.perf_event_paranoid is 3; at 2 or below" in record["cycle_source_reason"]
    for trial in record["trials"]:
        assert trial["core_clock"]["before_ns"] > 0 and all(batch["cycles"] is None for batch in trial["batches"])


def test_the_host_is_what_its_kernel_says(guest, machine):
    facts = observe(machine)
    assert (facts["architecture"], facts["cpu_model"], facts["cpu"]) == ("aarch64", "QEMU max", 0)
    assert facts["kernel"].endswith("-cloud-arm64") and facts["cycle_counter"].startswith("armv8")
    assert (facts["virtual"], facts["perf_event_paranoid"]) == ("emulated by qemu", 3)
    assert facts["clock_source"] == "arch_sys_counter" and 300 < facts["memory_mib"] < 512


def test_pages_made_from_them_call_the_machine_emulated(guest, machine, rehearsal, tmp_path):
    results = tmp_path / "results" / "local"
    (stored,) = (rehearsal.path / "results").glob("*_emulated")
    for folder in ("fetch", "build", "kat"):
        shutil.copytree(stored / folder, results / folder)
    guest.unpack(tmp_path, ("/results/records/",))
    shutil.move(tmp_path / "results" / "records", results / "records")
    system = settings.load_system("local") | {"description": "a machine that does not exist"}
    write_json(results / "host.json", host.describe(system, {}, machine))
    aggregate(results, ["fips"])
    render(results)
    pages = {page.stem: page.read_text() for page in (results / "report").glob("*.md")}
    assert {"index", "method", "fips"} <= pages.keys()
    assert all("Emulated: no figure here is a measurement." in text for text in pages.values())
    assert all("virtual machine: expected none, found emulated by qemu" in text for text in pages.values())
    assert all("perf_event_paranoid: expected at most 2, found 3" in text for text in pages.values())
    assert "Cycles are counts of the hardware counter in user mode" in pages["fips"]
    rows = [line for line in pages["fips"].splitlines() if "| 1024 B " in line][:2]  # of the first table with figures
    published = ["|".join(row.split("|")[:8]) for row in rows]  # a row that was hardly undisturbed has no ±
    assert len(rows) == 2 and all("–" not in row for row in published), rows
