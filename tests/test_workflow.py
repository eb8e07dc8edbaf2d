"""The whole way, from sources to pages, and what a second run does."""

import json
import os
import shutil

import pytest

from ngcc_campaign.aggregate import tables
from ngcc_campaign.common.schemas import validate
from terminals import on_terminal, seen
from workplaces import Workplace, environment, workplace

# With fips comes the yardstick at its width, pseudoXOF-512: three instances in all.
FIPS = ("candidates=fips",)


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Workplace:
    """A workplace whose campaign of two instances has run; tests copy it before they change it."""
    place = workplace(tmp_path_factory.mktemp("finished"))
    run = place.run(config=FIPS)
    assert run.status == 0, run.output
    place.first = run
    return place


@pytest.fixture
def place(finished, tmp_path) -> Workplace:
    shutil.copytree(finished.path, tmp_path / "place", symlinks=True)
    return Workplace(tmp_path / "place")


def times(place: Workplace) -> dict[str, str]:
    """When each record was started, by its name."""
    return {
        path.name: json.loads(path.read_text())["started_utc"] + path.read_text()
        for path in place.results.rglob("records/**/*.json")
    }


def test_a_first_run_leaves_all_evidence_and_says_where_the_report_lies(finished):
    results = finished.results
    assert finished.first.output.rstrip().endswith("Report: results/local/report/index.md") or (
        "Report: results/local/report/index.md" in finished.first
    )
    pages = {"index", "method", "ranking", "systems", "fips", "yardstick", "summary"}
    assert {path.stem for path in (results / "report").iterdir()} == {*pages, "beside", "made", "html", "latex"}
    for stage, schema, count in (
        ("fetch/*.json", "fetch", 2), ("build/*/*/build.json", "build", 3), ("kat/*/*.json", "kat", 3),
        ("records/*/*.json", "record", 24), ("memory/*/*.json", "memory", 3), ("host.json", "host", 1),
        ("bin/drivers.json", "drivers", 1), ("records/empty_call.json", "record", 1),
    ):  # fmt: skip
        files = list(results.glob(stage))
        assert len(files) == count
        for file in files:
            validate(json.loads(file.read_text()), schema, file)
    assert all(json.loads(path.read_text())["verdict"] == "PASS" for path in results.glob("kat/*/*.json"))
    assert all(json.loads(path.read_text())["status"] == "MEASURED" for path in results.glob("records/*/*.json"))
    assert {row["status"] for row in tables.read(results, "performance")} == {"MEASURED"}


def test_no_evidence_and_no_page_names_a_path_of_this_machine(finished):
    kept = [path for path in finished.results.rglob("*") if path.suffix in (".json", ".csv", ".md", ".log")]
    named = [path for path in kept if "logs" not in path.parts and str(finished.path) in path.read_text()]
    assert kept and not named


def test_an_unchanged_tree_does_nothing(place):
    run = place.run(config=FIPS)
    assert run.status == 0 and "Nothing to be done" in run and "Report: results/local/report/index.md" in run


def test_a_changed_source_redoes_that_instance_only(place):
    before = times(place)
    source = next((place.path / "resources" / "bundled" / "fips").rglob("SHA-512/*.c"))
    source.write_text(source.read_text() + "/* a comment */\n")
    run = place.run(config=FIPS)
    assert run.status == 0
    assert run.jobs == {
        "fetch": 1, "build": 1, "verify": 1, "measure": 8, "memory": 1, "aggregate": 1, "render": 1, "all": 1
    }  # fmt: skip
    changed = {name for name, text in times(place).items() if text != before[name]}
    assert changed == {name for name in before if name.startswith("SHA-512__")}


def test_a_changed_plan_re_times_without_rebuilding(place):
    run = place.run(config=(*FIPS, "trials=3"))
    assert run.status == 0
    assert run.jobs == {"measure": 24, "measure_own": 10, "aggregate": 1, "render": 1, "all": 1}


def test_a_deleted_page_is_rendered_again(place):
    page = place.results / "report" / "fips.md"
    text = page.read_text()
    page.unlink()
    run = place.run(config=FIPS)
    assert run.status == 0 and run.jobs == {"render": 1, "all": 1}
    assert page.read_text() == text


def test_evidence_that_changed_is_noticed_whatever_its_time(place):
    """As when a record is copied here with its old time stamp."""
    record = place.results / "records" / "fips" / "SHA-512__hash_32.json"
    record.write_text(record.read_text() + "\n")
    os.utime(record, (1, 1))
    run = place.run(config=FIPS)
    assert run.status == 0 and run.jobs == {"aggregate": 1, "render": 1, "all": 1}, run.output
    assert "records/fips/SHA-512__hash_32.json changed" in run
    assert "Nothing to be done" in place.run(config=FIPS)


def test_one_instance_is_timed_again_on_request(place):
    before = times(place)
    run = place.run(config=(*FIPS, "retime=fips/SHA3-512"))
    assert run.status == 0 and run.jobs["measure"] == 8
    changed = {name for name, text in times(place).items() if text != before[name]}
    assert changed == {name for name in before if name.startswith("SHA3-512__")}


def test_one_record_by_its_name(place):
    record = "results/local/records/fips/SHA3-512__hash_32.json"
    run = place.run(record, config=FIPS, options=("--forcerun", record))
    assert run.status == 0 and run.jobs == {"measure": 1}


@pytest.fixture
def on_a_terminal(place):
    """on_a_terminal(**changes) -> a run there that times one record again: status, all that was written."""
    record = "results/local/records/fips/SHA3-512__hash_1024.json"

    def run(*options: str, interrupt_at: str = "\0", config=()) -> tuple[int, str]:
        command = place.command(record, config=(*FIPS, *config), options=("--forcerun", record, *options))
        return on_terminal(command, environment(), interrupt_at=interrupt_at)

    return run


REGION = "timing, 0 of 1 done · fips SHA3-512 1 KiB"


def test_on_a_terminal_a_person_sees_how_far_it_is_and_nothing_of_that_is_left(on_a_terminal):
    status, said = on_a_terminal()
    assert status == 0 and REGION in said and " left by the plan, done about " in said
    left = seen(said)
    assert not [line for line in left if "timing" in line]
    assert not [line for line in left if "steps" in line or line.startswith(("Finished", "Execute", "Select"))]
    assert "Building DAG of jobs..." in left and left[-2].startswith("Elapsed time")


def test_what_is_interrupted_leaves_the_terminal_clean_and_says_how_to_go_on(on_a_terminal):
    status, said = on_a_terminal(interrupt_at=REGION, config=("target_seconds=10",))
    left = seen(said)
    assert status == 130 and not [line for line in left if line.startswith("timing")]
    assert left[-3] == "ngcc-perf: interrupted." and left[-2].startswith("What is done is kept"), said


def test_an_interrupt_is_heeded_before_there_are_jobs(on_a_terminal):
    status, said = on_a_terminal(interrupt_at="Building DAG", config=("target_seconds=10",))
    assert status == 130 and seen(said)[-3].endswith("ngcc-perf: interrupted.") and "Traceback" not in said


def test_a_terminal_stays_quiet_where_the_person_wants_it(on_a_terminal):
    for quiet in ("progress", "all"):
        status, said = on_a_terminal("--quiet", quiet)
        assert status == 0 and "timing" not in said


def test_a_log_of_a_short_run_has_snakemakes_lines_and_no_region(place):
    record = "results/local/records/fips/SHA3-512__hash_1024.json"
    run = place.run(record, config=FIPS, options=("--forcerun", record))
    assert "1 of 1 steps (100%) done" in run and "timing, " not in run and "\x1b" not in run


def test_pages_come_again_from_results_copied_into_a_fresh_clone(finished, clone, tmp_path):
    """No compiler, no driver, no network, no sources, no metadata of Snakemake's."""
    shutil.copytree(finished.results, clone / "results" / "local")
    pages = told(finished.results / "report")
    shutil.rmtree(clone / "results" / "local" / "report")
    shutil.rmtree(clone / "results" / "local" / "tables")
    shutil.rmtree(clone / "results" / "local" / "bin")
    shutil.rmtree(clone / "resources" / "bundled")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("bash", "sh", "env", "tee", "cat"):
        (tools / tool).symlink_to(shutil.which(tool))
    place = Workplace(clone, clone / "Snakefile")
    run = place.run("report", env={"PATH": str(tools)})
    assert run.status == 0, run.output
    assert told(place.results / "report") == pages


def told(report) -> dict[str, list[str]]:
    """The pages of one system, less the lines that say where the evidence comes from."""
    return {
        page.name: [
            line for line in page.read_text().splitlines() if "**Evidence:" not in line and "**Scope:" not in line
        ]
        for page in report.glob("*.md")
        if page.name != "systems.md"
    }


def test_results_copied_into_a_fresh_clone_are_measured_again_only_where_they_are_not_of_this_machine(
    finished, tmp_path
):
    place = workplace(tmp_path / "other")
    shutil.copytree(finished.results, place.results)
    run = place.run(config=FIPS, options=("--dry-run",))
    assert "measure" not in run.jobs and "build" not in run.jobs


def test_what_nobody_measures_with_makes_nothing_stale(place, clone):
    shutil.copytree(place.results, clone / "results" / "local")
    other = Workplace(clone, clone / "Snakefile")
    assert other.run(config=FIPS).status == 0
    (clone / "README.md").write_text("changed")
    for rules in (clone / "workflow" / "rules").glob("*.smk"):
        rules.write_text(rules.read_text() + "\n# a comment\n")
    for path in clone.rglob("*"):
        if path.is_file():
            path.touch()
    run = other.run(config=FIPS, options=("--dry-run",))
    assert not {"build", "verify", "measure", "memory"} & set(run.jobs), run.output
    template = clone / "workflow" / "templates" / "method.md.j2"
    template.write_text(template.read_text() + "\nChanged.\n")
    run = other.run(config=FIPS)
    assert run.status == 0 and "measure" not in run.jobs and run.jobs["render"] == 1


def test_timing_jobs_take_the_whole_machine_though_more_cores_are_given(tmp_path):
    place = workplace(tmp_path / "cores")
    run = place.run(config=FIPS, options=("--cores", "4", "--quiet", "host"))
    assert run.status == 0, run.output
    jobs = [job for job in run.output.split("\n\n") if "rule measure" in job]
    assert len(jobs) == 24 + 10 and all("threads: 4" in job for job in jobs)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (("candidats=fips",), "unknown key 'candidats'; did you mean 'candidates'?"),
        (("candidates=",), "candidates: empty"),
        (("candidates=nosuch",), "there is no 'nosuch'"),
        (("system=nosuch",), "there is no 'nosuch' in config/systems"),
        (("trials=0",), "trials: 0 is less than"),
        (("trials=abc",), "configuration: trials: found 'abc'; expected: a whole number from 1 to 100\n"),
        (("kat=fast",), "kat: 'fast' is not one of"),
    ],
)
def test_a_mistake_in_the_configuration_is_one_sentence(tmp_path, config, sentence):
    place = workplace(tmp_path / "place")
    run = place.run(config=config)
    assert run.status in (1, 2) and sentence in run and "Traceback" not in run
    assert not place.results.exists(), "nothing was begun"
