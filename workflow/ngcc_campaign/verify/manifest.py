"""KAT manifests: the digests that a candidate's known-answer tests must have."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from ..common.errors import Mistake

# File name prefixes in the order of the guide; `quick` runs the first two.
KAT_FILES = ("KAT_2_12", "KAT_2_23", "KAT_2_33", "KAT_Loop")
LEVELS = {"quick": KAT_FILES[:2], "full": KAT_FILES}

_LINE = re.compile(r"(?P<digest>[0-9A-Fa-f]{64})[ \t]+(?:strict[ \t]+)?\*?(?P<path>\S.*)")


@cache
def read_manifest(file: Path) -> dict[str, str]:
    """Canonical digests (64 lower-case hexadecimal digits) by the KAT file's base name.

    Lines are `<sha256> strict <path>`; any kind of line end, a byte order mark, empty lines, upper case and the binary
    mark `*` of sha256sum do no harm. Raises Mistake that names the line and quotes what is odd.
    """
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise Mistake(f"{file}: {error.strerror}; `kat` names the manifest.") from None
    except UnicodeDecodeError as error:
        raise Mistake(f"{file}: byte {error.object[error.start]:#04x} at {error.start} is not UTF-8.") from None
    digests: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.rstrip()
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise Mistake(f"{file}: line {number}: {line[:100]!r}; expected '<sha256> strict <path>'.")
        name = re.split(r"[/\\]", match["path"])[-1]
        digest = match["digest"].lower()
        if digests.setdefault(name, digest) != digest:
            raise Mistake(f"{file}: line {number}: a second digest for {name}.")
    return digests


def expected(file: Path | None, instance: str) -> dict[str, str | None]:
    """Digest by KAT file name for each of the four files of an instance; None where none is supplied."""
    digests = read_manifest(file) if file is not None else {}
    names = (f"{prefix}_{instance}.txt" for prefix in KAT_FILES)
    return {name: digests.get(name) for name in names}
