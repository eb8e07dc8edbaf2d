"""Reading rendered pages: sections, and the cells of their tables."""

from __future__ import annotations

import re
from pathlib import Path

from evidence import Results
from ngcc_campaign.aggregate.aggregate import aggregate, aggregate_published
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.root import ROOT
from ngcc_campaign.published.published import FOLDER
from ngcc_campaign.render.render import render


def three_instances(folder: Path) -> Results:
    """A measured campaign of three instances of one candidate."""
    instances = {"sm3hash-256": 256, "pseudoXOF-1024": 1024, "pseudoXOF-512": 512}
    return Results(folder).complete("iccs", instances, algorithm="ICCS helper functions").own()


def published_tables(results: Path, *candidates: str, statement: str = "Published figures, as asked.") -> Path:
    """Tables of what is published of arm_1's `candidates`, by id, in the folder `results`."""
    files = [load_candidate(ROOT / "resources" / "candidates" / f"{candidate}.yaml") for candidate in candidates]
    aggregate_published(results, FOLDER / "arm_1", files, statement)
    return results


def page(results: Results, name: str = "iccs") -> str:
    aggregate(results.folder, None)
    paths = render(results.folder)
    assert all(path.parent == results.folder / "report" for path in paths)
    return (results.folder / "report" / f"{name}.md").read_text(encoding="utf-8")


def section(text: str, title: str) -> str:
    """The part of a page below the heading that begins with `title`."""
    parts = re.split(r"^#+ ", text, flags=re.MULTILINE)
    (found,) = [part for part in parts if part.startswith(title)]
    return found


def cells(line: str) -> list[str]:
    """Cells of a row of a pipe table, unescaped."""
    parts = re.split(r"(?<!\\)\|", line.strip())[1:-1]
    plain = [re.sub(r"\\([^\w\s])", r"\1", re.sub(r"\\_", "_", part)).strip() for part in parts]
    return [part.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&") for part in plain]


def tables_of(text: str) -> list[list[list[str]]]:
    """Pipe tables as rows of cells: the header, then the body."""
    found, lines = [], text.splitlines()
    for number, line in enumerate(lines):
        if re.fullmatch(r"\|(:?-+:?\|)+", line):
            body = lines[number + 1 :]
            end = next((index for index, row in enumerate(body) if not row.startswith("|")), len(body))
            found.append([cells(row) for row in [lines[number - 1], *body[:end]]])
    return found
