"""Where cycles come from: the kernel's counter as a stand-in plays it, else the core clock, never a wrong number."""

import errno

import pytest

from perf import Perf


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


@pytest.fixture
def counted(perf, zoo):
    """counted(HZ=…, RUNNING=…) makes a record while the stand-in counts as told."""

    def run(*options: str, **settings: object) -> dict:
        environment = {f"STAND_IN_{name}": str(value) for name, value in settings.items()}
        return perf.record(zoo("deed"), *options, env=environment | {"LD_PRELOAD": str(zoo("stand_in_counter"))})

    return run


def batches(record):
    return [batch for trial in record["trials"] for batch in trial["batches"]]


def test_counts_are_recorded(counted, tmp_path):
    log = tmp_path / "log"
    record = counted(HZ=3e9, LOG=log)
    assert (record["cycle_source"], record["cycle_source_reason"]) == ("perf_event", "")
    assert all(batch["cycles"] >= 2.9 * batch["elapsed_ns"] for batch in batches(record))
    assert all(trial["core_clock"] is None for trial in record["trials"])
    asked = log.read_text().splitlines()[0]
    assert asked.startswith("type 0 ") and asked.endswith("read_format 3 pinned 1 exclude_kernel 1 exclude_hv 1")


def test_shared_counter_is_recorded_as_it_ran(counted):
    record = counted(RUNNING=0.5)
    for batch in batches(record):
        assert 0 < batch["running_ns"] <= 0.6 * batch["enabled_ns"] + 1000
        assert batch["cycles"] == pytest.approx(batch["enabled_ns"], rel=0.01, abs=2000)


def test_counter_that_reads_zero_is_not_available(counted):
    record = counted(HZ=0)
    assert record["cycle_source"] != "perf_event" and "did not count in a busy loop" in record["cycle_source_reason"]
    assert all(batch["cycles"] is None for batch in batches(record))


def test_counter_that_never_runs_is_not_available(counted):
    assert "did not count in a busy loop" in counted(RUNNING=0)["cycle_source_reason"]


@pytest.mark.parametrize(
    "settings, fault",
    [({"HZ": 2e11}, "counted more than 10 cycles a nanosecond"), ({"RUNNING": 1.5}, "ran longer than it was enabled")],
    ids=["too-fast", "runs-while-disabled"],
)
def test_counter_that_cannot_be_believed_is_not_available(counted, settings, fault):
    record = counted(**settings)
    assert record["cycle_source"] != "perf_event" and fault in record["cycle_source_reason"]
    assert all(batch["cycles"] is None for batch in batches(record))


def test_counter_that_stops_is_not_available(counted):
    """Calibration reads it more than 20 times."""
    record = counted(READS=20)
    assert "did not count in a batch" in record["cycle_source_reason"]
    assert all(batch["cycles"] is None for batch in batches(record))


def test_counter_lost_between_trials_costs_all_trials_their_counts(counted, tmp_path):
    """Calibration and trial 0 get it, trial 1 doesn't."""
    record = counted(LOG=tmp_path / "log", OPENS=2)
    assert record["status"] == "MEASURED" and "EMFILE" in record["cycle_source_reason"]
    assert record["cycle_source"] != "perf_event" and [trial["trial"] for trial in record["trials"]] == [0, 1]
    assert all(batch["cycles"] is None for batch in batches(record))


@pytest.mark.parametrize("name", ["ENOENT", "EPERM", "EACCES", "ENOSYS", "ENODEV", "EMFILE"])
def test_errno(counted, name):
    record = counted(ERRNO=getattr(errno, name))
    assert record["status"] == "MEASURED" and record["cycle_source"] != "perf_event"
    assert f"perf_event_open answered {name}" in record["cycle_source_reason"]
    assert ("perf_event_paranoid is " in record["cycle_source_reason"]) == (name in ("EPERM", "EACCES"))


def test_estimate_has_its_clock(counted):
    record = counted(ERRNO=errno.ENOENT)
    for trial in record["trials"]:
        clock = trial["core_clock"]
        assert (clock is not None) == (record["cycle_source"] == "core_clock_estimate")
        if clock:
            assert 0.05 < clock["additions"] / clock["before_ns"] < 20


def test_batches_at_another_clock_are_disturbed(counted):
    record = counted("--clock-hz", "2e9", HZ=1e9)
    assert record["plan"]["clock_hz"] == 2e9
    assert all("clock" in batch["disturbed"].split() for batch in batches(record))


@pytest.mark.parametrize("options", [("--clock-hz", "1e9"), ()], ids=["kept", "not-known"])
def test_batches_at_their_clock_are_not(counted, options):
    record = counted(*options, HZ=1e9)
    assert not any("clock" in batch["disturbed"].split() for batch in batches(record))


def test_counter_is_pinned_where_it_may_be(counted, tmp_path):
    record = counted(LOG=tmp_path / "log")
    assert all(trial["isolation"]["counter_pinned"] for trial in record["trials"])
    assert all(" pinned 1 " in line for line in (tmp_path / "log").read_text().splitlines())


def test_counter_that_cannot_be_pinned_is_shared(counted):
    """As the kernel does it: it opens, and answers nothing."""
    record = counted(PINNED=0)
    assert record["cycle_source"] == "perf_event"
    assert not any(trial["isolation"]["counter_pinned"] for trial in record["trials"])


def test_source_has_no_builtin_that_traps_on_aarch64(request):
    sources = (request.config.rootpath / "native").rglob("*.[ch]")
    assert not [path for path in sources if "builtin_readcyclecounter(" in path.read_text(encoding="utf-8")]
