"""Digests, and files that are written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from .errors import Mistake

# Of an escaped character beyond 16 bits, or of none.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def sha256_file(path: Path) -> str:
    """SHA-256 of a file's bytes, 64 lower-case hexadecimal digits."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def sha256_document(document: object) -> str:
    """SHA-256 of a document of JSON, whatever the order of its keys."""
    return sha256_text(json.dumps(document, sort_keys=True))


def sha256_files(files: Iterable[tuple[str, Path]]) -> str:
    """One digest for several (name, path): changes when a name or a content changes, not with order or time."""
    lines = sorted(f"{sha256_file(path)}  {name}\n" for name, path in files)
    return sha256_text("".join(lines))


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` under a temporary name, flush it to disk, then rename: readers see all of it or none.

    Raises Mistake where a file is in the place of its folder, and OSError that names `path`, never the temporary file.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise Mistake(f"{path}: cannot be written, as a file is where its folder should be; name another.") from None
    try:
        _write_and_rename(path, data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _write_and_rename(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:64]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), 0o666 & ~_umask())
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically; line ends stay as given."""
    write_atomic(path, text.encode("utf-8", "surrogateescape"))


def write_json(path: Path, document: object) -> None:
    """Write JSON atomically."""
    write_text(path, json_text(document))


def json_text(document: object) -> str:
    """A document as files have it: two spaces an indentation level, readable characters, no NaN."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(path: Path, remedy: str = "delete it and run again") -> dict:
    """Read a JSON object; a file that is absent, cut off or no object is a person's mistake, with its remedy."""
    try:
        document = parse_json(path.read_bytes())
    except OSError as error:
        raise Mistake(f"{path}: {error.strerror}.") from None
    except ValueError as error:
        raise Mistake(f"{path}: not JSON ({error}); {remedy}.") from None
    if not isinstance(document, dict):
        raise Mistake(f"{path}: expected a JSON object, found {type(document).__name__}; {remedy}.")
    return document


def parse_json(data: bytes) -> object:
    """What a JSON text in UTF-8 says. ValueError where it is none, NaN, infinities and halves of surrogate pairs
    included, or is nested too deeply."""
    text = data.decode("utf-8")
    try:
        document = json.loads(text, parse_constant=_finite, parse_float=_finite)
        if _SURROGATE.search(text):
            json.dumps(document, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return document


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:100]} is no number of JSON")
    return value


def workplace(folder: Path) -> Path:
    """An empty folder `.<name>.<process>.part` beside `folder`, with a folder `out` in it for what will replace it.

    A killed process leaves it behind; the next run of the workflow sweeps it away.
    """
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    (part / "out").mkdir(parents=True)
    return part


def utc_now() -> str:
    """This second in UTC, as evidence has it: 2026-09-28T15:05:46Z."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
