"""What stands beside figures is looked up, too: half-widths, marks, standings, moments, and the row by hand."""

import re

import pytest

from evidence import CANARY_NS, Results
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.audit import audit, columns, figures
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.campaign.catalog import INSTANCE_NAME
from ngcc_campaign.render.render import render

CLOSE = [1, 1.01, 0.99, 1.004, 1.006]


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> tuple[dict, dict]:
    """Tables, and pages by name, of a campaign with a marked row."""
    results = Results(tmp_path_factory.mktemp("audit") / "local").complete("iccs", {"pseudoXOF-512": 512, "x-512": 512})
    results.own()
    for size in (32, 1024):
        results.record("iccs", "x-512", size, 512, factors=CLOSE)
    results.change("records/iccs/x-512__hash_1024.json", disturb, settled=True)
    aggregate(results.folder, None)
    pages = {path.stem: path.read_text(encoding="utf-8") for path in render(results.folder)}
    return {name: tables.read(results.folder, name) for name in tables.COLUMNS}, pages


def disturb(record: dict) -> None:
    batch = record["trials"][0]["batches"][1]
    batch["elapsed_ns"] = batch["cpu_ns"] = 2 * batch["elapsed_ns"]
    record["trials"][0]["canaries_ns"][2] = 2 * CANARY_NS


def faults(report: tuple[dict, dict], page: str, found: str = "", put: str = "", where: str = "") -> list[str]:
    """What the audit says of a page on which, in the line that holds `where`, a text is another."""
    stored, pages = report
    lines = pages[page].split("\n")
    if found:
        place = next(number for number, line in enumerate(lines) if where in line and found in line)
        lines[place] = lines[place].replace(found, put, 1)
    findings = Findings()
    figures.check({page: "\n".join(lines)}, stored, None, findings)
    return findings.faults


@pytest.mark.parametrize("page", ["index", "method", "iccs"])
def test_pages_as_they_are_rendered_have_no_fault(report, page):
    assert faults(report, page) == []


@pytest.mark.parametrize(
    ("page", "where", "found", "put"),
    [
        ("iccs", "| x-512         | 32 B ", "1.1 %", "0.5 %"),
        ("iccs", "| x-512         | 1024 B ", "25.9 k", "26.9 k"),
        ("iccs", "| x-512         | 1024 B ", "90.0 %", "80.0 %"),
        ("iccs", "| x-512         | 1024 B ", "outlier", ""),
        ("iccs", "| x-512         | 32 B ", " = ", " – "),
        ("iccs", "| x-512         | 32 B ", " = ", " 1052 "),
        ("iccs", "| x-512         | 1024 B    | 10 × 1000 ", "canary 1", "canary 2"),
        ("iccs", "| x-512         | 1024 B    | 10 × 1000 ", "budget", "trials"),
        ("iccs", "| x-512         | 1.00", "tied", "best"),
        ("iccs", "| x-512         | 1.00", "1.00 ± 1.1 %", "1.00 ± 1.2 %"),
        ("iccs", "| x-512         | cycles", "252 ± 1", "252 ± 5"),
        ("iccs", "| x-512         | cycles", "−0.0 %", "+9.3 %"),
        ("index", "x-512", "± 1.1 %", "± 1.2 %"),
        ("index", "x-512", " \\*", ""),
        ("index", "x-512", "tied", "best"),
        ("index", "Noise floor", "0.00 %", "0.03 %"),
        ("index", "Drift", "middle 2500 ±", "middle 2501 ±"),
        ("method", "|    1024 B | 2500", "2500 ± 0.00 %", "2500 ± 0.01 %"),
        ("method", "control_end", "13:16:29", "13:16:28"),
        ("method", "mean time, **", "420.000 ns", "420.001 ns"),
    ],
)
def test_a_renderer_that_prints_something_else_is_seen(report, page, where, found, put):
    assert faults(report, page, found, put, where)


@pytest.mark.parametrize(
    ("cell", "figure", "holds"),
    [
        ("–", "", True),
        ("– * tied", "", True),
        ("–", "12.3", False),
        ("12.3 * tied", "12.3", True),
        ("12.3", "12.3", False),
    ],
)
def test_a_cell_without_a_figure_may_tell_of_its_row_and_hides_none(cell, figure, holds):
    """Under an emulator there are times, which are ranked and marked, and no cycles."""
    row = {"cycles_per_byte": figure, "standing": "tied", "marks": "few"}
    assert columns.says("cycles/byte 32 B", cell, row) is holds


# Legal names that look like something else: a header, a length, a digest, a candidate, what TeX or Markdown escape.
NAMES = ("sha2", "sha2-x", "instance", "a_b", "x--y_z", "hash_64", "1024", "32", "ab" * 32, "candidate")
LOOKED_UP = re.compile("is not in the tables|no file has")


def test_no_legal_name_hides_a_figure_or_is_one(tmp_path):
    results = Results(tmp_path / "local").complete("sha2", dict.fromkeys(NAMES, 256)).own()
    costs = {name: 1000 + 111 * number for number, name in enumerate(NAMES)}
    for name, ns in costs.items():
        results.record("sha2", name, 32, 256, ns=ns)
    folder = results.folder
    aggregate(folder, None)
    render(folder)
    told = [fault for fault in audit.audit(folder).faults if LOOKED_UP.search(fault)]
    assert all(re.fullmatch(INSTANCE_NAME, name) for name in NAMES) and told == []

    names = ("sha2.md", "html/en/sha2.html", "latex/sha2.tex", "summary.json")
    files = {file: folder / "report" / file for file in names}
    texts = {file: path.read_text(encoding="utf-8") for file, path in files.items()}
    for number, (name, ns) in enumerate(costs.items()):
        cost, tex = re.escape(f"{ns * 2.5 / 32:.1f}"), name.replace("--", "-{}-").replace("_", r"\_")
        for file, before, figure in (
            ("sha2.md", rf"\n\| {re.escape(name)} +\| +32 B[^\n]*?", cost),
            ("html/en/sha2.html", rf">{re.escape(name)}<(?:(?!</tr>).)*>", cost),
            ("latex/sha2.tex", rf"\n{re.escape(tex)} & ", cost),
            ("summary.json", '"mean_ns": ', rf"{ns}\.0"),
        ):
            texts[file], altered = re.subn(f"(?s)({before}){figure}", rf"\g<1>99{number:02}.9", texts[file], count=1)
            assert altered, (file, name)
    for file, path in files.items():
        path.write_text(texts[file], encoding="utf-8")
    told = [fault for fault in audit.audit(folder).faults if LOOKED_UP.search(fault)]
    for file in files:
        for number in range(len(NAMES)):
            assert any(fault.startswith(f"report/{file}: ") and f" 99{number:02}.9" in fault for fault in told)


@pytest.mark.parametrize(("nanoseconds", "scale"), [(12_000, "k"), (1_200_000, "M")])
def test_the_figure_of_the_sentence_above_all_is_checked_whatever_its_scale(tmp_path, nanoseconds, scale):
    results = Results(tmp_path / "local").complete("a", {"A-512": 512, "B-512": 512}).own()
    for name, factor in (("A-512", 1), ("B-512", 2)):
        results.record("a", name, 1024, 512, ns=factor * nanoseconds, factors=CLOSE)
    aggregate(results.folder, None)
    pages = {path.stem: path.read_text(encoding="utf-8") for path in render(results.folder)}
    made = {name: tables.read(results.folder, name) for name in tables.COLUMNS}, pages
    sentence = pages["index"].split("\n")[4]
    figure, width = re.search(rf"(\d\S*) {scale} cycles ± (\S+) %", sentence).groups()
    assert faults(made, "index") == []
    assert faults(made, "index", figure, f"9{figure[1:]}", where="is the fastest")
    assert faults(made, "index", f"± {width} %", "± 3.3 %", where="is the fastest")
