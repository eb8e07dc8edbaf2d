"""The command this product exists for: system=arm_1, on a host that is arm_1 and on one that is not."""

import pytest

import machines
from evidence import Results
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
    assert {page.stem for page in report.iterdir()} == {"index", "method", "systems", *NAMES}
    for page in ("index", *NAMES):
        text = (report / f"{page}.md").read_text()
        assert "**Evidence: published, 152 of 152 rows.** Published figures (results/arm_1 holds no records of" in text
        assert "architecture: expected aarch64, found" in text
    assert "Nothing to be done" in place.run(config=("system=arm_1",))


def test_another_comparison_or_a_sister_report_makes_pages_again_and_nothing_else(place):
    place.run(config=("system=arm_1", "candidates=hash-04"))
    page = place.path / "results" / "arm_1" / "report" / "hash-04.md"
    other = place.run(config=("system=arm_1", "candidates=hash-04", "compare=x86_1"))
    assert other.jobs == {"render": 1, "all": 1} and "made with another compare, or beside other reports" in other
    assert "ratio to x86_1 |" in page.read_text() and "[x86_1]" not in page.read_text()
    place.run(config=("system=x86_1", "candidates=hash-04"))
    assert place.run(config=("system=arm_1", "candidates=hash-04")).jobs == {"render": 1, "all": 1}
    assert "ratio to" not in page.read_text() and "system: [x86_1](../../x86_1/report/hash-04.md)" in page.read_text()
    assert "Nothing to be done" in place.run(config=("system=arm_1", "candidates=hash-04"))


def test_on_a_host_that_is_arm_1_a_measurement_of_152_records_is_planned(place, arm_1):
    run = place.run(config=("system=arm_1",), options=("--dry-run",), env=arm_1)
    assert run.status == 0 and "Measured on this host, which is arm_1." in run
    assert (run.jobs["measure"], run.jobs["measure_own"], run.jobs["build"]) == (152 + 5 * 8, 10, 19 + 5)
    plan = place.run("plan", config=("system=arm_1",), env=arm_1)
    assert plan.status == 0 and "Records: 152 of candidates, 40 of the yardstick, 1 of the empty call." in plan


def test_facts_of_a_recreated_machine_measure_nothing(place, arm_1):
    run = place.run(config=("system=arm_1", "candidates=fips"), env=arm_1)
    assert run.status != 0 and not list(place.path.glob("results/arm_1/records/*/*.json"))


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (("evidence=measure",), "evidence=measure: This host is not arm_1"),
        (("evidence=stored",), "evidence=stored: results/arm_1 holds no records of hash-02"),
        (("candidates=fips",), "resources/published/arm_1 has no figures of fips"),
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
    assert "not fit: " in run and "fit: nothing differs from what arm_1 needs." in fit


def test_the_plan_of_another_host_is_told_and_that_it_is_another(place, arm_1):
    here, there = place.run("plan", config=("system=arm_1",)), place.run("plan", config=("system=arm_1",), env=arm_1)
    for run in (here, there):
        assert run.status == 0 and "Records: 152 of candidates" in run
    assert "This host can't measure it, as it is not arm_1" in here and "can't measure" not in there


def test_the_target_report_follows_what_is_asked_and_needs_no_host(place):
    stored = Results(place.path / "results" / "arm_1", system="arm_1").complete("hash-04", {"CHAMP-512": 512})
    hash_04, nowhere = ("system=arm_1", "candidates=hash-04"), {"NGCC_MACHINE": "/nope"}
    page = stored.folder / "report" / "hash-04.md"
    for config, sentence in (
        ((), "From records stored in results/arm_1; nothing was measured for this report."),
        (("evidence=published",), "Published figures, as evidence=published asks"),
    ):
        run = place.run("report", config=(*hash_04, *config), env=nowhere)
        assert run.status in (0, 3) and f"evidence: {sentence}" in run, run.output
        assert sentence in page.read_text()
    for evidence, sentence in (("measure", "the target `report` measures nothing"), ("auto", "'/nope' is no folder")):
        run = place.run(
            *(["report"] if evidence == "measure" else []), config=(*hash_04, f"evidence={evidence}"), env=nowhere
        )
        assert run.status == 1 and sentence in run and "Traceback" not in run


def test_records_of_another_system_are_not_taken_for_this_one(place):
    Results(place.path / "results" / "arm_1", system="x86_1").complete("hash-04", {"CHAMP-512": 512})
    for config, status in ((("evidence=stored",), 1), ((), 0)):
        run = place.run(config=("system=arm_1", "candidates=hash-04", *config))
        assert run.status == status and "results/arm_1/host.json is of system x86_1, not of arm_1" in run, run.output
        assert not run.jobs or run.jobs == {"aggregate": 1, "render": 1, "all": 1}
