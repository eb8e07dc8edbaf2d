"""ngcc_memory: functions of known appetite, and everything else that a library can do."""

import json
import resource
import subprocess
from statistics import median

import pytest

from misdeeds import FREE, leave_a_daemon, lives, overwrite_shared
from ngcc_campaign.common.schemas import validate

PAGE = 4096
MIB = 1 << 20


@pytest.fixture(scope="session")
def run(native):
    """run(library, *options) -> ngcc_memory's document, checked against its schema."""

    def command(library, *options, lengths=(32,), processes=1, before=(), **keywords) -> dict:
        arguments = [*before, native / "ngcc_memory", "--library", library, "--digest-bits", 256]
        arguments += ["--processes", processes, *options]
        arguments += [part for length in lengths for part in ("--bytes", length)]
        completed = subprocess.run([str(part) for part in arguments], capture_output=True, check=True, **keywords)
        assert completed.stderr == b""
        document = json.loads(completed.stdout)
        validate(document, "memory_run", "ngcc_memory")
        return document

    return command


@pytest.fixture
def operation(run, zoo):
    """operation(deed) -> the one operation's entry for a library that does this in each call."""

    def entry(deed: str, *options, **keywords) -> dict:
        (operation,) = run(zoo("mem_zeros", "-w", f"-DDEED={deed}"), *options, **keywords)["operations"]
        return operation

    return entry


def frame(size: str) -> str:
    return f"volatile unsigned char frame[{size}]; frame[0] = frame[sizeof frame - 1] = 1; USE(frame)"


STACKS = {
    "nothing": ("", 0),
    "10,000 bytes": (frame("10000"), 10_000),
    "70,000 bytes": (frame("70000"), 70_000),
    "10,000 bytes of zeros": ("volatile char frame[10000]; memset((char *)frame, 0, 10000); USE(frame)", 10_000),
    "70,000 bytes of zeros": ("volatile char frame[70000]; memset((char *)frame, 0, 70000); USE(frame)", 70_000),
    "a 4 MB array": (frame("4 << 20"), 4 * MIB),
    "100 MB": (frame("100 << 20"), 100 * MIB),
    "the second call takes more": ("static int calls; " + frame("1000 + 20000 * (calls++ == 1)"), 21_000),
}


@pytest.mark.parametrize(("deed", "expected"), STACKS.values(), ids=STACKS)
def test_stack_within_a_page(operation, deed, expected):
    entry = operation(deed, processes=2)
    assert entry["outcome"] == "DONE"
    for call in entry["call"]:
        assert expected <= call["stack_bytes"] <= expected + PAGE
        assert call["heap_peak_bytes"] == 0


@pytest.mark.parametrize("length", [65536, MIB])
def test_array_of_the_message_s_length(operation, length):
    (call,) = operation(frame("bits / 8"), lengths=[length])["call"]
    assert length <= call["stack_bytes"] <= length + PAGE


# What a call takes and gives back, and the bytes that it holds at most.
HEAPS = {
    "malloc": ("take((void *)300000)", 300_000),
    "small malloc": ("take((void *)1000)", 1_000),
    "calloc": ("char *p = calloc(3, 100000); USE(p); free(p)", 300_000),
    "realloc": (
        "char *p = malloc(9); USE(p); p = realloc(p, 300000); USE(p); p = realloc(p, 5); USE(p); free(p)",
        300_000,
    ),
    "realloc to nothing": ("char *p = realloc(NULL, 300000); USE(p); p = realloc(p, 0)", 300_000),
    "reallocarray": ("char *p = reallocarray(NULL, 3, 100000); USE(p); free(p)", 300_000),
    "posix_memalign": ("void *p; posix_memalign(&p, 64, 300000); USE(p); free(p)", 300_000),
    "aligned_alloc": ("void *p = aligned_alloc(4096, 303104); USE(p); free(p)", 303_104),
    "memalign": ("void *p = memalign(64, 300000); USE(p); free(p)", 300_000),
    "valloc": ("void *p = valloc(300000); USE(p); free(p)", 300_000),
    "strdup": ("char s[9001]; memset(s, 65, 9000); s[9000] = 0; char *p = strdup(s); USE(p); free(p)", 9_001),
    "two blocks": ("void *p = malloc(200000), *q = malloc(100000); USE(p); USE(q); free(p); free(q)", 300_000),
    "one block after another": ("take((void *)300000); take((void *)200000)", 300_000),
    "mmap": ("void *p = mmap(0, 300000, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); USE(p); munmap(p, 300000)", 303_104),
    "mremap": (
        "void *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); p = mremap(p, 4096, 300000, MREMAP_MAYMOVE); "
        "USE(p); munmap(p, 300000)",
        303_104,
    ),
    "a reservation": ("void *p = mmap(0, 1 << 30, PROT_NONE, FLAGS, -1, 0); USE(p); munmap(p, 1 << 30)", 0),
    "a reservation made of use in part": (
        "char *p = mmap(0, 1 << 30, PROT_NONE, FLAGS, -1, 0); mprotect(p + (1 << 20), 303104, 3); USE(p); "
        "munmap(p, 2 << 20); munmap(p + (2 << 20), (1 << 30) - (2 << 20))",
        303_104,
    ),
    "a mapping in a reservation": (
        "char *p = mmap(0, 1 << 30, PROT_NONE, FLAGS, -1, 0); mmap(p + 4096, 303104, 3, FLAGS | MAP_FIXED, -1, 0); "
        "USE(p); munmap(p, 1 << 30)",
        303_104,
    ),
    "a reservation that moves": (
        "void *p = mmap(0, 4096, PROT_NONE, FLAGS, -1, 0); p = mremap(p, 4096, 1 << 20, MREMAP_MAYMOVE); "
        "mprotect(p, 303104, 3); USE(p); munmap(p, 1 << 20)",
        303_104,
    ),
    "in the second call only": ("static int calls; if (calls++ == 1) take((void *)300000)", 300_000),
}


@pytest.mark.parametrize(("deed", "expected"), HEAPS.values(), ids=HEAPS)
def test_heap_within_a_page(operation, deed, expected):
    (call,) = operation(deed.replace("FLAGS", "MAP_PRIVATE | MAP_ANONYMOUS"))["call"]
    assert expected <= call["heap_peak_bytes"] <= expected + PAGE
    assert all(0 <= live < PAGE for live in call["heap_live_bytes"])


def test_stack_and_heap_together(operation):
    (call,) = operation(frame("10000") + "; take((void *)300000)")["call"]
    assert 10_000 <= call["stack_bytes"] <= 10_000 + PAGE
    assert 300_000 <= call["heap_peak_bytes"] <= 300_000 + PAGE
    assert call["heap_live_bytes"] == 8 * [0]


def test_leak_shows_as_bytes_a_call(operation):
    (call,) = operation("USE(malloc(16000))", "--calls", 50)["call"]
    live = call["heap_live_bytes"]
    assert len(live) == 50
    assert (live[-1] - live[0]) / 49 == pytest.approx(16_000, rel=0.05)


def test_table_of_the_first_call_is_constant(operation):
    (call,) = operation("static char *table; if (!table) table = malloc(50000); USE(table)")["call"]
    assert len(set(call["heap_live_bytes"])) == 1
    assert 50_000 <= call["heap_live_bytes"][0] <= 50_000 + PAGE


def test_what_is_taken_before_the_first_call_does_not_count(run, zoo):
    library = zoo("mem_zeros", "-DON_LOAD=static void *p; p = malloc(700000); USE(p)")
    (call,) = run(library)["operations"][0]["call"]
    assert (call["heap_peak_bytes"], call["heap_live_bytes"]) == (0, 8 * [0])


def test_resident_set_shows_a_table_of_32_mb(operation):
    plain = operation("", processes=3)["rss"]
    table = operation("static char table[32 << 20]; memset(table, 1, sizeof table); USE(table)", processes=3)["rss"]
    difference = median(r["peak_kib"] for r in table) - median(r["peak_kib"] for r in plain)
    assert abs(difference - 32 * 1024) < 1024
    assert all(r["baseline_kib"] <= r["peak_kib"] < 20 * 1024 for r in plain)


def test_spike_of_50_mb_is_seen_in_the_peak(operation):
    (rss,) = operation("void *p = malloc(50 << 20); memset(p, 1, 50 << 20); USE(p); free(p)")["rss"]
    assert rss["peak_kib"] - rss["baseline_kib"] > 49 * 1024


@pytest.mark.parametrize("before", [[], ["bash", "-c", 'exec "$@"', "bash"], ["env"], ["timeout", "60"]], ids=str)
def test_a_big_parent_does_not_matter(operation, before):
    burden = bytearray(b"x") * (300 << 20)
    (rss,) = operation("", before=before)["rss"]
    assert len(burden) > 0
    assert rss["peak_kib"] < 20 * 1024


def test_resident_set_at_rest_is_small_and_holds_the_message(run, zoo):
    short, long = run(zoo("mem_zeros"), lengths=[32, 8 * MIB])["operations"]
    grown = long["rss"][0]["baseline_kib"] - short["rss"][0]["baseline_kib"]
    assert abs(grown - 8 * 1024) < 1024


# More in test_zoo.py.
MISDEEDS = {
    "returns non-zero": ("return 5", "ERROR", "returned 5 during call 1 of 8"),
    "fails later": ("static int calls; if (calls++ == 2) return -2", "ERROR", "returned -2 during call 3 of 8"),
    "follows a null pointer": ("*(volatile char *)0 = 1", "CRASH", "signal 11 (SIGSEGV) during call 1 of 8"),
}
FREE_MISDEEDS = {
    "zeroes its report": (overwrite_shared(0), "CRASH", "called exit(0)"),
    "reports that it was killed": (overwrite_shared(7), "CRASH", "called exit(0)"),
    "is killed": (
        "raise(SIGKILL)",
        "KILLED",
        "killed from outside, as the kernel does where memory is short, during call 1 of 8",
    ),
}


@pytest.mark.parametrize(("deed", "outcome", "words"), MISDEEDS.values(), ids=MISDEEDS)
def test_misdeed_is_named(operation, deed, outcome, words, *options):
    entry = operation(deed, "--seconds", 0.3, *options)
    assert (entry["outcome"], entry["rss"], entry["call"]) == (outcome, [], [])
    assert words in entry["reason"]


@pytest.mark.parametrize(("deed", "outcome", "words"), FREE_MISDEEDS.values(), ids=FREE_MISDEEDS)
def test_misdeed_without_a_sandbox_is_named(operation, deed, outcome, words):
    test_misdeed_is_named(operation, deed, outcome, words, *FREE)


def test_nothing_that_the_library_started_lives_on(operation, tmp_path):
    pids = tmp_path / "pids"
    assert operation(leave_a_daemon(pids), *FREE)["outcome"] == "DONE"
    assert not any(map(lives, pids.read_text().split()))


def test_library_that_cannot_be_loaded_is_an_error(run, zoo):
    (entry,) = run(zoo("mem_zeros", "-DCryptHash=Hash"))["operations"]
    assert (entry["outcome"], entry["reason"]) == ("ERROR", "the library does not define CryptHash")


def test_one_length_s_failure_leaves_the_others(run, zoo):
    entries = run(zoo("mem_zeros", "-DDEED=if (bits == 8 * 128) abort()"), lengths=[32, 128, 512])["operations"]
    assert [entry["outcome"] for entry in entries] == ["DONE", "CRASH", "DONE"]
    assert [entry["operation"] for entry in entries] == ["hash_32", "hash_128", "hash_512"]


def test_names_of_the_driver_do_not_reach_the_library(run, zoo):
    """Submissions bring functions of the same names as the driver's: each must keep its own."""
    library = zoo("mem_same_names")
    assert run(library)["operations"][0]["outcome"] == "DONE"


def test_counts_of_processes_and_calls(operation):
    entry = operation("", "--calls", 7, processes=3)
    assert [rss["calls"] for rss in entry["rss"]] == [7, 7, 7]
    assert [len(call["heap_live_bytes"]) for call in entry["call"]] == [7, 7, 7]


def test_too_little_memory_is_no_verdict_on_the_library(operation):
    def short_of_memory():
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))

    entry = operation("", preexec_fn=short_of_memory)
    assert (entry["outcome"], entry["reason"].split(" while")[0]) == ("KILLED", "no memory for stack and message")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--library, --digest-bits and --bytes must be given"),
        (["--bytes", "-1"], "--bytes: expected a whole number from 0 to 1073741824, found '-1'"),
        (["--processes", "0"], "found '0'"),
        (["--calls", "1001"], "found '1001'"),
        (["--digest-bits", "12"], "expected a multiple of 8, found '12'"),
    ],
)
def test_wrong_usage_is_one_sentence_and_status_2(native, options, words):
    completed = subprocess.run([native / "ngcc_memory", *options], capture_output=True, text=True)
    assert completed.returncode == 2
    assert words in completed.stderr
    assert completed.stderr.startswith("ngcc_memory: ") and completed.stderr.count("\n") == 1


def test_absent_library_is_one_sentence_and_status_1(native, tmp_path):
    arguments = ["--library", tmp_path / "absent.so", "--digest-bits", "256", "--bytes", "32"]
    completed = subprocess.run([native / "ngcc_memory", *arguments], capture_output=True, text=True)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert completed.stderr == f"ngcc_memory: {tmp_path}/absent.so: No such file or directory.\n"


def test_library_that_is_no_regular_file_is_one_sentence_and_status_1(native):
    arguments = ["--library", "/dev/zero", "--digest-bits", "256", "--bytes", "32"]
    completed = subprocess.run([native / "ngcc_memory", *arguments], capture_output=True, text=True, timeout=10)
    assert (completed.returncode, completed.stdout) == (1, "")
    assert completed.stderr == "ngcc_memory: /dev/zero: not a regular file.\n"
