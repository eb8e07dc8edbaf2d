"""Stage memory around its driver; a stand-in script answers in the driver's place."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from evidence import SANDBOX
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import read_json, sha256_file
from ngcc_campaign.memory import memory as stage
from ngcc_campaign.memory.memory import memory

LIBRARY = "build/zoo/h-256/guide/libh-256.so"
VERDICT = {
    "schema": "ngcc-perf/kat",
    "version": 3,
    "made_from": {},
    "retry": False,
    "candidate": "zoo",
    "instance": "h-256",
    "digest_bits": 256,
    "verdict": "PASS",
    "reason": "",
    "flags": "guide",
    "library": LIBRARY,
    "timed": True,
    "timed_reason": "",
    "kat_exception": None,
    "level": "quick",
    "sandbox": SANDBOX,
    "manifest_sha256": None,
    "files": [],
    "messages": [],
    "attempts": [],
    "log": "kat/zoo/h-256.log",
    "started_utc": "2026-01-01T00:00:00Z",
    "ended_utc": "2026-01-01T00:00:01Z",
    "log_sha256": None,
}
DONE = {
    "outcome": "DONE",
    "reason": "",
    "rss": [{"calls": 4, "baseline_kib": 1400, "peak_kib": 1440}],
    "call": [{"stack_bytes": 10240, "heap_peak_bytes": 300016, "heap_live_bytes": [0, 0, 0, 0]}],
}

# 10,000 bytes of stack and 300,000 of heap, given back.
APPETITE = """
#include <stdlib.h>
#include <string.h>
int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)
{
    volatile unsigned char stack[10000];
    unsigned char *heap = malloc(300000);
    for (int i = 0; i < 10000; i++)
        stack[i] = msg[0] + length;
    memset(heap, stack[77], 300000);
    memset(digest, heap[99], bits / 8);
    free(heap);
    return 0;
}
"""


class Campaign:
    """A results folder with one built instance, its verdict, and a driver made of Python lines."""

    def __init__(self, folder):
        self.results = folder / "results"
        self.library = self.results / LIBRARY
        self.library.parent.mkdir(parents=True)
        self.output = self.results / "memory/zoo/h-256.json"
        self.build(APPETITE)

    def build(self, source: str):
        command = ["gcc", "-shared", "-fPIC", "-xc", "-", "-o", self.library]
        subprocess.run(command, input=source, text=True, check=True)
        self.verdict()

    def verdict(self, **members):
        path = self.results / "kat/zoo/h-256.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(VERDICT | {"library_sha256": sha256_file(self.library)} | members))

    def driver(self, *lines: str):
        """Make the driver a Python script of these lines."""
        program = self.results / "bin/ngcc_memory"
        program.parent.mkdir(exist_ok=True)
        program.write_text("\n".join([f"#!{sys.executable}", "import os, sys, time", *lines]))
        program.chmod(0o755)

    def answer(self, *outcomes: dict, **members):
        """Let the driver print a document with one operation an outcome."""
        operations = [
            {"operation": f"hash_{size}", "message_bytes": size} | outcome
            for size, outcome in zip((32, 1024), outcomes, strict=False)
        ]
        document = {
            "schema": "ngcc-perf/memory-run",
            "version": 2,
            "library_sha256": sha256_file(self.library),
            "digest_bits": 256,
            "sandbox": SANDBOX,
            "operations": operations,
        }
        self.driver(f"print({json.dumps(document | members)!r})")

    def run(self) -> dict:
        made_from = {"driver": "d", "machine": "m"}
        document = memory(self.results, self.results / "kat/zoo/h-256.json", self.output, made_from, (32, 1024))
        assert read_json(self.output) == document
        assert document["made_from"] == made_from
        return document


@pytest.fixture
def campaign(tmp_path):
    return Campaign(tmp_path)


def test_what_the_driver_saw_is_kept_as_it_is(campaign):
    campaign.answer(DONE, DONE)
    document = campaign.run()
    assert (document["status"], document["reason"], document["retry"]) == ("MEASURED", "", False)
    assert [operation["operation"] for operation in document["operations"]] == ["hash_32", "hash_1024"]
    assert document["operations"][1] == {"operation": "hash_1024", "message_bytes": 1024} | DONE
    assert document["elf"]["load_bytes"] > 0 and document["sandbox"] == SANDBOX


def test_the_command_holds_no_machine_path(campaign):
    campaign.answer(DONE, DONE)
    document = campaign.run()
    lengths, rest = ["--bytes", "32", "--bytes", "1024"], ["--sandbox", "best"]
    assert document["command"] == ["bin/ngcc_memory", "--library", LIBRARY, "--digest-bits", "256", *lengths, *rest]
    assert str(campaign.results) not in json.dumps(document)


def test_the_driver_runs_in_the_results_folder(campaign):
    campaign.driver("print(os.getcwd(), sys.argv[1:], file=sys.stderr)", "sys.exit(2)")
    with pytest.raises(Mistake) as mistake:
        campaign.run()
    assert f"{campaign.results} ['--library', '{LIBRARY}', '--digest-bits', '256'" in str(mistake.value)


@pytest.mark.parametrize("outcome", ["ERROR", "CRASH", "TIMEOUT", "KILLED"])
def test_one_operation_that_fails_leaves_the_others(campaign, outcome):
    campaign.answer(DONE, {"outcome": outcome, "reason": "because", "rss": [], "call": []})
    document = campaign.run()
    assert document["status"] == "MEASURED"
    assert document["operations"][1]["outcome"] == outcome
    assert document["retry"] is (outcome == "KILLED")


@pytest.mark.parametrize("outcome", ["ERROR", "CRASH", "TIMEOUT", "KILLED"])
def test_where_none_succeeds_the_first_outcome_is_the_status(campaign, outcome):
    failed = {"outcome": outcome, "reason": "signal 11 (SIGSEGV)", "rss": [], "call": []}
    campaign.answer(failed, failed | {"outcome": "ERROR"})
    document = campaign.run()
    assert (document["status"], document["reason"]) == (outcome, "signal 11 (SIGSEGV)")
    assert document["retry"] is (outcome == "KILLED")


def test_an_instance_that_is_not_timed_is_not_run(campaign):
    campaign.driver("open('ran', 'w')")
    campaign.verdict(verdict="MISMATCH", timed=False, timed_reason="KAT verdict MISMATCH: record 3 differs")
    document = campaign.run()
    assert (document["status"], document["reason"]) == ("REFUSED", "KAT verdict MISMATCH: record 3 differs")
    assert document["elf"]["load_bytes"] > 0
    assert (document["command"], document["operations"]) == ([], [])
    assert not (campaign.results / "ran").exists()


def test_an_instance_that_was_not_built(campaign):
    absent = {"library": None, "library_sha256": None, "flags": None}
    campaign.verdict(verdict="BUILDFAIL", timed=False, timed_reason="BUILDFAIL: it does not compile", **absent)
    document = campaign.run()
    assert (document["status"], document["elf"], document["library"]) == ("REFUSED", None, None)


def test_a_library_without_readable_headers_is_an_error_and_not_run(campaign):
    campaign.driver("open('ran', 'w')")
    campaign.library.write_bytes(campaign.library.read_bytes()[:64])
    campaign.verdict()
    document = campaign.run()
    assert document["status"] == "ERROR"
    assert "cut off" in document["reason"]
    assert not (campaign.results / "ran").exists()


def test_a_driver_that_hangs_is_stopped(campaign, monkeypatch):
    monkeypatch.setattr(stage, "SECONDS", 0.5)
    campaign.driver("time.sleep(600)")
    document = campaign.run()
    assert (document["status"], document["reason"]) == ("TIMEOUT", "ngcc_memory itself was not done after 0.5 s")


@pytest.mark.parametrize(
    "lines, message",
    [
        (["print('no memory left', file=sys.stderr)", "sys.exit(1)"], "zoo/h-256: ngcc_memory failed: no memory left"),
        (["sys.exit(4)"], "ngcc_memory failed: exit status 4"),
    ],
)
def test_a_driver_that_fails_leaves_nothing(campaign, lines, message):
    campaign.driver(*lines)
    with pytest.raises(Mistake, match=message):
        campaign.run()
    assert not campaign.output.exists()


MEMORY = ", as the kernel does where memory is short"


@pytest.mark.parametrize("number, status, why", [(9, "KILLED", MEMORY), (15, "CRASH", ""), (11, "CRASH", "")])
def test_a_driver_that_the_library_kills_crashed(campaign, number, status, why):
    campaign.driver(f"os.kill(os.getpid(), {number})")
    document = campaign.run()
    reason = f"ngcc_memory itself was ended by signal {number} while the library ran{why}"
    assert (document["status"], document["reason"]) == (status, reason)
    assert document["retry"] == (number == 9)


def test_a_driver_that_the_library_stops_timed_out(campaign, monkeypatch):
    monkeypatch.setattr(stage, "SECONDS", 0.5)
    campaign.driver("os.kill(os.getpid(), 19)")
    assert campaign.run()["status"] == "TIMEOUT"


@pytest.mark.parametrize("text", ['{"schema": ', '{"schema": NaN}', "[]", "", "[" * 5000])
def test_a_driver_that_prints_no_document_is_an_error(campaign, text):
    campaign.driver(f"print({text!r})")
    document = campaign.run()
    assert (document["status"], document["reason"]) == ("ERROR", "ngcc_memory printed no valid document")


def test_answers_about_other_lengths_are_refused(campaign):
    campaign.answer(DONE)
    with pytest.raises(Mistake, match="did not answer for the message lengths 32, 1024"):
        campaign.run()


def test_answers_about_another_library_are_refused(campaign):
    campaign.answer(DONE, DONE, library_sha256="0" * 64)
    with pytest.raises(Mistake, match="another library"):
        campaign.run()


def test_a_library_that_changed_since_its_verdict_is_a_mistake(campaign):
    with open(campaign.library, "ab") as stream:
        stream.write(b"more")
    with pytest.raises(Mistake, match="changed since its KAT verdict"):
        campaign.run()


def test_a_library_that_is_gone_is_a_mistake(campaign):
    os.unlink(campaign.library)
    with pytest.raises(Mistake, match=r"libh-256\.so: No such file"):
        campaign.run()


def test_a_driver_that_is_not_there_is_a_mistake(campaign):
    with pytest.raises(Mistake, match="bin/ngcc_memory: cannot be run"):
        campaign.run()


def test_the_driver_itself_sees_the_appetite_within_a_page(campaign, native):
    shutil.copytree(native, campaign.results / "bin")
    document = campaign.run()
    assert document["status"] == "MEASURED"
    for operation in document["operations"]:
        assert operation["outcome"] == "DONE"
        for process in operation["call"]:
            assert 10_000 <= process["stack_bytes"] <= 14_096
            assert 300_000 <= process["heap_peak_bytes"] <= 304_096
            assert set(process["heap_live_bytes"]) == {0}
        for process in operation["rss"]:
            assert 500 < process["baseline_kib"] <= process["peak_kib"] < 20_000


def test_the_driver_itself_survives_a_crash(campaign, native):
    shutil.copytree(native, campaign.results / "bin")
    campaign.build("void abort(void); int CryptHash(void) { abort(); }")
    document = campaign.run()
    assert (document["status"], document["retry"]) == ("CRASH", False)
    assert "SIGABRT" in document["reason"]
