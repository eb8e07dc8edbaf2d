"""A bundle: the same bytes for the same evidence, nothing of the machine in it, and audited as it is."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import time
import zipfile
from pathlib import Path

import pytest

import mutations
from forger import CANDIDATE, Forger, files, neighbour, sound
from ngcc_campaign import cli
from ngcc_campaign.audit import audit
from ngcc_campaign.bundle import bundle, crate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch.archive import Unsafe

ONE = f"records/{CANDIDATE}/One-256__hash_32.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory, zoo) -> Path:
    results = tmp_path_factory.mktemp("bundle") / "local"
    results.mkdir()
    sound(results, zoo("mem_zeros"))
    neighbour(results, results.with_name("other"))
    return results


@pytest.fixture(scope="module")
def packed(folder) -> Path:
    output = folder.with_name("local.zip")
    bundle.bundle(folder, output)
    return output


def members(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repacked(tmp_path: Path, content: dict[str, bytes]) -> Path:
    file = tmp_path / "repacked.zip"
    file.write_bytes(bundle.packed(content))
    return file


def test_the_same_evidence_gives_the_same_bytes_anywhere(folder, packed, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "elsewhere" / "local"))
    for path in sorted(copy.rglob("*"), reverse=True):
        path.chmod(0o700)
        os.utime(path, (time.time(), 1))
    (copy / "logs").mkdir()
    (copy / "logs" / "measure.log").write_text("ngcc_perf: waiting for CPU")
    audit.report(copy)
    bundle.bundle(copy, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()


def test_its_members_are_the_evidence_and_what_describes_it(folder, packed):
    with zipfile.ZipFile(packed) as archive:
        infos = archive.infolist()
    names = [info.filename for info in infos]
    evidence = [name for name in files(folder) if not mutations.NO_EVIDENCE.fullmatch(name)]
    assert names == sorted([*evidence, *bundle.ADDED])
    assert {(info.date_time, info.external_attr, info.create_system, info.compress_type) for info in infos} == {
        (bundle.MOMENT, bundle.REGULAR << 16, 3, zipfile.ZIP_STORED)
    }


def test_its_digests_can_be_checked_by_hand(packed, tmp_path):
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    command = ["sha256sum", "--check", "--strict", "--quiet", bundle.SUMS]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    listed = {line.split("  ")[1] for line in (tmp_path / bundle.SUMS).read_text().splitlines()}
    assert listed == set(files(tmp_path)) - {bundle.SUMS}


def test_audit_takes_it_as_it_is(packed, capsys):
    before = packed.read_bytes()
    assert cli.main(["audit", str(packed)]) == 0
    assert "faults: 0" in capsys.readouterr().out
    assert packed.read_bytes() == before and not packed.with_name("audit.json").exists()


def test_binaries_may_be_left_out(folder, tmp_path, capsys):
    output = tmp_path / "small.zip"
    assert cli.main(["bundle", str(folder), "--output", str(output), "--no-binaries"]) == 0
    assert str(output) in capsys.readouterr().out
    assert not [name for name in members(output) if name.endswith(".so")]
    found = audit.audit(output)
    assert found.faults == [] and found.counts["files not held"] == 7


def test_its_description_is_a_workflow_run_crate(packed):
    content = members(packed)
    described = json.loads(content[crate.NAME])
    graph = {entity["@id"]: entity for entity in described["@graph"]}
    root, run = graph["./"], graph["#campaign"]
    assert described["@context"] == ["https://w3id.org/ro/crate/1.1/context", crate.TERMS]
    assert {entry["@id"] for entry in root["conformsTo"]} == set(crate.PROFILES) <= graph.keys()
    assert root["mainEntity"] == run["instrument"] == {"@id": "Snakefile"} and root["mentions"] == [
        {"@id": "#campaign"}
    ]
    assert "ComputationalWorkflow" in graph["Snakefile"]["@type"]
    assert {entry["@id"] for entry in root["hasPart"]} == content.keys() - {crate.NAME}
    parts = {entry["@id"] for entry in run["object"] + run["result"]} | {"Snakefile", bundle.SUMS, crate.NAME}
    assert parts == content.keys()
    assert graph[ONE]["contentSize"] == str(len(content[ONE])) and len(graph[ONE]["sha256"]) == 64
    assert run["startTime"] < run["endTime"] == root["datePublished"]
    referenced = {value["@id"] for entity in described["@graph"] for value in references(entity)}
    assert {name for name in referenced if not name.startswith("http")} <= graph.keys()


def references(entity: dict) -> list[dict]:
    values = [value for key, value in entity.items() if not key.startswith("@")]
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return [one for one in flat if isinstance(one, dict)]


def test_the_library_reads_the_description(packed, tmp_path):
    from rocrate.rocrate import ROCrate

    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path)
    read = ROCrate(tmp_path)
    assert read.mainEntity.id == "Snakefile"
    assert len(read.data_entities) == len(files(tmp_path)) - 1


def test_unsound_evidence_is_not_bundled(folder, tmp_path, capsys):
    copy = Path(shutil.copytree(folder, tmp_path / "local"))
    (copy / ONE).unlink()
    assert cli.main(["bundle", str(copy), "--output", str(tmp_path / "no.zip")]) == 1
    assert f"the first: {ONE}: it is not there" in capsys.readouterr().err
    assert not (tmp_path / "no.zip").exists()


def test_no_path_of_the_machine_is_bundled(folder, tmp_path):
    copy = Path(shutil.copytree(folder, tmp_path / "local"))
    forger = Forger(copy)
    path = copy / "bin" / "ngcc_kat"
    path.write_text(f"assert in {copy}/native/kat.c")
    forger.relink(copy)
    with pytest.raises(Mistake, match=r"bin/ngcc_kat: it names .*, a path of this machine; not bundled\."):
        bundle.bundle(copy, tmp_path / "no.zip")


def altered(content: dict[str, bytes], name: str, old: bytes, new: bytes) -> dict[str, bytes]:
    assert old in content[name]
    return content | {name: content[name].replace(old, new, 1)}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        (ONE, b'"elapsed_ns": 4', b'"elapsed_ns": 5'),
        (f"report/{CANDIDATE}.md", b"420 ns", b"402 ns"),
        ("tables/performance.csv", b"420.0", b"402.0"),
        ("report/beside.json", b'"other"', b'"outer"'),
        (crate.NAME, b"Measurements", b"Measurement"),
        ("host.json", b"Example CPU", b"Another CPU"),
    ],
)
def test_a_forger_who_packs_a_bundle_anew_is_found(packed, tmp_path, name, old, new):
    content = altered(members(packed), name, old, new)
    assert audit.audit(repacked(tmp_path, content)).faults  # the list of digests tells
    rest = {key: value for key, value in content.items() if key != bundle.SUMS}
    mended = rest | {bundle.SUMS: bundle.sums(rest)} if name == crate.NAME else bundle.complete(content)
    assert audit.audit(repacked(tmp_path, mended)).faults  # and without it what the files say of one another


@pytest.mark.parametrize("number", range(12))
def test_every_byte_of_the_file_counts(packed, tmp_path, number):
    data = bytearray(packed.read_bytes())
    place = random.Random(f"bundle {number}").randrange(len(data))
    data[place] ^= 1
    file = tmp_path / "changed.zip"
    file.write_bytes(data)
    try:
        assert audit.audit(file).faults, place
    except Mistake as mistake:
        assert "changed.zip" in str(mistake)


def test_something_added_is_found(packed, tmp_path):
    content = members(packed)
    for name in ("records/alpha/guest.json", "notes.txt", "logs/measure.log"):
        found = audit.audit(repacked(tmp_path, bundle.complete(content | {name: b"{}"})))
        assert any(fault.startswith(f"{name}: nothing asks for this file") for fault in found.faults), name
    longer = tmp_path / "longer.zip"
    longer.write_bytes(packed.read_bytes() + b"more")
    try:
        assert audit.audit(longer).faults
    except Mistake as mistake:
        assert "longer.zip" in str(mistake)


def test_an_older_version_is_refused_by_name(packed, tmp_path):
    content = members(packed)
    document = json.loads(content[ONE]) | {"version": 1}
    found = audit.audit(repacked(tmp_path, bundle.complete(content | {ONE: json.dumps(document).encode()})))
    assert any("it is ngcc-perf/record version 1, this audit reads" in fault for fault in found.faults)


def hostile(name: str, content: bytes, **attributes: int) -> bytes:
    """A ZIP with the two files that a bundle has, and one more."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as target:
        for own in (crate.NAME, bundle.SUMS):
            target.writestr(own, b"")
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        for key, value in attributes.items():
            setattr(info, key, value)
        target.writestr(info, content)
    return buffer.getvalue()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("guest", "content", "attributes", "sentence"),
    [
        ("../../evil", b"x", {}, "has a name that climbs"),
        ("/etc/evil", b"x", {}, "has an absolute name"),
        ("large", bytes(70 << 20), {}, "the bound is"),
        ("packed", bytes(40 << 20), {}, "a bomb"),
        (bundle.SUMS, b"x", {}, "is there twice"),
        ("sha256sums", b"x", {}, "differs from .* in case only"),
        ("link", b"/etc/passwd", {"external_attr": 0o120777 << 16}, "is a link"),
    ],
)
def test_a_hostile_bundle_is_refused_in_a_sentence(tmp_path, capsys, guest, content, attributes, sentence):
    file = tmp_path / "hostile.zip"
    file.write_bytes(hostile(guest, content, **attributes))
    with pytest.raises(Unsafe, match=sentence):
        audit.audit(file)
    assert cli.main(["audit", str(file)]) == 1
    told = capsys.readouterr().err
    assert told.startswith("ngcc-campaign: ") and told.count("\n") == 1
    assert files(tmp_path) == ["hostile.zip"]


@pytest.mark.parametrize("content", [b"", b"no ZIP at all", b"PK\x03\x04"])
def test_what_is_no_bundle_is_told(tmp_path, content):
    file = tmp_path / "what.zip"
    file.write_bytes(content)
    with pytest.raises(Mistake, match=r"^what\.zip: found .*, expected a whole ZIP archive"):
        audit.audit(file)
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("host.json", "{}")
    with pytest.raises(Mistake, match="no bundle of evidence"):
        audit.audit(file)
