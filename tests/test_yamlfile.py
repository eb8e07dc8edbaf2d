"""Candidate files and profiles are read strictly: one meaning, bounded work, one sentence for a mistake."""

from itertools import pairwise

import pytest

from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common import yamlfile
from ngcc_campaign.common.errors import Mistake

LAUGHS = "a: &a [x, x]\n" + "".join(f"{new}: &{new} [*{old}, *{old}]\n" for old, new in pairwise("abcdefghi"))
CANDIDATE = """
id: mine
algorithm: Mine
archive: {{path: tree}}
instances:
  - {{name: {name}, digest_bits: {bits}, directory: d}}
"""


def write(tmp_path, text: str | bytes):
    file = tmp_path / "mine.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: 256\nb: -1\nc: 0", {"a": 256, "b": -1, "c": 0}),
        ("a: 0.5\nb: 1.5e3", {"a": 0.5, "b": 1500.0}),
        ("a: yes\nb: false\nc: ~\nd:\ne: null", {"a": True, "b": False, "c": None, "d": None, "e": None}),
        ("a: 4:16\nb: 0400\nc: 2_56\nd: 0x100\ne: 2026-01-01", {
            "a": "4:16", "b": "0400", "c": "2_56", "d": "0x100", "e": "2026-01-01",
        }),
        ("a: .inf\nb: 1e5\nc: '7'\n<<: d", {"a": ".inf", "b": "1e5", "c": "7", "<<": "d"}),
        (b"\xef\xbb\xbfa: 1\r\nb: [x,\r\n y]\r\n", {"a": 1, "b": ["x", "y"]}),
    ],
    ids=["integers", "numbers", "words", "texts", "more texts", "byte order mark and CRLF"],
)  # fmt: skip
def test_what_stands_there_is_what_is_meant(tmp_path, text, found):
    assert yamlfile.read(write(tmp_path, text)) == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAUGHS, "line 2: aliases and tags are not allowed"),
        ("a: 1\nb: !!int '4:16'\n", "line 2: aliases and tags are not allowed"),
        ("a: !!python/name:os.system\n", "line 1: aliases and tags are not allowed"),
        ("a: 1\nb: {c: 1, d: 2,\n c: 3}\n", "line 3: key 'c' stands there twice"),
        ("id: mine\nalgorithm: x\nid: other\n", "line 3: key 'id' stands there twice"),
        ("[" * 5000, "nested too deeply"),
        ("{a: " * 5000, "nested too deeply"),
        ("a: " + "9" * 5000, "4300"),
        ("{", "line 1: "),
        ("? [a]\n: b\n", "line 1: found unhashable key"),
        (b"a: \xff", "utf-8"),
        (b"a: \0", "special characters"),
        ("a: 1\n--- \nb: 2", "line 2: "),
        ('a: x\nb: "x\\0"', "line 2: a text with control characters"),
        ('"a\\e[2J": x', "line 1: a text with control characters"),
        ('a: "\\ud83d"', "line 1: a text with control characters, or half of a surrogate pair"),
        ("# x\n" * (1 << 18) + "a", "it is larger than 1 MiB"),
    ],
    ids=[
        "billion laughs", "tagged number", "tagged object", "key twice", "key twice at the top", "deep lists",
        "deep mappings", "5000 digits", "cut off", "list as a key", "not UTF-8", "NUL", "two documents",
        "escaped NUL", "escaped control character in a key", "half a character", "too large",
    ],
)  # fmt: skip
def test_a_mistake_names_the_file_in_one_sentence(tmp_path, text, sentence):
    with pytest.raises(Mistake, match=rf"mine\.yaml: .*{sentence}") as caught:
        yamlfile.read(write(tmp_path, text))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


@pytest.mark.parametrize("bits", ["256.0", "4:16", "0400", "2_56", "true", "!!int '4:16'", "'256'", "9" * 5000])
def test_a_width_is_an_integer_as_people_write_it(tmp_path, bits):
    with pytest.raises(Mistake, match=r"mine\.yaml: "):
        load_candidate(write(tmp_path, CANDIDATE.format(name="Mine", bits=bits)))


@pytest.mark.parametrize("name", ["0007", "2018_1", "1e5", "2026-01-01"])
def test_names_need_no_quotes_where_they_are_no_number(tmp_path, name):
    assert load_candidate(write(tmp_path, CANDIDATE.format(name=name, bits=256))).instances[0].name == name
