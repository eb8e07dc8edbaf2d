"""Plots: what they show, how they are drawn, and that many batches stay few."""

import json
import re

import pytest

from evidence import Results
from ngcc_campaign.aggregate import tables
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.render.site import batches, drawing, specs
from ngcc_campaign.render.site.drawing import begun, picture, script  # as they are, see conftest


def say(text: str) -> str:
    return text


ROWS = [
    {
        "instance": name,
        "bytes": size,
        "cost": 100 / size,
        "low": 99 / size,
        "high": 101 / size,
        "few": False,
        "told": {"n": "5 (1 × 5)"},
    }
    for name in ("One", "Two")
    for size in (32, 1024)
]


@pytest.fixture(scope="module")
def drawn() -> str:
    return picture(specs.cost(ROWS, "cycles/byte", say))


def test_a_picture_says_what_it_was_drawn_from_and_what_it_shows(drawn):
    assert drawn.startswith("<svg") and drawing.origin(specs.cost(ROWS, "cycles/byte", say)) in drawn
    words = re.findall(r"<text[^>]*>([^<]+)<", drawn)
    assert {"One", "Two", "32", "1024", "cycles/byte", "message (bytes)"} <= set(words)


def test_a_picture_in_another_language_has_the_same_figures(drawn):
    other = drawing.translated(drawn, lambda text: f"«{text}»")
    assert re.sub("[«»]", "", other) == drawn and other != drawn


def test_words_of_another_language_are_no_markup():
    assert drawing.translated("<text>a &amp; b</text>", lambda text: f"<{text}>") == "<text>&lt;a &amp; b&gt;</text>"


def test_a_plot_of_nothing_is_not_drawn():
    with begun(1) as draw:
        assert draw({"x.svg": None})() == {"x.svg": drawing.EMPTY}


def test_pictures_are_drawn_in_another_process(drawn):
    with begun(1) as draw:
        assert draw({"y.svg": specs.cost(ROWS, "cycles/byte", say)})() == {"y.svg": drawn}


def test_without_intervals_none_are_drawn():
    rows = [{key: row[key] for key in row if key not in ("low", "high")} for row in ROWS]
    assert len(specs.cost(rows, "cycles/byte", say)["layer"]) == 2
    assert len(specs.cost(ROWS, "cycles/byte", say)["layer"]) == 4


def test_a_row_marked_few_is_a_hollow_point():
    *sound, few = ROWS
    (points, hollow) = specs.cost([*sound, few | {"few": True}], "cycles/byte", say)["layer"][-2:]
    assert points["transform"] == [{"filter": "!datum.few"}] and points["mark"]["filled"]
    assert hollow["transform"] == [{"filter": "datum.few"}] and hollow["mark"]["fill"] == specs.PAPER
    assert points["encoding"] == hollow["encoding"]


def test_a_band_has_a_gap_where_no_interval_is_known():
    one = {"instance": "One", "few": False, "told": {}}
    known = [one | {"bytes": size, "cost": 9, "low": 8, "high": 10} for size in (32, 128, 4096, 8192)]
    drawn = picture(specs.cost([*known[:2], one | {"bytes": 1024, "cost": 9}, *known[2:]], "cycles/byte", say))
    (band,) = re.findall(r'<g class="mark-area[^>]*><path d="([^"]*)"', drawn)
    assert band.count("M") == 2


@pytest.mark.parametrize(
    ("costs", "axis"),
    [((3, 2500), {"values": [5, 10, 20, 50, 100, 200, 500, 1000, 2000]}), ((5.1, 9.8), {}), ((7, 7), {})],
)
def test_an_axis_of_costs_is_labelled_at_round_figures(costs, axis):
    assert specs._ticks([{"cost": cost} for cost in costs]) == axis


def test_many_instances_differ_in_colour_or_shape():
    looks = {(specs.COLOURS[at % len(specs.COLOURS)], specs.SHAPES[at % len(specs.SHAPES)]) for at in range(42)}
    assert len(looks) == 42


def test_the_script_is_made_once_for_each_version(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "ngcc-perf").mkdir()
    (tmp_path / "ngcc-perf" / f"vega-{drawing.version(drawing.LIBRARY)}.js").write_text("kept")
    script.cache_clear()
    assert script() == "kept"
    script.cache_clear()


@pytest.mark.parametrize("text", ["</script>", "<!--", "&", "a\u2028b\u2029c"])
def test_json_in_a_page_ends_no_element_and_no_line(text):
    found = drawing.inline_json({"a": text})
    assert json.loads(found) == {"a": text} and not set(found) & set("<>&\u2028\u2029")


@pytest.fixture
def performance(tmp_path):
    results = Results(tmp_path / "local").complete("a", {"One-512": 512}).own()
    results.record("a", "One-512", 32, 512, trials=30)
    aggregate(results.folder, None)
    return results, tables.read(results.folder, "performance")


def test_of_many_batches_an_even_choice_is_shown(performance, monkeypatch):
    results, rows = performance
    assert len(batches.points(results.folder, rows)[0]) == batches.points(results.folder, rows)[1] == 60 + 7 * 10
    monkeypatch.setattr(batches, "MOST", 80)
    points, there = batches.points(results.folder, rows)
    assert there == 130 and len(points) == 80
    own = [point["trial"] for point in points if point["bytes"] == 32]
    assert len(own) == 10 and own[0] == 0 and own[-1] == 27


def test_a_record_that_is_not_the_tables_is_left_out(performance):
    results, rows = performance
    results.record("a", "One-512", 32, 512, ns=7)
    (results.folder / "records" / "a" / "One-512__hash_128.json").unlink()
    assert {point["bytes"] for point in batches.points(results.folder, rows)[0]} == {
        512,
        1024,
        4096,
        8192,
        16384,
        65536,
    }
