"""The evidence of a system in one file that is the same for the same evidence, and that `audit` takes as it is.

A ZIP, as RO-Crates are: members can be read one by one, and archive.py knows how to read one that nobody vouches for.
Members are stored, not packed: packed bytes differ between versions of the packer. Whoever wants it small, packs it.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from ..audit.findings import Findings
from ..common.errors import Mistake
from ..common.files import write_atomic
from ..common.root import ROOT
from ..fetch import archive
from . import crate

SUMS = "SHA256SUMS"
# What is beside the evidence in a bundle.
ADDED = (SUMS, crate.NAME, crate.WORKFLOW)
# The earliest moment that a ZIP can tell, for all members.
MOMENT = (1980, 1, 1, 0, 0, 0)
REGULAR = 0o100644


def bundle(folder: Path, output: Path, binaries: bool = True) -> str:
    """Pack the evidence in the results folder of a system into the file `output`; says in a line what was written.

    Without `binaries`, programs and libraries are left out: submitted code may not be everybody's to pass on.

    Raises Mistake where the audit finds a fault, or a file names a path of this machine: neither is fit to publish.
    """
    from ..audit import audit

    findings, names = audit.examine(folder)
    if findings.faults:
        raise Mistake(
            f"{folder}: {len(findings.faults)} faults, the first: {findings.faults[0]}"
            f" `ngcc-campaign audit {folder}` lists all; only what is sound is bundled."
        )
    members = {name: (folder / name).read_bytes() for name in names if binaries or not _is_binary(name)}
    _refuse_paths(folder, members)
    members[crate.WORKFLOW] = (ROOT / "Snakefile").read_bytes()
    members = complete(members)
    data = packed(members)
    write_atomic(output, data)
    return f"{output}: {len(members)} files, SHA-256 {sha256(data).hexdigest()}"


def _is_binary(name: str) -> bool:
    return name.endswith(".so") or (name.startswith("bin/") and not name.endswith(".json"))


def complete(members: dict[str, bytes]) -> dict[str, bytes]:
    """Evidence and workflow with what follows from them: the description and the list of digests."""
    evidence = {name: content for name, content in members.items() if name not in (SUMS, crate.NAME)}
    evidence[crate.NAME] = crate.describe(evidence, SUMS)
    return evidence | {SUMS: sums(evidence)}


def sums(members: dict[str, bytes]) -> bytes:
    """A list of digests as `sha256sum --check` reads it."""
    return "".join(f"{sha256(members[name]).hexdigest()}  {name}\n" for name in sorted(members)).encode()


def packed(members: dict[str, bytes]) -> bytes:
    """The bytes of a bundle: sorted names, one moment, one mode, no owner, nothing packed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as target:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, MOMENT)
            info.create_system, info.external_attr = 3, REGULAR << 16
            target.writestr(info, members[name])
    return buffer.getvalue()


def _refuse_paths(folder: Path, members: dict[str, bytes]) -> None:
    """No file may tell where on this machine, or in whose home, the campaign ran."""
    places = {os.path.abspath(folder), str(ROOT), str(Path.home())} - {"/"}
    pattern = re.compile(b"|".join(rb"(?<![\w.:/])" + re.escape(os.fsencode(place)) + rb"(?=/)" for place in places))
    for name, content in members.items():
        if found := pattern.search(content):
            raise Mistake(f"{folder / name}: it names {os.fsdecode(found[0])}, a path of this machine; not bundled.")


@contextmanager
def opened(file: Path) -> Iterator[Path]:
    """A bundle's files in a folder of its own, for as long as the context lasts.

    Raises Mistake where it is no bundle or damaged, Unsafe where it is a danger.
    """
    with archive.Zip(file) as source, tempfile.TemporaryDirectory(prefix="ngcc-bundle-") as temporary:
        if not {crate.NAME, SUMS} <= set(source.names):
            raise Mistake(f"{file.name}: no bundle of evidence ({crate.NAME} and {SUMS} are not both there).")
        folder = Path(temporary) / "bundle"
        source.unpack(source.names, folder)
        yield folder


def check(file: Path, folder: Path, names: set[str], findings: Findings) -> None:
    """Check what a bundle has beside its evidence; `folder` holds its files, `names` are those of the evidence."""
    there = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    members = {name: (folder / name).read_bytes() for name in there}
    for name in sorted(set(there) - names - set(ADDED)):
        findings.fault(f"{name}: nothing asks for this file in a bundle.")
    _check_sums(members, findings)
    if crate.WORKFLOW not in members:
        findings.fault(f"{crate.WORKFLOW}: it is not there.")
    elif not findings.faults:
        sentence = f"{crate.NAME}: it is not the description of these files."
        findings.check("statements", members[crate.NAME] == complete(members)[crate.NAME], sentence)
    sentence = f"{file.name}: not as it was packed; members' order, times or modes differ, or something was added."
    findings.check("statements", packed(members) == file.read_bytes(), sentence)


def _check_sums(members: dict[str, bytes], findings: Findings) -> None:
    lines = members[SUMS].decode("utf-8", "replace").splitlines()
    told = dict(line.split("  ", 1)[::-1] for line in lines if "  " in line)
    for name in sorted((told.keys() | members.keys()) - {SUMS}):
        found = sha256(members[name]).hexdigest() if name in members else "none"
        sentence = f"{name}: its SHA-256 is {found[:16]}…, {SUMS} says {told.get(name, 'nothing')[:16]}…."
        findings.check("digests", told.get(name) == found, sentence)
    rest = {name: content for name, content in members.items() if name != SUMS}
    findings.check("statements", members[SUMS] == sums(rest), f"{SUMS}: not as it was written.")
