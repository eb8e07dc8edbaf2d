"""Stage verify around its driver; a stand-in script ends in the driver's place."""

import json
import sys

import pytest
import yaml

from evidence import SANDBOX, digest
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES, load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import read_json, sha256_text
from ngcc_campaign.verify import katdriver
from ngcc_campaign.verify import verify as stage

LIBRARY = "build/zoo/h-256/guide/libh-256.so"
ANSWER = sha256_text("answer")


class Campaign:
    """A results folder with one built instance, and a driver made of Python lines."""

    def __init__(self, folder):
        self.results = folder / "results" / "local"
        tree = folder / "tree" / "h"
        tree.mkdir(parents=True)
        (tree / "KAT_2_12_h-256.txt").write_text("Msg_Len = 0\nDst = 00\n")
        self.manifest = folder / "zoo.sha256"
        self.expect(ANSWER)
        instance = {"name": "h-256", "digest_bits": 256, "directory": "h"}
        document = {"id": "zoo", "algorithm": "Zoo", "archive": {"path": "tree"}, "kat": self.manifest.name}
        (folder / "zoo.yaml").write_text(yaml.safe_dump(document | {"instances": [instance]}))
        self.candidate = load_candidate(folder / "zoo.yaml")
        variant = {"flags": "guide", "built": True, "library": LIBRARY, "library_sha256": sha256_text("library")}
        self.built = self.results / "build/zoo/h-256/build.json"
        self.built.parent.mkdir(parents=True)
        self.built.write_text(json.dumps({"variants": [variant]}))

    def expect(self, digest: str):
        self.manifest.write_text(f"{digest} strict KAT_2_12_h-256.txt\n{digest} strict KAT_2_23_h-256.txt\n")

    def driver(self, *lines: str):
        """Make the driver a Python script of these lines; `file` is what it is asked for, "" with messages."""
        program = self.results / "bin/ngcc_kat"
        program.parent.mkdir(exist_ok=True)
        head = ["import json, os, sys", "file = dict(zip(sys.argv, sys.argv[1:])).get('--file', '')"]
        program.write_text("\n".join([f"#!{sys.executable}", *head, *lines]))
        program.chmod(0o755)

    def run(self) -> dict:
        output = self.results / "kat/zoo/h-256.json"
        document = stage.verify(
            self.candidate, self.candidate.instances[0], level="quick", seconds=0.1, archives=None,
            results=self.results, built=self.built, output=output, made_from={},
        )  # fmt: skip
        assert read_json(output) == document
        return document


DONE = {"outcome": "DONE", "digest": digest(256), "reason": ""}


def answer(messages: dict | None = None, sizes=MESSAGE_BYTES, **members) -> str:
    """A line that prints the driver's document; `messages` is what becomes of each message, by its length."""
    entry = {"outcome": "DONE", "records": 2, "sha256": ANSWER, "reason": "", "failed_record": None} | members
    document = {"schema": "ngcc-perf/kat-run", "version": 3, "instance": "h-256", "digest_bits": 256}
    document |= {"library_sha256": ANSWER, "sandbox": SANDBOX, "files": [{"file": "FILE"} | entry], "messages": []}
    answers = [{"message_bytes": size} | DONE | (messages or {}).get(size, {}) for size in sizes]
    of_messages = json.dumps(document | {"files": [], "messages": answers})
    return f"print({json.dumps(document)!r}.replace('FILE', f'KAT_{{file}}_h-256.txt') if file else {of_messages!r})"


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    monkeypatch.setattr(katdriver, "SUPERVISOR_SECONDS", 0.5)
    return Campaign(tmp_path)


def test_a_driver_that_answers(campaign):
    campaign.driver(answer())
    document = campaign.run()
    assert (document["verdict"], document["reason"], document["retry"]) == ("PASS", "", False)
    assert document["sandbox"] == SANDBOX
    assert document["messages"] == [{"message_bytes": size} | DONE for size in MESSAGE_BYTES]
    log = (campaign.results / document["log"]).read_text(encoding="utf-8")
    assert f"message of 65536 bytes: {digest(256)}\n" in log


FAILED = {"outcome": "TIMEOUT", "digest": None, "reason": "ran longer than 0.1 s"}


MEMORY = ", as the kernel does where memory is short"


@pytest.mark.parametrize(
    ("line", "verdict", "reason", "retry"),
    [
        (answer({128: FAILED}), "TIMEOUT", "message of 128 bytes: ran longer than 0.1 s", False),
        (answer({32: FAILED | {"outcome": "KILLED"}}), "CRASH", "message of 32 bytes: ran longer than 0.1 s", True),
        (answer({32: {"digest": "AB"}}), "ERROR", "message of 32 bytes: ngcc_kat printed no valid document", False),
        (answer(sizes=(32,)), "ERROR", "message of 32 bytes: ngcc_kat printed no valid document", False),
        (
            f"if not file: os.kill(os.getpid(), 9)\n{answer()}",
            "CRASH",
            "message of 32 bytes: ngcc_kat itself was ended by signal 9 while the library ran" + MEMORY,
            True,
        ),
    ],
    ids=["TIMEOUT", "KILLED", "width", "too few", "driver"],
)
def test_a_timed_message_without_an_answer_is_a_verdict(campaign, line, verdict, reason, retry):
    campaign.driver(line)
    document = campaign.run()
    assert (document["verdict"], document["reason"], document["retry"]) == (verdict, reason, retry)
    assert not document["timed"] and len(document["messages"]) == len(MESSAGE_BYTES)


def test_a_library_that_is_not_timed_is_not_asked_for_timed_messages(campaign):
    campaign.driver(answer(outcome="CRASH", sha256=None, reason="it died"))
    assert campaign.run()["messages"] == []


@pytest.mark.parametrize(
    ("line", "verdict", "reason", "retry"),
    [
        ("os.kill(os.getpid(), 9)", "CRASH", "itself was ended by signal 9 while the library ran" + MEMORY, True),
        ("os.kill(os.getpid(), 15)", "CRASH", "itself was ended by signal 15 while the library ran", False),
        ("os.kill(os.getpid(), 11)", "CRASH", "itself was ended by signal 11 while the library ran", False),
        ("os.kill(os.getpid(), 19)", "TIMEOUT", "itself was not done after 0.7 s", False),
        ("", "ERROR", "printed no valid document", False),
        ("print('{\"schema\": ')", "ERROR", "printed no valid document", False),
        ("print('[' * 5000)", "ERROR", "printed no valid document", False),
        ("print('[]')", "ERROR", "printed no valid document", False),
        (answer(records=True), "ERROR", "printed no valid document", False),
        (f"file = 'Loop'\n{answer()}", "ERROR", "printed no valid document", False),
    ],
    ids=["SIGKILL", "SIGTERM", "SIGSEGV", "SIGSTOP", "nothing", "cut off", "deep", "list", "yes for 1", "other file"],
)
def test_a_driver_that_a_library_brings_down_is_a_verdict(campaign, line, verdict, reason, retry):
    campaign.driver(line)
    document = campaign.run()
    assert (document["verdict"], document["retry"], document["timed"]) == (verdict, retry, False)
    assert document["reason"] == f"KAT_2_12_h-256.txt: ngcc_kat {reason}"


def test_a_driver_that_comes_down_while_a_difference_is_looked_for(campaign):
    campaign.expect(sha256_text("another answer"))
    campaign.driver("if '--text' in sys.argv: os.kill(os.getpid(), 9)", answer())
    document = campaign.run()
    assert document["verdict"] == "MISMATCH"
    assert "its text could not be computed again: ngcc_kat itself was ended by signal 9" in document["reason"]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["print('no memory left', file=sys.stderr)", "sys.exit(1)"], "zoo/h-256: ngcc_kat failed: no memory left"),
        (["sys.exit(4)"], "ngcc_kat failed: exit status 4"),
        (None, "bin/ngcc_kat: not there; make it with `ngcc-campaign drivers`"),
    ],
)
def test_a_driver_that_cannot_work_is_a_mistake(campaign, lines, sentence):
    if lines is not None:
        campaign.driver(*lines)
    with pytest.raises(Mistake, match=sentence):
        campaign.run()
