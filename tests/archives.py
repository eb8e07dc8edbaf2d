"""Good and hostile ZIPs, byte by byte, and a web server on this machine that behaves well or badly."""

from __future__ import annotations

import contextlib
import http.server
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

HEADER = b'#define ALGORITHM_INSTANCE "toy-512"\n#define DIGEST_BIT_LENGTH 512\n'
SOURCE = b'#include "CryptHash_AlgorithmInstance.h"\nint toy;\n'


@dataclass(frozen=True)
class Member:
    """One member as it stands in the ZIP; what is None is right for `data`."""

    name: bytes
    data: bytes = b""
    mode: int = 0o100644  # Unix type and permissions; 0 as Windows tools write
    flags: int = 0
    method: int = 8
    extra: bytes = b""
    crc: int | None = None
    size: int | None = None
    packed: bytes | None = None

    @property
    def content(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method != 8:
            return self.data
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(self.data) + packer.flush()

    def fields(self) -> bytes:
        """From version needed to the length of the extra field, as both headers have them."""
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        size = len(self.data) if self.size is None else self.size
        lengths = (len(self.content), size, len(self.name), len(self.extra))
        return struct.pack("<5H3I2H", 20, self.flags, self.method, 0, 0x21, crc, *lengths)


def make_zip(members: Sequence[Member], listed: Sequence[int] | None = None) -> bytes:
    """A ZIP of `members`; `listed` are the members that its list names, by number, all if None."""
    body, offsets = b"", []
    for member in members:
        offsets.append(len(body))
        body += b"PK\x03\x04" + member.fields() + member.name + member.extra + member.content
    directory = b""
    for number in range(len(members)) if listed is None else listed:
        member = members[number]
        directory += b"PK\x01\x02" + struct.pack("<H", 20 | 3 << 8) + member.fields()
        directory += struct.pack("<3H2I", 0, 0, 0, member.mode << 16, offsets[number]) + member.name + member.extra
    count = len(members) if listed is None else len(listed)
    return body + directory + b"PK\x05\x06" + struct.pack("<4H2IH", 0, 0, count, count, len(directory), len(body), 0)


def toy(*more: Member, folder: str = "Toy/toy-512") -> bytes:
    """A small submission with one instance, and `more` members after it."""
    return make_zip(
        [
            Member(f"{folder}/CryptHash_AlgorithmInstance.h".encode(), HEADER),
            Member(f"{folder}/CryptHash.c".encode(), SOURCE),
            *more,
        ]
    )


def unicode_path(raw: bytes, name: str, crc: int | None = None) -> bytes:
    """Info-ZIP's extra field that gives the name `raw` in UTF-8."""
    data = b"\x01" + struct.pack("<I", zlib.crc32(raw) if crc is None else crc) + name.encode()
    return struct.pack("<HH", 0x7075, len(data)) + data


@dataclass
class Server:
    """A running server: its address, and the paths that were asked for."""

    address: str
    asked: list[str]
    failures: int = 2  # of /flaky


@contextlib.contextmanager
def serve(content: bytes) -> Iterator[Server]:
    """Serve `content` on 127.0.0.1, each path in its own manner:

    /good/<any> · /slow: in pieces, with pauses · /nolength · /short: says more than it sends · /long: sends more than
    it says · /silent: headers, then nothing · /cut: no length, half the content · /flaky: 503 `failures` times, then
    good · /404 · /503 · /redirect/<n>: n times, then good · /circle · /to-file · /to-ftp
    """
    released = threading.Event()
    server = Server("", [])

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append(self.path)
            getattr(self, "_" + self.path.split("/")[1].replace("-", "_"))()

        def log_message(self, *_: object) -> None:
            pass

        def _send(self, body: bytes, length: int | None, status: int = 200, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def _good(self) -> None:
            self._send(content, len(content))

        def _slow(self) -> None:
            self._send(b"", len(content))
            piece = len(content) // 10 + 1
            for start in range(0, len(content), piece):
                self.wfile.write(content[start : start + piece])
                released.wait(0.02)

        def _nolength(self) -> None:
            self._send(content, None)

        def _short(self) -> None:
            self._send(content[: len(content) // 2], len(content))

        def _long(self) -> None:
            self._send(content + b"more", len(content))

        def _silent(self) -> None:
            self._send(b"", len(content))
            released.wait(30)

        def _cut(self) -> None:
            self._send(content[: len(content) // 2], None)

        def _flaky(self) -> None:
            server.failures -= 1
            self._503() if server.failures >= 0 else self._good()

        def _404(self) -> None:
            self._send(b"", 0, 404)

        def _503(self) -> None:
            self._send(b"", 0, 503)

        def _redirect(self) -> None:
            left = int(self.path.split("/")[2])
            self._send(b"", 0, 302, Location=f"/redirect/{left - 1}" if left > 1 else "/good/toy.zip")

        def _circle(self) -> None:
            self._send(b"", 0, 302, Location="/circle")

        def _to_file(self) -> None:
            self._send(b"", 0, 302, Location="file:///etc/hostname")

        def _to_ftp(self) -> None:
            self._send(b"", 0, 302, Location="ftp://127.0.0.1/toy.zip")

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        server.address = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            released.set()
            running.shutdown()
            thread.join()
