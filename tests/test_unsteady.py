"""Rows that something disturbed are named, with how far."""

import pytest

from reports import page, three_instances


@pytest.fixture
def results(tmp_path):
    return three_instances(tmp_path / "local")


def slow_trial(record):
    """One trial of five takes a tenth longer."""
    record["trials"][0]["batches"] = [
        dict(batch, elapsed_ns=round(1.1 * batch["elapsed_ns"])) for batch in record["trials"][0]["batches"]
    ]


def burner(record):
    """Something takes a fifth of the CPU in all batches but one."""
    for number, trial in enumerate(record["trials"]):
        factors = (1.0 if number == 0 else 1.25, 1.25)
        trial["batches"] = [
            dict(batch, elapsed_ns=round(factor * batch["elapsed_ns"]))
            for factor, batch in zip(factors, trial["batches"], strict=True)
        ]


def test_steady_rows_say_how_far_they_lie_apart(results):
    text = page(results)
    assert "Mean times of the trials of one row lie at most 0.0 % apart, 0.0 % above its fastest batch." in text
    assert "Unsteady" not in text and "Unsteady" not in page(results, "index")


CRITERIA = "the trials' mean times lie more than 5 % apart, or the mean more than 10 % above the fastest batch"


@pytest.mark.parametrize(
    ("disturb", "figure"),
    [(slow_trial, "9.8 %"), (burner, "22.5 %")],
    ids=["trials apart", "all trials alike"],
)
def test_unsteady_rows_are_named_with_the_larger_figure(results, disturb, figure):
    results.change("records/iccs/sm3hash-256__hash_1024.json", disturb)
    text = page(results)
    assert f"Unsteady: in 1 of 24 rows {CRITERIA}; the larger of the two stands with each." in text
    assert f"these figures are too high: sm3hash-256: hash_1024 ({figure})." in text
    assert f"Unsteady: 1 of 24 records, where {CRITERIA}, up to {figure}." in page(results, "index")


def test_one_trial_alone_can_be_unsteady(results):
    results.record("iccs", "sm3hash-256", 1024, trials=1)
    results.change("records/iccs/sm3hash-256__hash_1024.json", burner)
    assert "Unsteady: in 1 of 24 rows" in page(results)


def test_the_method_says_when_a_row_is_unsteady(results):
    text = page(results, "method")
    assert "lie more than 5 %\napart, or whose mean lies more than 10 % above the fastest batch" in text
    assert "A process\nmakes 8 calls." in text
    assert "sbrk" in text and "remembers its last answer" in text
