"""What a campaign makes, from what, and which of it is stale.

Every piece of evidence holds `made_from`, a name and a text for each thing that it depends on. What stands there is
compared with what would stand there now; so neither time stamps nor Snakemake's own metadata decide whether a figure
is still true, and evidence copied into a fresh clone is judged like any other.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from . import catalog, compiler, host, manifest, tables
from .catalog import Candidate, Instance
from .errors import Mistake
from .files import read_json, sha256_file, sha256_files, sha256_text
from .settings import ROOT, Settings

NATIVE = ROOT / "native"
RECIPE = NATIVE / "candidate" / "CMakeLists.txt"
# Folders of the drivers ngcc_perf, ngcc_kat, ngcc_memory.
DRIVERS = ("perf", "kat", "memory")


@dataclass(frozen=True)
class Evidence:
    """One JSON file of a campaign: what it is made from, and the evidence that must be there before it."""

    path: Path
    made_from: dict[str, str]
    needs: tuple[Path, ...] = ()


class Campaign:
    """All evidence of one campaign, by path. Nothing is read or hashed before it is asked for."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.results = settings.results
        self._candidates = {candidate.id: candidate for candidate in settings.candidates}
        # Evidence to be made again although it is true.
        self.asked_for: set[Path] = set()
        if settings.retime:
            self.asked_for = {self.record(*settings.retime, length) for length in catalog.MESSAGE_BYTES}

    # Paths, as the rules use them.

    @property
    def host(self) -> Path:
        return self.results / "host.json"

    @property
    def drivers(self) -> Path:
        return self.results / "bin" / "drivers.json"

    @property
    def empty_call(self) -> Path:
        return self.results / "records" / "empty_call.json"

    def fetch(self, candidate: str) -> Path:
        return self.results / "fetch" / f"{candidate}.json"

    def build(self, candidate: str, instance: str) -> Path:
        return self.results / "build" / candidate / instance / "build.json"

    def kat(self, candidate: str, instance: str) -> Path:
        return self.results / "kat" / candidate / f"{instance}.json"

    def record(self, candidate: str, instance: str, message_bytes: int | str) -> Path:
        return self.results / "records" / candidate / f"{instance}__hash_{message_bytes}.json"

    def memory(self, candidate: str, instance: str) -> Path:
        return self.results / "memory" / candidate / f"{instance}.json"

    @property
    def inputs(self) -> list[Path]:
        """All that the tables are made of."""
        paths = [self.host, self.empty_call, *(self.fetch(candidate.id) for candidate in self.settings.candidates)]
        for instance in self.instances:
            name = (instance.candidate, instance.name)
            paths += [self.build(*name), self.kat(*name), self.memory(*name)]
            paths += [self.record(*name, length) for length in catalog.MESSAGE_BYTES]
        return paths

    @property
    def tables(self) -> list[Path]:
        return [tables.path(self.results, table) for table in tables.COLUMNS]

    @property
    def pages(self) -> list[Path]:
        names = ["index", "method", *(candidate.id for candidate in self.settings.candidates)]
        return [self.results / "report" / f"{name}.md" for name in names]

    # Candidates.

    def candidate(self, name: str) -> Candidate:
        return self._candidates[name]

    @property
    def instances(self) -> list[Instance]:
        return [instance for candidate in self.settings.candidates for instance in candidate.instances]

    # Evidence.

    @cached_property
    def evidence(self) -> dict[Path, Evidence]:
        """Everything that this campaign is to leave behind, by path."""
        found = [
            Evidence(self.host, {"facts": sha256_text(json.dumps(self._facts, sort_keys=True))}),
            Evidence(self.drivers, {"sources": self._digest_native(None), "compiler": self._compiler}),
            Evidence(self.empty_call, self._timing, (self.host, self.drivers)),
        ]
        for candidate in self.settings.candidates:
            found.append(Evidence(self.fetch(candidate.id), self._fetched(candidate)))
            for instance in candidate.instances:
                found += self._instance(candidate, instance)
        return {evidence.path: evidence for evidence in found}

    def _instance(self, candidate: Candidate, instance: Instance) -> list[Evidence]:
        name = (candidate.id, instance.name)
        built = {
            "sources": self._sources(candidate, instance),
            "flags": " ".join([*compiler.GUIDE, *instance.cflags, *(f"-D{define}" for define in instance.defines)]),
            "compiler": self._compiler,
            "recipe": self._recipe,
        }
        verified = built | {
            "driver": self._digest_native("kat"),
            "manifest": self._manifest(candidate, instance),
        }
        measured = built | self._timing
        weighed = built | {"driver": self._digest_native("memory"), "machine": self._machine}
        build, kat = self.build(*name), self.kat(*name)
        return [
            Evidence(build, built, (self.fetch(candidate.id),)),
            Evidence(kat, verified, (build, self.drivers)),
            Evidence(self.memory(*name), weighed, (kat,)),
            *(
                Evidence(self.record(*name, length), measured, (kat, self.host, self.drivers))
                for length in catalog.MESSAGE_BYTES
            ),
        ]

    def from_options(self, path: str | Path) -> str:
        """`--from NAME=VALUE …` for the command that makes `path`, quoted for a shell."""
        made_from = self.evidence[Path(path)].made_from
        return shlex.join(part for name, value in made_from.items() for part in ("--from", f"{name}={value}"))

    @cached_property
    def stale(self) -> dict[Path, str]:
        """Evidence that is there and no longer true, with the reason. What is absent is not listed."""
        found = {path: self._why_stale(evidence) for path, evidence in self.evidence.items() if path.exists()}
        found = {path: reason for path, reason in found.items() if reason}
        for path, evidence in self.evidence.items():
            if path.exists() and path not in found and self._awaits(evidence, found):
                found[path] = "its KAT verdict is made again"
        return found | dict.fromkeys(self.asked_for, "asked for") | self._stale_tables()

    def _stale_tables(self) -> dict[Path, str]:
        """Tables of another choice of candidates."""
        path = self.tables[0]
        try:
            there = [row["candidate"] for row in tables.read(self.results, "candidates")]
        except Mistake:
            return {path: "unreadable"} if path.exists() else {}
        asked = sorted(candidate.id for candidate in self.settings.candidates)
        return {} if sorted(there) == asked else {path: "other candidates"}

    def is_settled(self, path: Path) -> bool:
        """There, and true."""
        return path.exists() and path not in self.stale

    def with_needs(self, paths: set[Path]) -> set[Path]:
        """`paths` and all evidence that they rest on."""
        found: set[Path] = set()
        waiting = [path for path in paths if path in self.evidence]
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self.evidence[path].needs
        return found

    def _why_stale(self, evidence: Evidence) -> str:
        try:
            document = read_json(evidence.path)
        except Mistake:
            return "unreadable"
        made_from = document.get("made_from", {})
        changed = [name for name, value in evidence.made_from.items() if made_from.get(name) != value]
        if changed or len(made_from) != len(evidence.made_from):
            return f"{', '.join(changed) or 'what it is made from'} changed"
        if document.get("retry"):
            return f"tried again ({document.get('reason', '')})"
        if any(not (self.results / library).is_file() for library in _libraries(document)):
            return "a library is gone"
        return self._contradicted(evidence, document)

    def _contradicted(self, evidence: Evidence, document: dict) -> str:
        """A record or a memory figure that another verdict stands behind than the one there is now."""
        kats = [path for path in evidence.needs if path.parts[-3:-2] == ("kat",) and path.exists()]
        if not kats or "status" not in document:
            return ""
        try:
            verdict = read_json(kats[0])
        except Mistake:
            return "its KAT verdict is unreadable"
        if verdict.get("timed") != (document["status"] != "REFUSED"):
            return "its KAT verdict changed"
        library = document.get("library_sha256") or document.get("files", {}).get("library_sha256")
        return "its library changed" if verdict.get("timed") and library != verdict.get("library_sha256") else ""

    def _awaits(self, evidence: Evidence, stale: dict[Path, str]) -> bool:
        """Refused for its verdict, which is about to be made again."""
        if not any(path in stale or not path.exists() for path in evidence.needs if path.parts[-3:-2] == ("kat",)):
            return False
        return read_json(evidence.path).get("status") == "REFUSED"

    # What evidence is made from.

    @cached_property
    def _compiler(self) -> str:
        return compiler.find_compiler(self.settings.compiler)

    @cached_property
    def _recipe(self) -> str:
        variants = json.dumps(compiler.VARIANTS)
        return sha256_text(sha256_file(RECIPE) + variants)

    @cached_property
    def _facts(self) -> dict:
        return host.facts(self.settings.system)

    @property
    def _machine(self) -> str:
        return host.machine(self._facts)

    @property
    def cpu(self) -> int:
        """The CPU that timing jobs are pinned to."""
        return self._facts["cpu"]

    @cached_property
    def _timing(self) -> dict[str, str]:
        return {
            "driver": self._digest_native("perf"),
            "plan": str(self.settings.plan),
            "machine": self._machine,
        }

    @cache  # noqa: B019 - one campaign a process
    def _digest_native(self, driver: str | None) -> str:
        """What a driver (all of them, for None) is built from: its own folder and what it shares with the others."""
        folders = ["lib", *([driver] if driver else DRIVERS)]
        files = [NATIVE / "CMakeLists.txt", NATIVE / "empty.c"]
        files += [file for folder in folders for file in (NATIVE / folder).glob("*.[ch]")]
        return sha256_files((file.relative_to(NATIVE).as_posix(), file) for file in files)

    def _fetched(self, candidate: Candidate) -> dict[str, str]:
        archive = candidate.archive
        if archive.in_place:
            names = self._tree(candidate)
            needed = {file for instance in candidate.instances for file in catalog.instance_files(instance, names)}
            content = sha256_files((file, archive.path / file) for file in needed)
        else:
            content = self._archive_digest(candidate)
        return {"candidate": sha256_file(candidate.file), "content": content}

    def _sources(self, candidate: Candidate, instance: Instance) -> str:
        """Changes with each file that building the instance may read, and with where they are said to lie."""
        spec = "\n".join([instance.directory, *instance.sources, "-I", *instance.include_dirs, *instance.libraries])
        if not candidate.archive.in_place:
            return sha256_text(f"{self._archive_digest(candidate)}\n{spec}")
        files = catalog.instance_files(instance, self._tree(candidate))
        return sha256_text(sha256_files((file, candidate.archive.path / file) for file in files) + spec)

    def _tree(self, candidate: Candidate) -> list[str]:
        trees = self.__dict__.setdefault("_trees", {})
        if candidate.id not in trees:
            if not candidate.archive.path.is_dir():
                raise Mistake(f"{candidate.file}: archive.path: '{candidate.archive.path}' is neither ZIP nor folder.")
            trees[candidate.id] = catalog.tree_names(candidate.archive.path)
        return trees[candidate.id]

    def _archive_digest(self, candidate: Candidate) -> str:
        archive = candidate.archive
        return archive.sha256 or sha256_file(archive.path)

    def _manifest(self, candidate: Candidate, instance: Instance) -> str:
        digests = manifest.expected(candidate.kat, instance.name)
        return sha256_text(json.dumps([self.settings.kat, digests, instance.kat_exception, instance.digest_bits]))


def _libraries(document: dict) -> list[str]:
    """Libraries that a build left behind."""
    return [variant["library"] for variant in document.get("variants", []) if variant.get("library")]
