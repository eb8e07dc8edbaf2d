"""Who comes first: places by the rule of ties, the mean of places, and what has no place and why."""

import re

import pytest

from evidence import Results, crowd
from ngcc_campaign.aggregate import comparing, tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.audit import figures
from ngcc_campaign.audit.audit import audit
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.render.render import read_tables, render
from ngcc_campaign.render.site import names
from reports import published_tables, tables_of
from test_comparing import own, spread_out


@pytest.fixture
def results(tmp_path) -> Results:
    """Three instances of one width, all alike, another one alone in its width, and the yardstick."""
    results = Results(tmp_path / "local").complete("alpha", {"A": 512, "B": 512, "C": 512, "D": 256}).own()
    return results.complete("yardstick", {"pseudoXOF-512": 512})


def ranking(results: Results, metric: str, bits: int = 512) -> dict[str, tuple[str, str, str]]:
    """Place, how many share it, and the reason, by instance."""
    aggregate(results.folder, None)
    rows = [row for row in tables.read(results.folder, "ranking") if row["digest_bits"] == str(bits)]
    return {row["instance"]: (row["place"], row["shared"], row["reason"]) for row in rows if row["metric"] == metric}


@pytest.mark.parametrize(
    ("costs", "floor", "expected"),
    [
        ({"a": (10, 0), "b": (9, 0), "c": (11, 0)}, 0, {"b": 1, "a": 2, "c": 3}),
        ({"a": (10, 0), "b": (10, 0), "c": (11, 0)}, 0, {"a": 1, "b": 1, "c": 3}),
        ({"a": (10, 0), "b": (10.5, 0), "c": (11, 0)}, 0.05, {"a": 1, "b": 1, "c": 3}),
        # b overlaps a; c does not, although it overlaps b.
        ({"a": (10, 0.3), "b": (10.5, 0.3), "c": (11, 0.3)}, 0, {"a": 1, "b": 1, "c": 3}),
        # Who is hardly known shares the place of the best, whoever lies between.
        ({"a": (10, 0.1), "b": (11, 0.1), "c": (12, 3)}, 0, {"a": 1, "c": 1, "b": 3}),
        ({}, 0, {}),
    ],
)
def test_ties_share_a_place_and_use_up_those_behind_it(costs, floor, expected):
    assert comparing.places(costs, floor) == expected


def test_ranks_by_cost_go_by_intervals_and_noise_floor(results):
    results.record("alpha", "A", 1024, 512, ns=11_000, factors=spread_out(0.01))
    results.record("alpha", "B", 1024, 512, ns=10_900, factors=spread_out(0.01))
    assert ranking(results, "cost_1024") == {"C": ("1", "1", ""), "B": ("2", "2", ""), "A": ("2", "2", "")}
    own(results, "same_b_1024", 1070)
    assert {place for place, *_ in ranking(results, "cost_1024").values()} == {"1"}


def test_values_are_those_of_the_figure_that_comparisons_take(results):
    results.record("alpha", "A", 65536, 512, ns=2 * 655_360, factors=spread_out(0.02))
    aggregate(results.folder, None)
    rows = {(row["metric"], row["instance"]): row for row in tables.read(results.folder, "ranking")}
    cost, rate = rows["cost_65536", "A"], rows["throughput_65536", "A"]
    assert (cost["unit"], rate["unit"]) == ("cycles/byte", "MB/s")
    assert float(cost["value"]) == pytest.approx(2 * 10 * 2.5, rel=1e-5)
    assert float(rate["value"]) == pytest.approx(50, rel=1e-5)
    assert float(rate["half_width"]) / 50 == pytest.approx(float(cost["half_width"]) / 50, rel=1e-3) != 0
    assert (rows["throughput_65536", "A"]["place"], rows["throughput_65536", "B"]["place"]) == ("3", "1")


def test_without_cycles_of_one_kind_time_is_ranked(results):
    results.record("alpha", "A", 32, 512, source="none", ns=400)
    aggregate(results.folder, None)
    rows = [row for row in tables.read(results.folder, "ranking") if row["metric"] == "cost_32"]
    assert {(row["digest_bits"], row["unit"]) for row in rows} == {("512", "ns"), ("256", "cycles/byte")}
    assert [row["instance"] for row in rows if row["place"] == "1"] == ["A"]


def test_overall_is_the_mean_of_the_places_of_who_has_all(results):
    results.record("alpha", "A", 32, 512, ns=300)
    results.record("alpha", "B", 32, 512, trials=1)
    results.change("memory/alpha/C.json", lambda told: told["operations"][0]["call"][0].update(stack_bytes=2000))
    found = ranking(results, "overall")
    # Seven metrics: A is first by all; C is second by cost_32 of two that are ranked, and third by stack.
    assert found["A"] == ("1", "1", "") and found["C"] == ("2", "1", "")
    assert found["B"] == ("", "", "no place by cost_32")
    rows = {row["instance"]: row for row in tables.read(results.folder, "ranking") if row["metric"] == "overall"}
    assert float(rows["A"]["value"]) == 1 and float(rows["C"]["value"]) == pytest.approx(
        (1 + 2 + 1 + 1 + 3 + 1 + 1) / 7
    )
    assert ranking(results, "cost_32")["B"] == ("", "", "one trial, no interval")


def test_equal_means_of_places_share_the_overall_place(results):
    assert set(ranking(results, "overall").values()) == {("1", "3", "")}


def test_who_is_not_timed_or_alone_has_no_place(results):
    results.instance("alpha", "B", 512, "MISMATCH")
    assert ranking(results, "cost_32")["B"] == ("", "", "NOTTIMED: MISMATCH: B gave the reason")
    assert ranking(results, "overall")["B"][0] == ""
    assert ranking(results, "cost_32", 256) == {"D": ("", "", "nothing of its width to compare with")}
    assert "pseudoXOF-512" not in ranking(results, "cost_32")


def crowded(results: Results, pattern: str) -> None:
    for path in (results.folder / "records" / "alpha").glob(pattern):
        results.change(f"records/alpha/{path.name}", crowd, settled=True)


def test_without_a_place_by_time_memory_makes_no_winner(results):
    crowded(results, "[ABC]__*.json")
    results.change("memory/alpha/C.json", lambda told: told["operations"][0]["call"][0].update(stack_bytes=2000))
    timed = "cost_32, cost_1024, cost_65536, throughput_65536"
    assert set(ranking(results, "overall").values()) == {("", "", f"no place by {timed}")}
    assert ranking(results, "stack")["C"] == ("3", "1", "")
    assert ranking(results, "overall", 256)["D"][2] == "nothing of its width to compare with"
    render(results.folder)
    text = (results.folder / "report" / "ranking.md").read_text(encoding="utf-8")
    timed = "time 32 B, time 1024 B, time 65536 B, throughput 65536 B"
    assert f"of security. No overall place at 512 bits: nobody is ranked by {timed}.\n\n" in text
    (table,) = tables_of(text)
    assert {tuple(row[:1] + row[3:8]) for row in table[1:]} == {("–",) * 6} and table[1][8] == "1= · 1024"
    chinese = (results.folder / "report" / names.page("zh", "ranking")).read_text(encoding="utf-8")
    assert "512 比特处没有总名次" in chinese
    figures.check({"ranking": text}, read_tables(results.folder), None, findings := Findings())
    assert findings.faults == []


@pytest.mark.parametrize("few", ["[ABC]__hash_1024.json", "[AB]__hash_1024.json"])
def test_where_a_metric_ranks_nobody_the_others_make_no_winner(results, few):
    crowded(results, few)
    results.record("alpha", "C", 32, 512, ns=300)
    assert ranking(results, "cost_32")["C"][0] == "1"
    assert set(ranking(results, "overall").values()) == {("", "", "no place by cost_1024")}


def test_the_page_states_its_scope(results):
    results.record("alpha", "B", 32, 512, trials=1)
    aggregate(results.folder, None)
    render(results.folder)
    text = (results.folder / "report" / "ranking.md").read_text(encoding="utf-8")
    assert "**Scope: alpha on system local, measured, 32 of 32 records.**" in text
    assert "differ by no more than the noise floor, 0.00 %" in text
    (table,) = tables_of(text)
    assert table[0][:5] == ["place", "candidate", "instance", "mean place", "c/B 32 B"]
    assert [row[:4] for row in table[1:]] == [
        ["1=", "[alpha](alpha.md)", "A", "1.00"],
        ["1=", "[alpha](alpha.md)", "C", "1.00"],
        ["–", "[alpha](alpha.md)", "B", "–"],
    ]
    exact, quiet = ["1= · 1024", "1= · 300", "1= · 32180"], " ± 0.00 %"
    assert table[1][4:] == [*(f"1= · {text}{quiet}" for text in ("32.8", "25.2", "25.0", "100.0")), *exact]
    assert "- alpha B, c/B 32 B: one trial, no interval" in text and "nothing to rank: 256 bits." in text
    assert "[Ranking](ranking.md)" in (results.folder / "report" / "index.md").read_text(encoding="utf-8")


def test_published_figures_are_ranked_as_printed(tmp_path):
    published_tables(tmp_path / "arm_1", "hash-04", "hash-30")
    render(tmp_path / "arm_1")
    text = (tmp_path / "arm_1" / "report" / "ranking.md").read_text(encoding="utf-8")
    wide, narrow, _ = tables_of(text)[1], tables_of(text)[0], None
    assert narrow[0][3:] == ["mean place", "c/B 32 B", "c/B 1024 B", "c/B 65536 B", "throughput 65536 B", "ELF bytes"]
    assert narrow[1][2:5] == ["ZC-DM-1280-512", "1.00", "1 · 15.5"] and wide[1][2] != "CHAMP-1024"
    assert "Published figures have no intervals" in text and "±" not in text.partition("## 512")[2]


def test_the_audit_computes_the_ranking_again(folder):
    table = folder / "tables" / "ranking.csv"
    table.write_text(table.read_text().replace("heap,,alpha,Two-512,byte,300,", "heap,,alpha,Two-512,byte,200,"))
    assert any("value: found '200', recomputed '300'" in fault for fault in audit(folder).faults)


@pytest.mark.parametrize(
    ("old", "new"),
    [("3 · 50.0", "3 · 50.1"), ("3 · 50.0", "9 · 50.0"), ("50.0 ± 1", "50.0 ± 2"), ("| 3 ", "| 7 "), ("1.29", "1.28")],
)
def test_the_audit_looks_up_every_figure_of_the_page(results, old, new):
    results.record("alpha", "A", 32, 512, ns=640, factors=spread_out(0.0101))
    aggregate(results.folder, None)
    render(results.folder)
    text = (results.folder / "report" / "ranking.md").read_text(encoding="utf-8")
    for page, faults in ((text, 0), (text.replace(old, new), 1)):
        findings = Findings()
        figures.check({"ranking": page}, read_tables(results.folder), None, findings)
        assert len(findings.faults) == faults, page


@pytest.mark.parametrize(
    ("pattern", "new", "flaw"),
    [
        (r"512,stack,.*,B,.*\n", "", "rows are absent"),
        (r"512,overall,.*,B,.*\n", "", "rows are absent"),
        (r"(512,stack,.*,)3,", r"\1,", "a place without a figure"),
        (r"(512,stack,.*),byte,", r"\1,,", "unit ''"),
        (r"512,stack,", "512,stacks,", "metric 'stacks'"),
        (r"(512,stack,.*\n)", r"\1\1", "512 stack alpha A stands there twice"),
    ],
)
def test_a_damaged_ranking_gives_no_page(results, pattern, new, flaw):
    aggregate(results.folder, None)
    table = tables.path(results.folder, "ranking")
    table.write_text(re.sub(pattern, new, table.read_text(), count=1))
    with pytest.raises(Mistake, match=rf"ranking\.csv: damaged \({flaw}\); run 'aggregate' again"):
        render(results.folder)
