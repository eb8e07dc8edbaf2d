"""Every report says which evidence it shows, how much of it is there, and what is no measurement."""

from pathlib import Path

import pytest

from evidence import UNFIT, Results
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.render.render import render
from ngcc_campaign.render.site import names

CATALOGUE = Path(__file__).parents[1] / "resources" / "candidates"
FIVE = ("hash-02", "hash-04", "hash-07", "hash-30", "hash-34")


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path / "results" / "arm_1", system="arm_1").complete("iccs", {"a": 256, "b": 512}).own()


def pages(results: Results, **options) -> dict[str, str]:
    return {path.stem: path.read_text(encoding="utf-8") for path in render(results.folder, **options)}


def campaign(results: Results, *arguments) -> dict[str, str]:
    aggregate(results.folder, *arguments)
    return tables.campaign(results.folder)


def test_a_measured_campaign_says_so(results):
    assert campaign(results, None) == {
        "system": "arm_1", "description": "a machine made up", "evidence": "measured", "statement": "",
        "emulated": "no", "records_there": "16", "records_asked": "16", "noise_floor": "0.0",
    }  # fmt: skip
    assert all(
        "\n**Evidence: measured, 16 of the campaign's 16 records.**\n" in text for text in pages(results).values()
    )


def test_an_incomplete_stored_set_counts_what_its_candidates_ask_for(tmp_path):
    """All evidence but that of hash-07, six instances of which nothing is stored."""
    candidates = [load_candidate(CATALOGUE / f"{name}.yaml") for name in FIVE]
    results = Results(tmp_path / "arm_1", system="arm_1")
    for candidate in candidates:
        if candidate.id != "hash-07":
            bits = {instance.name: instance.digest_bits for instance in candidate.instances}
            results.complete(candidate.id, bits)
    found = campaign(results, candidates, "stored", "From records stored in results/arm_1.")
    assert (found["evidence"], found["records_there"], found["records_asked"]) == ("stored", "104", "152")
    shown = pages(results)
    assert shown.keys() == {"index", "method", "ranking", *FIVE}
    for text in shown.values():
        assert (
            "**Evidence: stored, 104 of the campaign's 152 records (– for the others).** From records stored in"
            " results/arm_1." in text
        )
    absent = [line for line in shown["hash-07"].splitlines() if line.startswith("| Dragon-XOF-384 ") and " B " in line]
    assert len(absent) == 8 and all(line.count(" – ") == 8 for line in absent)
    assert "# hash-07 Dragon Hash Family —" in shown["hash-07"]
    assert "not fetched: ABSENT: fetch/hash-07.json is absent" in shown["index"]


def test_lost_records_are_not_there(results):
    (results.folder / "records/iccs/a__hash_32.json").unlink()
    assert campaign(results, None, "stored")["records_there"] == "15"


def test_what_is_excluded_was_not_asked_for(results):
    results.instance("iccs", "a", 256, timed=False, kat_exception={"action": "exclude", "cause": "withdrawn"})
    found = campaign(results, None)
    assert (found["records_there"], found["records_asked"]) == ("8", "8")


def test_the_yardstick_stands_apart_and_gives_the_ratio(results):
    results.complete("yardstick", {f"pseudoXOF-{bits}": bits for bits in (512, 1152, 1280)})
    for folder in ("build", "kat", "records"):  # widths of its file that this campaign did not ask for
        for path in (results.folder / folder / "yardstick").glob("pseudoXOF-1[12]*"):
            path.rename(results.folder / f"{folder}-{path.name}")
    assert campaign(results, None)["records_asked"] == "16"
    rows = tables.read(results.folder, "performance")
    assert {row["instance"] for row in rows if row["candidate"] == "yardstick"} == {"pseudoXOF-512"}
    assert {row["ratio_to_pseudoxof"] for row in rows if row["instance"] == "b"} == {"1.0"}
    shown = pages(results)
    assert "Apart from these, the yardstick: 8 of 8 records." in shown["index"]
    assert "pseudoXOF-1152" not in shown["yardstick"] and "yardstick" not in {
        row["candidate"] for row in tables.read(results.folder, "missing")
    }


DIFFERS = "This host is not arm_1:\n- machine: expected *Vivobook*\n\n  b: <i>"


@pytest.mark.parametrize(
    ("statement", "end"),
    [
        (DIFFERS, " ([what to do](index.md#why-nothing-was-measured-here)).\n"),
        (
            f"{DIFFERS}\nc: d\ne: f",
            "; c: d; and 1 more ([all 4, and what to do](index.md#why-nothing-was-measured-here)).\n",
        ),
    ],
)
def test_the_first_further_lines_stand_in_the_banner_and_all_on_the_index(results, statement, end):
    aggregate(results.folder, None, "stored", statement)
    shown = pages(results)
    for text in shown.values():
        assert f"** This host is not arm_1: machine: expected \\*Vivobook\\*; b: &lt;i&gt;{end}" in text
        assert ("\n## Why nothing was measured here\n" in text) == (text is shown["index"])
    listed = "".join(f"- {line}\n" for line in ("c: d", "e: f") if line in statement)
    assert f"\n\n- machine: expected \\*Vivobook\\*\n- b: &lt;i&gt;\n{listed}\n" in shown["index"]


@pytest.mark.parametrize("virtual", ["emulated by qemu-aarch64 7.2.22", "emulated by qemu"])
def test_emulated_evidence_is_called_so_on_every_page(tmp_path, virtual):
    results = Results(tmp_path / "local", virtual=virtual, unfit=UNFIT).complete("iccs", {"a": 256}).own()
    assert campaign(results, None)["emulated"] == "yes"
    shown = pages(results, systems=["arm_1"])
    assert all(
        "> **Emulated: no figure here is a measurement.**" in shown[name] for name in ("index", "method", "iccs")
    )
    assert "measured, emulated, unfit host, cycles estimated |" in shown["systems"]
    assert "local \\* time" in shown["systems"]
    assert f"median 2.50 GHz, 2.50 to 2.50 GHz, {virtual} " in shown["iccs"]


def test_a_virtual_machine_is_not_emulated(tmp_path):
    results = Results(tmp_path / "local", virtual="kvm").complete("iccs", {"a": 256})
    assert campaign(results, None)["emulated"] == "no"
    assert not any("Emulated" in text for text in pages(results).values())


def test_the_breadcrumb_links_systems_that_have_the_page(results):
    aggregate(results.folder, None)
    sister = results.folder.parent / "x86_1" / "report"
    for page in ("iccs.md", *(names.page(language, "iccs") for language in names.LANGUAGES)):
        (sister / page).parent.mkdir(parents=True, exist_ok=True)
        (sister / page).touch()
    crumbs = {name: text.splitlines()[0] for name, text in pages(results, systems=["x86_1", "arm_1"]).items()}
    assert crumbs["iccs"].endswith("› iccs · system: [x86_1](../../x86_1/report/iccs.md) · arm_1")
    assert crumbs["method"].endswith("› method · system: x86_1 · arm_1")
    assert pages(results, systems=["x86_1"])["iccs"].splitlines()[0] == crumbs["iccs"]


@pytest.mark.parametrize(
    ("text", "flaw"),
    [
        ("", r"damaged \(its row is absent\); run 'aggregate' again"),
        ("guessed", "it tells of no campaign; make it again"),
    ],
    ids=["no row", "another word"],
)
def test_a_damaged_campaign_table_is_named(results, text, flaw):
    aggregate(results.folder, None)
    path = tables.path(results.folder, "campaign")
    header = path.read_text().splitlines()[0]
    path.write_text(f"{header}\n" + (f"a,b,{text},,no,1,1,\n" if text else ""))
    with pytest.raises(Mistake, match=rf"campaign\.csv: {flaw}"):
        render(results.folder)
