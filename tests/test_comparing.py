"""Rows are compared by their figures, with their uncertainty; and with what the machine does by itself."""

import numpy as np
import pytest

from evidence import Results
from ngcc_campaign.aggregate import fit, tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.measure.own import CANDIDATE, OWN


@pytest.fixture
def results(tmp_path):
    return Results(tmp_path).complete("iccs", {"pseudoXOF-256": 256, "sm3hash-256": 256}).own()


def rows(results: Results, table: str = "performance", **wanted: str) -> list[dict]:
    aggregate(results.folder, None)
    found = tables.read(results.folder, table)
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def own(results: Results, name: str, ns: float, **shape) -> None:
    one = OWN[name]
    results.record(CANDIDATE, name, one.message_bytes, **shape, ns=ns)
    (results.folder / f"records/{CANDIDATE}/{name}__hash_{one.message_bytes}.json").replace(
        results.folder / f"records/{name}.json"
    )


def standings(results: Results, size: int = 32) -> dict[str, str]:
    return {row["instance"]: row["standing"] for row in rows(results, message_bytes=str(size))}


def spread_out(share: float) -> tuple[float, ...]:
    """Factors of five trials whose 95 % interval has this half-width, as a share of the mean; it is above 1 %."""
    deviation = share / 2.776445 * 5**0.5
    return tuple(1 + deviation * step / 2.5**0.5 for step in (-2, -1, 0, 1, 2))


def test_the_helper_spreads_trials_as_it_says():
    factors = np.array(spread_out(0.02))
    assert 2.776445 * factors.std(ddof=1) / 5**0.5 == pytest.approx(0.02)


def test_ratio_and_its_half_width(results):
    results.record("iccs", "sm3hash-256", 1024, ns=20_680, factors=spread_out(0.04))
    results.record("iccs", "pseudoXOF-256", 1024, factors=spread_out(0.03))
    row, yardstick = rows(results, message_bytes="1024", instance="sm3hash-256") + rows(
        results, message_bytes="1024", instance="pseudoXOF-256"
    )
    assert float(row["ratio_to_pseudoxof"]) == pytest.approx(2, rel=1e-5)
    assert float(row["ratio_half_width"]) == pytest.approx(2 * 0.05, rel=1e-3)
    assert (float(yardstick["ratio_to_pseudoxof"]), float(yardstick["ratio_half_width"])) == (1, 0)


def test_what_a_neighbour_had_a_share_in_is_compared_with_nothing(results):
    """A row marked few, were it the yardstick's, gives no ratio, no standing and no point of the fit."""
    name = "records/iccs/pseudoXOF-256__hash_1024.json"

    def neighbour(record):
        for trial in record["trials"]:
            trial["canaries_ns"] = [2 * canary for canary in trial["canaries_ns"]]

    results.change(name, neighbour, settled=True)
    found = {row["instance"]: row for row in rows(results, message_bytes="1024")}
    assert "few" in found["pseudoXOF-256"]["marks"]
    assert {row["ratio_to_pseudoxof"] for row in found.values()} == {""}
    assert {row["standing"] for row in found.values()} == {""}
    points = {row["instance"]: row["points"] for row in rows(results, "fit")}
    assert points == {"pseudoXOF-256": "7", "sm3hash-256": "8"}


def test_rows_alike_are_tied(results):
    assert standings(results) == {"pseudoXOF-256": "best", "sm3hash-256": "tied"}


@pytest.mark.parametrize(("ns", "standing"), [(420 * 1.055, "tied"), (420 * 1.07, "")])
def test_a_row_is_tied_where_its_interval_overlaps_the_best(results, ns, standing):
    results.record("iccs", "pseudoXOF-256", 32, factors=spread_out(0.03))
    results.record("iccs", "sm3hash-256", 32, ns=ns, factors=spread_out(0.03))
    assert standings(results) == {"pseudoXOF-256": "best", "sm3hash-256": standing}


@pytest.mark.parametrize(("ns", "standing"), [(420 * 1.019, "tied"), (420 * 1.021, "")])
def test_no_difference_is_finer_than_the_noise_floor(results, ns, standing):
    own(results, "same_b_1024", 1020)
    results.record("iccs", "sm3hash-256", 32, ns=ns)
    assert standings(results) == {"pseudoXOF-256": "best", "sm3hash-256": standing}


def test_groups_are_of_one_width_length_and_source(results):
    results.complete("fips", {"SHA-512": 512, "SHA-256": 256})
    results.record("fips", "SHA-256", 32, 256, source="perf_event")
    found = standings(results)
    assert (found["SHA-512"], found["SHA-256"]) == ("", "")
    assert standings(results, 128)["SHA-256"] == "best"
    results.record("fips", "SHA-256", 32, 256, ns=100, source="none")
    results.record("iccs", "sm3hash-256", 32, 256, ns=150, source="none")
    assert standings(results) == {"SHA-512": "", "SHA-256": "best", "sm3hash-256": "", "pseudoXOF-256": ""}


def test_the_yardstick_is_no_competitor(results):
    results.complete("yardstick", {"pseudoXOF-256": 256})
    for size in MESSAGE_BYTES:
        results.record("yardstick", "pseudoXOF-256", size, ns=1)
    (row,) = rows(results, message_bytes="32", candidate="yardstick")
    assert row["standing"] == ""


def test_without_an_interval_nothing_is_told_apart(results):
    results.record("iccs", "sm3hash-256", 32, ns=840, trials=1)
    assert standings(results)["sm3hash-256"] == "tied"


@pytest.mark.parametrize(("ns", "marks"), [(201, ""), (199, "overhead")])
def test_where_the_empty_call_is_above_one_per_cent(results, ns, marks):
    results.record("iccs", "sm3hash-256", 32, ns=ns)
    (row,) = rows(results, instance="sm3hash-256", message_bytes="32")
    assert float(row["overhead_share"]) == pytest.approx(2 / ns)
    assert (row["marks"], float(row["mean_ns"])) == (marks, ns)


def test_without_the_empty_call_its_share_is_not_known(results):
    (results.folder / "records/empty_call.json").unlink()
    assert {row["overhead_share"] for row in rows(results)} == {""}


def test_the_noise_floor_is_the_greatest_difference(results):
    own(results, "same_b_32", 1010)
    own(results, "same_a_65536", 1030)
    found = {row["message_bytes"]: float(row["difference"]) for row in rows(results, "noise")}
    assert found == pytest.approx({"32": 0.01, "1024": 0, "65536": 0.03}, abs=1e-9)
    (campaign,) = rows(results, "campaign")
    assert float(campaign["noise_floor"]) == pytest.approx(0.03)


def test_a_pair_that_is_hardly_known_is_shown_and_makes_no_noise_floor(results):
    own(results, "same_b_32", 1010)
    own(results, "same_a_65536", 1300, factors=spread_out(0.03))
    found = {row["message_bytes"]: row["marks"] for row in rows(results, "noise")}
    assert found == {"32": "", "1024": "", "65536": "imprecise"}
    assert float(rows(results, "campaign")[0]["noise_floor"]) == pytest.approx(0.01)


def test_without_pairs_no_noise_floor_is_known(results):
    for size in (32, 1024, 65536):
        (results.folder / f"records/same_a_{size}.json").unlink()
    assert rows(results, "noise") == []
    assert rows(results, "campaign")[0]["noise_floor"] == ""


def test_pairs_of_two_sources_are_compared_by_time(results):
    own(results, "same_b_32", 1010, source="perf_event", ghz=3)
    row = rows(results, "noise")[0]
    assert (row["unit"], float(row["difference"])) == ("ns", pytest.approx(0.01))


def test_the_control_drifts(results):
    own(results, "control_middle", 1020)
    own(results, "control_end", 990)
    found = [(row["control"], row["unit"], float(row["relative_to_start"])) for row in rows(results, "control")]
    assert found == [
        ("control_start", "cycles", 0), ("control_middle", "cycles", pytest.approx(0.02)),
        ("control_end", "cycles", pytest.approx(-0.01)),
    ]  # fmt: skip


def test_without_a_start_the_control_stands_alone(results):
    (results.folder / "records/control_start.json").unlink()
    assert [row["relative_to_start"] for row in rows(results, "control")] == ["", ""]


def test_a_line_through_an_instance(results):
    (row,) = rows(results, "fit", instance="sm3hash-256")
    assert (row["unit"], row["cycle_source"], row["points"]) == ("cycles", "core_clock_estimate", "8")
    assert (float(row["fixed"]), float(row["slope"])) == pytest.approx((250, 25))
    assert float(row["fixed_half_width"]) == pytest.approx(0, abs=1e-6)
    assert abs(float(row["worst_residual"])) < 1e-9


def test_the_worst_residual_is_named(results):
    results.record("iccs", "sm3hash-256", 4096, ns=1.1 * (100 + 10 * 4096))
    (row,) = rows(results, "fit", instance="sm3hash-256")
    assert row["worst_residual_bytes"] == "4096" and 0.05 < float(row["worst_residual"]) < 0.1
    assert float(row["slope_half_width"]) > 0.1


def test_lines_are_of_time_where_cycles_are_of_two_kinds(results):
    results.record("iccs", "sm3hash-256", 4096, source="perf_event")
    (row,) = rows(results, "fit", instance="sm3hash-256")
    assert (row["unit"], row["cycle_source"], float(row["slope"])) == ("ns", "", pytest.approx(10))


def test_two_points_make_no_line(results):
    for size in MESSAGE_BYTES[:-2]:
        (results.folder / f"records/iccs/sm3hash-256__hash_{size}.json").unlink()
    (row,) = rows(results, "fit", instance="sm3hash-256")
    assert (row["points"], row["unit"], row["fixed"]) == ("2", "", "")


def test_a_line_by_the_plain_formulas():
    """Against sums written out, as in any textbook."""
    sizes, values = np.array([1.0, 2, 4, 8]), np.array([5.1, 6.8, 11.3, 18.9])
    errors = np.array([0.1, 0.2, 0.2, 0.4])
    weights = 1 / errors**2
    total, x, y = weights.sum(), (weights * sizes).sum(), (weights * values).sum()
    xx, xy = (weights * sizes**2).sum(), (weights * sizes * values).sum()
    slope = (total * xy - x * y) / (total * xx - x**2)
    fixed = (y - slope * x) / total
    scale = (weights * (values - fixed - slope * sizes) ** 2).sum() / 2
    found = fit.line(sizes, values, errors)
    assert (found["fixed"], found["slope"]) == pytest.approx((fixed, slope))
    assert found["slope_half_width"] == pytest.approx(4.302653 * (scale * total / (total * xx - x**2)) ** 0.5)
    assert found["fixed_half_width"] == pytest.approx(4.302653 * (scale * xx / (total * xx - x**2)) ** 0.5)
