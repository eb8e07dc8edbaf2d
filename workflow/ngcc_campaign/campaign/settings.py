"""What a person asked for: the configuration, the system's profile, the plan."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path

from ..build import emulator
from ..common import yamlfile
from ..common.errors import Mistake
from ..common.root import ROOT
from ..common.schemas import leaves, short, validate
from . import catalog

# pseudoXOF at every width, with which candidates are compared; it joins campaigns by itself.
YARDSTICK = "yardstick"
# The programme's helper functions, pseudoXOF among them.
HELPERS = "iccs"

# Any machine, as it is.
LOCAL = "local"

# The folders of a system's results.
FOLDERS = ("bin", "fetch", "build", "kat", "records", "memory", "tables", "report")

# The clone: resources, native sources and configuration lie here, results in the working directory.


@dataclass(frozen=True)
class Plan:
    """How a record is timed, as the keys of `plan` in config/systems say it; seconds and processes (trials).

    precision is the half-width of the 95 % interval that is aimed at, as a share of the mean; patience is how many
    times its planned time (trials × target) a record may take until it is reached.
    """

    trials: int
    target_seconds: float
    budget_seconds: float
    precision: float
    patience: float

    def __str__(self) -> str:
        return (
            f"{self.trials} trials of {self.target_seconds:g} s, and more until the mean is known to"
            f" {100 * self.precision:g} %, at most {self.patience:g} times as long"
            f" and {self.budget_seconds:g} s a record"
        )

    @property
    def options(self) -> str:
        """The plan as options of ngcc_perf."""
        return (
            f"--trials {self.trials} --target-seconds {self.target_seconds:g} --budget-seconds {self.budget_seconds:g}"
            f" --precision {self.precision:g} --patience {self.patience:g}"
        )


@dataclass(frozen=True)
class Versus:
    """What the target `compare` sets side by side: names of result sets; rows; per cent of slow-down allowed."""

    baseline: str | None = None
    candidate: str | None = None
    only: tuple[str, ...] = ()
    fail_above: float | None = None


@dataclass(frozen=True)
class Settings:
    """The checked configuration of one campaign."""

    system: dict
    candidates: tuple[catalog.Candidate, ...]
    default_candidates: bool
    plan: Plan
    evidence: str
    unfit_host: str
    sandbox: str
    compare: str | None
    kat: str
    kat_seconds: float
    compiler: str
    archives: Path | None
    retime: tuple[tuple[str, str], ...]
    versus: Versus = Versus()

    @property
    def is_open(self) -> bool:
        """Whether nobody said which candidates: of `local`, stored evidence then counts as a whole."""
        return self.default_candidates and self.system["id"] == LOCAL

    @property
    def results(self) -> Path:
        """The system's results, relative to the working directory, so that no evidence names a machine's paths."""
        return Path("results") / self.system["id"]


def load(config: dict) -> Settings:
    """Check a configuration as Snakemake hands it over and read what it names.

    Lists may be given as comma-separated text, which is what `--config` passes. Raises Mistake.
    """
    config = dict(config)
    for key in ("candidates", "catalog", "retime", "only"):
        config[key] = _list(config.get(key))
    for key, value in leaves(config, "configuration"):
        if isinstance(value, str) and yamlfile.is_odd(value):
            raise Mistake(f"configuration: {key}: {short(value)} holds characters that no name has.")
    if not config["candidates"]:
        raise Mistake("candidates: empty; give ids with commas between, 'all', or 'default', the system's own.")
    validate(config, "config", "configuration")
    system = load_system(config["system"])
    if config.get("cross"):
        system = emulator.rehearsal(system)
    wanted = system["candidates"] if config["candidates"] == ["default"] else config["candidates"]
    folders = [*(Path(folder) for folder in config["catalog"]), ROOT / "resources" / "candidates"]
    archives = Path(config["archives"]) if config.get("archives") else None
    if archives is not None and not os.path.isdir(archives):
        raise Mistake(f"archives: '{archives}' is no folder.")
    plan = {field.name: config.get(field.name) or system["plan"][field.name] for field in dataclasses.fields(Plan)}
    files = catalog.load_catalog(folders)
    candidates = _candidates(wanted, files)
    return Settings(
        system=system,
        candidates=(*candidates, *_yardstick(candidates, files)),
        default_candidates=config["candidates"] == ["default"],
        plan=Plan(**plan),
        evidence=config.get("evidence", "auto"),
        unfit_host=config.get("unfit_host") or system["unfit_host"],
        sandbox=config.get("sandbox", "best"),
        compare=_named_system(config.get("compare")),
        kat=config.get("kat", "quick"),
        kat_seconds=config.get("kat_seconds", 60),
        compiler=_compiler(config.get("compiler", "gcc"), system),
        archives=archives,
        retime=tuple(_retime(one, candidates) for one in config["retime"]),
        versus=Versus(config.get("baseline"), config.get("candidate"), tuple(config["only"]), config.get("fail_above")),
    )


def load_system(name: str) -> dict:
    """The profile config/systems/<name>.yaml, or that of its rehearsal; Mistake names the known ones."""
    if name.endswith(emulator.SUFFIX):
        return emulator.rehearsal(load_system(name.removesuffix(emulator.SUFFIX)))
    folder = ROOT / "config" / "systems"
    file = folder / f"{name}.yaml"
    if not file.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.yaml")))
        raise Mistake(f"system: there is no '{name}' in config/systems; known: {known}.")
    system = yamlfile.read(file)
    validate(system, "system", file.relative_to(ROOT))
    return system


def _compiler(command: str, system: dict) -> str:
    return emulator.cross_compiler(command) if "cross" in system else command


def named_systems() -> list[str]:
    """Systems that published figures or records of others may exist of: all but `local`."""
    return sorted(path.stem for path in (ROOT / "config" / "systems").glob("*.yaml") if path.stem != LOCAL)


def _named_system(name: str | None) -> str | None:
    if name is not None and name not in named_systems():
        raise Mistake(f"compare: there is no system '{name}'; known: {', '.join(named_systems())}.")
    return name


def _list(value: object) -> object:
    if value is None:
        return []
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, (list, tuple)) else value


def _candidates(wanted: list[str], files: dict[str, Path]) -> tuple[catalog.Candidate, ...]:
    everything = sorted(files.keys() - {YARDSTICK}, key=catalog.natural_order)
    ids = everything if wanted == ["all"] else list(dict.fromkeys(wanted))
    for name in ids:
        if name not in files:
            raise Mistake(f"candidates: there is no '{name}'; known: {', '.join(sorted(files))}.")
    return tuple(catalog.load_candidate(files[name]) for name in ids)


def _yardstick(candidates: tuple[catalog.Candidate, ...], files: dict[str, Path]) -> list[catalog.Candidate]:
    """The yardstick at every width that is compared and that no candidate of the programme's helpers brings along."""
    ids = {candidate.id for candidate in candidates}
    if YARDSTICK in ids:
        return []
    compared = [instance for candidate in candidates if candidate.id != HELPERS for instance in candidate.instances]
    brought = {instance.name for candidate in candidates if candidate.id == HELPERS for instance in candidate.instances}
    widths = {instance.digest_bits for instance in compared}
    yardstick = catalog.load_candidate(files[YARDSTICK])
    joining = [one for one in yardstick.instances if one.digest_bits in widths and one.name not in brought]
    return [dataclasses.replace(yardstick, instances=tuple(joining))] if joining else []


def _retime(text: str, candidates: tuple[catalog.Candidate, ...]) -> tuple[str, str]:
    name, separator, instance = text.partition("/")
    if not separator:
        raise Mistake(f"retime: '{text}': expected candidate/instance, as in iccs/sm3hash-256.")
    for candidate in candidates:
        if candidate.id == name:
            return name, candidate.instance(instance).name
    raise Mistake(f"retime: candidate '{name}' is not among those of this campaign.")
