"""ZIPs as submissions: readable or refused in one sentence; nothing outside their folder, nothing beyond the bounds."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from unittest.mock import patch

from archives import HEADER, SOURCE, Member, make_zip, toy, unicode_path
from fuzz.kit import Choices, expect_sentence, folder
from ngcc_campaign.campaign import catalog
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch import archive, fetch

# Bounds that a few kilobytes reach.
BOUNDS = {
    "MAX_MEMBERS": 20, "MAX_NEEDED": 10, "MAX_FILE_BYTES": 2000, "MAX_TOTAL_BYTES": 5000, "MAX_RATIO": 4,
    "MIN_RATIO_BYTES": 100, "MAX_NAME_BYTES": 60, "MAX_PART_BYTES": 30,
}  # fmt: skip
_NAMES = (
    b"Toy/toy-512/CryptHash.c", b"Toy/toy-512/CryptHash_AlgorithmInstance.h", b"toy/TOY-512/crypthash.C", b"Toy",
    b"Toy/toy-512/", b"Toy\\toy-512\\x.h", b"../x.c", b"/x.c", b"C:x.c", b"\xcb\xe3\xb7\xa8/\xca\xb5\xcf\xd6.c",
    "Größe.c".encode("cp437"), "é.c".encode(), "e\u0301.c".encode(), b"a\0.c", b"a\x1b[2J\n.h", b"x" * 40, b"./", b"",
)  # fmt: skip
_MODES = (0o100644, 0, 0o120777, 0o40755, 0o20644, 0o10644, 0o104755)
RAW, MADE = b"\0", b"\1"
SEEDS = [
    RAW + toy(), RAW + toy(Member(b"inner.zip", toy())), RAW + toy(Member(b"bomb.h", bytes(9000))),
    RAW + make_zip([Member(b"Toy/toy-512/a.c", b"int a;", extra=unicode_path(b"Toy/toy-512/a.c", "Toy/b.c"))]),
    MADE + bytes(range(40)), MADE + bytes(range(200, 100, -1)),
]  # fmt: skip
_TOY = catalog.Instance("toy", "toy-512", 512, "Toy/toy-512")


def target(data: bytes) -> None:
    content = data[1:] if data[:1] == RAW else made(Choices(data[1:]))
    with folder() as place, patch.multiple(archive, **BOUNDS):
        (place / "toy.zip").write_bytes(content)
        _unpack(place)
        (place / "results").mkdir()
        _fetch(place / "results", place / "toy.zip")


def made(choices: Choices) -> bytes:
    """A ZIP of members that are right, odd or hostile."""
    members = [Member(_NAMES[0], SOURCE), Member(_NAMES[1], HEADER)]
    while choices.left and len(members) < 30:
        name = choices.of([*_NAMES, choices.piece(20), choices.of(_NAMES) + choices.of(_NAMES)])
        content = choices.of([b"", choices.piece(60), toy(), bytes(choices.number(4000))])
        odd = choices.number(15)
        members.append(Member(
            name, content, choices.of(_MODES),
            flags=choices.of([0, 1, 8, 1 << 6, 1 << 11, 1 << 13]) if odd & 1 else 0,
            method=choices.of([0, 8, 9, 12, 93]) if odd & 2 else 8 * choices.number(1),
            extra=choices.of([unicode_path(name, "x/y.c"), choices.piece(12)]) if odd & 4 else b"",
            size=choices.number(70000) if odd & 8 and choices.number(1) else None,
            crc=choices.number(1) if odd & 8 and choices.number(1) else None,
        ))  # fmt: skip
    return make_zip(members)


def _unpack(place: Path) -> None:
    out = place / "out"
    try:
        with archive.Zip(place / "toy.zip") as opened:
            names = opened.names
            opened.unpack(names, out)
    except Mistake as mistake:
        assert expect_sentence(mistake).startswith("toy.zip: ")
        names = None
    assert set(os.listdir(place)) <= {"toy.zip", "out"}
    sizes = _sizes(out)
    assert sum(sizes.values()) <= BOUNDS["MAX_TOTAL_BYTES"] and len(sizes) <= BOUNDS["MAX_NEEDED"]
    assert all(size <= BOUNDS["MAX_FILE_BYTES"] for size in sizes.values())
    assert names is None or set(names) == sizes.keys()


def _sizes(root: Path) -> dict[str, int]:
    """Sizes of the files below `root`; all there is are folders and files of the right modes."""
    found = {}
    for path in root.rglob("*"):
        mode = path.lstat().st_mode
        assert stat.S_ISDIR(mode) or mode == stat.S_IFREG | 0o644, f"{path}: {mode:o}"
        if not stat.S_ISDIR(mode):
            found[path.relative_to(root).as_posix()] = path.stat().st_size
    return found


def _fetch(results: Path, file: Path) -> None:
    document = fetch.fetch(
        candidate(file), sources=results / "sources" / "toy", archives=None, downloads=results / "archives",
        output=results / "fetch.json", made_from={},
    )  # fmt: skip
    fetched = document["outcome"] == "FETCHED"
    assert fetched or expect_sentence(Mistake(document["reason"])) and document["outcome"] in ("MISTAKE", "REFUSED")
    found = _sizes(results / "sources")
    told = {f"toy/{entry['file']}": entry["bytes"] for entry in document["files"]}
    assert found.keys() - {".toy.lock", "toy.sha256"} == told.keys() and found.items() >= told.items()
    assert ("toy.sha256" in found) == fetched and set(os.listdir(results)) == {"sources", "fetch.json"}


def candidate(file: Path) -> catalog.Candidate:
    """The candidate toy, whose archive is `file`."""
    texts = dict.fromkeys(("category", "function", "algorithm", "version"), "x")
    pages = {"submission_page": None, "security_evaluation": None, "kat": None}
    return catalog.Candidate(
        id="toy", archive=catalog.Archive(path=file), instances=(_TOY,), file=file.with_name("x.yaml"), **texts, **pages
    )
