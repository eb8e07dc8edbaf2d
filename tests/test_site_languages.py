"""The site's languages: every message is translated, and all have the same figures."""

import re

import pytest

from evidence import UNFIT, Results
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.audit import site as audit
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.audit.holdings import Holdings
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.common.root import ROOT
from ngcc_campaign.render import beside
from ngcc_campaign.render.render import read_tables, render, reports
from ngcc_campaign.render.site import language, names
from ngcc_campaign.render.site.language import Catalogue, messages
from reports import published_tables

TEMPLATES = ROOT / "workflow" / "templates" / "site"
CLOSE = [1, 1.01, 0.99, 1.004, 1.006]
# Names and facts that are the same in any language.
DATA = (
    r"(gcc .* / )?cmake .*",
    r"5, each a process of its own",
    "a machine made up",
    r".*gave the reason.*",
    r"My Own Hash",
)


# Reasons as pages print them; what a compiler said stands in them as it was.
SAID = (
    "MISMATCH: KAT_2_12_X.txt: digest ab, expected cd; first difference in record 3 (message of 5 bits): digest A,"
    " submitted C",
    "MISMATCH: KAT_2_23_X-512.txt: digest ab12, expected cd34; the archive holds no such text to compare with",
    "KAT verdict CRASH: KAT_2_12_X-512.txt: signal 11 (SIGSEGV) during record 5 (16 bits)",
    "CRASH: KAT_Loop_X-512.txt: called exit(3) during record 0 (8192 bits), iteration 17",
    "TIMEOUT: message of 65536 bytes: ran longer than 60 s, last during the timed message of 65536 bytes",
    "OVERFLOW: wrote behind its digest during record 1 (8 bits), asked again at an odd address by a second process",
    "FORBIDDEN: called socket, which is forbidden while the library was loaded",
    "UNSTABLE: KAT_2_12_X-512.txt: answered otherwise when record 7 (56 bits) was asked again",
    "UNSTABLE: gave another digest in another process for the same message",
    "ERROR: did not return 0 (ORed: 3) during trial 2",
    "ERROR: its report during trial 2 cannot be read: it is not complete; library code wrote to it, or closed it",
    "KILLED: not run: its messages need 1200 MiB of memory, more than is available",
    "NOKAT: the manifest holds no digest for this instance; what it computes stands in the log",
    "BUILDFAIL: x.c:3:1: error: unknown type name 'u8'",
    "BUILDFAIL: the compiler was stopped after 900 s of CPU time",
    "ABSENT: there is no record",
    "STALE: stale: it timed the library ab12, the KAT verdict is about cd34",
    "STALE: stale: it was measured in another state of the machine (boost: on); host.json tells of fit",
    "UNUSABLE: records/x/X-512__hash_32.json: it has no trials; delete it and run again",
    "CRASH: signal 6 (SIGABRT) during call 2 of 8",
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
    asked = "Published figures, as evidence=published asks; nothing was measured here."
    published_tables(folders[-1], "hash-30", "hash-34", statement=asked)
    for folder in folders:
        render(folder, systems=("arm_1",), compare="x86_1" if folder.name == "arm_1" else None)
    return folders


def test_every_message_of_every_page_is_translated(campaigns):
    catalogue = language.catalogue("zh")
    catalogue.missing.clear()
    for folder in campaigns:
        stored = read_tables(folder)
        _, site, _ = reports(folder, stored, beside.read(folder), [row["candidate"] for row in stored["candidates"]])
        assert site.texts
        for plot in (plot for own in site.plots.values() for plot in own if plot.spec):
            plot.spec(catalogue)
    data = re.compile("|".join(DATA))
    assert {text for text in catalogue.missing if not data.fullmatch(text)} == set()


# Three words in English, and what may be told in them: names of layers and marks, and what others said.
ENGLISH = re.compile(r"(?:\b[A-Za-z][a-z']+[ ,;:]+){2,}[A-Za-z][a-z']+\b")
NAMES = r"limits, namespaces, landlock|((disturbed|few|imprecise|outlier|overhead) ?)+"
MADE_UP = r"(mine )?My Own Hash|gave the reason|bytes of the generator|(a )?machine made up"


def test_pages_in_chinese_have_no_english_sentences(campaigns):
    found = set()
    for folder in campaigns:
        for path in folder.glob("report/html/zh/*.html"):
            text = re.sub(r"<(code|script)\b.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            found |= {run[0] for part in re.split("<[^>]*>", text) for run in ENGLISH.finditer(part)}
    assert {run for run in found if not re.fullmatch(f"{NAMES}|{MADE_UP}", run)} == set()


@pytest.mark.parametrize("said", SAID)
def test_what_our_programs_say_is_translated(said):
    for told in (f"No figure for X-512 hash_32: {said}.", said):
        chinese = language.catalogue("zh")(told)
        words = [run[0] for run in ENGLISH.finditer(chinese) if "error: unknown type" not in run[0]]
        assert words == [] and chinese != told


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
        "row of {name}": "{name} 的行",
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
        ("row of x; 3 rows.", "x 的行；3 行。"),  # the stop is no part of a name
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
