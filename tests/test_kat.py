"""ngcc_kat: texts as the independent model has them, and a verdict for everything a library can do."""

import functools
import json
import os
import resource
import subprocess

import pytest

from misdeeds import FREE, leave_a_daemon, lives, overwrite_shared
from model import kat as model
from ngcc_campaign.common.schemas import validate

INSTANCE = "Trivial_Hash-1"
FILES = {"2_12": "KAT_2_12", "2_23": "KAT_2_23", "2_33": "KAT_2_33", "loop": "KAT_Loop"}


@functools.cache
def mask(bits: int, width: int) -> int:
    """What the trivial hash adds to a message of this length."""
    return int.from_bytes(bytes((bits + 7 * i) & 0xFF for i in range(width)), "big")


def trivial(width: int):
    """The model of zoo/kat_trivial.c."""

    def function(message) -> bytes:
        head = int.from_bytes(bytes(message.data[:width]).ljust(width, b"\0"), "big")
        return (head ^ mask(message.length, width)).to_bytes(width, "big")

    return function


@pytest.fixture(scope="session")
def run(native):
    """run(library, *options) -> ngcc_kat's document, checked against its schema."""

    def command(library, *options, bits=256, **keywords) -> dict:
        arguments = [native / "ngcc_kat", "--library", library, "--instance", INSTANCE, "--digest-bits", bits, *options]
        completed = subprocess.run([str(part) for part in arguments], capture_output=True, check=True, **keywords)
        assert completed.stderr == b""
        document = json.loads(completed.stdout)
        validate(document, "kat_run", "ngcc_kat")
        return document

    return command


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU only")
def test_an_answer_that_depends_on_the_cpu(run, zoo):
    """The second process runs on other CPUs than the first."""
    (entry,) = run(zoo("lie_by_cpu"), "--file", "2_12")["files"]
    assert entry["outcome"] == "UNSTABLE" and "when record 1 (0 bits) was asked again" in entry["reason"]


@pytest.mark.parametrize("bits", [8, 256, 1160, 8200])
@pytest.mark.parametrize("name", ["2_12", "2_23"])
def test_text_and_digest_are_the_model_s(run, zoo, tmp_path, name, bits):
    (entry,) = run(zoo("kat_trivial"), "--file", name, "--text", tmp_path, bits=bits)["files"]
    expected = model.text(FILES[name], bits, trivial(bits // 8))
    file = tmp_path / f"{FILES[name]}_{INSTANCE}.txt"
    assert file.read_text() == expected
    assert [entry.name for entry in tmp_path.iterdir()] == [file.name]
    assert entry == {
        "file": file.name,
        "outcome": "DONE",
        "records": expected.count("Msg_Len"),
        "sha256": model.canonical_digest(expected),
        "reason": "",
        "failed_record": None,
    }


def test_loop_is_the_model_s(run, zoo):
    (entry,) = run(zoo("kat_trivial"), "--file", "loop", bits=512)["files"]
    assert entry["sha256"] == model.canonical_digest(model.text("KAT_Loop", 512, trivial(64)))


@pytest.mark.parametrize(("bits", "sizes"), [(512, [2_804_822, 815])])
def test_texts_have_the_known_sizes(run, zoo, tmp_path, bits, sizes):
    run(zoo("kat_trivial"), "--text", tmp_path, bits=bits)
    assert [file.stat().st_size for file in sorted(tmp_path.iterdir())] == sizes


def test_default_is_2_12_and_2_23_and_the_order_is_fixed(run, zoo):
    library = zoo("kat_trivial", "-DDEED=return 1")
    assert [entry["file"][4:8] for entry in run(library)["files"]] == ["2_12", "2_23"]
    options = ("--file", "loop", "--file", "2_23", "--file", "loop")
    assert [entry["file"][4:8] for entry in run(library, *options)["files"]] == ["2_23", "Loop"]


# What the library does in a call, in C; the outcome, the record named (None: not said), words of the reason. More of it
# in test_zoo.py.
DEEDS = {
    "returns non-zero": ("if (bits == 11) return 7", "ERROR", 12, "returned 7 during record 12 (11 bits)"),
    "follows a null pointer": ("if (bits == 100) *(volatile char *)0 = 1", "CRASH", 101, "signal 11 (SIGSEGV)"),
    "calls exit": ("if (bits == 20) exit(0)", "CRASH", 21, "called exit(0) during record 21 (20 bits)"),
    "never returns": ("for (; bits == 5;) pause()", "TIMEOUT", 6, "ran longer than 0.5 s, last during record 6"),
    "writes behind": ("if (bits == 5) digest[width] ^= 1", "OVERFLOW", 6, "wrote behind its digest during record 6"),
    "writes before": ("if (bits == 5) digest[-200] ^= 1", "OVERFLOW", 6, "wrote before its digest during record 6"),
    "changes its message": ("if (bits == 16) ((char *)message)[0] = 1", "CRASH", 17, "wrote to its message"),
    "counts its calls": ("static int calls; length ^= calls++ & 64", "UNSTABLE", None, "answered otherwise"),
    "depends on the process": ("length += getpid()", "UNSTABLE", 1, "when record 1 (0 bits) was asked again"),
    "answers nothing": ("return 0", "UNSTABLE", 1, "wrote only 0 of the digest's 32 bytes"),
    "fails when asked again": ("if ((size_t)message % 2) return 3", "ERROR", 1, "asked again at an odd address"),
}


@pytest.mark.parametrize(("deed", "outcome", "record", "words"), DEEDS.values(), ids=DEEDS)
def test_misdeed_is_named(run, zoo, tmp_path, deed, outcome, record, words):
    library = zoo("kat_trivial", "-w", f"-DDEED={deed}")
    (entry,) = run(library, "--file", "2_12", "--seconds", 0.5, "--text", tmp_path)["files"]
    assert (entry["outcome"], entry["sha256"]) == (outcome, None)
    assert words in entry["reason"]
    assert record is None or entry["failed_record"] == {"record": record, "message_bits": record - 1}
    assert list(tmp_path.iterdir()) == []


def test_killed_from_outside(run, zoo):
    (entry,) = run(zoo("kat_trivial", "-DDEED=if (bits == 3) raise(SIGKILL)"), "--file", "2_12", *FREE)["files"]
    reason = "killed from outside, as the kernel does where memory is short, during record 4 (3 bits)"
    assert (entry["outcome"], entry["reason"]) == ("KILLED", reason)


@pytest.mark.parametrize("word", [0, 7], ids=["zeroes", "killed"])
def test_a_forged_report_is_a_crash(run, zoo, word):
    """KILLED would be tried again for ever."""
    (entry,) = run(zoo("kat_trivial", "-w", f"-DDEED={overwrite_shared(word)}"), "--file", "2_12", *FREE)["files"]
    assert entry["outcome"] == "CRASH" and "called exit(0)" in entry["reason"]


@pytest.mark.parametrize(
    ("deed", "outcome", "words"),
    [
        pytest.param("abort()", "CRASH", "signal 6 (SIGABRT) while the library was loaded", id="aborts"),
        pytest.param("pause()", "TIMEOUT", "ran longer than 0.3 s, last while the library was loaded", id="waits"),
    ],
)
def test_misdeed_while_loaded_is_named(run, zoo, deed, outcome, words):
    (entry,) = run(zoo("kat_trivial", f"-DON_LOAD={deed}"), "--file", "2_23", "--seconds", 0.3)["files"]
    assert (entry["outcome"], entry["reason"], entry["records"]) == (outcome, words, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(["-DCryptHash=Hash"], "does not define CryptHash", id="no CryptHash"),
        pytest.param(["-DDEED=extern int absent(void); absent()"], "undefined symbol: absent", id="unresolved"),
    ],
)
def test_library_that_cannot_be_loaded_is_an_error_in_the_loader_s_words(run, zoo, options, words):
    entries = run(zoo("kat_trivial", *options))["files"]
    assert [entry["outcome"] for entry in entries] == ["ERROR", "ERROR"]
    assert all(words in entry["reason"] for entry in entries)


@pytest.mark.parametrize("name", ["2_23", "2_33", "loop"])
def test_every_file_names_its_record(run, zoo, name):
    entry = run(zoo("kat_trivial", "-DDEED=if (message[0] != 0) return -1"), "--file", name)["files"][0]
    record, bits = (1, 8192) if name == "loop" else (2, 1 << int(name[2:]))
    assert (entry["outcome"], entry["failed_record"]) == ("ERROR", {"record": record, "message_bits": bits})
    assert entry["records"] == record - 1
    assert entry["reason"].startswith(f"returned -1 during record {record} ({bits} bits)")


def test_loop_names_its_iteration(run, zoo):
    library = zoo("kat_trivial", "-DDEED=static int calls; if (calls++ == 1234) abort()")
    (entry,) = run(library, "--file", "loop")["files"]
    assert entry["reason"] == "signal 6 (SIGABRT) during record 1 (8192 bits), iteration 1234"


def test_one_file_s_failure_leaves_the_others(run, zoo):
    entries = run(zoo("kat_trivial", "-DDEED=if (bits == 4096) return 1"))["files"]
    assert [entry["outcome"] for entry in entries] == ["ERROR", "DONE"]


@pytest.mark.parametrize("stack", [4 << 20, "bytes + 1"], ids=["4 MB array", "array of the message's length"])
def test_large_frames_are_possible(run, zoo, stack):
    deed = f"volatile char frame[{stack}]; frame[0] = frame[sizeof frame - 1] = 0"
    assert {entry["outcome"] for entry in run(zoo("kat_trivial", f"-DDEED={deed}"))["files"]} == {"DONE"}


def test_what_the_library_prints_goes_nowhere(run, zoo):
    deed = 'puts("noise"); fputs("noise", stderr); write(1, "noise", 5); write(2, "noise", 5)'
    assert run(zoo("kat_trivial", "-w", f"-DDEED={deed}"))["files"][0]["outcome"] == "DONE"


def test_time_limit_ends_the_library_s_own_children_too(run, zoo, tmp_path):
    pids = tmp_path / "pids"
    deed = f'if (fork() >= 0) {{ FILE *f = fopen("{pids}", "a"); fprintf(f, "%d ", getpid()); fclose(f); pause(); }}'
    (entry,) = run(zoo("kat_trivial", f"-DDEED={deed}"), "--file", "2_12", "--seconds", 0.5, *FREE)["files"]
    assert entry["outcome"] == "TIMEOUT"
    assert not any(map(lives, pids.read_text().split()))


def test_nothing_that_the_library_started_lives_on(run, zoo, tmp_path):
    pids = tmp_path / "pids"
    (entry,) = run(zoo("kat_trivial", f"-DDEED={leave_a_daemon(pids)}"), "--file", "2_23", *FREE)["files"]
    assert entry["outcome"] == "DONE"
    assert not any(map(lives, pids.read_text().split()))


def test_parent_that_ignores_its_children(run, zoo, native):
    library = zoo("kat_trivial", "-DDEED=abort()")
    command = ["sh", "-c", 'trap "" CHLD; exec "$0" "$@"', native / "ngcc_kat", "--library", library]
    command += ["--instance", INSTANCE, "--digest-bits", "256"]
    completed = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert {entry["outcome"] for entry in json.loads(completed.stdout)["files"]} == {"CRASH"}


def test_too_little_memory_is_no_verdict_on_the_library(run, zoo):
    def short_of_memory():
        resource.setrlimit(resource.RLIMIT_AS, (800 << 20, 800 << 20))

    entries = run(zoo("kat_trivial"), "--file", "2_12", "--file", "2_33", preexec_fn=short_of_memory)["files"]
    assert [entry["outcome"] for entry in entries] == ["DONE", "KILLED"]
    assert entries[1]["reason"] == "not run: its messages need 1025 MiB of memory, more than is available"
    assert entries[1]["failed_record"] is None


@pytest.mark.parametrize("locale", ["C", "de_DE.UTF-8"])
def test_locale_changes_nothing(run, zoo, locale):
    library = zoo("kat_trivial")
    assert run(library, env={**os.environ, "LC_ALL": locale}) == run(library, env={})


def mistake(native, *arguments, **keywords) -> tuple[int, str]:
    """Exit status and the words on standard error."""
    command = [native / "ngcc_kat", *map(str, arguments)]
    completed = subprocess.run(command, capture_output=True, text=True, **keywords)
    assert completed.stdout == ""
    return completed.returncode, completed.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--library, --instance and --digest-bits must be given"),
        (["--library", "x", "--instance", "../x", "--digest-bits", "256"], "found '../x'"),
        (["--digest-bits", "255"], "expected a multiple of 8, found '255'"),
        (["--digest-bits", "-8"], "found '-8'"),
        (["--file", "2_13"], "expected 2_12, 2_23, 2_33 or loop, found '2_13'"),
        (["--seconds", "0"], "found '0'"),
        (["--seconds", "nan"], "found 'nan'"),
        (["--bogus"], "unknown or ambiguous option '--bogus'"),
        (["--file"], "--file needs a value"),
        (["rest"], "unexpected argument 'rest'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_status_2(native, options, words):
    status, text = mistake(native, *options)
    assert status == 2
    assert words in text
    assert text.startswith("ngcc_kat: ") and text.count("\n") == 1


def test_absent_library_or_folder_is_one_sentence_and_status_1(native, zoo, tmp_path):
    rest = ("--instance", "X", "--digest-bits", 256)
    absent = tmp_path / "absent"
    for arguments in (("--library", absent, *rest), ("--library", zoo("kat_trivial"), *rest, "--text", absent)):
        assert mistake(native, *arguments) == (1, f"ngcc_kat: {absent}: No such file or directory.\n")


def test_library_that_is_no_regular_file_is_one_sentence_and_status_1(native):
    arguments = ("--library", "/dev/zero", "--instance", "X", "--digest-bits", 256)
    assert mistake(native, *arguments, timeout=10) == (1, "ngcc_kat: /dev/zero: not a regular file.\n")


def test_full_disk_leaves_nothing(native, zoo, tmp_path):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    options = ("--library", zoo("kat_trivial"), "--instance", "X", "--digest-bits", 256, "--text", tmp_path)
    status, text = mistake(native, *options, preexec_fn=small_files)
    assert (status, text) == (1, f"ngcc_kat: {tmp_path}: File too large.\n")
    assert list(tmp_path.iterdir()) == []


def test_help_states_memory_and_version_is_printed(native):
    help_text = subprocess.run([native / "ngcc_kat", "--help"], capture_output=True, text=True, check=True).stdout
    assert "1 GiB" in help_text
    version = subprocess.run([native / "ngcc_kat", "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith("ngcc_kat ")
