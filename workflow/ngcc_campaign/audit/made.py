"""Whether made.json, beside the tables and beside the pages, says what they were made from and became."""

from __future__ import annotations

from ..aggregate import tables
from ..campaign import made
from ..common.files import json_text
from ..render import render
from ..render.beside import NAME as BESIDE
from . import asked
from .findings import Findings
from .holdings import Holdings


def check(holdings: Holdings, candidates: list[str], kind: str, findings: Findings) -> None:
    """Compare both with the files that are there; `kind` is that of the evidence."""
    named = [f"tables/{name}.csv" for name in tables.of(kind)]
    _check("tables", list(made.evidence(holdings.folder, candidates)), named, holdings, findings)
    pages = [BESIDE, *(f"report/{page}.md" for page in asked.pages(holdings, candidates))]
    pages += [f"report/{name}" for name in render.data_files(candidates)]
    pages += asked.site(holdings, candidates, kind)
    _check("report", named, pages, holdings, findings)


def _check(top: str, inputs: list[str], files: list[str], holdings: Holdings, findings: Findings) -> None:
    name = f"{top}/{made.NAME}"
    found = holdings.documents.get(name)
    if found is None:  # which is told by who looks for it, or reads it
        return
    for part, names, prefix in (("inputs", inputs, ""), ("files", files, f"{top}/")):
        told = {f"{prefix}{file}": digest for file, digest in found[part].items()}
        for file in (file for file in names if file in holdings):
            holdings.has_digest(file, told.get(file), name)
        for file in sorted(told.keys() - set(names)):
            findings.check("statements", False, f"{name}: {part} has {file}, which is none of them, or not there.")
    as_written = json_text(made.document(found["inputs"], found["files"])).encode() == holdings.bytes(name)
    findings.check("statements", as_written, f"{name}: not as it was written.")
