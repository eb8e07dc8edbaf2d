"""What papers and programs take, latex/*.tex and summary.json, has the figures of the pages and of the tables."""

import csv
import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import UNFIT, Results, crowd
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.audit import audit
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.common import schemas
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.printable import printable
from ngcc_campaign.published.published import FOLDER
from ngcc_campaign.render import latex, nested
from ngcc_campaign.render.render import read_tables, render
from reports import published_tables, section, tables_of
from test_site_audit import change

HOSTILE = '50% & #1 $x$ a_b ^2 ~ \\input{/etc/passwd} }{ [*] <b> ---x ?`q\' "d" | \\\\ << x >> <% y %>\n\\end{table}'


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report with hostile texts, a marked row, one without a figure and one without cycles, on an unfit host."""
    results = Results(tmp_path_factory.mktemp("data") / "local", unfit=UNFIT)
    results.complete("iccs", {"pseudoXOF-512": 512, "sm3_hash-256": 256}, algorithm=HOSTILE, version=HOSTILE).own()
    results.complete("mine", {"Mine-512": 512})
    results.instance("mine", "Mine-512", 512, "MISMATCH", reason=HOSTILE)
    results.change("records/iccs/pseudoXOF-512__hash_1024.json", crowd, settled=True)
    results.record("iccs", "sm3_hash-256", 32, 256, source="none", factors=(1.0, 1.1))
    aggregate(results.folder, None, "measured", f"{HOSTILE}\n- {HOSTILE}")
    render(results.folder)
    return results.folder / "report"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    results = published_tables(tmp_path_factory.mktemp("data") / "arm_1", "hash-30", "hash-34")
    render(results, systems=("arm_1",))
    return results / "report"


# What a reader sees of what LaTeX makes of a text.
_WORDS = {
    "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textendash": "–", "textemdash": "—",
    "ldots": "…", "dag": "†", "pm": "±", "times": "×", "mu": "µ", "cdot": "·", "approx": "≈", "^6": "⁶", "-": "−",
}  # fmt: skip
_SAFE = r"[^\\{}$&#%_~^`\[\]\"<>|*]"


def seen(text: str) -> str:
    """A text without its commands; fails where a sign that TeX takes for something else stands alone."""
    tokens = re.compile(
        rf"\\(?P<word>\w+)\{{\}}|\\(?P<sign>[{{}}$&#%_])|\$\\?(?P<math>[^$]+)\$|\{{(?P<held>[`\[\]])\}}"
        rf"|\{{\\char(?P<code>\d+)\}}|-\{{\}}|(?P<plain>{_SAFE})"
    )
    found, at = [], 0
    while at < len(text):
        match = tokens.match(text, at)
        assert match, text[at : at + 20]
        told = {name: part for name, part in match.groupdict().items() if part}
        word = told.get("word") or told.get("math", "")
        found.append(chr(int(told["code"])) if "code" in told else _WORDS.get(word, "".join(told.values()) or "-"))
        at = match.end()
    return "".join(found)


@given(st.text() | st.text('-\\{}$&#%_~^`[]"<>|*±µ–⁶a '))
def test_any_text_is_only_text(text):
    assert seen(latex.escape(text)) == printable(text)
    assert "--" not in latex.escape(text)


@pytest.mark.parametrize("kind", ["report", "published"])
def test_rows_end_and_have_as_many_cells_as_columns(kind, request):
    files = list((request.getfixturevalue(kind) / "latex").iterdir())
    assert len(files) == 2
    for file in files:
        found = re.findall(r"\\begin\{tabular\}\{(\w+)\}\n(.*?)\\end\{tabular\}", file.read_text(), re.DOTALL)
        assert len(found) == 2
        for columns, body in found:
            rules = ("\\toprule", "\\midrule", "\\bottomrule", "\\addlinespace[2pt]")
            rows = [line for line in body.splitlines() if line not in rules]
            assert len(rows) > 1 and all(line.endswith(r" \\") for line in rows)
            assert {len(re.findall(r"(?<!\\)&", line)) for line in rows} == {len(columns) - 1}


def cells(text: str, table: int) -> list[list[str]]:
    """The cells of a table of a file, as a reader sees them, without letters of marks."""
    body = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)[table]
    rows = [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if "&" in line]
    plain = re.compile(r"\\textsuperscript\{\w+\}|\{\\scriptsize (.*)\}")
    return [[seen(plain.sub(lambda found: found[1] or "", cell).strip()) for cell in row] for row in rows]


def test_a_paper_has_the_figures_of_the_page(report):
    page = section((report / "iccs.md").read_text(), "4.")
    header, *rows = tables_of(page)[0]
    told = [dict(zip(header, row, strict=True)) for row in rows]
    found = cells((report / "latex" / "iccs.tex").read_text(), 0)
    for instance in ("pseudoXOF-512", "sm3_hash-256"):
        own = [row for row in told if row["instance"] == instance]
        at = next(at for at, row in enumerate(found) if row[0] == instance)
        assert found[at][1:] == [row["cycles/byte"] for row in own] and len(own) == len(MESSAGE_BYTES)
        widths = ["" if "–" in (row["±"], row["cycles/byte"]) else f"±{row['±']}" for row in own]
        assert [f"{width} %" if width else "" for width in found[at + 1][1:]] == widths
    assert found[2][1] == "–" and found[3][1] == ""  # in time, and not in cycles
    assert found[1][4] == ""  # few
    memory = cells((report / "latex" / "iccs.tex").read_text(), 1)
    assert memory[1] == ["sm3_hash-256", "32180", "9000", "2048", "16", "8", "1024", "300"]


def test_a_paper_says_what_speaks_against_its_figures(report):
    text = (report / "latex" / "iccs.tex").read_text()
    assert r"\textsuperscript{a}" in text and "a: few, hardly any undisturbed batches" in text
    assert "The host is not fit to measure" in text and "No figure for" not in text
    assert "MISMATCH" in (report / "latex" / "mine.tex").read_text()
    head = text.partition("\\begin{table}")[0].splitlines()
    assert len(head) == 9 and all(line.startswith("% ") for line in head)


def test_published_figures_are_as_printed_and_have_no_interval(published):
    text = (published / "latex" / "hash-30.tex").read_text()
    with open(FOLDER / "arm_1" / "performance.csv", encoding="utf-8") as stream:
        told = [row for row in csv.DictReader(stream) if row["candidate"] == "hash-30"]
    found = {row[0]: row[1:] for row in cells(text, 0)}
    for row in told:
        at = MESSAGE_BYTES.index(int(row["message_bytes"]))
        assert found[row["instance"]][at] == row["cycles_per_byte"]
    assert "95" not in text.partition("\\toprule")[0].rpartition("\\caption")[2]


def test_without_cycles_a_paper_has_times(tmp_path):
    results = Results(tmp_path / "local").complete("mine", {"Mine-512": 512}).own()
    for size in MESSAGE_BYTES:
        results.record("mine", "Mine-512", size, 512, source="none")
    aggregate(results.folder, None)
    render(results.folder)
    text = (results.folder / "report" / "latex" / "mine.tex").read_text()
    assert "Mean time of a call" in text and cells(text, 0)[0][:2] == ["Mine-512", "420 ns"]


ENGINE = shutil.which("pdflatex") or shutil.which("tectonic")


@pytest.mark.skipif(not ENGINE, reason="neither pdflatex nor tectonic is installed")
def test_the_tables_compile(report, published, tmp_path):
    files = [*(report / "latex").iterdir(), *(published / "latex").iterdir()]
    inputs = "\n".join(f"\\input{{{file}}}" for file in files)
    head = "\\documentclass{article}\\usepackage{booktabs}\\begin{document}"
    (tmp_path / "paper.tex").write_text(f"{head}\n{inputs}\n\\end{{document}}\n")
    options = ["-interaction=nonstopmode", "-halt-on-error"] if "pdflatex" in ENGINE else []
    run = subprocess.run([ENGINE, *options, "paper.tex"], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0 and (tmp_path / "paper.pdf").is_file(), run.stdout[-2000:]


def test_the_schema_names_columns_of_the_tables():
    definitions = schemas.schema("summary")["$defs"]
    for table in ("candidates", "instances", "kat", "performance", "memory", "unfit", "missing"):
        assert set(definitions[table]["properties"]) - {"instances", "rows"} <= set(tables.COLUMNS[table])
    for table in ("published_kat", "published_performance", "published_environment"):
        assert set(definitions[table]["properties"]) <= set(tables.PUBLISHED[table])


def test_the_summary_has_every_figure_of_the_tables(report):
    found = json.loads((report / "summary.json").read_text())
    stored = read_tables(report.parent)
    assert (found["system"], found["fit"], found["emulated"]) == ("local", False, False)
    assert found["plan"]["plan_trials"] == [5] and found["environment"]["cpu_model"] == ["Example CPU @ 2.80GHz"]
    seen_rows = 0
    for candidate in found["candidates"]:
        for instance in candidate["instances"]:
            for name in ("kat", "performance", "memory"):
                wanted = (candidate["candidate"], instance["instance"])
                own = [row for row in stored[name] if (row["candidate"], row["instance"]) == wanted]
                assert len(own) == len(instance["rows"][name])
                for row, told in zip(own, instance["rows"][name], strict=True):
                    seen_rows += 1
                    assert {column: as_cell(value) for column, value in told.items()} == {c: row[c] for c in told}
    assert seen_rows == 3 * (1 + 2 * len(MESSAGE_BYTES))
    few = found["candidates"][0]["instances"][0]["rows"]["performance"][3]
    assert few["marks"] == ["few"] and few["message_bytes"] == 1024 and few["undisturbed_cycles"] is None
    assert found["missing"][0]["candidate"] == "mine" and found["published_environment"] == []


def as_cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(value)
    return {None: "", True: "yes", False: "no"}[value] if value is None or isinstance(value, bool) else str(value)


def test_the_summary_of_published_figures_has_them_as_printed(published):
    found = json.loads((published / "summary.json").read_text())
    assert (found["evidence"], found["fit"]) == ("published", None)
    rows = found["candidates"][0]["instances"][0]["rows"]
    assert rows["performance"] == rows["memory"] == [] and len(rows["published_performance"]) == len(MESSAGE_BYTES)
    assert re.fullmatch(r"[\d.]+( [kM])?", rows["published_performance"][0]["mean_cycles"])
    assert {row["part"] for row in found["published_environment"]} == {"system", "environment", "plan"}


@pytest.mark.parametrize("cell", ["many", "1.5", "-1", "nan"])
def test_a_cell_that_is_no_count_is_named(report, cell):
    stored = read_tables(report.parent)
    stored["instances"][0]["digest_bits"] = cell
    if cell == "nan":
        assert nested.document(stored, ["iccs"])["candidates"][0]["instances"][0]["digest_bits"] is None
        return
    with pytest.raises(Mistake, match="report/summary.json: .*digest_bits"):
        nested.document(stored, ["iccs"])


@pytest.mark.parametrize(
    ("file", "found", "put"),
    [
        ("summary.json", '"mean_ns": 1380.0', '"mean_ns": 1381.0'),
        ("latex/alpha.tex", " & 32.8", " & 32.9"),
    ],
)
def test_the_audit_looks_every_number_up(folder, file, found, put):
    faults = change(folder, file, found, put)
    assert any("is not what the tables give" in fault for fault in faults)
    assert any("not in the tables" in fault for fault in faults)


def test_what_an_earlier_report_left_goes(report):
    (report / "latex" / "gone.tex").write_text("")
    faults = audit.audit(report.parent).faults
    assert any("latex/gone.tex: nothing asks for this file" in fault for fault in faults)
    render(report.parent)
    assert sorted(file.name for file in (report / "latex").iterdir()) == ["iccs.tex", "mine.tex"]
