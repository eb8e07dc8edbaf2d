"""Running ngcc_kat: what it says of one KAT file, and of the messages that are timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..campaign.catalog import MESSAGE_BYTES, Instance
from ..common.errors import Mistake
from ..common.files import parse_json
from ..common.processes import run, supervisor_end
from ..common.schemas import validate

# Seconds for one of the long files of `full`: messages of 1 GiB, a million iterations.
FULL_SECONDS = 6 * 3600
# Beyond what two runs of a file may take, for ngcc_kat itself.
SUPERVISOR_SECONDS = 60


@dataclass(frozen=True)
class Driver:
    """How ngcc_kat is run: in which folder, with which limit on a quick file in seconds, in which sandbox."""

    results: Path
    seconds: float
    sandbox: str


def ask_messages(library: str, instance: Instance, driver: Driver) -> list[dict]:
    """What the library answers to each message that is timed; a record must hold the same digest."""

    def pick(document: dict) -> dict:
        messages = document["messages"]
        widths = {len(entry["digest"]) for entry in messages if entry["outcome"] == "DONE"}
        asked = tuple(entry["message_bytes"] for entry in messages) == MESSAGE_BYTES
        if not asked or widths - {instance.digest_bits // 4}:
            raise ValueError("other messages, or digests of another width")
        return {"messages": messages}

    what = [word for size in MESSAGE_BYTES for word in ("--bytes", str(size))]
    _, told = _ask(library, instance, what, driver.seconds, driver, pick)
    return told.get("messages") or [{"message_bytes": size, "digest": None, **told} for size in MESSAGE_BYTES]


def ask_file(library: str, instance: Instance, name: str, driver: Driver, texts: Path | None = None) -> dict:
    """What ngcc_kat says of one file and of its sandbox, or how it came to an end meanwhile, with the command."""

    def pick(document: dict) -> dict:
        (entry,) = (one for one in document["files"] if one["file"] == name)
        return entry | {"sandbox": document["sandbox"]}

    kind = _kind(name, instance)
    what = ["--file", kind, *(["--text", str(texts)] if texts else [])]
    command, told = _ask(library, instance, what, _limit(kind, driver.seconds), driver, pick)
    return {"file": name, "records": 0, "sha256": None, "sandbox": None, **told, "command": command}


def _ask(
    library: str, instance: Instance, what: list[str], limit: float, driver: Driver, pick: Callable[[dict], dict]
) -> tuple[list[str], dict]:
    """The command, and what `pick` takes of ngcc_kat's document, else outcome and reason of how it came to an end."""
    command = ["bin/ngcc_kat", "--library", library, "--instance", instance.name]
    command += ["--digest-bits", str(instance.digest_bits), "--seconds", f"{limit:g}", *what]
    command += ["--sandbox", driver.sandbox]
    allowed = 2 * limit + SUPERVISOR_SECONDS
    completed = run(command, cwd=driver.results, seconds=allowed)
    if completed.returncode > 0:
        words = completed.stderr.decode(errors="replace").strip() or f"exit status {completed.returncode}"
        raise Mistake(f"{instance.candidate}/{instance.name}: ngcc_kat failed: {words}")
    if end := supervisor_end("ngcc_kat", completed, allowed):
        return command, dict(zip(("outcome", "reason"), end, strict=True))
    try:
        document = parse_json(completed.stdout)
        validate(document, "kat_run", "ngcc_kat")
        return command, pick(document)
    except (ValueError, Mistake):
        return command, {"outcome": "ERROR", "reason": "ngcc_kat printed no valid document"}


def _limit(kind: str, seconds: float) -> float:
    return seconds if kind in ("2_12", "2_23") else FULL_SECONDS


def _kind(file: str, instance: Instance) -> str:
    """2_12, 2_23, 2_33 or loop, as ngcc_kat calls a file."""
    return file.removeprefix("KAT_").removesuffix(f"_{instance.name}.txt").lower()
