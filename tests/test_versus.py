"""Two result sets side by side: what counts as changed, what is told first, and when a run fails for it."""

import csv
import io
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from evidence import Results, crowd
from ngcc_campaign import cli
from ngcc_campaign.aggregate import comparing
from ngcc_campaign.aggregate.aggregate import aggregate, aggregate_published
from ngcc_campaign.bundle import bundle
from ngcc_campaign.campaign import made as made_json
from ngcc_campaign.campaign import settings
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.campaign.settings import Versus
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.compare import compare as comparisons
from ngcc_campaign.compare import contrasts, page, sets, setting, shown
from ngcc_campaign.compare.compare import SLOWER, compare, compare_into_results
from ngcc_campaign.render import beside
from ngcc_campaign.render.render import read_tables, render, reports
from ngcc_campaign.render.site import language
from ngcc_campaign.run import session
from sites import dead_links, read
from test_comparing import own, spread_out
from workplaces import workplace

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "resources" / "published"
INSTANCES = {"One-256": 256, "Two-512": 512}
ONE, TWO = (("alpha", name, 1024) for name in INSTANCES)


def campaign(folder: Path, slower: dict[tuple, float] | None = None, spread: float = 0.005, **facts) -> Results:
    """A campaign of alpha; of the places in `slower` a call takes so many times as long, ± `spread`."""
    results = Results(folder, **facts).complete("alpha", INSTANCES).own()
    for (candidate, instance, size), factor in (slower or {}).items():
        factors = spread_out(spread)
        ns = factor * (100 + 10 * size)
        results.record(candidate, instance, size, INSTANCES[instance], ns=ns, factors=factors)
    return made(results)


def made(results: Results) -> Results:
    aggregate(results.folder, None)
    return results


@pytest.fixture(scope="module")
def before(tmp_path_factory) -> Path:
    """A results folder; the two rows at 1024 bytes have intervals of 0.5 %."""
    return campaign(tmp_path_factory.mktemp("before") / "local", {ONE: 1, TWO: 1}).folder


def found(baseline: Path | str, candidate: Path | str, **options) -> dict:
    document = contrasts.document(sets.read(str(baseline)), sets.read(str(candidate)), **options)
    validate(document, "compare", "the comparison")
    return document


def verdicts(document: dict) -> dict[tuple, tuple[str, str]]:
    return {
        (row["candidate"], row["instance"], row["message_bytes"]): (row["verdict"], row["reason"])
        for row in document["rows"]
    }


def test_a_set_against_itself_shows_no_difference(before, capsys):
    document = found(before, before)
    assert document["counts"] == {"slower": 0, "faster": 0, "same": 16, "unjudged": 0}
    assert document["setting"] == document["baseline_only"] == document["candidate_only"] == []
    assert {row["ratio"] for row in document["rows"]} == {1}
    assert compare(str(before), str(before), fail_above=0) == 0
    assert "The settings do not differ" in capsys.readouterr().out


def test_what_became_slower_fails_and_stands_first(before, tmp_path, capsys):
    after = campaign(tmp_path / "local", {TWO: 1.1, ONE: 1 / 1.03}).folder
    document = found(before, after, fail_above=5)
    rows = document["rows"]
    assert [(row["instance"], row["verdict"]) for row in rows[:3]] == [
        ("Two-512", "slower"), ("One-256", "faster"), ("One-256", "same")
    ]  # fmt: skip
    # 0.5 % and 0.5 % as squares; both records ended for their precision, so their intervals are a little wider.
    assert rows[0]["ratio"] == pytest.approx(1.1, rel=1e-4)
    assert rows[0]["ratio_half_width"] == pytest.approx(1.1 * 0.005 * 2**0.5 * 3.1355 / 2.7764, rel=1e-2)
    assert document["failed"] == [{"candidate": "alpha", "instance": "Two-512", "message_bytes": 1024}]
    assert compare(str(before), str(after), fail_above=5) == SLOWER == 4
    out = capsys.readouterr().out
    assert "fail_above: slower by more than 5 %: alpha/Two-512 at 1024 B." in out
    assert "1 slower, 1 faster, 14 not to be told apart, 0 not judged, of 16 rows." in out
    assert compare(str(before), str(after), fail_above=11) == compare(str(after), str(before), fail_above=5) == 0


def test_a_slow_down_within_its_interval_does_not_fail(before, tmp_path):
    after = campaign(tmp_path / "local", {TWO: 1.1}, spread=0.2).folder
    document = found(before, after, fail_above=5)
    assert verdicts(document)[TWO] == ("same", "interval") and document["failed"] == []


def test_a_difference_within_the_greater_noise_floor_is_none(before, tmp_path):
    results = Results(tmp_path / "local").complete("alpha", INSTANCES).own()
    results.record(*TWO, 512, ns=1.1 * 10340, factors=spread_out(0.005))
    own(results, "same_a_1024", 1000)
    own(results, "same_b_1024", 1120)
    document = found(before, made(results).folder, fail_above=5)
    assert document["baseline"]["noise_floor"] == 0 and document["noise_floor"] == pytest.approx(0.12)
    assert verdicts(document)[TWO] == ("same", "noise floor") and document["failed"] == []


@pytest.mark.parametrize(
    ("ratio", "verdict"), [(1.1, "same"), (1 / 1.1, "same"), (1.1001, "slower"), (0.909, "faster")]
)
def test_the_noise_floor_holds_both_ways(ratio, verdict):
    """As the floor itself is a difference over the lesser of two figures."""
    contrast = comparing.contrast(TIMED | {"mean_ns": 1000}, TIMED | {"mean_ns": 1000 * ratio}, floor=0.1 + 1e-9)
    assert contrast["verdict"] == verdict


def test_what_is_hardly_known_is_not_judged(before, tmp_path):
    results = campaign(tmp_path / "local", {TWO: 2})
    results.record(*ONE, 256, ns=20_000, trials=1)
    name = "records/alpha/Two-512__hash_1024.json"

    def disturb(record: dict) -> None:
        for trial in record["trials"]:
            trial["canaries_ns"] = [3 * one for one in trial["canaries_ns"]]

    results.change(name, disturb, settled=True)
    told = verdicts(found(before, made(results).folder))
    assert told[TWO] == ("unjudged", "few") and told[ONE] == ("unjudged", "no interval")


TIMED = {
    "figure": "all",
    "cycle_source": "none",
    "half_width_ns": 0.001,
    "rounding_ns": 0,
    "marks": [],
    "unjudged": "",
    "disturbed_batches": "",
}


@pytest.mark.parametrize("mark", comparing.INCOMPARABLE)
@pytest.mark.parametrize("sides", [0, 1])
def test_a_mark_that_forbids_comparing_forbids_judging(mark, sides):
    pair = [TIMED | {"mean_ns": 1000}, TIMED | {"mean_ns": 2000}]
    pair[sides]["marks"] = ["disturbed", mark]
    pair[sides]["disturbed_batches"] = "canary:20 clock:1"
    contrast = comparing.contrast(*pair, floor=0)
    assert (contrast["verdict"], contrast["reason"], contrast["ratio"]) == ("unjudged", mark, 2)


FEW = {"marks": ["few"], "disturbed_batches": "canary:20 switched:3"}


@pytest.mark.parametrize(
    ("baseline", "candidate", "told"),
    [
        # 1000 + 100 below 2700 − 500, by twice as much; and the other way round.
        (FEW | {"mean_ns": 1000, "half_width_ns": 100}, {"mean_ns": 2700, "half_width_ns": 500}, ("slower", "few", 2)),
        (
            {"mean_ns": 2700, "half_width_ns": 500},
            FEW | {"mean_ns": 1000, "half_width_ns": 100},
            ("faster", "few", 0.5),
        ),
        # What is bounded from above may be anything below.
        (
            {"mean_ns": 1000, "half_width_ns": 10},
            FEW | {"mean_ns": 2700, "half_width_ns": 10},
            ("unjudged", "few", 2.7),
        ),
        (
            FEW | {"mean_ns": 2700, "half_width_ns": 10},
            {"mean_ns": 1350, "half_width_ns": 10},
            ("unjudged", "few", 0.5),
        ),
        # The ends differ by 10 %, which is no more than the noise floor.
        (
            FEW | {"mean_ns": 900, "half_width_ns": 100},
            {"mean_ns": 1200, "half_width_ns": 101},
            ("unjudged", "few", 4 / 3),
        ),
        # No end is known, or one that bounds nothing.
        (FEW | {"mean_ns": 1000, "half_width_ns": None}, {"mean_ns": 2000}, ("unjudged", "few", 2)),
        (FEW | {"mean_ns": 1000}, {"mean_ns": 2000, "half_width_ns": None}, ("unjudged", "few", 2)),
        (FEW | {"mean_ns": 1000, "disturbed_batches": "clock:1"}, {"mean_ns": 2000}, ("unjudged", "few", 2)),
        (FEW | {"mean_ns": 1000}, FEW | {"mean_ns": 2000}, ("unjudged", "few", 2)),
        (FEW | {"mean_ns": 1000}, {"mean_ns": 2000, "marks": ["remembers"]}, ("unjudged", "few", 2)),
    ],
)
def test_an_upper_bound_proves_what_lies_beyond_it(baseline, candidate, told):
    contrast = comparing.contrast(TIMED | baseline, TIMED | candidate, floor=0.1)
    verdict, reason, ratio = told
    assert (contrast["verdict"], contrast["reason"], contrast["ratio_half_width"]) == (verdict, reason, None)
    assert contrast["ratio"] == pytest.approx(ratio)


def test_a_slow_down_that_a_disturbed_baseline_proves_fails(tmp_path, capsys):
    results = campaign(tmp_path / "old")
    results.change("records/alpha/Two-512__hash_1024.json", crowd, settled=True)
    old, after = made(results).folder, campaign(tmp_path / "local", {TWO: 300}).folder
    row = found(old, after)["rows"][0]
    assert (row["verdict"], row["reason"], row["baseline_marks"]) == ("slower", "few", ["few"])
    assert compare(str(old), str(after), fail_above=5) == SLOWER
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.endswith("slower: few")]
    assert re.search(r" ≥ (\d+)\.\d\d +at least \1 times as much ", line)
    text = page.texts(found(old, after), "x")["zh/x.html"]
    assert re.search(r">至少 \d+ 倍<", text)


def test_what_an_emulator_took_is_not_judged(before, tmp_path):
    after = campaign(tmp_path / "local", {TWO: 2}, virtual="emulated by qemu-aarch64 8").folder
    assert {reason for _, reason in verdicts(found(before, after)).values()} == {"emulated"}
    with pytest.raises(Mistake, match=r"fail_above: none of 16 rows can be judged \(emulated\); leave it out\."):
        found(before, after, fail_above=5)


def test_cycles_of_two_kinds_are_compared_by_time(before, tmp_path):
    results = campaign(tmp_path / "local")
    results.record(*ONE, 256, source="perf_event", ghz=1.25)
    document = found(before, made(results).folder, only=["alpha/One-256"])
    units = {
        row["message_bytes"]: (row["unit"], row["cycle_source"], round(row["ratio"], 4)) for row in document["rows"]
    }
    assert units.pop(1024) == ("ns", "", 1) and set(units.values()) == {("cycles", "core_clock_estimate", 1)}
    assert shown.basis(document)[0] == (
        "Rows compared: 7 in cycles (core_clock_estimate), 1 in time, as cycles are not of one kind."
    )


def test_what_differs_in_the_setting_is_told_first(before, tmp_path, capsys):
    results = campaign(tmp_path / "local", kernel="6.9.9", cpu_model="Another CPU")
    build = "build/alpha/Two-512/build.json"
    results.change(build, lambda told: told.update(compiler="gcc 15.1.0"))
    results.change(build, lambda told: told["variants"][0]["options"].append("-O3"))
    results.change("records/alpha/One-256__hash_32.json", lambda told: told["plan"].update(patience=3))
    made(results)
    differing = {one["fact"]: one for one in found(before, results.folder)["setting"]}
    assert differing.keys() == {"processor", "OS / kernel", "plan", "compiler", "compiler's options"}
    assert differing["OS / kernel"]["candidate"].startswith("Debian GNU/Linux 12 (bookworm) / 6.9.9")
    assert differing["plan"]["candidate"].endswith("patience 3, 10") and differing["plan"]["instances"] == []
    compiler = {"fact": "compiler", "baseline": "gcc (Debian 12.2.0-14) 12.2.0", "candidate": "gcc 15.1.0"}
    assert differing["compiler"] == compiler | {"instances": ["alpha/Two-512"]}
    compare(str(before), str(results.folder))
    out = capsys.readouterr().out
    assert out.index("any of which may be what a ratio shows") < out.index("compiler of") < out.index("verdict")


def test_a_library_of_other_bytes_is_a_difference_of_the_setting():
    one, other = (setting.Setting({}, {("a", "b"): {"library": digit * 64}}) for digit in "12")
    assert setting.differences(one, one, [("a", "b")]) == []
    difference = setting.Difference("library", f"{'1' * 16}…", f"{'2' * 16}…", ("a/b",))
    assert setting.differences(one, other, [("a", "b")]) == [difference]


def test_rows_in_only_one_of_both_are_named_with_the_reason(before, tmp_path, capsys):
    results = campaign(tmp_path / "local")
    results.instance("alpha", "One-256", 256, "MISMATCH")
    results.complete("beta", {"Three-256": 256})
    after = made(results).folder
    document = found(before, after)
    assert {row["instance"] for row in document["rows"]} == {"Two-512"}
    assert [row["message_bytes"] for row in document["baseline_only"]] == [32, 128, 512, 1024, 4096, 8192, 16384, 65536]
    assert {row["reason"] for row in document["candidate_only"]} == {"not there"}
    compare(str(before), str(after), csv_file=tmp_path / "x.csv")
    out, lengths = capsys.readouterr().out, "32, 128, 512, 1024, 4096, 8192, 16384, 65536 B"
    reason = "NOTTIMED: MISMATCH: One-256 gave the reason"
    assert f"only the baseline has alpha/One-256 at {lengths} (candidate: {reason})" in out
    assert f"only the candidate has beta/Three-256 at {lengths} (baseline: not there)" in out
    with open(tmp_path / "x.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["verdict"] for row in rows] == ["same"] * 8 + ["baseline only"] * 8 + ["candidate only"] * 8
    assert tuple(rows[0]) == contrasts.COLUMNS


def test_files_hold_what_was_compared(before, tmp_path):
    after = campaign(tmp_path / "local", {TWO: 1.1}).folder
    files = {"csv_file": tmp_path / "x.csv", "json_file": tmp_path / "x.json"}
    compare(str(before), str(after), ["alpha/Two-512"], 5, **files)
    document = json.loads(files["json_file"].read_text())
    validate(document, "compare", "x.json")
    assert document["only"] == ["alpha/Two-512"] and len(document["rows"]) == 8
    (first, *_), _ = list(csv.DictReader(files["csv_file"].read_text().splitlines())), 0
    row = document["rows"][0]
    assert (first["verdict"], float(first["ratio"])) == ("slower", row["ratio"])
    assert (first["baseline_marks"], first["same_library"], first["reason"]) == ("", "yes", "")


def test_a_bundle_is_compared_as_it_is(folder, tmp_path):
    bundle.bundle(folder, tmp_path / "old.zip")
    document = found(tmp_path / "old.zip", folder)
    assert document["counts"]["same"] == len(document["rows"]) == 16 and document["setting"] == []


def test_published_figures_are_shown_and_not_judged(tmp_path, capsys):
    mine = Results(tmp_path / "local").complete("hash-04", {"CHAMP-512": 512})
    mine.record("hash-04", "CHAMP-512", 32, 512, source="perf_event", ns=65_200 / 2.5)
    document = found("published:arm_1", made(mine).folder, only=["hash-04"])
    row = next(row for row in document["rows"] if row["message_bytes"] == 32)
    # 65.2 k cycles over 87.8 k as printed; without cycles that were counted, 420 ns … over the printed time.
    assert (row["unit"], row["verdict"], row["reason"]) == ("cycles", "unjudged", "published")
    assert row["ratio"] == pytest.approx(65.2 / 87.8, rel=1e-3) and row["ratio_half_width"] is None
    assert {row["unit"] for row in document["rows"] if row["message_bytes"] > 32} == {"ns"}
    assert {row["instance"] for row in document["baseline_only"]} == {"CHAMP-1024"}
    with pytest.raises(Mistake, match=r"fail_above: none of 8 rows can be judged \(published\)"):
        found("published:arm_1", mine.folder, fail_above=5)
    compare("published:arm_1", str(mine.folder))
    out = capsys.readouterr().out
    assert "No row can be judged" in out and "not judged: published" in out and "Qualcomm Oryon" in out


def test_a_ratio_of_prints_has_the_digits_that_rounding_leaves():
    document = found("published:arm_1", "published:x86_1", only=["hash-02/AXIS-512"])
    ratios = {row["message_bytes"]: shown.cells(row)[4:6] for row in document["rows"]}
    assert ratios[32] == ("1.16", "+15.8 %") and ratios[65536] == ("≈ 1.6", "–")


def test_tables_of_published_figures_are_what_is_published(tmp_path):
    champ = load_candidate(ROOT / "resources" / "candidates" / "hash-04.yaml")
    aggregate_published(tmp_path / "arm_1", PUBLISHED / "arm_1", [champ], "As asked.")
    document = found("published:arm_1", tmp_path / "arm_1")
    assert {row["ratio"] for row in document["rows"]} == {1} and document["setting"] == []


def test_a_system_s_id_comes_before_a_folder(before, tmp_path, monkeypatch):
    shutil.copytree(before, tmp_path / "results" / "local")
    campaign(tmp_path / "local", {TWO: 1.1})
    monkeypatch.chdir(tmp_path)
    assert found("local", "results/local")["counts"]["slower"] == 0
    assert found("local", "./local")["counts"]["slower"] == 1


def edit(name: str, old: str, new: str):
    def change(folder: Path) -> None:
        path = folder / name
        path.write_text(path.read_text().replace(old, new, 1))

    return change


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (edit("tables/performance.csv", "MEASURED", "MEASURE"), "performance.csv: not as 'aggregate' left it; run"),
        (edit("tables/made.json", '"version": 1', '"version": 2'), "made.json: not as 'aggregate' left it; run"),
        (edit("records/alpha/One-256__hash_32.json", "\n", "\n\n"),
         r"made from other evidence than is here \(records/alpha/One-256__hash_32.json changed\); run 'aggregate'"),
        (lambda folder: shutil.rmtree(folder / "tables"), "a folder without tables; expected a system with tables in"),
        (shutil.rmtree, "there is no such result set; expected a system with tables in results/, a results folder, a"),
    ],
)  # fmt: skip
def test_a_set_that_cannot_be_compared_is_said_in_a_sentence(before, tmp_path, change, sentence):
    other = Path(shutil.copytree(before, tmp_path / "local"))
    change(other)
    with pytest.raises(Mistake, match=sentence) as mistake:
        found(before, other)
    assert str(mistake.value).count("\n") == 0


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (r"mean_ns", "mean_time_ns", "performance.csv: its columns are not those of this version; make it again"),
        (r"(alpha,One-256,256,hash_32,32,MEASURED,.*),1050\.0,0\.0,undisturbed,", r"\1,0,0.0,undisturbed,",
         r"tables/performance.csv: damaged \(alpha One-256 hash_32 has no figure\); run 'aggregate' again"),
        (r"MEASURED", "", "no row in common|damaged"),
    ],
)  # fmt: skip
def test_tables_that_are_not_of_this_version_are_refused(before, tmp_path, old, new, sentence):
    """Although nobody edited them since they were made."""
    tables = shutil.copytree(before, tmp_path / "local") / "tables"
    text = (tables / "performance.csv").read_text()
    assert re.search(old, text)
    (tables / "performance.csv").write_text(re.sub(old, new, text))
    made_json.write(tables, {}, [path.name for path in tables.glob("*.csv")])
    (tables.parent / "host.json").unlink()
    with pytest.raises(Mistake, match=sentence):
        found(before, tables.parent)


@pytest.mark.parametrize(
    ("names", "options", "sentence"),
    [
        (("published:arm_9", "x"), {}, "^published:arm_9: nothing is published for system 'arm_9'; there are"),
        (("x86_1", "x"), {}, r"x86_1: there is no such result set; .*; its published figures are published:x86_1\."),
        (("published:arm_1", "published:arm_1"), {"only": ["iccs"]}, "only: 'iccs' is in neither result set;"),
        (("published:arm_1", "local"), {}, "compare: no row in common: published:arm_1 has figures of .* alpha"),
    ],
)  # fmt: skip
def test_mistakes(before, tmp_path, monkeypatch, names, options, sentence):
    shutil.copytree(before, tmp_path / "results" / "local")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Mistake, match=sentence):
        found(*names, **options)


def test_a_bundle_that_is_none_is_named_as_it_was_given(tmp_path):
    (tmp_path / "old.zip").write_text("no zip")
    with pytest.raises(Mistake, match=r"^old\.zip: ") as mistake:
        found(tmp_path / "old.zip", "published:arm_1")
    assert "ngcc-bundle" not in str(mistake.value)


@pytest.mark.parametrize("text", ["fast", "-1", "nan", "inf", ""])
def test_fail_above_is_a_number(text, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["compare", "a", "b", f"--fail-above={text}"])
    assert ended.value.code == 2
    assert f"expected per cent, a number from 0 as in 5, found {text!r}" in capsys.readouterr().err


def test_colours_are_for_terminals_that_want_them(before, tmp_path, monkeypatch, capsys):
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shown.has_colours(Terminal()) and not shown.has_colours(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not shown.has_colours(Terminal())
    document = found(before, campaign(tmp_path / "local", {TWO: 1.1}).folder)
    coloured, bare = shown.text(document, colours=True), shown.text(document)
    assert "\033[31malpha/Two-512\033[0m" in coloured and "\033[90m" in coloured
    assert re.sub("\033\\[[0-9]+m", "", coloured) == bare


def test_a_name_of_somebody_else_s_gives_a_terminal_no_orders(before):
    document = found(before, before)
    document["rows"][0]["instance"] = "a\033[2J\u202eb\nc"
    assert "alpha/a\ufffd[2J\ufffdb c" in shown.text(document) and "\033" not in shown.text(document)


def test_the_workflow_compares_without_a_job(before, tmp_path):
    place = workplace(tmp_path)
    after = campaign(tmp_path / "after", {TWO: 1.1}).folder
    run = place.run("compare", config=(f"baseline={before}", f"candidate={after}", "only=alpha", "fail_above=5"))
    assert run.status == 4 and "fail_above: slower by more than 5 %: alpha/Two-512 at 1024 B." in run, run.output
    written = sorted((tmp_path / "results" / "compare").iterdir())
    assert [file.suffix for file in written] == [".csv", ".json", ""] and written[0].name in run
    assert (tmp_path / "results" / "compare" / "html" / "zh" / f"{written[0].stem}.html").is_file()


def test_keys_of_compare_belong_to_compare():
    """As `candidate=fips` would else measure everything but fips."""
    asked = SimpleNamespace(settings=SimpleNamespace(versus=Versus(candidate="fips")))
    session.check_versus(asked, {"compare"})
    with pytest.raises(Mistake, match="^candidate: it belongs to the target `compare`, .*; submissions are chosen by"):
        session.check_versus(asked, {"all"})
    with pytest.raises(Mistake, match="^compare: baseline= is missing; give two result sets, each a system with"):
        compare_into_results(asked.settings.versus)


@pytest.mark.parametrize(("key", "value"), [("fail_above", "fast"), ("fail_above", -1), ("baseline", 5)])
def test_configuration_of_the_wrong_kind_is_said_with_what_is_expected(key, value):
    with pytest.raises(Mistake, match=f"configuration: {key}: .*; expected: (per cent|a result set)"):
        settings.load({"system": "local", "candidates": "default", key: value})


class Rows(HTMLParser):
    """The rows of all tables of a page, as texts, and the classes of those that have one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows, self.classes = [], []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list) -> None:
        if tag == "tr":
            self.rows.append([])
            self.classes += [value for name, value in attributes if name == "class"]
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


@pytest.fixture(scope="module")
def pages(before, tmp_path_factory) -> dict[str, str]:
    """The pages of a comparison with everything in it."""
    results = campaign(tmp_path_factory.mktemp("after") / "local", {TWO: 1.1, ONE: 1 / 1.03}, kernel="6.9.9")
    results.complete("beta", {"Three-256": 256})
    results.record("alpha", "Two-512", 32, 512, trials=1)
    document = found(before, made(results).folder, fail_above=5)
    document["baseline"]["name"] = "<b>old</b> & `x`"
    document["setting"][0]["candidate"] = "[click](javascript:alert) <script>"
    return page.texts(document, "compare-x")


def test_a_page_shows_every_row_changed_ones_first(pages):
    english = Rows(pages["en/compare-x.html"])
    assert english.classes == ["slower", "faster", *["same"] * 13, "unjudged"]
    assert [cell.partition(" ±")[0] for cell in english.rows[english.rows.index(shown_header()) + 1][:4]] == [
        "alpha/Two-512",
        "1024 B",
        "25.8 k",
        "28.4 k",
    ]
    assert "fail_above: slower by more than 5 %: alpha/Two-512 at 1024 B." in pages["en/compare-x.html"]
    (row,) = [row for row in english.rows if row[0] == "beta/Three-256"]
    assert row[:3] == ["beta/Three-256", f"{SIZES} B", "Candidate"]
    assert {"site.css", "site.js", "en/compare-x.html", "zh/compare-x.html"} == pages.keys()


SIZES = "32, 128, 512, 1024, 4096, 8192, 16384, 65536"


def shown_header() -> list[str]:
    return ["instance", "message", "Baseline", "Candidate", "ratio", "change", "verdict"]


def test_both_languages_have_the_same_figures(pages):
    english, chinese = (Rows(pages[f"{code}/compare-x.html"]) for code in ("en", "zh"))
    assert len(english.rows) == len(chinese.rows) and english.classes == chinese.classes

    def numbers(rows: list) -> list:
        return [re.findall(r"[0-9]+(?:\.[0-9]+)?", cell) for row in rows for cell in row]

    assert numbers(english.rows) == numbers(chinese.rows)


def test_texts_of_others_are_no_markup_of_a_page(pages):
    for code in ("en", "zh"):
        text = pages[f"{code}/compare-x.html"]
        assert "&lt;b&gt;old&lt;/b&gt; &amp; `x`" in text
        assert "<script>" not in text and 'javascript:alert"' not in text and 'href="javascript' not in text


def test_every_text_of_a_page_is_translated(pages, before):
    say = language.catalogue("zh")
    say.missing.clear()
    page.texts(found(before, before), "x")
    page.texts(found("published:arm_1", "published:x86_1", only=["hash-02"]), "x")
    as_printed = "cmake|i7|governor|parallel campaigns|^(trials|target|budget|fewer|most)"
    assert {text for text in say.missing if not re.search(as_printed, text)} == set()


def test_pages_are_written_where_they_are_asked_for(before, tmp_path, capsys):
    compare(str(before), str(before), html_folder=tmp_path / "html")
    assert str(tmp_path / "html" / "en") in capsys.readouterr().out
    written = sorted(path.relative_to(tmp_path / "html").parts[0] for path in (tmp_path / "html").rglob("*.*"))
    assert written == ["en", "site.css", "site.js", "zh"]


def test_comparisons_lead_to_reports_and_reports_to_all_comparisons(before, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    local = Path("results/local")
    shutil.copytree(before, local)
    render(local)
    asked = Versus(baseline="local", candidate="published:arm_1")
    with pytest.raises(Mistake, match="no row in common"):
        compare_into_results(asked)
    assert "compare/html" not in (local / "report" / "html" / "en" / "index.html").read_text()
    compare_into_results(Versus(baseline="local", candidate=str(before)))
    Path("results/compare/compare-old.json").write_text("{}")
    compare_into_results(Versus(baseline="local", candidate="local"))
    render(local)
    sites_of = {name: read(Path("results") / name) for name in ("local/report", "compare")}
    assert [dead_links(pages) for pages in sites_of.values()] == [[], []]
    listing = sites_of["compare"][Path("results/compare/html/zh/index.html")]
    own = [link for link in listing.links if link.startswith("compare-")]
    assert len(own) == 2 and "compare-local__local.html" in own
    compared = sites_of["compare"][Path("results/compare/html/zh/compare-local__local.html")]
    assert compared.links.count("../../../local/report/html/zh/index.html") == 2 and "index.html" in compared.links
    for path, one in sites_of["local/report"].items():
        assert f"../../../../compare/html/{path.parent.name}/index.html" in one.links
    _, again, _ = reports(local, read_tables(local), beside.read(local), ["alpha"])
    assert again.texts["html/en/index.html"] == (local / "report" / "html" / "en" / "index.html").read_text()


def test_a_set_is_called_by_its_system_and_its_day(before):
    sides = [
        found("published:arm_1", "published:x86_1", only=["hash-02"])["baseline"],
        found(before, before)["baseline"],
    ]
    assert [shown.title(side) for side in sides] == ["arm_1 2026-09-28 – 2026-09-29", "local 2026-11-30"]


def test_a_row_marked_few_has_no_interval_that_would_only_tell_how_steady_its_neighbour_was(before, tmp_path):
    results = campaign(tmp_path / "local")
    results.change("records/alpha/Two-512__hash_1024.json", crowd, settled=True)
    (row,) = [row for row in found(before, made(results).folder)["rows"] if row["reason"] == "few"]
    assert row["baseline_half_width"] and row["candidate_half_width"] is row["ratio_half_width"] is None


def test_every_column_is_told_in_the_documentation():
    text = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8").partition("## The CSV")[2]
    assert tuple(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == contrasts.COLUMNS


def test_no_two_pairs_share_the_name_of_their_files():
    sets_named = ("local", "a", "b", "a__b", "b_", "_b", "else/old", "./else-old", "else-old", "old.zip", "x/" * 50)
    pairs = [(one, other) for one in sets_named for other in sets_named]
    found = {comparisons._pair(*pair) for pair in pairs}
    assert len(found) == len(pairs) and all(re.fullmatch(r"compare-[\w.-]{3,190}", name) for name in found)
    assert "compare-local__old.zip" in found
