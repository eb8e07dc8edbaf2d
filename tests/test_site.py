"""The site says what the Markdown pages say, in pages that hold together, whatever names and reasons are in them."""

import json
import re

import pytest

import sites
from evidence import CANARY_NS, UNFIT, Results, crowd
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.audit import figures
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.render.render import read_tables, render
from ngcc_campaign.render.site import blocks, document, headline, inline, language, names, table
from reports import published_tables, tables_of

HOSTILE = "</script><img src=x onerror=alert(1)> `a` [b](javascript:c) **d** | \\ & \u2028 {{ e }} {f}"


def disturb(record: dict) -> None:
    batch = record["trials"][0]["batches"][1]
    batch["elapsed_ns"] = batch["cpu_ns"] = 2 * batch["elapsed_ns"]
    record["trials"][0]["canaries_ns"][2] = 2 * CANARY_NS


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The report of a campaign with a hostile name, a marked row, an instance without a figure, on an unfit host."""
    results = Results(tmp_path_factory.mktemp("site") / "local", unfit=UNFIT)
    results.complete("iccs", {"pseudoXOF-512": 512, "sm3hash-256": 256}, algorithm=HOSTILE).own()
    results.complete("mine", {"Mine-512": 512, "Mine-1024": 1024})
    results.instance("mine", "Mine-1024", 1024, "MISMATCH", reason=HOSTILE)
    results.record("mine", "Mine-512", 1024, 512, ns=5000)
    results.change("records/mine/Mine-512__hash_1024.json", disturb, settled=True)
    aggregate(results.folder, None)
    render(results.folder, systems=("arm_1",))
    return results.folder / "report"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """The report of figures that are published."""
    results = published_tables(tmp_path_factory.mktemp("site") / "arm_1", "hash-30", "hash-34")
    render(results, systems=("arm_1",))
    return results / "report"


@pytest.mark.parametrize("kind", ["report", "published"])
def test_pages_hold_together_and_all_links_resolve(kind, request):
    folder = request.getfixturevalue(kind)
    pages = sites.read(folder)
    assert {path.name for path in pages} == {f"{path.stem}.html" for path in folder.glob("*.md")}
    assert len(pages) == 2 * len(list(folder.glob("*.md")))
    assert {path: page.flaws for path, page in pages.items() if page.flaws} == {}
    held = [link for link in sites.dead_links(pages) if "/build/" not in link]
    assert held == []


def test_the_site_has_the_cells_of_the_markdown(report):
    for name in ("iccs", "mine", "method", "systems"):
        cells = [cell for rows in tables_of((report / f"{name}.md").read_text()) for row in rows for cell in row]
        page = sites.Checked((report / names.page("en", name)).read_text())
        printed = " ".join(page.text.split())
        plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)|`|\*\*", r"\1", cell) for cell in cells]
        absent = {cell for cell in plain if " ".join(cell.split()) not in printed and HOSTILE[:9] not in cell}
        assert absent == set()


def test_nothing_that_a_submission_says_is_markup(report):
    for path, page in sites.read(report).items():
        own = [told for told in page.of("script") if told.get("type") != "application/json"]
        assert [told["src"] for told in own] in (["../site.js"], ["../site.js", "../vega.js"])
        assert all("onerror" not in told for _, told in page.elements)
        assert not any(link.startswith("javascript") for link in page.links)
        if path.name == "iccs.html":
            assert "</script><img src=x onerror=alert(1)> `a` [b](javascript:c) **d** | \\ &" in page.text


def test_plots_hold_their_data_without_an_end_of_script(report):
    text = (report / names.page("en", "mine")).read_text()
    found = re.findall(r'<script type="application/json" class="specification">(.*?)</script>', text)
    assert len(found) == len(names.PLOTS)
    assert not any(re.search("[<>&\u2028\u2029]", one) for one in found)
    cost, trials, memory = map(json.loads, found)
    row = next(row for row in cost["data"]["values"] if row["bytes"] == 1024)
    stored = tables.read(report.parent, "performance")
    (own,) = [one for one in stored if one["instance"] == "Mine-512" and one["message_bytes"] == "1024"]
    assert row["cost"] == pytest.approx(float(own["cycles_per_byte"]))
    assert row["told"]["marks"] == own["marks"]
    words = [point["words"] for point in trials["data"]["values"] if point["bytes"] == 1024]
    assert sorted(words) == [*[""] * 9, "canary"]
    assert {row["part"] for row in memory["data"]["values"]} >= {"text", "stack", "heap"}


def test_tables_are_tables_and_plots_have_words(report):
    page = sites.Checked((report / names.page("en", "mine")).read_text())
    assert all(told.get("scope") in ("col", "row") for told in page.of("th"))
    assert len(page.of("table")) == len(page.of("caption"))
    boxes = [told for told in page.of("div") if told.get("class") == "wide"]
    assert all(told["tabindex"] == "0" and told["role"] == "region" and told["aria-labelledby"] for told in boxes)
    drawings = [told for told in page.of("div") if told.get("class") == "drawing"]
    assert len(drawings) == 3 and all(told["role"] == "img" and told["aria-describedby"] for told in drawings)
    assert [name for name in ("header", "main", "footer") if len(page.of(name)) != 1] == []


def led(report, name: str) -> dict[str, set[str]]:
    """The texts of links of a page that lead to files of evidence, by these."""
    found: dict[str, set[str]] = {}
    text = (report / names.page("zh", name)).read_text()
    for file, told in re.findall(r'<a href="\.\./\.\./\.\./([^"]*)"[^>]*>(.*?)</a>', text):
        found.setdefault(file, set()).add(told)
    return found


def test_each_figure_leads_to_its_record(report):
    links = led(report, "mine")
    timing = links["records/mine/Mine-512__hash_1024.json"]
    assert {"1024 B", "13.8 k", "13.4", "5.5 µs"} <= timing
    assert {"hash_1024", "32180", "9000"} <= links["memory/mine/Mine-512.json"]
    assert "PASS" in links["kat/mine/Mine-512.json"] and "guide" in links["build/mine/Mine-512/build.json"]
    assert links["kat/mine/Mine-512.log"] == {"kat/mine/Mine-512.log"}
    assert not any("–" in told for told in links.values())


def test_figures_of_the_index_the_ranking_and_the_method_lead_to_theirs(report):
    index, method, ranking = (led(report, name) for name in ("index", "method", "ranking"))
    assert "13.4" in index["records/mine/Mine-512__hash_1024.json"]
    assert index["memory/mine/Mine-512.json"] >= {"32180", "1024"} and index["kat/mine/Mine-1024.json"] == {"MISMATCH"}
    assert "records/mine/Mine-1024__hash_1024.json" not in index
    assert "control_start" in method["records/control_start.json"] and method["records/same_b_32.json"]
    assert "KVM" in method["host.json"] and not any("gcc" in told for told in method["host.json"])
    assert "records/mine/Mine-512__hash_32.json" in ranking and not any("1.00" in told for told in ranking.values())


def test_published_figures_lead_to_no_record_and_have_no_batches(published):
    page = sites.Checked((published / names.page("en", "hash-30")).read_text())
    assert not any("records/" in link for link in page.links)
    assert len([told for told in page.of("div") if told.get("class") == "drawing"]) == 2
    banners = [told for told in page.of("p") if "warning" in told.get("class", "")]
    assert len(banners) == 1


def test_of_published_figures_the_best_of_each_width_is_told_and_widths_are_in_order(published):
    text = (published / names.page("zh", "index")).read_text()
    assert re.findall(r"<dt>(\d+) 比特</dt><dd><strong>(.*?)</strong>", text) == [
        ("512", "ZC-DM-1280-512"), ("768", "ZC-DM-1280-768"), ("1024", "WChain-V2-1024"),
    ]  # fmt: skip
    assert re.findall("<option>(\\d+)</option>", text) == ["512", "768", "1024"]


def test_what_an_earlier_site_left_behind_goes(report):
    old = report / names.page("en", "gone")
    old.write_text("old")
    render(report.parent, systems=("arm_1",))
    assert not old.exists()


@pytest.mark.parametrize(
    ("figure", "value"),
    [("1.5 k", 1500), ("999 ns", 999), ("1.6 µs", 1600), ("13.9 ms", 13.9e6), ("≈ 12", 12), ("–", None), ("", None)],
)
def test_the_index_sorts_by_what_cells_print(figure, value):
    assert table.value(figure) == (None if value is None else pytest.approx(value))


def test_a_bar_that_would_leave_its_cell_is_broken():
    cells = tuple(table.Cell(str(value), value=value) for value in (1.0, 2.0, 2.0, 100.0))
    table._add_bars(cells)
    assert [(cell.bar, cell.longer) for cell in cells] == [(0.12, False), (0.25, False), (0.25, False), (1, True)]


def test_the_index_marks_rows_standings_and_marks(report):
    page = (report / names.page("en", "index")).read_text()
    (row,) = re.findall(r'<tr data-candidate="mine" data-bits="512".*?</tr>', page, re.DOTALL)
    assert 'data-marks="disturbed few' in row and '<abbr title="disturbed few' in row
    assert '<span class="best">best</span>' in page


PAGE = """a › b

# T

one
two

*Table 1: c.*

| x | y |
|:--|--:|
| a\\|b | 1 |

- p
  q
- r

> s
> t

---

end
"""


def test_blocks_of_a_page():
    found = blocks.read(PAGE)
    kinds = ["paragraph", "heading", "paragraph", "caption", "table", "list", "quote", "rule", "paragraph"]
    assert [block.kind for block in found] == kinds
    assert found[2].text == "one two" and found[4].rows == [["x", "y"], ["a\\|b", "1"]] and found[4].right == {1}
    assert found[5].rows == [["p q"], ["r"]] and found[6].text == "s t"


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a < b & \\*c\\* &lt;d&gt;", "a &lt; b &amp; *c* &lt;d&gt;"),
        ("`x<y` **z**", "<code>x&lt;y</code> <strong>z</strong>"),
        ("[m](method.md#marks)", '<a href="method.html#marks">m</a>'),
        ("[o](../../arm_1/report/hash-30.md)", '<a href="../../../../arm_1/report/html/zh/hash-30.html">o</a>'),
        ("[s](https://example.org/?a=1&b=2)", '<a href="https://example.org/?a=1&amp;b=2">s</a>'),
        ("[j](javascript:alert)", "j"),
        ("[a\\]b](index.md)", '<a href="index.html">a]b</a>'),
    ],
)
def test_a_line_of_markdown(markdown, html):
    assert inline.to_html(markdown, "zh") == html


def test_headings_have_the_names_that_pages_link_to():
    assert document.slug("What would make this machine fit") == "what-would-make-this-machine-fit"
    assert document.slug("[hash-30](hash-30.md)") == "hash-30"


# The answer in a sentence.


def answer(tmp_path, **host) -> headline.Headline:
    results = Results(tmp_path / "local", **host).complete("a", {"Fast-512": 512, "Slow-512": 512}).own()
    for name, ns in (("Fast-512", 1000), ("Slow-512", 1500)):
        results.record("a", name, 1024, 512, ns=ns)
    aggregate(results.folder, None)
    return headline.of(read_tables(results.folder), ["a"])


def test_the_fastest_by_how_much_and_that_it_can_be_believed(tmp_path):
    found = answer(tmp_path)
    assert found.sentence == (
        "**Fast-512** (a) is the fastest at 1 KiB on this system: 2500 cycles ± 0.00 % for a message, undisturbed"
        " (2.4 cycles/byte); the next, Slow-512 (a), takes 50 % more."
    )
    assert found.worth == headline.BELIEVE
    assert found.widths == []  # of one width the sentence says it all


def test_the_markdown_index_begins_with_the_same_answer(report):
    lines = (report / "index.md").read_text().split("\n")
    page = sites.Checked((report / names.page("en", "index")).read_text())
    sentence, worth = (line.replace("**", "") for line in (lines[4], lines[6]))
    assert " is the fastest: " in sentence and worth.startswith("Believe it with care: ")
    assert [page.text.count(told) for told in (sentence, worth)] == [1, 1]


def test_rows_with_the_same_marks_are_told_together():
    rows = [
        {"instance": name, "marks": words} for name, words in (("A", "few"), ("B", ""), ("C", "few"), ("D", "outlier"))
    ]
    told = ["the rows of A and C are marked few", "the row of D is marked outlier"]
    assert headline._marked(rows) == told


def test_an_unfit_host_is_a_reason_for_care(tmp_path):
    found = answer(tmp_path, unfit=UNFIT)
    assert found.worth == headline.CARE and found.reasons[0] == headline.APART and "not fit" in found.reasons[1]


def test_what_cannot_be_told_apart_is_said(tmp_path):
    results = Results(tmp_path / "local").complete("a", {"One-512": 512, "Two-256": 256}).own()
    results.record("a", "One-512", 1024, 512, factors=[1, 1.01, 0.99, 1.004, 1.006])
    aggregate(results.folder, None)
    found = headline.of(read_tables(results.folder), ["a"])
    assert found.sentence.endswith("not to be told from it: One-512.") or found.sentence.endswith("from it: Two-256.")


@pytest.mark.parametrize(
    ("crowded", "sentence", "chinese"),
    [
        (
            "A",
            "Of 2 instances only **B** (a) can be judged at 1 KiB:"
            " 25.9 k cycles ± 0.00 % for a message, undisturbed (25.2 cycles/byte);"
            " the other is marked few or remembers.",
            "2 个实例中只有 **B** (a) 可在 1 KiB 处作判断："
            "每条消息 25.9 k 周期 ± 0.00 %，未受干扰（25.2 周期/字节）；另一个带有标记 few 或 remembers。",
        ),
        (
            "AC",
            "Of 3 instances only **B** (a) can be judged at 1 KiB:"
            " 25.9 k cycles ± 0.00 % for a message, undisturbed (25.2 cycles/byte);"
            " the other 2 are marked few or remembers.",
            "3 个实例中只有 **B** (a) 可在 1 KiB 处作判断："
            "每条消息 25.9 k 周期 ± 0.00 %，未受干扰（25.2 周期/字节）；"
            "其余 2 个带有标记 few 或 remembers。",
        ),
        (
            "AB",
            "No instance can be judged at 1 KiB, of 2 measured: each is marked few or remembers.",
            "测量的 2 个实例在 1 KiB 处均无法作判断：都带有标记 few 或 remembers。",
        ),
    ],
)
def test_what_cannot_be_judged_is_said(tmp_path, crowded, sentence, chinese):
    results = Results(tmp_path / "local").complete("a", dict.fromkeys(sorted({*crowded, "B"}), 512)).own()
    for name in crowded:
        results.change(f"records/a/{name}__hash_1024.json", crowd, settled=True)
    aggregate(results.folder, None)
    found = headline.of(read_tables(results.folder), ["a"])
    assert found.sentence == sentence and language.catalogue("zh")(sentence) == chinese
    assert "difference" not in " ".join(found.reasons)


@pytest.fixture(scope="module")
def overtaken(tmp_path_factory):
    """Two that can be judged at 512 bits, one marked few that takes less for certain; one of 256 bits, marked few."""
    results = Results(tmp_path_factory.mktemp("few") / "local")
    results.complete("a", {"Few-512": 512, "Fast-512": 512, "Slow-512": 512, "Few-256": 256}).own()
    for name, ns in (("Few-512", 5000), ("Fast-512", 10_000), ("Slow-512", 15_000)):
        results.record("a", name, 1024, 512, ns=ns)
    for name in ("Few-512", "Few-256"):
        results.change(f"records/a/{name}__hash_1024.json", crowd, settled=True)
    aggregate(results.folder, None)
    return results


def test_none_is_called_the_fastest_of_all_where_others_are_not_judged(overtaken):
    found = headline.of(read_tables(overtaken.folder), ["a"])
    assert found.sentence == (
        "Of the 2 of 4 instances that can be judged at 1 KiB, **Fast-512** (a) is the fastest: 25.0 k cycles ± 0.00 %"
        " for a message, undisturbed (24.4 cycles/byte); Few-512 (a), marked few, takes less: at most 12.5 k cycles."
    )
    assert language.catalogue("zh")(found.sentence) == (
        "在 1 KiB 处可作判断的 2 个实例（共 4 个）中，**Fast-512** (a) 最快：每条消息 25.0 k 周期 ± 0.00 %，未受干扰"
        "（24.4 周期/字节）；带有标记 few 的 Few-512 (a) 用量更少：至多 12.5 k 周期。"
    )
    assert (found.worth, found.reasons) == (
        headline.CARE, ["2 of 4 instances cannot be judged, and may be faster"]
    )  # fmt: skip
    less = "Few-512 (a), marked few, takes less: at most 12.5 k cycles"
    assert found.widths == [
        ("256 bits", "none can be judged: Few-256"),
        ("512 bits", f"{less}; of those that can be judged **Fast-512** (a)"),
    ]


def test_none_is_best_in_the_tables_where_one_that_is_not_judged_takes_less(overtaken):
    rows = [row for row in tables.read(overtaken.folder, "performance") if row["digest_bits"] == "512"]
    assert {row["standing"] for row in rows if row["message_bytes"] == "1024"} == {""}
    assert "best" in {row["standing"] for row in rows if row["message_bytes"] == "32"}


def test_the_audit_reads_the_bound_and_the_cycles_a_byte_of_the_answer(overtaken):
    render(overtaken.folder)
    text, stored = (overtaken.folder / "report/index.md").read_text(), read_tables(overtaken.folder)
    changes = [("", ""), ("(24.4 cycles/byte)", "(23.4 cycles/byte)"), ("at most 12.5 k", "at most 12.7 k")]
    found = []
    for old, new in changes:
        figures.check({"index": text.replace(old, new)}, stored, None, findings := Findings())
        found.append(bool(findings.faults))
    assert found == [False, True, True]


def test_without_figures_there_is_no_answer(tmp_path):
    results = Results(tmp_path / "local").complete("a", {"One-512": 512}).own()
    results.instance("a", "One-512", 512, "MISMATCH")
    aggregate(results.folder, None)
    assert headline.of(read_tables(results.folder), ["a"]).sentence == headline.NOTHING


@pytest.mark.parametrize(
    ("quotient", "words"), [(1.004, "0.40 % more"), (1.5, "50 % more"), (2.517, "2.52 times as much")]
)
def test_more(quotient, words):
    assert headline.more(quotient) == words


def test_the_best_of_each_width_is_told_even_where_it_is_alone(tmp_path):
    results = Results(tmp_path / "local").complete("a", {"Fast-512": 512, "Slow-512": 512, "One-256": 256}).own()
    results.record("a", "Slow-512", 1024, 512, ns=90000)
    aggregate(results.folder, None)
    found = headline.of(read_tables(results.folder), ["a"])
    alone = ("256 bits", "**One-256** (a); no other to compare with")
    assert found.widths == [alone, ("512 bits", "**Fast-512** (a)")] and found.reasons[-1] == headline.TIED
