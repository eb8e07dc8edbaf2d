"""The five real candidate files, as they stand, over archives in the layouts of the real ones: fetch, build, verify."""

import hashlib

import pytest
import yaml

import layouts
from archives import serve
from ngcc_campaign.campaign.catalog import load_candidate, tree_names
from ngcc_campaign.fetch import download
from workplaces import workplace

# How the server hands over the archive of each; all of these must end well.
MANNERS = {"hash-02": "good", "hash-04": "slow", "hash-07": "redirect/3", "hash-30": "flaky", "hash-34": "nolength"}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """No pauses, short time-outs, no proxy between us and ourselves."""
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(download, "TIMEOUT_SECONDS", 1.0)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def stages(tmp_path, native):
    return layouts.Stages(tmp_path, native)


def by_url(candidate, folder, server, manner, content):
    address = f"{server.address}/{manner}/{layouts.ARCHIVES[candidate]}"
    if manner.startswith("redirect"):
        address = f"{server.address}/{manner}"
    size = {} if manner == "nolength" else {"bytes": len(content)}
    digest = hashlib.sha256(content).hexdigest()
    return load_candidate(layouts.catalog_file(candidate, folder, url=address, sha256=digest, **size))


@pytest.mark.parametrize("layout", layouts.LAYOUTS)
def test_the_candidate_file_fits_its_layout_without_an_edit(layout, stages, tmp_path):
    content = layouts.archive(layout)
    assert len(content) < 500_000
    with serve(content) as server:
        candidate = by_url(layout, tmp_path, server, MANNERS[layout], content)
        fetched = stages.fetch(candidate)
    assert fetched["outcome"] == "FETCHED", fetched["reason"]
    names = tree_names(stages.sources(candidate))
    assert not [name for name in names if name.endswith((".pdf", ".txt", ".sh", ".o", ".exe")) or "KAT_" in name]
    for instance in candidate.instances:
        built = stages.build(candidate, instance.name)
        assert built["variants"][0]["built"], built["variants"][0]["reason"]
        verdict = stages.verify(candidate, instance.name)
        assert (verdict["verdict"], verdict["flags"]) == ("PASS", "guide"), verdict["reason"]


@pytest.mark.parametrize("manner", ["short", "cut", "silent", "long", "404", "circle"])
def test_a_server_that_lies_or_breaks_off_leaves_nothing_and_a_better_one_is_asked_again(manner, stages, tmp_path):
    layout, content = "hash-34", layouts.archive("hash-34")
    with serve(content) as server:
        fetched = stages.fetch(by_url(layout, tmp_path, server, manner, content))
        left = [path for path in stages.results.parent.rglob("*") if path.is_file() and path.suffix == ".zip"]
        if manner == "long":  # what comes after the stated length is never read
            assert fetched["outcome"] == "FETCHED"
            return
        assert (fetched["outcome"], fetched["retry"], left) == ("UNREACHABLE", True, [])
        assert not stages.sources(layouts.real(layout)).exists()
        assert stages.fetch(by_url(layout, tmp_path, server, "good", content))["outcome"] == "FETCHED"


def test_another_archive_than_the_stated_one_is_refused_with_both_digests(stages, tmp_path):
    content = layouts.archive("hash-04")
    with serve(content) as server:
        candidate = by_url("hash-04", tmp_path, server, "good", content + b"x")
        document = yaml.safe_load(candidate.file.read_text())
        document["archive"] = {key: document["archive"][key] for key in ("url", "sha256")}
        candidate.file.write_text(yaml.safe_dump(document))
        fetched = stages.fetch(load_candidate(candidate.file))
    assert fetched["outcome"] == "MISTAKE"
    for digest in (hashlib.sha256(content).hexdigest(), document["archive"]["sha256"]):
        assert digest in fetched["reason"]


def test_without_the_macros_of_the_script_the_library_does_not_build(stages, tmp_path):
    (tmp_path / "w.zip").write_bytes(layouts.archive("hash-34"))
    file = layouts.catalog_file("hash-34", tmp_path, path="w.zip")
    document = yaml.safe_load(file.read_text())
    del document["instances"][0]["defines"]
    file.write_text(yaml.safe_dump(document))
    candidate = load_candidate(file)
    stages.fetch(candidate)
    assert not any(variant["built"] for variant in stages.build(candidate, "WChain-V1-512")["variants"])


def test_two_layouts_through_the_whole_workflow(tmp_path):
    """One archive by its URL, one from a folder of archives; verdicts, records and pages come of both."""
    place = workplace(tmp_path)
    folder, kept = place.path / "resources" / "candidates", place.path / "kept"
    kept.mkdir()
    contents = {layout: layouts.archive(layout) for layout in ("hash-04", "hash-34")}
    (kept / "CHAMP.zip").write_bytes(contents["hash-04"])
    address = "http://127.0.0.1:9/Round%201/CHAMP.zip"
    layouts.catalog_file("hash-04", folder, url=address, sha256=hashlib.sha256(contents["hash-04"]).hexdigest())
    with serve(contents["hash-34"]) as server:
        by_url("hash-34", folder, server, "good", contents["hash-34"])
        run = place.run(config=("candidates=hash-04,hash-34", f"archives={kept}", "trials=1"))
    assert run.status == 0, run.output
    for layout in contents:
        for instance in layouts.real(layout).instances:
            log = place.results / "kat" / layout / f"{instance.name}.log"
            assert log.read_text().splitlines()[-1] == "verdict PASS"
            assert len(list((place.results / "records" / layout).glob(f"{instance.name}__hash_*.json"))) == 8
        assert (place.results / "report" / f"{layout}.md").is_file()
