"""Candidate files, and which files of a submission an instance needs."""

import pytest
import yaml

from ngcc_campaign.campaign import catalog
from ngcc_campaign.campaign.catalog import Instance, instance_files, instance_sources, load_candidate, natural_order
from ngcc_campaign.common.errors import Mistake

GOOD = {
    "id": "mine",
    "algorithm": "Mine",
    "archive": {"path": "tree"},
    "instances": [{"name": "Mine-256", "digest_bits": 256, "directory": "impl/Mine-256"}],
}


def write(tmp_path, **changes):
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(GOOD | changes, allow_unicode=True))
    return file


def one(**changes):
    return [GOOD["instances"][0] | changes]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"algoritm": "x"}, "unknown key 'algoritm'; did you mean 'algorithm'?"),
        ({"id": "other"}, "id is 'other', expected 'mine'"),
        ({"archive": {}}, "archive"),
        ({"archive": {"url": "http://x/y.zip"}}, "sha256"),
        ({"archive": {"url": "ftp://x/y.zip", "sha256": "0" * 64}}, "archive.url: .*http or https"),
        ({"archive": {"path": "a", "sha256": "12"}}, "archive.sha256: .*64 lower-case"),
        ({"instances": []}, "instances: "),
        ({"instances": one(name="a/b")}, "instances.0.name: .*64 letters"),
        ({"instances": one(name="x" * 65)}, "instances.0.name"),
        ({"instances": one(digest_bits=100)}, "instances.0.digest_bits: .*multiple of 8"),
        (
            {"instances": one(digest_bits=256.0)},
            "instances.0.digest_bits: found 256.0; expected: the",
        ),
        ({"instances": one(name="Mine-256\n")}, "instances.0.name: 'Mine-256.n' does not match; expected: at most 64"),
        ({"id": "x" * 5000}, "id: 'x{199}… does not match; expected: lower-case letters"),
        ({"algorithm": ["x" * 5000]}, "algorithm: found .'x{198}…; expected: the algorithm's full"),
        ({"instances": one(directory="/etc")}, "path '/etc' leaves the submission"),
        ({"instances": one(directory="../x")}, r"path '\.\./x' leaves"),
        ({"instances": one(sources=["../../../x.c"])}, "leaves the submission"),
        ({"instances": one(cflags=["-include/etc/passwd"])}, "instances.0.cflags.0"),
        ({"instances": one(cflags=["-fplugin=x.so"])}, "cflags"),
        ({"instances": one(digest_bit=1)}, "unknown key 'digest_bit'; did you mean 'digest_bits'?"),
        ({"instances": one(kat_exception={"action": "measure"})}, "'cause' is missing"),
        ({"instances": one() + one(name="MINE-256")}, "'mine-256' stands there twice"),
    ],
)
def test_a_mistake_names_file_and_key(tmp_path, changes, sentence):
    file = write(tmp_path, **changes)
    with pytest.raises(Mistake, match=sentence) as caught:
        load_candidate(file)
    assert str(file) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("text", [b"{", b"\xff\xfe", b"- 1", b""], ids=["cut off", "not UTF-8", "a list", "empty"])
def test_what_is_no_candidate_file_at_all(tmp_path, text):
    file = tmp_path / "mine.yaml"
    file.write_bytes(text)
    with pytest.raises(Mistake, match=r"mine\.yaml"):
        load_candidate(file)


@pytest.mark.parametrize("name", ["1e5", "0007", "2018_1", "nan", "True", "inf", "x" * 64])
def test_names_that_look_like_something_else_stay_names(tmp_path, name):
    candidate = load_candidate(write(tmp_path, instances=one(name=name)))
    assert candidate.instances[0].name == name


TREE = [
    "impl/Mine-256/CryptHash.c", "impl/Mine-256/tables.C", "impl/Mine-256/drng.c", "impl/Mine-256/KAT_CryptHash.c",
    "impl/Mine-256/main.c", "impl/Mine-256/Test_it.c", "impl/Mine-256/mine_bench.c", "impl/Mine-256/speed.c",
    "impl/Mine-256/CryptHash_AlgorithmInstance.h", "impl/Mine-256/sub/inner.h", "impl/Mine-256/sub/inner.c",
    "impl/Mine-256/KAT_2_12_Mine-256.txt", "impl/Mine-256/prebuilt.o", "impl/Mine-512/other.h",
    "lib/low/low.c", "lib/low/low.h",
]  # fmt: skip


def instance(**changes):
    return Instance("mine", "Mine-256", 256, **({"directory": "impl/Mine-256"} | changes))


def test_default_sources_leave_out_programs_and_tests():
    assert instance_sources(instance(), TREE) == [
        "impl/Mine-256/CryptHash.c", "impl/Mine-256/drng.c", "impl/Mine-256/tables.C"
    ]  # fmt: skip


def test_files_are_sources_and_what_they_may_include():
    files = instance_files(instance(), TREE)
    assert {"impl/Mine-256/sub/inner.h", "impl/Mine-256/sub/inner.c"} <= set(files)
    assert not any(name.endswith((".txt", ".o")) or "Mine-512" in name or "KAT_" in name for name in files)


def test_sources_and_headers_outside_the_directory():
    wanted = instance(sources=("CryptHash.c", "../../lib/low/low.c"), include_dirs=("../../lib/low",))
    assert instance_sources(wanted, TREE) == ["impl/Mine-256/CryptHash.c", "lib/low/low.c"]
    assert "lib/low/low.h" in instance_files(wanted, TREE)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"directory": "nowhere"}, "directory 'nowhere' is not there"),
        ({"sources": ("absent.c",)}, "source 'impl/Mine-256/absent.c' is not there"),
        ({"directory": "impl/Mine-512"}, "holds no source to build"),
    ],
)
def test_what_is_absent_is_named(changes, sentence):
    with pytest.raises(Mistake, match=sentence):
        instance_sources(instance(**changes), TREE)


def test_natural_order():
    names = ["AXIS-1024", "AXIS-512", "axis-768", "ZC-DM-1536-512", "ZC-DM-1280-1024", "ZC-DM-1280-512"]
    assert sorted(names, key=natural_order) == [
        "AXIS-512", "axis-768", "AXIS-1024", "ZC-DM-1280-512", "ZC-DM-1280-1024", "ZC-DM-1536-512"
    ]  # fmt: skip


def test_any_file_name_has_a_place_in_natural_order():
    assert sorted(["b²", "b10", "b٣", "²"], key=natural_order) == ["b٣", "b10", "b²", "²"]


def test_links_in_a_tree_are_not_listed(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.c").write_text("")
    (tmp_path / "link.c").symlink_to("/etc/passwd")
    (tmp_path / "folder").symlink_to("/etc")
    assert catalog.tree_names(tmp_path) == ["a/x.c"]
