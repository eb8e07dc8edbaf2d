"""Pages of published figures equal what is published, cell by cell; and our own formatting prints the same strings."""

import csv
import hashlib
import io
import re
import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from evidence import Results
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate, aggregate_published
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.published import published
from ngcc_campaign.render import figures
from ngcc_campaign.render.render import render

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "resources" / "published"
SYSTEMS = ("arm_1", "x86_1")
COLUMNS = tables.PUBLISHED["published_performance"]
FIVE = ("hash-02", "hash-04", "hash-07", "hash-30", "hash-34")
STATEMENT = """Published figures; nothing was measured here. This host is not that system:
architecture: expected aarch64, found x86_64
governor: expected performance, found unknown"""

# Copies as they came; the KAT facts came as one file, here each system has its own lines of it.
SHA256 = {
    "arm_1/performance.csv": "4a281f36de2e7f081e742ea5ad3dbb22804acbce9b8267358bbe2b8cf71b4c0f",
    "x86_1/performance.csv": "d2329c90dadd6213a8bd8fedf572b954bff79132d7560b253474384ae9ec4414",
    "arm_1/kat.csv": "c3c366801198a8c9cf10bd828a0f0c7e815c283e82314a2a54f30317b3ccf26f",
    "x86_1/kat.csv": "c77fbd2b3a1f7ef8acb73ca671562927d001f1d809ef528b1a9084fb878306cf",
}
SHA256_OF_BOTH_KAT = "a53d106cd1ca112c1cc3da7639d8c1869da120b12ceed4f9e6759bab71f41aed"
SECTION_2 = {
    "arm_1": [
        ("processor", "Qualcomm Oryon (Snapdragon X Elite X1E-78-100)"),
        ("CPU", "2 (2, 3, 6, 7 in parallel campaigns)"),
        ("machine", "ASUS Vivobook S 15"),
        ("clock", "fixed 2.71 GHz (governor performance, minimum = maximum), boost off, SMT none"),
        ("memory", "30562 MiB"),
        ("OS / kernel", "Ubuntu 26.04.1 LTS / 7.0.0-34-generic"),
        ("compiler / build tool", "gcc (Ubuntu 15.2.0-16ubuntu1) 15.2.0 / cmake version 4.2.3"),
        ("campaign start / end (UTC)", "2026-09-28T15:05:46 / 2026-09-29T08:43:52"),
    ],
    "x86_1": [
        ("processor", "12th Gen Intel(R) Core(TM) i7-12700, one performance core"),
        ("CPU", "2"),
        ("clock", "max 2.10 GHz, governor performance, turbo off, SMT off"),
        ("memory", "31788 MiB"),
        ("OS / kernel", "Debian GNU/Linux 13 (trixie) / 6.12.107+deb13-amd64"),
        ("compiler / build tool", "gcc (Debian 14.2.0-19) 14.2.0 / cmake version 3.31.6"),
        ("campaign start / end (UTC)", "2026-09-25T10:02:21 / 2026-09-28T10:51:21"),
    ],
}


def candidates(*names: str) -> list:
    return [load_candidate(ROOT / "resources" / "candidates" / f"{name}.yaml") for name in names]


def pinned(name: str) -> list[dict[str, str]]:
    """Rows of a copy, whose bytes are the pinned ones."""
    data = (PUBLISHED / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == SHA256[name]
    return list(csv.DictReader(io.StringIO(data.decode())))


def by_place(system: str) -> dict[tuple[str, str, str], dict[str, str]]:
    rows = pinned(f"{system}/performance.csv")
    return {(row["candidate"], row["instance"], row["message_bytes"]): row for row in rows}


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    """Both systems' reports, each after the other, so that both could link each other."""
    results = tmp_path_factory.mktemp("results")
    for system in SYSTEMS:
        aggregate_published(results / system, PUBLISHED / system, candidates(*FIVE), STATEMENT)
    for _ in range(2):
        for system in SYSTEMS:
            render(results / system, systems=["x86_1", "arm_1"])
    return results


def page(report: Path, system: str, name: str) -> str:
    return (report / system / "report" / f"{name}.md").read_text(encoding="utf-8")


def rows_of(text: str, section: str) -> list[list[str]]:
    """The body of the one table in a section, by a reading of Markdown of this test's own."""
    body = text.split(f"\n## {section}.")[1].split("\n## ")[0]
    lines = [line for line in body.split("\n") if line.startswith("|")]
    assert set(lines[1]) <= set("|:-")
    cells = [[cell.strip() for cell in line[1:-1].split(" | ")] for line in lines]
    return [[re.sub(r"\\([_*~\[\]])", r"\1", cell) for cell in row] for row in [cells[0], *cells[2:]]]


def numbers(name: str) -> list:
    """A name cut at its numbers: 512 comes before 1024."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def test_the_copies_are_the_published_ones():
    assert all(len(pinned(f"{system}/performance.csv")) == 152 for system in SYSTEMS)
    texts = [(PUBLISHED / system / "kat.csv").read_text() for system in SYSTEMS]
    assert all(len(pinned(f"{system}/kat.csv")) == 19 for system in SYSTEMS)
    both = texts[0] + texts[1].partition("\n")[2]
    assert hashlib.sha256(both.encode()).hexdigest() == SHA256_OF_BOTH_KAT


@pytest.mark.parametrize("system", SYSTEMS)
def test_section_2_is_as_printed(report, system):
    for name in FIVE:
        assert [tuple(row) for row in rows_of(page(report, system, name), "2")[1:]] == SECTION_2[system]


@pytest.mark.parametrize("system", SYSTEMS)
def test_section_3_cell_by_cell(report, system):
    expected = {(row["candidate"], row["instance"]): row for row in pinned(f"{system}/kat.csv")}
    seen = set()
    for name in FIVE:
        header, *rows = rows_of(page(report, system, name), "3")
        assert header == ["instance", "build flags", "KAT"]
        assert [row[0] for row in rows] == sorted((row[0] for row in rows), key=numbers)
        for instance, flags, verdict in rows:
            row = expected[name, instance]
            assert (flags, verdict) == (row["build_flags"], row["kat"])
            seen.add((name, instance))
    assert seen == expected.keys()


@pytest.mark.parametrize("system", SYSTEMS)
def test_section_4_cell_by_cell(report, system):
    expected, seen = by_place(system), []
    for name in FIVE:
        header, *rows = rows_of(page(report, system, name), "4")
        assert header == ["instance", "message", "mean cycles", "cycles/byte", "mean time", "MB/s", "n"]
        for instance, message, *cells in rows:
            size, unit = message.split()
            row = expected[name, instance, size]
            assert unit == "B" and cells == [
                row["mean_cycles"], row["cycles_per_byte"], row["mean_time"], row["throughput_MB_per_s"],
                f"{row['measurements']} ({row['trials']} × {row['iterations_per_trial']})",
            ]  # fmt: skip
            seen.append((name, instance, size))
    assert len(seen) == 152 and set(seen) == expected.keys()
    assert seen == sorted(seen, key=lambda place: (place[0], numbers(place[1]), int(place[2])))


@pytest.mark.parametrize("system", SYSTEMS)
def test_section_5_cell_by_cell(report, system):
    expected, seen = by_place(system), []
    for name in FIVE:
        header, *rows = rows_of(page(report, system, name), "5")
        assert header == ["instance", "operation", "static: ELF image (bytes)", "baseline RSS", "peak RSS"]
        for instance, operation, *cells in rows:
            size = operation.removeprefix("hash_")
            row = expected[name, instance, size]
            assert cells == [row["elf_load_bytes"], f"{row['baseline_rss_kib']} KiB", f"{row['peak_rss_kib']} KiB"]
            seen.append((name, instance, size))
    assert len(seen) == 152 and set(seen) == expected.keys()


@pytest.mark.parametrize("system", SYSTEMS)
def test_section_7_names_the_files_and_says_that_they_are_elsewhere(report, system):
    prefixes = {row["instance"]: row["kat_log_sha256_prefix"] for row in pinned(f"{system}/kat.csv")}
    total = 0
    for name in FIVE:
        text = page(report, system, name)
        header, *rows = rows_of(text, "7")
        assert header == ["instance", "item", "file"]
        assert "These files are not held here" in text
        for instance, item, file in rows:
            if item.startswith("KAT"):
                assert item == f"KAT log (sha256 {prefixes[instance]}…)"
                assert file == f"kat/{name}/{instance}.log"
            else:
                operation = item.removeprefix("timing ")
                assert file == f"records/{name}/{instance}__{operation}.json"
        total += len(rows)
    assert total == 19 + 152


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_index_shows_published_figures(report, system):
    expected = by_place(system)
    text = page(report, system, "index")
    rows = [line[1:-1].split(" | ") for line in text.split("## Summary")[1].split("## ")[0].split("\n") if "](" in line]
    assert len(rows) == 19
    for link, instance, verdict, *cells in [[cell.strip() for cell in row] for row in rows]:
        own = [expected[link[1:8], instance, size] for size in ("32", "1024", "65536")]
        image = own[2]["elf_load_bytes"]
        assert verdict == "PASS" and cells == [
            *(row["cycles_per_byte"] for row in own), own[2]["throughput_MB_per_s"], image,
        ]  # fmt: skip
    assert "Stack and heap of a call are not published, nor the yardstick that a ratio would need." in text
    assert "Nothing that was asked for is missing." in text


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_page_says_what_it_shows_and_why(report, system):
    for name in ("index", "method", *FIVE):
        head = page(report, system, name).split("\n## ")[0]
        assert (
            "**Evidence: published, 152 of the campaign's 152 rows.** **Reprints; nothing was measured here**, as this"
            f" host is not {system}, or not in its state: architecture: expected aarch64, found x86_64; and 1 more"
            " ([all 2, and"
        ) in head
        assert f"\nSource of the figures: the published performance pages of system {system}, campaign of" in head
        if name in FIVE:
            assert "A reprint of an independent measurement that others made, in the structure of the NGCC" in head
            assert "An independent measurement" not in head


def test_the_index_says_why_in_full_and_that_others_measured(report):
    text = page(report, "arm_1", "index")
    why = "Published figures; nothing was measured here. This host is not that system:\n\n- architecture: expected"
    assert f"\n## Why nothing was measured here\n\n{why}" in text
    assert "cost on system arm_1 when others measured it" in text and "costs on this system" not in text


def test_published_pages_that_were_asked_for_say_why_in_a_link(tmp_path):
    asked = "Published figures, as evidence=published asks; nothing was measured here."
    aggregate_published(tmp_path / "arm_1", PUBLISHED / "arm_1", candidates("hash-04"), asked)
    texts = {path.stem: path.read_text(encoding="utf-8") for path in render(tmp_path / "arm_1")}
    for name, text in texts.items():
        assert "**Reprints; nothing was measured here** ([why](index.md#why-nothing-was-measured-here)).\n" in text
        assert (f"\n## Why nothing was measured here\n\n{asked}\n" in text) == (name == "index")


def test_a_campaign_whose_days_are_not_published_ends_its_captions_without_them(tmp_path):
    folder = tmp_path / "resources" / "arm_1"
    shutil.copytree(PUBLISHED / "arm_1", folder)
    environment = (folder / "environment.yaml").read_text(encoding="utf-8")
    shorter = re.sub(r"^.*campaign start / end.*\n", "", environment, flags=re.MULTILINE)
    assert shorter != environment
    (folder / "environment.yaml").write_text(shorter, encoding="utf-8")
    aggregate_published(tmp_path / "arm_1", folder, candidates("hash-04"), "As asked.")
    for path in render(tmp_path / "arm_1"):
        assert "; ." not in path.read_text(encoding="utf-8")
    assert "; flags guide.*" in (tmp_path / "arm_1" / "report" / "hash-04.md").read_text(encoding="utf-8")


def test_resident_sets_that_jump_are_said_to_be_luck(report):
    """CHAMP-512 at 65536 B on arm_1 stands at 3496 KiB, all other rows of that page below 1500."""
    text = page(report, "arm_1", "hash-04")
    assert "- The baseline of CHAMP-512 hash_65536 is more than twice the least on this page: page-cache luck" in text
    assert "differ by some tens of KiB, that says nothing of an instance.\n" in text
    assert "page-cache luck" not in page(report, "x86_1", "hash-04")


def test_title_breadcrumb_and_section_1(report):
    lines, sister = page(report, "arm_1", "hash-30").splitlines(), page(report, "x86_1", "hash-30").splitlines()
    home = "[Performance measurements](index.md)"
    assert lines[0] == f"{home} › arm_1 › hash-30 · system: [x86_1](../../x86_1/report/hash-30.md) · arm_1"
    assert sister[0] == f"{home} › x86_1 › hash-30 · system: x86_1 · [arm_1](../../arm_1/report/hash-30.md)"
    assert lines[2] == "# hash-30 The ZC-DM Hash Function — performance on AArch64 (system arm_1)"
    rows = dict(rows_of(page(report, "arm_1", "hash-30"), "1")[1:])
    assert (rows["category"], rows["algorithm"]) == ("hash", "The ZC-DM Hash Function")
    assert rows["parameter sets"].startswith("ZC-DM-1280-512, ZC-DM-1280-768, ZC-DM-1280-1024, ZC-DM-1536-512")
    assert rows["links"].startswith("[method](method.md) · [submission page](https://www.niccs.org.cn/niccs/")


def test_nothing_is_said_that_is_not_published(report):
    """No spread, stack, heap, driver or plan of ours stands on a page of somebody else's figures."""
    for name in FIVE:
        text = page(report, "arm_1", name)
        assert not re.search(r"apart|Table 5b|repeated|ngcc_perf|was not fetched|estimate|Level", text)


def test_what_is_not_published_prints_dashes_and_is_missing(tmp_path):
    folder = tmp_path / "arm_1"
    shutil.copytree(PUBLISHED / "arm_1", folder)
    lines = (folder / "performance.csv").read_text().splitlines(keepends=True)
    kept = [line for line in lines if "CHAMP-1024" not in line and not line.startswith("hash-04,CHAMP-512,128,")]
    (folder / "performance.csv").write_text("".join(kept))
    results = tmp_path / "results"
    aggregate_published(results, folder, candidates("hash-04", "iccs"), "As asked.")
    render(results)
    text = (results / "report" / "hash-04.md").read_text(encoding="utf-8")
    dashes = [row for row in rows_of(text, "4") if row[2:] == ["–"] * 5]
    assert [row[:2] for row in dashes][:2] == [["CHAMP-512", "128 B"], ["CHAMP-1024", "32 B"]] and len(dashes) == 9
    assert "- Nothing is published for CHAMP-512 hash_128, CHAMP-1024." in text
    assert "7 of the campaign's 72 rows (– for the others)" in text
    missing = [tuple(row.values())[:3] for row in tables.read(results, "missing")]
    assert missing == [("hash-04", "CHAMP-512", "timing hash_128"), ("hash-04", "CHAMP-1024", ""), ("iccs", "", "")]


def test_one_report_never_mixes_kinds(tmp_path):
    local = Results(tmp_path / "arm_1").complete("iccs", {"a": 256}).own()
    common = {"index", "method", "ranking", "beside", "made", "notes", "html", "summary", "latex"}
    aggregate(local.folder, None)
    render(local.folder, systems=["arm_1"])
    (local.folder / "report" / "notes.md").write_text("a person's own")
    aggregate_published(local.folder, PUBLISHED / "arm_1", candidates("hash-04"), "As asked.")
    render(local.folder)
    assert {path.stem for path in (local.folder / "tables").iterdir()} == {*tables.PUBLISHED, "made"}
    assert {path.stem for path in (local.folder / "report").iterdir()} == {*common, "hash-04"}
    assert [path.name for path in (local.folder / "report" / "latex").iterdir()] == ["hash-04.tex"]
    aggregate(local.folder, None)
    render(local.folder)
    assert {path.stem for path in (local.folder / "tables").iterdir()} == {*tables.COLUMNS, "made"}
    assert {path.stem for path in (local.folder / "report").iterdir()} == {*common, "iccs"}


def damaged(tmp_path: Path, file: str, text: str | None) -> Path:
    """Published figures of arm_1, but for one file."""
    folder = tmp_path / "arm_1"
    shutil.copytree(PUBLISHED / "arm_1", folder)
    (folder / file).unlink()
    if text is not None:
        (folder / file).write_text(text, encoding="utf-8")
    return folder


TEXTS = "{system: arm_1, architecture: b, source: c, plan: {}, environment: {CPU: %s}}"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("kat.csv", None, "kat.csv: No such file; published figures of a system are"),
        ("performance.csv", "candidate,instance\nhash-04,CHAMP-512\n", "performance.csv, line 1: expected the columns"),
        ("performance.csv", f"{','.join(COLUMNS)}\na,b,32\n", "performance.csv, line 2: expected the columns"),
        ("performance.csv", 'candidate\n"cut', "performance.csv: no readable table"),
        ("environment.yaml", "system: [", "environment.yaml: not YAML (line 1"),
        ("environment.yaml", "system: a\narchitecture: b\nplan: {}\n", "environment.yaml: no description of a system"),
        ("environment.yaml", TEXTS % "2", "environment.CPU: 2 is no text; put"),
        ("environment.yaml", TEXTS % "a, CPU: b", "key 'CPU' stands there twice"),
        ("environment.yaml", (TEXTS % "a").replace("arm_1", "x86_1"), "system: found 'x86_1', expected 'arm_1'"),
    ],
    ids=["absent", "columns", "cells", "cut off", "no YAML", "no environment", "a number", "a key twice", "system"],
)  # fmt: skip
def test_a_damaged_folder_is_named(tmp_path, file, text, message):
    with pytest.raises(Mistake, match=re.escape(message)):
        published.read(damaged(tmp_path, file, text))


@pytest.mark.parametrize(
    ("file", "line", "column", "cell"),
    [
        ("performance.csv", 3, "mean_cycles", "banana"),
        ("performance.csv", 3, "mean_cycles", "50.7k"),
        ("performance.csv", 152, "mean_time", "18.8"),
        ("performance.csv", 4, "cycles_per_byte", "-1.0"),
        ("performance.csv", 4, "throughput_MB_per_s", "1,7"),
        ("performance.csv", 4, "measurements", "1e5"),
        ("performance.csv", 4, "peak_rss_kib", "1484 KiB"),
        ("performance.csv", 5, "message_bytes", "33"),
        ("performance.csv", 5, "candidate", "Hash 02"),
        ("kat.csv", 2, "kat", "banana"),
        ("kat.csv", 2, "system", "x86_1"),
        ("kat.csv", 20, "build_flags", "-O3"),
        ("kat.csv", 20, "kat_log_sha256_prefix", "81046C344B0A6F2E"),
    ],
)
def test_a_cell_that_is_no_figure_is_named_by_file_line_and_column(tmp_path, file, line, column, cell):
    lines = (PUBLISHED / "arm_1" / file).read_text(encoding="utf-8").splitlines()
    header, cells = lines[0].split(","), lines[line - 1].split(",")
    cells[header.index(column)] = f'"{cell}"'
    lines[line - 1] = ",".join(cells)
    with pytest.raises(Mistake, match=re.escape(f"{file}, line {line}, {column}: found '{cell}', expected ")):
        published.read(damaged(tmp_path, file, "\n".join(lines)))


@pytest.mark.parametrize(
    ("column", "cell", "sentence"),
    [
        ("mean_cycles", "51.7 k", "cycles_per_byte: 51.7 k cycles for 32 B are not 1583.0 cycles a byte"),
        ("cycles_per_byte", "158.3", "cycles_per_byte: 50.7 k cycles for 32 B are not 158.3 cycles a byte"),
        ("mean_time", "18.8 ms", "throughput_MB_per_s: 32 B in 18.8 ms are not 1.7 MB/s"),
        ("throughput_MB_per_s", "17.0", "throughput_MB_per_s: 32 B in 18.8 µs are not 17.0 MB/s"),
        ("measurements", "10000", "measurements: 10000 are not 5 trials of 20000"),
        ("peak_rss_kib", "1419", "peak_rss_kib: a peak of 1419 KiB is below the baseline, 1420 KiB"),
        ("mean_cycles", "050.7 k", "mean_cycles: found '050.7 k', expected cycles as printed, as 50.7 k"),
        ("trials", "05", "trials: found '05', expected a whole number"),
        ("instance", "AXIS-513", "instance: found 'AXIS-513', which hash-02 has not; its instances are AXIS-"),
    ],
)
def test_a_row_that_contradicts_itself_is_named_by_file_line_and_column(tmp_path, column, cell, sentence):
    lines = (PUBLISHED / "arm_1" / "performance.csv").read_text(encoding="utf-8").splitlines()
    cells = lines[1].split(",")
    cells[lines[0].split(",").index(column)] = cell
    lines[1] = ",".join(cells)
    with pytest.raises(Mistake, match=re.escape(f"performance.csv, line 2, {sentence}")):
        published.read(damaged(tmp_path, "performance.csv", "\n".join(lines)))


def test_a_verdict_of_an_instance_that_nobody_has_is_named(tmp_path):
    text = (PUBLISHED / "arm_1" / "kat.csv").read_text().replace("AXIS-768", "AXIS-769")
    with pytest.raises(Mistake, match="kat.csv, line 4, instance: found 'AXIS-769', which hash-02 has not"):
        published.read(damaged(tmp_path, "kat.csv", text))


def test_a_byte_order_mark_and_blank_lines_are_nothing(tmp_path):
    text = (PUBLISHED / "arm_1" / "performance.csv").read_text(encoding="utf-8")
    whole = published.read(PUBLISHED / "arm_1").performance
    assert published.read(damaged(tmp_path, "performance.csv", f"\ufeff{text}\r\n\n")).performance == whole
    (tmp_path / "arm_1" / "performance.csv").write_text(text.replace("\n", "\n\n", 1).replace("50.7 k", "x"))
    with pytest.raises(Mistake, match="performance.csv, line 3, mean_cycles: found 'x'"):
        published.read(tmp_path / "arm_1")


def test_only_folders_of_named_systems_are_looked_at(tmp_path):
    shutil.copytree(PUBLISHED, tmp_path, dirs_exist_ok=True)
    for stray in (".git", "arm_2", "notes"):
        (tmp_path / stray).mkdir()
    published.read_all(tmp_path)
    assert published.systems(tmp_path) == ["arm_1", "x86_1"]
    shutil.rmtree(tmp_path / "x86_1")
    (tmp_path / "x86_1").mkdir()
    whole = "published figures of a system are environment.yaml, kat.csv, performance.csv"
    with pytest.raises(Mistake, match=rf"x86_1/environment.yaml: No such file; {whole}: put it there, or take the"):
        published.read_all(tmp_path)


@pytest.mark.parametrize(
    ("file", "line", "columns", "told"),
    [
        ("performance.csv", 1, ("mean_cycles",), ("timing hash_32", "its mean of cycles is not published")),
        ("performance.csv", 1, ("mean_time",), ("timing hash_32", "its mean time is not published")),
        ("performance.csv", 1, ("mean_time", "mean_cycles"), ("timing hash_32", "no figure of it is published for")),
        ("kat.csv", 2, ("kat",), ("KAT", "no verdict of it is published for arm_1")),
        ("kat.csv", 2, None, ("KAT", "no verdict of it is published for arm_1")),
    ],
)
@pytest.mark.parametrize("nothing", ["", "–"])
def test_what_a_row_lacks_is_missing_and_no_more(tmp_path, file, line, columns, told, nothing):
    lines = (PUBLISHED / "arm_1" / file).read_text(encoding="utf-8").splitlines()
    cells, header = lines[line].split(","), lines[0].split(",")
    for column in columns or ():
        cells[header.index(column)] = nothing
    lines[line : line + 1] = [",".join(cells)] if columns else []
    results = tmp_path / "results"
    aggregate_published(results, damaged(tmp_path, file, "\n".join(lines)), candidates("hash-02"), "As asked.")
    ((operation, reason),) = [(row["operation"], row["reason"]) for row in tables.read(results, "missing")]
    assert operation == told[0] and reason.startswith(told[1])
    whole = columns and len(columns) == 2
    assert tables.campaign(results)["records_there"] == ("23" if whole else "24")
    render(results)
    text = (results / "report" / "hash-02.md").read_text(encoding="utf-8")
    assert ("Nothing is published for AXIS-512 hash_32" in text) is bool(whole)
    assert told[0] in (results / "report" / "index.md").read_text(encoding="utf-8").replace("\\_", "_")


@pytest.mark.parametrize(
    ("file", "place"), [("performance.csv", "hash-02 AXIS-512 32"), ("kat.csv", "hash-02 AXIS-1024")]
)
def test_a_row_that_stands_there_twice_is_named(tmp_path, file, place):
    lines = (PUBLISHED / "arm_1" / file).read_text(encoding="utf-8").splitlines()
    lines.append(lines[1])
    sentence = re.escape(f"{place} stands there twice, first in line 2")
    with pytest.raises(Mistake, match=rf"{file}, line {len(lines)}, \w+: {sentence}"):
        published.read(damaged(tmp_path, file, "\n".join(lines)))


def test_figures_that_a_page_does_not_have_are_not_there(tmp_path):
    lines = (PUBLISHED / "arm_1" / "performance.csv").read_text(encoding="utf-8").splitlines()
    lines[1] = f"hash-02,AXIS-512,32{',–' * 10}"
    folder = damaged(tmp_path, "performance.csv", "\n".join(lines))
    aggregate_published(tmp_path / "results", folder, candidates("hash-02"), "As asked.")
    assert tables.campaign(tmp_path / "results")["records_there"] == "23"
    assert [row["operation"] for row in tables.read(tmp_path / "results", "missing")] == ["timing hash_32"]


# Raw values, derived from what is printed.

UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "ns": 1, "µs": 10**3, "ms": 10**6, "s": 10**9}


def limits(text: str, digits: int | None = None) -> tuple[Decimal, Decimal]:
    """All values that round to a figure as printed lie between these; with `digits`, trailing zeros were dropped."""
    number, _, unit = text.partition(" ")
    value = Decimal(number)
    places = -value.as_tuple().exponent if digits is None else digits - len(str(int(value)))
    half = Decimal(1).scaleb(-places) / 2
    return (value - half) * UNITS[unit], (value + half) * UNITS[unit]


def raw(row: dict[str, str], share: Decimal) -> tuple[float, float]:
    """Cycles and ns that all figures of a published row allow, at `share` of the way from the least to the greatest."""
    size = int(row["message_bytes"])
    cycles = limits(row["mean_cycles"]), tuple(size * value for value in limits(row["cycles_per_byte"]))
    slow, fast = limits(row["throughput_MB_per_s"])
    time = limits(row["mean_time"], 3), (Decimal(size) * 1000 / fast, Decimal(size) * 1000 / slow)
    found = []
    for first, second in (cycles, time):
        low, high = max(first[0], second[0]), min(first[1], second[1])
        assert low < high
        found.append(float(low + (high - low) * share))
    return found[0], found[1]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("share", ["0.001", "0.5", "0.999"])
def test_formatting_prints_the_published_strings(system, share):
    rows = pinned(f"{system}/performance.csv")
    assert len(rows) == 152
    for row in rows:
        cycles, ns = raw(row, Decimal(share))
        size = int(row["message_bytes"])
        assert figures.cycles(cycles) == row["mean_cycles"]
        assert figures.tenths(cycles / size) == row["cycles_per_byte"]
        assert figures.time(ns) == row["mean_time"]
        assert figures.tenths(size / ns * 1000) == row["throughput_MB_per_s"]
        assert figures.kib(float(row["peak_rss_kib"]) + 0.5) == f"{row['peak_rss_kib']} KiB"


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_measured_campaign_prints_the_published_strings(tmp_path, system):
    """Records with the raw values of the published rows make the same sections 4 and 5, through every stage."""
    results = Results(tmp_path / system, system=system)
    expected = by_place(system)
    for candidate in candidates("hash-04", "hash-30"):
        bits = {instance.name: instance.digest_bits for instance in candidate.instances}
        results.complete(candidate.id, bits)
        for name in bits:
            own = {place[2]: row for place, row in expected.items() if place[:2] == (candidate.id, name)}
            results.change(f"memory/{candidate.id}/{name}.json", lambda memory, own=own: weigh(memory, own))
            for size, row in own.items():
                record = f"records/{candidate.id}/{name}__hash_{size}.json"
                results.change(record, lambda record, row=row: time_calls(record, row), settled=True)
    aggregate(results.folder, None)
    render(results.folder)
    for name in ("hash-04", "hash-30"):
        text = (results.folder / "report" / f"{name}.md").read_text(encoding="utf-8")
        timed = rows_of(re.sub(r"\*Table 4[bc]", "\n## Table", text), "4")[1:]
        assert len(timed) == sum(place[0] == name for place in expected)
        for instance, message, *cells in timed:
            row = expected[name, instance, message.split()[0]]
            n = f"{row['measurements']} (5 × {row['iterations_per_trial']})"
            told = ("mean_cycles", "cycles_per_byte", "mean_time", "throughput_MB_per_s")
            assert cells[:5] == [*(row[column] for column in told), n]
        for row in rows_of(text.replace("*Table 5b", "\n## Table 5b"), "5")[1:]:
            published_row = expected[name, row[0], row[1].removeprefix("hash_")]
            resident = [f"{published_row[column]} KiB" for column in ("baseline_rss_kib", "peak_rss_kib")]
            assert row[2:] == [published_row["elf_load_bytes"], *resident]


def time_calls(record: dict, row: dict[str, str]) -> None:
    cycles, ns = raw(row, Decimal("0.5"))
    calls = int(row["iterations_per_trial"])
    elapsed = dict.fromkeys(("elapsed_ns", "cpu_ns", "enabled_ns", "running_ns"), round(calls * ns))
    batch = record["trials"][0]["batches"][0] | {"calls": calls, "cycles": round(calls * cycles)} | elapsed
    record.update(cycle_source="perf_event", started_utc="2026-11-30T00:00:00Z", lasted_ns=47_849 * 10**9)
    record["plan"].update(calls_per_batch=calls, batches_per_trial=1)
    for trial in record["trials"]:
        trial.update(batches=[dict(batch)], canaries_ns=trial["canaries_ns"][:2], core_clock=None)


def weigh(memory: dict, own: dict[str, dict[str, str]]) -> None:
    for operation in memory["operations"]:
        row = own[str(operation["message_bytes"])]
        resident = {"baseline_kib": int(row["baseline_rss_kib"]), "peak_kib": int(row["peak_rss_kib"])}
        operation["rss"] = [{"calls": 4, **resident}]
        memory["elf"]["load_bytes"] = int(row["elf_load_bytes"])
