"""What stored records and published figures must be to count, and what is said of those that do not."""

import shutil

import pytest

import machines
from evidence import UNFIT, Results
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.aggregate.tables import campaign as told
from ngcc_campaign.aggregate.tables import read
from ngcc_campaign.campaign import settings
from ngcc_campaign.campaign.campaign import Campaign
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.host.hostfacts import fitness, machine
from ngcc_campaign.published import published
from ngcc_campaign.run.session import check_places, check_published, check_retime, check_targets

CHAMP = {"CHAMP-512": 512, "CHAMP-1024": 1024}
RECORD = "records/hash-04/CHAMP-512__hash_32.json"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A working directory, on a host that is not arm_1."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NGCC_MACHINE", str(machines.virtual(tmp_path / "machine").root))
    return tmp_path / "results"


@pytest.fixture
def arm_1(place) -> Results:
    """All evidence of hash-04, as a campaign of arm_1 leaves it."""
    return Results(place / "arm_1", system="arm_1").complete("hash-04", CHAMP)


def made(**config) -> Campaign:
    return Campaign(settings.load({"system": "arm_1", "candidates": "hash-04"} | config))


def test_a_complete_set_counts(arm_1):
    assert made().holdings.no_stored == ""
    assert made().decision.kind == made(evidence="stored").decision.kind == "stored"
    assert made().stored_decision.kind == "stored"


def test_records_of_other_candidates_are_not_those_asked_for(arm_1):
    for candidates in ("hash-02", "hash-02,hash-30"):
        decision = made(candidates=candidates).decision
        assert decision.kind == "published"
        names = candidates.replace(",", ", ")
        assert decision.statement.startswith(f"Published figures (results/arm_1 holds no records of {names}); nothing")
        with pytest.raises(Mistake, match=f"evidence=stored: results/arm_1 holds no records of {names}; copy"):
            made(candidates=candidates, evidence="stored").decision  # noqa: B018
    assert made(candidates="hash-02,hash-04").decision.kind == "stored", "one of two is there"


def test_the_yardstick_alone_is_no_campaign(place):
    Results(place / "arm_1", system="arm_1").complete("yardstick", {"pseudoXOF-512": 512})
    assert "holds no records of hash-04" in made().holdings.no_stored
    assert made(candidates="yardstick").holdings.no_stored == ""


def of_another_system(results: Results) -> None:
    results.change("host.json", lambda host: host.update(system="x86_1"))


def without_host(results: Results) -> None:
    (results.folder / "host.json").unlink()


def cut_off(results: Results) -> None:
    (results.folder / "host.json").write_text("{")


def of_another_schema(results: Results) -> None:
    results.change("host.json", lambda host: host.pop("facts"))


def a_damaged_verdict(results: Results) -> None:
    (results.folder / "kat" / "hash-04" / "CHAMP-512.json").write_text("")


def without_submission(results: Results) -> None:
    shutil.rmtree(results.folder / "fetch")


def nothing_but_damaged_records(results: Results) -> None:
    for record in results.folder.glob("records/*/*.json"):
        results.change(str(record.relative_to(results.folder)), lambda record: record.pop("trials"))


def an_empty_folder(results: Results) -> None:
    shutil.rmtree(results.folder)
    results.folder.mkdir()


def of_another_machine(results: Results) -> None:
    for record in results.folder.glob("records/*/*.json"):
        results.change(
            str(record.relative_to(results.folder)), lambda record: record["made_from"].update(machine="aarch64; Oryon")
        )


FLAWS = {
    of_another_system: "results/arm_1/host.json is of system x86_1, not of arm_1, so the evidence beside it does not",
    without_host: "results/arm_1/host.json is not there, without which the records beside it do not count",
    cut_off: "results/arm_1/host.json: not JSON (Expecting property name",
    of_another_schema: "results/arm_1/host.json: 'facts' is missing",
    a_damaged_verdict: "results/arm_1/kat/hash-04/CHAMP-512.json: not JSON",
    without_submission: "no record in results/arm_1 gives a figure (its submission was not fetched)",
    nothing_but_damaged_records: "no record in results/arm_1 gives a figure (records/hash-04/CHAMP-512__hash_32.json: ",
    an_empty_folder: "results/arm_1 holds no records of hash-04",
    of_another_machine: "no record in results/arm_1 gives a figure (stale: it was measured on another machine",
}


@pytest.mark.parametrize("harm", FLAWS, ids=lambda harm: harm.__name__)
def test_a_set_that_does_not_count_is_decided_against_and_said(arm_1, harm):
    harm(arm_1)
    for decision in (made().decision, made().stored_decision):
        assert decision.kind == "published"
        assert decision.statement.startswith(f"Published figures ({FLAWS[harm]}"), decision.statement
        assert "; )" not in decision.statement and ".)" not in decision.statement
    for decide in ("decision", "stored_decision"):
        with pytest.raises(Mistake) as mistake:
            getattr(made(evidence="stored"), decide)
        assert str(mistake.value).startswith(f"evidence=stored: {FLAWS[harm]}")
        assert str(mistake.value).endswith("; copy the results of a campaign of arm_1 there.")


def test_the_host_is_not_needed_where_it_does_not_matter(arm_1, monkeypatch):
    monkeypatch.setenv("NGCC_MACHINE", "/nope")
    assert made(evidence="stored").decision.kind == "stored"
    assert made(evidence="published").decision.kind == "published"
    assert made().stored_decision.kind == "stored"
    with pytest.raises(Mistake, match="NGCC_MACHINE: '/nope' is no folder"):
        made().decision  # noqa: B018


def test_published_figures_of_other_candidates_are_not_those_asked_for(place):
    sentence = "resources/published/arm_1 has no figures of fips, but those of hash-02, hash-04, hash-07"
    with pytest.raises(Mistake, match=f"evidence=published: {sentence}"):
        made(candidates="fips", evidence="published").decision  # noqa: B018
    with pytest.raises(Mistake, match=rf"There are neither .* nor published figures \({sentence}"):
        made(candidates="fips").decision  # noqa: B018
    assert made(candidates="fips,hash-04").decision.kind == "published"


def test_damaged_published_figures_are_a_mistake_before_anything_is_made(place, tmp_path, monkeypatch):
    shutil.copytree(published.FOLDER, tmp_path / "published")
    monkeypatch.setattr(published, "FOLDER", tmp_path / "published")
    file = tmp_path / "published" / "arm_1" / "performance.csv"
    file.write_text(file.read_text().replace("50.7 k", "banana", 1))
    with pytest.raises(Mistake, match="performance.csv, line 2, mean_cycles: found 'banana'"):
        made().decision  # noqa: B018
    with pytest.raises(Mistake, match="performance.csv, line 2, mean_cycles: found 'banana'"):
        check_published(made(system="local"))


def test_a_system_to_compare_with_of_which_nothing_is_published_is_told_at_once(place, tmp_path, monkeypatch):
    check_published(made(system="local", compare="arm_1"))
    monkeypatch.setattr(published, "FOLDER", tmp_path / "nothing")
    check_published(made(system="local"))
    with pytest.raises(Mistake, match="compare: nothing is published for system 'arm_1'"):
        check_published(made(system="local", compare="arm_1"))


def test_any_candidate_counts_where_nobody_said_which(place):
    local = Results(place / "local").complete("mine", {"a": 256})
    open_campaign = {"system": "local", "candidates": "default"}
    assert made(**open_campaign).stored_decision.kind == "stored"
    shutil.rmtree(local.folder / "fetch")
    with pytest.raises(Mistake, match=r"no record in results/local gives a figure \(no submission was fetched\)"):
        made(**open_campaign).stored_decision  # noqa: B018
    shutil.rmtree(local.folder)
    with pytest.raises(Mistake, match="report: results/local holds no records, and no figures of 'local' are in"):
        made(**open_campaign).stored_decision  # noqa: B018


# Single records that are not the host's


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("machine", "x86_64; Another CPU", "it was measured on another machine ('x86_64; Another CPU')"),
        ("fitness", "governor: powersave", "it was measured in another state of the machine ('governor: powersave')"),
    ],
)
@pytest.mark.parametrize("file", [RECORD, "memory/hash-04/CHAMP-512.json"])
def test_evidence_of_another_machine_or_state_gives_no_figure(arm_1, file, name, text, sentence):
    arm_1.change(file, lambda document: document["made_from"].update({name: text}))
    aggregate(arm_1.folder, ["hash-04"], "stored")
    table = "performance" if file == RECORD else "memory"
    strange = [row for row in read(arm_1.folder, table) if row["status"] != "MEASURED"]
    assert len(strange) == (1 if file == RECORD else 8)
    assert all(row["status"] == "STALE" and sentence in row["reason"] for row in strange)
    assert made().decision.kind == "stored", "the others count"


def test_evidence_of_this_machine_in_this_state_counts(place):
    results = Results(place / "arm_1", system="arm_1", unfit=UNFIT).complete("hash-04", CHAMP)
    own = {"machine": machine(results.facts), "fitness": fitness(UNFIT)}
    results.change(RECORD, lambda document: document["made_from"].update(own))
    aggregate(results.folder, ["hash-04"], "stored")
    assert told(results.folder)["records_there"] == "16"


# What stands in the way of a run


def occupied(campaign: Campaign) -> str:
    with pytest.raises(Mistake) as mistake:
        check_places(campaign.results, [*campaign.tables, *campaign.pages, *campaign.notes, *campaign.evidence])
    return str(mistake.value)


@pytest.mark.parametrize(
    "name", ["", "tables", "report", "records", "kat", "bin", "logs", "build/hash-04", "kat/hash-04"]
)
def test_a_file_where_a_folder_should_be_is_named(place, name):
    path = place / "arm_1" / name
    path.parent.mkdir(parents=True)
    path.write_text("")
    relative = path.relative_to(place.parent)
    assert occupied(made()) == f"{relative}: it is a file where a folder of results should be; take it away."


@pytest.mark.parametrize(
    "name", ["host.json", "report/beside.json", "tables/made.json", "tables/campaign.csv", "report/index.md", RECORD]
)
def test_a_folder_where_a_file_should_be_is_named(place, name):
    (place / "arm_1" / name).mkdir(parents=True)
    assert occupied(made()) == f"results/arm_1/{name}: it is a folder where a file should be; take it away."


@pytest.mark.parametrize("name", ["results", "results/arm_1", "results/arm_1/report", "results/arm_1/records/hash-04"])
def test_a_link_that_leads_nowhere_is_named(place, name):
    path = place.parent / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/nope/elsewhere")
    assert (
        occupied(made()) == f"{name}: it is a link to '/nope/elsewhere', which is not there; mend it, or take it away."
    )


def test_a_link_that_leads_somewhere_is_a_folder(place, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    place.mkdir()
    (place / "arm_1").symlink_to(tmp_path / "elsewhere")
    campaign = made()
    check_places(campaign.results, [*campaign.tables, *campaign.pages, *campaign.evidence])


def test_timing_again_where_nothing_is_timed_is_a_mistake(arm_1):
    campaign = made(retime="hash-04/CHAMP-512")
    for decision in (campaign.decision, campaign.stored_decision):
        with pytest.raises(
            Mistake, match="retime: nothing is timed for a report of stored evidence .From records.*; lea"
        ):
            check_retime(campaign, decision)
    measuring = made(retime="hash-04/CHAMP-512", unfit_host="allow")
    check_retime(measuring, measuring.decision)
    check_retime(made(), made().decision)


# What to do about damage


@pytest.mark.parametrize(
    ("kind", "remedy"),
    [("measured", "delete it and run again"), ("stored", "copy it here again from where it was measured")],
)
def test_advice_fits_the_kind_of_evidence(arm_1, kind, remedy):
    arm_1.change(RECORD, lambda record: record.pop("trials"))
    aggregate(arm_1.folder, ["hash-04"], kind)
    assert [row["reason"] for row in read(arm_1.folder, "performance") if row["status"] == "UNUSABLE"][0].endswith(
        remedy
    )
    for name, damage in (("fetch/hash-04.json", "{"), ("kat/hash-04/CHAMP-512.json", '{"schema": "x"}')):
        whole = (arm_1.folder / name).read_text()
        (arm_1.folder / name).write_text(damage)
        with pytest.raises(Mistake, match=rf"{name}: .*; {remedy}\.$"):
            aggregate(arm_1.folder, ["hash-04"], kind)
        (arm_1.folder / name).write_text(whole)


KNOWN = {"all", "report", "host", "plan", "audit", "bundle", "compare"}


def test_a_setting_among_the_targets_is_told_where_it_belongs():
    with pytest.raises(Mistake, match=r"^fail_above=5: there is no such target; did you mean --config fail_above=5\?$"):
        check_targets({"all", "fail_above=5"}, KNOWN)
    with pytest.raises(Mistake, match=r"--config baseline=a candidate=b\?$"):
        check_targets({"candidate=b", "baseline=a"}, KNOWN)
    check_targets({"all", "results/local/a=b.json"}, KNOWN)


def test_a_word_that_is_no_target_is_told_the_one_it_is_like(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Mistake, match=r"^plna: there is no such target; did you mean plan\?$"):
        check_targets({"all", "plna"}, KNOWN)
    with pytest.raises(Mistake, match=r"^xyz: .*; did you mean all or audit or bundle or compare or host or plan or "):
        check_targets({"xyz"}, KNOWN)
    (tmp_path / "xyz").touch()
    check_targets({"xyz", "plan", "results/local/plna.json"}, KNOWN)
