"""Result sets that can be compared: the tables of a results folder or of a bundle, or published figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ..aggregate import tables, timing
from ..aggregate.stored import in_order
from ..bundle import bundle
from ..campaign import made
from ..campaign.catalog import CANDIDATE_ID
from ..common.errors import Mistake
from ..published import comparison, published
from ..render.assessment import PERIOD
from . import setting
from .setting import Setting

PREFIX = "published:"
FORMS = f"a system with tables in results/, a results folder, a bundle, or {PREFIX}SYSTEM"
# Published cycles are counts of the hardware counter in user mode.
PUBLISHED_SOURCE = "perf_event"
UNITS = ("ns", "cycles")
_NUMBERS = tuple(
    f"{name}_{unit}" for name in ("mean", "half_width", "undisturbed", "undisturbed_half_width") for unit in UNITS
)
Place = tuple[str, str, int]  # candidate, instance, message bytes


@dataclass(frozen=True)
class ResultSet:
    """One side of a comparison.

    `rows` have figures, as comparing.contrast takes them; `without` tells why a row that was asked for has none.
    `report` is the folder of its pages, if it is a results folder.
    """

    name: str
    system: str
    evidence: str
    noise_floor: float | None
    rows: dict[Place, dict]
    without: dict[Place, str]
    setting: Setting
    report: Path | None = None

    @property
    def dates(self) -> str:
        """The day or days of its campaign; empty where they are not known."""
        moments = self.setting.campaign.get(PERIOD, "").split(" / ")
        return " – ".join(dict.fromkeys(moment[:10] for moment in moments if moment))


def read(name: str, results: Path = Path("results"), folder: Path = published.FOLDER) -> ResultSet:
    """The result set that a person calls `name` (FORMS). Raises Mistake where there is none, or it is damaged.

    A system's id comes first: `./local` is the folder of that name, `local` is `results/local`.
    """
    if name.startswith(PREFIX):
        return _of_published(name, folder)
    path = results / name
    if not (re.fullmatch(r"\w+", name) and (path / "tables").is_dir()):
        path = Path(name)
    if path.is_dir() and not (path / "tables").is_dir():
        raise Mistake(f"{name}: a folder without tables; expected {FORMS}; make them with 'aggregate'.")
    if not path.exists():
        hint = f"; its published figures are {PREFIX}{name}" if name in published.systems(folder) else ""
        raise Mistake(f"{name}: there is no such result set; expected {FORMS}{hint}.")
    with _opened(path, name) as place:
        found = _of_tables(place, name)
    return replace(found, report=path / "report") if path.is_dir() else found


@contextmanager
def _opened(path: Path, name: str) -> Iterator[Path]:
    """The results folder, or a bundle's in a folder of its own, which no sentence names."""
    if path.is_dir():
        yield path
        return
    with bundle.opened(path) as place:
        try:
            yield place
        except Mistake as mistake:
            raise Mistake(f"{name}: {str(mistake).replace(f'{place}/', '')}") from None


def _of_published(name: str, folder: Path) -> ResultSet:
    system = name.removeprefix(PREFIX)
    if system not in published.systems(folder):
        known = ", ".join(published.systems(folder)) or "none"
        raise Mistake(f"{name}: nothing is published for system '{system}'; there are figures of: {known}.")
    found = published.read(folder / system)
    told = setting.of_published(system, found.environment, found.plan, list(found.kat.values()))
    return _printed(name, system, found.performance.values(), told)


def _of_tables(folder: Path, name: str) -> ResultSet:
    """What the tables in a results folder hold, if they are as `aggregate` left them, of the evidence beside them."""
    made.check(folder / "tables", "aggregate")
    campaign = tables.campaign(folder)
    if campaign["evidence"] == "published":
        rows = tables.read(folder, "published_performance")
        return _printed(name, campaign["system"], rows, setting.of_reprint(folder))
    _check_fresh(folder)
    unjudged = "emulated" if campaign["emulated"] == "yes" else ""
    performance = tables.read(folder, "performance")
    measured = [row for row in performance if row["status"] == "MEASURED"]
    others = [row for row in performance if row["status"] != "MEASURED"]
    return ResultSet(
        name=name,
        system=campaign["system"],
        evidence=campaign["evidence"],
        noise_floor=float(campaign["noise_floor"]) if campaign["noise_floor"] else None,
        rows={_place(row): _measured(row, unjudged) for row in measured},
        without={_place(row): f"{row['status']}: {row['reason']}" for row in others},
        setting=setting.of_tables(folder, campaign, performance),
    )


def _check_fresh(folder: Path) -> None:
    """Raise Mistake where evidence lies beside the tables and they were made from other evidence."""
    if (folder / "host.json").is_file():
        told = [row["candidate"] for row in tables.read(folder, "candidates")]
        names = [name for name in told if re.fullmatch(CANDIDATE_ID, name)]
        if reason := made.other_inputs(folder / "tables", made.digests(made.evidence(folder, names))):
            told = f"made from other evidence than is here ({reason})"
            raise Mistake(f"{folder / 'tables'}: {told}; run 'aggregate' again.")


def _measured(row: dict[str, str], unjudged: str) -> dict:
    """A row of performance.csv, its figures as numbers."""
    numbers = {column: float(row[column]) if row[column] else None for column in _NUMBERS}
    told = {key: row[key] for key in ("figure", "cycle_source", "library_sha256", "disturbed_batches")}
    exact = {f"rounding_{unit}": 0.0 for unit in UNITS}
    found = numbers | told | exact | {"marks": row["marks"].split(), "unjudged": unjudged}
    units = UNITS if row["cycle_source"] != "none" else UNITS[:1]
    if not all(timing.figure(found, unit)[0] for unit in units):
        place = f"{row['candidate']} {row['instance']} {row['operation']}"
        raise Mistake(f"tables/performance.csv: damaged ({place} has no figure); run 'aggregate' again.")
    return found


def _printed(name: str, system: str, performance: Iterable[dict[str, str]], told: Setting) -> ResultSet:
    """Published rows, as far as their mean time is published."""
    rows, without = {}, {}
    for row in performance:
        if figures := _figures_as_printed(row):
            rows[_place(row)] = figures
        else:
            without[_place(row)] = "its mean time is not published"
    return ResultSet(name, system, "published", None, rows, without, told)


def _figures_as_printed(row: dict[str, str]) -> dict:
    """The means of a published row, in ns and cycles; empty where its time is not published."""
    parsed = {
        "ns": comparison.as_nanoseconds(row["mean_time"]),
        "cycles": comparison.as_number(row["mean_cycles"]),
    }
    if parsed["ns"] is None:
        return {}
    found = {"figure": "all", "marks": [], "unjudged": "published", "library_sha256": ""}
    found["cycle_source"] = PUBLISHED_SOURCE if parsed["cycles"] else "none"
    for unit, (value, rounding) in ((unit, one) for unit, one in parsed.items() if one):
        found |= {f"mean_{unit}": value, f"half_width_{unit}": None, f"rounding_{unit}": rounding}
    return found


def _place(row: dict[str, str]) -> Place:
    return row["candidate"], row["instance"], int(row["message_bytes"])


def ordered(places: set[Place]) -> list[Place]:
    """Candidates and instances in natural order, message lengths ascending."""
    candidates = {name: at for at, name in enumerate(in_order({place[0] for place in places}))}
    instances = {name: at for at, name in enumerate(in_order({place[1] for place in places}))}
    return sorted(places, key=lambda place: (candidates[place[0]], instances[place[1]], place[2]))
