"""What a results folder holds: the evidence of a campaign, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from . import consistency
from .catalog import MESSAGE_BYTES, Candidate, natural_order
from .errors import Mistake
from .files import read_json, sha256_file
from .own import OWN
from .schemas import expected_version, validate
from .settings import YARDSTICK

Key = TypeVar("Key", str, int)


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
    """All there is of one candidate.

    Without a fetch file, `told` and the instances are what its candidate file says, if that is at hand, else empty.
    """

    id: str
    fetch: StoredFile | None
    told: dict
    instances: tuple[StoredInstance, ...]

    @property
    def fetched(self) -> bool:
        return self.fetch is not None and self.fetch.document["outcome"] == "FETCHED"


@dataclass(frozen=True)
class StoredCampaign:
    """The evidence of one system."""

    host: StoredFile
    drivers: StoredFile | None
    own: dict[str, StoredFile]  # the records that are nobody's, by name
    candidates: tuple[StoredCandidate, ...]

    @property
    def instances(self) -> Iterator[StoredInstance]:
        for candidate in self.candidates:
            yield from candidate.instances


def read_campaign(results: Path, candidates: Sequence[str | Candidate] | None) -> StoredCampaign:
    """Read the evidence below `results` of the listed candidates, or of all stored ones where None.

    A candidate is an id, or what its candidate file says, which tells its instances where no fetch file does.
    Candidates and instances come in natural order. Raises Mistake that names a damaged file and says what to do.
    """
    host = _load(results, "host.json", "host")
    if host is None:
        raise Mistake(f"{results / 'host.json'}: not there, so nothing was measured here; run the campaign first.")
    if candidates is None:
        candidates = [file.stem for file in (results / "fetch").glob("*.json")]
    files = {one if isinstance(one, str) else one.id: None if isinstance(one, str) else one for one in candidates}
    return StoredCampaign(
        host=host,
        drivers=_load(results, "bin/drivers.json", "drivers"),
        own=_present({name: _load(results, f"records/{name}.json", "record") for name in OWN}),
        candidates=tuple(_candidate(results, name, files[name]) for name in in_order(files)),
    )


def facts(candidate: Candidate) -> dict:
    """What a candidate file says of a submission, as fetch files tell it."""
    keys = ("id", "category", "function", "algorithm", "version", "submission_page", "security_evaluation")
    instances = [{"name": instance.name, "digest_bits": instance.digest_bits} for instance in candidate.instances]
    return {key: getattr(candidate, key) for key in keys} | {"instances": instances}


def in_order(names: Iterable[str]) -> list[str]:
    """Natural order, made total: names that differ in case or leading zeros only are sorted as text."""
    return sorted(names, key=lambda name: (natural_order(name), name))


def _candidate(results: Path, name: str, file: Candidate | None) -> StoredCandidate:
    fetch = _load(results, f"fetch/{name}.json", "fetch")
    if fetch and fetch.document["candidate"]["id"] != name:
        raise Mistake(f"{fetch.path}: it is about {fetch.document['candidate']['id']}; delete it and run again.")
    told = fetch.document["candidate"] if fetch else facts(file) if file else {}
    bits = {entry["name"]: entry["digest_bits"] for entry in told.get("instances", ())}
    instances = [_instance(results, name, instance, bits[instance]) for instance in in_order(bits)]
    if name == YARDSTICK:  # its file has more widths than a campaign asks for
        instances = [instance for instance in instances if instance.build or instance.kat or instance.records]
    return StoredCandidate(name, fetch, told, tuple(instances))


def _instance(results: Path, candidate: str, name: str, digest_bits: int) -> StoredInstance:
    records = {
        size: _load(results, f"records/{candidate}/{name}__hash_{size}.json", "record") for size in MESSAGE_BYTES
    }
    kat = _about(_load(results, f"kat/{candidate}/{name}.json", "kat"), candidate, name)
    if kat and (flaw := consistency.verdict(kat.document)):
        raise Mistake(f"{kat.path}: {flaw}; delete it and run again.")
    return StoredInstance(
        candidate=candidate,
        name=name,
        digest_bits=digest_bits,
        build=_about(_load(results, f"build/{candidate}/{name}/build.json", "build"), candidate, name),
        kat=kat,
        memory=_about(_load(results, f"memory/{candidate}/{name}.json", "memory"), candidate, name),
        records=_present(records),
    )


def _present(files: dict[Key, StoredFile | None]) -> dict[Key, StoredFile]:
    return {key: file for key, file in files.items() if file is not None}


def _about(evidence: StoredFile | None, candidate: str, instance: str) -> StoredFile | None:
    """`evidence`, where it is about the instance of its place."""
    if evidence is not None:
        found = (evidence.document["candidate"], evidence.document["instance"])
        if found != (candidate, instance):
            raise Mistake(f"{evidence.path}: it is about {'/'.join(found)}; delete it and run again.")
    return evidence


def _load(results: Path, name: str, schema: str) -> StoredFile | None:
    path = results / name
    if not path.exists():
        return None
    document = read_json(path)
    version = expected_version(schema)
    found = f"{document.get('schema')} version {document.get('version')}"
    expected = f"ngcc-perf/{schema} version {version}"
    if found != expected:
        earlier = document.get("schema") == f"ngcc-perf/{schema}" and document.get("version") in range(1, version)
        made = f"made by an earlier ngcc-perf, {found}" if earlier else found
        raise Mistake(f"{path}: it is {made}, expected {expected}; delete it and run again.")
    if schema != "record":  # a record that is not valid gives no figure, and the others do
        validate(document, schema, path)
    return StoredFile(path, name, sha256_file(path), document)
