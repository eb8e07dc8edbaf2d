"""Safe reading of a submission's ZIP: readable names, bounded content, nothing written outside its folder."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import posixpath
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ..common.errors import Mistake
from ..common.printable import escaped

# Bounds, all in one place. The largest archive of the programme's hashes has 216 MB; sources are text of a few MB.
MAX_DIRECTORY_BYTES = 32 << 20  # the ZIP's own list of members
MAX_MEMBERS = 100_000
MAX_NEEDED = 10_000  # files unpacked
MAX_FILE_BYTES = 64 << 20  # one unpacked file
MAX_TOTAL_BYTES = 512 << 20  # all unpacked files
MAX_RATIO = 200  # unpacked over packed size; text and tables stay below 50
MIN_RATIO_BYTES = 1 << 20  # smaller files may have any ratio
MAX_NAME_BYTES = 1024
MAX_PART_BYTES = 255  # of a name, between slashes
MAX_STREAM_BYTES = 16 << 30  # a member read in place

_QUOTED = 200  # characters of a name in a sentence
_UTF8 = 1 << 11  # general purpose flag: the name is UTF-8
_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
_UNICODE_PATH = 0x7075  # Info-ZIP's extra field
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, ValueError, RuntimeError, OverflowError)
_KINDS = {b"Rar!": "a RAR archive", b"7z\xbc\xaf": "a 7z archive", b"\x1f\x8b": "a gzip file", b"%PDF": "a PDF file"}


class Unsafe(Mistake):
    """An archive not to be unpacked; the sentence names the member and the rule that it breaks."""


class Zip:
    """A submission's ZIP, open for reading; a context manager.

    `label` is what sentences call it. Opening raises Mistake where the file cannot be read, is cut off or no ZIP,
    and Unsafe where the archive as a whole is a danger, needed or not: a name that is absolute, has a drive letter
    or climbs (a submission that tries is not one to measure), members that share bytes, too many members.
    """

    def __init__(self, path: Path, label: str | None = None):
        self.label = label or path.name
        try:
            self._file = _BoundedFile(io.FileIO(path))
        except OSError as error:
            raise Mistake(f"{self.label}: {error.strerror}.") from None
        try:
            with self._damage_is_a_mistake():
                self._zip = zipfile.ZipFile(self._file)
            self._members = self._index()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Zip:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()
        self._file.close()

    @property
    def names(self) -> list[str]:
        """Readable POSIX names of all members that are no folders, links among them, in the archive's order."""
        return list(self._members)

    def find(self, base: str) -> list[str]:
        """Names of the members whose last part is `base`."""
        return [name for name in self._members if posixpath.basename(name) == base]

    def open_member(self, name: str, limit: int = MAX_STREAM_BYTES) -> BinaryIO:
        """Stream of a member's content, never more than `limit` bytes; memory use does not depend on its size.

        Raises Unsafe for a link, a device, an encrypted member, two of one name, or more than `limit` bytes; Mistake
        where there is no such member, its packing is unknown, or, while it is read, its data are damaged.
        """
        info = self._regular(name, limit)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Mistake(
                f"{self.label}: member '{name}' is packed by method {info.compress_type}, expected 0 (stored) or "
                "8 (deflate); pack the archive again."
            )
        with self._damage_is_a_mistake():
            stream = self._zip.open(info)
        return io.BufferedReader(_Member(self, stream, info.file_size), 1 << 16)

    def unpack(self, names: Sequence[str], folder: Path) -> None:
        """Write the members `names` below `folder`, which must not exist yet: files 0644, folders 0755.

        Raises as open_member does, and Unsafe, before anything is written, where names or sizes break a rule. What a
        damaged member leaves behind is the caller's to remove.
        """
        self._check(names)
        folder.mkdir(mode=0o755)
        for name in names:
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with self.open_member(name, MAX_FILE_BYTES) as source, open(target, "xb") as sink:
                while chunk := source.read(1 << 16):
                    sink.write(chunk)
                os.fchmod(sink.fileno(), 0o644)
        for path, _, _ in os.walk(folder):
            os.chmod(path, 0o755)

    def _index(self) -> dict[str, list[zipfile.ZipInfo]]:
        """Members by readable name; folders and members without a name are left out."""
        infos = self._zip.infolist()
        if len(infos) > MAX_MEMBERS:
            raise Unsafe(f"{self.label}: {len(infos)} members, the bound is {MAX_MEMBERS}; not unpacked.")
        members: dict[str, list[zipfile.ZipInfo]] = {}
        for info in infos:
            spellings = member_names(_raw_name(info), bool(info.flag_bits & _UTF8), info.extra)
            normal = [self._normal(spelling) for spelling in spellings]
            if normal[0] and not _is_folder(info, spellings[0]):
                members.setdefault(normal[0], []).append(info)
        self._refuse_overlaps(infos)
        return members

    def _normal(self, name: str) -> str:
        """`name` with slashes between its parts, without empty ones; Unsafe where it could lead outside."""
        parts = name.replace("\\", "/").split("/")
        normal = "/".join(part for part in parts if part not in ("", "."))
        if parts[0] == "" and len(parts) > 1:
            self._refuse(name, "has an absolute name")
        if re.match(r"[A-Za-z]:", normal):
            self._refuse(name, "has a name with a drive letter")
        if ".." in parts:
            self._refuse(name, "has a name that climbs ('..')")
        return normal

    def _refuse_overlaps(self, infos: Iterable[zipfile.ZipInfo]) -> None:
        """Members that share packed bytes make a bomb: kilobytes that hold petabytes."""
        end = 0
        for info in sorted(infos, key=lambda info: info.header_offset):
            if info.header_offset < end:
                self._refuse(info.filename, "shares its bytes with another member")
            end = info.header_offset + 30 + len(_raw_name(info)) + info.compress_size

    def _regular(self, name: str, limit: int) -> zipfile.ZipInfo:
        """The one member of this name, a file that anybody may read, of at most `limit` bytes."""
        if name not in self._members:
            raise Mistake(f"{self.label}: no member '{name}'.")
        info, *others = self._members[name]
        kind = stat.S_IFMT(info.external_attr >> 16)
        if others:
            self._refuse(name, "is there twice")
        if kind not in (0, stat.S_IFREG):
            self._refuse(name, "is a link, not a file" if kind == stat.S_IFLNK else "is a device, pipe or socket")
        if info.flag_bits & _ENCRYPTED:
            self._refuse(name, "is encrypted")
        if info.file_size > limit:
            self._refuse(name, f"has {info.file_size} bytes, the bound is {limit}")
        return info

    def _check(self, names: Sequence[str]) -> None:
        """All rules that hold between and for files to be unpacked, as the archive's list of members has them."""
        if len(names) > MAX_NEEDED:
            raise Unsafe(f"{self.label}: {len(names)} files would be unpacked, the bound is {MAX_NEEDED}.")
        total = 0
        folded: dict[str, str] = {}
        for name in names:
            info = self._regular(name, MAX_FILE_BYTES)
            self._check_name(name)
            twin = folded.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
            if twin != name:
                self._refuse(name, f"differs from '{escaped(twin, _QUOTED)}' in case only")
            if info.file_size > max(MIN_RATIO_BYTES, MAX_RATIO * info.compress_size):
                self._refuse(name, f"has {info.file_size} bytes packed into {info.compress_size}, a bomb")
            total += info.file_size
            if total > MAX_TOTAL_BYTES:
                self._refuse(name, f"brings the unpacked files to {total} bytes, the bound is {MAX_TOTAL_BYTES}")

    def _check_name(self, name: str) -> None:
        parts = name.split("/")
        if _CONTROL.search(name):
            self._refuse(name, "has control characters in its name")
        if len(name.encode()) > MAX_NAME_BYTES or any(len(part.encode()) > MAX_PART_BYTES for part in parts):
            self._refuse(name, f"has a name of more than {MAX_NAME_BYTES} bytes ({MAX_PART_BYTES} between slashes)")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder in self._members:
                self._refuse(folder, "is a link or file and a folder at once")

    def _refuse(self, name: str, finding: str) -> None:
        raise Unsafe(f"{self.label}: member '{escaped(name, _QUOTED)}' {finding}; the archive is refused.")

    @contextlib.contextmanager
    def _damage_is_a_mistake(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as error:
            self._damaged(error)
        except OSError as error:
            if error.errno != errno.EINVAL:  # an offset before the file's beginning
                raise
            self._damaged(error)

    def _damaged(self, error: Exception) -> None:
        self._file.seek(0)
        head = self._file.read(4)
        what = next((kind for magic, kind in _KINDS.items() if head.startswith(magic)), None)
        if not head:
            what = "an empty file"
        elif head.startswith(b"PK"):
            what = f"a ZIP that is cut off or damaged ({' '.join(str(error).split())})"
        raise Mistake(
            f"{self.label}: found {what or 'no ZIP'}, expected a whole ZIP archive; get the file again."
        ) from None


class _BoundedFile(io.BufferedReader):
    """zipfile reads the list of members in one piece, of whatever size the archive says."""

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size > MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile(f"a list of members of {size} bytes, the bound is {MAX_DIRECTORY_BYTES}")
        return super().read(size)


class _Member(io.RawIOBase):
    """A member's content; what zipfile calls damage in its many ways is a Mistake, and so is a missing byte."""

    def __init__(self, owner: Zip, stream: BinaryIO, size: int):
        self._owner, self._stream, self._left = owner, stream, size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        with self._owner._damage_is_a_mistake():
            data = self._stream.read(len(buffer))
            if not data and self._left:
                raise EOFError(f"a member ends {self._left} bytes early")
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def member_names(raw: bytes, utf8: bool, extra: bytes) -> list[str]:
    """What a member is called, most trustworthy first: by the Unicode path field if that is valid, by the name itself.

    `raw` are the name's bytes, `utf8` flag bit 11, `extra` the extra fields. Separators stay as they are.
    """
    header = raw.decode("utf-8") if utf8 else _guess(raw)
    unicode_path = None if utf8 else _unicode_path(raw, extra)
    return [unicode_path, header] if unicode_path else [header]


def _is_folder(info: zipfile.ZipInfo, name: str) -> bool:
    """By its name, or by the attributes of Unix or DOS."""
    return name.endswith(("/", "\\")) or stat.S_ISDIR(info.external_attr >> 16) or bool(info.external_attr & 0x10)


def _raw_name(info: zipfile.ZipInfo) -> bytes:
    """The name's bytes in the archive: zipfile decoded them by flag bit 11, and CP437 knows all 256 bytes."""
    return info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437")


def _guess(raw: bytes) -> str:
    """UTF-8 if valid; else GBK, unless each character beyond ASCII would be a letter in CP437 (as in Größe).

    The first byte of a common Chinese character, B0 to D7, draws a box in CP437. Its second byte may be 5C, so
    separators are looked for in the decoded name only.
    """
    with contextlib.suppress(UnicodeDecodeError):
        return raw.decode("utf-8")
    western = raw.decode("cp437")
    if all(character.isascii() or character.isalpha() for character in western):
        return western
    with contextlib.suppress(UnicodeDecodeError):
        return raw.decode("gbk")
    return western


def _unicode_path(raw: bytes, extra: bytes) -> str | None:
    """The name in Info-ZIP's Unicode path field, if that field belongs to the name `raw`."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        data, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind == _UNICODE_PATH and data[:5] == b"\x01" + struct.pack("<I", zlib.crc32(raw)):
            with contextlib.suppress(UnicodeDecodeError):
                return data[5:].decode("utf-8")
    return None
