"""KAT manifests as people have them."""

import pytest

from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.verify.manifest import expected, read_manifest

A, B = "a" * 64, "b" * 64


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{A} strict x/KAT_2_12_X-1.txt\n", id="plain"),
        pytest.param(f"{A} strict x/KAT_2_12_X-1.txt", id="no last line end"),
        pytest.param(f"\ufeff{A} strict x/KAT_2_12_X-1.txt\r\n\r\n", id="BOM and CRLF"),
        pytest.param(f"{A.upper()}  *KAT_2_12_X-1.txt\n\n", id="sha256sum, binary mark, upper case"),
        pytest.param(f"{A} strict a b\\ü\\KAT_2_12_X-1.txt  \n", id="backslashes, spaces, letters beyond ASCII"),
    ],
)
def test_same_digest_however_written(tmp_path, text):
    file = tmp_path / "kat.sha256"
    file.write_bytes(text.encode())
    assert read_manifest(file) == {"KAT_2_12_X-1.txt": A}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\f", "\n\r", "\u2028"], ids=ascii)
def test_every_kind_of_line_end_ends_a_line(tmp_path, end):
    file = tmp_path / "kat.sha256"
    file.write_bytes(f"{A} strict x/KAT_1.txt{end}{B} strict x/KAT_2.txt{end}".encode())
    assert read_manifest(file) == {"KAT_1.txt": A, "KAT_2.txt": B}


@pytest.mark.parametrize("line", ["abc strict KAT.txt", A, f"{A}strict KAT.txt", f"{A[:-1]}g strict KAT.txt", "\x00"])
def test_malformed_line_is_named_and_quoted(tmp_path, line):
    file = tmp_path / "kat.sha256"
    file.write_text(f"{B} strict KAT_2_12_Y.txt\n{line}\n")
    with pytest.raises(Mistake, match="line 2: '.*expected"):
        read_manifest(file)


def test_two_digests_for_one_file_are_refused(tmp_path):
    file = tmp_path / "kat.sha256"
    file.write_text(f"{A} strict p/KAT_2_12_Y.txt\n{B} strict q/KAT_2_12_Y.txt\n")
    with pytest.raises(Mistake, match="second digest for KAT_2_12_Y.txt"):
        read_manifest(file)


def test_absent_manifest_is_named(tmp_path):
    with pytest.raises(Mistake, match=r"none\.sha256: No such file"):
        read_manifest(tmp_path / "none.sha256")


def test_files_without_a_line_are_not_supplied(tmp_path):
    file = tmp_path / "kat.sha256"
    file.write_text(f"{A} strict KAT_2_12_X.txt\n{B} strict KAT_2_12_X-2.txt\n")
    assert expected(file, "X") == {
        "KAT_2_12_X.txt": A, "KAT_2_23_X.txt": None, "KAT_2_33_X.txt": None, "KAT_Loop_X.txt": None
    }  # fmt: skip
    assert set(expected(None, "X").values()) == {None}
