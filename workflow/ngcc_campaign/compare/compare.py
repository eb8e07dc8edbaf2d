"""Whether anything became slower: two result sets side by side, printed, and as CSV and JSON for programs."""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ..campaign.settings import Versus
from ..common.errors import Mistake
from ..common.files import read_json, write_json, write_text
from ..common.schemas import validate
from ..render.site import names
from . import contrasts, sets, shown

# The exit status of a slow-down beyond what was allowed; 1 and 2 are mistakes, 3 is a campaign with something missing.
SLOWER = 4
# Where `snakemake compare` leaves its files: beside the systems' results, as they are of two of them.
FOLDER = Path("results") / names.COMPARISONS


def compare(
    baseline: str,
    candidate: str,
    only: Sequence[str] = (),
    fail_above: float | None = None,
    *,
    csv_file: Path | None = None,
    json_file: Path | None = None,
    html_folder: Path | None = None,
    listed: bool = False,
) -> int:
    """Print what became of the figures of `baseline` in `candidate` (names of result sets); the exit status.

    In `html_folder` go a page in each language, and the style and the script that they share; `listed` adds pages that
    lead to every comparison whose JSON lies beside that folder.

    SLOWER where a row is slower by more than `fail_above` per cent, beyond its interval and the noise floor; else 0.
    """
    both = sets.read(baseline), sets.read(candidate)
    found = contrasts.document(*both, only, fail_above)
    validate(found, "compare", "the comparison")
    print(shown.text(found, shown.has_colours(sys.stdout)))
    if csv_file:
        write_text(csv_file, table(found))
    if json_file:
        write_json(json_file, found)
    page = _write_pages(html_folder, found, _sites(html_folder, both), listed) if html_folder else None
    if listed:
        _write_list(html_folder)
    written = [str(file) for file in (csv_file, json_file, page) if file]
    if written:
        print(f"Written: {', '.join(written)}")
    return SLOWER if found["failed"] else 0


def compare_into_results(asked: Versus) -> int:
    """The same for `snakemake compare`, which leaves all files in FOLDER."""
    for key in ("baseline", "candidate"):
        if getattr(asked, key) is None:
            raise Mistake(f"compare: {key}= is missing; give two result sets, each {sets.FORMS}.")
    name = _pair(asked.baseline, asked.candidate)
    files = {
        "csv_file": FOLDER / f"{name}.csv",
        "json_file": FOLDER / f"{name}.json",
        "html_folder": FOLDER / names.FOLDER,
    }
    return compare(asked.baseline, asked.candidate, asked.only, asked.fail_above, **files, listed=True)


def _write_pages(folder: Path, found: dict, sites: dict[str, str], listed: bool) -> Path:
    """Write the pages of a comparison; the English one. `sites` are those of the sides, by their addresses."""
    from . import page  # the site's templates, which a terminal needs not

    name = _pair(found["baseline"]["name"], found["candidate"]["name"])
    for file, text in page.texts(found, name, sites, listed).items():
        write_text(folder / file, text)
    return folder / "en" / f"{name}.html"


def _sites(folder: Path, both: Sequence[sets.ResultSet]) -> dict[str, str]:
    """Where the sites of both sides lie, seen from a folder, as far as there are any."""
    found = {side: one.report / names.FOLDER for side, one in zip(shown.SIDES, both, strict=True) if one.report}
    return {side: os.path.relpath(site, folder) for side, site in found.items() if site.is_dir()}


def _write_list(folder: Path) -> None:
    """Write the pages that lead to every comparison whose JSON lies beside a folder; of another version it is none."""
    from . import page

    found = {}
    for file in sorted(folder.parent.glob("compare-*.json")):
        with suppress(Mistake):
            document = read_json(file)
            validate(document, "compare", file)
            found[file.stem] = document
    for file, text in page.listing(found).items():
        write_text(folder / file, text)


def _pair(baseline: str, candidate: str) -> str:
    return f"compare-{_as_file_name(baseline)}__{_as_file_name(candidate)}"


def _as_file_name(name: str) -> str:
    """A set's name where that is plain; else what is plain of it, and a digest, as the rest may tell paths apart."""
    plain = re.sub(r"[^\w.-]+|__+", "-", name).strip("-._")[-80:] or "set"
    return plain if plain == name else f"{plain}-{sha256(name.encode()).hexdigest()[:8]}"


def table(found: dict) -> str:
    """A comparison as CSV, as the tables of results are written: empty cells, full digits, LF."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, contrasts.COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in contrasts.table(found))
    return buffer.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(value) if isinstance(value, list) else value
