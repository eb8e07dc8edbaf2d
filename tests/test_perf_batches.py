"""What stands in a record of trials and batches follows from its own raw figures, and was in force in the process."""

import math
import os
import statistics

import pytest
from scipy.special import stdtrit

from misdeeds import FREE
from perf import Perf

ALLOWED = sorted(os.sched_getaffinity(0))
SUMS = ("calls", "elapsed_ns", "cycles", "reference_ticks", "voluntary_switches", "involuntary_switches",
        "minor_faults", "major_faults")  # fmt: skip


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


def leaves(hz, clock_hz):
    return clock_hz is not None and abs(hz / clock_hz - 1) > 0.05


def clock_is_off(trial, batch, clock_hz):
    if batch["cycles"] is not None:
        scale = batch["enabled_ns"] / batch["running_ns"]
        return leaves(batch["cycles"] * scale / batch["elapsed_ns"] * 1e9, clock_hz)
    if trial["core_clock"] is None:
        return False
    times = [trial["core_clock"][name] for name in ("before_ns", "after_ns")]
    clocks = [trial["core_clock"]["additions"] / ns * 1e9 for ns in times]
    return max(times) > 1.05 * min(times) or any(leaves(hz, clock_hz) for hz in clocks)


def disturbed(record, trial, index):
    """The words, by the schema's own description."""
    batch, canary, words = trial["batches"][index], record["canary"], []
    if canary:
        most = (1 + canary["tolerance"]) * min(canary["reference_ns"], canary["seen_ns"])
        words += ["canary"] * (max(trial["canaries_ns"][index : index + 2]) > most)
    words += ["clock"] * clock_is_off(trial, batch, record["plan"]["clock_hz"])
    off = batch["elapsed_ns"] - batch["cpu_ns"]
    words += ["switched"] * (batch["involuntary_switches"] > 0 and off > 0.001 * batch["elapsed_ns"])
    words += ["migrated"] * (batch["cpu"] != record["environment"]["cpu_asked"])
    return " ".join(words)


def half_width(record):
    """Of the interval over undisturbed batches, as a share of the mean; infinite where they are too few."""
    plan, kept, means = record["plan"], 0, []
    for trial in record["trials"]:
        batches = [batch for batch in trial["batches"] if not batch["disturbed"]]
        kept += len(batches)
        if len(batches) >= min(2, plan["batches_per_trial"]):
            means.append(sum(batch["elapsed_ns"] for batch in batches) / sum(batch["calls"] for batch in batches))
    if len(means) < max(2, plan["trials"]) or 2 * kept < plan["trials"] * plan["batches_per_trial"]:
        return math.inf
    spread = statistics.stdev(means) / math.sqrt(len(means))
    return stdtrit(len(means) - 1, 0.975) * spread / statistics.mean(means)


def test_a_trial_sums_its_batches(perf, zoo):
    record = perf.record(zoo("deed", "-DDEED=usleep(200)"))
    for trial in record["trials"]:
        for name in SUMS:
            values = [batch.get(name) for batch in trial["batches"]]
            assert trial[name] == (None if None in values else sum(values)), name
    assert all(trial["voluntary_switches"] > 0 for trial in record["trials"])


def test_a_record_tells_why_a_batch_is_disturbed(perf, zoo):
    record = perf.record(zoo("deed"), "--trials", 5, "--clock-hz", "3e9")
    for trial in record["trials"]:
        assert len(trial["canaries_ns"]) == (len(trial["batches"]) + 1 if record["canary"] else 0)
        for index, batch in enumerate(trial["batches"]):
            assert batch["disturbed"] == disturbed(record, trial, index)


@pytest.mark.skipif(len(ALLOWED) < 2, reason="one CPU only")
def test_a_batch_on_another_cpu_is_migrated(perf, zoo):
    move = f"cpu_set_t s; CPU_ZERO(&s); CPU_SET({ALLOWED[0]}, &s); sched_setaffinity(0, sizeof s, &s)"
    record = perf.record(zoo("deed", f"-DDEED={move}"), "--cpu", ALLOWED[-1], "--patience", 3, *FREE)
    assert record["status"] == "MEASURED" and record["stopped"] == "budget"
    for trial in record["trials"]:
        assert trial["cpu_after"] == ALLOWED[0]
        assert all("migrated" in batch["disturbed"].split() for batch in trial["batches"])


# Why measuring ended.


@pytest.mark.parametrize("options", [(), ("--precision", 1, "--patience", 50)], ids=["one-percent", "any-precision"])
def test_precision_ends_it_once_it_is_reached(perf, zoo, options):
    record = perf.record(zoo("deed"), "--trials", 3, "--patience", 10, *options)
    reached = half_width(record) <= record["plan"]["precision"]
    assert record["stopped"] == ("precision" if reached else "budget")
    assert len(record["trials"]) >= 3


def test_never_more_than_100_trials(perf, zoo):
    """Each process sleeps another time, so that no precision is reached."""
    library = zoo("deed", "-DDEED=usleep(100 + getpid() % 5 * 150)")
    record = perf.record(library, "--trials", 99, "--patience", 1000, "--precision", 0.0001)
    assert (len(record["trials"]), record["stopped"]) == (100, "trials")


def test_patience_ends_it(perf, zoo):
    library = zoo("deed", "-DDEED=usleep(100 + getpid() % 5 * 150)")
    record = perf.record(library, "--precision", 0.0001, "--patience", 20)
    assert record["stopped"] == "budget" and 2 <= len(record["trials"]) < 100
    assert sum(trial["elapsed_ns"] for trial in record["trials"][:-1]) < 20 * 2 * record["plan"]["target_ns"]


def test_what_was_not_measured_did_not_stop(perf, zoo):
    record = perf.record(zoo("deed", "-DDEED=abort()"))
    assert record["stopped"] is None and record["plan"]["calls_per_batch"] is None


# Where things lie, and what a process got.


def test_layouts_are_in_force(perf, zoo):
    """Each process notes its message's place and its padding; the first one calibrates."""
    notes = perf.folder / "notes"
    note = (
        f'if (!call) {{ const char *pad = getenv("NGCC_PERF_PADDING"); int f = open("{notes}",'
        ' O_CREAT | O_APPEND | O_WRONLY, 0600); dprintf(f, "%d %d\\n", (int)((unsigned long)msg % 4096),'
        " pad ? (int)strlen(pad) : 0); close(f); }"
    )
    record = perf.record(zoo("deed", f"-DDEED={note}"), "--trials", 4, *FREE)
    noted = [tuple(map(int, line.split())) for line in notes.read_text().splitlines()]
    layouts = [trial["layout"] for trial in record["trials"]]
    assert noted == [(0, 0), *((layout["message_offset"], layout["environment_bytes"]) for layout in layouts)]
    assert layouts[0] == {"message_offset": 0, "stack_offset": 0, "environment_bytes": 0}
    assert len({tuple(layout.values()) for layout in layouts}) == 4
    again = perf.record(zoo("deed"), "--trials", 4)
    assert [trial["layout"] for trial in again["trials"]] == layouts, "the same for every record"


def test_priority_is_what_the_record_says_and_no_child_has_it(perf, zoo):
    notes = perf.folder / "notes"
    note = (
        f'if (call == 5) {{ int f = open("{notes}", O_CREAT | O_APPEND | O_WRONLY, 0600), own = sched_getscheduler(0);'
        ' pid_t p = fork(); if (!p) { dprintf(f, "%d %d\\n", own & 7, sched_getscheduler(0) & 7); _exit(0); }'
        " waitpid(p, 0, 0); close(f); }"
    )
    record = perf.record(zoo("deed", f"-DDEED={note}", "-include", "sys/wait.h"), *FREE)
    noted = [tuple(map(int, line.split())) for line in notes.read_text().splitlines()]
    had = [os.SCHED_FIFO if trial["isolation"]["realtime"] else os.SCHED_OTHER for trial in record["trials"]]
    assert noted[-len(had) :] == [(policy, os.SCHED_OTHER) for policy in had]


def test_long_batches_have_no_real_time_priority(perf, zoo):
    record = perf.record(zoo("deed", "-DDEED=usleep(60000)"), "--budget-seconds", 0.2)
    assert not any(trial["isolation"]["realtime"] for trial in record["trials"])


def test_locked_memory_is_what_the_record_says(perf, zoo):
    notes = perf.folder / "notes"
    note = (
        f'if (call == 5) {{ char line[256]; FILE *s = fopen("/proc/self/status", "r"), *f = fopen("{notes}", "a");'
        ' while (fgets(line, sizeof line, s)) if (!strncmp(line, "VmLck:", 6)) fputs(line, f); fclose(s); fclose(f); }'
    )
    record = perf.record(zoo("deed", f"-DDEED={note}"), *FREE)
    locked = [int(line.split()[1]) > 0 for line in notes.read_text().splitlines()]
    assert locked[-len(record["trials"]) :] == [trial["isolation"]["memory_locked"] for trial in record["trials"]]


def test_the_sandbox_takes_nothing_of_that_away(perf, zoo):
    inside, outside = (perf.record(zoo("deed"), *options)["trials"][-1]["isolation"] for options in ((), FREE))
    assert inside == outside
