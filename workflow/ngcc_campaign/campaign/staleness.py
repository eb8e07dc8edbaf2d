"""Which evidence of a campaign has to be made again, and why: decided by content alone.

What evidence says that it was made from is compared with what it would be made from now; and what it says of other
files (libraries, programs, verdicts, sources) must still be so.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..aggregate import tables
from ..common.errors import Mistake
from ..common.files import read_json, sha256_file
from ..host import host
from ..measure.own import OWN
from ..published import published
from ..render import beside, render
from ..verify import manifest
from . import made
from .settings import named_systems

if TYPE_CHECKING:
    from .campaign import Campaign, Evidence

# A verdict on all four KAT files is one on the two quick ones too.
SATISFIED = {("level", "full"): "quick"}


def stale_evidence(campaign: Campaign) -> dict[Path, str]:
    """Evidence that is there and no longer true, with the reason."""
    found: dict[Path, str] = {}
    documents: dict[Path, dict] = {}
    for path in campaign.evidence:
        if path.exists():
            try:
                documents[path] = read_json(path)
            except Mistake:
                found[path] = "unreadable"
    for path, document in documents.items():
        reason = _changed(campaign.evidence[path], document)
        try:
            reason = reason or _contradicted(campaign, path, document, documents)
        except (AttributeError, KeyError, TypeError):
            reason = "not as its schema has it"
        if reason:
            found[path] = reason
    found |= {path: reason for path, reason in _unusable(campaign).items() if path in documents}
    for path, document in documents.items():
        if path not in found and document.get("status") == "REFUSED" and _verdict_comes(campaign, path, found):
            found[path] = "its KAT verdict is made again"
    return found


def _unusable(campaign: Campaign) -> dict[Path, str]:
    """Records that the aggregate stage found to contradict their schema or themselves."""
    try:
        rows = [row for name in ("performance", "own") for row in tables.read(campaign.results, name)]
    except Mistake:
        return {}
    return {campaign.results / row["record"]: "unusable" for row in rows if row["status"] == "UNUSABLE"}


def stale_tables(campaign: Campaign) -> dict[Path, str]:
    """The table that shows why tables have to be made again, and that reason.

    They cannot be read, are of another choice of candidates or another kind of evidence, or the evidence is not what
    they were made from, or they were edited.
    """
    path, folder = tables.path(campaign.results, "candidates"), campaign.results / "tables"
    if not folder.is_dir():
        return {}
    try:
        read = {name: tables.read(campaign.results, name) for name in tables.of(campaign.kind)}
    except Mistake:
        return {path: "unreadable"}
    if sorted(row["candidate"] for row in read["candidates"]) != sorted(campaign.shown):
        return {path: "other candidates"}
    made_of = [(row["evidence"], row["statement"]) for row in read["campaign"]]
    if made_of != [(campaign.decision.kind, campaign.decision.statement)]:
        return {path: "another kind of evidence"}
    if reason := made.other_inputs(folder, made.digests(campaign.table_inputs)) or _other_profile(campaign, read):
        return {path: reason}
    if edited := made.edited(folder):
        return {folder / edited: "edited since it was made"}
    return {}


def _other_profile(campaign: Campaign, read: dict[str, list[dict[str, str]]]) -> str:
    """That stored evidence deviates from its system's profile in another way than the tables say."""
    if campaign.kind != "stored":  # what is measured holds the profile that it was measured by
        return ""
    told = [row for row in read["unfit"] if row["fact"] != tables.UNSTEADY_CLOCK]
    return "" if told == host.deviations(read_json(campaign.host)) else "the system's profile changed"


def stale_report(campaign: Campaign) -> dict[Path, str]:
    """The page that shows why pages have to be made again although tables have not, and that reason.

    They were made with another choice, beside other reports, or from other tables than there are now, or were edited.
    """
    results, index = campaign.results, campaign.results / "report" / "index.md"
    if not index.is_file():
        return {}
    try:
        stored = render.read_tables(results)
    except Mistake:  # the tables are made again, and the pages with them
        return {}
    now = render.look_beside(results, stored, named_systems()[::-1], campaign.settings.compare, published.FOLDER)
    try:
        if beside.read(results) != now:
            return {index: "made with another compare, or beside other reports"}
        if reason := made.other_inputs(index.parent, made.digests(render.inputs(results, stored))):
            return {index: reason}
        edited = made.edited(index.parent)
    except Mistake:
        return {index: "made by another ngcc-perf, or damaged"}
    if "/" in edited:  # Snakemake knows what lies beside the index, and not each file of the site
        return {index: f"{edited} was edited since it was made"}
    return {index.with_name(edited): "edited since it was made"} if edited else {}


def _changed(evidence: Evidence, document: dict) -> str:
    """What it was made from and is no more, by name."""
    made_from = document.get("made_from")
    if not isinstance(made_from, dict):
        return "what it is made from is not said"
    changed = [
        name
        for name, value in evidence.made_from.items()
        if made_from.get(name) != value and SATISFIED.get((name, made_from.get(name))) != value
    ]
    if changed or made_from.keys() != evidence.made_from.keys():
        return f"{', '.join(changed) or 'what it is made from'} changed"
    return f"tried again ({document.get('reason', '')})" if document.get("retry") else ""


def _contradicted(campaign: Campaign, path: Path, document: dict, documents: dict[Path, dict]) -> str:
    """What it says of other files and is not so."""
    stage = path.relative_to(campaign.results).parts[0]
    if stage == "bin":
        return _lost(campaign.results / "bin", document.get("programs", {}))
    if stage == "build":
        return _build(campaign, path, document)
    if stage == "kat":
        return _verdict(campaign, path, document, documents)
    if stage == "records" and path.parent.name == "records":
        return _own(campaign, path, document)
    if stage in ("records", "memory"):
        return _measured(campaign, path, document, documents)
    return ""


def _is_of(path: Path, document: dict) -> bool:
    """Whether a document is about the candidate, instance and operation of its place."""
    instance, _, operation = path.stem.partition("__")
    told = (document["candidate"], document["instance"], document.get("operation", ""))
    return told == (path.parts[-2], instance, operation)


def _lost(folder: Path, digests: dict[str, str]) -> str:
    for name, digest in digests.items():
        if not (folder / name).is_file():
            return f"{name} is gone"
        if sha256_file(folder / name) != digest:
            return f"{name} is not the one that was built"
    return ""


def _build(campaign: Campaign, path: Path, document: dict) -> str:
    built = [variant for variant in document.get("variants", []) if variant.get("library")]
    if lost := _lost(campaign.results, {variant["library"]: variant["library_sha256"] for variant in built}):
        return lost
    archive = campaign.candidate(path.parts[-3]).archive
    if archive.in_place:
        for source in document.get("sources", []):
            file = archive.path / source["file"]
            if not file.is_file() or sha256_file(file) != source["sha256"]:
                return "a source was edited while it was built"
    return ""


def _verdict(campaign: Campaign, path: Path, document: dict, documents: dict[Path, dict]) -> str:
    if not _is_of(path, document):
        return "it is about something else"
    if not path.with_suffix(".log").is_file():
        return "its log is gone"
    candidate, instance = path.parts[-2], path.stem
    build = documents.get(campaign.build(candidate, instance), {})
    built = {variant["flags"]: variant["library_sha256"] for variant in build.get("variants", [])}
    if build and document["library_sha256"] and built.get(document["flags"]) != document["library_sha256"]:
        return "its library changed"
    expected = manifest.expected(campaign.candidate(candidate).kat, instance)
    judged = {entry["file"]: entry["expected_sha256"] for entry in document["files"]}
    if any(expected.get(file) != digest for file, digest in judged.items()):
        return "the manifest was edited while it was verified"
    return ""


def _measured(campaign: Campaign, path: Path, document: dict, documents: dict[Path, dict]) -> str:
    """A measured figure outlives a verdict that turned bad (it is withheld); a refusal follows its verdict."""
    if not _is_of(path, document):
        return "it is about something else"
    verdict = documents.get(campaign.kat(document["candidate"], document["instance"]), {})
    if not verdict.get("timed"):
        return ""
    if document["status"] == "REFUSED":
        return "its KAT verdict changed"
    library = document["files"]["library_sha256"] if "files" in document else document["library_sha256"]
    return "its library changed" if library != verdict["library_sha256"] else ""


def _own(campaign: Campaign, path: Path, document: dict) -> str:
    if any(document[key] != value for key, value in OWN[path.stem].asked.items()):
        return "it is about something else"
    library = campaign.results / "bin" / OWN[path.stem].library
    timed = document["files"]["library_sha256"]
    return "its library changed" if library.is_file() and sha256_file(library) != timed else ""


def _verdict_comes(campaign: Campaign, path: Path, stale: dict[Path, str]) -> bool:
    kats = [need for need in campaign.evidence[path].needs if need.parts[-3] == "kat"]
    return any(kat in stale or not kat.exists() for kat in kats)
