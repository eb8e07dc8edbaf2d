"""Candidate files: one that is good names all that is needed; of a bad one a sentence names file, line or key."""

from __future__ import annotations

import atexit
import re
import tempfile
from functools import cache
from pathlib import Path

from archives import HEADER, SOURCE
from fuzz.kit import expect_sentence, folder
from ngcc_campaign.campaign import catalog
from ngcc_campaign.common import yamlfile
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.schemas import _validator
from ngcc_campaign.fetch import download
from ngcc_campaign.fetch.fetch import fetch
from ngcc_campaign.verify import manifest

SEEDS = [
    b"id: mine\nalgorithm: Mine\narchive: {path: tree}\nkat: mine.sha256\ninstances:\n"
    b"  - {name: Mine-512, digest_bits: 512, directory: d, sources: [a.c], include_dirs: [., ../e], defines: [A, B=1],"
    b" cflags: [-fno-lto], libraries: [m], kat_exception: {action: measure, cause: none}}\n",
    b"id: mine\nalgorithm: |\n  Mine\nversion: '1'\narchive:\n  url: https://example.org/a%20b.zip?x\n  sha256: '"
    + b"0" * 64
    + b"'\n  bytes: 10\ninstances: [{name: A, digest_bits: 8, directory: ..}]\n",
    b'id: "mine"\nalgorithm: "\\uD800\\0\\e"\narchive: {path: "tr\\0ee"}\n'
    b"instances: [{name: A, digest_bits: 8, directory: d}]\n",
    b"? [a]\n: &x {a: *x}\n--- !!python/none\n%TAG ! x\n<<: {a: 0x10, b: 0o7, c: .inf, d: 1_0, e: -0.5e+3, f: ~}\n",
]
# Every key of a candidate file; sentences about instances as a whole say that word.
_KEYS = re.compile(rf"\b(instance|{'|'.join(_validator('candidate').schema['properties'])})\b")


@cache
def _place() -> Path:
    """A folder with a submission, in which candidate files are written."""
    place = tempfile.TemporaryDirectory(prefix="ngcc-fuzz-")
    atexit.register(place.cleanup)
    for name, content in {"a.c": SOURCE, "CryptHash_AlgorithmInstance.h": HEADER}.items():
        path = Path(place.name) / "tree" / "d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return Path(place.name)


def target(data: bytes) -> None:
    file = _place() / "mine.yaml"
    file.write_bytes(data)
    try:
        candidate = catalog.load_candidate(file)
    except Mistake as mistake:
        sentence = expect_sentence(mistake)
        assert sentence.startswith(f"{file}: "), sentence
        assert _is_whole_file(sentence, data) or _KEYS.search(sentence.removeprefix(f"{file}: ")), sentence
        return
    assert candidate.id == "mine" and candidate.instances
    assert all(8 <= one.digest_bits <= 65536 and one.digest_bits % 8 == 0 for one in candidate.instances)
    try:
        manifest.expected(candidate.kat, "X")
    except Mistake as mistake:
        expect_sentence(mistake)
    if candidate.archive.url:
        assert "/" not in download.url_name(candidate)
    elif candidate.archive.path.parent == file.parent:
        _fetch(candidate)


def _is_whole_file(sentence: str, data: bytes) -> bool:
    """Whether a sentence is about all of a file, of which no key can be named."""
    if "not YAML" in sentence or "larger than" in sentence:
        return True
    with folder() as place:
        (place / "again.yaml").write_bytes(data)
        document = yamlfile.read(place / "again.yaml")
    return not isinstance(document, dict) or "key" in sentence


def _fetch(candidate: catalog.Candidate) -> None:
    with folder() as place:
        document = fetch(
            candidate, sources=place / "sources" / "mine", archives=None, downloads=place, output=place / "fetch.json",
            made_from={},
        )  # fmt: skip
        assert document["outcome"] == "FETCHED" or expect_sentence(Mistake(document["reason"]))
