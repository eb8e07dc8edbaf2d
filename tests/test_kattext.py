"""Where a submitted KAT text and a library's answers part."""

import codecs

import pytest
import yaml

from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.verify.kattext import first_difference, records, submitted_text

OURS = ["Msg_Len = 0\n", "Msg = \n", "Dst_Len = 8\n", "Dst = AB\n", "\n"]
OURS += ["Msg_Len = 1\n", "Msg = 80\n", "Dst_Len = 8\n", "Dst = CD\n", "\n"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(OURS[:-1], id="without the last empty line"),
        pytest.param([line.replace("\n", "\r\n") for line in OURS], id="CRLF"),
        pytest.param([line.replace(" = ", "=").replace("\n", " \t\n") for line in OURS], id="white space"),
    ],
)
def test_the_same_test_in_another_dress(text):
    assert first_difference(text, OURS) is None


@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
def test_bytes_of_a_submitted_text(tmp_path, mark, end):
    place = tmp_path / "tree" / "impl" / "X-8"
    place.mkdir(parents=True)
    (place / "KAT_2_12_X-8.txt").write_bytes(mark + "".join(OURS).encode().replace(b"\n", end))
    file = tmp_path / "x.yaml"
    instance = {"name": "X-8", "digest_bits": 8, "directory": "impl/X-8"}
    file.write_text(yaml.safe_dump({"id": "x", "algorithm": "X", "archive": {"path": "tree"}, "instances": [instance]}))
    candidate = load_candidate(file)
    with submitted_text(candidate, candidate.instances[0], "KAT_2_12_X-8.txt", None, tmp_path) as lines:
        assert first_difference(lines, OURS) is None


def test_first_differing_digest_is_named_with_both_values():
    submitted = [*OURS[:-2], "Dst = CE\n"]
    found = first_difference(submitted, OURS)
    assert found == {
        "record": 2, "message_bits": 1, "field": "Dst", "expected": "CE", "actual": "CD",
        "words": "first difference in record 2 (message of 1 bits): digest CD, submitted CE",
    }  # fmt: skip


def test_a_message_that_differs_is_told_from_a_digest():
    found = first_difference([line.replace("Msg = 80", "Msg = 00") for line in OURS], OURS)
    assert (found["field"], found["expected"], found["actual"]) == ("Msg", "00", "80")


def test_a_text_cut_off_between_records():
    found = first_difference(OURS[:5], OURS)
    assert found["record"] == 2 and "submitted text has 1 records only" in found["words"]


def test_a_text_cut_off_inside_a_record():
    assert first_difference(OURS[:-2], OURS)["words"].endswith("digest CD, submitted absent")


def test_fields_of_the_long_files():
    lines = ["Msg_Len = 8388608", "Msg_Seed = ", "Msg_Exp = 00 .... 00", "Dst_Len = 8", "Dst = 01"]
    assert list(records(lines)) == [
        {"Msg_Len": "8388608", "Msg_Seed": "", "Msg_Exp": "00 .... 00", "Dst_Len": "8", "Dst": "01"}
    ]


@pytest.mark.parametrize("bits", ["9" * 5000, "9" * 30, "²", "-1"])
def test_a_length_that_is_none_is_told_and_is_no_number(bits):
    found = first_difference([*OURS, f"Msg_Len = {bits}\n"], OURS)
    assert found["message_bits"] is None and "library has 2 records only" in found["words"]


def test_a_field_of_any_length_is_told_in_short():
    found = first_difference([f"{'x' * 100_000}=1\n", *OURS], OURS)
    assert found["record"] == 1 and len(found["words"]) < 400
