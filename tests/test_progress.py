"""The words that say how far a run is."""

from datetime import datetime

import pytest

from ngcc_campaign.run.progress import TIMING, Job, Progress, layout

NOON = datetime(2026, 11, 30, 12).timestamp()
MINUTE, HOUR = 60, 3600


def progress(*seconds: float, stage: str = TIMING) -> Progress:
    """Jobs of one stage, each planned to take so many seconds."""
    return Progress({number: Job(stage, f"fips {number}", planned) for number, planned in enumerate(seconds)})


def run(found: Progress, *jobs: int, began: float = NOON, took: float = 1) -> Progress:
    for job in jobs:
        found.begin([job], began)
        found.finish(job, began + took)
    return found


def test_nothing_is_said_before_the_first_job():
    assert progress(60, 60).parts(NOON) == []


def test_the_first_job_is_judged_by_the_plan():
    found = progress(60, 60)
    found.begin([0], NOON)
    assert found.parts(NOON) == ["timing, 0 of 2 done", "fips 0", "2 min left by the plan, done about 12:02"]


def test_time_left_is_corrected_by_what_happened():
    """Jobs of a minute took three; the third has been under way for two of its three."""
    found = run(progress(60, 60, 60, 60), 0, 1, took=180)
    found.begin([2], NOON)
    assert found.parts(NOON + 120) == ["timing, 2 of 4 done", "fips 2", "4 min left, done about 12:06"]


def test_a_stage_not_yet_tried_goes_by_the_plan():
    found = run(progress(1, stage="building"), 0, took=10)
    found.jobs |= {1: Job("building", "fips 1", 1), 2: Job(TIMING, "fips 2", 5)}
    assert found.seconds_left(NOON) == (15, 5)
    assert "20 s left," in found.parts(NOON)[1]
    found.jobs[3] = Job(TIMING, "fips 3", 6)
    assert "20 s left by the plan," in found.parts(NOON)[1]


def test_a_job_that_takes_longer_than_expected_has_nothing_left():
    found = progress(60, 600)
    found.begin([0], NOON)
    assert found.seconds_left(NOON + HOUR) == (600, 600)


def test_no_time_is_said_while_a_job_takes_far_longer_than_all_that_is_left():
    found = progress(0.4, 20)
    found.begin([0], NOON)
    assert "20 s left by the plan" in found.parts(NOON + 20)[2]
    assert found.parts(NOON + 21) == ["timing, 0 of 2 done", "fips 0"]
    found.finish(0, NOON + 180)
    assert " left" in found.parts(NOON + 180)[1]
    found = progress(60, 20)
    found.begin([0], NOON)
    assert "20 s left" in found.parts(NOON + 119)[2]


def test_all_finished():
    assert run(progress(60, 60), 0, 1).parts(NOON) == ["timing, 2 of 2 done"]


def test_what_has_no_plan_says_no_time():
    found = progress(0, stage="fetching")
    found.begin([0], NOON)
    assert found.parts(NOON) == ["fetching, 0 of 1 done", "fips 0"]


def test_several_at_a_time():
    found = progress(0, 0, 0, stage="building")
    found.begin([0, 1, 2], NOON)
    assert found.parts(NOON)[1] == "fips 0 and 2 more"


def test_the_disturbed_share_is_of_the_batches_of_all_records():
    found = run(progress(60, 60), 0, 1)
    found.count(0, 50)
    assert found.parts(NOON)[-1] == "0.0 % of batches disturbed"
    found.count(3, 50)
    assert found.parts(NOON)[-1] == "3.0 % of batches disturbed"


def test_jobs_that_failed_are_counted_and_have_nothing_left():
    found = progress(60, 60, 60)
    for job, words in ((0, "1 job failed"), (1, "2 jobs failed")):
        found.begin([job], NOON)
        found.fail(job)
        assert found.parts(NOON)[-1] == words
    assert found.parts(NOON)[0] == "timing, 0 of 3 done" and found.seconds_left(NOON) == (60, 60)


def test_events_about_jobs_that_are_not_counted_change_nothing():
    found = progress(60)
    found.begin([7], NOON)
    found.finish(7, NOON)
    found.fail(7)
    assert found == progress(60)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "10 s left by the plan, done about 12:00"),
        (54, "50 s left by the plan, done about 12:00"),
        (55, "1 min left by the plan, done about 12:00"),
        (89.4 * MINUTE, "89 min left by the plan, done about 13:29"),
        (89.6 * MINUTE, "1 h 30 min left by the plan, done about 13:29"),
        (11 * HOUR + 5 * MINUTE, "11 h 05 min left by the plan, done about 23:05"),
        (12 * HOUR, "12 h 00 min left by the plan, done about Tue 01 Dec, 00:00"),
    ],
)
def test_units_of_what_is_left(seconds, words):
    found = progress(seconds)
    found.begin([0], NOON)
    assert found.parts(NOON)[2] == words


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (80, ["timing, 1 of 2 done · fips SHA-512 1 KiB · 12 min left", ]),
        (54, ["timing, 1 of 2 done · fips SHA-512 1 KiB · 12 min left"]),
        (53, ["timing, 1 of 2 done · fips SHA-512 1 KiB", "12 min left"]),
        (20, ["timing, 1 of 2 done", "fips SHA-512 1 KiB", "12 min left"]),
        (12, ["timing, 1 o…", "fips SHA-51…", "12 min left"]),
        (1, ["…", "…", "…"]),
    ],
)  # fmt: skip
def test_lines_fit_the_width(width, lines):
    assert layout(["timing, 1 of 2 done", "fips SHA-512 1 KiB", "12 min left"], width) == lines


def test_there_are_three_lines_at_most():
    assert layout(["a" * 9] * 5, 10) == ["a" * 9] * 3
    assert layout([], 10) == []
