"""What two result sets say of one another, row by row, as one document (schemas/compare.schema.yaml)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ..aggregate import comparing
from ..common.errors import Mistake
from ..common.schemas import expected_version
from . import setting
from .sets import Place, ResultSet, ordered

CHANGED = ("slower", "faster")
VERDICTS = (*CHANGED, "same", "unjudged")
ONE_SIDED = {"baseline": "baseline only", "candidate": "candidate only"}
# The columns of a comparison as CSV: all that a row has, and rows that only one side has.
COLUMNS = (
    "candidate", "instance", "message_bytes", "unit", "cycle_source", "baseline_figure", "baseline_half_width",
    "baseline_marks", "candidate_figure", "candidate_half_width", "candidate_marks", "ratio", "ratio_half_width",
    "ratio_rounding", "verdict", "reason", "same_library",
)  # fmt: skip


def document(
    baseline: ResultSet, candidate: ResultSet, only: Sequence[str] = (), fail_above: float | None = None
) -> dict:
    """The comparison of two result sets, changed rows first.

    `only` keeps the named submissions and instances (`id`, `id/instance`). With `fail_above`, in per cent, `failed`
    are the rows that are slower by more than that. Raises Mistake where there is nothing to compare or to judge.
    """
    places = _common(baseline, candidate, only)
    floor = max((one.noise_floor for one in (baseline, candidate) if one.noise_floor is not None), default=None)
    rows = sorted((_row(place, baseline, candidate, floor or 0.0) for place in places), key=_by_change)
    if fail_above is not None and all(row["verdict"] == "unjudged" for row in rows):
        reasons = ", ".join(sorted({row["reason"] for row in rows}))
        raise Mistake(f"fail_above: none of {len(rows)} rows can be judged ({reasons}); leave it out.")
    differing = setting.differences(baseline.setting, candidate.setting, {place[:2] for place in places})
    return {
        "schema": "ngcc-perf/compare",
        "version": expected_version("compare"),
        "baseline": _side(baseline),
        "candidate": _side(candidate),
        "only": list(only),
        "noise_floor": floor,
        "setting": [asdict(one) | {"instances": list(one.instances)} for one in differing],
        "counts": {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS},
        "rows": rows,
        "baseline_only": _one_sided(baseline, candidate, only),
        "candidate_only": _one_sided(candidate, baseline, only),
        "fail_above": fail_above,
        "failed": [_name(row) for row in rows if fail_above is not None and _fails(row, fail_above)],
    }


def _fails(row: dict, fail_above: float) -> bool:
    return row["verdict"] == "slower" and 100 * (row["ratio"] - 1) > fail_above


def _side(one: ResultSet) -> dict:
    told = {"name": one.name, "system": one.system, "dates": one.dates}
    return told | {"evidence": one.evidence, "noise_floor": one.noise_floor}


def _common(baseline: ResultSet, candidate: ResultSet, only: Sequence[str]) -> list[Place]:
    """The places that both have a figure of."""
    known = {place for one in (baseline, candidate) for place in (*one.rows, *one.without)}
    for name in only:
        if not _chosen(known, [name]):
            there = ", ".join(dict.fromkeys(f"{place[0]}/{place[1]}" for place in ordered(known)))
            raise Mistake(f"only: '{name}' is in neither result set; there are {there}.")
    found = _chosen(baseline.rows.keys() & candidate.rows.keys(), only)
    if not found:
        told = (f"{one.name} has figures of {_listed(_chosen(one.rows, only))}" for one in (baseline, candidate))
        raise Mistake(f"compare: no row in common: {' and '.join(told)}.")
    return found


def _listed(places: list[Place]) -> str:
    return ", ".join(dict.fromkeys(place[0] for place in places)) or "nothing that was asked for"


def _chosen(places, only: Sequence[str]) -> list[Place]:
    return ordered({place for place in places if not only or {place[0], f"{place[0]}/{place[1]}"} & {*only}})


def _row(place: Place, baseline: ResultSet, candidate: ResultSet, floor: float) -> dict:
    one, other = baseline.rows[place], candidate.rows[place]
    found = comparing.contrast(one, other, floor)
    libraries = one["library_sha256"], other["library_sha256"]
    told = {
        "cycle_source": one["cycle_source"] if found["unit"] == "cycles" else "",
        "baseline_marks": one["marks"],
        "candidate_marks": other["marks"],
        "same_library": libraries[0] == libraries[1] if all(libraries) else None,
    }
    return _name_of(place) | found | told


def _name_of(place: Place) -> dict:
    return dict(zip(("candidate", "instance", "message_bytes"), place, strict=True))


def _name(row: dict) -> dict:
    return {key: row[key] for key in ("candidate", "instance", "message_bytes")}


def _by_change(row: dict) -> tuple:
    """Slower rows first, the greatest change first; rows that nothing changed in keep their natural order."""
    at = VERDICTS.index(row["verdict"])
    return (at, -max(row["ratio"], 1 / row["ratio"])) if row["verdict"] in CHANGED else (at, 0.0)


def _one_sided(one: ResultSet, other: ResultSet, only: Sequence[str]) -> list[dict]:
    """Rows that only `one` has a figure of, and why the other has none."""
    places = _chosen(one.rows.keys() - other.rows.keys(), only)
    return [_name_of(place) | {"reason": other.without.get(place, "not there")} for place in places]


def table(found: dict) -> list[dict]:
    """The rows of a comparison as CSV: those of both sides, then those that only one has."""
    rows = list(found["rows"])
    for side, word in ONE_SIDED.items():
        rows += [row | {"verdict": word} for row in found[f"{side}_only"]]
    return rows
