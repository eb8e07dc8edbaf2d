"""One byte, digit, name or time stamp at a time over a whole results folder: the audit finds each.

After half of them a forger mends every digest and makes tables and pages anew, so that only the figures themselves,
their ranges and their consistency can tell.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import mutations
from forger import Forger
from ngcc_campaign.audit import audit

SEED = "ngcc-perf mutations"


@pytest.fixture
def folder(sound_results) -> Path:
    """The sound folder itself, with that of another system beside it: what changes it, changes a copy."""
    return sound_results


def test_the_folder_is_sound(folder):
    found = audit.audit(folder)
    assert found.faults == []
    assert found.counts["figures"] > 100
    assert found.counts["digests"] > 150


def missed(work: tuple[Path, bool, str, list[int]]) -> list[str]:
    """What the audit does not find, of the mutations with the given numbers."""
    folder, forged, kind, numbers = work
    os.fsync = lambda descriptor: None  # a folder that lives for a second need not outlive the machine
    forger, found = Forger(folder), []
    for number in numbers:
        with tempfile.TemporaryDirectory(dir=folder.parents[1]) as place:
            copy = Path(place) / folder.name
            shutil.copytree(folder, copy)
            shutil.copytree(folder.with_name("other"), copy.with_name("other"))
            mutation = getattr(mutations, kind)
            told = mutation(copy, random.Random(f"{SEED} {forged} {kind} {number}"))
            if forged:
                forger.relink(copy, tables_too=mutation not in mutations.AFTER_TABLES)
            if not audit.audit(copy).faults:
                found.append(f"{kind} {number}: {told}")
    return found


@pytest.mark.parametrize("forged", [False, True], ids=["plain", "forged"])
def test_every_mutation_is_found(folder, forged):
    planned = mutations.FORGED if forged else mutations.PLAIN
    work = [
        (folder, forged, mutation.__name__, list(range(start, min(start + 10, count))))
        for mutation, count in planned.items()
        for start in range(0, count, 10)
    ]
    assert sum(len(numbers) for *_, numbers in work) >= 150
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        assert [told for part in pool.map(missed, work) for told in part] == []
