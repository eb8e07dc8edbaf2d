"""The fetch stage: from a candidate file to a tree that holds what its instances need, or to a reason."""

import fcntl
import hashlib
import json
import os
import resource
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from archives import HEADER, SOURCE, Member, make_zip, serve, toy
from ngcc_campaign.campaign import catalog
from ngcc_campaign.common import schemas
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch import download
from ngcc_campaign.fetch import fetch as stage
from ngcc_campaign.run import session

FILES = ["Toy/toy-512/CryptHash.c", "Toy/toy-512/CryptHash_AlgorithmInstance.h"]
INSTANCE = catalog.Instance("toy", "toy-512", 512, "Toy/toy-512")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """No pauses, short time-outs, no proxy between us and ourselves."""
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(download, "TIMEOUT_SECONDS", 0.2)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def campaign(tmp_path):
    return Campaign(tmp_path)


class Campaign:
    """A results folder, a candidate file's folder, and the fetch stage between them."""

    def __init__(self, root: Path):
        self.results, self.mine, self.archives = root / "results", root / "catalog", root / "archives"
        self.mine.mkdir()
        self.archives.mkdir()
        self.sources, self.downloads = self.results / "sources" / "toy", self.results / "archives"

    def zip(self, content: bytes) -> catalog.Candidate:
        (self.mine / "toy.zip").write_bytes(content)
        return self.candidate(path=self.mine / "toy.zip")

    def candidate(self, *instances: catalog.Instance, **archive) -> catalog.Candidate:
        return catalog.Candidate(
            "toy", "hash", "cryptographic hash function", "Toy", "1", None, None, catalog.Archive(**archive), None,
            instances or (INSTANCE,), self.mine / "toy.yaml",
        )  # fmt: skip

    def fetch(self, candidate: catalog.Candidate, archives: Path | None = None) -> dict:
        output = self.results / "local" / "fetch" / "toy.json"
        document = stage.fetch(
            candidate, sources=self.sources, archives=archives, downloads=self.downloads, output=output,
            made_from={"sources": "x"},
        )  # fmt: skip
        assert json.loads(output.read_text()) == document
        schemas.validate(document, "fetch", output)
        assert not [path for path in self.results.rglob("*") if path.suffix in (".part", ".old", ".tmp")]
        assert document["retry"] == (document["outcome"] in ("MISTAKE", "UNREACHABLE"))
        assert (document["reason"] == "") == (document["outcome"] == "FETCHED")
        return document

    def unpacked(self) -> dict[str, bytes]:
        return {name: (self.sources / name).read_bytes() for name in catalog.tree_names(self.sources)}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def url_candidate(campaign, server, path="/good/toy.zip", content=None, **archive):
    content = toy() if content is None else content
    return campaign.candidate(url=server.address + path, **{"sha256": sha256(content), **archive})


# A ZIP by its path


def test_a_zip_is_unpacked_as_far_as_needed(campaign):
    content = toy(Member(b"Toy/paper.pdf", b"x"), Member(b"Toy/toy-512/KAT_CryptHash.c"), Member(b"Toy/toy-512/t.h"))
    document = campaign.fetch(replace(campaign.zip(content), submission_page="https://x"))
    assert document["outcome"] == "FETCHED"
    assert list(campaign.unpacked()) == [*FILES, "Toy/toy-512/t.h"]
    assert document["files"][0] == {"file": FILES[0], "bytes": len(SOURCE), "sha256": sha256(SOURCE)}
    assert document["archive"] == {
        "kind": "path", "name": "toy.zip", "url": None, "bytes": len(content), "sha256": sha256(content),
        "expected_sha256": None,
    }  # fmt: skip
    assert document["candidate"] == {
        "id": "toy", "category": "hash", "function": "cryptographic hash function", "algorithm": "Toy", "version": "1",
        "submission_page": "https://x", "security_evaluation": None,
        "instances": [{"name": "toy-512", "digest_bits": 512}],
    }  # fmt: skip
    assert document["made_from"] == {"sources": "x"}


def test_a_source_outside_the_instance_comes_with_what_lies_beside_it(campaign):
    content = toy(*(Member(b"Toy/lib/" + name, name) for name in (b"low/z.c", b"low/z.inc", b"common/c.h", b"x.h")))
    instance = replace(INSTANCE, sources=("CryptHash.c", "../lib/low/z.c"), include_dirs=("../lib/common",))
    campaign.fetch(replace(campaign.zip(content), instances=(instance,)))
    assert set(campaign.unpacked()) == {*FILES, "Toy/lib/low/z.c", "Toy/lib/low/z.inc", "Toy/lib/common/c.h"}


def test_a_folder_with_a_name_in_gbk(campaign):
    folder = "算法 誠/实现"
    members = [Member(f"{folder}/{name.rpartition('/')[2]}".encode("gbk"), HEADER) for name in FILES]
    instance = replace(INSTANCE, directory=folder)
    document = campaign.fetch(replace(campaign.zip(make_zip(members)), instances=(instance,)))
    assert [file["file"] for file in document["files"]] == sorted(campaign.unpacked())
    assert all(name.startswith(folder) for name in campaign.unpacked())


@pytest.mark.parametrize("wrong", ["sha256", "bytes"])
def test_a_zip_that_is_not_the_expected_one(wrong, campaign):
    candidate = campaign.zip(toy())
    spec = replace(candidate.archive, **{"sha256": "0" * 64} if wrong == "sha256" else {"bytes": 7})
    document = campaign.fetch(replace(candidate, archive=spec))
    assert document["outcome"] == "MISTAKE" and document["files"] == []
    found, expected = (sha256(toy()), "0" * 64) if wrong == "sha256" else (f"{len(toy())} bytes", "7")
    assert f"found {'SHA-256 ' if wrong == 'sha256' else ''}{found}, expected {expected}" in document["reason"]
    assert "archive.path 'toy.zip'" in document["reason"] and "toy.yaml" in document["reason"]
    assert not campaign.sources.exists()


def test_a_missing_zip(campaign):
    document = campaign.fetch(campaign.candidate(path=campaign.mine / "toy.zip"))
    assert document["outcome"] == "MISTAKE"
    assert document["reason"].startswith("archive.path 'toy.zip' is not there; expected a ZIP or a directory")


def test_a_file_that_is_no_zip(campaign):
    document = campaign.fetch(campaign.zip(b"<html>"))
    assert document["outcome"] == "MISTAKE"
    assert document["reason"] == "toy.zip: found no ZIP, expected a whole ZIP archive; get the file again."


def test_a_zip_cut_off_at_every_byte(campaign):
    whole = toy()
    for length in range(0, len(whole), 3):
        document = campaign.fetch(campaign.zip(whole[:length]))
        assert document["outcome"] == "MISTAKE" and document["reason"].count(". ") == 0
        assert not campaign.sources.exists()


def test_a_zip_that_climbs_is_refused_and_leaves_nothing(campaign):
    document = campaign.fetch(campaign.zip(toy(Member(b"../../evil.c", b"x"))))
    assert document["outcome"] == "REFUSED"
    assert document["reason"] == (
        "toy.zip: member '../../evil.c' has a name that climbs ('..'); the archive is refused."
    )
    assert not campaign.sources.exists()


def test_a_bomb_is_refused_where_it_would_be_unpacked(campaign):
    bomb = bytes(2 << 20)
    assert campaign.fetch(campaign.zip(toy(Member(b"Toy/toy-512/bomb.h", bomb))))["outcome"] == "REFUSED"
    assert campaign.fetch(campaign.zip(toy(Member(b"Toy/bomb.h", bomb))))["outcome"] == "FETCHED"


# What instances need


@pytest.mark.parametrize(
    "change, found",
    [
        ({"directory": "Toy/none"}, "directory 'Toy/none' is not there in 'toy.zip'"),
        ({"sources": ("none.c",)}, "source 'Toy/toy-512/none.c' is not there in 'toy.zip'"),
        ({"digest_bits": 256}, f"'{FILES[1]}' defines DIGEST_BIT_LENGTH 512, but toy.yaml says digest_bits: 256"),
        ({"directory": "Toy", "sources": ("toy-512/CryptHash.c",)}, "'Toy' holds no CryptHash_AlgorithmInstance.h"),
    ],
)
def test_an_instance_that_the_archive_does_not_hold(change, found, campaign):
    document = campaign.fetch(replace(campaign.zip(toy()), instances=(replace(INSTANCE, **change),)))
    assert document["outcome"] == "MISTAKE"
    assert document["reason"].startswith(f"instance 'toy-512': {found}") and "correct" in document["reason"]
    assert not campaign.sources.exists()


@pytest.mark.parametrize(
    "header, defines, found",
    [
        (b"#define ALGORITHM_INSTANCE", (), f"'{FILES[1]}' does not define the macro DIGEST_BIT_LENGTH"),
        (b"", (), "does not define the macro"),
        (b"", ("DIGEST_BIT_LENGTH=512",), ""),
        (b"#define DIGEST_BIT_LENGTH 512 /* bits */ // all", (), ""),
        (b"#define DIGEST_BIT_LENGTH 256\r\n", (), "defines DIGEST_BIT_LENGTH 256, but"),
        (b"#ifndef DIGEST_BIT_LENGTH\n#define DIGEST_BIT_LENGTH 256\n#endif", ("DIGEST_BIT_LENGTH=512",), ""),
        (b"#define DIGEST_BIT_LENGTH (8 * BYTES)", (), ""),
    ],
)
def test_the_header_of_an_instance(header, defines, found, campaign):
    content = make_zip([Member(FILES[0].encode(), SOURCE), Member(FILES[1].encode(), header)])
    document = campaign.fetch(replace(campaign.zip(content), instances=(replace(INSTANCE, defines=defines),)))
    assert document["outcome"] == ("MISTAKE" if found else "FETCHED")
    assert found in document["reason"]


def test_a_header_of_another_name(campaign):
    names = [b"CryptHash.c", b"CryptHash_AlgorithmInstance.h", b"CryptHash_Toy-512.h"]
    members = [Member(b"Toy/toy-512/" + name, data) for name, data in zip(names, [SOURCE, b"", HEADER], strict=True)]
    assert campaign.fetch(campaign.zip(make_zip(members)))["outcome"] == "FETCHED"
    assert campaign.fetch(campaign.zip(make_zip([members[0], members[2]])))["outcome"] == "FETCHED"


# The unpacked tree


def test_a_complete_tree_is_kept(campaign):
    candidate = campaign.zip(toy())
    first = campaign.fetch(candidate)
    before = campaign.sources.stat().st_ino
    assert campaign.fetch(candidate)["files"] == first["files"]
    assert campaign.sources.stat().st_ino == before


def edit(campaign):
    (campaign.sources / FILES[0]).write_text("int edited;")


def remove(campaign):
    (campaign.sources / FILES[0]).unlink()


def add(campaign):
    (campaign.sources / "Toy/toy-512/more.h").write_text("")


def unseal(campaign):
    campaign.sources.with_name("toy.sha256").unlink()


def cut_seal(campaign):
    campaign.sources.with_name("toy.sha256").write_text("# Unpacked")


def crash(campaign):
    campaign.sources.rename(campaign.sources.with_name(".toy.old"))
    campaign.sources.with_name(".toy.part").mkdir()
    (campaign.sources.with_name(".toy.part") / "half.c").write_text("")


def link(campaign):
    campaign.sources.rename(campaign.results / "elsewhere")
    campaign.sources.symlink_to(campaign.results / "elsewhere")


@pytest.mark.parametrize("spoil", [edit, remove, add, unseal, cut_seal, crash, link], ids=lambda spoil: spoil.__name__)
def test_a_tree_that_is_not_whole_is_made_anew(spoil, campaign):
    candidate = campaign.zip(toy())
    campaign.fetch(candidate)
    whole = campaign.unpacked()
    spoil(campaign)
    assert campaign.fetch(candidate)["outcome"] == "FETCHED"
    assert not campaign.sources.is_symlink() and campaign.unpacked() == whole


def test_what_killed_runs_left_is_swept_away_but_where_a_run_is_at_work(campaign):
    campaign.fetch(campaign.zip(toy()))
    campaign.downloads.mkdir()
    whole, folder = sorted(campaign.results.rglob("*")), campaign.sources.parent
    for name in ("part", "old"):
        folder.joinpath(f".toy.{name}", "folder").mkdir(parents=True)
    for file in (campaign.downloads / ".toy.zip.part", folder / ".toy.sha256.x1y2.tmp"):
        file.write_text("half")
    left = sorted(campaign.results.rglob("*"))
    with open(folder / ".toy.lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        session.sweep(campaign.results / "local")
        assert sorted(campaign.results.rglob("*")) == left
    session.sweep(campaign.results / "local")
    assert sorted(campaign.results.rglob("*")) == whole


def test_a_tree_is_made_anew_for_another_archive_and_other_instances(campaign):
    campaign.fetch(campaign.zip(toy()))
    campaign.fetch(campaign.zip(toy(Member(b"Toy/toy-512/new.h", b"new"))))
    assert "Toy/toy-512/new.h" in campaign.unpacked()
    more = toy(Member(b"Toy/toy-512/new.h", b"new"), Member(b"Toy/b/b.c"), Member(b"Toy/b/CryptHash_b.h", HEADER))
    second = replace(INSTANCE, name="b", directory="Toy/b")
    campaign.fetch(replace(campaign.zip(more), instances=(second,)))
    assert set(campaign.unpacked()) == {"Toy/b/b.c", "Toy/b/CryptHash_b.h"}


def test_the_seal_is_one_that_sha256sum_reads(campaign):
    campaign.fetch(campaign.zip(toy()))
    seal = campaign.sources.with_name("toy.sha256").read_text().splitlines()
    assert seal == [
        f"# Unpacked from the archive with SHA-256 {sha256(toy())}",
        f"{sha256(SOURCE)}  toy/{FILES[0]}",
        f"{sha256(HEADER)}  toy/{FILES[1]}",
    ]


def test_a_second_run_waits_for_the_first(campaign, capsys):
    candidate = campaign.zip(toy())
    campaign.sources.parent.mkdir(parents=True)
    done = []
    with open(campaign.sources.with_name(".toy.lock"), "w") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        second = threading.Thread(target=lambda: done.append(campaign.fetch(candidate)))
        second.start()
        second.join(0.2)
        assert not done and not campaign.sources.exists()
    second.join()
    assert done[0]["outcome"] == "FETCHED"
    assert capsys.readouterr().err == "toy: waiting for another run that unpacks it\n"


# A directory, used in place


def test_a_directory_is_used_in_place(campaign):
    folder = campaign.mine / "toy sub"
    (folder / "Toy/toy-512").mkdir(parents=True)
    for name, content in zip(FILES, (SOURCE, HEADER), strict=True):
        (folder / name).write_bytes(content)
    outside = campaign.mine / "outside"
    outside.mkdir()
    (outside / "secret.h").write_text("")
    (folder / "Toy/toy-512/secret.h").symlink_to(outside / "secret.h")
    (folder / "Toy/toy-512/more").symlink_to(outside)
    candidate = campaign.candidate(path=folder)
    document = campaign.fetch(candidate)
    assert document["outcome"] == "FETCHED"
    assert [file["file"] for file in document["files"]] == FILES
    assert (document["archive"]["kind"], document["archive"]["name"]) == ("directory", "toy sub")
    assert not campaign.sources.exists()
    (folder / FILES[0]).write_text("int edited;")
    assert campaign.fetch(candidate)["files"][0]["sha256"] == sha256(b"int edited;")


def test_a_file_of_a_directory_whose_name_is_not_utf_8_is_a_mistake(campaign):
    folder = campaign.mine / "toy sub"
    (folder / "Toy/toy-512").mkdir(parents=True)
    for name, content in zip(FILES, (SOURCE, HEADER), strict=True):
        (folder / name).write_bytes(content)
    (folder / os.fsdecode(b"\xcb\xe3.pdf")).write_text("")  # not needed
    candidate = campaign.candidate(path=folder)
    assert campaign.fetch(candidate)["outcome"] == "FETCHED"
    (folder / "Toy/toy-512" / os.fsdecode(b"\xcb\xe3.h")).write_text("")
    document = campaign.fetch(candidate)
    assert (document["outcome"], document["files"]) == ("MISTAKE", [])
    name = r"Toy/toy-512/\xcb\xe3.h"
    assert document["reason"] == f"'{folder}' holds a file whose name is not UTF-8: '{name}'; rename it."


# The folder of archives already there


@pytest.mark.parametrize("name", ["My toy+算.zip", "renamed.bin"])
def test_an_archive_from_the_folder(name, campaign, capsys):
    (campaign.archives / "another.zip").write_bytes(b"PK")
    (campaign.archives / "subfolder").mkdir()
    (campaign.archives / name).write_bytes(toy())
    candidate = campaign.candidate(url="http://127.0.0.1:9/a/My%20toy+%E7%AE%97.zip?x=/y", sha256=sha256(toy()))
    document = campaign.fetch(candidate, campaign.archives)
    assert document["outcome"] == "FETCHED"
    assert (document["archive"]["kind"], document["archive"]["name"]) == ("url", "My toy+算.zip")
    assert document["archive"]["sha256"] == sha256(toy())
    assert f"toy: using {name} from the folder" in capsys.readouterr().err


def test_an_archive_of_the_right_name_and_wrong_digest(campaign):
    (campaign.archives / "toy.zip").write_bytes(b"other")
    candidate = campaign.candidate(url="http://127.0.0.1:9/toy.zip", sha256=sha256(toy()), bytes=len(toy()))
    document = campaign.fetch(candidate, campaign.archives)
    assert document["outcome"] == "MISTAKE"
    assert document["reason"].startswith(
        f"toy.zip in the folder archives (5 bytes): found SHA-256 {sha256(b'other')}, expected {sha256(toy())}"
    )


def test_the_folder_of_archives_is_absent(campaign):
    candidate = campaign.candidate(url="http://127.0.0.1:9/toy.zip", sha256=sha256(toy()))
    assert "is not there" in campaign.fetch(candidate, campaign.archives / "none")["reason"]


# A download


@pytest.mark.parametrize("path", ["/good/my toy.zip", "/nolength", "/flaky", "/redirect/5", "/good/算?a=b"])
def test_a_download(path, campaign):
    with serve(toy()) as server:
        document = campaign.fetch(url_candidate(campaign, server, path, bytes=len(toy())))
        asked = len(server.asked)
        assert document["outcome"] == "FETCHED", document["reason"]
        assert document["archive"]["bytes"] == len(toy()) and document["archive"]["sha256"] == sha256(toy())
        assert list(campaign.unpacked()) == FILES
        assert campaign.fetch(url_candidate(campaign, server, path))["outcome"] == "FETCHED"
        assert len(server.asked) == asked, "a downloaded archive is kept"


@pytest.mark.parametrize(
    "path, tries, found",
    [
        ("/404", 1, "the server answered 404 Not Found"),
        ("/503", 3, "the server answered 503 Service Unavailable, at the last of 3 tries"),
        ("/short", 3, "the answer ended after"),
        ("/silent", 3, "no byte in 0.2 s"),
        ("/cut", 3, "the answer ended after"),
        ("/redirect/6", 6, "redirected more than 5 times"),
        ("/circle", 5, "in a circle"),
        ("/to-file", 1, "not http or https"),
        ("/to-ftp", 1, "not http or https"),
    ],
)
def test_a_server_that_does_not_deliver(path, tries, found, campaign):
    with serve(toy()) as server:
        document = campaign.fetch(url_candidate(campaign, server, path, bytes=len(toy())))
    assert document["outcome"] == "UNREACHABLE"
    assert found in document["reason"] and path in document["reason"]
    assert len(server.asked) == tries
    assert list(campaign.downloads.iterdir()) == [] and not campaign.sources.exists()


def test_no_server(campaign):
    with serve(b"") as server:
        pass
    document = campaign.fetch(url_candidate(campaign, server))
    assert document["outcome"] == "UNREACHABLE" and "no connection" in document["reason"]


@pytest.mark.parametrize("path", ["/good/toy.zip", "/long"])
def test_a_download_of_a_wrong_digest_leaves_nothing(path, campaign):
    with serve(b"another file") as server:
        document = campaign.fetch(url_candidate(campaign, server, path))
    assert document["outcome"] == "MISTAKE" and len(server.asked) == 1
    for named in (server.address + path, sha256(b"another file"), sha256(toy()), "archive.sha256 in toy.yaml"):
        assert named in document["reason"]
    assert list(campaign.downloads.iterdir()) == [] and not campaign.sources.exists()


@pytest.mark.parametrize("path", ["/good/toy.zip", "/nolength"])
@pytest.mark.parametrize("known", [True, False])
def test_a_download_beyond_the_cap_is_stopped(path, known, campaign, monkeypatch):
    monkeypatch.setattr(download, "MAX_BYTES", 10)
    with serve(toy()) as server:
        document = campaign.fetch(url_candidate(campaign, server, path, bytes=10 if known else None))
    assert document["outcome"] == "MISTAKE" and "more than the 10 bytes allowed" in document["reason"]
    assert list(campaign.downloads.iterdir()) == []


def test_a_damaged_download_is_fetched_again(campaign):
    with serve(toy()) as server:
        candidate = url_candidate(campaign, server)
        campaign.fetch(candidate)
        (campaign.downloads / "toy.zip").write_bytes(b"damaged")
        (campaign.downloads / ".toy.zip.part").write_bytes(b"half")
        assert campaign.fetch(candidate)["outcome"] == "FETCHED"
        assert len(server.asked) == 2


@pytest.mark.parametrize("url", ["http://[", "http://127.0.0.1:port/x.zip", f"http://{'a' * 70}.b/x.zip"])
def test_a_url_that_is_none(url, campaign):
    document = campaign.fetch(campaign.candidate(url=url, sha256="0" * 64))
    assert document["outcome"] == "MISTAKE" and "is no web address" in document["reason"]


def test_progress_is_told_by_lines_where_nobody_watches(campaign, capsys, monkeypatch):
    monkeypatch.setattr(download, "CHUNK_BYTES", len(toy()) // 100)
    with serve(toy()) as server:
        campaign.fetch(url_candidate(campaign, server))
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].endswith("MB, 100 %") and len(lines) <= 11
    assert all(line.startswith("toy: 0.0 of 0.0 MB, ") for line in lines)


def test_progress_is_one_live_line_on_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = download.Progress("toy", 4_000_000)
    progress.update(4_000_000)
    progress.close()
    assert capsys.readouterr().err == "\r\033[Ktoy: 4.0 of 4.0 MB, 100 %\n"
    assert progress.line(1_000_000, 2) == "toy: 1.0 of 4.0 MB, 25 %, 6 s left"
    assert download.Progress("toy", None).line(1_500_000, 1) == "toy: 1.5 MB"


# This machine fails


def test_no_space_is_one_sentence_and_leaves_no_document(campaign, monkeypatch):
    def full(*_):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("os.fsync", full)
    with serve(toy()) as server, pytest.raises(Mistake, match="toy: .*sources: No space left on device"):
        campaign.fetch(url_candidate(campaign, server))
    assert list(campaign.downloads.iterdir()) == []
    assert not list(campaign.results.rglob("*.json"))


def test_no_space_while_unpacking_leaves_nothing(campaign):
    """A limit on the size of files answers as a full disk does."""
    candidate = campaign.zip(toy(Member(b"Toy/toy-512/table.h", b"0123456789" * 10_000)))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(Mistake, match="toy: .*sources: File too large"):
            campaign.fetch(candidate)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in campaign.sources.parent.iterdir()] == [".toy.lock"]


def test_results_that_are_no_folder(campaign):
    campaign.results.write_text("")
    with pytest.raises(Mistake, match="toy: .*results.*: (Not a directory|File exists)"):
        campaign.fetch(campaign.zip(toy()))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_results_that_are_not_writable(campaign):
    campaign.results.mkdir(mode=0o555)
    with pytest.raises(Mistake, match="toy: .*results/sources: Permission denied"):
        campaign.fetch(campaign.zip(toy()))


@pytest.mark.parametrize("path", ["x" * 300, "shut/toy.zip"], ids=["long", "below a file"])
def test_a_path_that_cannot_be_looked_at_is_a_mistake(campaign, path):
    (campaign.mine / "shut").touch()
    document = campaign.fetch(campaign.candidate(path=campaign.mine / path))
    assert document["outcome"] == "MISTAKE" and "is not there" in document["reason"]


def test_an_address_with_a_name_longer_than_a_file_s_is_looked_for_in_the_folder_all_the_same(campaign):
    candidate = campaign.candidate(url=f"http://127.0.0.1/{'x' * 300}.zip", sha256=hashlib.sha256(toy()).hexdigest())
    (campaign.archives / "renamed.zip").write_bytes(toy())
    assert campaign.fetch(candidate, campaign.archives)["outcome"] == "FETCHED"


def test_what_a_server_says_is_one_line(campaign, monkeypatch):
    def refuse(*_):
        raise download.Unreachable("the server answered 404 \x1b[2J\nno")

    monkeypatch.setattr(download, "download", refuse)
    candidate = campaign.candidate(url="http://127.0.0.1/x.zip", sha256="0" * 64)
    assert campaign.fetch(candidate)["reason"] == r"the server answered 404 \x1b[2J\x0ano"
