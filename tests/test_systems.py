"""The command this product exists for: system=arm_1, on a host that is arm_1 and on one that is not."""

import pytest

import machines
from workplaces import workplace

NAMES = ("hash-02", "hash-04", "hash-07", "hash-30", "hash-34")


@pytest.fixture
def place(tmp_path):
    return workplace(tmp_path / "place")


@pytest.fixture
def arm_1(tmp_path) -> dict[str, str]:
    """The environment of a host whose /proc and /sys say that it is arm_1."""
    return {"NGCC_MACHINE": str(machines.arm_1(tmp_path / "arm_1").root)}


def test_on_another_host_the_published_figures_are_shown_and_said_to_be(place):
    run = place.run(config=("system=arm_1",))
    assert run.status == 0 and run.jobs == {"aggregate": 1, "render": 1, "all": 1}, run.output
    report = place.path / "results" / "arm_1" / "report"
    assert {page.stem for page in report.glob("*.md")} == {"index", "method", "systems", *NAMES}
    for page in ("index", *NAMES):
        text = (report / f"{page}.md").read_text()
        assert "**Evidence: published, 152 of 152 records.** Published figures; nothing was measured here" in text
        assert "architecture: expected aarch64, found" in text
    assert "Nothing to be done" in place.run(config=("system=arm_1",))


def test_on_a_host_that_is_arm_1_a_measurement_of_152_records_is_planned(place, arm_1):
    run = place.run(config=("system=arm_1",), options=("--dry-run",), env=arm_1)
    assert run.status == 0 and "Measured on this host, which is arm_1." in run
    assert (run.jobs["measure"], run.jobs["measure_empty_call"], run.jobs["build"]) == (152 + 5 * 8, 1, 19 + 5)
    plan = place.run("plan", config=("system=arm_1",), env=arm_1)
    assert plan.status == 0 and "Records: 152 of candidates, 40 of the yardstick, 1 of the empty call." in plan


def test_facts_of_a_recreated_machine_measure_nothing(place, arm_1):
    run = place.run(config=("system=arm_1", "candidates=fips"), env=arm_1)
    assert run.status != 0 and not list(place.path.glob("results/arm_1/records/*/*.json"))


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (("evidence=measure",), "evidence=measure: This host is not arm_1"),
        (("evidence=stored",), "results/arm_1 holds no records"),
        (("compare=nosuch",), "compare: there is no system 'nosuch'"),
    ],
)
def test_what_cannot_be_had_is_said_before_any_work(place, config, sentence):
    run = place.run(config=("system=arm_1", *config))
    assert run.status == 1 and sentence in run and "Traceback" not in run
    assert not (place.path / "results").exists()


def test_the_host_is_shown_beside_what_it_should_be(place, arm_1):
    run = place.run("host", config=("system=arm_1",))
    assert run.status == 1 and "Qualcomm Oryon" in run
    fit = place.run("host", config=("system=arm_1",), env=arm_1)
    assert fit.status == 0 and "2707200 kHz" in fit
