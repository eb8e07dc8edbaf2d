"""Does the library compute the submitted vectors?

The variants of a build are tried in order; the first that passes is the one that is timed. Whatever a submission
does, the stage succeeds: its verdict is data.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..campaign.catalog import Candidate, Instance
from ..common.errors import Mistake
from ..common.files import read_json, sha256_file, sha256_text, utc_now, write_json, write_text
from ..common.printable import printable
from ..common.schemas import validate
from .katdriver import Driver, ask_file, ask_messages
from .kattext import first_difference, submitted_text
from .manifest import LEVELS, expected

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
    driver = Driver(results, seconds, sandbox)
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
        "version": 3,
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
        "messages": chosen["messages"] if chosen else [],
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


def _attempt(variant: dict, instance: Instance, wanted: list[str], digests: dict, driver: Driver) -> dict:
    """The verdict on one variant's library."""
    attempt = {"flags": variant["flags"], "library": None, "library_sha256": None, "files": [], "retry": False}
    attempt |= {"sandbox": None, "messages": []}
    if not variant["built"]:
        return attempt | {"verdict": "BUILDFAIL", "reason": variant["reason"]}
    ran = [ask_file(variant["library"], instance, name, driver) for name in wanted]
    files = [_judge(entry, digests) for entry in ran]
    verdict, reason = _together(files)
    messages = []
    if verdict == "PASS" or (instance.kat_exception or {}).get("action") == "measure":
        messages = ask_messages(variant["library"], instance, driver)
        verdict, reason = _with_messages(verdict, reason, messages)
    return attempt | {
        "verdict": verdict,
        "reason": reason,
        "library": variant["library"],
        "library_sha256": variant["library_sha256"],
        "files": files,
        "messages": messages,
        "retry": any([entry.pop("retry") for entry in files] + [entry["outcome"] == "KILLED" for entry in messages]),
        "sandbox": next((entry["sandbox"] for entry in ran if entry["sandbox"]), None),
    }


def _together(files: list[dict]) -> tuple[str, str]:
    """The verdict that those on the files make, and its reason."""
    verdict = min((entry["verdict"] for entry in files if entry["verdict"] in ORDER), key=ORDER.index, default="NOKAT")
    if not any(entry["expected_sha256"] for entry in files) and verdict == "PASS":
        verdict = "NOKAT"
    if verdict == "NOKAT":
        return verdict, "the manifest holds no digest for this instance; what it computes stands in the log"
    reason = next(f"{entry['file']}: {entry['reason']}" for entry in files if entry["verdict"] == verdict)
    return verdict, "" if verdict == "PASS" else reason


def _with_messages(verdict: str, reason: str, messages: list[dict]) -> tuple[str, str]:
    """The verdict once the timed messages were asked as well: one without an answer counts as a file without."""
    for entry in messages:
        outcome = {"DONE": "PASS", "KILLED": "CRASH"}.get(entry["outcome"], entry["outcome"])
        if ORDER.index(outcome) < ORDER.index(verdict):
            verdict, reason = outcome, f"message of {entry['message_bytes']} bytes: {entry['reason']}"
    return verdict, reason


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


def _explain(chosen: dict, candidate: Candidate, instance: Instance, archives: Path | None, driver: Driver) -> None:
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
    driver: Driver,
) -> str:
    """Note the first difference in the file's entry; in words, what the submitted text says to it."""
    with submitted_text(candidate, instance, entry["file"], archives, driver.results.parent / "archives") as lines:
        if lines is None:
            return "the archive holds no such text to compare with"
        with tempfile.TemporaryDirectory(prefix="tmp.", dir=driver.results) as folder:
            texts = Path(os.path.relpath(folder, driver.results))
            again = ask_file(chosen["library"], instance, entry["file"], driver, texts)
            if again["outcome"] != "DONE":
                return f"its text could not be computed again: {again['reason']}"
            with open(Path(folder) / entry["file"], encoding="ascii") as ours:
                entry["first_difference"] = first_difference(lines, ours)
    if entry["first_difference"] is None:
        return "the submitted text agrees with the library: the manifest's digest is not of its canonical form"
    return entry["first_difference"]["words"]


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
    for entry in document["messages"]:
        told = entry["digest"] or f"{entry['outcome']} {printable(entry['reason'])}"
        lines.append(f"message of {entry['message_bytes']} bytes: {told}")
    lines.append(f"verdict {document['verdict']} {printable(document['reason'])}".rstrip())
    return "\n".join(lines) + "\n"
