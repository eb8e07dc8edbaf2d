"""Are these the submitted sources? Gets a candidate's archive and unpacks what its instances need of it."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..campaign import catalog
from ..common import schemas
from ..common.errors import Mistake
from ..common.files import sha256_file, utc_now, write_json, write_text
from ..common.printable import escaped
from . import archive, download, header, includes

# The macros stand at the top of a header; some headers go on with large tables.
HEADER_BYTES = 1 << 20


def fetch(
    candidate: catalog.Candidate,
    *,
    sources: Path,
    archives: Path | None,
    downloads: Path,
    output: Path,
    made_from: dict[str, str],
) -> dict:
    """Get a candidate's files and write what came of it to `output`; that document.

    `sources`: where a ZIP's files go (a directory is used in place). `archives`: a folder of archives that a person
    has already, or None. `downloads`: where downloaded archives are kept. `made_from`: stored as it is.
    Outcomes: FETCHED; UNREACHABLE (the network); MISTAKE (a person can put it right); REFUSED (not safe to unpack).
    Raises Mistake only where this machine fails: no space, not writable.
    """
    document = {
        "schema": "ngcc-perf/fetch",
        "version": 1,
        "made_from": made_from,
        "retry": False,
        "outcome": "FETCHED",
        "reason": "",
        "candidate": _candidate_facts(candidate),
        "archive": _archive_facts(candidate),
        "started_utc": utc_now(),
        "ended_utc": "",
        "files": [],
    }
    try:
        try:
            document["files"] = _obtain(candidate, document["archive"], sources, archives, downloads)
        except archive.Unsafe as error:
            document |= {"outcome": "REFUSED", "reason": str(error)}
        except Mistake as error:
            document |= {"outcome": "MISTAKE", "reason": str(error), "retry": True}
        except download.Unreachable as error:
            document |= {"outcome": "UNREACHABLE", "reason": escaped(str(error)), "retry": True}
        document["ended_utc"] = utc_now()
        schemas.validate(document, "fetch", output)
        write_json(output, document)
    except OSError as error:
        raise Mistake(f"{candidate.id}: {error.filename or sources.parent}: {error.strerror}.") from None
    return document


def _candidate_facts(candidate: catalog.Candidate) -> dict:
    """What pages need to know of the candidate file."""
    keys = ("id", "category", "function", "algorithm", "version", "submission_page", "security_evaluation")
    instances = [{"name": instance.name, "digest_bits": instance.digest_bits} for instance in candidate.instances]
    return {key: getattr(candidate, key) for key in keys} | {"instances": instances}


def _archive_facts(candidate: catalog.Candidate) -> dict:
    """What is known of the archive before it is there."""
    spec = candidate.archive
    if spec.path is None:
        kind, name = "url", download.url_name(candidate)
    else:
        kind, name = "directory" if os.path.isdir(spec.path) else "path", Path(os.path.abspath(spec.path)).name
    return {
        "kind": kind,
        "name": name,
        "url": spec.url,
        "bytes": None,
        "sha256": None,
        "expected_sha256": spec.sha256,
    }


def _obtain(
    candidate: catalog.Candidate, facts: dict, sources: Path, archives: Path | None, downloads: Path
) -> list[dict]:
    """The files that the candidate's instances need, as the document lists them; completes `facts` of the archive."""
    if facts["kind"] == "directory":
        return _in_place(candidate, candidate.archive.path)
    with _lock(sources):
        found = download.locate(candidate, archives, downloads)
        file, digest = found or download.download(candidate, downloads)
        facts |= {"bytes": file.stat().st_size, "sha256": digest}
        return _unpacked(candidate, file, facts, sources)


def _in_place(candidate: catalog.Candidate, root: Path) -> list[dict]:
    """A directory's files where they lie; their digests are recorded, as people edit them."""
    needed = _needed(candidate, catalog.tree_names(root), root.name, includes.included_in(root))
    for name in needed:
        _check_name(name, root)
    _check_headers(candidate, needed, root)
    return _described(root, needed)


def _check_name(name: str, root: Path) -> None:
    """What a document can hold, else Mistake; a ZIP's names are always text."""
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    if shown != name:
        raise Mistake(f"'{root}' holds a file whose name is not UTF-8: '{shown}'; rename it.")


def _unpacked(candidate: catalog.Candidate, file: Path, facts: dict, sources: Path) -> list[dict]:
    """The files of a ZIP below `sources`: kept where they are all there and nothing else is, else unpacked anew.

    A seal beside the folder, in the form of sha256sum, tells which archive the files come from. It is written last,
    so that a folder with a seal which holds is complete.
    """
    seal = sources.with_name(f"{sources.name}.sha256")
    part, old = (sources.with_name(f".{sources.name}.{suffix}") for suffix in ("part", "old"))
    _discard(part, old)
    with archive.Zip(file, facts["name"]) as submission:
        needed = _needed(candidate, submission.names, facts["name"], _included_in(submission))
        files = _kept(sources, seal, facts["sha256"], needed)
        if files is not None:
            _check_headers(candidate, needed, sources)
            return files
        try:
            submission.unpack(needed, part)
            _check_headers(candidate, needed, part)
            files = _described(part, needed)
            if os.path.lexists(sources):
                os.replace(sources, old)
            os.replace(part, sources)
        finally:
            _discard(part, old)
    write_text(seal, _sealed(sources, facts["sha256"], files))
    return files


def _included_in(submission: archive.Zip) -> Callable[[str], list[str]]:
    """What members include; each is read once, as the instances of a candidate share files."""

    @functools.cache
    def included(name: str) -> list[str]:
        with submission.open_member(name, archive.MAX_FILE_BYTES) as stream:
            return includes.included_names(stream.read(includes.SOURCE_BYTES))

    return included


def _needed(
    candidate: catalog.Candidate, names: Sequence[str], name: str, included: Callable[[str], list[str]]
) -> list[str]:
    """What the candidate's instances need of a submission's files `names`."""
    try:
        for instance in candidate.instances:
            catalog.instance_sources(instance, names)
    except Mistake as error:
        found = str(error).removeprefix(f"{candidate.id}: ").removesuffix(".")
        raise Mistake(f"{found} in '{name}'; correct {candidate.file.name} or the archive.") from None
    return sorted({file for one in candidate.instances for file in includes.needed_files(one, names, included)})


def _check_headers(candidate: catalog.Candidate, needed: Sequence[str], root: Path) -> None:
    """Each instance has a header of the right digest width, else Mistake."""
    for instance in candidate.instances:
        directory = catalog.tree_path(instance, instance.directory, candidate.file)
        headers = header.header_names(directory, needed)
        _check_width(instance, directory, [_macros(root / name) for name in headers], headers, candidate.file.name)


def _check_width(
    instance: catalog.Instance, directory: str, macros: list[dict], headers: list[str], catalog_file: str
) -> None:
    where = f"instance '{instance.name}'"
    macro = header.WIDTH_MACRO
    if not headers:
        raise Mistake(
            f"{where}: '{directory}' holds no {header.HEADER}, nor another CryptHash_*.h; correct directory in "
            f"{catalog_file}, or add the header."
        )
    if any(define.partition("=")[0] == macro for define in instance.defines):
        return
    defining = [(name, found[macro]) for name, found in zip(headers, macros, strict=True) if macro in found]
    if not defining:
        raise Mistake(
            f"{where}: '{headers[0]}' does not define the macro {macro}; add it there, or to defines in {catalog_file}."
        )
    name, value = defining[0]
    if header.number(value) not in (None, instance.digest_bits):
        raise Mistake(
            f"{where}: '{name}' defines {macro} {header.number(value)}, but {catalog_file} says digest_bits: "
            f"{instance.digest_bits}; correct the one that is wrong."
        )


def _macros(file: Path) -> dict[str, str | None]:
    with open(file, "rb") as stream:
        return header.macros(stream.read(HEADER_BYTES))


def _kept(sources: Path, seal: Path, digest: str, needed: list[str]) -> list[dict] | None:
    """The files below `sources` if they are the needed ones, unchanged since they came from this archive."""
    if sources.is_symlink() or not seal.is_file() or catalog.tree_names(sources) != needed:
        return None
    files = _described(sources, needed)
    return files if seal.read_text(encoding="utf-8") == _sealed(sources, digest, files) else None


def _sealed(sources: Path, digest: str, files: list[dict]) -> str:
    lines = [f"{file['sha256']}  {sources.name}/{file['file']}\n" for file in files]
    return f"# Unpacked from the archive with SHA-256 {digest}\n{''.join(lines)}"


def _described(root: Path, names: Sequence[str]) -> list[dict]:
    return [{"file": name, "bytes": (root / name).stat().st_size, "sha256": sha256_file(root / name)} for name in names]


@contextlib.contextmanager
def _lock(sources: Path) -> Iterator[None]:
    """One run at a time gets and unpacks this candidate; the kernel releases the lock with its holder."""
    sources.parent.mkdir(parents=True, exist_ok=True)
    with open(sources.parent / f".{sources.name}.lock", "a", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            download.say(f"{sources.name}: waiting for another run that unpacks it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _discard(*paths: Path) -> None:
    """Remove what a run left half-made; a link goes, not what it points to."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
