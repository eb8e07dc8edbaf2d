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
from ngcc_campaign import figures, published, tables
from ngcc_campaign.aggregate import aggregate, aggregate_published
from ngcc_campaign.catalog import load_candidate
from ngcc_campaign.errors import Mistake
from ngcc_campaign.render import render

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
        assert verdict == "PASS" and cells == [
            *(row["cycles_per_byte"] for row in own), own[2]["throughput_MB_per_s"], "–", "–", "–",
            own[2]["elf_load_bytes"],
        ]  # fmt: skip
    assert "Nothing that was asked for is missing." in text


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_page_says_what_it_shows_and_why(report, system):
    for name in ("index", "method", *FIVE):
        head = page(report, system, name).split("\n## ")[0]
        assert "**Evidence: published, 152 of 152 records.** Published figures; nothing was measured here." in head
        assert "\n- architecture: expected aarch64, found x86_64\n" in head
        assert "\n- governor: expected performance, found unknown\n" in head


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
        assert not re.search(r"apart|Table 5b|repeated|ngcc_perf|was not fetched|estimate", text)


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
    assert "7 of 72 records (– for the others)" in text
    missing = [tuple(row.values())[:3] for row in tables.read(results, "missing")]
    assert missing == [("hash-04", "CHAMP-512", "timing hash_128"), ("hash-04", "CHAMP-1024", ""), ("iccs", "", "")]


def test_one_report_never_mixes_kinds(tmp_path):
    local = Results(tmp_path / "arm_1").complete("iccs", {"a": 256}).own()
    aggregate(local.folder, None)
    render(local.folder, systems=["arm_1"])
    (local.folder / "report" / "notes.md").write_text("a person's own")
    aggregate_published(local.folder, PUBLISHED / "arm_1", candidates("hash-04"), "As asked.")
    render(local.folder)
    assert {path.stem for path in (local.folder / "tables").iterdir()} == tables.PUBLISHED.keys()
    assert {path.stem for path in (local.folder / "report").iterdir()} == {
        "index",
        "method",
        "hash-04",
        "beside",
        "notes",
    }
    aggregate(local.folder, None)
    render(local.folder)
    assert {path.stem for path in (local.folder / "tables").iterdir()} == tables.COLUMNS.keys()
    assert {path.stem for path in (local.folder / "report").iterdir()} == {"index", "method", "iccs", "beside", "notes"}


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("kat.csv", None, "kat.csv: No such file"),
        ("performance.csv", "candidate,instance\nhash-04,CHAMP-512\n", "performance.csv: expected the columns"),
        ("performance.csv", 'candidate\n"cut', "performance.csv: no readable table"),
        ("performance.csv", f"{','.join(COLUMNS)}\na,b,32 B{',1' * 10}", "'32 B' is no number of bytes"),
        ("environment.yaml", "system: [", "environment.yaml: no description of a system"),
        ("environment.yaml", "system: a\narchitecture: b\nplan: {}\n", "environment.yaml: no description of a system"),
        ("environment.yaml", "{system: a, architecture: b, plan: {}, environment: {CPU: 2}}", "2 is no text; put"),
    ],
    ids=["absent", "columns", "cut off", "message", "no YAML", "no environment", "a number"],
)  # fmt: skip
def test_a_damaged_folder_is_named(tmp_path, file, text, message):
    folder = tmp_path / "arm_1"
    shutil.copytree(PUBLISHED / "arm_1", folder)
    (folder / file).unlink()
    if text is not None:
        (folder / file).write_text(text)
    with pytest.raises(Mistake, match=re.escape(message)):
        published.read(folder)


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
        for instance, message, *cells in rows_of(text, "4")[1:]:
            row = expected[name, instance, message.split()[0]]
            n = f"{row['measurements']} (5 × {row['iterations_per_trial']})"
            told = ("mean_cycles", "cycles_per_byte", "mean_time", "throughput_MB_per_s")
            assert cells == [*(row[column] for column in told), n]
        for row in rows_of(text.replace("*Table 5b", "\n## Table 5b"), "5")[1:]:
            published_row = expected[name, row[0], row[1].removeprefix("hash_")]
            resident = [f"{published_row[column]} KiB" for column in ("baseline_rss_kib", "peak_rss_kib")]
            assert row[2:] == [published_row["elf_load_bytes"], *resident]


def time_calls(record: dict, row: dict[str, str]) -> None:
    cycles, ns = raw(row, Decimal("0.5"))
    calls = int(row["iterations_per_trial"])
    elapsed = dict.fromkeys(("elapsed_ns", "cpu_ns", "enabled_ns", "running_ns"), round(calls * ns))
    batch = record["trials"][0]["batches"][0] | {"calls": calls, "cycles": round(calls * cycles)} | elapsed
    record["cycle_source"], record["started_utc"] = "perf_event", "2026-11-30T00:00:00Z"
    record["plan"].update(calls_per_batch=calls, batches_per_trial=1)
    for trial in record["trials"]:
        trial.update(batches=[dict(batch)], canaries_ns=trial["canaries_ns"][:2], core_clock=None)


def weigh(memory: dict, own: dict[str, dict[str, str]]) -> None:
    for operation in memory["operations"]:
        row = own[str(operation["message_bytes"])]
        resident = {"baseline_kib": int(row["baseline_rss_kib"]), "peak_kib": int(row["peak_rss_kib"])}
        operation["rss"] = [{"calls": 4, **resident}]
        memory["elf"]["load_bytes"] = int(row["elf_load_bytes"])
