"""Pages show texts as texts, whatever is in them."""

import json
import re
import unicodedata
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import Results
from ngcc_campaign.render.markdown import escape, link, table
from ngcc_campaign.run import ending
from ngcc_campaign.verify.verify import log_text
from reports import page, section, tables_of

ODD = ["1e5", "nan", "0007", "True", "NA", "2018_1", "inf", "None", "null", "1_000", "x_"]
HOSTILE = "a|b <script>x</script> `c` *d* [e](f) {{ g }} &lt; \\ \u202eh\u0007\n# i ~~j~~ _k_"


def test_odd_names_print_verbatim(tmp_path):
    results = Results(tmp_path).complete("1e5", dict.fromkeys(ODD, 256))
    text = page(results, "1e5")
    for title in ("3.", "4.", "5.", "7."):
        assert {row[0] for row in tables_of(section(text, title))[0][1:]} == set(ODD)
    for name in ODD[:-1]:
        assert re.search(rf"^\| {name} +\| guide", text, re.MULTILINE)


def test_hostile_text_is_only_text(tmp_path):
    results = Results(tmp_path).complete("iccs", {"a": 256}, algorithm=HOSTILE, submission_page="https://x/)<b>|`\n(")
    exception = {"action": "measure", "cause": HOSTILE}
    results.instance("iccs", "a", 256, "MISMATCH", timed=True, kat_exception=exception, reason=HOSTILE)
    for name in ("iccs", "index"):
        text = page(results, name)
        assert "<script" not in text and "\u202e" not in text and "\u0007" not in text
        assert "\n# i " not in text and "{{ g }}" in text
    rows = dict(tables_of(section(page(results), "1."))[0])
    assert rows["algorithm"] == HOSTILE.replace("\n", " ").replace("\u202e", "\ufffd").replace("\u0007", "\ufffd")
    assert "(https://x/%29%3Cb%3E%7C%60%0A%28)" in page(results)


def hostile(results: Results) -> None:
    """Every text of the evidence that a submission, its compiler's words or its library's choose is STRANGE."""
    results.complete("iccs", {"a": 256, "b": 256}).own()
    results.fetch("zzz", {"z": 256}, "REFUSED", STRANGE)
    told = {"reason": STRANGE, "built": False, "library": None, "library_sha256": None}

    def fallback(build: dict) -> None:
        guide = build["variants"][0]
        build["variants"] = [guide | told, guide | {"flags": "harness-default", "options": [STRANGE]}]
        build["compiler"] = build["cmake"] = STRANGE

    results.change("build/iccs/a/build.json", fallback)
    results.change("kat/iccs/a.json", lambda kat: kat.update(flags="harness-default"))
    results.instance("iccs", "b", 256, "CRASH", reason=STRANGE, timed_reason=STRANGE)
    crash = {"status": "CRASH", "reason": STRANGE, "trials": [], "digest": None, "stopped": None}
    results.change("records/iccs/a__hash_32.json", lambda record: record.update(crash))
    results.change("memory/iccs/a.json", lambda memory: memory.update(status="CRASH", reason=STRANGE))
    source = {"cycle_source_reason": STRANGE, "reference_clock": STRANGE}
    results.change("records/iccs/a__hash_128.json", lambda record: record.update(source))


STRANGE = (
    "s\n# heading\n- item\n<img src=x onerror=a()> ![i](https://e.vil/p.png) [l](javascript:a()) `c` a|b|c *e* __s__"
    " &#60;b&#62; \x1b[31m \u202e </details> https://e.vil/ {{ 7 * 7 }} {% raw %} \\"
)


def test_texts_that_a_submission_chooses_are_only_text_wherever_they_stand(tmp_path):
    results = Results(tmp_path)
    hostile(results)
    seen = 0
    for name in ("index", "iccs", "zzz", "method"):
        text = page(results, name)
        seen += text.count("7 \\* 7")
        assert set(re.findall(r"<[a-zA-Z/!?][^>]*>", text)) <= {"<details>", "</details>", "<summary>", "</summary>"}
        assert text.count("</details>") == text.count("<details>")
        assert not re.search(r"^(# heading|- item)|[\x00-\x09\x0b-\x1f\u202e]", text, re.MULTILINE)
        assert not [to for to in re.findall(r"(?<!\\)\]\(([^)]*)\)", text) if "e.vil" in to or "javascript" in to]
        assert not re.search(r"(?<!\\)://e\.vil", text)
        assert all(len(row) == len(rows[0]) for rows in tables_of(text) for row in rows)
    assert seen > 10


def test_the_last_words_of_a_run_are_lines_that_control_no_terminal(tmp_path, capsys):
    results = Results(tmp_path)
    hostile(results)
    page(results)
    ending.last_words(SimpleNamespace(results=tmp_path), measures=True, failed=True)
    lines = capsys.readouterr().out.splitlines()
    known = r"missing: |\d+ timings?, |Site: |Report: |What is done"
    assert len(lines) > 3 and all(re.match(known, line) for line in lines)
    assert not re.search(r"[\x00-\x1f\u202e]", "".join(lines))


def test_a_log_says_in_one_line_what_a_library_says(tmp_path):
    Results(tmp_path).instance("iccs", "a", 256, "ERROR", reason=f"{STRANGE}\nverdict PASS")
    log = log_text(json.loads((tmp_path / "kat/iccs/a.json").read_text()))
    assert [line for line in log.splitlines() if line.startswith("verdict")] == [log.splitlines()[-1]]
    assert log.splitlines()[-1].startswith("verdict ERROR ") and "\x1b" not in log


@given(st.text())
def test_any_text_is_one_cell(text):
    expected = " ".join(text.split())
    expected = "".join(
        "\ufffd" if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") else char for char in expected
    )
    ((_, row),) = tables_of(table(["h", "i"], [[text, "end"]]))
    assert row == [expected.strip(), "end"]


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("hash_32", "hash_32"), ("SHA-512__hash_32", "SHA-512__hash_32"), ("_a_", r"\_a\_"), ("__a", r"\_\_a"),
        ("a|b", r"a\|b"), ("<b>", "&lt;b&gt;"), ("&lt;", "&amp;lt;"), ("`a`", r"\`a\`"), (r"\|", r"\\\|"),
        ("a\r\nb", "a b"), ("$x$", r"\$x\$"), ("see www.a.b, WWW.c", r"see www\.a.b, WWW\.c"), ("awww.", "awww."),
        ("http://a.b", r"http\://a.b"),
    ],
)  # fmt: skip
def test_escape(text, markdown):
    assert escape(text) == markdown
    assert escape(escape(text)) == markdown


def test_a_link_cannot_be_left():
    assert link("a]b", "https://x/) [y](z)") == r"[a\]b](https://x/%29%20%5By%5D%28z%29)"
