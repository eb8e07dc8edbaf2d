"""What candidate code is kept from, through each of the drivers; and that evidence says what kept it."""

import json
import platform
import subprocess
from pathlib import Path

import pytest

from misdeeds import FREE
from ngcc_campaign.build.drivers import check_sandbox
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.schemas import validate
from perf import QUICK

DRIVERS = {
    "kat": ("kat_run", "--instance", "x", "--file", "2_12"),
    "perf": ("record", "--bytes", 64, *QUICK),
    "memory": ("memory_run", "--bytes", 64, "--processes", 1),
}
# By which system call a layer is entered.
ENTRIES = {
    "x86_64": {"namespaces": 272, "landlock": 444, "seccomp": 317},
    "aarch64": {"namespaces": 97, "landlock": 444, "seccomp": 277},
}[platform.machine()]
RESERVE = "mmap(0, 1L << 32, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)"
CONNECT = (
    "struct sockaddr_in to = {AF_INET, htons(9)}; if (!connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to,"
    " sizeof to)) return 4"
)


@pytest.fixture(scope="module")
def deed(zoo):
    """deed(statements) -> a library that does that in every call."""

    def compiled(statements: str) -> Path:
        headers = ("netinet/in.h", "sys/mman.h", "pthread.h")
        return zoo("deed", "-w", *(f"-include{header}" for header in headers), f"-DDEED={statements}")

    return compiled


@pytest.fixture(scope="module")
def start(native):
    """start(driver, library, *options) -> the driver, come to its end."""

    def command(driver: str, library: Path, *options, before=()) -> subprocess.CompletedProcess:
        words = [*before, native / f"ngcc_{driver}", "--library", library, "--digest-bits", 256]
        words += [*DRIVERS[driver][1:], *options]
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=60)

    return command


@pytest.fixture(scope="module")
def run(start):
    """run(driver, library, *options) -> (outcome, reason, sandbox) of what the driver saw."""

    def command(driver: str, *words, **keys) -> tuple[str, str, dict]:
        document = json.loads(start(driver, *words, **keys).stdout)
        validate(document, DRIVERS[driver][0], driver)
        if driver == "perf":
            return document["status"].replace("MEASURED", "DONE"), document["reason"], document["sandbox"]
        (entry,) = document["files" if driver == "kat" else "operations"]
        return entry["outcome"], entry["reason"], document["sandbox"]

    return command


@pytest.fixture(scope="module")
def layers(run, deed) -> dict:
    """What this host gives."""
    return run("memory", deed(""))[2]


@pytest.fixture(scope="module")
def lacks(tmp_path_factory) -> Path:
    """A program that runs another as on a kernel that lacks a system call."""
    program = tmp_path_factory.mktemp("lacks") / "lacks"
    subprocess.run(["gcc", "-o", program, Path(__file__).parent / "zoo" / "lacks.c"], check=True)
    return program


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_hash_that_only_computes_notices_nothing(run, start, deed, layers, driver):
    assert run(driver, deed("")) == ("DONE", "", layers)
    assert run(driver, deed(""), *FREE)[2] == dict.fromkeys(layers, False) | {"mode": "off", "landlock": 0}
    required = start(driver, deed(""), "--sandbox", "require")
    assert required.returncode == (0 if all(layers.values()) else 1), required.stderr


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    ("statements", "call"),
    [
        ("fork()", "clone"),
        ("system(\"true\")", "clone"),
        ("pthread_t t; pthread_create(&t, 0, (void *)abort, 0)", "clone"),
        (CONNECT, "socket"),
        ("kill(getppid(), 0)", "kill"),
        ('fopen("VICTIM", "w")', "openat for writing"),
        ("mmap(0, 9, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)", "mmap for executable memory"),
        ("signal(SIGSEGV, SIG_IGN)", "rt_sigaction for SIGSYS, SIGSEGV or SIGBUS"),
    ],
    ids=["process", "command", "thread", "network", "signal", "file", "machine-code", "fault"],
)  # fmt: skip
def test_a_forbidden_call_is_named(run, deed, layers, tmp_path, driver, statements, call):
    if not layers["seccomp"]:
        pytest.skip("no seccomp here")
    victim = tmp_path / "victim"
    victim.write_text("whole")
    outcome, reason, _ = run(driver, deed(statements.replace("VICTIM", str(victim))))
    assert (outcome, reason.startswith(f"called {call}, which is forbidden during ")) == ("FORBIDDEN", True), reason
    assert victim.read_text() == "whole"


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    ("layer", "statements"),
    [("landlock", 'if (open("VICTIM", O_RDONLY) >= 0) return 4'), ("limits", f"if ({RESERVE} != MAP_FAILED) return 4")],
    ids=["reads", "memory"],
)
def test_what_is_refused_has_no_verdict_of_its_own(run, deed, layers, tmp_path, driver, layer, statements):
    if not layers[layer]:
        pytest.skip(f"no {layer} here")
    (tmp_path / "victim").write_text("secret")
    library = deed(statements.replace("VICTIM", str(tmp_path / "victim")))
    assert run(driver, library)[0] == "DONE"
    outcome, reason, _ = run(driver, library, *FREE)
    assert outcome == "ERROR" and reason.startswith("returned 4 during ")


@pytest.mark.parametrize("layer", ENTRIES)
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_host_that_lacks_a_layer_is_told_of(run, start, deed, layers, lacks, driver, layer):
    before = (lacks, ENTRIES[layer])
    outcome, _, found = run(driver, deed(""), before=before)
    assert (outcome, found) == ("DONE", layers | {layer: 0 if layer == "landlock" else False})
    required = start(driver, deed(""), "--sandbox", "require", before=before)
    sentence = f"ngcc_{driver}: --sandbox require: the sandbox's layer {layer} can't be had here, and all are required"
    assert (required.returncode, required.stdout) == (1, "") and required.stderr.startswith(sentence)
    assert required.stderr.count("\n") == 1


def test_a_campaign_that_requires_all_layers_stops_before_its_work(native, lacks, tmp_path):
    (tmp_path / "libempty.so").symlink_to(native / "libempty.so")
    program = tmp_path / "ngcc_kat"
    program.write_text(f'#!/bin/sh\nexec {lacks} {ENTRIES["landlock"]} {native / "ngcc_kat"} "$@"\n')
    program.chmod(0o755)
    with pytest.raises(Mistake, match="--sandbox require: the sandbox's layer landlock can't be had here"):
        check_sandbox(tmp_path)
