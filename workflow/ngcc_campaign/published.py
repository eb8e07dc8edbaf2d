"""Figures that others have published: texts as printed, never numbers to compute with and print again."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml

from .catalog import MESSAGE_BYTES, Candidate, Instance
from .errors import Mistake
from .stored import facts, in_order
from .tables import PUBLISHED

FOLDER = Path(__file__).parents[2] / "resources" / "published"

# What candidates.csv tells of a submission, besides its id.
TOLD = ("category", "function", "algorithm", "version", "submission_page", "security_evaluation")

# The columns of performance.csv and kat.csv in the folder of a system.
_PERFORMANCE = PUBLISHED["published_performance"]
_KAT = ("system", "candidate", "instance", "build_flags", "kat", "kat_log_sha256_prefix")
_ENVIRONMENT = ("environment", "plan")

Row = dict[str, str]


@dataclass(frozen=True)
class Published:
    """What is published of one system; `environment` and `plan` are items and what is printed beside them."""

    system: str
    architecture: str
    environment: dict[str, str]
    plan: dict[str, str]
    performance: dict[tuple[str, str, int], Row]  # by candidate, instance, message bytes
    kat: dict[tuple[str, str], Row]  # by candidate, instance

    @property
    def description(self) -> str:
        return self.environment.get("processor", self.architecture)


def read(folder: Path) -> Published:
    """The published figures in `folder`; Mistake names the file that is not what it has to be."""
    environment = _environment(folder / "environment.yaml")
    performance, kat = _table(folder / "performance.csv", _PERFORMANCE), _table(folder / "kat.csv", _KAT)
    return Published(
        **environment,
        performance={(row["candidate"], row["instance"], int(row["message_bytes"])): row for row in performance},
        kat={(row["candidate"], row["instance"]): row for row in kat},
    )


def _environment(file: Path) -> dict:
    try:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        found = {key: document[key] for key in ("system", "architecture", *_ENVIRONMENT)}
        texts = [found["system"], found["architecture"]]
        texts += [text for key in _ENVIRONMENT for text in found[key].values()]
    except OSError as error:
        raise Mistake(f"{file}: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, LookupError, TypeError, AttributeError) as error:
        raise Mistake(f"{file}: no description of a system ({' '.join(str(error).split())}).") from None
    if strange := [text for text in texts if not isinstance(text, str)]:
        raise Mistake(f"{file}: {strange[0]!r} is no text; put it in quotes, as it is printed.")
    return found


def _table(file: Path, columns: Sequence[str]) -> list[Row]:
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            header, *lines = csv.reader(stream, strict=True)
    except OSError as error:
        raise Mistake(f"{file}: {error.strerror}.") from None
    except (ValueError, csv.Error) as error:
        raise Mistake(f"{file}: no readable table ({error}).") from None
    if tuple(header) != tuple(columns) or any(len(line) != len(header) for line in lines):
        raise Mistake(f"{file}: expected the columns {', '.join(columns)} in every line.")
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    if strange := [row["message_bytes"] for row in rows if not row.get("message_bytes", "0").isdecimal()]:
        raise Mistake(f"{file}: message_bytes '{strange[0]}' is no number of bytes.")
    return rows


def rows(published: Published, candidates: Sequence[Candidate], statement: str) -> dict[str, list[dict]]:
    """The rows of all tables of a report of published figures, by table."""
    by_id = {candidate.id: candidate for candidate in candidates}
    ordered = [by_id[name] for name in in_order(by_id)]
    instances = [_instances(candidate) for candidate in ordered]
    performance = [_performance(published, one, size) for own in instances for one in own for size in MESSAGE_BYTES]
    there = sum("mean_time" in row for row in performance)
    return {
        "candidates": [_candidate(candidate) for candidate in ordered],
        "published_kat": [_kat(published, instance) for own in instances for instance in own],
        "published_performance": performance,
        "published_environment": [
            {"part": "system", "item": "architecture", "value": published.architecture},
            *(
                {"part": part, "item": item, "value": value}
                for part in _ENVIRONMENT
                for item, value in getattr(published, part).items()
            ),
        ],
        "missing": [row for own in instances for row in _missing(published.system, own, performance)],
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


def _names(instance: Instance) -> dict:
    return {"candidate": instance.candidate, "instance": instance.name}


def _missing(system: str, instances: list[Instance], performance: list[dict]) -> list[dict]:
    """What is not published: a row for a whole candidate, for a whole instance, or for one message length."""
    missing = []
    for instance in instances:
        own = [row for row in performance if row.items() >= _names(instance).items()]
        absent = [f"timing hash_{row['message_bytes']}" for row in own if "mean_time" not in row]
        operations = [""] if len(absent) == len(own) else absent
        reason = f"no figure of it is published for {system}"
        missing += [_names(instance) | {"operation": operation, "reason": reason} for operation in operations]
    if len(missing) == len(instances) and all(not row["operation"] for row in missing):
        return [{"candidate": instances[0].candidate, "reason": missing[0]["reason"]}]
    return missing
