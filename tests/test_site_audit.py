"""The audit reads the site's pages: a digit that is another one is found, in each language and in each picture."""

import json
import re

import pytest

from ngcc_campaign.audit import audit, site
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.audit.site import Reader
from ngcc_campaign.common.files import sha256_file
from ngcc_campaign.render.render import data_files
from ngcc_campaign.render.site import names


def change(folder, name, found, put):
    """Alter a page, and let made.json say that it was always so."""
    path = folder / "report" / name
    text = path.read_text()
    assert found in text
    path.write_text(text.replace(found, put, 1))
    made = json.loads((folder / "report" / "made.json").read_text())
    made["files"][name] = sha256_file(path)
    (folder / "report" / "made.json").write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
    return [fault for fault in audit.audit(folder).faults if name in fault]


def test_a_sound_site_has_no_fault(folder):
    findings = audit.audit(folder)
    assert findings.faults == []
    data = data_files(["alpha"])
    assert findings.counts["pages"] == 3 * len(list((folder / "report").glob("*.md"))) + len([*names.SHARED, *data])


@pytest.mark.parametrize("language", names.LANGUAGES)
@pytest.mark.parametrize(
    ("page", "found", "put"),
    [
        ("alpha", ">1050<", ">1051<"),
        ("index", ">32.8", ">32.9"),
        ("systems", ">420 ns<", ">421 ns<"),
    ],
)
def test_a_changed_digit_is_found_twice(folder, language, page, found, put):
    faults = change(folder, names.page(language, page), found, put)
    assert any("is not what the tables give" in fault for fault in faults)
    said = ("not in the tables", "not what report/beside.json keeps", "other figures")
    assert any(words in fault for fault in faults for words in said)


@pytest.mark.parametrize(
    ("row", "faults"),
    [("| 24 行中有 14 行 | 3 |", 0), ("| 24 行中有 15 行 | 3 |", 1), ("| 24 行 | 14 行，3 |", 1), ("| 3 | 14 24 |", 1)],
)
def test_a_cell_may_tell_its_figures_in_another_order(row, faults):
    findings = Findings()
    site._same("zh", ["| 14 of 24 rows | 3 |"], [row], findings)
    assert len(findings.faults) == faults


@pytest.mark.parametrize("page", [names.page("en", "index"), "index.md"])
def test_another_lead_is_found(folder, page):
    text = (folder / "report" / page).read_text()
    sentence = re.search(r"is the fastest[^\n<]*", text)[0]
    other = "is the fastest; the next, Two-512, takes 44 % more."
    assert any("is not what the tables say" in fault for fault in change(folder, page, sentence, other))


def test_a_picture_of_other_figures_is_found(folder):
    faults = change(folder, names.drawing("zh", "alpha", "cost"), "drawn from", "drawn from 0")
    assert any("not drawn from what the tables and records give" in fault for fault in faults)


def test_what_is_absent_or_foreign_is_found(folder):
    (folder / "report" / names.VEGA).unlink()
    (folder / "report" / names.FOLDER / "en" / "more.html").write_text("")
    faults = audit.audit(folder).faults
    assert any(f"report/{names.VEGA}: it is not there" in fault for fault in faults)
    assert any("more.html: nothing asks for this file" in fault for fault in faults)


def test_a_page_as_the_audit_reads_it():
    page = "<h2>T</h2><p>a <code>b</code></p><script>9</script><table><caption>c 1</caption><thead><tr><th>x</th></tr>"
    page += "</thead><tbody><tr><td>1 | 2</td></tr></tbody></table>"
    assert Reader(page).lines == ["## T", "a `b`", "", "c 1", "| x |", "|---|", "| 1 \\| 2 |"]
