"""Stage memory: how much memory does an instance take?

The static parts stand in the library's headers; the driver ngcc_memory observes what calls take, in processes of
its own, so that no timing suffers from being watched.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..campaign.catalog import MESSAGE_BYTES
from ..common.errors import Mistake
from ..common.files import parse_json, read_json, sha256_file, utc_now, write_json
from ..common.processes import run, supervisor_end
from ..common.schemas import validate
from .elf import BadLibrary, static_sizes

# Bounds the driver as a whole, beyond the sum of the limits that it sets its processes.
SECONDS = 2 * 3600


def memory(
    results: Path,
    verdict: Path,
    output: Path,
    made_from: dict[str, str],
    message_bytes: Sequence[int] = MESSAGE_BYTES,
    sandbox: str = "best",
) -> dict:
    """Observe the memory of the library that `verdict` (a file of stage verify) is about; write it to `output`.

    results: the folder that the verdict's names are relative to; it holds bin/ngcc_memory. sandbox: best or require.
    Returns what is written.
    An instance that is not to be timed is REFUSED and its code not run. The status is MEASURED where at least one
    operation was, each of which has an outcome of its own. Raises Mistake where the driver fails or the library is
    not the one that the verdict is about.
    """
    kat = read_json(verdict)
    validate(kat, "kat", verdict)
    document = {
        "schema": "ngcc-perf/memory",
        "version": 2,
        "made_from": made_from,
        "retry": False,
        "status": "REFUSED",
        "reason": kat["timed_reason"],
        "candidate": kat["candidate"],
        "instance": kat["instance"],
        "digest_bits": kat["digest_bits"],
        "library": kat["library"],
        "library_sha256": kat["library_sha256"],
        "command": [],
        "started_utc": utc_now(),
        "ended_utc": "",
        "sandbox": None,
        "elf": None,
        "operations": [],
    }
    if kat["library"]:
        document |= _static(results, kat)
    if kat["timed"] and document["elf"]:
        document |= _observe(results, kat, message_bytes, sandbox)
    document["ended_utc"] = utc_now()
    validate(document, "memory", output)
    write_json(output, document)
    return document


def _static(results: Path, kat: dict) -> dict:
    """The library's static parts, or why there are none."""
    library = results / kat["library"]
    try:
        if sha256_file(library) != kat["library_sha256"]:
            raise Mistake(f"{library}: it changed since its KAT verdict; run the campaign again.")
        return {"elf": static_sizes(library)}
    except OSError as error:
        raise Mistake(f"{library}: {error.strerror}; run the campaign again.") from None
    except BadLibrary as error:
        return {"status": "ERROR", "reason": f"the library has no static sizes: {error}"}


def _observe(results: Path, kat: dict, message_bytes: Sequence[int], sandbox: str) -> dict:
    """What ngcc_memory sees, as members of the document."""
    command = ["bin/ngcc_memory", "--library", kat["library"], "--digest-bits", str(kat["digest_bits"])]
    command += [part for length in message_bytes for part in ("--bytes", str(length))]
    command += ["--sandbox", sandbox]
    completed = run(command, cwd=results, seconds=SECONDS)
    if end := supervisor_end("ngcc_memory", completed, SECONDS):
        return {"command": command, "status": end[0], "reason": end[1], "retry": end[0] == "KILLED"}
    who = f"{kat['candidate']}/{kat['instance']}: ngcc_memory"
    if completed.returncode != 0:
        words = completed.stderr.decode(errors="replace").strip() or f"exit status {completed.returncode}"
        raise Mistake(f"{who} failed: {words}")
    try:
        seen = parse_json(completed.stdout)
        validate(seen, "memory_run", who)
    except (ValueError, Mistake):
        return {"command": command, "status": "ERROR", "reason": "ngcc_memory printed no valid document"}
    if seen["library_sha256"] != kat["library_sha256"]:
        raise Mistake(f"{who} ran another library than the KAT verdict is about; run the campaign again.")
    if [operation["message_bytes"] for operation in seen["operations"]] != list(message_bytes):
        raise Mistake(f"{who} did not answer for the message lengths {', '.join(map(str, message_bytes))}.")
    told = {key: seen[key] for key in ("sandbox", "operations")}
    return {"command": command, **told, **_status(seen["operations"])}


def _status(operations: list[dict]) -> dict:
    failed = [operation for operation in operations if operation["outcome"] != "DONE"]
    retry = any(operation["outcome"] == "KILLED" for operation in failed)
    if len(failed) < len(operations):
        return {"status": "MEASURED", "reason": "", "retry": retry}
    return {"status": failed[0]["outcome"], "reason": failed[0]["reason"], "retry": retry}
