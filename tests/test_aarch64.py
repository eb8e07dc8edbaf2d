"""AArch64 on another machine: cross-built, run by qemu's user-mode emulator, and honest about it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
from elftools.elf.elffile import ELFFile

from aarch64 import COMPILER, USER_TOOLS, lacking
from ngcc_campaign.build import emulator
from ngcc_campaign.build.build import build
from ngcc_campaign.campaign import settings
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import sha256_file
from ngcc_campaign.common.root import ROOT
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.fetch.fetch import fetch
from ngcc_campaign.memory.elf import static_sizes
from ngcc_campaign.verify.verify import verify

ICCS = load_candidate(ROOT / "resources" / "candidates" / "iccs.yaml")
REHEARSAL = ("candidates=fips", "cross=aarch64")
needs_tools = pytest.mark.skipif(bool(lacking(USER_TOOLS)), reason=lacking(USER_TOOLS))


def read(path: Path) -> dict:
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def rehearsed(rehearsal) -> Path:
    """The results of the rehearsal."""
    (results,) = (rehearsal.path / "results").glob("*_emulated")
    return results


def machine(path: Path) -> str:
    with open(path, "rb") as stream:
        return ELFFile(stream)["e_machine"]


# What a configuration with cross=aarch64 means.


def test_a_rehearsal_is_a_system_of_its_own():
    loaded = settings.load({"system": "arm_1", "candidates": "fips", "cross": "aarch64"})
    assert loaded.results == Path("results/arm_1_aarch64_emulated")
    assert loaded.compiler == COMPILER and loaded.unfit_host == "allow" and loaded.system["cpu"] == "auto"
    own = settings.load_system("arm_1")
    assert loaded.system["expected"] == own["expected"] and loaded.system["plan"] == own["plan"]
    assert settings.load_system("arm_1_aarch64_emulated") == loaded.system
    assert settings.load({"system": loaded.system["id"], "candidates": "fips"}).system == loaded.system


@pytest.mark.parametrize("command", ["gcc-12", "aarch64-linux-gnu-gcc-12"])
def test_the_compiler_is_the_cross_compiler_of_the_same_name(command):
    loaded = settings.load({"system": "local", "candidates": "fips", "cross": "aarch64", "compiler": command})
    assert loaded.compiler == "aarch64-linux-gnu-gcc-12"


def test_no_rehearsal_on_the_real_thing(monkeypatch):
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(machine="aarch64"))
    with pytest.raises(Mistake, match="measure without cross"):
        emulator.check()


def test_what_is_to_be_installed_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(machine="x86_64"))
    with pytest.raises(Mistake, match="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"):
        emulator.check()
    facts = emulator.emulated({"architecture": "x86_64", "cpu_model": None})
    assert facts["virtual"].startswith("emulated by"), "stored evidence can be read all the same"


# The native programs.


@needs_tools
def test_units_hold_on_aarch64(tmp_path):
    configure = ["-S", ROOT / "native", "-B", tmp_path, "-G", "Ninja", f"-DCMAKE_C_COMPILER={COMPILER}"]
    configure += ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", "-DNGCC_WERROR=ON"]
    configure += [f"-DCMAKE_CROSSCOMPILING_EMULATOR={';'.join(emulator.EMULATOR)}"]
    for command in (["cmake", *configure], ["cmake", "--build", tmp_path], ["ctest", "--test-dir", tmp_path]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "100% tests passed" in done.stdout and machine(tmp_path / "tests" / "test_self") == "EM_AARCH64"


# A campaign, from sources to pages.


@needs_tools
def test_everything_is_there_and_passes(rehearsed):
    for stage, schema, count in (
        ("build/fips/*/build.json", "build", 2), ("kat/fips/*.json", "kat", 2), ("records/fips/*.json", "record", 16),
        ("memory/fips/*.json", "memory", 2), ("records/empty_call.json", "record", 1), ("host.json", "host", 1),
        ("bin/drivers.json", "drivers", 1),
    ):  # fmt: skip
        files = list(rehearsed.glob(stage))
        assert len(files) == count, stage
        for file in files:
            validate(read(file), schema, file)
    assert {read(path)["verdict"] for path in rehearsed.glob("kat/*/*.json")} == {"PASS"}
    assert {read(path)["status"] for path in rehearsed.glob("memory/*/*.json")} == {"MEASURED"}


@needs_tools
def test_records_have_no_cycles_and_say_why(rehearsed):
    for path in rehearsed.glob("records/**/*.json"):
        record = read(path)
        assert (record["status"], record["cycle_source"], record["reference_clock"]) == (
            "MEASURED",
            "none",
            "cntvct_el0",
        )
        assert (
            "ENOSYS" in record["cycle_source_reason"] and "the processor is emulated" in record["cycle_source_reason"]
        )
        assert record["environment"]["architecture"] == "aarch64" and record["canary"] is None
        layers = {name for name, layer in record["sandbox"].items() if layer}
        assert layers == {"mode", "no_new_privs"}, "what an emulator does not hand on is not said to be in force"
        assert record["files"]["driver_sha256"] == sha256_file(rehearsed / "bin" / "aarch64" / "ngcc_perf")
        for trial in record["trials"]:
            assert trial["core_clock"] is None and all(batch["cycles"] is None for batch in trial["batches"])
            assert trial["canaries_ns"] == [] and not trial["isolation"]["memory_locked"]


@needs_tools
def test_a_record_s_command_names_the_emulator_and_can_be_repeated(rehearsed, tmp_path):
    record = read(rehearsed / "records" / "fips" / "SHA-512__hash_128.json")
    command = record["command"]
    assert tuple(command[: len(emulator.EMULATOR)]) == emulator.EMULATOR
    command[command.index("--output") + 1] = str(tmp_path / "again.json")
    subprocess.run(command, cwd=rehearsed, check=True, timeout=60)
    again = read(tmp_path / "again.json")
    assert again["status"] == "MEASURED" and again["digest"] == record["digest"] and again["command"] == command


@needs_tools
def test_the_elf_figures_are_those_of_aarch64(rehearsed):
    for path in rehearsed.glob("memory/*/*.json"):
        document = read(path)
        library = rehearsed / document["library"]
        assert machine(library) == "EM_AARCH64"
        headers = subprocess.run(
            ["aarch64-linux-gnu-readelf", "-lW", library], capture_output=True, text=True, check=True
        ).stdout
        loads = re.findall(r"^ +LOAD +\S+ +\S+ +\S+ +\S+ +(0x[0-9a-f]+)", headers, re.MULTILINE)
        assert document["elf"]["load_bytes"] == sum(int(size, 16) for size in loads) > 2000
        assert document["elf"]["text_bytes"] % 4 == 0
        calls = [call for operation in document["operations"] for call in operation["call"]]
        assert calls and all(100 < call["stack_bytes"] < 100_000 and call["heap_peak_bytes"] == 0 for call in calls)


@needs_tools
def test_its_evidence_lies_apart_and_every_page_calls_it_emulated(rehearsed):
    assert rehearsed.name == "local_aarch64_emulated" and not (rehearsed.parent / "local").exists()
    facts = read(rehearsed / "host.json")["facts"]
    assert facts["architecture"] == "aarch64" and facts["virtual"].startswith("emulated by qemu-aarch64 ")
    pages = {page.stem: page.read_text() for page in (rehearsed / "report").glob("*.md")}
    assert all("emulated" in text for text in pages.values())
    for name in ("index", "method", "fips"):
        assert "Emulated: no figure here is a measurement." in pages[name], name
        assert f"virtual machine: expected none, found {facts['virtual']}" in pages[name], name


@needs_tools
def test_a_second_run_has_nothing_to_do(rehearsal):
    run = rehearsal.run(config=REHEARSAL)
    assert run.status == 0 and "Nothing to be done" in run, run.output


# The other bundled submission: each instance builds, each kind of instance passes.


@pytest.fixture(scope="module")
def built(rehearsed, tmp_path_factory):
    """built(instance) builds an instance of iccs in a copy of the rehearsal; gives build.json's path."""
    results = tmp_path_factory.mktemp("iccs") / "results" / "copy"
    shutil.copytree(rehearsed / "bin", results / "bin")
    fetched = results / "fetch" / "iccs.json"
    folders = {"archives": None, "sources": results / "sources", "downloads": results / "downloads"}
    fetch(ICCS, **folders, output=fetched, made_from={})

    def made(instance) -> Path:
        output = results / "build" / "iccs" / instance.name / "build.json"
        if not output.exists():
            where = {"sources": ICCS.archive.path, "fetched": fetched, "output": output}
            here = os.getcwd()
            os.chdir(results.parents[1])
            try:
                build(instance, **where, compiler_command=COMPILER, made_from={})
            finally:
                os.chdir(here)
        return output

    return made


@needs_tools
@pytest.mark.parametrize("instance", ICCS.instances, ids=lambda instance: instance.name)
def test_every_library_builds(built, instance):
    output = built(instance)
    document = read(output)
    validate(document, "build", output)
    assert "aarch64-linux-gnu" in document["compiler"]
    for variant in document["variants"]:
        library = output.parents[3] / variant["library"]
        assert variant["built"] and machine(library) == "EM_AARCH64"
        assert 1000 < static_sizes(library)["load_bytes"] < 200_000


@needs_tools
@pytest.mark.parametrize("name", ["sm3hash-256", "pseudohash-512", "pseudoXOF-768"])
def test_known_answers(built, name):
    instance = ICCS.instance(name)
    results = built(instance).parents[3]
    verdict = verify(
        ICCS, instance, level="quick", seconds=120, archives=None, results=results, built=built(instance),
        output=results / "kat" / "iccs" / f"{name}.json", made_from={},
    )  # fmt: skip
    assert verdict["verdict"] == "PASS", verdict["reason"]
