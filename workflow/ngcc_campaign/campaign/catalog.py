"""Candidates and their instances: the candidate files, and which files of a submission an instance needs."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..common import yamlfile
from ..common.errors import Mistake
from ..common.schemas import validate

# The guide's eight message lengths S1..S8, in bytes.
MESSAGE_BYTES = (32, 128, 512, 1024, 4096, 8192, 16384, 65536)

# Wildcard constraints of the rules; the candidate schema holds the same patterns.
CANDIDATE_ID = r"[a-z0-9][a-z0-9-]{0,39}"
INSTANCE_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"

# Pages of the report that are no candidate's.
PAGES = ("index", "method", "ranking", "systems")

# Programs and tests that instances ship beside the function (case does not matter); hidden files are left out too.
LEFT_OUT = (
    *(f"{prefix}*" for prefix in ("kat_", "pqcgenkat", "main", "test", "bench", "speed", "cpucycles")),
    *(f"{prefix}*" for prefix in ("selftest", "example", "demo")),
    *(f"*{infix}*" for infix in ("_test.", "_bench.", "_main.", "_kat.")),
)
# What a source may include; a KAT text or a prebuilt binary is never among them.
INCLUDED_SUFFIXES = (".h", ".inc", ".def", ".tab", ".tbl", ".c")


@dataclass(frozen=True)
class Archive:
    """Where a submission comes from: exactly one of url (http, https) and path (a ZIP or a directory)."""

    url: str | None = None
    path: Path | None = None
    sha256: str | None = None
    bytes: int | None = None

    @property
    def in_place(self) -> bool:
        """A directory is used where it lies; its files' digests are recorded, not enforced."""
        return self.path is not None and not os.path.isfile(self.path)


@dataclass(frozen=True)
class Instance:
    """One parameter set of a candidate. Paths are POSIX; `sources` and `include_dirs` are relative to `directory`."""

    candidate: str
    name: str
    digest_bits: int
    directory: str
    sources: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    kat_exception: dict | None = None


@dataclass(frozen=True)
class Candidate:
    """One submission, as its candidate file tells."""

    id: str
    category: str
    function: str
    algorithm: str
    version: str
    submission_page: str | None
    security_evaluation: str | None
    archive: Archive
    kat: Path | None
    instances: tuple[Instance, ...] = field(repr=False)
    file: Path = field(repr=False)

    def instance(self, name: str) -> Instance:
        for instance in self.instances:
            if instance.name == name:
                return instance
        known = ", ".join(instance.name for instance in self.instances)
        raise Mistake(f"{self.file}: no instance '{name}'; it has {known}.")


def load_candidate(file: Path) -> Candidate:
    """Read and check a candidate file; its paths are relative to the file's own folder.

    Raises Mistake that names the file and the key.
    """
    document = yamlfile.read(file)
    validate(document, "candidate", file)
    if document["id"] != file.stem:
        raise Mistake(f"{file}: id is '{document['id']}', expected '{file.stem}', the file's own name.")
    if document["id"] in PAGES:
        raise Mistake(f"{file}: id: '{document['id']}' is the name of another page of the report; choose another.")
    folder = file.parent
    spec = document["archive"]
    path = spec.get("path")
    archive = Archive(spec.get("url"), folder / path if path else None, spec.get("sha256"), spec.get("bytes"))
    return Candidate(
        id=document["id"],
        category=document.get("category", "hash"),
        function=document.get("function", "cryptographic hash function"),
        algorithm=document["algorithm"],
        version=document.get("version", "reference implementation"),
        submission_page=document.get("submission_page"),
        security_evaluation=document.get("security_evaluation"),
        archive=archive,
        kat=folder / document["kat"] if document.get("kat") else None,
        instances=_instances(document, file),
        file=file,
    )


def _instances(document: dict, file: Path) -> tuple[Instance, ...]:
    instances = []
    for entry in document["instances"]:
        lists = {
            key: tuple(entry.get(key, ())) for key in ("sources", "include_dirs", "defines", "cflags", "libraries")
        }
        instance = Instance(
            candidate=document["id"],
            name=entry["name"],
            digest_bits=entry["digest_bits"],
            directory=entry["directory"],
            kat_exception=entry.get("kat_exception"),
            **lists,
        )
        for path in (instance.directory, *instance.sources, *instance.include_dirs):
            tree_path(instance, path if path == instance.directory else f"{instance.directory}/{path}", file)
        instances.append(instance)
    names = [instance.name.lower() for instance in instances]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Mistake(f"{file}: instance '{twice[0]}' stands there twice (case does not tell names apart).")
    return tuple(instances)


def tree_path(instance: Instance, path: str, file: object) -> str:
    """`path` in its shortest POSIX form, relative to the submission's root; Mistake where it leaves the root."""
    normal = posixpath.normpath(path)
    if posixpath.isabs(path) or normal == ".." or normal.startswith("../"):
        raise Mistake(f"{file}: instance '{instance.name}': path '{path}' leaves the submission.")
    return normal


def load_catalog(folders: Iterable[Path]) -> dict[str, Path]:
    """Candidate files by id; a folder that comes earlier wins."""
    catalog: dict[str, Path] = {}
    for folder in folders:
        if not os.path.isdir(folder):  # which Path.is_dir fails at, where a name is too long or a folder shut
            raise Mistake(f"catalog: '{folder}' is no folder.")
        for file in sorted(folder.glob("*.yaml")):
            catalog.setdefault(file.stem, file)
    return catalog


def natural_order(name: str) -> list:
    """Sort key under which AXIS-512 comes before AXIS-1024."""
    return [(int(part), "") if part.isdecimal() else (-1, part.lower()) for part in re.split(r"(\d+)", name) if part]


def instance_sources(instance: Instance, names: Sequence[str]) -> list[str]:
    """The .c files that make the library, as paths in the tree whose files are `names`.

    Listed sources if the candidate file lists them, else every .c file directly in the instance's directory that
    is not left out (see LEFT_OUT). Raises Mistake where a listed one is absent or none is left.
    """
    known = set(names)
    directory = tree_path(instance, instance.directory, instance.candidate)
    if instance.sources:
        sources = [tree_path(instance, f"{directory}/{source}", instance.candidate) for source in instance.sources]
        for source in sources:
            if source not in known:
                raise Mistake(f"{instance.candidate}: instance '{instance.name}': source '{source}' is not there.")
        return sources
    sources = sorted(
        name
        for name in known
        if (posixpath.dirname(name) or ".") == directory and name.lower().endswith(".c") and not is_left_out(name)
    )
    if not sources:
        if not any(_below(name, directory) for name in known):
            raise Mistake(f"{instance.candidate}: instance '{instance.name}': directory '{directory}' is not there.")
        raise Mistake(f"{instance.candidate}: instance '{instance.name}': '{directory}' holds no source to build.")
    return sources


def instance_includes(instance: Instance, names: Sequence[str]) -> list[str]:
    """Files that the instance's sources may include: by suffix, below its directory and its include folders."""
    folders = [instance.directory, *(f"{instance.directory}/{folder}" for folder in instance.include_dirs)]
    folders += [posixpath.dirname(f"{instance.directory}/{source}") for source in instance.sources]
    roots = {tree_path(instance, folder, instance.candidate) for folder in folders}
    return sorted(
        name
        for name in set(names)
        if name.lower().endswith(INCLUDED_SUFFIXES)
        and not is_left_out(name)
        and any(_below(name, root) for root in roots)
    )


def instance_files(instance: Instance, names: Sequence[str]) -> list[str]:
    """Sources and what they may include, by the names alone; includes.needed_files looks into them as well."""
    return sorted({*instance_sources(instance, names), *instance_includes(instance, names)})


def tree_names(root: Path) -> list[str]:
    """POSIX paths of the regular files below `root`; links are neither followed nor listed."""
    names = []
    for folder, _, files in os.walk(root):
        for file in files:
            path = Path(folder, file)
            if path.is_file() and not path.is_symlink():
                names.append(path.relative_to(root).as_posix())
    return sorted(names)


def _below(name: str, folder: str) -> bool:
    return folder == "." or name.startswith(f"{folder}/")


def is_left_out(name: str) -> bool:
    """By its name hidden, or a program or test that ships beside the function."""
    base = posixpath.basename(name).lower()
    return base.startswith(".") or (
        base.endswith(".c") and any(fnmatch.fnmatchcase(base, pattern) for pattern in LEFT_OUT)
    )
