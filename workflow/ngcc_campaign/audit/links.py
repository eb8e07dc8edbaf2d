"""Whether the documents are about what their places say, and the digests in them are those of what is there."""

from __future__ import annotations

from pathlib import PurePosixPath

from ..build import libcnames
from ..common.files import sha256_document
from ..measure import consistency
from ..measure.own import OWN
from ..memory.elf import BadLibrary, static_sizes
from ..verify.verify import log_text
from . import remade
from .asked import Asked
from .findings import Findings
from .holdings import Holdings


class Links:
    """Follows every digest from one document to the file or the document that it speaks of."""

    def __init__(self, holdings: Holdings, asked: Asked, findings: Findings) -> None:
        self._holdings, self._findings = holdings, findings
        self._not_held = asked.not_held(holdings)
        self._documents = holdings.documents
        self._programs = self._documents.get("bin/drivers.json", {}).get("programs", {})

    def check(self, asked: Asked) -> None:
        """Check all documents of a report."""
        self._host()
        for program, sha256 in self._programs.items():
            self._binary(f"bin/{program}", sha256, "bin/drivers.json")
        for name in self._holdings.below(r"fetch/[^/]+\.json"):
            self._fetch(PurePosixPath(name).stem)
        for candidate, instance in asked.instances:
            self._build(candidate, instance)
            self._kat(candidate, instance)
            self._memory(candidate, instance)
            for name in self._holdings.below(rf"records/{candidate}/{instance}__hash_\d+\.json"):
                self._record(name, candidate, instance)
        for name in OWN:
            self._own(name)

    def _same(self, name: str, what: str, found: object, expected: object) -> None:
        sentence = f"{name}: {what} is {_short(found)}, expected {_short(expected)}."
        self._findings.check("statements", found == expected, sentence)

    def _digest(self, name: str, what: str, found: str | None, expected: str | None, source: str) -> None:
        sentence = f"{name}: {what} is {_short(found)}, {source} says {_short(expected)}."
        self._findings.check("digests", found == expected, sentence)

    def _binary(self, name: str, sha256: str | None, who: str) -> None:
        if name in self._not_held:
            self._findings.counts["digests of files not held"] += 1
        else:
            self._holdings.has_digest(name, sha256, who)

    def _host(self) -> None:
        """Its facts are those whose digest it holds; by hand it may be made from nothing that it tells."""
        host = self._documents.get("host.json")
        if host and host["made_from"]:
            told, found = host["made_from"].get("facts"), sha256_document(host["facts"])
            self._digest("host.json", "made_from.facts", told, found, "the digest of its facts")

    def _fetch(self, candidate: str) -> None:
        name = f"fetch/{candidate}.json"
        if document := self._documents.get(name):
            self._same(name, "candidate.id", document["candidate"]["id"], candidate)
            archive = document["archive"]
            if archive["expected_sha256"] and document["outcome"] == "FETCHED":
                self._digest(
                    name, "archive.sha256", archive["sha256"], archive["expected_sha256"], "its candidate file"
                )

    def _about(self, name: str, document: dict, candidate: str, instance: str) -> None:
        self._same(name, "candidate", document["candidate"], candidate)
        self._same(name, "instance", document["instance"], instance)
        fetch = self._documents.get(f"fetch/{candidate}.json")
        if fetch:
            bits = {entry["name"]: entry["digest_bits"] for entry in fetch["candidate"]["instances"]}
            self._same(name, "digest_bits", document["digest_bits"], bits.get(instance))

    def _build(self, candidate: str, instance: str) -> None:
        name = f"build/{candidate}/{instance}/build.json"
        if not (document := self._documents.get(name)):
            return
        self._about(name, document, candidate, instance)
        fetch = self._documents.get(f"fetch/{candidate}.json", {"files": []})
        fetched = {entry["file"]: entry["sha256"] for entry in fetch["files"]}
        for source in document["sources"]:
            what = f"the SHA-256 of {source['file']}"
            self._digest(name, what, source["sha256"], fetched.get(source["file"]), f"fetch/{candidate}.json")
        for variant in document["variants"]:
            folder = f"build/{candidate}/{instance}/{variant['flags']}"
            library = f"{folder}/lib{instance}.so" if variant["built"] else None
            self._same(name, "log", variant["log"], f"{folder}.log")
            self._same(name, "library", variant["library"], library)
            if library:
                self._binary(library, variant["library_sha256"], name)
            if library in self._holdings:
                self._libc_names(name, library, variant["libc_names"])

    def _libc_names(self, name: str, library: str, told: list[str]) -> None:
        """Whatever libc it was built with: all that are told are its own, and all that every libc offers are told."""
        try:
            own = libcnames.defined_too(self._holdings.folder / library, libcnames.ALWAYS.union(told))
        except BadLibrary as error:
            self._findings.fault(f"{library}: {error}.")
        else:
            self._same(name, "libc_names", sorted(told), own)

    def _kat(self, candidate: str, instance: str) -> None:
        name = f"kat/{candidate}/{instance}.json"
        if not (document := self._documents.get(name)):
            return
        self._about(name, document, candidate, instance)
        if flaw := consistency.verdict(document):
            self._findings.fault(f"{name}: {flaw}.")
        build = self._documents.get(f"build/{candidate}/{instance}/build.json", {"variants": []})
        built = {entry["flags"]: (entry["library"], entry["library_sha256"]) for entry in build["variants"]}
        library, sha256 = built.get(document["flags"], (None, None))
        self._same(name, "library", document["library"], library)
        self._digest(name, "library_sha256", document["library_sha256"], sha256, "its build.json")
        log = f"kat/{candidate}/{instance}.log"
        self._same(name, "log", document["log"], log)
        self._holdings.has_digest(log, document["log_sha256"], name)
        if log in self._holdings:
            told = log_text(document).encode("utf-8", "surrogateescape") == self._holdings.bytes(log)
            self._findings.check("statements", told, f"{log}: it does not say what {name} says.")

    def _memory(self, candidate: str, instance: str) -> None:
        name = f"memory/{candidate}/{instance}.json"
        if not (document := self._documents.get(name)):
            return
        self._about(name, document, candidate, instance)
        kat = self._documents.get(f"kat/{candidate}/{instance}.json")
        if kat and not remade.is_withheld(document, kat):
            self._same(name, "library", document["library"], kat["library"])
            self._digest(name, "library_sha256", document["library_sha256"], kat["library_sha256"], "its verdict")
        library = document["library"]
        if document["elf"] and library in self._holdings:
            try:
                self._same(name, "elf", document["elf"], static_sizes(self._holdings.folder / library))
            except BadLibrary as error:
                self._findings.fault(f"{library}: no library whose sizes can be read ({error}).")
        for operation in document["operations"]:
            self._same(name, "operation", operation["operation"], f"hash_{operation['message_bytes']}")

    def _record(self, name: str, candidate: str, instance: str) -> None:
        if not (document := self._documents.get(name)):
            return
        self._about(name, document, candidate, instance)
        self._rests(name, document)
        files, verdict = document["files"], f"kat/{candidate}/{instance}.json"
        self._same(name, "files.verdict", files["verdict"], verdict)
        kat = self._documents.get(verdict)
        if not (kat and remade.verdict(document, kat) and self._earlier(name, verdict, files["verdict_sha256"])):
            self._holdings.has_digest(verdict, files["verdict_sha256"], name)
        if kat and not remade.is_withheld(document, kat):
            self._same(name, "files.library", files["library"], kat["library"])
            self._digest(name, "files.library_sha256", files["library_sha256"], kat["library_sha256"], verdict)
            if document["status"] == "MEASURED" and document["digest"] and consistency.other_answer(document, kat):
                self._findings.counts["withheld"] += 1  # the tables, made again, show whether it is

    def _own(self, own: str) -> None:
        name = f"records/{own}.json"
        if not (document := self._documents.get(name)):
            return
        for key, value in OWN[own].asked.items():
            self._same(name, key, document[key], value)
        self._rests(name, document)
        library, files = OWN[own].library, document["files"]
        self._same(name, "files.library", files["library"], f"bin/{library}")
        self._digest(
            name, "files.library_sha256", files["library_sha256"], self._programs.get(library), "bin/drivers.json"
        )

    def _rests(self, name: str, document: dict) -> None:
        """What every record rests on: its place, the driver, the host."""
        files = document["files"]
        size = PurePosixPath(name).stem.rpartition("__hash_")[2]
        if size.isdecimal():
            self._same(name, "message_bytes", document["message_bytes"], int(size))
        self._same(name, "operation", document["operation"], f"hash_{document['message_bytes']}")
        drivers = {sha256 for program, sha256 in self._programs.items() if program.endswith("ngcc_perf")}
        known = files["driver_sha256"] if files["driver_sha256"] in drivers else self._programs.get("ngcc_perf")
        self._digest(name, "files.driver_sha256", files["driver_sha256"], known, "bin/drivers.json")
        self._same(name, "files.host", files["host"], "host.json")
        host = self._documents.get("host.json")
        if not (host and remade.host(document, host) and self._earlier(name, "host.json", files["host_sha256"])):
            self._holdings.has_digest("host.json", files["host_sha256"], name)

    def _earlier(self, name: str, file: str, sha256: str | None) -> bool:
        """Whether a record names another file than there is, which was made again since; such records are counted."""
        earlier = sha256 is not None and sha256 != self._holdings.sha256(file)
        if earlier:
            self._findings.earlier.add(name)
        return earlier


def _short(value: object) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 100 else f"{text[:16]}…" if len(text) == 64 else f"{text[:100]}…"
