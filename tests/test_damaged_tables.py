"""Tables that are damaged, or that a person edited, give no pages: the file is named, and what is wrong in it."""

import re

import pytest

from ngcc_campaign.aggregate import tables
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.render.render import render
from reports import page, three_instances


@pytest.fixture
def results(tmp_path):
    return three_instances(tmp_path / "local")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: path.unlink(), "the table is not there"),
        (lambda path: path.write_text(""), "no readable table"),
        (lambda path: path.write_text('candidate\n"cut off'), "no readable table"),
        (lambda path: path.write_text("candidate,other\n1,2\n"), "not those of this version"),
    ],
    ids=["absent", "empty", "cut off", "other columns"],
)
def test_a_damaged_table_is_named(results, damage, message):
    page(results)
    damage(tables.path(results.folder, "performance"))
    with pytest.raises(Mistake, match=rf"performance\.csv: .*{message}.*aggregate"):
        render(results.folder)


def row_of(lines: list[str], start: str) -> int:
    return next(number for number, line in enumerate(lines) if line.startswith(start))


def twice(start: str):
    return lambda lines: lines.insert(0 + row_of(lines, start), lines[row_of(lines, start)])


def without(start: str):
    return lambda lines: lines.pop(row_of(lines, start))


def with_cell(column: str, text: str):
    """Put `text` into this column of the last row."""

    def damage(lines):
        cells = lines[-1].split(",")
        cells[lines[0].split(",").index(column)] = text
        lines[-1] = ",".join(cells)

    return damage


DAMAGES = [
    ("performance", twice("iccs,sm3hash-256,256,hash_32,"), "iccs sm3hash-256 32 stands there twice"),
    ("performance", without("iccs,sm3hash-256,256,hash_65536,"), "rows are absent"),
    ("performance", with_cell("mean_ns", "inf"), "mean_ns 'inf'"),
    ("performance", with_cell("mean_ns", "nan"), "mean_ns 'nan'"),
    ("performance", with_cell("mean_ns", "1e999"), "mean_ns '1e999'"),
    ("performance", with_cell("mean_ns", "-1"), "mean_ns '-1'"),
    ("performance", with_cell("mean_ns", ""), "a measured row without a figure"),
    ("performance", with_cell("fastest_batch_ns", "0"), "a measured row without a figure"),
    ("performance", with_cell("calls", "many"), "calls 'many'"),
    ("performance", with_cell("message_bytes", ""), "message_bytes ''"),
    ("performance", with_cell("message_bytes", "64"), "rows are absent"),
    ("performance", with_cell("cycle_source", "tsc"), "cycle_source 'tsc'"),
    ("performance", with_cell("cycle_source", ""), "a measured row without a figure"),
    ("performance", with_cell("marks", "few late"), "marks 'few late'"),
    ("own", lambda lines: lines.pop(), "rows are absent"),
    ("own", twice("empty_call,"), "empty_call stands there twice"),
    ("own", with_cell("mean_cycles", "inf"), "mean_cycles 'inf'"),
    ("fit", with_cell("fixed", "--1"), "fixed '--1'"),
    ("control", twice("control_end,"), "control_end stands there twice"),
    ("memory", without("iccs,sm3hash-256,hash_32,"), "rows are absent"),
    ("memory", with_cell("peak_rss_kib", "inf"), "peak_rss_kib 'inf'"),
    ("candidates", without("iccs,"), "rows are absent"),
    ("candidates", twice("iccs,"), "iccs stands there twice"),
    ("instances", twice("iccs,sm3hash-256,"), "iccs sm3hash-256 stands there twice"),
    ("kat", twice("iccs,sm3hash-256,"), "stands there twice"),
    ("environment", twice(",host,governor,"), "host governor stands there twice"),
    ("environment", without(",record,core_clock_min_hz,"), "a core clock is absent"),
    ("environment", with_cell("files", "x"), "files 'x'"),
    ("campaign", lambda lines: lines.append(lines[1]), "its row stands there twice"),
]


@pytest.mark.parametrize(("name", "damage", "flaw"), DAMAGES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_table_that_was_edited_is_named(results, name, damage, flaw):
    page(results)
    path = tables.path(results.folder, name)
    lines = path.read_text(encoding="utf-8").splitlines()
    damage(lines)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    named = "performance" if name == "instances" and flaw == "rows are absent" else name
    with pytest.raises(Mistake, match=rf"tables/{named}\.csv: damaged \(.*{flaw}\); run 'aggregate' again\."):
        render(results.folder)


@pytest.mark.parametrize("fact", ["core_clock_median_hz", "plan_target_ns", "scaling_max_khz"])
def test_a_fact_that_has_to_be_a_number(results, fact):
    page(results)
    path = tables.path(results.folder, "environment")
    path.write_text(re.sub(rf",{fact},[^,]*,", f",{fact},x,", path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(Mistake, match=rf"tables/environment\.csv: damaged \({fact} 'x'\)"):
        render(results.folder)
