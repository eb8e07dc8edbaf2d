"""JSON as evidence has it, and sentences about whatever somebody wrote."""

from types import SimpleNamespace

import pytest

from ngcc_campaign.aggregate import tables
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.files import json_text, parse_json
from ngcc_campaign.common.schemas import validate
from ngcc_campaign.run import ending


@pytest.mark.parametrize(
    "text",
    [b'{"a": "\\ud800"}', b'{"\\uDFFF": 1}', b'"\xed\xa0\x80"', '"é"'.encode("latin-1"), '{"a": 1}'.encode("utf-16"),
     b"\xef\xbb\xbf{}", b"NaN", b"-Infinity", b"1e999", b"[" * 5000, b"9" * 5000, b"", b"{"],
    ids=["half a character", "half a key", "raw half", "Latin-1", "UTF-16", "byte order mark", "NaN", "infinity",
         "too large", "deep", "5000 digits", "empty", "cut off"],
)  # fmt: skip
def test_what_is_no_json_is_a_value_error(text):
    with pytest.raises(ValueError):
        parse_json(text)


def test_what_is_read_can_be_written():
    document = parse_json(b'{"a": "\\ud83d\\ude00\\u0000\\\\ud800", "b": [1e5, -0]}')
    assert document == {"a": "😀\0\\ud800", "b": [1e5, 0]}
    assert parse_json(json_text(document).encode()) == document


def test_what_is_nested_deeper_than_python_can_print_is_a_mistake():
    document = parse_json(b'{"schema": ' + b"[" * 900 + b"]" * 900 + b"}")
    with pytest.raises(Mistake, match=r"x\.json: schema\.0\.0.*: it is nested too deeply"):
        validate(document, "record", "x.json")


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("x.yaml: id: 'a\nb\x1b[2J\u2028\ud800\x85'.", r"x.yaml: id: 'a\x0ab\x1b[2J\u2028\ud800\x85'."),
        ("算法 é ² “–” 😀", "算法 é ² “–” 😀"),
        ("x" * 100_000 + "; correct it.", "x" * 1000 + "…" + "x" * 986 + "; correct it."),
        ("\0" * 1500, r"\x00" * 250 + "…x00" + r"\x00" * 249),
    ],
    ids=["control characters", "text", "long", "long once shown"],
)
def test_a_mistake_is_one_line_whatever_it_quotes(sentence, told):
    found = str(Mistake(sentence))
    assert found == told and len(found) <= 2000


def test_a_fault_is_one_line_whatever_it_quotes():
    findings = Findings()
    findings.fault("kat/a.json: its reason is 'x\n\x1b[2J'.")
    assert findings.faults == [r"kat/a.json: its reason is 'x\x0a\x1b[2J'."]


def test_what_is_missing_is_a_line_each_whatever_candidates_said(tmp_path, capsys, monkeypatch):
    row = {"candidate": "a", "instance": "B-8", "operation": "hash_32", "reason": "CRASH: \x1b[2J\nall is well"}
    tables.write(tmp_path, "missing", [row])
    tables.write(tmp_path, "candidates", [])
    monkeypatch.setattr(ending, "_is_incomplete", lambda campaign: False)
    assert ending.last_words(SimpleNamespace(results=tmp_path), failed=False, measures=True) == ending.MISSING
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "missing: a/B-8 hash_32: CRASH: \ufffd[2J all is well"
    assert [line.partition(":")[0] for line in told] == ["missing", "Site", "Report"]
