"""KAT texts in place: their canonical digests, as streams, whatever their size."""

from __future__ import annotations

import hashlib
import posixpath
from dataclasses import dataclass
from typing import BinaryIO

from ..common.errors import Mistake
from ..verify.manifest import KAT_FILES
from .submission import Submission, listed, shared_parts

MAX_LINE_BYTES = 16 << 20  # a message of 2^23 bits has 2 MiB in hexadecimal
_CHUNK_BYTES = 1 << 20
RECORDS = {"KAT_2_12": 4097, "KAT_2_23": 3, "KAT_2_33": 3, "KAT_Loop": 1}


@dataclass(frozen=True)
class Text:
    """A KAT text: SHA-256 of its canonical form, the number of its records, and its digests' width in bits."""

    sha256: str
    records: int
    digest_bits: int | None


def read_text(stream: BinaryIO) -> Text:
    """Read a KAT text once. Raises Mistake for a line of more than MAX_LINE_BYTES bytes."""
    digest = hashlib.sha256()
    records, digest_bits, rest = 0, None, b""
    while True:
        chunk = stream.read(_CHUNK_BYTES)
        *lines, rest = (rest + chunk).split(b"\n") if chunk else (rest, b"")
        for line in lines:
            line = line.rstrip(b"\r \t")
            if line:
                digest.update(line + b"\n")
            records += line.startswith(b"Msg_Len")
            if digest_bits is None and line.startswith(b"Dst_Len"):
                digest_bits = _number(line)
        if not chunk:
            return Text(digest.hexdigest(), records, digest_bits)
        if len(rest) > MAX_LINE_BYTES:
            raise Mistake(f"a line of more than {MAX_LINE_BYTES} bytes is in no KAT text")


@dataclass
class Texts:
    """The KAT texts of one instance: by the prefixes of KAT_FILES, with the file of each."""

    found: dict[str, tuple[str, Text]]
    decisions: list[str]

    @property
    def digest_bits(self) -> int | None:
        return next((text.digest_bits for _, text in self.found.values()), None)


def find_texts(submission: Submission, instance: str, directory: str) -> Texts:
    """KAT_2_12_<instance>.txt and so on, anywhere; of several the nearest to the instance's `directory`."""
    texts = Texts({}, [])
    for prefix in KAT_FILES:
        wanted = f"{prefix}_{instance}.txt".lower()
        files = [name for name in submission.names if posixpath.basename(name).lower() == wanted]
        files.sort(key=lambda name: -shared_parts(name, f"{directory}/x"))
        read = {}
        for file in files:
            try:
                with submission.open(file) as stream:
                    read[file] = read_text(stream)
            except Mistake as mistake:
                texts.decisions.append(f"{file} can't be read: {mistake}")
        if read:
            file, text = next(iter(read.items()))
            texts.found[prefix] = (file, text)
            if len({one.sha256 for one in read.values()}) > 1:
                texts.decisions.append(f"{prefix}: texts that differ: {listed(list(read))}; the draft takes the first")
            if text.records != RECORDS[prefix]:
                texts.decisions.append(f"{file} has {text.records} records, expected {RECORDS[prefix]}")
    missing = [prefix for prefix in KAT_FILES[:2] if prefix not in texts.found]
    if missing:
        texts.decisions.append(f"no {' nor '.join(missing)} text; without digests nothing is timed")
    return texts


def _number(line: bytes) -> int | None:
    value = line.partition(b"=")[2].strip()
    return int(value) if value.isdigit() and len(value) < 10 else None
