"""What lies below a results folder: every file of evidence, read once."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from ..campaign.settings import FOLDERS
from ..common.errors import Mistake
from ..common.files import parse_json
from ..common.schemas import expected_version, validate
from .findings import Findings

# What a killed run leaves under its temporary names, and the next run sweeps away; and locks.
LITTER = re.compile(r"\..*\.(part|tmp)|\.lock")
# What the timing driver remembers from one record to the next: no evidence, and each record says what it took from it.
MEMORY = "bin/canary.json"
# JSON files by their place: the schema that each must fit.
SCHEMAS = {
    r"host\.json": "host",
    r"bin/drivers\.json": "drivers",
    r"fetch/[^/]+\.json": "fetch",
    r"build/[^/]+/[^/]+/build\.json": "build",
    r"kat/[^/]+/[^/]+\.json": "kat",
    r"records/([^/]+/)?[^/]+\.json": "record",
    r"memory/[^/]+/[^/]+\.json": "memory",
    r"report/beside\.json": "beside",
    r"report/summary\.json": "summary",
    r"(tables|report)/made\.json": "made",
}


class Holdings:
    """The files of evidence below `folder` by their names relative to it; JSON documents are read and validated."""

    def __init__(self, folder: Path, findings: Findings) -> None:
        self.folder = folder
        self._findings = findings
        self._digests: dict[str, str] = {}
        self.names = sorted(self._walk())
        self.documents = {name: found for name in self.names if (found := self._document(name)) is not None}

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def below(self, place: str) -> list[str]:
        """Names that match the pattern `place`."""
        return [name for name in self.names if re.fullmatch(place, name)]

    def bytes(self, name: str) -> bytes:
        return (self.folder / name).read_bytes()

    def sha256(self, name: str) -> str:
        """SHA-256 of a file that is there."""
        if name not in self._digests:
            self._digests[name] = hashlib.sha256(self.bytes(name)).hexdigest()
        return self._digests[name]

    def has_digest(self, name: str, sha256: str | None, who: str) -> None:
        """Check that the file `name` is there, and is the one that `who` gives the SHA-256 of."""
        if name not in self:
            self._findings.check("digests", False, f"{who}: it names {name}, which is not there.")
        else:
            found = self.sha256(name)
            sentence = f"{name}: its SHA-256 is {found[:16]}…, {who} says {(sha256 or 'none')[:16]}…."
            self._findings.check("digests", found == sha256, sentence)

    def _walk(self) -> set[str]:
        found = {"host.json"} if (self.folder / "host.json").is_file() else set()
        for top in FOLDERS:
            for path, folders, files in os.walk(self.folder / top):
                self._leave_litter(folders)
                self._leave_litter(files)
                links = [name for name in folders + files if os.path.islink(os.path.join(path, name))]
                for name in links:
                    where = Path(path, name).relative_to(self.folder).as_posix()
                    self._findings.fault(f"{where}: it is a link; evidence is files, put the file itself there.")
                found |= {Path(path, name).relative_to(self.folder).as_posix() for name in files if name not in links}
        self._known = frozenset(found - {MEMORY})
        return set(self._known)

    def _leave_litter(self, names: list[str]) -> None:
        """Take out of `names` what is litter; a folder of it counts once."""
        kept = [name for name in names if not LITTER.fullmatch(name)]
        self._findings.counts["litter"] += len(names) - len(kept)
        names[:] = kept

    def _document(self, name: str) -> dict | None:
        """A JSON document that fits its schema; faults are noted, and None is what cannot be worked with."""
        schema = next((schema for place, schema in SCHEMAS.items() if re.fullmatch(place, name)), None)
        if schema is None:
            return None
        self._findings.counts["documents"] += 1
        data = self.bytes(name)
        self._digests[name] = hashlib.sha256(data).hexdigest()
        try:
            document = parse_json(data)
            refuse_other(document, schema, name)
            validate(document, schema, name)
        except Mistake as mistake:
            self._findings.fault(str(mistake))
        except ValueError as error:
            self._findings.fault(f"{name}: not JSON ({error}).")
        else:
            return document
        return None


def refuse_other(document: object, schema: str, name: str) -> None:
    """Raise Mistake that names what a document is, where it is not of the version that this audit reads."""
    told = document if isinstance(document, dict) else {}
    found, expected = (told.get("schema"), told.get("version")), (f"ngcc-perf/{schema}", expected_version(schema))
    if found != expected:
        raise Mistake(
            f"{name}: it is {found[0]} version {found[1]}, this audit reads {expected[0]} version {expected[1]};"
            " audit it with the ngcc-perf that made it."
        )
