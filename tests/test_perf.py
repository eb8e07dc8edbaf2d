"""ngcc_perf times a good library: what stands in the record, and how it hangs together."""

import hashlib
import subprocess

import pytest

from ngcc_campaign.measure import consistency
from perf import QUICK, Perf

INPUT_64 = bytes.fromhex(
    "B569718FC1F1F82A4C0ACF90FF4AC10966E11E3750012597BB7ECFD357C962AA"
    "7CE9861C8C5BC0D8465C2CF6CF42424F92F0A3F133109905E4524D8E7F6E8995"
)


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


def fnv(message: bytes, digest_bytes: int) -> str:
    """What tests/zoo/deed.c computes."""
    state, mask = 0xCBF29CE484222325, 2**64 - 1
    for byte in message:
        state = (state ^ byte) * 0x100000001B3 & mask
    digest = bytearray()
    for _ in range(digest_bytes):
        digest.append(state >> 56)
        state = state * 0x100000001B3 & mask
    return digest.hex().upper()


def test_record_is_complete(perf, zoo):
    library = zoo("deed")
    record = perf.record(
        library, "--candidate", "zoo", "--instance", "deed-256", "--from", "plan=ab", "--from", "x=y=z"
    )
    assert (record["status"], record["reason"], record["retry"]) == ("MEASURED", "", False)
    assert (record["candidate"], record["instance"], record["operation"]) == ("zoo", "deed-256", "hash_64")
    assert record["made_from"] == {"plan": "ab", "x": "y=z"}
    assert record["files"]["library_sha256"] == hashlib.sha256(library.read_bytes()).hexdigest()
    assert record["files"]["driver_sha256"] == hashlib.sha256(perf.program.read_bytes()).hexdigest()
    assert record["input"]["sha256"] == hashlib.sha256(INPUT_64).hexdigest()
    assert record["digest"] == {"value": fnv(INPUT_64, 32), "same": True}
    assert record["command"][0] == str(perf.program) and record["command"][-1] == "x=y=z"
    assert record["started_utc"] <= record["ended_utc"]


# The host's clock, as the driver sees it: an hour later, or earlier, when its record ends.
SET_CLOCK = """
#include <time.h>
time_t time(time_t *unused)
{
    static int calls;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    (void)unused;
    return now.tv_sec + (++calls > 2 ? STEP : 0);
}
"""


@pytest.mark.parametrize("step", [0, 3600, -3600])
def test_a_host_s_clock_that_is_set_meanwhile_is_seen(perf, zoo, tmp_path, step):
    (tmp_path / "set_clock.c").write_text(SET_CLOCK)
    command = ["gcc", "-shared", "-fPIC", f"-DSTEP={step}", "set_clock.c", "-o", "set_clock.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    record = perf.record(zoo("deed"), env={"LD_PRELOAD": str(tmp_path / "set_clock.so")})
    flaw = consistency.contradiction(record, {"digest_bits": 256, "message_bytes": 64})
    assert ("the host's clock was set meanwhile" in flaw) == (step != 0)
    assert 0 < record["lasted_ns"] < 3600e9


def test_trials_follow_the_plan(perf, zoo):
    record = perf.record(zoo("deed"), "--trials", "3", "--budget-seconds", 5)
    plan = record["plan"]
    assert [trial["trial"] for trial in record["trials"]] == [0, 1, 2]
    assert record["stopped"] in ("precision", "budget")
    for trial in record["trials"]:
        assert {batch["calls"] for batch in trial["batches"]} == {plan["calls_per_batch"]}
        assert len(trial["batches"]) == plan["batches_per_trial"]
        assert trial["cpu_before"] == trial["cpu_after"] == record["environment"]["cpu_asked"]
        assert trial["digest_same"] and trial["digest"] == record["digest"]["value"]


def test_the_control_is_sm3(perf, native):
    sm3 = "90464565CB59B8908A79EE29FFE20FF86180634524AB42ADF998BEF3D5AF1991"
    assert perf.record(native / "libcontrol.so")["digest"]["value"] == sm3


def test_calibration_resolves_the_batch(perf, native):
    record = perf.record(native / "libempty.so")
    calibration = record["calibration"]
    assert record["status"] == "MEASURED" and calibration["calls"] > 1000
    assert calibration["elapsed_ns"] >= 500 * record["environment"]["clock_resolution_ns"]


@pytest.mark.parametrize("disturbed", [1, 2, 6, 12], ids="call {}".format)
def test_calibration_that_was_disturbed_goes_on(perf, zoo, disturbed):
    """Calls take less than 1 us: the batch with the disturbed one is not what they cost."""
    record = perf.record(zoo("deed", f"-DDEED=if (call == {disturbed}) usleep(20000)"))
    calibration = record["calibration"]
    assert calibration["elapsed_ns"] / calibration["calls"] < 100_000
    assert record["plan"]["calls_per_batch"] > 2


@pytest.mark.parametrize("message_bytes", [0, 1, 65536])
def test_message_lengths(perf, zoo, message_bytes):
    record = perf.record(zoo("deed"), message_bytes=message_bytes)
    assert record["status"] == "MEASURED" and record["message_bytes"] == message_bytes


@pytest.mark.parametrize("digest_bits", [8, 520, 1152, 65536])
def test_digest_lengths(perf, zoo, digest_bits):
    record = perf.record(zoo("deed"), digest_bits=digest_bits)
    assert record["status"] == "MEASURED" and len(record["digest"]["value"]) == digest_bits // 4


def test_slow_call_is_timed_at_least_once_a_trial(perf, zoo):
    record = perf.record(zoo("deed", "-DDEED=usleep(60000)"), "--budget-seconds", "0.01")
    assert record["plan"] | {"warmup_calls": 1, "calls_per_batch": 1, "batches_per_trial": 1} == record["plan"]
    assert len(record["trials"]) == 1 and record["stopped"] == "budget"
    assert record["calibration"]["calls"] == 1


def test_call_that_takes_longer_than_the_budget_is_measured(perf, zoo):
    """7 s in the first process, which calibrates; it makes no second call."""
    slow = zoo("deed", '-DDEED=if (open("mark", O_CREAT | O_EXCL, 0600) >= 0) { sleep(7); if (call) abort(); }')
    record = perf.record(slow, "--budget-seconds", "1", "--sandbox", "off")
    assert (record["status"], record["calibration"]["calls"]) == ("MEASURED", 1)
    assert record["calibration"]["elapsed_ns"] >= 7_000_000_000
    assert record["plan"] | {"warmup_calls": 0, "calls_per_batch": 1, "batches_per_trial": 1} == record["plan"]


def test_what_the_library_prints_harms_nothing(perf, zoo):
    noisy = zoo("deed", '-DDEED=puts("noise"), fputs("noise", stderr), fflush(NULL)')
    what = ("--library", noisy, "--digest-bits", 256, "--bytes", 64, *QUICK)
    printed = perf.run(*what)
    assert printed.startswith("{") and "noise" not in printed


def test_library_without_a_slash_is_looked_for_here(perf, zoo):
    (perf.folder / "libhere.so").symlink_to(zoo("deed"))
    assert perf.record("libhere.so")["status"] == "MEASURED"


def test_locale_changes_no_figure(perf, zoo):
    library = zoo("deed", '-DDEED=setlocale(LC_ALL, "")')
    record = perf.record(library, "--target-seconds", "0.0025", env={"LC_ALL": "de_DE.UTF-8"})
    assert record["plan"]["target_ns"] == 2500000


def test_file_name_that_is_not_utf8(perf, zoo):
    odd = perf.folder / "lib\udcff.so"
    odd.symlink_to(zoo("deed"))
    assert perf.record(odd)["files"]["library"].endswith("lib\ufffd.so")


def test_standard_input_that_is_closed(perf, zoo):
    command = ["sh", "-c", 'exec "$0" "$@" <&-', perf.program, "--library", zoo("deed"), "--digest-bits", "256"]
    ran = subprocess.run([*command, "--bytes", "1", "--output", perf.output, *QUICK], timeout=60)
    assert ran.returncode == 0 and perf.read()["status"] == "MEASURED"


def test_a_parent_that_ignores_its_children(perf, zoo):
    command = ["sh", "-c", 'trap "" CHLD; exec "$0" "$@"', perf.program, "--library", zoo("deed")]
    ran = subprocess.run(
        [*command, "--digest-bits", "256", "--bytes", "1", "--output", perf.output, *QUICK], timeout=60
    )
    assert ran.returncode == 0 and perf.read()["status"] == "MEASURED"
