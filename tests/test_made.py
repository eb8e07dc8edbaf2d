"""Tables and pages are what the evidence gives, by content: whatever was added, taken away or edited, and whenever."""

import json
import os
import shutil
from pathlib import Path

import pytest

import machines
from evidence import Results
from ngcc_campaign import cli
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate, aggregate_published
from ngcc_campaign.campaign import made, settings, staleness
from ngcc_campaign.campaign.campaign import Campaign
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.root import ROOT
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.published import published
from ngcc_campaign.render import beside
from ngcc_campaign.render.render import render

CHAMP = {"CHAMP-512": 512, "CHAMP-1024": 1024}
RECORD = "records/hash-04/CHAMP-512__hash_32.json"
NAMED = ("x86_1", "arm_1")


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch) -> Path:
    """A working directory with published figures of its own, on a host that is not arm_1."""
    shutil.copytree(published.FOLDER, tmp_path / "published")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(published, "FOLDER", tmp_path / "published")
    monkeypatch.setenv("NGCC_MACHINE", str(machines.virtual(tmp_path / "machine").root))
    return tmp_path


def campaign(**config) -> Campaign:
    return Campaign(settings.load({"system": "arm_1", "candidates": "hash-04"} | config))


def stale(**config) -> dict[str, str]:
    now = campaign(**config)
    return {path.relative_to(now.results).as_posix(): reason for path, reason in now.stale.items()}


def make(now: Campaign) -> None:
    """Tables and pages as the workflow makes them."""
    decision = now.decision
    if decision.kind == "published":
        aggregate_published(now.results, now.published, now.compared, decision.statement)
    else:
        everything = now.settings.is_open
        aggregate(now.results, None if everything else now.settings.candidates, decision.kind, decision.statement)
    render(now.results, systems=NAMED, compare=now.settings.compare, published=published.FOLDER)


@pytest.fixture
def stored() -> Results:
    """A finished report of stored evidence of hash-04."""
    results = Results(Path("results/arm_1"), system="arm_1").complete("hash-04", CHAMP).own()
    make(campaign())
    assert campaign().kind == "stored" and stale() == {}
    return results


@pytest.fixture
def reprint(place) -> Path:
    """The results of a finished report of published figures of hash-04."""
    make(campaign())
    assert campaign().kind == "published" and stale() == {}
    return Path("results/arm_1")


def keep_time(file: Path, alter) -> None:
    """Edit a text as `cp -p` or `rsync -a` would: its time stamp stays, and is old."""
    file.write_text(alter(file.read_text(encoding="utf-8")), encoding="utf-8")
    os.utime(file, (1, 1))


def test_both_files_fit_their_schema(stored):
    for folder in ("tables", "report"):
        validate(json.loads((stored.folder / folder / made.NAME).read_text()), "made", folder)


@pytest.mark.parametrize(
    "gone", [RECORD, "kat/hash-04/CHAMP-1024.json", "memory/hash-04/CHAMP-512.json", "records/empty_call.json"]
)
def test_evidence_that_is_taken_away_makes_the_tables_stale(stored, gone):
    (stored.folder / gone).unlink()
    assert stale() == {"tables/candidates.csv": f"{gone} is gone"}
    make(campaign())
    assert stale() == {}


def test_evidence_that_is_added_or_changed_is_noticed_whatever_its_time(stored):
    keep_time(stored.folder / RECORD, lambda text: text.replace("\n", "\n ", 1))
    assert stale() == {"tables/candidates.csv": f"{RECORD} changed"}
    shutil.rmtree(stored.folder / "memory")
    assert stale() == {"tables/candidates.csv": "memory/hash-04/CHAMP-1024.json is gone, and 2 more"}
    make(campaign())
    Path(stored.folder / "memory/hash-04").mkdir(parents=True)
    stored.memory("hash-04", "CHAMP-512", 512)
    assert stale() == {"tables/candidates.csv": "memory/hash-04/CHAMP-512.json was added"}


def test_evidence_of_candidates_that_are_not_shown_is_nothing(stored):
    stored.complete("fips", {"SHA-512": 512})
    assert stale() == {}


def test_touching_and_copying_make_nothing_stale(stored, place):
    for path in stored.folder.rglob("*"):
        os.utime(path, (2e9, 2e9))
    shutil.copytree(place / "results", place / "other" / "results")
    os.chdir(place / "other")
    assert stale() == {}


@pytest.mark.parametrize("file", ["performance.csv", "kat.csv", "environment.yaml"])
def test_published_figures_that_change_are_noticed_whatever_their_time(reprint, place, file):
    keep_time(place / "published" / "arm_1" / file, lambda text: text.replace("PASS", "NOKAT", 1) + "\n")
    assert stale() == {"tables/candidates.csv": f"published/{file} changed"}


def test_a_candidate_file_that_changes_is_noticed(place):
    shutil.copytree(ROOT / "resources" / "candidates", place / "catalog")
    make(campaign(catalog="catalog"))
    assert stale(catalog="catalog") == {}
    keep_time(place / "catalog" / "hash-04.yaml", lambda text: text + "# a word\n")
    assert stale(catalog="catalog") == {"tables/candidates.csv": "candidates/hash-04.yaml changed"}


@pytest.mark.parametrize("table", ["performance", "missing", "campaign", "unfit"])
def test_an_edited_table_is_no_evidence(stored, table, capsys):
    keep_time(tables.path(stored.folder, table), lambda text: text.replace("arm_1", "arm_1 ").replace("\n", "\r\n"))
    assert "edited since it was made" in stale().values() or "another kind of evidence" in stale().values()
    assert cli.main(["render", str(stored.folder)]) == 1
    assert f"results/arm_1/tables/{table}.csv: not as 'aggregate' left it; run 'aggregate' again." in (
        capsys.readouterr().err
    )


def test_an_edited_figure_names_its_table(stored):
    keep_time(tables.path(stored.folder, "performance"), lambda text: text.replace(",420.0,", ",320.0,"))
    assert stale() == {"tables/performance.csv": "edited since it was made"}


def test_tables_whose_origin_is_not_said_are_made_again_and_not_rendered(stored, capsys):
    (stored.folder / "tables" / made.NAME).unlink()
    assert stale() == {"tables/candidates.csv": "what it is made from is not said"}
    assert cli.main(["render", str(stored.folder)]) == 1 and "made.json: not as" in capsys.readouterr().err


@pytest.mark.parametrize("page", ["index.md", "hash-04.md", "systems.md", "method.md"])
def test_an_edited_page_is_rendered_again(stored, page):
    keep_time(stored.folder / "report" / page, lambda text: text.replace("a", "b", 1))
    assert stale() == {f"report/{page}": "edited since it was made"}


@pytest.mark.parametrize("page", ["html/en/index.html", "html/zh/hash-04.html", "html/site.css"])
def test_an_edited_page_of_the_site_is_rendered_again_with_the_index(stored, page):
    keep_time(stored.folder / "report" / page, lambda text: text.replace("a", "b", 1))
    assert stale() == {"report/index.md": f"{page} was edited since it was made"}
    (stored.folder / "report" / page).unlink()
    assert stale() == {"report/index.md": f"{page} was edited since it was made"}


def test_pages_are_of_the_tables_that_are_there(stored):
    held = (stored.folder / "report").rename(stored.folder / "held")
    stored.change(RECORD, lambda record: record.update(retry=True))
    make(campaign())
    shutil.rmtree(stored.folder / "report")
    held.rename(stored.folder / "report")
    assert stale() == {"report/index.md": "tables/evidence.csv changed, and 1 more"}


def test_a_report_is_stale_where_published_figures_beside_it_change(stored, place):
    """The ratio column, and the page that sets systems side by side, are made from them."""
    compared = {"compare": "x86_1"}
    make(campaign(**compared))
    assert stale(**compared) == {}
    keep_time(place / "published" / "x86_1" / "kat.csv", lambda text: text + "\n")
    assert stale(**compared) == {}, "no page beside it shows a verdict"
    lines = (place / "published" / "x86_1" / "performance.csv").read_text()
    row = next(line for line in lines.splitlines() if line.startswith("hash-04,CHAMP-512,32,"))
    keep_time(place / "published" / "x86_1" / "performance.csv", lambda text: text.replace(f"{row}\n", ""))
    for config in (compared, {}):
        assert stale(**config) == {"report/index.md": "made with another compare, or beside other reports"}
    make(campaign(**compared))
    assert "x86_1" in (stored.folder / "report" / "systems.md").read_text()


def test_a_report_of_all_that_is_stored_shows_what_nobody_asked_for(place):
    results = Results(Path("results/local")).complete("mine", {"a": 256}).own()
    whole = {"system": "local", "candidates": "default", "evidence": "stored"}
    now = campaign(**whole)
    assert now.shown == ["mine"] and results.folder / "report" / "mine.md" in now.pages
    assert results.folder / RECORD.replace("hash-04/CHAMP-512", "mine/a") in now.inputs
    make(now)
    assert all(page.is_file() for page in now.pages) and stale(**whole) == {}


# Of which machine stored evidence is


def test_deviations_are_those_of_the_profile_as_it_is_now(stored, monkeypatch):
    """What host.json says of itself is not believed: it was edited, or the profile was."""
    stored.change("host.json", lambda host: host["facts"].update(governor="powersave"))
    make(campaign())
    (row,) = tables.read(stored.folder, "unfit")
    assert (row["fact"], row["expected"], row["found"]) == ("governor", "performance", "powersave")
    assert "governor: expected performance, found powersave" in (stored.folder / "report" / "hash-04.md").read_text()
    profile = settings.load_system("arm_1")
    profile["expected"] |= {"governor": "powersave"}
    monkeypatch.setattr("ngcc_campaign.host.host.load_system", lambda name: profile)
    found = staleness.stale_tables(campaign())
    assert list(found.values()) == ["the system's profile changed"]


@pytest.mark.parametrize(
    ("fact", "value", "sentence"),
    [
        ("architecture", "x86_64", "architecture: expected aarch64, found x86_64"),
        ("cpu_model", "Example CPU", "processor: expected Qualcomm Oryon, found Example CPU"),
        ("machine", None, "machine: expected ASUS Vivobook S 15, found unknown"),
    ],
)
def test_evidence_of_another_machine_is_not_the_systems_whatever_it_calls_itself(stored, fact, value, sentence):
    stored.change("host.json", lambda host: host["facts"].update({fact: value}))
    told = f"results/arm_1/host.json tells of a machine that is not arm_1 ({sentence}), so the evidence beside it"
    assert campaign().decision.statement.startswith(f"Published figures ({told} does not count)")
    with pytest.raises(Mistake) as mistake:
        campaign(evidence="stored").decision  # noqa: B018
    assert told in str(mistake.value)


# What other systems' reports take from it


def beside_x86_1(**changes) -> beside.Beside:
    (row,) = tables.read(Path("results/arm_1"), "campaign")
    x86_1 = row | {"system": "x86_1", "evidence": "stored"} | changes
    return beside.look(Path("results/x86_1"), x86_1, ["index"], NAMED, None, published.FOLDER)


def test_tables_count_as_those_of_their_system_only(stored):
    assert beside_x86_1().columns["arm_1"].evidence == "stored, cycles estimated"
    assert beside_x86_1().links["index"] == ["arm_1"]
    other = Results(Path("results/other"), system="x86_1").complete("hash-04", CHAMP).own()
    aggregate(other.folder, None)
    shutil.rmtree(stored.folder / "tables")
    shutil.copytree(other.folder / "tables", stored.folder / "tables")
    assert beside_x86_1().columns["arm_1"].evidence == "published", "the tables in results/arm_1 are of x86_1"
    assert beside_x86_1().links["index"] == []


def test_edited_tables_and_those_of_another_machine_do_not_count(stored):
    stored.change("host.json", lambda host: host["facts"].update(architecture="x86_64"))
    aggregate(stored.folder, None)
    assert beside_x86_1().columns["arm_1"].evidence == "published"
    stored.change("host.json", lambda host: host["facts"].update(architecture="aarch64"))
    aggregate(stored.folder, None, "stored")
    assert beside_x86_1().columns["arm_1"].evidence == "stored, cycles estimated"
    keep_time(tables.path(stored.folder, "performance"), lambda text: text.replace(",420.0,", ",320.0,"))
    assert beside_x86_1().columns["arm_1"].evidence == "published"


def test_published_figures_are_set_side_by_side_whole(reprint):
    """The report in results/arm_1 shows one of the five candidates that are published."""
    shown = {"hash-02", "hash-04", "hash-07", "hash-30", "hash-34"}
    assert {place[0] for place in beside_x86_1().columns["arm_1"].figures} == shown
    text = (reprint / "report" / "systems.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| AXIS-512 ")]
    assert len(rows) == 8 and not any("–" in row for row in rows), "so, too, on its own page"
