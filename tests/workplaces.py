"""Running the real workflow in a folder of its own, on small plans."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from preloaded import Preloaded

ROOT = Path(__file__).resolve().parents[1]
SNAKEMAKE = Path(sys.executable).with_name("snakemake")
# Timing as short as it gets: what is tested is the way of the data, not the figures.
QUICK = ("target_seconds=0.001", "trials=2")
SECONDS = 300  # after which a run has failed


def environment() -> dict[str, str]:
    """Ours, but that compiled Python is kept: without it each start of Snakemake takes twice as long."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


_kept: list[Preloaded] = []


def preloaded() -> Preloaded:
    """One for all runs, but for those after one that took too long."""
    if not _kept or _kept[-1].process.poll() is not None:
        _kept.append(Preloaded())
    return _kept[-1]


@dataclass
class Run:
    """How a run of Snakemake ended, and all that it said."""

    status: int
    output: str

    def __contains__(self, text: str) -> bool:
        return text in self.output

    @property
    def jobs(self) -> dict[str, int]:
        """Jobs by rule, from Snakemake's own table; empty where nothing was to be done."""
        lines = self.output.partition("Job stats:")[2].partition("total")[0].splitlines()[3:]
        return {line.split()[0]: int(line.split()[1]) for line in lines if len(line.split()) == 2}


@dataclass
class Workplace:
    """A working directory with an editable copy of the bundled submissions; the workflow is the project's own."""

    path: Path
    snakefile: Path = ROOT / "Snakefile"

    @property
    def results(self) -> Path:
        return self.path / "results" / "local"

    def command(self, *targets: str, config: tuple[str, ...] = (), options: tuple[str, ...] = ()) -> list[str]:
        catalog = f"catalog={self.path / 'resources' / 'candidates'}"
        parts = [SNAKEMAKE, "--snakefile", self.snakefile, "--directory", self.path, *targets, "--cores", "1", *options]
        return [str(part) for part in [*parts, "--config", catalog, *QUICK, *config]]

    def start(self, *targets: str, stdout=subprocess.PIPE, **changes) -> subprocess.Popen:
        return subprocess.Popen(
            self.command(*targets, **changes), stdout=stdout, stderr=subprocess.STDOUT, text=True, env=environment(),
            start_new_session=True,
        )  # fmt: skip

    def run(self, *targets: str, env: dict[str, str] | None = None, **changes) -> Run:
        """Run to the end. What `env` adds to the environment may tell where programs lie, which is found at import."""
        command = self.command(*targets, **changes)
        if env is None:
            return Run(*preloaded().run(command, environment(), SECONDS))
        done = subprocess.run(
            command, capture_output=True, text=True, env=environment() | env, timeout=SECONDS, check=False
        )
        return Run(done.returncode, done.stdout + done.stderr)

    def add(self, candidate: str, instances: dict[str, str], **changes) -> None:
        """A candidate of one-file instances with 256-bit digests, by name and C source."""
        tree = self.path / "resources" / "bundled" / candidate
        entries = []
        for name, source in instances.items():
            (tree / name).mkdir(parents=True)
            (tree / name / "CryptHash.c").write_text(source)
            macros = (f'ALGORITHM_INSTANCE "{name}"', "DIGEST_BIT_LENGTH 256", "OUTPUT_BLANK_TEST_VECTORS 0")
            header = "".join(f"#define {macro}\n" for macro in macros)
            (tree / name / "CryptHash_AlgorithmInstance.h").write_text(header)
            entries.append({"name": name, "digest_bits": 256, "directory": name})
        document = {"id": candidate, "algorithm": candidate, "archive": {"path": f"../bundled/{candidate}"}}
        self._write(document | {"instances": entries} | changes)

    def add_manifest(self, candidate: str, manifest: str, exceptions: dict[str, dict]) -> None:
        """Give a candidate a KAT manifest, and instances their exceptions."""
        (self.path / "resources" / "kat" / f"{candidate}.sha256").write_text(manifest)
        document = yaml.safe_load(self._file(candidate).read_text()) | {"kat": f"../kat/{candidate}.sha256"}
        for entry in document["instances"]:
            entry |= {"kat_exception": exceptions[entry["name"]]} if entry["name"] in exceptions else {}
        self._write(document)

    def copy(self, path: Path, *without: str) -> Workplace:
        """A copy of the whole, of which some results are left out."""
        shutil.copytree(self.path, path, symlinks=True)
        for name in without:
            shutil.rmtree(path / "results" / "local" / name)
        return Workplace(path)

    def stand_in(self, name: str, script: str) -> dict[str, str]:
        """Put a shell script in the place of a program; the environment in which it is found."""
        tools = self.path / "tools"
        tools.mkdir()
        (tools / name).write_text(f'#!/bin/sh\n{script}\nexec {shutil.which(name)} "$@"\n')
        (tools / name).chmod(0o755)
        return {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}

    def keep(self, candidate: str, count: int) -> None:
        """Leave a candidate its first `count` instances."""
        document = yaml.safe_load(self._file(candidate).read_text())
        self._write(document | {"instances": document["instances"][:count]})

    def _file(self, candidate: str) -> Path:
        return self.path / "resources" / "candidates" / f"{candidate}.yaml"

    def _write(self, document: dict) -> None:
        self._file(document["id"]).write_text(yaml.safe_dump(document))


def workplace(path: Path) -> Workplace:
    shutil.copytree(ROOT / "resources", path / "resources")
    return Workplace(path)


def small_workplace(path: Path) -> Workplace:
    """One whose candidates=iccs is the smallest campaign with all stages: one instance, and no yardstick joins it."""
    place = workplace(path)
    place.keep("iccs", 1)
    return place
