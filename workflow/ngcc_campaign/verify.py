"""Does the library compute the submitted vectors?

The variants of a build are tried in order; the first that passes is the one that is timed. Whatever a submission
does, the stage succeeds: its verdict is data.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .catalog import Candidate, Instance
from .errors import Mistake
from .files import parse_json, read_json, sha256_file, sha256_text, utc_now, write_json, write_text
from .kattext import first_difference, submitted_text
from .manifest import LEVELS, expected
from .printable import printable
from .processes import run, supervisor_end
from .schemas import validate

# Seconds for one of the long files of `full`: messages of 1 GiB, a million iterations.
FULL_SECONDS = 6 * 3600
# Beyond what two runs of a file may take, for ngcc_kat itself.
SUPERVISOR_SECONDS = 60
# The verdict of a whole run is its first in this order.
ORDER = ("FORBIDDEN", "CRASH", "TIMEOUT", "OVERFLOW", "ERROR", "UNSTABLE", "MISMATCH", "NOKAT", "PASS")


def verify(
    candidate: Candidate,
    instance: Instance,
    *,
    level: str,
    seconds: float,
    archives: Path | None,
    results: Path,
    built: Path,
    output: Path,
    made_from: dict[str, str],
    sandbox: str = "best",
) -> dict:
    """Run the KAT procedures of `level` (quick or full) and write `output` and, beside it, a log for people.

    `seconds` bounds each quick file; `sandbox` is best or require. Equal libraries and manifests give equal logs: no
    time stands in them.
    """
    started = utc_now()
    build = read_json(built)
    if build["variants"] and not (results / "bin" / "ngcc_kat").is_file():
        raise Mistake(f"{results / 'bin' / 'ngcc_kat'}: not there; make it with `ngcc-campaign drivers`.")
    digests = expected(candidate.kat, instance.name)
    wanted = [f"{prefix}_{instance.name}.txt" for prefix in LEVELS[level]]
    driver = _Driver(results, seconds, sandbox)
    attempts = []
    for variant in build["variants"]:
        attempts.append(_attempt(variant, instance, wanted, digests, driver))
        if attempts[-1]["verdict"] == "PASS":
            break
    chosen = _chosen(attempts)
    if chosen and chosen["verdict"] == "MISMATCH":
        _explain(chosen, candidate, instance, archives, driver)
    document = {
        "schema": "ngcc-perf/kat",
        "version": 2,
        "made_from": made_from,
        "retry": bool(build.get("retry")) or any(attempt["retry"] for attempt in attempts),
        "candidate": candidate.id,
        "instance": instance.name,
        "digest_bits": instance.digest_bits,
        **_verdict(chosen, build),
        **_permission(chosen, build, instance),
        "kat_exception": instance.kat_exception,
        "level": level,
        "sandbox": next((attempt["sandbox"] for attempt in attempts if attempt["sandbox"]), None),
        "manifest_sha256": sha256_file(candidate.kat) if candidate.kat else None,
        "files": chosen["files"] if chosen else [],
        "attempts": [{key: attempt[key] for key in ("flags", "verdict", "reason")} for attempt in attempts],
    }
    document |= {"started_utc": started, "ended_utc": utc_now()}
    log = output.with_suffix(".log")
    text = log_text(document)
    write_text(log, text)
    document |= {"log": log.relative_to(results).as_posix(), "log_sha256": sha256_text(text)}
    validate(document, "kat", output)
    write_json(output, document)
    return document


@dataclass(frozen=True)
class _Driver:
    """How ngcc_kat is run: in which folder, with which limit on a quick file in seconds, in which sandbox."""

    results: Path
    seconds: float
    sandbox: str


def _attempt(variant: dict, instance: Instance, wanted: list[str], digests: dict, driver: _Driver) -> dict:
    """The verdict on one variant's library."""
    attempt = {"flags": variant["flags"], "library": None, "library_sha256": None, "files": [], "retry": False}
    attempt |= {"sandbox": None}
    if not variant["built"]:
        return attempt | {"verdict": "BUILDFAIL", "reason": variant["reason"]}
    ran = [_ngcc_kat(variant["library"], instance, name, driver) for name in wanted]
    files = [_judge(entry, digests) for entry in ran]
    verdict = min((entry["verdict"] for entry in files if entry["verdict"] in ORDER), key=ORDER.index, default="NOKAT")
    if not any(entry["expected_sha256"] for entry in files) and verdict == "PASS":
        verdict = "NOKAT"
    reason = next((f"{entry['file']}: {entry['reason']}" for entry in files if entry["verdict"] == verdict), "")
    if verdict == "NOKAT":
        reason = "the manifest holds no digest for this instance; what it computes stands in the log"
    return attempt | {
        "verdict": verdict,
        "reason": "" if verdict == "PASS" else reason,
        "library": variant["library"],
        "library_sha256": variant["library_sha256"],
        "files": files,
        "retry": any([entry.pop("retry") for entry in files]),
        "sandbox": next((entry["sandbox"] for entry in ran if entry["sandbox"]), None),
    }


def _ngcc_kat(library: str, instance: Instance, name: str, driver: _Driver, texts: Path | None = None) -> dict:
    """What ngcc_kat says of one file and of its sandbox, or how it came to an end meanwhile, with the command."""
    kind = _kind(name, instance)
    limit = _limit(kind, driver.seconds)
    command = ["bin/ngcc_kat", "--library", library, "--instance", instance.name]
    command += ["--digest-bits", str(instance.digest_bits), "--seconds", f"{limit:g}", "--file", kind]
    command += ["--sandbox", driver.sandbox]
    command += ["--text", str(texts)] if texts else []
    allowed = 2 * limit + SUPERVISOR_SECONDS
    completed = run(command, cwd=driver.results, seconds=allowed)
    if completed.returncode > 0:
        words = completed.stderr.decode(errors="replace").strip() or f"exit status {completed.returncode}"
        raise Mistake(f"{instance.candidate}/{instance.name}: ngcc_kat failed: {words}")
    entry = {"file": name, "records": 0, "sha256": None, "sandbox": None}
    if end := supervisor_end("ngcc_kat", completed, allowed):
        outcome, reason, retry = end
        entry |= {"outcome": "KILLED" if retry else outcome, "reason": reason}
    else:
        try:
            document = parse_json(completed.stdout)
            validate(document, "kat_run", "ngcc_kat")
            (entry,) = (one | {"sandbox": document["sandbox"]} for one in document["files"] if one["file"] == name)
        except (ValueError, Mistake):
            entry |= {"outcome": "ERROR", "reason": "ngcc_kat printed no valid document"}
    return entry | {"command": command}


def _judge(entry: dict, digests: dict[str, str | None]) -> dict:
    """The verdict on one file: what happened, and else whether the digests are the same."""
    wanted = digests.get(entry["file"])
    verdict, reason = entry["outcome"], entry["reason"]
    if verdict == "KILLED":
        verdict = "CRASH"
    elif verdict == "DONE" and wanted is None:
        verdict, reason = "NOT_SUPPLIED", "the manifest holds no digest for it"
    elif verdict == "DONE":
        verdict = "PASS" if entry["sha256"] == wanted else "MISMATCH"
        reason = "" if verdict == "PASS" else f"digest {entry['sha256']}, expected {wanted}"
    return {
        "file": entry["file"],
        "command": entry["command"],
        "records": entry["records"],
        "sha256": entry["sha256"],
        "expected_sha256": wanted,
        "verdict": verdict,
        "reason": reason,
        "first_difference": None,
        "retry": entry["outcome"] == "KILLED",
    }


def _chosen(attempts: list[dict]) -> dict | None:
    """The first attempt that passes, else the first whose library exists, else the first."""
    for good in (lambda one: one["verdict"] == "PASS", lambda one: one["library"]):
        for attempt in attempts:
            if good(attempt):
                return attempt
    return attempts[0] if attempts else None


def _verdict(chosen: dict | None, build: dict) -> dict:
    if chosen is None:
        return {
            "verdict": "BUILDFAIL",
            "reason": build["reason"],
            "flags": None,
            "library": None,
            "library_sha256": None,
        }
    return {key: chosen[key] for key in ("verdict", "reason", "flags", "library", "library_sha256")}


def _permission(chosen: dict | None, build: dict, instance: Instance) -> dict:
    """Whether the library may be timed, and why not."""
    exception = instance.kat_exception or {}
    if exception.get("action") == "exclude":
        return {"timed": False, "timed_reason": f"excluded: {exception['cause']}"}
    if chosen is None or chosen["library"] is None:
        return {"timed": False, "timed_reason": f"BUILDFAIL: {chosen['reason'] if chosen else build['reason']}"}
    if chosen["verdict"] == "PASS":
        return {"timed": True, "timed_reason": ""}
    if exception.get("action") == "measure":
        return {"timed": True, "timed_reason": exception["cause"]}
    return {"timed": False, "timed_reason": f"KAT verdict {chosen['verdict']}: {chosen['reason']}"}


def _explain(chosen: dict, candidate: Candidate, instance: Instance, archives: Path | None, driver: _Driver) -> None:
    """Find the first record that differs from the submitted text, where the archive holds that text."""
    for entry in chosen["files"]:
        if entry["verdict"] == "MISMATCH":
            try:
                entry["reason"] += f"; {_difference(entry, chosen, candidate, instance, archives, driver)}"
            except Mistake as mistake:
                entry["reason"] += f"; the submitted text cannot be read: {mistake}"
    first = next(entry for entry in chosen["files"] if entry["verdict"] == "MISMATCH")
    chosen["reason"] = f"{first['file']}: {first['reason']}"


def _difference(
    entry: dict,
    chosen: dict,
    candidate: Candidate,
    instance: Instance,
    archives: Path | None,
    driver: _Driver,
) -> str:
    """Note the first difference in the file's entry; in words, what the submitted text says to it."""
    with submitted_text(candidate, instance, entry["file"], archives, driver.results.parent / "archives") as lines:
        if lines is None:
            return "the archive holds no such text to compare with"
        with tempfile.TemporaryDirectory(prefix="tmp.", dir=driver.results) as folder:
            texts = Path(os.path.relpath(folder, driver.results))
            again = _ngcc_kat(chosen["library"], instance, entry["file"], driver, texts)
            if again["outcome"] != "DONE":
                return f"its text could not be computed again: {again['reason']}"
            with open(Path(folder) / entry["file"], encoding="ascii") as ours:
                entry["first_difference"] = first_difference(lines, ours)
    if entry["first_difference"] is None:
        return "the submitted text agrees with the library: the manifest's digest is not of its canonical form"
    return entry["first_difference"]["words"]


def _limit(kind: str, seconds: float) -> float:
    return seconds if kind in ("2_12", "2_23") else FULL_SECONDS


def _kind(file: str, instance: Instance) -> str:
    """2_12, 2_23, 2_33 or loop, as ngcc_kat calls a file."""
    return file.removeprefix("KAT_").removesuffix(f"_{instance.name}.txt").lower()


def log_text(document: dict) -> str:
    """The log beside a verdict: what the verdict's document says, for people."""
    lines = [
        f"candidate {document['candidate']}",
        f"instance {document['instance']}",
        f"digest {document['digest_bits']} bits",
        f"flags {document['flags'] or '–'}",
        f"library {document['library_sha256'] or '–'}",
        f"level {document['level']}",
    ]
    for attempt in document["attempts"]:
        lines.append(f"attempt {attempt['flags']}: {attempt['verdict']} {printable(attempt['reason'])}".rstrip())
    for entry in document["files"]:
        lines.append(f"{entry['file']}: {entry['records']} records, {entry['verdict']}")
        lines.append(f"  canonical SHA-256 {entry['sha256'] or '–'}")
        lines.append(f"  manifest  SHA-256 {entry['expected_sha256'] or '– (not supplied)'}")
        lines += [f"  {printable(entry['reason'])}"] if entry["reason"] else []
    lines.append(f"verdict {document['verdict']} {printable(document['reason'])}".rstrip())
    return "\n".join(lines) + "\n"
