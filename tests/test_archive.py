"""Reading ZIPs: readable names, and nothing hostile gets further than a sentence."""

import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archives import Member, make_zip, toy, unicode_path
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch import archive
from ngcc_campaign.fetch.archive import Unsafe, Zip, member_names

UTF8 = 1 << 11


@pytest.fixture
def write(tmp_path):
    """write(content) makes a file of `content` and returns its path."""

    def written(content: bytes):
        path = tmp_path / "toy.zip"
        path.write_bytes(content)
        return path

    return written


def unpack(path, names, folder):
    with Zip(path) as submission:
        submission.unpack(names, folder)


def tree(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Names


@pytest.mark.parametrize(
    "raw, name",
    [
        (b"AXIS/x.c", "AXIS/x.c"),
        ("算法/实现.c".encode(), "算法/实现.c"),
        ("算法/实现.c".encode("gbk"), "算法/实现.c"),
        ("实现（1）.c".encode("gbk"), "实现（1）.c"),
        ("誠\\算法.c".encode("gbk"), "誠\\算法.c"),  # 誠 ends in 5C
        ("Größe/né.c".encode("cp437"), "Größe/né.c"),
        (b"caf\x82.c", "café.c"),
        (b"\xb0\xff.c", "░\xa0.c"),  # no GBK
    ],
    ids=["ASCII", "UTF-8 without flag", "GBK", "GBK brackets", "GBK with 5C", "CP437", "CP437 accent", "CP437 box"],
)
def test_names_without_flag_are_readable(raw, name):
    assert member_names(raw, False, b"") == [name]


def test_name_with_flag_is_utf8():
    assert member_names("é算".encode(), True, unicode_path("é算".encode(), "other")) == ["é算"]


def test_unicode_path_field_wins_if_it_belongs_to_the_name():
    raw = "算法.c".encode("gbk")
    assert member_names(raw, False, b"\x01\x00\x01\x00x" + unicode_path(raw, "算法二.c")) == ["算法二.c", "算法.c"]
    assert member_names(raw, False, unicode_path(raw, "算法二.c", crc=1)) == ["算法.c"]
    assert member_names(raw, False, unicode_path(raw, "")) == ["算法.c"]
    assert member_names(raw, False, b"\x75\x70\xff\xff") == ["算法.c"]


@pytest.mark.parametrize(
    "folder, encoding, flags",
    [
        *((folder, "utf-8", flags) for folder in ("算法", "Größe", "a b+c'$(id)#é😀") for flags in (UTF8, 0)),
        *((folder, "gbk", 0) for folder in ("算法", "誠實")),
        ("Größe", "cp437", 0),
    ],
)
def test_content_comes_out_under_the_readable_name(folder, encoding, flags, write, tmp_path):
    path = write(make_zip([Member(folder.encode(encoding) + b"\\sub\\x.c", b"int x;", flags=flags, mode=0)]))
    name = f"{folder}/sub/x.c"
    unpack(path, [name], tmp_path / "out")
    assert tree(tmp_path / "out") == {name: b"int x;"}


def test_names_lists_files_only_and_find_goes_by_base_name(write):
    members = [Member(b"a/", mode=0o40755), Member(b"b", mode=0o40755), Member(b"c\\"), Member(b"./a//KAT.txt")]
    with Zip(write(make_zip([*members, Member(b"KAT.txt"), Member(b"a/l", b"/etc", mode=0o120777)]))) as submission:
        assert submission.names == ["a/KAT.txt", "KAT.txt", "a/l"]
        assert submission.find("KAT.txt") == ["a/KAT.txt", "KAT.txt"]
        assert submission.find("b") == []


# Reading


def test_unpacked_files_have_plain_modes_and_nothing_else_is_there(write, tmp_path):
    path = write(make_zip([Member(b"a/b/x.c", b"x", mode=0o104777), Member(b"a/y.c", b"y")]))
    mask = os.umask(0o077)
    try:
        unpack(path, ["a/b/x.c"], tmp_path / "out")
    finally:
        os.umask(mask)
    made = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in made}
    assert modes == {"out": 0o755, "a": 0o755, "b": 0o755, "x.c": 0o644}


def test_a_member_is_read_line_by_line_in_place(write):
    text = b"Msg_Len = 0\r\n" + b"Msg = " + b"A" * 3_000_000 + b"\nDst = 00"
    with Zip(write(make_zip([Member(b"KAT.txt", text)]))) as submission, submission.open_member("KAT.txt") as stream:
        assert [len(line) for line in stream] == [13, 3_000_007, 8]


def test_a_member_beyond_the_limit_is_not_opened(write):
    with Zip(write(make_zip([Member(b"KAT.txt", b"12345")]))) as submission:
        with submission.open_member("KAT.txt", limit=5) as stream:
            assert stream.read() == b"12345"
        with pytest.raises(Unsafe, match="has 5 bytes, the bound is 4"):
            submission.open_member("KAT.txt", limit=4)


@pytest.mark.parametrize("method", [0, 8])
@pytest.mark.parametrize(
    "damage",
    [{"crc": 1}, {"size": 3}, {"size": 9}, {"packed": b"\xff\xff\xff"}, {"packed": b""}],
    ids=["CRC", "declared too small", "declared too large", "garbage", "no data"],
)
def test_damaged_content_is_a_mistake(method, damage, write, tmp_path):
    path = write(make_zip([Member(b"x.c", b"int x;", method=method, **damage)]))
    with pytest.raises(Mistake, match=r"toy\.zip: found a ZIP that is cut off or damaged"):
        unpack(path, ["x.c"], tmp_path / "out")


def test_unknown_packing_is_a_mistake(write, tmp_path):
    path = write(make_zip([Member(b"x.c", b"int x;", method=9)]))
    with pytest.raises(Mistake, match=r"'x\.c' is packed by method 9, expected 0 \(stored\) or 8"):
        unpack(path, ["x.c"], tmp_path / "out")


def test_absent_member_is_a_mistake(write, tmp_path):
    with pytest.raises(Mistake, match=r"no member 'y\.c'"):
        unpack(write(toy()), ["y.c"], tmp_path / "out")


def test_absent_file_is_a_mistake(tmp_path):
    with pytest.raises(Mistake, match=r"none\.zip: No such file"):
        Zip(tmp_path / "none.zip")


@pytest.mark.parametrize(
    "content, found",
    [
        (b"", "an empty file"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"7z\xbc\xaf'\x1c", "a 7z archive"),
        (b"<html>404</html>", "no ZIP"),
        (b"PK\x03\x04", "a ZIP that is cut off or damaged"),
    ],
)
def test_what_is_no_zip_is_named(content, found, write):
    with pytest.raises(Mistake, match=f"toy.zip: found {found}.*expected a whole ZIP archive"):
        Zip(write(content))


def test_cut_off_at_every_byte_is_a_mistake(write, tmp_path):
    whole = toy()
    for length in range(len(whole)):
        with pytest.raises(Mistake) as caught:
            unpack(write(whole[:length]), ["Toy/toy-512/CryptHash.c"], tmp_path / "out")
        assert not isinstance(caught.value, Unsafe)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_changed_bytes_end_in_a_sentence(tmp_path_factory, data):
    content = bytearray(toy(Member("算法.c".encode("gbk"), b"x", extra=unicode_path("算法.c".encode("gbk"), "算.c"))))
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), min_size=1, max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    folder = tmp_path_factory.mktemp("changed")
    (folder / "toy.zip").write_bytes(content)
    try:
        with Zip(folder / "toy.zip") as submission:
            submission.unpack(submission.names, folder / "out")
    except Mistake:
        pass
    assert {path.name for path in folder.iterdir()} <= {"toy.zip", "out"}


# Safety


@pytest.mark.parametrize(
    "name",
    [b"/etc/x.c", b"\\x.c", b"//host/x.c", b"\\\\host\\x.c", b"C:/x.c", b"c:x.c", b"./C:\\x.c"]
    + [b"../x.c", b"a/../../x.c", b"a\\..\\x.c", b"a/..", b".."],
)
def test_a_name_that_leads_outside_refuses_the_archive_needed_or_not(name, write):
    with pytest.raises(Unsafe, match="the archive is refused"):
        Zip(write(toy(Member(name, b"x"))))


def test_a_name_that_leads_outside_is_found_in_either_spelling(write):
    for raw, spelled in ((b"x.c", "../x.c"), (b"../x.c", "x.c")):
        with pytest.raises(Unsafe, match="climbs"):
            Zip(write(toy(Member(raw, b"x", extra=unicode_path(raw, spelled)))))


HOSTILE = {
    "link": ([Member(b"x.c", b"/etc/passwd", mode=0o120777)], "is a link"),
    "pipe": ([Member(b"x.c", mode=0o10644)], "device, pipe or socket"),
    "character device": ([Member(b"x.c", mode=0o20644)], "device, pipe or socket"),
    "block device": ([Member(b"x.c", mode=0o60644)], "device, pipe or socket"),
    "encrypted": ([Member(b"x.c", b"0123456789abc", flags=1)], "is encrypted"),
    "strongly encrypted": ([Member(b"x.c", b"0123456789abc", flags=1 << 6)], "is encrypted"),
    "there twice": ([Member(b"x.c", b"1"), Member(b"./x.c", b"2")], "is there twice"),
    "control character": ([Member(b"a\n/x.c", b"1")], r"'a\\x0a/x\.c' has control characters"),
    "NUL": ([Member(b"x.c\0.txt", b"1")], "has control characters"),
    "long name": ([Member(b"a" * 256, b"1")], "has a name of more than"),
    "deep name": ([Member(b"a/" * 600 + b"x.c", b"1")], "has a name of more than"),
    "case": ([Member(b"a/X.c", b"1"), Member(b"A/x.c", b"2")], "differs from 'a/X.c' in case only"),
    "link as folder": (
        [Member(b"src", b"/tmp", mode=0o120777), Member(b"src/a.c", b"1")],
        "'src' is a link or file and",
    ),
    "file as folder": (
        [Member(b"src", b"x"), Member(b"src/a.c", b"1")],
        "'src' is a link or file and a folder at once",
    ),
    "ratio": ([Member(b"x.c", bytes(2 << 20))], "a bomb"),
    "size": ([Member(b"x.c", b"1" * 5001)], "has 5001 bytes, the bound is 5000"),
    "sum": ([Member(b"x.c", b"1" * 5000), Member(b"y.c", b"1" * 5000)], "to 10000 bytes, the bound is 9000"),
    "count": ([Member(b"%d.c" % number) for number in range(21)], "21 files would be unpacked, the bound is 20"),
}


@pytest.mark.parametrize("members, finding", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_member_is_refused_if_needed_and_left_alone_if_not(members, finding, write, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", 3 << 20 if "bomb" in finding else 5000)
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 3 << 20 if "bomb" in finding else 9000)
    monkeypatch.setattr(archive, "MAX_NEEDED", 20)
    path = write(toy(*members))
    with Zip(path) as submission:
        names = submission.names[2:]
    if finding.startswith("'src'"):
        names = names[1:]
    with pytest.raises(Unsafe, match=finding):
        unpack(path, list(dict.fromkeys(names)), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    unpack(path, ["Toy/toy-512/CryptHash.c"], tmp_path / "needed")
    assert len(tree(tmp_path / "needed")) == 1


def test_members_that_share_bytes_refuse_the_archive(write):
    with pytest.raises(Unsafe, match="shares its bytes"):
        Zip(write(make_zip([Member(b"x.c", b"1" * 1000)], listed=[0, 0])))


def test_too_many_members_refuse_the_archive(write, monkeypatch):
    monkeypatch.setattr(archive, "MAX_MEMBERS", 2)
    Zip(write(toy())).__exit__()
    with pytest.raises(Unsafe, match="3 members, the bound is 2"):
        Zip(write(toy(Member(b"x.c"))))


def test_a_list_of_members_beyond_all_bounds_is_not_read(write, monkeypatch):
    monkeypatch.setattr(archive, "MAX_DIRECTORY_BYTES", 100)
    with pytest.raises(Mistake, match="a list of members of .* bytes, the bound is 100"):
        Zip(write(toy()))


PARTS = st.one_of(
    st.sampled_from(
        [b"..", b".", b"", b"/", b"\\", b"C:", b"~", b"\0", b"\xff", b"a" * 300, b"x.c", "誠".encode("gbk")]
    ),
    st.binary(max_size=6),
    st.text(max_size=4).map(lambda text: text.encode("utf-8", "surrogatepass")),
)
NAMES = st.lists(PARTS, min_size=1, max_size=5).flatmap(
    lambda parts: st.sampled_from([b"/", b"\\"]).map(lambda separator: separator.join(parts))
)
MEMBERS = st.builds(
    Member,
    name=NAMES,
    data=st.binary(max_size=8),
    mode=st.sampled_from([0o100644, 0, 0o120777, 0o40755, 0o10644]),
    flags=st.sampled_from([0, 0, UTF8, 1]),
    method=st.sampled_from([0, 8]),
)


@settings(max_examples=500, deadline=None)
@given(st.lists(MEMBERS, min_size=1, max_size=4))
def test_no_member_ever_lands_outside(tmp_path_factory, members):
    base = tmp_path_factory.mktemp("base")
    path, folder = base / "toy.zip", base / "a" / "b" / "out"
    folder.parent.mkdir(parents=True)
    path.write_bytes(make_zip(members))
    try:
        with Zip(path) as submission:
            names = submission.names
    except Mistake:
        return
    for number, chosen in enumerate([names, *([name] for name in names)]):
        target = folder.with_name(f"out{number}")
        try:
            unpack(path, chosen, target)
        except Mistake:
            continue
        assert sorted(tree(target)) == sorted(chosen)
    everything = [path, *base.rglob("*")]
    assert not any(found.is_symlink() for found in everything)
    assert {found.name for found in base.iterdir()} == {"toy.zip", "a"}
    assert {found.name for found in (base / "a").iterdir()} == {"b"}
    assert all(found.name.startswith("out") for found in (base / "a" / "b").iterdir())
