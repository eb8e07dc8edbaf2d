"""Every link of every page leads to a page that is there, and to a heading of it."""

import re
from pathlib import Path

import pytest

from evidence import UNFIT, Results
from ngcc_campaign.aggregate.aggregate import aggregate, aggregate_published
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.render.render import render

ROOT = Path(__file__).parents[1]
SYSTEMS = ("x86_1", "arm_1")
DIFFERS = (
    "Nothing was measured here:\nfact: expected a, found b\nboost: expected off, found on\nCPU: expected 2, found 1"
)


@pytest.fixture
def results(tmp_path) -> Path:
    """Reports of this machine, which is not fit, and of two systems; the first was made before there were others."""
    candidates = [load_candidate(ROOT / "resources" / "candidates" / f"hash-{number}.yaml") for number in ("02", "04")]
    local = Results(tmp_path / "local", unfit=UNFIT).complete("hash-04", {"CHAMP-512": 512}).complete("own", {"a": 256})
    local.own()
    aggregate(local.folder, None)
    render(local.folder, systems=SYSTEMS)
    for system in SYSTEMS:
        aggregate_published(tmp_path / system, ROOT / "resources" / "published" / system, candidates, DIFFERS)
    for system in (*SYSTEMS, "local"):
        render(tmp_path / system, systems=SYSTEMS, compare="arm_1")
    return tmp_path


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    texts = [re.sub(r"\[(.*)\]\(.*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts}


def test_every_link_leads_somewhere(results):
    seen = set()
    for page in results.glob("*/report/*.md"):
        for address in re.findall(r"\]\(([^)]*)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = address.partition("#")
            if not path.startswith("https:"):
                target = (page.parent / path).resolve()
                assert target.is_file(), f"{page}: {address}"
                assert not anchor or anchor in anchors(target), f"{page}: {address}"
                seen.add(address)
    assert {
        "index.md#why-nothing-was-measured-here", "index.md#what-would-make-this-machine-fit",
        "../../arm_1/report/hash-04.md", "../../local/report/systems.md", "../../local/report/own.md",
    } <= seen  # fmt: skip


def test_no_table_has_a_column_of_dashes_alone(results):
    for page in results.glob("*/report/*.md"):
        for table in re.findall(r"(?:^\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE):
            header, _, *rows = [line.split(" | ") for line in table.splitlines()]
            for title, *cells in zip(header, *rows, strict=True):
                assert {cell.strip("| ") for cell in cells} != {"–"}, f"{page}: {title}"
