"""Figures that others have published: texts as printed; only their ranking takes them for numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ..aggregate import places
from ..aggregate.stored import facts, in_order
from ..aggregate.tables import PUBLISHED
from ..campaign.catalog import MESSAGE_BYTES, Candidate, Instance, load_candidate
from ..campaign.settings import named_systems
from ..common import yamlfile
from ..common.errors import Mistake
from ..common.root import ROOT
from . import printed
from .rounding import contradiction

FOLDER = ROOT / "resources" / "published"

# What candidates.csv tells of a submission, besides its id.
TOLD = ("category", "function", "algorithm", "version", "submission_page", "security_evaluation")

# The columns of performance.csv and kat.csv in the folder of a system.
_PERFORMANCE = PUBLISHED["published_performance"]
_KAT = ("system", "candidate", "instance", "build_flags", "kat", "kat_log_sha256_prefix")
_FILES = ("environment.yaml", "kat.csv", "performance.csv")
_SYSTEM = ("system", "architecture", "source")
_ENVIRONMENT = ("environment", "plan")

# The means that a row gives; without one of them it is not whole.
MEANS = {"mean of cycles": "mean_cycles", "mean time": "mean_time"}

Row = dict[str, str]


@dataclass(frozen=True)
class Published:
    """What is published of one system; `environment` and `plan` are items and what is printed beside them."""

    system: str
    architecture: str
    source: str
    environment: dict[str, str]
    plan: dict[str, str]
    performance: dict[tuple[str, str, int], Row]  # by candidate, instance, message bytes
    kat: dict[tuple[str, str], Row]  # by candidate, instance

    @property
    def description(self) -> str:
        return self.environment.get("processor", self.architecture)


def read(folder: Path) -> Published:
    """The published figures in `folder`, which is named for the system; Mistake names the file, line and column."""
    _check_files(folder)
    environment = _environment(folder / "environment.yaml")
    kat = printed.read(folder / "kat.csv", _KAT, ("candidate", "instance"), folder.name, _unknown)
    return Published(
        **environment,
        performance=performance(folder),
        kat={(row["candidate"], row["instance"]): row for row in kat},
    )


def read_all(folder: Path) -> None:
    """Read all that is published below `folder`; Mistake names what is damaged."""
    for system in systems(folder):
        read(folder / system)


def systems(folder: Path) -> list[str]:
    """The named systems that have a folder below `folder`; what else lies there is nobody's."""
    return [system for system in named_systems() if (folder / system).is_dir()]


def inputs(folder: Path, candidates: Sequence[Candidate]) -> dict[str, Path]:
    """The files, by name, that the tables of a report of published figures are made from."""
    return {f"published/{name}": folder / name for name in _FILES} | {
        f"candidates/{candidate.id}.yaml": candidate.file for candidate in candidates
    }


def _check_files(folder: Path) -> None:
    for name in _FILES:
        if not (folder / name).is_file():
            whole = f"published figures of a system are {', '.join(_FILES)}"
            raise Mistake(f"{folder / name}: No such file; {whole}: put it there, or take the folder away.")


def performance(folder: Path) -> dict[tuple[str, str, int], Row]:
    """Published figures by candidate, instance and message bytes; none where nothing is published of a system."""
    if not folder.is_dir():
        return {}
    key = ("candidate", "instance", "message_bytes")
    rows = printed.read(
        folder / "performance.csv", _PERFORMANCE, key, folder.name, lambda row: _unknown(row) or contradiction(row)
    )
    return {(row["candidate"], row["instance"], int(row["message_bytes"])): row for row in rows}


def _unknown(row: Row) -> tuple[str, str] | None:
    """That the candidate file here knows no such instance: none would be shown, and nobody told."""
    known = _instances_of(row["candidate"])
    if known and row["instance"] not in known:
        told = f"found {row['instance']!r}, which {row['candidate']} has not; its instances are {', '.join(known)}"
        return "instance", told
    return None


@cache
def _instances_of(candidate: str) -> tuple[str, ...]:
    """Of a candidate of the project itself; of others nobody can tell."""
    file = ROOT / "resources" / "candidates" / f"{candidate}.yaml"
    return tuple(one.name for one in load_candidate(file).instances) if file.is_file() else ()


def _environment(file: Path) -> dict:
    document = yamlfile.read(file)
    try:
        found = {key: document[key] for key in (*_SYSTEM, *_ENVIRONMENT)}
        texts = {key: found[key] for key in _SYSTEM}
        texts |= {f"{key}.{item}": text for key in _ENVIRONMENT for item, text in found[key].items()}
    except (LookupError, TypeError, AttributeError) as error:
        raise Mistake(f"{file}: no description of a system ({' '.join(str(error).split())}).") from None
    for key, text in texts.items():
        if not isinstance(text, str):
            raise Mistake(f"{file}: {key}: {text!r} is no text; put it in quotes, as it is printed.")
    if found["system"] != file.parent.name:
        raise Mistake(f"{file}: system: found {found['system']!r}, expected {file.parent.name!r}, the folder's name.")
    return found


def rows(published: Published, candidates: Sequence[Candidate], statement: str) -> dict[str, list[dict]]:
    """The rows of all tables of a report of published figures, by table."""
    by_id = {candidate.id: candidate for candidate in candidates}
    ordered = [by_id[name] for name in in_order(by_id)]
    instances = [_instances(candidate) for candidate in ordered]
    performance = [_performance(published, one, size) for own in instances for one in own for size in MESSAGE_BYTES]
    there = sum(len(_absent(row)) < len(MEANS) for row in performance)
    kat = [_kat(published, instance) for own in instances for instance in own]
    return {
        "candidates": [_candidate(candidate) for candidate in ordered],
        "published_kat": kat,
        "published_performance": performance,
        "ranking": places.of_published(performance, kat),
        "published_environment": [
            {"part": "system", "item": "architecture", "value": published.architecture},
            {"part": "system", "item": "source", "value": published.source},
            *(
                {"part": part, "item": item, "value": value}
                for part in _ENVIRONMENT
                for item, value in getattr(published, part).items()
            ),
        ],
        "missing": [row for own in instances for row in _missing(published, own, performance)],
        "campaign": [
            {
                "system": published.system,
                "description": published.description,
                "evidence": "published",
                "statement": statement,
                "emulated": False,
                "records_there": there,
                "records_asked": len(performance),
            }
        ],
    }


def _instances(candidate: Candidate) -> list[Instance]:
    return [candidate.instance(name) for name in in_order(instance.name for instance in candidate.instances)]


def _candidate(candidate: Candidate) -> dict:
    """Nothing was fetched, so there is no outcome; the archive is the one that the candidate file names."""
    archive = candidate.archive
    row = {"candidate": candidate.id, **{key: facts(candidate)[key] for key in TOLD}}
    if archive.url:
        name = unquote(urlsplit(archive.url).path).rpartition("/")[2]
        row |= {"archive_kind": "url", "archive": name, "archive_sha256": archive.sha256}
    return row


def _kat(published: Published, instance: Instance) -> dict:
    row = published.kat.get((instance.candidate, instance.name), {})
    told = ("build_flags", "kat", "kat_log_sha256_prefix")
    return _names(instance) | {"digest_bits": instance.digest_bits} | {key: row[key] for key in told if row}


def _performance(published: Published, instance: Instance, size: int) -> dict:
    row = published.performance.get((instance.candidate, instance.name, size), {})
    return _names(instance) | {"message_bytes": size} | row


def _absent(row: dict) -> list[str]:
    """Those of the two means that are not published."""
    return [name for name, column in MEANS.items() if not row.get(column)]


def _names(instance: Instance) -> dict:
    return {"candidate": instance.candidate, "instance": instance.name}


def _missing(published: Published, instances: list[Instance], performance: list[dict]) -> list[dict]:
    """What is not published: a row for a whole candidate, for a whole instance, or for each thing that it lacks."""
    missing, nothing = [], f"no figure of it is published for {published.system}"
    for instance in instances:
        own = [row for row in performance if row.items() >= _names(instance).items()]
        lacking = [(f"timing hash_{row['message_bytes']}", absent) for row in own if (absent := _absent(row))]
        if [absent for _, absent in lacking] == [list(MEANS)] * len(own):
            missing.append(_names(instance) | {"operation": "", "reason": nothing})
            continue
        told = [
            (name, nothing if absent == list(MEANS) else f"its {' and '.join(absent)} is not published")
            for name, absent in lacking
        ]
        if not published.kat.get((instance.candidate, instance.name), {}).get("kat"):
            told.insert(0, ("KAT", f"no verdict of it is published for {published.system}"))
        missing += [_names(instance) | {"operation": name, "reason": reason} for name, reason in told]
    if len(missing) == len(instances) and all(not row["operation"] for row in missing):
        return [{"candidate": instances[0].candidate, "reason": nothing}]
    return missing
