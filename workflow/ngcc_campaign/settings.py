"""What a person asked for: the configuration, the system's profile, the plan."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

import yaml

from . import catalog
from .errors import Mistake
from .schemas import validate

# The clone: resources, native sources and configuration lie here, results in the working directory.
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Plan:
    """How a record is timed: trials (processes), seconds a trial aims at, seconds a record may take, calls a trial."""

    trials: int
    target_seconds: float
    budget_seconds: float
    max_calls: int

    def __str__(self) -> str:
        return (
            f"{self.trials} trials of {self.target_seconds:g} s, at most {self.max_calls} calls a trial,"
            f" at most {self.budget_seconds:g} s a record"
        )

    @property
    def options(self) -> str:
        """The plan as options of ngcc_perf."""
        return (
            f"--trials {self.trials} --target-seconds {self.target_seconds:g}"
            f" --budget-seconds {self.budget_seconds:g} --max-calls {self.max_calls}"
        )


@dataclass(frozen=True)
class Settings:
    """The checked configuration of one campaign."""

    system: dict
    candidates: tuple[catalog.Candidate, ...]
    plan: Plan
    kat: str
    kat_seconds: float
    compiler: str
    archives: Path | None
    retime: tuple[str, str] | None

    @property
    def results(self) -> Path:
        """The system's results, relative to the working directory, so that no evidence names a machine's paths."""
        return Path("results") / self.system["id"]


def load(config: dict) -> Settings:
    """Check a configuration as Snakemake hands it over and read what it names.

    Lists may be given as comma-separated text, which is what `--config` passes. Raises Mistake.
    """
    config = dict(config)
    for key in ("candidates", "catalog"):
        config[key] = _list(config.get(key))
    if not config["candidates"]:
        raise Mistake("candidates: empty; give ids with commas between, or 'all'.")
    validate(config, "config", "configuration")
    system = load_system(config["system"])
    folders = [*(Path(folder) for folder in config["catalog"]), ROOT / "resources" / "candidates"]
    archives = Path(config["archives"]) if config.get("archives") else None
    if archives is not None and not archives.is_dir():
        raise Mistake(f"archives: '{archives}' is no folder.")
    plan = {field.name: config.get(field.name) or system["plan"][field.name] for field in dataclasses.fields(Plan)}
    candidates = _candidates(config["candidates"], folders)
    return Settings(
        system=system,
        candidates=candidates,
        plan=Plan(**plan),
        kat=config.get("kat", "quick"),
        kat_seconds=config.get("kat_seconds", 60),
        compiler=config.get("compiler", "gcc"),
        archives=archives,
        retime=_retime(config.get("retime"), candidates),
    )


def load_system(name: str) -> dict:
    """The profile config/systems/<name>.yaml; Mistake names the known ones."""
    folder = ROOT / "config" / "systems"
    file = folder / f"{name}.yaml"
    if not file.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.yaml")))
        raise Mistake(f"system: there is no '{name}' in config/systems; known: {known}.")
    system = yaml.safe_load(file.read_text(encoding="utf-8"))
    validate(system, "system", file.relative_to(ROOT))
    return system


def _list(value: object) -> object:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple)) else value


def _candidates(wanted: list[str], folders: list[Path]) -> tuple[catalog.Candidate, ...]:
    files = catalog.load_catalog(folders)
    ids = sorted(files, key=catalog.natural_order) if wanted == ["all"] else list(dict.fromkeys(wanted))
    for name in ids:
        if name not in files:
            raise Mistake(f"candidates: there is no '{name}'; known: {', '.join(sorted(files))}.")
    return tuple(catalog.load_candidate(files[name]) for name in ids)


def _retime(value: str | None, candidates: tuple[catalog.Candidate, ...]) -> tuple[str, str] | None:
    if value is None:
        return None
    name, instance = value.split("/")
    for candidate in candidates:
        if candidate.id == name:
            return name, candidate.instance(instance).name
    raise Mistake(f"retime: candidate '{name}' is not among those of this campaign.")
