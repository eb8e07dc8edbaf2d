"""What a results folder holds: the evidence of a campaign, read and checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ..campaign.catalog import MESSAGE_BYTES, Candidate, natural_order
from ..campaign.settings import YARDSTICK
from ..common.errors import Mistake
from ..common.files import read_json, sha256_file
from ..common.schemas import expected_version, short, validate
from ..host.hostfacts import fitness, machine
from ..measure.own import OWN

Key = TypeVar("Key", str, int)
# What to do about a damaged file: the next run makes again what it measured, and can't where it may not measure.
REMEDIES = {
    "measured": "delete it and run again",
    "stored": "copy it here again from where it was measured",
}
# What evidence may say that it is made from and host.json tells too, as a sentence calls it.
_IDENTITY = {"machine": "on another machine", "fitness": "in another state of the machine"}


@dataclass(frozen=True)
class StoredFile:
    """One JSON file: where it lies, its name relative to the results folder, its SHA-256, what it holds.

    foreign: why it is no evidence of this host; empty where it is. remedy: what to do where it is damaged.
    """

    path: Path
    name: str
    sha256: str
    document: dict
    foreign: str
    remedy: str


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


def read_campaign(
    results: Path, candidates: Sequence[str | Candidate] | None, remedy: str = REMEDIES["measured"]
) -> StoredCampaign:
    """Read the evidence below `results` of the listed candidates, or of all stored ones where None.

    A candidate is an id, or what its candidate file says, which tells its instances where no fetch file does.
    Candidates and instances come in natural order. Raises Mistake that names a damaged file, and says `remedy`.
    """
    reader = _Reader(results, remedy)
    host = reader.load("host.json", "host")
    if host is None:
        raise Mistake(f"{results / 'host.json'}: not there, so nothing was measured here; run the campaign first.")
    reader.host = host.document
    if candidates is None:
        candidates = [file.stem for file in (results / "fetch").glob("*.json")]
    files = {one if isinstance(one, str) else one.id: None if isinstance(one, str) else one for one in candidates}
    return StoredCampaign(
        host=host,
        drivers=reader.load("bin/drivers.json", "drivers"),
        own=_present({name: reader.load(f"records/{name}.json", "record") for name in OWN}),
        candidates=tuple(reader.candidate(name, files[name]) for name in in_order(files)),
    )


def facts(candidate: Candidate) -> dict:
    """What a candidate file says of a submission, as fetch files tell it."""
    keys = ("id", "category", "function", "algorithm", "version", "submission_page", "security_evaluation")
    instances = [{"name": instance.name, "digest_bits": instance.digest_bits} for instance in candidate.instances]
    return {key: getattr(candidate, key) for key in keys} | {"instances": instances}


def in_order(names: Iterable[str]) -> list[str]:
    """Natural order, made total: names that differ in case or leading zeros only are sorted as text."""
    return sorted(names, key=lambda name: (natural_order(name), name))


class _Reader:
    """Reads evidence below `results`; a file that is damaged is a Mistake that ends with `remedy`."""

    def __init__(self, results: Path, remedy: str) -> None:
        self.results, self.remedy = results, remedy
        self.host: dict | None = None

    def candidate(self, name: str, file: Candidate | None) -> StoredCandidate:
        fetch = self.load(f"fetch/{name}.json", "fetch")
        if fetch and fetch.document["candidate"]["id"] != name:
            raise self.damage(fetch.path, f"it is about {fetch.document['candidate']['id']}")
        told = fetch.document["candidate"] if fetch else facts(file) if file else {}
        bits = {entry["name"]: entry["digest_bits"] for entry in told.get("instances", ())}
        instances = [self.instance(name, instance, bits[instance]) for instance in in_order(bits)]
        if name == YARDSTICK:  # its file has more widths than a campaign asks for
            instances = [instance for instance in instances if instance.build or instance.kat or instance.records]
        return StoredCandidate(name, fetch, told, tuple(instances))

    def instance(self, candidate: str, name: str, digest_bits: int) -> StoredInstance:
        names = {size: f"records/{candidate}/{name}__hash_{size}.json" for size in MESSAGE_BYTES}
        records = {size: self.load(record, "record") for size, record in names.items()}
        from ..measure import consistency  # brings numpy, which most runs of the workflow do not need

        kat = self.about(f"kat/{candidate}/{name}.json", "kat", candidate, name)
        if kat and (flaw := consistency.verdict(kat.document)):
            raise self.damage(kat.path, flaw)
        return StoredInstance(
            candidate=candidate,
            name=name,
            digest_bits=digest_bits,
            build=self.about(f"build/{candidate}/{name}/build.json", "build", candidate, name),
            kat=kat,
            memory=self.about(f"memory/{candidate}/{name}.json", "memory", candidate, name),
            records=_present(records),
        )

    def about(self, file: str, schema: str, candidate: str, instance: str) -> StoredFile | None:
        """The evidence in `file`, which must be about the instance of its place."""
        evidence = self.load(file, schema)
        if evidence is not None:
            found = (evidence.document["candidate"], evidence.document["instance"])
            if found != (candidate, instance):
                raise self.damage(evidence.path, f"it is about {'/'.join(found)}")
        return evidence

    def load(self, name: str, schema: str) -> StoredFile | None:
        path = self.results / name
        if not path.exists():
            return None
        document = read_json(path, self.remedy)
        version = expected_version(schema)
        found = f"{document.get('schema')} version {document.get('version')}"
        expected = f"ngcc-perf/{schema} version {version}"
        if found != expected:
            earlier = document.get("schema") == f"ngcc-perf/{schema}" and document.get("version") in range(1, version)
            made = f"made by an earlier ngcc-perf, {found}" if earlier else found
            raise self.damage(path, f"it is {made}, expected {expected}")
        if schema != "record":  # a record that is not valid gives no figure, and the others do
            validate(document, schema, path)
        foreign = "" if self.host is None else strangeness(document, self.host)
        return StoredFile(path, name, sha256_file(path), document, foreign, self.remedy)

    def damage(self, path: Path, flaw: str) -> Mistake:
        return Mistake(f"{path}: {flaw}; {self.remedy}.")


def _present(files: dict[Key, StoredFile | None]) -> dict[Key, StoredFile]:
    return {key: file for key, file in files.items() if file is not None}


def strangeness(document: dict, host: dict) -> str:
    """Why evidence was not made on the machine, and in the state, that host.json tells of; empty where it was.

    By what it says that it is made from: the digest of host.json changes with each update of a kernel, and so does not
    tell. What names neither machine nor state is taken for the host's own.
    """
    made_from = document.get("made_from")
    for name, own in (("machine", machine(host["facts"])), ("fitness", fitness(host["unfit"]))):
        found = made_from.get(name, own) if isinstance(made_from, dict) else own
        if found != own:
            return f"it was measured {_IDENTITY[name]} ({short(found)}); host.json tells of {short(own)}"
    return ""
