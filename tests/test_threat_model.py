"""The threat model speaks of tests that there are."""

import re
from pathlib import Path

from ngcc_campaign.build import build, confinement

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")


def test_every_test_that_it_names_is_there():
    named = set(re.findall(r"test_\w+\.(?:py|c)\b", TEXT))
    there = {path.name for folder in ("tests", "native/tests") for path in (ROOT / folder).iterdir()}
    assert len(named) > 10 and named <= there


def test_every_row_names_what_holds_it():
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.startswith("| where")]
    assert len(rows) > 15 and all("[" in row for row in rows)


def test_bounds_are_those_of_the_compiler_s_sandbox():
    bounds = f"{confinement.MEMORY_BYTES >> 30} GiB of memory, {confinement.FILE_BYTES >> 20} MiB a file"
    assert f"{bounds} and {build.SECONDS} s of CPU time" in TEXT
