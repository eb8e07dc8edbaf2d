"""What each piece of evidence is made from: by name, a text that changes where the evidence would be another."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path

from ..build import compiler
from ..common.errors import Mistake
from ..common.files import sha256_document, sha256_file, sha256_files, sha256_text
from ..common.root import NATIVE, ROOT
from ..fetch import includes
from ..host import host
from ..host.hostfacts import fitness
from ..verify import manifest
from . import catalog
from .catalog import Candidate, Instance
from .holdings import Holdings
from .settings import Settings

RECIPE = NATIVE / "candidate" / "CMakeLists.txt"
# Folders of the drivers ngcc_perf, ngcc_kat, ngcc_memory.
DRIVERS = ("perf", "kat", "memory")
# The helper functions' sources, of which libcontrol.so is built from sm3hash-256.
HELPERS = ROOT / "resources" / "bundled" / "iccs"


class Origins:
    """Of one campaign. Nothing is read or hashed before it is asked for, and but once."""

    def __init__(self, settings: Settings, holdings: Holdings, facts: Callable[[], dict]) -> None:
        self._settings, self._holdings, self._facts = settings, holdings, facts

    @property
    def host(self) -> dict[str, str]:
        return {"facts": sha256_document(self._facts()), "profile": sha256_document(self._settings.system)}

    @property
    def drivers(self) -> dict[str, str]:
        return {"sources": self._native(None), "compiler": self._compiler}

    @cached_property
    def timing(self) -> dict[str, str]:
        """Of every record, beside what its library is made from."""
        return {
            "driver": self._native("perf"),
            "plan": str(self._settings.plan),
            "machine": host.machine(self._facts()),
            "fitness": fitness(self._holdings.deviations),
        }

    def fetch(self, candidate: Candidate) -> dict[str, str]:
        archive = candidate.archive
        if archive.in_place:
            needed = {file for instance in candidate.instances for file in self._needed(candidate, instance)}
            content = sha256_files((file, archive.path / file) for file in needed)
        else:
            content = _archive_digest(candidate)
        return {"candidate": sha256_file(candidate.file), "content": content}

    def instance(self, candidate: Candidate, instance: Instance) -> dict[str, dict[str, str]]:
        """Of an instance's evidence, by stage: build, verify, measure, memory."""
        built = {
            "sources": self._sources(candidate, instance),
            "flags": " ".join([*compiler.GUIDE, *instance.cflags, *(f"-D{define}" for define in instance.defines)]),
            "compiler": self._compiler,
            "recipe": self._recipe,
        }
        verified = {
            "driver": self._native("kat"),
            "manifest": self._manifest(candidate, instance),
            "level": self._settings.kat,
            "message_bytes": " ".join(map(str, catalog.MESSAGE_BYTES)),
        }
        weighed = {"driver": self._native("memory"), "machine": self.timing["machine"]}
        return {
            "build": built,
            "verify": built | verified,
            "measure": built | self.timing,
            "memory": built | weighed,
        }

    @cached_property
    def _compiler(self) -> str:
        return compiler.find_compiler(self._settings.compiler)

    @cached_property
    def _recipe(self) -> str:
        return sha256_text(sha256_file(RECIPE) + json.dumps(compiler.VARIANTS))

    @cache  # noqa: B019 - one campaign a process
    def _native(self, driver: str | None) -> str:
        """What a driver (all of them, and our own libraries, for None) is built from, shared parts included."""
        folders = ["lib", *([driver] if driver else DRIVERS)]
        files = [NATIVE / "CMakeLists.txt", NATIVE / "empty.c"]
        files += [file for folder in folders for file in (NATIVE / folder).glob("*.[ch]")]
        named = {file.relative_to(NATIVE).as_posix(): file for file in files}
        return sha256_files((named if driver else named | _control_sources()).items())

    def _sources(self, candidate: Candidate, instance: Instance) -> str:
        """Changes with each file that building the instance may read, and with where they are said to lie."""
        lists = [*instance.sources, "-I", *instance.include_dirs, *instance.libraries]
        spec = "\n".join([instance.directory, *lists, f"{instance.digest_bits} bits"])
        if not candidate.archive.in_place:
            return sha256_text(f"{_archive_digest(candidate)}\n{spec}")
        files = self._needed(candidate, instance)
        return sha256_text(sha256_files((file, candidate.archive.path / file) for file in files) + spec)

    def _needed(self, candidate: Candidate, instance: Instance) -> list[str]:
        root = candidate.archive.path
        if not os.path.isdir(root):
            raise Mistake(f"{candidate.file}: archive.path: '{root}' is neither ZIP nor folder.")
        return includes.needed_files(instance, self._tree(root), includes.included_in(root))

    @cache  # noqa: B019
    def _tree(self, root: Path) -> list[str]:
        return catalog.tree_names(root)

    def _manifest(self, candidate: Candidate, instance: Instance) -> str:
        digests = manifest.expected(candidate.kat, instance.name)
        return sha256_text(json.dumps([digests, instance.kat_exception, self._settings.kat_seconds]))


def _control_sources() -> dict[str, Path]:
    """What libcontrol.so is built from, by name."""
    files = [*HELPERS.glob("sm3hash-256/*.[ch]"), *HELPERS.glob("common/sm3.[ch]")]
    named = {f"control/{file.relative_to(HELPERS).as_posix()}": file for file in files}
    return named | {"candidate/export.map": RECIPE.parent / "export.map"}


def _archive_digest(candidate: Candidate) -> str:
    return candidate.archive.sha256 or sha256_file(candidate.archive.path)
