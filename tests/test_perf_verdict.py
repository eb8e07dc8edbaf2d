"""ngcc_perf times what the verdict of the known-answer tests allows, and that very library."""

import hashlib
import json
import shutil

import pytest

from perf import QUICK, Perf


@pytest.fixture
def perf(native, tmp_path):
    return Perf(native, tmp_path)


@pytest.fixture
def verdict(perf, zoo):
    """Writes kat.json for a copy of a good library, with the changes given; the options that use it."""

    def write(**changes: object) -> tuple:
        shutil.copy(zoo("deed"), perf.folder / "lib.so")
        digest = hashlib.sha256((perf.folder / "lib.so").read_bytes()).hexdigest()
        document = {
            "schema": "ngcc-perf/kat", "version": 3, "made_from": {"library": "no"}, "candidate": "z\u00f6o",
            "instance": "deed-256", "digest_bits": 256, "library": "lib.so", "library_sha256": digest,
            "timed": True, "timed_reason": "",
        }  # fmt: skip
        text = json.dumps({key: value for key, value in (document | changes).items() if value != "absent"}, indent=2)
        (perf.folder / "kat.json").write_text(text)
        return ("--verdict", "kat.json", "--bytes", "64", "--output", perf.output, *QUICK)

    return write


def test_verdict_names_everything(perf, verdict):
    (perf.folder / "host.json").write_text("{}")
    perf.run(*verdict(), "--host", "host.json")
    record = perf.read()
    assert (record["status"], record["candidate"], record["instance"]) == ("MEASURED", "z\u00f6o", "deed-256")
    files = record["files"]
    assert (files["library"], files["verdict"], files["host"]) == ("lib.so", "kat.json", "host.json")
    for name in ("library", "verdict", "host"):
        assert files[f"{name}_sha256"] == hashlib.sha256((perf.folder / files[name]).read_bytes()).hexdigest()


def test_other_library_than_the_verified_one_is_refused(perf, verdict):
    error = perf.run(*verdict(library_sha256="0" * 64), status=1)
    assert error == "ngcc_perf: lib.so: the library is not the verified one: build and verify again.\n"
    assert not perf.output.exists()


@pytest.mark.parametrize("library", ["lib.so", None], ids=["mismatch", "not-built"])
def test_verdict_that_forbids_timing(perf, verdict, library):
    reason = 'MISMATCH: record 17 of "KAT_2_12" differs'
    perf.run(*verdict(timed=False, timed_reason=reason, library=library, library_sha256=library and "0" * 64))
    record = perf.read()
    assert (record["status"], record["reason"], record["retry"]) == ("REFUSED", reason, False)
    assert record["trials"] == [] and record["digest"] is None and record["files"]["library"] == library


@pytest.mark.parametrize(
    "changes, sentence",
    {
        "absent-member": ({"candidate": "absent"}, "no 'candidate' in it"),
        "other-document": (
            {"schema": "ngcc-perf/build"},
            "expected schema ngcc-perf/kat, version 3, found ngcc-perf/build",
        ),
        "other-version": ({"version": 1}, "found ngcc-perf/kat, version 1"),
        "no-digest": ({"digest_bits": 0}, "digest_bits: expected 1 to 65536, found 0"),
        "wide-digest": ({"digest_bits": 2**32 + 256}, "digest_bits: expected 1 to 65536, found 4294967552"),
        "odd-digest": ({"digest_bits": 256.5}, "digest_bits: expected 1 to 65536, found 256.5"),
        "digest-as-text": ({"digest_bits": "256"}, "digest_bits: expected 1 to 65536, found 256"),
        "timed-without-library": ({"library": None, "library_sha256": None}, "there is no library"),
        "library-gone": ({"library": "gone.so"}, "gone.so: No such file"),
    }.values(),
    ids=[
        "absent-member",
        "other-document",
        "other-version",
        "no-digest",
        "wide-digest",
        "odd-digest",
        "digest-as-text",
        "timed-without-library",
        "library-gone",
    ],
)
def test_bad_verdict(perf, verdict, changes, sentence):
    error = perf.run(*verdict(**changes), status=1)
    assert sentence in error and error.count("\n") == 1 and not perf.output.exists()


@pytest.mark.parametrize("text", ["", "{", "\0\0", '{\n  "schema": "ngcc'], ids=["empty", "cut", "binary", "cut-later"])
def test_verdict_that_is_no_document(perf, verdict, text):
    options = verdict()
    (perf.folder / "kat.json").write_text(text)
    assert "not a verdict of ngcc-campaign verify" in perf.run(*options, status=1)


def test_absent_verdict(perf):
    assert (
        perf.run("--verdict", "gone.json", "--bytes", "1", status=1)
        == "ngcc_perf: gone.json: No such file or directory.\n"
    )
