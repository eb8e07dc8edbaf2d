"""What a results folder holds: the evidence of a campaign, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .catalog import MESSAGE_BYTES, natural_order
from .errors import Mistake
from .files import read_json, sha256_file
from .schemas import validate

VERSION = 1


@dataclass(frozen=True)
class StoredFile:
    """One JSON file: where it lies, its name relative to the results folder, its SHA-256, what it holds."""

    path: Path
    name: str
    sha256: str
    document: dict


@dataclass(frozen=True)
class StoredInstance:
    """All there is of one instance; what is absent is None, or no key of `records` (by message bytes)."""

    candidate: str
    name: str
    digest_bits: int
    build: StoredFile | None
    kat: StoredFile | None
    memory: StoredFile | None
    records: dict[int, StoredFile] = field(repr=False)


@dataclass(frozen=True)
class StoredCandidate:
    """All there is of one candidate; without a fetch file its instances are not known."""

    id: str
    fetch: StoredFile | None
    instances: tuple[StoredInstance, ...]

    @property
    def fetched(self) -> bool:
        return self.fetch is not None and self.fetch.document["outcome"] == "FETCHED"


@dataclass(frozen=True)
class StoredCampaign:
    """The evidence of one system."""

    host: StoredFile
    empty_call: StoredFile | None
    candidates: tuple[StoredCandidate, ...]

    @property
    def instances(self) -> Iterator[StoredInstance]:
        for candidate in self.candidates:
            yield from candidate.instances


def read_campaign(results: Path, candidates: list[str] | None) -> StoredCampaign:
    """Read the evidence below `results` of the listed candidates, or of all stored ones where None.

    Candidates and instances come in natural order. Raises Mistake that names a damaged file and says what to do.
    """
    host = _load(results, "host.json", "host")
    if host is None:
        raise Mistake(f"{results / 'host.json'}: not there, so nothing was measured here; run the campaign first.")
    if candidates is None:
        candidates = [file.stem for file in (results / "fetch").glob("*.json")]
    return StoredCampaign(
        host=host,
        empty_call=_load(results, "records/empty_call.json", "record"),
        candidates=tuple(_candidate(results, candidate) for candidate in in_order(set(candidates))),
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Natural order, made total: names that differ in case or leading zeros only are sorted as text."""
    return sorted(names, key=lambda name: (natural_order(name), name))


@contextmanager
def explained(evidence: StoredFile, schema: str) -> Iterator[None]:
    """Turn a failure to make sense of `evidence` into a Mistake that names the file and the key at fault.

    Records are many and long, so that only those are checked against their schema that turn out to need it.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        where = f"{evidence.path} (delete it and run again)"
        validate(evidence.document, schema, where)
        raise Mistake(f"{where}: it makes no sense: {error}.") from None


def _candidate(results: Path, candidate: str) -> StoredCandidate:
    fetch = _load(results, f"fetch/{candidate}.json", "fetch")
    bits = {}
    if fetch is not None:
        bits = {entry["name"]: entry["digest_bits"] for entry in fetch.document["candidate"]["instances"]}
    instances = (_instance(results, candidate, name, bits[name]) for name in in_order(bits))
    return StoredCandidate(candidate, fetch, tuple(instances))


def _instance(results: Path, candidate: str, name: str, digest_bits: int) -> StoredInstance:
    records = {
        size: _load(results, f"records/{candidate}/{name}__hash_{size}.json", "record") for size in MESSAGE_BYTES
    }
    return StoredInstance(
        candidate=candidate,
        name=name,
        digest_bits=digest_bits,
        build=_load(results, f"build/{candidate}/{name}/build.json", "build"),
        kat=_load(results, f"kat/{candidate}/{name}.json", "kat"),
        memory=_load(results, f"memory/{candidate}/{name}.json", "memory"),
        records={size: record for size, record in records.items() if record is not None},
    )


def _load(results: Path, name: str, schema: str) -> StoredFile | None:
    path = results / name
    if not path.exists():
        return None
    document = read_json(path)
    found = f"{document.get('schema')} version {document.get('version')}"
    expected = f"ngcc-perf/{schema} version {VERSION}"
    if found != expected:
        raise Mistake(f"{path}: it is {found}, expected {expected}; delete it and run again.")
    if schema != "record":
        validate(document, schema, path)
    return StoredFile(path, name, sha256_file(path), document)
