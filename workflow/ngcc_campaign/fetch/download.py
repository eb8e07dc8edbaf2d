"""A candidate's archive: where it lies on this machine already, and how it comes from the network."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import itertools
import os
import posixpath
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from ..campaign import catalog
from ..common.errors import Mistake
from ..common.files import sha256_file

TRIES = 3
PAUSE_SECONDS = 2.0  # after the first try, doubled after each further one
TIMEOUT_SECONDS = 30.0  # without a byte
MAX_REDIRECTS = 5
MAX_BYTES = 1 << 30  # of an archive whose size the candidate file does not give
CHUNK_BYTES = 1 << 16


class Unreachable(Exception):
    """The network, or a server, did not hand over the archive; one sentence."""


class _Interrupted(Exception):
    """A try that failed in a way that another one may not."""


def url_name(candidate: catalog.Candidate) -> str:
    """The archive's file name: the last part of its URL, percent-decoded; '<id>.zip' where there is none."""
    path = ""
    with contextlib.suppress(ValueError):  # an address that is none is a Mistake once it is asked for
        path = unquote(urlsplit(candidate.archive.url).path)
    return posixpath.basename(path) or f"{candidate.id}.zip"


def download_path(candidate: catalog.Candidate, downloads: Path) -> Path:
    """Where a candidate's downloaded archive is kept: named by the candidate, as two URLs may end in one name."""
    return downloads / f"{candidate.id}.zip"


def locate(candidate: catalog.Candidate, archives: Path | None, downloads: Path) -> tuple[Path, str] | None:
    """A candidate's ZIP on this machine, and its SHA-256; None where it has to be downloaded.

    That is archive.path; or, for archive.url, in the folder `archives` the file of the URL's name, else one of any
    name that has the expected digest; else the file downloaded before. Raises Mistake where archive.path is absent,
    the folder `archives` is, or a file of the right name has a digest that is not the expected one.
    """
    spec = candidate.archive
    if spec.path is not None:
        shown = os.path.relpath(spec.path, candidate.file.parent)
        if not os.path.isfile(spec.path):
            raise Mistake(
                f"archive.path '{shown}' is not there; expected a ZIP or a directory, relative to "
                f"{candidate.file.name}; put it there or correct the path."
            )
        return spec.path, _checked(spec.path, candidate, f"archive.path '{shown}'")
    if archives is not None and (found := _in_folder(candidate, archives)):
        return found
    kept = download_path(candidate, downloads)
    if kept.is_file() and (digest := sha256_file(kept)) == spec.sha256:
        return kept, digest
    return None


def download(candidate: catalog.Candidate, downloads: Path) -> tuple[Path, str]:
    """Download archive.url into `downloads`; the file, and its SHA-256.

    Tells on stderr how far it is. Tries again after lost connections, cut-offs, time-outs and answers 5xx. Raises
    Unreachable; Mistake where the digest is not the expected one, the file is too large or the URL none. The file
    appears whole or not at all.
    """
    for attempt in itertools.count(1):
        try:
            return _download_once(candidate, downloads)
        except _Interrupted as error:
            if attempt == TRIES:
                raise Unreachable(
                    f"{candidate.archive.url}: {error}, at the last of {TRIES} tries; check the network, or put the "
                    "file into the folder that archives= names."
                ) from None
            pause = PAUSE_SECONDS * 2 ** (attempt - 1)
            say(f"{candidate.id}: {error}; trying again in {pause:g} s")
            time.sleep(pause)


def say(line: str) -> None:
    """One line for the person who waits."""
    print(line, file=sys.stderr, flush=True)


class Progress:
    """How far a download is, on stderr: one live line on a terminal, else a line each ten seconds or ten per cent."""

    def __init__(self, name: str, total: int | None):
        self.name, self.total = name, total
        self.live = sys.stderr.isatty()
        self.began = self.shown_at = time.monotonic()
        self.shown_tenth = 0

    def update(self, done: int) -> None:
        """Tell that `done` bytes are there, if it is time to."""
        now = time.monotonic()
        tenth = done * 10 // self.total if self.total else 0
        due = now - self.shown_at >= (0.2 if self.live else 10)
        if due or done == self.total or (tenth > self.shown_tenth and not self.live):
            self.shown_at, self.shown_tenth = now, tenth
            self._show(self.line(done, now - self.began))

    def line(self, done: int, seconds: float) -> str:
        """The state after `seconds`: bytes, per cent, time left."""
        if not self.total:
            return f"{self.name}: {done / 1e6:.1f} MB"
        left = f", {seconds * (self.total - done) / done:.0f} s left" if 0 < done < self.total else ""
        return f"{self.name}: {done / 1e6:.1f} of {self.total / 1e6:.1f} MB, {done * 100 // self.total} %{left}"

    def close(self) -> None:
        """Leave the terminal's live line."""
        if self.live:
            print(file=sys.stderr, flush=True)

    def _show(self, line: str) -> None:
        if self.live:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        else:
            say(line)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """At most MAX_REDIRECTS, and to http or https only."""

    max_redirections = MAX_REDIRECTS

    def redirect_request(self, request, stream, code, message, headers, address):
        if urlsplit(address).scheme not in ("http", "https"):
            return None
        return super().redirect_request(request, stream, code, message, headers, address)


def _in_folder(candidate: catalog.Candidate, archives: Path) -> tuple[Path, str] | None:
    if not os.path.isdir(archives):
        raise Mistake("the folder that archives= names is not there; expected one that holds archives as downloaded.")
    spec = candidate.archive
    named = archives / url_name(candidate)
    for file in [named, *sorted(archives.iterdir())]:
        # The size, where known, spares reading what cannot be the archive.
        if os.path.isfile(file) and spec.bytes in (None, file.stat().st_size) and sha256_file(file) == spec.sha256:
            say(f"{candidate.id}: using {file.name} from the folder {archives}")
            return file, spec.sha256
    if os.path.isfile(named):
        return named, _checked(named, candidate, f"{named.name} in the folder archives")
    return None


def _checked(file: Path, candidate: catalog.Candidate, shown: str) -> str:
    """SHA-256 of `file`; Mistake where the candidate file expects another digest or size."""
    spec, size = candidate.archive, file.stat().st_size
    digest = sha256_file(file)
    _check_digest(digest, candidate, f"{shown} ({size} bytes)")
    if spec.sha256 is None and spec.bytes not in (None, size):
        raise Mistake(
            f"{shown}: found {size} bytes, expected {spec.bytes} (archive.bytes in {candidate.file.name}); "
            "get the file again or correct the size."
        )
    return digest


def _check_digest(digest: str, candidate: catalog.Candidate, shown: str) -> None:
    expected = candidate.archive.sha256
    if expected is not None and digest != expected:
        raise Mistake(
            f"{shown}: found SHA-256 {digest}, expected {expected} (archive.sha256 in {candidate.file.name}); "
            "get the file again or correct the digest."
        )


def _download_once(candidate: catalog.Candidate, downloads: Path) -> tuple[Path, str]:
    target = download_path(candidate, downloads)
    downloads.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    digest = hashlib.sha256()
    try:
        with open(part, "wb") as sink:
            for chunk in _stream(candidate):
                sink.write(chunk)
                digest.update(chunk)
            sink.flush()
            os.fsync(sink.fileno())
            size = sink.tell()
        _check_digest(digest.hexdigest(), candidate, f"{candidate.archive.url} ({size} bytes)")
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return target, digest.hexdigest()


def _stream(candidate: catalog.Candidate) -> Iterator[bytes]:
    """The bytes behind archive.url, all of them or an exception."""
    spec = candidate.archive
    opener = urllib.request.build_opener(_Redirects())
    try:
        address = quote(spec.url, safe="%/:=&?~#+!$,;'@()*[]")
        request = urllib.request.Request(address, headers={"User-Agent": "ngcc-perf"})
        with opener.open(request, timeout=TIMEOUT_SECONDS) as response:
            yield from _body(response, candidate)
    except urllib.error.HTTPError as error:
        error.close()
        _answered(error, spec.url)
    except urllib.error.URLError as error:
        raise _Interrupted(f"no connection ({error.reason})") from None
    except (ValueError, http.client.InvalidURL) as error:
        raise Mistake(
            f"archive.url '{spec.url}' is no web address ({error}); correct it in {candidate.file.name}."
        ) from None
    except TimeoutError:
        raise _Interrupted(f"no byte in {TIMEOUT_SECONDS:g} s") from None
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"the connection broke ({type(error).__name__}: {error})") from None


def _answered(error: urllib.error.HTTPError, url: str) -> None:
    """Turn a status that is no success into what it means."""
    if error.code >= 500:
        raise _Interrupted(f"the server answered {error.code} {error.reason}")
    if 300 <= error.code < 400:
        raise Unreachable(
            f"{url}: redirected more than {MAX_REDIRECTS} times, in a circle, or to an address that is not http or "
            "https; correct archive.url."
        )
    raise Unreachable(
        f"{url}: the server answered {error.code} {error.reason}, expected the archive; correct archive.url, or put "
        "the file into the folder that archives= names."
    )


def _body(response: http.client.HTTPResponse, candidate: catalog.Candidate) -> Iterator[bytes]:
    """The answer's bytes. One that stops before its Content-Length, or the known size, was cut off."""
    spec = candidate.archive
    limit = spec.bytes or MAX_BYTES
    length = response.length  # of the answer, None where it does not say
    expected = spec.bytes if length is None else length
    done = 0
    with contextlib.closing(Progress(candidate.id, expected)) as progress:
        while length is None or done < length:
            if max(done, length or 0) > limit:
                raise Mistake(
                    f"{spec.url}: more than the {limit} bytes allowed "
                    f"({'archive.bytes' if spec.bytes else 'the bound for an archive without archive.bytes'}); "
                    f"correct {candidate.file.name}."
                )
            chunk = response.read1(CHUNK_BYTES)
            if not chunk:
                break
            done += len(chunk)
            progress.update(done)
            yield chunk
    if expected is not None and done < expected:
        raise _Interrupted(f"the answer ended after {done} of {expected} bytes")
