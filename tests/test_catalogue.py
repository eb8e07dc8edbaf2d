"""The catalogue: candidate files and manifests against the facts they were written from, and the yardstick."""

import csv
import hashlib
from pathlib import Path

import pytest

import layouts
from model.__main__ import line
from model.instances import YARDSTICK
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.verify.manifest import KAT_FILES, expected, read_manifest

ROOT = Path(__file__).resolve().parents[1]
RESOURCES, DATA = ROOT / "resources", ROOT / "tests" / "data"
# What NICCS publishes of its archives; which sources of them make each instance; the digests known.
PINNED = {
    "candidates.csv": "4696ca9f7011128b0370df43e887d26cfb8c3822665bb4e5499e8aaa54644720",
    "instances.csv": "d4b2ea84f3a9758e91d15b4c8daf25b52e11a38b0211f2b4edab41f4980f5bdb",
    "kat_manifest.csv": "958c7cf2fae068c440b413a0ef93ac943a0ad897db21dca3cf6a7ccdf96d3c83",
}


def facts(name):
    with open(DATA / name, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


CANDIDATES = facts("candidates.csv")
each_candidate = pytest.mark.parametrize("fact", CANDIDATES, ids=lambda fact: fact["candidate"])


def load(name):
    return load_candidate(RESOURCES / "candidates" / f"{name}.yaml")


@pytest.mark.parametrize(("name", "digest"), PINNED.items())
def test_the_facts_are_the_ones_given(name, digest):
    assert hashlib.sha256((DATA / name).read_bytes()).hexdigest() == digest


def test_five_candidates_and_nineteen_instances():
    assert [fact["candidate"] for fact in CANDIDATES] == ["hash-02", "hash-04", "hash-07", "hash-30", "hash-34"]
    assert len(facts("instances.csv")) == 19


@each_candidate
def test_archive_and_names(fact):
    candidate = load(fact["candidate"])
    spec = candidate.archive
    assert (spec.url, spec.sha256, str(spec.bytes)) == (
        fact["archive_url"], fact["archive_sha256"], fact["archive_bytes"]
    )  # fmt: skip
    assert (candidate.algorithm, candidate.submission_page) == (fact["algorithm"], fact["submission_page"])


@each_candidate
def test_instances(fact):
    wanted = [
        (
            one["instance"], int(one["digest_bits"]), one["directory"],
            *(tuple(one[key].split()) for key in ("sources", "include_dirs", "defines")),
        )
        for one in facts("instances.csv")
        if one["candidate"] == fact["candidate"]
    ]  # fmt: skip
    assert wanted == [
        (one.name, one.digest_bits, one.directory, one.sources, one.include_dirs, one.defines)
        for one in load(fact["candidate"]).instances
    ]
    assert not any(one.cflags or one.libraries or one.kat_exception for one in load(fact["candidate"]).instances)


@each_candidate
def test_manifest(fact):
    candidate = load(fact["candidate"])
    known = {
        f"{one['file']}_{one['instance']}.txt": one["canonical_sha256"]
        for one in facts("kat_manifest.csv")
        if one["candidate"] == candidate.id
    }
    assert read_manifest(candidate.kat) == known
    for instance in candidate.instances:
        digests = expected(candidate.kat, instance.name)
        assert all(digests[f"{file}_{instance.name}.txt"] for file in KAT_FILES[:2])
        assert all(digests[f"{file}_{instance.name}.txt"] for file in KAT_FILES) == (candidate.id == "hash-02")


def test_the_yardstick_has_every_width_of_the_candidates_and_the_one_of_sm3():
    widths = {instance.digest_bits for fact in CANDIDATES for instance in load(fact["candidate"]).instances}
    yardstick = load("yardstick")
    assert {instance.digest_bits for instance in yardstick.instances} == widths | {256}
    assert [(one.name, one.digest_bits) for one in yardstick.instances] == [
        (model.name, model.digest_bits) for model in YARDSTICK
    ]


def test_the_yardstick_is_the_function_of_iccs():
    ours, theirs = (read_manifest(RESOURCES / "kat" / f"{name}.sha256") for name in ("yardstick", "iccs"))
    both = ours.keys() & theirs.keys()
    assert len(both) == 3 * len(KAT_FILES)
    assert {name: ours[name] for name in both} == {name: theirs[name] for name in both}
    iccs = load("iccs")
    for instance in load("yardstick").instances:
        if instance.digest_bits in (512, 768, 1024):
            twin = iccs.instance(instance.name)
            assert (instance.directory, instance.sources) == (twin.directory, twin.sources)


@pytest.mark.parametrize("model", YARDSTICK, ids=lambda model: model.name)
def test_a_line_of_the_yardstick_s_manifest_recomputed(model):
    committed = (RESOURCES / "kat" / "yardstick.sha256").read_text(encoding="utf-8").splitlines()
    assert line(model, "KAT_2_23") in committed


def test_widths_that_iccs_lacks_build_and_pass(native, tmp_path):
    yardstick, stages = load("yardstick"), layouts.Stages(tmp_path, native)
    assert stages.fetch(yardstick)["outcome"] == "FETCHED"
    for name in ("pseudoXOF-256", "pseudoXOF-1152", "pseudoXOF-1280"):
        stages.build(yardstick, name)
        assert stages.verify(yardstick, name)["verdict"] == "PASS"
