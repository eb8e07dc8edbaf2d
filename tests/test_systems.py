"""The command this product exists for: system=arm_1, on a host that is arm_1 and on one that is not."""

import os
import shutil
import subprocess

import pytest

import machines
from evidence import Results
from workplaces import SNAKEMAKE, workplace

CHAMP = {"CHAMP-512": 512, "CHAMP-1024": 1024}
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
    common = {"index", "method", "ranking", "systems", "beside", "made", "html", "summary", "latex"}
    assert {page.stem for page in report.iterdir()} == {*common, *NAMES}
    for page in ("index", *NAMES):
        text = (report / f"{page}.md").read_text()
        assert (
            "**Evidence: published, 152 of the campaign's 152 rows.** **Reprints; nothing was measured here**, as this"
            in text
        )
        assert "architecture: expected aarch64, found" in text
        assert ("\nPublished figures (results/arm_1 holds no records of" in text) == (page == "index")
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
    assert plan.status == 0 and "Records: 152 of candidates, 40 of the yardstick, 10 of our own functions." in plan


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
    index = stored.folder / "report" / "index.md"
    for config, sentence in (
        ((), "From records stored in results/arm_1; nothing was measured for this report."),
        (("evidence=published",), "Published figures, as evidence=published asks"),
    ):
        run = place.run("report", config=(*hash_04, *config), env=nowhere)
        assert run.status in (0, 3) and f"evidence: {sentence}" in run, run.output
        assert sentence in index.read_text()
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


def test_evidence_that_goes_takes_its_figures_along(place):
    """Whatever the time stamps say: pages never show what nothing stands behind."""
    stored = Results(place.path / "results" / "arm_1", system="arm_1").complete("hash-04", CHAMP).own()
    config = ("system=arm_1", "candidates=hash-04", "evidence=stored")
    assert place.run(config=config).status == 3, "the yardstick was not measured"
    page = stored.folder / "report" / "hash-04.md"
    before = page.read_text()
    gone = stored.folder / "records" / "hash-04" / "CHAMP-512__hash_65536.json"
    held = gone.read_text()
    gone.unlink()
    run = place.run(config=config)
    assert run.status == 3 and run.jobs == {"aggregate": 1, "render": 1, "all": 1}, run.output
    assert "stale: results/arm_1/tables/candidates.csv (records/hash-04/CHAMP-512__hash_65536.json is gone)" in run
    assert "missing: hash-04/CHAMP-512 timing hash_65536: ABSENT" in run and page.read_text() != before
    gone.write_text(held)
    os.utime(gone, (1, 1))
    assert place.run(config=config).jobs == {"aggregate": 1, "render": 1, "all": 1} and page.read_text() == before
    page.write_text(before.replace("420 ns", "320 ns"))
    os.utime(page, (1, 1))
    run = place.run(config=config)
    assert run.jobs == {"render": 1, "all": 1} and "hash-04.md (edited since it was made)" in run
    assert page.read_text() == before
    table = stored.folder / "tables" / "performance.csv"
    table.write_text(table.read_text().replace(",420.0,", ",320.0,"))
    assert place.run(config=config).jobs == {"aggregate": 1, "render": 1, "all": 1} and page.read_text() == before
    assert "Nothing to be done" in place.run(config=config)


@pytest.fixture(scope="module")
def reprint(tmp_path_factory):
    """A place with a report of published figures."""
    place = workplace(tmp_path_factory.mktemp("reprint"))
    assert place.run(config=("system=arm_1", "candidates=hash-04")).status == 0
    return place


@pytest.mark.parametrize(
    ("target", "status", "told"),
    [
        ("host", 1, "facts differ from what arm_1 needs."),
        ("plan", 0, "Records: 152 of candidates"),
        ("audit", 1, "its report is made of published figures"),
        ("bundle", 1, "its report is made of published figures"),
        ("report", 0, "Report: results/arm_1/report/index.md"),
    ],
)
def test_commands_run_as_they_are_printed(reprint, target, status, told):
    """With no --cores: a profile that Snakemake finds by itself gives one, which the command line overrides."""
    command = [
        SNAKEMAKE,
        "--snakefile",
        reprint.snakefile,
        "--directory",
        reprint.path,
        target,
        "--config",
        "system=arm_1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    assert done.returncode == status and told in output and "cores have to be" not in output, output


def test_more_cores_are_used_where_they_are_given(place):
    run = place.run(config=("system=arm_1", "candidates=hash-04"), options=("--cores", "2", "--quiet", "host"))
    assert run.status == 0 and "Provided cores: 2" in run, run.output


def test_something_in_the_way_is_said_before_any_work(place):
    results = place.path / "results" / "arm_1"
    results.mkdir(parents=True)
    for name in ("tables", "report"):
        (results / name).write_text("")
        run = place.run(config=("system=arm_1", "candidates=hash-04"))
        sentence = f"ngcc-perf: results/arm_1/{name}: it is a file where a folder of results should be; take it away."
        assert run.status == 1 and sentence in run and "Traceback" not in run
        (results / name).unlink()
    shutil.rmtree(results)
    results.symlink_to("/nope")
    run = place.run("report", config=("system=arm_1", "candidates=hash-04"))
    assert run.status == 1 and "ngcc-perf: results/arm_1: it is a link to '/nope', which is not there" in run


def test_timing_again_what_is_not_timed_is_refused(place):
    for target in ((), ("report",)):
        run = place.run(*target, config=("system=arm_1", "candidates=hash-04", "retime=hash-04/CHAMP-512"))
        assert run.status == 1 and "retime: nothing is timed for a report of published evidence" in run
    assert not (place.path / "results").exists()
