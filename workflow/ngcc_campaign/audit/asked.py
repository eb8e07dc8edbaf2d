"""Which files a campaign must have left behind, which it may, and which nothing asks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..aggregate import tables
from ..campaign.catalog import INSTANCE_NAME, MESSAGE_BYTES
from ..campaign.made import NAME as MADE
from ..campaign.settings import YARDSTICK
from ..measure.own import OWN
from ..render import render
from ..render.beside import NAME as BESIDE
from ..render.site import names
from .findings import Findings
from .holdings import Holdings

# Of one instance, as names with its candidate and itself.
_DOCUMENTS = ("build/{}/{}/build.json", "kat/{}/{}.json", "memory/{}/{}.json")
_RECORDS = tuple(f"records/{{}}/{{}}__hash_{size}.json" for size in MESSAGE_BYTES)


@dataclass
class Asked:
    """What a report is about, and its files.

    `files` must be there, `logs` may (what tools said), `binaries` are there all or none; `others` are candidates that
    the folder holds and the report does not show, and `renamed` the evidence of instances that no file of a shown
    candidate names any more.
    """

    candidates: list[str]
    instances: list[tuple[str, str]] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    logs: set[str] = field(default_factory=set)
    binaries: set[str] = field(default_factory=set)
    others: list[str] = field(default_factory=list)
    renamed: set[str] = field(default_factory=set)

    def not_held(self, holdings: Holdings) -> set[str]:
        """The binaries, where none of them is held; else none."""
        return set() if any(name in holdings for name in self.binaries) else set(self.binaries)

    def held(self, holdings: Holdings) -> set[str]:
        """What is there of all that it rests on and consists of; what tools said is no evidence.

        Documents of what is `renamed` belong to it, as made.json names them.
        """
        documents = {name for name in self.renamed if name.endswith(".json")}
        return {name for name in self.files | self.binaries | documents if name in holdings}


def asked(holdings: Holdings, candidates: list[str], kind: str) -> Asked:
    """What a report on `candidates` rests on; `kind` is that of its evidence."""
    found = Asked(candidates)
    found.files |= {"host.json", "bin/drivers.json", *(f"records/{name}.json" for name in OWN)}
    found.files |= {f"tables/{name}.csv" for name in tables.of(kind)}
    found.files |= {f"tables/{MADE}", f"report/{MADE}"}
    found.files |= {BESIDE, *(f"report/{page}.md" for page in pages(holdings, candidates))}
    found.files |= {f"report/{name}" for name in render.data_files(candidates)} | set(site(holdings, candidates, kind))
    drivers = holdings.documents.get("bin/drivers.json", {"programs": {}})
    found.binaries |= {f"bin/{program}" for program in drivers["programs"]}
    for candidate in candidates:
        found.files.add(f"fetch/{candidate}.json")
        for instance in _instances(holdings, candidate):
            _add_instance(found, holdings, candidate, instance)
    fetched = {name.removeprefix("fetch/").removesuffix(".json") for name in holdings.below(r"fetch/[^/]+\.json")}
    found.others = sorted(fetched - set(candidates))
    found.renamed = {name for candidate in candidates for name in _renamed(holdings, candidate, found.instances)}
    return found


def pages(holdings: Holdings, candidates: list[str]) -> list[str]:
    """The pages of a report, by name."""
    others = holdings.documents.get(BESIDE, {"systems": []})["systems"]
    return ["index", "method", "ranking", *candidates, *(["systems"] if others else [])]


def site(holdings: Holdings, candidates: list[str], kind: str) -> list[str]:
    """The files of the report's site."""
    return [f"report/{name}" for name in names.every(pages(holdings, candidates), candidates, kind)]


def _instances(holdings: Holdings, candidate: str) -> list[str]:
    fetch = holdings.documents.get(f"fetch/{candidate}.json")
    names = [entry["name"] for entry in fetch["candidate"]["instances"]] if fetch else []
    if candidate == YARDSTICK:  # its file has more widths than a campaign asks for
        names = [name for name in names if any(place.format(candidate, name) in holdings for place in _DOCUMENTS)]
    return names


def _renamed(holdings: Holdings, candidate: str, named: list[tuple[str, str]]) -> set[str]:
    """What stages wrote of instances that were built and that the candidate's file does not name any more."""
    found = Asked([candidate])
    for build in holdings.below(rf"build/{candidate}/{INSTANCE_NAME}/build\.json"):
        instance = build.split("/")[2]
        if build in holdings.documents and (candidate, instance) not in named:
            _add_instance(found, holdings, candidate, instance)
    return found.files | found.binaries | found.logs


def _add_instance(found: Asked, holdings: Holdings, candidate: str, instance: str) -> None:
    found.instances.append((candidate, instance))
    found.files |= {place.format(candidate, instance) for place in (*_DOCUMENTS, *_RECORDS)}
    found.files.add(f"kat/{candidate}/{instance}.log")
    build = holdings.documents.get(f"build/{candidate}/{instance}/build.json", {"variants": []})
    for variant in build["variants"]:
        found.logs.add(f"build/{candidate}/{instance}/{variant['flags']}.log")
        if variant["library"]:
            found.binaries.add(variant["library"])


def check(holdings: Holdings, found: Asked, findings: Findings) -> None:
    """Note what is absent, and what nothing asks for."""
    findings.counts["files"] += len(holdings.names)
    not_held = found.not_held(holdings)
    findings.counts["files not held"] += len(not_held)
    for name in sorted((found.files | found.binaries) - not_held):
        if name not in holdings:
            findings.fault(f"{name}: it is not there; it was taken away, or the campaign did not get so far.")
    known = found.files | found.binaries | found.logs
    for name in (name for name in holdings.names if name not in known):
        if name in found.renamed or _of_others(name, found.others):
            findings.counts["files not audited"] += 1
        else:
            findings.fault(f"{name}: nothing asks for this file; take it away, or give it the name that it had.")


def _of_others(name: str, others: list[str]) -> bool:
    top, *rest = name.split("/")
    if top == "fetch":
        return rest[0].removesuffix(".json") in others
    return top in ("build", "kat", "memory", "records") and len(rest) > 1 and rest[0] in others
