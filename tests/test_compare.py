"""Figures of other systems beside one's own: the ratio column, and the page that sets all systems side by side."""

import re
from pathlib import Path

import pytest

from evidence import UNFIT, Results
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate, aggregate_published
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES, load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.published import comparison
from ngcc_campaign.render.render import render

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "resources" / "published"
SOURCE = (
    "the published performance pages of system {}, campaign of September 2026, made by another measuring system,"
    " ngcc-harness"
)
CHAMP = load_candidate(ROOT / "resources" / "candidates" / "hash-04.yaml")
HEADER = (PUBLISHED / "arm_1" / "performance.csv").read_text(encoding="utf-8").splitlines()[0]


@pytest.fixture
def local(tmp_path) -> Results:
    """A measured campaign of two instances of which one is published for arm_1: cycles are 2.5 × (100 + 10 a byte)."""
    results = Results(tmp_path / "results" / "local").complete("hash-04", {"CHAMP-512": 512, "CHAMP-9": 512})
    aggregate(results.folder, None)
    return results


def page(results: Results, name: str = "hash-04", **options) -> str:
    render(results.folder, **options)
    return (results.folder / "report" / f"{name}.md").read_text(encoding="utf-8")


def table(text: str, section: str) -> list[list[str]]:
    """The first table below a heading."""
    body = re.split(rf"\n## \[?{section}", text)[1].split("\n## ")[0].split("\n\n")
    lines = next(block for block in body if block.startswith("|")).split("\n")
    rows = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines if line]
    return [rows[0], *rows[2:]]


def test_there_is_no_ratio_unless_asked_for(local):
    text = page(local)
    assert table(text, "4.")[0][-1] == "marks" and "ratio to" not in text


def test_ratio_to_published_cycles(local):
    text = page(local, compare="arm_1")
    header, *rows = table(text, "4.")
    assert header[-1] == "ratio to arm_1" and {len(row) for row in rows} == {12}
    ratios = {(row[0], row[1]): row[-1] for row in rows}
    # 1050 cycles over 87.8 k, and 1,638,650 over 37.40 M.
    assert (ratios["CHAMP-512", "32 B"], ratios["CHAMP-512", "65536 B"]) == ("0.01", "0.04")
    assert {ratios["CHAMP-9", f"{size} B"] for size in (32, 1024, 65536)} == {"–"}
    own = "mean over undisturbed batches (over all calls where a row is marked few), in cycles,"
    assert f"- The ratio to arm_1 is the {own} over the cycles published for system arm_1, of the same" in text
    assert "The two were measured by different programs." in text


def test_the_index_has_the_ratio_at_the_longest_message(local):
    text = page(local, "index", compare="arm_1")
    header, *rows = table(text, "Summary")
    assert header[7:] == ["ratio to arm_1", "stack", "heap", "ELF image"]
    assert [(row[1], row[7]) for row in rows] == [("CHAMP-9", "–"), ("CHAMP-512", "0.04")]
    assert "ratio to arm_1: of the cycles at 65536 B;" in text and "\nThe ratio to arm_1 is the mean over" in text


def test_where_nothing_is_published_a_sentence_takes_the_place_of_the_column(tmp_path):
    results = Results(tmp_path / "local").complete("fips", {"SHA-512": 512})
    aggregate(results.folder, None)
    sentence = (
        "No ratio to arm_1: for system arm_1, hash-02, hash-04, hash-07, hash-30, hash-34 are published, and not fips."
    )
    for name, section in (("fips", "4."), ("index", "Summary")):
        text = page(results, name, compare="arm_1")
        assert sentence in text and "ratio to arm_1" not in table(text, section)[0]


def test_without_cycles_there_is_nothing_to_divide(local):
    for size in MESSAGE_BYTES:
        local.record("hash-04", "CHAMP-512", size, 512, source="none")
    aggregate(local.folder, None)
    assert "- No ratio to arm_1: there are no cycles here to divide." in page(local, compare="arm_1")


@pytest.mark.parametrize(
    ("cycles", "printed", "ratio"),
    [
        ("497", "497", "1.00"), ("50000", "50.7 k", "0.99"), ("37.4e6", "37.40 M", "1.00"), ("1e9", "2.50 G", "0.40"),
        # 50.7 k is 50.65 to 50.75 k: a hundred times that is not known to two decimals, nor to one.
        ("253500", "50.7 k", "5.00"), ("1014000", "50.7 k", "≈ 20.0"), ("5.07e7", "50.7 k", "≈ 1000"),
        ("1000", "3", "≈ 333"), ("4", "3", "≈ 1"), ("", "497", "–"), ("497", "–", "–"), ("497", "", "–"),
        ("497", "0", "–"),
    ],
)  # fmt: skip
def test_a_ratio_has_the_digits_that_rounding_leaves(tmp_path, cycles, printed, ratio):
    folder = tmp_path / "published" / "other"
    folder.mkdir(parents=True)
    (folder / "environment.yaml").write_text("{system: other, architecture: a, source: b, environment: {}, plan: {}}")
    (folder / "kat.csv").write_text((PUBLISHED / "arm_1" / "kat.csv").read_text().splitlines()[0] + "\n")
    (folder / "performance.csv").write_text(f"{HEADER}\nc,i,32,{printed},–,–,–,1,1,1,1,1,1\n", encoding="utf-8")
    row = {"candidate": "c", "instance": "i", "message_bytes": "32", "mean_cycles": cycles, "figure": "all"}
    assert comparison.load(tmp_path / "published", "other").ratio(row) == ratio


@pytest.mark.parametrize(("figure", "ratio"), [("undisturbed", "1.00"), ("all", "2.00")])
def test_the_figure_that_comparisons_take_is_divided(figure, ratio):
    row = {"candidate": "c", "instance": "i", "message_bytes": "32", "mean_cycles": "994", "undisturbed_cycles": "497"}
    other = comparison.Comparison("other", {("c", "i", 32): "497"})
    assert other.ratio(row | {"figure": figure}) == ratio


def test_a_system_without_published_figures_is_a_mistake(local):
    with pytest.raises(Mistake, match=r"nothing is published for system 'arm_9'; there are figures of: arm_1, x86_1\."):
        render(local.folder, compare="arm_9")


def test_published_figures_are_compared_as_far_as_both_roundings_allow(tmp_path):
    aggregate_published(tmp_path / "x86_1", PUBLISHED / "x86_1", [CHAMP], "As asked.")
    render(tmp_path / "x86_1", compare="arm_1")
    text, index = (
        (tmp_path / "x86_1" / "report" / f"{name}.md").read_text(encoding="utf-8") for name in ("hash-04", "index")
    )
    header, *rows = table(text, "4.")
    ratios = {(row[0], row[1]): row[-1] for row in rows}
    # 66.9 k over 87.8 k; 1.78 M over 1.52 M lies between 1.164 and 1.178, which is not known to two decimals.
    assert (ratios["CHAMP-512", "32 B"], ratios["CHAMP-1024", "1024 B"]) == ("0.76", "≈ 1.2")
    assert (
        header[-1] == "ratio to arm_1" and "Both are reprints, of different machines, and rounded as printed." in text
    )
    assert [row[-2] for row in table(index, "Summary")] == ["ratio to arm_1", "0.90", "1.10"]


def test_a_system_is_not_compared_with_itself(tmp_path):
    aggregate_published(tmp_path / "arm_1", PUBLISHED / "arm_1", [CHAMP], "As asked.")
    render(tmp_path / "arm_1", compare="arm_1")
    for name in ("hash-04", "index"):
        text = (tmp_path / "arm_1" / "report" / f"{name}.md").read_text(encoding="utf-8")
        assert "No ratio to arm_1: the figures here are those published for system arm_1." in text
        assert "| ratio to" not in " ".join(text.split())


def test_systems_side_by_side(local):
    text = page(local, "systems", systems=["x86_1", "arm_1"])
    columns = [line[1:-1].split(" | ") for line in text.split("\n## ")[0].split("\n") if line.startswith("|")][2:]
    assert [[cell.strip() for cell in row] for row in columns] == [
        [system, "published", processor, SOURCE.format(system)]
        for system, processor in (
            ("x86_1", "12th Gen Intel(R) Core(TM) i7-12700, one performance core"),
            ("arm_1", "Qualcomm Oryon (Snapdragon X Elite X1E-78-100)"),
        )
    ] + [
        ["local", "measured, cycles estimated", "a machine made up", "results/local/tables"],
    ]
    header, *rows = table(text, "hash-04")
    assert header[2:] == [
        f"{system} {figure}" for system in ("x86_1", "arm_1", r"local \*") for figure in ("c/B", "time")
    ]  # fmt: skip
    found = {(row[0], row[1]): row[2:] for row in rows}
    assert found["CHAMP-512", "32 B"][2:] == ["2742.4", "32.6 µs", "32.8", "420 ns"]
    assert found["CHAMP-9", "32 B"] == ["–"] * 4 + ["32.8", "420 ns"]
    assert found["CHAMP-1024", "65536 B"][2:] == ["1297.5", "31.5 ms", "–", "–"]
    assert [row[0] for row in rows[::8]] == ["CHAMP-9", "CHAMP-512", "CHAMP-1024"]
    headings = ["hash-02", "[hash-04](hash-04.md)", "hash-07", "hash-30", "hash-34"]
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == headings
    assert "[All systems side by side](systems.md)" in page(local, "index", systems=["arm_1"])


def test_a_system_without_a_figure_of_a_submission_has_no_column_there(local):
    header = table(page(local, "systems", systems=["x86_1", "arm_1"]), "hash-02")[0]
    assert [title.partition(" ")[0] for title in header[2:]] == ["x86_1", "x86_1", "arm_1", "arm_1"]


def test_rows_without_any_figure_are_left_out(local):
    record = "records/hash-04/CHAMP-9__hash_128.json"
    local.change(record, lambda record: record.update(status="CRASH", reason="SIGSEGV"))
    aggregate(local.folder, None)
    rows = table(page(local, "systems", systems=["arm_1"]), "hash-04")
    assert "128 B" not in [row[1] for row in rows if row[0] == "CHAMP-9"]
    assert [row[-1] for row in rows if row[:2] == ["CHAMP-512", "128 B"]] == ["1.38 µs"]


def test_a_sister_that_measured_takes_the_place_of_what_is_published(local):
    sister = Results(local.folder.parent / "arm_1", system="arm_1").complete("hash-04", {"CHAMP-512": 512})
    aggregate(sister.folder, None, "stored", "Stored.")
    text = page(local, "systems", systems=["arm_1"])
    assert table(text, "hash-04")[0][2] == r"arm_1 \* c/B" and "| stored, cycles estimated " in text
    assert "results/arm_1/tables" in text and "CHAMP-1024" not in text
    tables.path(sister.folder, "performance").write_text("of another version")
    assert table(page(local, "systems", systems=["arm_1"]), "hash-04")[0][2] == "arm_1 c/B"


def test_the_page_of_a_named_system_shows_this_machine_too(local):
    folder = local.folder.parent / "arm_1"
    aggregate_published(folder, PUBLISHED / "arm_1", [CHAMP], "As asked.")
    render(folder, systems=["x86_1", "arm_1"])
    text = (folder / "report" / "systems.md").read_text(encoding="utf-8")
    assert table(text, "hash-04")[0][-1] == r"local \* time"
    assert text.splitlines()[0].endswith("systems · system: x86_1 · arm_1")
    render(local.folder, systems=["x86_1", "arm_1"])
    render(folder, systems=["x86_1", "arm_1"])
    text = (folder / "report" / "systems.md").read_text(encoding="utf-8")
    assert text.splitlines()[0].endswith("systems · system: x86_1 · arm_1 · [local](../../local/report/systems.md)")


def test_a_heading_leads_to_another_report_where_this_one_has_no_page(local):
    page(local)
    sister = Results(local.folder.parent / "arm_1", system="arm_1").complete("fips", {"SHA-512": 512})
    aggregate(sister.folder, None)
    assert "\n## [hash-04](../../local/report/hash-04.md)\n" in page(sister, "systems", systems=["arm_1"])


def test_without_named_systems_there_is_no_such_page(local):
    render(local.folder, systems=["arm_1"])
    assert "systems" not in [path.stem for path in render(local.folder)]
    assert not (local.folder / "report" / "systems.md").exists()


def test_what_a_system_s_figures_can_t_stand_for_is_said_beside_it(tmp_path):
    """Counted cycles of a fit host need no word; estimates, an unfit host and marked rows do."""
    fit = Results(tmp_path / "arm_1", system="arm_1").complete("a", {"b": 256})
    for size in MESSAGE_BYTES:
        fit.record("a", "b", size, source="perf_event")
    other = Results(tmp_path / "local", unfit=UNFIT).complete("a", {"b": 256})
    other.record("a", "b", 32, factors=[1, 1.3, 1, 1.1, 1])
    for one in (fit, other):
        aggregate(one.folder, None)
    text = page(fit, "systems", systems=["arm_1"])
    assert "| arm_1    | measured  " in text
    assert "| measured, unfit host, cycles estimated, 1 of 8 rows marked |" in text
    assert table(text, "a")[0][2:] == ["arm_1 c/B", "arm_1 time", r"local \* c/B", r"local \* time"]
    assert (
        "\\* stands on the columns of systems whose" in text
        and "that of system arm_1: measured, 8 of 8 records." in text
    )
    (other.folder / "host.json").unlink(), tables.path(other.folder, "campaign").unlink()
    assert "\\*" not in page(fit, "systems", systems=["arm_1"])
