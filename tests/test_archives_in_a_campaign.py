"""Submissions that come as archives, good and bad, through the whole workflow."""

import io
import json
import zipfile

import pytest
import yaml

from archives import serve
from ngcc_campaign.common.files import sha256_file
from workplaces import ROOT, Workplace, workplace

SOURCES = ROOT / "resources" / "bundled" / "fips" / "Implementations" / "Référence Implementation" / "SHA-512"
DIRECTORY = "Sub mission/Référence Implementation/SHA-512"


def packed(*extra: str) -> bytes:
    """A ZIP of the bundled SHA-512 in another layout, with what a real one has beside it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(SOURCES.iterdir()):
            archive.write(file, f"{DIRECTORY}/{file.name}")
        archive.writestr(f"{DIRECTORY}/KAT_CryptHash.c", "#error never compiled\n")
        archive.writestr(f"{DIRECTORY}/KAT_2_12_SHA-512.txt", "Msg_Len = 0\r\n" * 1000)
        archive.writestr("Sub mission/CMakeLists.txt", "message(FATAL_ERROR never)\n")
        for name in extra:
            archive.writestr(name, "x")
    return buffer.getvalue()


def candidate(place: Workplace, name: str, archive: dict) -> None:
    instance = {"name": "SHA-512", "digest_bits": 512, "directory": DIRECTORY}
    document = {"id": name, "algorithm": name, "archive": archive, "kat": "../kat/fips.sha256", "instances": [instance]}
    (place.path / "resources" / "candidates" / f"{name}.yaml").write_text(yaml.safe_dump(document))


@pytest.fixture(scope="module")
def ended(tmp_path_factory) -> Workplace:
    """A campaign over archives by URL, by path and from a folder, some of them bad; run twice."""
    place = workplace(tmp_path_factory.mktemp("archives"))
    candidates = place.path / "resources" / "candidates"
    (place.path / "kept").mkdir()
    kept = place.path / "kept" / "kept.zip"
    kept.write_bytes(packed())
    digest = sha256_file(kept)
    (candidates / "climbing.zip").write_bytes(packed("../../climbed.c"))
    (candidates / "cut.zip").write_bytes(packed()[:-100])
    with serve(packed()) as server:
        candidate(
            place,
            "by-url",
            {"url": f"{server.address}/good/by-url.zip", "sha256": digest, "bytes": kept.stat().st_size},
        )
        candidate(place, "kept", {"url": "http://127.0.0.1:9/kept.zip", "sha256": digest})
        candidate(place, "unreachable", {"url": "http://127.0.0.1:9/none.zip", "sha256": "0" * 64})
        candidate(place, "climbing", {"path": "climbing.zip"})
        candidate(place, "other", {"path": "../../kept/kept.zip", "sha256": "0" * 64})
        candidate(place, "cut", {"path": "cut.zip"})
        names = "by-url,kept,unreachable,climbing,other,cut"
        place.config = (f"candidates={names}", f"archives={place.path / 'kept'}")
        place.first = place.run(config=place.config)
    place.digest = digest
    place.again = place.run(config=place.config)
    return place


def fetched(place: Workplace, name: str) -> dict:
    return json.loads((place.results / "fetch" / f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("by-url", "FETCHED", ""),
        ("kept", "FETCHED", ""),
        ("unreachable", "UNREACHABLE", "127.0.0.1:9"),
        ("climbing", "REFUSED", "climb"),
        ("other", "MISTAKE", "0" * 64),
        ("cut", "MISTAKE", "cut.zip"),
    ],
)
def test_each_archive_has_its_outcome_with_a_reason(ended, name, outcome, words):
    document = fetched(ended, name)
    assert document["outcome"] == outcome, document["reason"]
    assert words in document["reason"] and bool(document["reason"]) == (outcome != "FETCHED")


def test_a_wrong_digest_names_both_and_leaves_nothing(ended):
    assert ended.digest in fetched(ended, "other")["reason"]
    assert not (ended.path / "results" / "sources" / "other").exists()


def test_nothing_climbs_out_and_only_what_is_needed_is_unpacked(ended):
    assert not list(ended.path.rglob("climbed.c"))
    unpacked = {path.name for path in (ended.path / "results" / "sources" / "by-url").rglob("*") if path.is_file()}
    assert unpacked == {"CryptHash.c", "CryptHash_AlgorithmInstance.h"}


def test_the_good_ones_are_measured_and_the_campaign_says_what_is_missing(ended):
    for run in (ended.first, ended.again):
        assert run.status == 1, "an archive that is not the stated one is a mistake"
        for name in ("unreachable", "climbing", "other", "cut"):
            assert f"missing: {name}" in run
        assert "missing: by-url" not in run and "missing: kept" not in run
    records = [path.parent.name for path in ended.results.glob("records/*/*.json")]
    assert records.count("by-url") == records.count("kept") == 8


def test_a_second_run_tries_again_what_may_succeed_and_nothing_else(ended):
    assert ended.again.jobs["fetch"] == 3, ended.again.output


def test_put_right_it_is_measured(ended):
    (ended.path / "resources" / "candidates" / "cut.zip").write_bytes(packed())
    candidate(ended, "other", {"path": "../../kept/kept.zip", "sha256": ended.digest})
    names = "by-url,kept,other,cut"
    run = ended.run(config=(f"candidates={names}", ended.config[1]))
    assert run.status == 0, run.output
    assert "missing" not in run
