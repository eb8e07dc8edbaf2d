"""The fuzz targets for seconds, the same inputs every time; tests/fuzz/README.md says how to run them for hours."""

import importlib

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from archives import toy
from fuzz import NAMES, libfuzzer
from fuzz.archive import candidate
from fuzz.kit import expect_sentence
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch.fetch import fetch

# Inputs of each target, besides its seeds; those that audit a whole folder take longest.
SLOW = {"evidence": 3, "bundle": 4, "document": 60, "onboarding": 80, "archive": 100, "config": 100, "elf": 100}
RUNS = 2000  # of each target in C


def mutated(seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """A seed with a few stretches replaced, by other bytes or by a part of another seed."""
    place = st.integers(0, max(map(len, seeds)))
    stretch = st.tuples(st.sampled_from(seeds), place, place).map(lambda one: one[0][one[1] : one[2]])
    piece = st.binary(max_size=8) | stretch
    edits = st.lists(st.tuples(place, st.integers(0, 20), piece), min_size=1, max_size=4)

    def changed(seed: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
        for at, gone, piece in edits:
            seed = seed[:at] + piece + seed[at + gone :]
        return seed

    return st.builds(changed, st.sampled_from(seeds), edits)


@pytest.mark.parametrize("name", NAMES)
def test_target_in_python(name):
    fuzzed = importlib.import_module(f"fuzz.{name}")

    @settings(
        max_examples=SLOW.get(name, 200), derandomize=True, database=None, deadline=None,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(mutated(fuzzed.SEEDS))
    def run(data: bytes) -> None:
        fuzzed.target(data)

    for seed in fuzzed.SEEDS[:: 5 if name in ("evidence", "bundle") else 1]:
        fuzzed.target(seed)
    run()


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """The targets in C, by name."""
    if reason := libfuzzer.lacking():
        pytest.skip(reason)
    return libfuzzer.build(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("name", libfuzzer.names())
def test_target_in_c(programs, name, tmp_path):
    seeds = libfuzzer.SEEDS / name
    (tmp_path / "corpus").mkdir()  # the first folder is written to
    options = [f"-runs={RUNS}", "-seed=1", f"-artifact_prefix={tmp_path}/", str(tmp_path / "corpus")]
    ran = libfuzzer.run(programs[name], [*options, *([str(seeds)] if seeds.is_dir() else [])])
    assert ran.returncode == 0, ran.stderr[-3000:]


def test_an_archive_cut_off_at_any_byte_is_one_mistake_and_leaves_nothing(tmp_path):
    whole = toy()
    for size in range(len(whole)):
        (tmp_path / "toy.zip").write_bytes(whole[:size])
        document = fetch(
            candidate(tmp_path / "toy.zip"), sources=tmp_path / "sources" / "toy", archives=None, downloads=tmp_path,
            output=tmp_path / "fetch.json", made_from={},
        )  # fmt: skip
        assert document["outcome"] == "MISTAKE" and document["files"] == [], size
        assert "expected a whole ZIP archive" in expect_sentence(Mistake(document["reason"]))
        assert [path.name for path in (tmp_path / "sources").iterdir()] == [".toy.lock"]


def test_coverage_guides_a_target_in_python(tmp_path):
    pytest.importorskip("atheris", reason="atheris, the extra `fuzz`, is not installed")
    ran = libfuzzer.guided("manifest", ["-runs=1000", "-seed=1", f"-artifact_prefix={tmp_path}/"])
    assert ran.returncode == 0, ran.stderr[-3000:]
