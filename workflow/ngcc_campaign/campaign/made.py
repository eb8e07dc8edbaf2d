"""What the tables, and what the pages, were made from and became: made.json beside them, digests by name.

With it content alone tells whether they still are what the evidence gives: evidence that was added, changed or taken
away, and a table or page that was edited since, whatever their time stamps say.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..common.errors import Mistake
from ..common.files import read_json, sha256_file, write_json
from ..common.schemas import validate
from ..measure.own import OWN

NAME = "made.json"
# Evidence of one candidate, below a results folder.
_PLACES = ("fetch/{}.json", "build/{}/*/build.json", "kat/{}/*.json", "records/{}/*.json", "memory/{}/*.json")
_COMMON = ("host.json", "bin/drivers.json", *(f"records/{name}.json" for name in OWN))


def evidence(results: Path, candidates: Iterable[str]) -> dict[str, Path]:
    """The files below `results`, by name, that tables of these candidates are made from."""
    places = [*_COMMON, *(place.format(candidate) for candidate in candidates for place in _PLACES)]
    paths = sorted(path for place in places for path in results.glob(place) if path.is_file())
    return {path.relative_to(results).as_posix(): path for path in paths}


def digests(files: dict[str, Path]) -> dict[str, str]:
    """SHA-256 of each file that is there, by name."""
    return {name: sha256_file(path) for name, path in files.items() if path.is_file()}


def write(folder: Path, inputs: dict[str, Path], names: Iterable[str]) -> None:
    """Leave made.json in a folder of tables or pages: what they were made from, and the files `names` in it."""
    files = {name: folder / name for name in sorted(names)}
    write_json(folder / NAME, document(digests(inputs), digests(files)))


def document(inputs: dict[str, str], files: dict[str, str]) -> dict:
    """What made.json holds."""
    told = {"schema": "ngcc-perf/made", "version": 1}
    return told | {"inputs": dict(sorted(inputs.items())), "files": dict(sorted(files.items()))}


def read(folder: Path) -> dict:
    """What `write` wrote; Mistake where it is absent or damaged."""
    found = read_json(folder / NAME)
    validate(found, "made", folder / NAME)
    return found


def other_inputs(folder: Path, inputs: dict[str, str]) -> str:
    """What the files in `folder` are made from and is no longer so, in a few words; empty where all still is."""
    try:
        before = read(folder)["inputs"]
    except Mistake:
        return "what it is made from is not said"
    names = sorted(name for name in before.keys() | inputs.keys() if before.get(name) != inputs.get(name))
    if not names:
        return ""
    what = "changed" if names[0] in before.keys() & inputs.keys() else "was added" if names[0] in inputs else "is gone"
    return f"{names[0]} {what}" + (f", and {len(names) - 1} more" if names[1:] else "")


def check(folder: Path, stage: str) -> None:
    """Raise Mistake where a file in `folder`, if that is there, is not what `stage` left."""
    try:
        name = edited(folder) if folder.is_dir() else ""
    except Mistake:
        name = NAME
    if name:
        raise Mistake(f"{folder / name}: not as '{stage}' left it; run '{stage}' again.")


def edited(folder: Path) -> str:
    """The first file in `folder` that is not what was left there; empty where all are. Mistake as `read`."""
    files = read(folder)["files"]
    found = digests({name: folder / name for name in files})
    return next((name for name in files if found.get(name) != files[name]), "")
