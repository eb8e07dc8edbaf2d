"""Every printed figure carries its uncertainty, and what disturbed a row is seen beside it."""

import re
from types import SimpleNamespace

import pytest

from evidence import CANARY_NS, Results, crowd
from ngcc_campaign.aggregate import comparing, tables, timing
from ngcc_campaign.audit import figures as auditing_figures
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.render import figures, marks, summary, timings
from ngcc_campaign.run import ending
from reports import page, section, tables_of, three_instances

ONE = "records/iccs/sm3hash-256__hash_1024.json"


@pytest.fixture
def results(tmp_path):
    return three_instances(tmp_path / "local").own()


def neighbour(record: dict, trials: int = 2) -> None:
    """Something takes the core's slots in the second batch of some trials, and the canary after it tells."""
    for trial in record["trials"][:trials]:
        trial["batches"][1]["elapsed_ns"] = trial["batches"][1]["cpu_ns"] = 2 * trial["batches"][1]["elapsed_ns"]
        trial["canaries_ns"][2] = 2 * CANARY_NS


def burner(record: dict) -> None:
    neighbour(record, 5)
    for trial in record["trials"]:
        trial["canaries_ns"][1] = 2 * CANARY_NS


def slow_trial(record: dict) -> None:
    """One process of five takes a tenth longer, and nothing tells why."""
    for batch in record["trials"][3]["batches"]:
        batch["elapsed_ns"] = batch["cpu_ns"] = round(1.1 * batch["elapsed_ns"])


def row_of(text: str, table: int = 0) -> list[str]:
    """The row of sm3hash-256 at 1024 B, from its third cell, in a table of section 4."""
    (found,) = [row for row in tables_of(section(text, "4."))[table] if row[:2] == ["sm3hash-256", "1024 B"]]
    return found[2:]


def test_a_steady_row_says_so(results):
    text = page(results)
    assert row_of(text)[5:] == ["0.00 %", "=", "100.0 %", ""]
    assert all("\n**Rows without a mark: 24 of 24**.\n" in page(results, name) for name in ("iccs", "index", "method"))
    assert "- Marks" not in text and "\\*" not in page(results, "index")
    assert "- Of 24 rows, measuring ended in 24 because the mean was known well enough." in text


def last_words(results, capsys) -> list[str]:
    """How a run ends that leaves these results."""
    page(results)
    ending.last_words(SimpleNamespace(results=results.folder), failed=True, measures=True)
    return [line for line in capsys.readouterr().out.splitlines() if "timing" in line]


def test_a_run_ends_with_how_many_timings_are_marked(results, capsys):
    assert last_words(results, capsys) == ["24 timings, none of them marked"]
    results.change(ONE, neighbour, settled=True)
    assert last_words(results, capsys) == ["24 timings, 1 of them marked: 1 disturbed, 1 few, 1 imprecise, 1 outlier"]


def test_one_timing_and_none():
    row = {"status": "MEASURED", "marks": "few"}
    assert marks.told([row, row | {"status": "ABSENT"}]) == "1 timing, 1 of them marked: 1 few"
    assert marks.told([row | {"status": "ABSENT"}]) == ""


def test_a_disturbed_row_prints_both_means_and_the_share_kept(results):
    """Two batches of ten take twice as long: too few trials are left with two undisturbed ones."""
    results.change(ONE, neighbour, settled=True)
    text = page(results)
    # All calls: 1.2 × 10,340 ns at 2.5 GHz; t = 2.7764 · 0.5477 · 5170 ns / √5 over the means 1.5, 1.5, 1, 1, 1.
    assert row_of(text)[:6] == ["31.0 k", "30.3", "12.4 µs", "82.5", "10000 (5 × 2000)", "–"]
    assert row_of(text)[6:] == ["25.9 k", "80.0 %", "disturbed few imprecise outlier"]
    (legend,) = re.findall("^- Marks: (.*)$", text, re.MULTILINE)
    assert legend.startswith(
        "disturbed (the means over all calls and over undisturbed batches differ by more than 1 %), "
    )
    assert "outlier (a trial lies far from the others)." in legend and "overhead" not in legend


@pytest.mark.parametrize("name", ["iccs", "index", "method"])
def test_every_page_says_how_many_rows_are_marked(results, name):
    results.change(ONE, neighbour, settled=True)
    counts = "disturbed 1, few 1, imprecise 1, outlier 1"
    told = f"**Rows without a mark: 23 of 24**; marked: {counts} ([what marks mean](method.md#marks))."
    assert f"\n{told}\n" in page(results, name)


def one_trial(record: dict) -> None:
    """A trial whose every batch lies beside a disturbed canary; five others are as many as were planned."""
    record["plan"]["trials"] = 5
    record["trials"][4]["canaries_ns"] = [2 * CANARY_NS] * len(record["trials"][4]["canaries_ns"])


def test_an_undisturbed_mean_that_hardly_differs_prints_its_own_interval(results):
    """Where it is not that of the mean over all calls; the audit looks it up."""
    results.record("iccs", "sm3hash-256", 1024, trials=6, factors=[1, 1.001, 1, 1.001, 1.006, 1])
    results.change(ONE, one_trial, settled=True)
    text = page(results)
    # t · s / √n of 1, 1.001, 1, 1.001, 1, by t = 3.1355 where measuring ended for precision: 3.1355 · 0.0005477 / √5.
    assert row_of(text)[5:] == ["0.27 %", "= ± 0.08 %", "83.3 %", ""]
    assert dict(zip(timings.SPREAD[2:], row_of(text, 3), strict=True))["undisturbed time"] == "= ± 0.08 %"
    assert faults(results, text) == []
    assert faults(results, text.replace("= ± 0.08 %", "= ± 0.07 %", 1))
    assert "with its own ± where that prints otherwise." in text


def faults(results, text: str, name: str = "iccs") -> list[str]:
    """What the audit says of the figures on a page."""
    findings = Findings()
    stored = {table: tables.read(results.folder, table) for table in tables.COLUMNS}
    auditing_figures.check({name: text}, stored, None, findings)
    return findings.faults


def test_the_index_of_a_campaign_without_cycles_tells_time(results):
    """With the standing and the marks that rows have by time."""
    for path in (results.folder / "records").rglob("*.json"):
        results.change(str(path.relative_to(results.folder)), without_cycles)
    results.complete("fips", {"SHA-512": 512, "SHA-384": 384})
    for name, bits in (("SHA-512", 512), ("SHA-384", 384)):
        for size in MESSAGE_BYTES:
            results.record("fips", name, size, bits, source="none", factors=[1, 1.1, 1, 1, 1])
    text = page(results, "index")
    header, *rows = tables_of(section(text, "Summary"))[0]
    assert header[3:7] == ["mean time 32 B", "mean time 1024 B", "mean time 65536 B", "MB/s 65536 B"]
    cells = {row[1]: row[3] for row in rows}
    assert cells["SHA-512"] == "428 ns ± 5.4 % tied *" and cells["sm3hash-256"] == "420 ns ± 0.00 %"
    assert "mean time: of one call, over all calls." in text and "cycles/byte:" not in text
    assert faults(results, text, "index") == []
    assert faults(results, text.replace("tied \\*", "\\*", 1), "index")


def without_cycles(record: dict) -> None:
    record["cycle_source"] = "none"
    for trial in record["trials"]:
        trial["core_clock"] = None


def test_a_row_without_cycles_among_others_keeps_its_mark_and_standing():
    row = {"cycles_per_byte": "", "mean_cycles": "", "half_width_cycles": "", "standing": "tied", "marks": "few"}
    assert summary._per_byte(row) == "– tied *"
    assert summary._per_byte(row | {"standing": "", "marks": ""}) == "–"


def test_a_row_without_an_undisturbed_batch_has_one_mean(results):
    results.change(ONE, burner, settled=True)
    assert row_of(page(results))[6:] == ["–", "0.0 %", "few"]


def test_the_index_marks_the_figures_of_marked_rows(results):
    results.change(ONE, neighbour, settled=True)
    text = page(results, "index")
    (row,) = [row for row in tables_of(section(text, "Summary"))[0] if row[1] == "sm3hash-256"]
    assert row[3:6] == ["32.8 ± 0.00 %", "30.3 *", "25.0 ± 0.00 %"]
    assert "\\*: marked, see its page." in text


def test_outlying_trials_are_named(results):
    results.change(ONE, slow_trial, settled=True)
    text = page(results)
    assert "- Outlying trials, counted from 0, which are in every figure: sm3hash-256 hash_1024: 3 of 5." in text
    assert row_of(text)[-1] == "imprecise outlier"


def test_the_spread_of_trials_and_what_disturbed_them(results):
    results.change(ONE, neighbour, settled=True)
    text = page(results)
    header = next(table for table in tables_of(section(text, "4.")) if "fastest batch" in table[0])[0]
    found = dict(zip(header[2:], row_of(text, 3), strict=True))
    assert (found["batches"], found["disturbed by"], found["ended"]) == ("10 × 1000", "canary 2", "budget")
    assert (found["median of trials"], found["least"], found["greatest"]) == ("25.9 k", "25.9 k", "38.8 k")
    assert (found["fastest batch"], found["undisturbed time"]) == ("25.9 k", "10.3 µs")
    # The standard deviation of 1.5, 1.5, 1, 1, 1 over 1.2; most trials have no spread inside.
    assert (found["between"], found["within"]) == ("23 %", "0.00 %")


def test_ratios_and_standings_by_message_length(results):
    results.complete("fips", {"SHA-512": 512, "SHA-384": 384})
    results.record("fips", "SHA-512", 32, 512, ns=300.0, factors=[1, 1.01, 0.99, 1.04, 0.96])
    results.record("fips", "SHA-512", 1024, 512, ns=18400.0)
    header, row = tables_of(section(page(results, "fips"), "4."))[1]
    assert header[:5] == ["instance", "32 B", "128 B", "512 B", "1024 B"]
    assert row[:5] == ["SHA-512", "0.71 ± 3.6 % best", "1.00 best", "1.00 best", "1.78"]
    own = tables_of(section(page(results), "4."))[1]
    assert own[1][:5] == ["pseudoXOF-512", "1.00", "1.00 tied", "1.00 tied", "1.00 best"]
    assert "by no more than the noise floor, 0.00 %." in page(results).replace("\n", " ")


def test_the_fit_of_each_instance(results):
    header, *rows = tables_of(section(page(results), "4."))[2]
    assert header == ["instance", "unit", "fixed cost", "slope a byte", "worst residual"]
    assert rows[0][:4] == ["pseudoXOF-512", "cycles", "250 ± 0", "25.00 ± 0.00"]
    assert re.fullmatch(r"[+−]0\.0 % at \d+ B", rows[0][4])


def test_an_instance_of_two_lengths_has_no_fit(tmp_path):
    results = Results(tmp_path / "local").complete("mine", {"a": 256})
    for path in (results.folder / "records/mine").glob("*_[0-9][0-9][0-9]*.json"):
        path.unlink()
    assert "Table 4c" not in page(results, "mine")


def test_what_was_timed_again_is_not_what_the_control_tells_of(results):
    def later(record):
        record.update(started_utc="2026-11-30T14:00:00Z", ended_utc="2026-11-30T14:01:00Z")

    results.change(ONE, later)
    text = page(results, "index")
    assert "Timed before the control's first record or after its last: 1 of 24 rows; of these neither its" in text
    assert not faults(results, text, "index")


def test_noise_and_drift(results):
    results.change("records/same_b_1024.json", lambda record: times(record, 1.02), settled=True)
    results.change("records/control_end.json", lambda record: times(record, 0.9), settled=True)
    text, method = page(results, "index"), page(results, "method")
    assert "\nNoise floor: 2.0 %. By so much at most one library differed from itself" in text
    drift = "start 2500 ± 0.00 %, middle 2500 ± 0.00 %, end 2250 ± 0.00 % (−10.0 %) cycles."
    assert f"\nDrift of the control, sm3hash-256 at 1024 B, through the campaign: {drift}\n" in text
    assert "after its last" not in text
    noise, control = tables_of(section(method, "What the machine does"))
    assert noise[2] == ["1024 B", "2500 ± 0.00 %", "2550 ± 0.00 %", "2.0 %", ""]
    assert control[3] == ["control_end", "2026-11-30T13:16:29", "2250 ± 0.00 %", "−10.0 %", ""]


def times(record: dict, factor: float) -> None:
    for trial in record["trials"]:
        for batch in trial["batches"]:
            batch["elapsed_ns"] = batch["cpu_ns"] = round(factor * batch["elapsed_ns"])


def test_without_canaries_the_page_says_what_is_not_seen(results):
    sentence = "- No canary could be timed here: what slows a call at full clock is not seen."
    assert sentence not in page(results) and "(1572864 additions)" in page(results, "method")
    for path in (results.folder / "records").rglob("*.json"):
        results.change(str(path.relative_to(results.folder)), without_canaries)
    assert sentence in page(results) and "1572864" not in page(results, "method")


def without_canaries(record: dict) -> None:
    record["canary"] = None
    for trial in record["trials"]:
        trial["canaries_ns"] = []


def test_the_words_of_marks_name_the_thresholds_that_make_them(results):
    """Pages are made without NumPy, and so without the module that has them."""
    assert f"more than {timing.DISTURBED_SHARE:.0%}".replace("%", " %") in marks.MEANINGS["disturbed"]
    assert f"above {timing.IMPRECISE_SHARE:.0%}".replace("%", " %") in marks.MEANINGS["imprecise"]
    assert f"above {comparing.OVERHEAD_SHARE:.0%}".replace("%", " %") in marks.MEANINGS["overhead"]
    listed = [row[0] for row in tables_of(section(page(results, "method"), "Marks"))[0][1:]]
    assert listed == list(marks.MEANINGS)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.00372, "0.37 %"), (0.00996, "1.0 %"), (0.0464, "4.6 %"), (0.0996, "10 %"), (0.161, "16 %"), (0.0, "0.00 %"),
        (1.5, "150 %"), (None, "–"),
    ],
)  # fmt: skip
def test_uncertainties_have_two_digits(share, text):
    assert figures.uncertainty(share) == text
    half_width, printed = (None, "7") if share is None else (2 * share, f"7 ± {text}")
    assert figures.with_width("7", 2.0, half_width) == printed


@pytest.mark.parametrize(("share", "text"), [(0.015, "+1.5 %"), (-0.003, "−0.3 %"), (None, "–")])
def test_changes_have_a_sign(share, text):
    assert figures.change(share) == text


@pytest.mark.parametrize(
    ("value", "text"), [(668.35985, "668.360"), (1503788.99, "1503789"), (0.0123456789, "0.0123457"), (0, "0.00000")]
)
def test_figures_by_hand_have_six_digits(value, text):
    assert figures.six_digits(value) == text


def test_the_controls_and_the_pairs_that_are_few_have_no_half_width_either(results):
    """As the legend of marks says of all rows."""
    for name in ("control_middle", "same_b_32"):
        results.change(f"records/{name}.json", crowd, settled=True)
    noise, drift = (table[1:] for table in tables_of(section(page(results, "method"), "What the machine does")))
    assert [("±" in row[1], "±" in row[2], row[4]) for row in noise] == [
        (True, False, "few"), (True, True, ""), (True, True, ""),
    ]  # fmt: skip
    assert [("±" in row[2], row[4]) for row in drift] == [(True, ""), (False, "few"), (True, "")]
    assert re.search(r"start 2500 ± 0\.00 %, middle 2500 \((\S+ %, )?few\), end 2500 ±", page(results, "index"))
