"""Libraries that lie about their time are found out or marked; tests/zoo/lie_*.c says how each does it.

The sandbox forbids some of it, and is off here: what is checked must hold without it.
"""

import platform

import pytest

from evidence import record as made
from ngcc_campaign.aggregate import timing
from ngcc_campaign.measure import consistency, plausibility
from perf import Perf

X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the trick is written for x86-64")
ALONE = ("--sandbox", "off", "--target-seconds", "0.1")


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


LIES = {
    "clock-by-imports": (("lie_clock", "-DGOT"), "ERROR", "the ticks of the reference clock don't fit the time"),
    "clock-by-code": (("lie_clock", "-DCODE"), "ERROR", "the ticks of the reference clock don't fit the time"),
    "junk": (("lie_pipe", "-DJUNK"), "ERROR", "it has a message that the trial did not send"),
    "a-message-again": (("lie_pipe", "-DAGAIN"), "ERROR", "its messages are out of order"),
    "a-full-pipe": (("lie_pipe", "-DFILL"), "ERROR", "closed or filled the pipe for figures"),
    "lazy": (("lie_remembers", "-DLAZY"), "UNSTABLE", "gave two digests for one message once it was called often"),
    "calls-skipped": (("skips_calls",), "ERROR", "changed its caller's count of calls during calibration"),
    "calls-skipped-in-turns": (
        ("skips_calls", "-DSTEP=2"),
        "ERROR",
        "changed its caller's count of calls during calibration",
    ),
    "a-closed-pipe": (("lie_closed",), "ERROR", "closed or filled the pipe for figures"),
}


@pytest.mark.parametrize(("library", "status", "words"), [
    pytest.param(*lie, id=name, marks=X86 if name == "clock-by-code" else ()) for name, lie in LIES.items()
])  # fmt: skip
def test_a_lie_is_found_out(perf, zoo, library, status, words):
    record = perf.record(zoo(*library), *ALONE)
    assert (record["status"], record["retry"]) == (status, False)
    assert words in record["reason"]


@X86
def test_a_batch_cannot_take_less_than_its_cpu_time(perf, zoo):
    """On a busy machine the lie may take off what others took of a batch, and a fifth of it is not looked at."""
    record = perf.record(zoo("lie_memory"), *ALONE)
    if record["status"] == "MEASURED":
        batches = [batch for trial in record["trials"] for batch in trial["batches"]]
        assert sum(batch["elapsed_ns"] for batch in batches) > 70_000 * sum(batch["calls"] for batch in batches)
    else:
        assert record["status"] == "ERROR" and "reported figures that cannot be during trial" in record["reason"]


def marks(record: dict) -> list[str]:
    return timing.figures(record, None)["marks"]


@pytest.mark.parametrize("size", [32, 1024, 65536])
@pytest.mark.parametrize("kept", [1, 8])
def test_a_library_that_remembers_is_marked(perf, zoo, kept, size):
    record = perf.record(zoo("lie_remembers", f"-DKEPT={kept}"), message_bytes=size)
    assert record["status"] == "MEASURED" and "remembers" in marks(record)
    assert record["calibration"]["repeats_reason"] == ""


@pytest.mark.parametrize("size", [32, 1024, 65536])
def test_one_that_does_not_is_not(perf, zoo, size):
    record = perf.record(zoo("deed"), message_bytes=size)
    assert record["calibration"]["repeats"]["tries"] >= 3 and "remembers" not in marks(record)


NOT_TRIED = {
    "empty": (0, (), "an empty message has no last byte"),
    "long": (65537, (), "messages above 65536 bytes may not fit twice into the caches"),
    "slow": (64, ("-DDEED=usleep(2000)",), "calls take too long"),
}


@pytest.mark.parametrize(("size", "options", "reason"), NOT_TRIED.values(), ids=NOT_TRIED)
def test_where_it_is_not_tried_the_record_says_why(perf, zoo, size, options, reason):
    record = perf.record(zoo("deed", *options), message_bytes=size)
    assert (record["calibration"]["repeats"], record["calibration"]["repeats_reason"]) == (None, reason)
    assert plausibility.repeats_factor(record) is None and "remembers" not in marks(record)


def test_threads_of_a_library_are_not_accounted_for(perf, zoo):
    """Where trials have real-time priority, a thread without it waits until they are over."""
    record = perf.record(zoo("lie_thread"), *ALONE)
    if record["status"] == "MEASURED":
        assert all(trial["isolation"]["realtime"] for trial in record["trials"])
    else:
        assert record["status"] == "ERROR" and "of CPU time and accounts for" in record["reason"]


def test_what_a_trial_accounts_for_is_nearly_all(perf, zoo):
    record = perf.record(zoo("deed"), "--target-seconds", "0.02")
    for trial in record["trials"]:
        assert not plausibility.exceeds(trial, plausibility.MARKED)
        assert trial["process"]["wall_ns"] > trial["elapsed_ns"]
    assert "unaccounted" not in marks(record) and consistency.contradiction(record, record) == ""


# The same by numbers.


def trials(count: int, **more: int) -> dict:
    """A record of five trials, of so many of which the kernel tells more."""
    record = made("iccs", "a", 1024, 256, "lib.so")
    for trial in record["trials"][:count]:
        for key, value in more.items():
            trial["process"][key] += value
    return record


def test_unaccounted_time_of_half_of_the_trials_is_marked():
    """Of 21 ms it may be 5 ms + 2 % + 0.5 ms for 2 MiB; 0.4 ms are there."""
    assert "unaccounted" not in marks(trials(5, cpu_ns=5_400_000))
    assert marks(trials(3, cpu_ns=6_000_000)) == ["unaccounted"]
    assert marks(trials(2, cpu_ns=6_000_000)) == []
    assert marks(trials(5, cpu_ns=6_000_000, peak_rss_kib=40_000)) == []
    assert marks(trials(5, cpu_ns=11_000_000, peak_rss_kib=1 << 20)) == ["unaccounted"]
    assert timing.figures(trials(3, cpu_ns=6_000_000), None)["unaccounted_ns"] == 6_400_000


def test_memory_excuses_no_more_than_so_much():
    def exceeds(limit, cpu_ns, peak_rss_kib):
        return plausibility.exceeds(trials(1, cpu_ns=cpu_ns, peak_rss_kib=peak_rss_kib)["trials"][0], limit)

    for limit, cpu_ns in ((plausibility.REFUSED, 30_000_000), (plausibility.MARKED, 8_000_000)):
        assert exceeds(limit, cpu_ns, 0) and not exceeds(limit, cpu_ns, 1 << 20)
        assert exceeds(limit, cpu_ns + 15_000_000, 1 << 20)


@pytest.mark.parametrize(("factor", "plain_calls", "is_marked"), [(1.9, 64, False), (2.1, 64, True), (2.1, 0, False)])
def test_calls_that_trials_do_not_make_are_told_by_the_calibration(factor, plain_calls, is_marked):
    record = trials(0)
    repeats = record["calibration"]["repeats"]
    batches = [batch for trial in record["trials"] for batch in trial["batches"]]
    mean_ns = sum(batch["elapsed_ns"] for batch in batches) / sum(batch["calls"] for batch in batches)
    repeats |= {"plain_calls": plain_calls, "plain_ns": factor * mean_ns * 64}
    assert plausibility.skips_calls(record) == is_marked
    if plain_calls:
        assert ("unaccounted" in marks(record)) == is_marked
        repeats["plain_ns"] = 99 * plain_calls  # too short to be judged
        for batch in batches:
            batch["elapsed_ns"] = 10 * batch["calls"]
        assert not plausibility.skips_calls(record)
    record["calibration"]["repeats"] = None
    assert not plausibility.skips_calls(record)


def test_an_emulator_has_work_of_its_own():
    record = trials(5, cpu_ns=10**9)
    record["canary"] = None
    assert "unaccounted" not in marks(record) and timing.figures(record, None)["unaccounted_ns"] is None


@pytest.mark.parametrize(("factor", "is_marked"), [(1.49, False), (1.51, True)])
def test_remembering_is_told_by_the_cost_of_a_call(factor, is_marked):
    record = trials(0)
    repeats = {"plain_calls": 100, "plain_ns": 1000, "alternating_calls": 10, "tries": 3}
    record["calibration"]["repeats"] = repeats | {"alternating_ns": 100 * factor}
    assert ("remembers" in marks(record)) == is_marked
