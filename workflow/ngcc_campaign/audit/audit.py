"""Whether a report follows from its evidence, on any machine: no sources, no compiler, nothing is run or measured.

Everything that is wrong is found in one go, so that nobody mends a folder fault by fault.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..aggregate import tables
from ..bundle import bundle
from ..campaign.catalog import CANDIDATE_ID
from ..common.errors import Mistake
from ..common.files import utc_now, write_json
from ..common.printable import printable
from ..render import beside, render
from ..render.site import names
from . import agreement, asked, clocks, data, figures, links, made, moments, recomputed, rendered, site
from .findings import Findings
from .holdings import Holdings

NAME = "audit.json"


def audit(where: Path) -> Findings:
    """What is wrong with the evidence, tables and pages in the results folder of a system, or in a bundle of it.

    Raises Mistake where there is nothing to audit: no results, no bundle, or a report of published figures, which rest
    on no evidence that is here.
    """
    if not where.exists():
        raise Mistake(f"{where}: not there; give the results folder of a system, or a bundle of it.")
    if where.is_dir():
        return examine(where)[0]
    with bundle.opened(where) as folder:
        findings, names = examine(folder)
        bundle.check(where, folder, names, findings)
        return findings


def examine(folder: Path) -> tuple[Findings, set[str]]:
    """What is wrong with a results folder, and the names of the files that its report rests on and consists of."""
    if not (folder / "host.json").is_file() and not (folder / "tables").is_dir():
        raise Mistake(f"{folder}: no results of a campaign (neither host.json nor tables are there).")
    findings = Findings()
    campaign = _campaign(folder, findings)
    if campaign["evidence"] == "published":
        raise Mistake(
            f"{folder}: its report is made of published figures, whose evidence is not here;"
            " there is nothing to audit or bundle."
        )
    holdings = Holdings(folder, findings)
    candidates = _candidates(folder, findings)
    rests_on = asked.asked(holdings, candidates, campaign["evidence"])
    asked.check(holdings, rests_on, findings)
    links.Links(holdings, rests_on, findings).check(rests_on)
    findings.counts["made again"] = len(findings.earlier)
    moments.check(holdings, findings)
    agreement.check(holdings, findings)
    clocks.check(holdings, findings)
    recomputed.check(holdings, campaign, candidates, findings)
    made.check(holdings, candidates, campaign["evidence"], findings)
    _tables_and_pages(holdings, candidates, rests_on.not_held(holdings), findings)
    return findings, rests_on.held(holdings)


def _campaign(folder: Path, findings: Findings) -> dict[str, str]:
    """The row of campaign.csv; where it cannot be read, what is most likely."""
    try:
        return tables.campaign(folder)
    except Mistake as mistake:
        findings.fault(str(mistake).replace(f"{folder}/", ""))
        return {"evidence": "measured", "statement": ""}


def _candidates(folder: Path, findings: Findings) -> list[str]:
    """The candidates that the report shows; of a table that cannot be read, those that are stored."""
    try:
        names = [row["candidate"] for row in tables.read(folder, "candidates")]
    except Mistake as mistake:
        findings.fault(str(mistake).replace(f"{folder}/", ""))
        names = sorted(file.stem for file in (folder / "fetch").glob("*.json"))
    for name in names:
        if not re.fullmatch(CANDIDATE_ID, name):
            findings.fault(f"tables/candidates.csv: '{name[:100]}' is no candidate's id.")
    return [name for name in names if re.fullmatch(CANDIDATE_ID, name)]


def _tables_and_pages(holdings: Holdings, candidates: list[str], not_held: set[str], findings: Findings) -> None:
    try:
        stored = render.read_tables(holdings.folder)
    except Mistake as mistake:
        findings.fault(str(mistake).replace(f"{holdings.folder}/", ""))
        return
    recomputed.digests(holdings, stored, not_held, findings)
    rendered.check(holdings, stored, candidates, findings)
    pages = {
        name: holdings.bytes(f"report/{name}.md").decode("utf-8", "replace")
        for name in asked.pages(holdings, candidates)
        if f"report/{name}.md" in holdings
    }
    figures.check(pages, stored, holdings.documents.get(beside.NAME), findings)
    data.check(holdings, stored, candidates, findings)
    site.check(holdings, stored, asked.pages(holdings, candidates), list(names.LANGUAGES), findings)


def report(where: Path) -> int:
    """Audit, print what was checked and found, and leave audit.json in a folder; the exit status."""
    findings = audit(where)
    print(text(findings))
    if where.is_dir():
        write(where, findings)
    return 1 if findings.faults else 0


def text(findings: Findings) -> str:
    """What was checked, in numbers, and all faults, a line each."""
    counts = findings.counts
    checked = (
        f"{counts['files']} files, {counts['documents']} of them documents that must fit their schemas",
        f"{counts['digests']} digests, and {counts['statements']} statements of one file about another",
        f"{counts['moments']} moments in their order",
        f"{counts['cells']} cells of {counts['tables']} tables, computed again",
        f"{counts['pages']} pages, rendered again, and {counts['figures']} figures on them, looked up in the tables",
    )
    lines = [f"checked: {what}" for what in checked]
    if counts["files not held"]:
        lines.append(f"not held: {counts['files not held']} programs and libraries, which digests speak of")
    if counts["files not audited"]:
        not_audited = f"{counts['files not audited']} files of candidates and instances that the report does not show"
        lines.append(f"not audited: {not_audited}")
    if counts["made again"]:
        named = "records name an earlier host.json or verdict, of the same machine or library"
        lines.append(f"made again: {counts['made again']} {named}")
    if counts["withheld"]:
        lines.append(f"withheld: {counts['withheld']} records, whose timed calls answer otherwise than in verification")
    if counts["litter"]:
        lines.append(f"litter: {counts['litter']} temporary files of killed runs, which the next run sweeps away")
    told = [f"fault: {printable(fault)}" for fault in findings.faults]
    return "\n".join([*lines, *told, f"faults: {len(told)}"])


def write(folder: Path, findings: Findings) -> None:
    """Write audit.json."""
    document = {"schema": "ngcc-perf/audit", "version": 1, "ended_utc": utc_now(), "counts": dict(findings.counts)}
    write_json(folder / NAME, document | {"faults": findings.faults})
