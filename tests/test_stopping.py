"""Why a record ended is what its own trials say."""

import pytest

from evidence import record
from ngcc_campaign.measure import disturbance, stopping

# Half-width of five trials over their mean: 1.004 times 1 %, and 0.996 times.
WIDE, NARROW = ((1, 1.00809, 0.99191, 1.00809, 0.99191), (1, 1.00802, 0.99198, 1.00802, 0.99198))


def flaw(stopped: str, seconds: float = 10, alter=lambda record: None, **shape) -> str:
    document = record("iccs", "a", 1024, 256, "lib.so", **shape)
    alter(document)
    judged = disturbance.words(document, disturbance.own_canary(document))
    for trial, words in zip(document["trials"], judged, strict=True):
        for batch, disturbed in zip(trial["batches"], words, strict=True):
            batch["disturbed"] = disturbed
    return stopping.contradiction(document | {"stopped": stopped}, seconds)


def slow_canaries(trials):
    def alter(record):
        for trial in record["trials"][:trials]:
            trial["canaries_ns"] = [300_000] * 3

    return alter


def planned(**members):
    return lambda record: record["plan"].update(members)


def with_trials(count: int, planned_trials: int = 5):
    return {"trials": count, "alter": planned(trials=planned_trials)}


@pytest.mark.parametrize(
    ("stopped", "shape"),
    [
        ("precision", {}),
        ("precision", with_trials(7)),
        ("precision", with_trials(100)),
        ("budget", {"factors": (1, 1.1)}),
        ("budget", {"alter": slow_canaries(5)}),
        ("budget", {"trials": 1}),
        ("budget", with_trials(3) | {"seconds": 900}),
        ("trials", with_trials(100) | {"factors": (20, 1.1)}),
        ("precision", {"alter": planned(precision=0.0103), "factors": WIDE}),
    ],
    ids=[
        "at once", "later", "at the last", "spread", "disturbed", "one trial", "slow calls", "the most", "just precise",
    ],
)  # fmt: skip
def test_how_a_record_may_end(stopped, shape):
    assert flaw(stopped, **shape) == ""


@pytest.mark.parametrize(
    ("stopped", "shape", "words"),
    [
        ("precision", {"factors": (1, 1.1)}, "before that was reached"),
        ("precision", {"alter": slow_canaries(1)}, "before that was reached"),
        ("precision", {"trials": 1}, "before that was reached"),
        ("precision", {"factors": WIDE}, "before that was reached"),
        ("budget", {"factors": NARROW}, "although its precision was reached"),
        ("budget", {}, "although its precision was reached"),
        ("budget", {"factors": (1, 1.1), "seconds": 4.9}, "before that was spent"),
        ("budget", with_trials(3) | {"seconds": 899}, "before that was spent"),
        ("precision", with_trials(3), "3 trials of at least 5 and ended for 'precision'"),
        ("trials", {"factors": (1, 1.1)}, "5 trials and ended for 'trials'"),
        ("budget", with_trials(100) | {"factors": (20, 1.1)}, "100 trials and ended for 'budget'"),
        ("precision", with_trials(101), "101 trials and ended for 'precision'"),
    ],
    ids=[
        "spread", "disturbed", "one trial", "not quite", "just", "precise", "early",
        "too few and early", "too few", "not the most",
        "the most", "more than the most",
    ],
)  # fmt: skip
def test_how_it_cannot(stopped, shape, words):
    assert words in flaw(stopped, **shape)


@pytest.mark.parametrize(("trials", "words"), [(10, ""), (9, "it ended for its precision before that was reached")])
def test_half_of_the_planned_batches_are_enough(trials, words):
    def alter(record):
        planned(trials=5)(record)
        slow_canaries(5)(record)

    assert flaw("precision", trials=trials, alter=alter) == words
