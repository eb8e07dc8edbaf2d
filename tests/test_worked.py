"""The method page recomputes one row by hand: a stranger who follows it gets what the pages print."""

import json
import re
import statistics

import pytest
from scipy.special import stdtrit

from evidence import Results, crowd
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.render import worked
from reports import page, section


def steps(results: Results) -> str:
    return section(page(results, "method"), "One row by hand")


@pytest.fixture
def results(tmp_path) -> Results:
    return Results(tmp_path / "local").complete("iccs", {"pseudoXOF-512": 512, "other-512": 512}).own()


def test_the_first_row_with_the_fewest_marks_is_taken(results):
    assert steps(results).startswith(
        "One row by hand\n\nA row of `tables/performance.csv`, iccs other-512 hash_32, from"
        " `records/iccs/other-512__hash_32.json`:\n\n1. `trials` holds n = 5 trials of b = 2 `batches` of c = 1000"
    )
    results.change("records/iccs/other-512__hash_32.json", crowd, settled=True)
    assert "iccs other-512 hash_128, from" in steps(results)
    results.instance("iccs", "other-512", 512, "MISMATCH")
    assert "iccs pseudoXOF-512 hash_32, from" in steps(results)


def test_each_step_follows_from_the_record(results):
    """With nothing but the record and what the steps say."""
    results.record("iccs", "other-512", 32, 512, factors=[1, 1.01, 1.02, 1.004, 1.03])
    text = steps(results)
    record = json.loads((results.folder / "records/iccs/other-512__hash_32.json").read_text())
    total = sum(batch["elapsed_ns"] for trial in record["trials"] for batch in trial["batches"])
    assert f"add up to {total}. Over 10000 calls that is the mean time, **{total / 10000:.3f} ns**" in text
    means = [sum(batch["elapsed_ns"] for batch in trial["batches"]) / 2000 for trial in record["trials"]]
    least, median, greatest = min(means), statistics.median(means), max(means)
    assert f"least {least:.3f} ns, median {median:.3f} ns, greatest {greatest:.3f} ns." in text
    spread = statistics.stdev(means)
    (t, width) = re.search(r"half-width is ([\d.]+) · s / √5 = \*\*([\d.]+) ns\*\*", text).groups()
    assert float(width) == pytest.approx(float(t) * spread / 5**0.5, rel=1e-4)
    assert f"s = {spread:.5f};" in text and f"`stopped` is {record['stopped']}" in text
    assert t == {"precision": "3.1355", "budget": "2.7764"}[record["stopped"]]
    assert (
        "10 of 10 batches are undisturbed; in `canaries_ns`" in text and "1.03 · 200000" in text and "= 206000." in text
    )
    clocks = [65000 / trial["core_clock"]["before_ns"] for trial in record["trials"]]
    cycles = statistics.fmean(mean * clock for mean, clock in zip(means, clocks, strict=True))
    assert f"give the mean {cycles:.2f} cycles" in text and f"/ 32 = {cycles / 32:.4f} cycles/byte." in text
    assert f"the ratio is {cycles:.2f} / 1050.00 = {cycles / 1050:.5f} ± " in text
    assert "pseudoXOF-512 is 1050.00 cycles (`records/iccs/pseudoXOF-512__hash_32.json`)" in text


def test_what_a_record_does_not_have_is_left_out(tmp_path):
    results = Results(tmp_path / "local").complete("mine", {"a": 256})
    results.record("mine", "a", 32, trials=1, source="none")
    aggregate(results.folder, None)
    text = "\n".join(worked.row(tables.read(results.folder, "performance")[:1])["steps"])
    assert "There is one trial, and so no interval." in text
    assert "cycles/byte" not in text and "ratio" not in text and text.count("\n") == 4


def test_counted_cycles_say_how_they_are_counted(tmp_path):
    results = Results(tmp_path / "local").complete("mine", {"a": 256})
    results.record("mine", "a", 32, source="perf_event")
    how = "with `cycles` (× `enabled_ns` / `running_ns`) in place of `elapsed_ns` give the mean 1050.00 cycles"
    assert how in steps(results)


@pytest.mark.parametrize(("mark", "told"), [("few", "no figure"), ("remembers", "its figure is the undisturbed mean")])
def test_a_row_that_nothing_is_compared_with_says_so(results, mark, told):
    aggregate(results.folder, None)
    row = tables.read(results.folder, "performance")[0] | {"marks": f"{mark} outlier"}
    (said,) = [step for step in worked.row([row])["steps"] if step.startswith("The row is marked")]
    assert told in said and "compared with nothing" in said and "which comparisons take" not in said


@pytest.mark.parametrize("level", [0.95, 0.965])
def test_the_quantile_that_it_prints_is_that_of_the_tables(level):
    for freedom in range(1, 100):
        assert worked._student(level, freedom) == pytest.approx(stdtrit(freedom, (1 + level) / 2), abs=1e-9)
