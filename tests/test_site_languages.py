"""The site's languages: every message is translated, and all have the same figures."""

import re

import pytest

from evidence import UNFIT, Results
from ngcc_campaign import beside
from ngcc_campaign.aggregate import aggregate, aggregate_published
from ngcc_campaign.auditing import site as audit
from ngcc_campaign.auditing.findings import Findings
from ngcc_campaign.auditing.holdings import Holdings
from ngcc_campaign.catalog import MESSAGE_BYTES, load_candidate
from ngcc_campaign.published import FOLDER
from ngcc_campaign.render import read_tables, render, reports
from ngcc_campaign.settings import ROOT
from ngcc_campaign.site import language, names
from ngcc_campaign.site.language import Catalogue, messages

TEMPLATES = ROOT / "workflow" / "templates" / "site"
CLOSE = [1, 1.01, 0.99, 1.004, 1.006]
# Names and facts that are the same in any language.
DATA = (
    r".*\d, one( performance)? core",
    r"gcc .* / cmake .*",
    r"(fixed|core clock) .*",
    r"2 \(2, 3, 6, 7 in parallel campaigns\)",
    r"5, each a process of its own",
    r"\[method\].*",
    "a machine made up",
    r".*gave the reason.*",
    r"My Own Hash",
)


def measured(folder, source: str = "core_clock_estimate", **host) -> Results:
    results = Results(folder, **host).complete("iccs", {"pseudoXOF-512": 512, "x-512": 512, "y-1024": 1024}).own()
    results.complete("mine", {"Mine-512": 512, "Bad-512": 512}, algorithm="My Own Hash")
    results.instance("mine", "Bad-512", 512, "MISMATCH")
    for size in MESSAGE_BYTES:
        results.record("mine", "Mine-512", size, 512, source=source)
    for size in (32, 1024):
        results.record("iccs", "x-512", size, 512, factors=CLOSE)
    results.memory("mine", "Mine-512", 512, leak=64)
    aggregate(results.folder, None, "measured", "Measured on this host as it is, although it is not fit.")
    return results


def without_cycles(folder) -> Results:
    results = Results(folder, virtual="emulated by QEMU").complete("a", {"a-512": 512, "b-512": 512}).own()
    for path in (folder / "records").rglob("*.json"):
        name = path.relative_to(folder).as_posix()
        results.change(name, lambda told: told.update(cycle_source="none", cycle_source_reason=""))
    aggregate(results.folder, None)
    return results


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory) -> list:
    """Results of several kinds, rendered: on an unfit host and a fit one, without cycles, and published."""
    top = tmp_path_factory.mktemp("languages")
    folders = [measured(top / "unfit", unfit=UNFIT).folder, measured(top / "fit", source="perf_event").folder]
    folders += [without_cycles(top / "none").folder, top / "arm_1"]
    files = [load_candidate(ROOT / "resources" / "candidates" / f"hash-{number}.yaml") for number in ("30", "34")]
    asked = "Published figures, as evidence=published asks; nothing was measured here."
    aggregate_published(folders[-1], FOLDER / "arm_1", files, asked)
    for folder in folders:
        render(folder, systems=("arm_1",), compare="x86_1" if folder.name == "arm_1" else None)
    return folders


def test_every_message_of_every_page_is_translated(campaigns):
    catalogue = language.catalogue("zh")
    catalogue.missing.clear()
    for folder in campaigns:
        stored = read_tables(folder)
        _, site, _ = reports(folder, stored, beside.read(folder), [row["candidate"] for row in stored["candidates"]])
        for plot in (plot for own in site.plots.values() for plot in own if plot.spec):
            plot.spec(catalogue)
    data = re.compile("|".join(DATA))
    assert {text for text in catalogue.missing if not data.fullmatch(text)} == set()


def test_all_languages_have_the_same_figures(campaigns):
    for folder in campaigns:
        findings = Findings()
        pages = sorted(path.stem for path in (folder / "report").glob("*.md"))
        audit.check(Holdings(folder, findings), read_tables(folder), pages, list(names.LANGUAGES), findings)
        # What is published is no measurement of ours, and its figures stand in no table that the audit knows.
        faults = [fault for fault in findings.faults if folder.name != "arm_1" or "English" in fault]
        assert faults == [] and findings.counts["figures"] > 100


def test_words_of_templates_are_in_the_catalogue():
    known = messages("zh")
    asked = {
        text
        for file in TEMPLATES.glob("*.j2")
        for text in re.findall(r'\b_\("([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert len(asked) > 20 and asked - known.keys() == set()


@pytest.mark.parametrize("code", [code for code in names.LANGUAGES if code != "en"])
def test_translations_print_what_their_messages_print(code):
    for key, text in messages(code).items():
        places = [sorted(re.findall(r"\{(\w+)\}", one)) for one in (key, text)]
        assert places[0] == places[1], key
        numbers = [sorted(re.findall(r"\d+(?:[.,]\d+)*", one)) for one in (key, text)]
        assert numbers[0] == numbers[1], key
        links = [re.findall(r"\]\(([^)]*)\)|`([^`]*)`", one) for one in (key, text)]
        assert sorted(links[0]) == sorted(links[1]), key


CATALOGUE = Catalogue(
    {
        "one": "一",
        "{count} rows": "{count} 行",
        "{what}: {why}.": "{why}：{what}。",
        "{what}: because of {why}.": "因为{why}：{what}。",
        "All.": "全。",
    }
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one", "一"),
        ("3 rows", "3 行"),
        ("3 rows: one.", "一：3 行。"),
        ("x: because of one.", "因为一：x。"),  # what says most by itself comes first
        ("All. 3 rows: one.", "全。一：3 行。"),
        ("one; 3 rows.", "一；3 行。"),
        ("two men", "two men"),
        ("12.5", "12.5"),
    ],
)
def test_a_catalogue(text, said):
    assert CATALOGUE(text) == said


def test_what_is_not_translated_says_its_language(campaigns):
    page = (campaigns[0] / "report" / names.page("zh", "mine")).read_text()
    assert '<html lang="zh-Hans">' in page and '<td lang="en">My Own Hash</td>' in page
    assert 'lang="en">' not in (campaigns[0] / "report" / names.page("en", "mine")).read_text().partition("<body>")[2]
