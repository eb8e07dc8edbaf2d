"""The site in Chromium: pages load without an error, answer to pointer and keys, and are read in any light and width.

Needs the extra `browser`, and a Chromium of the system; without them these tests are skipped.
"""

import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from evidence import UNFIT, Results, crowd
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.compare.compare import compare
from ngcc_campaign.render.render import render
from ngcc_campaign.render.site import drawing, names
from ngcc_campaign.render.site.drawing import begun, script  # as they are, see conftest

playwright = pytest.importorskip("playwright.sync_api", reason="the extra 'browser' is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the extra 'browser' is not installed")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")

KINDS = ("index", "iccs", "method", "systems", "ranking", "compare")
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
SPREAD = [1, 1.1, 0.9, 1.05, 0.95]


def campaign(folder: Path) -> Path:
    """Rows with an interval, marked few, without a figure, on an unfit host."""
    results = Results(folder, unfit=UNFIT).complete("iccs", {"pseudoXOF-512": 512, "sm3hash-256": 256}).own()
    results.complete("mine", {"Mine-512": 512, "Mine-1024": 1024})
    results.instance("mine", "Mine-1024", 1024, "MISMATCH")
    results.record("iccs", "sm3hash-256", 1024, 256, ns=5000, factors=SPREAD)
    results.change("records/iccs/pseudoXOF-512__hash_512.json", crowd, settled=True)
    aggregate(results.folder, None)
    return results.folder


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder of results: local with its report, and compare."""
    top = tmp_path_factory.mktemp("browser")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "begun", begun)
        patch.setattr(drawing, "script", script)
        local = campaign(top / "local")
        render(local, systems=("arm_1",))
    earlier = Results(top / "earlier").complete("iccs", {"sm3hash-256": 256, "pseudoXOF-512": 512}).own()
    aggregate(earlier.folder, None)
    compare(str(earlier.folder), str(local), html_folder=top / "compare" / "html", fail_above=5)
    return top


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser, site):
    """visit(kind, language) opens a page. What it complains of, and what it asks for elsewhere, fails the test."""
    contexts, faults = [], []

    def opened(kind: str, language: str = "en", **options):
        contexts.append(browser.new_context(**{"viewport": DESK} | options))
        page = contexts[-1].new_page()
        page.on("console", lambda told: faults.append(told.text) if told.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("requestfailed", lambda asked: faults.append(asked.url))
        page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:")) else faults.append(asked.url))
        page.goto(address(site, kind, language))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def address(site: Path, kind: str, language: str) -> str:
    folder = site / ("compare/html" if kind == "compare" else "local/report/html") / language
    (path,) = folder.glob("compare-*.html" if kind == "compare" else f"{kind}.html")
    return path.as_uri()


def draw(page) -> None:
    """Plots are drawn as they are seen."""
    for figure in page.locator("figure.plot").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".drawn svg").wait_for()


def columns(page, title: str) -> list[str]:
    """The cells of a column of the index, of the rows that are seen."""
    titles = page.locator("#instances thead th").all_inner_texts()
    (number,) = [place for place, text in enumerate(titles, 1) if " ".join(text.split()) == title]
    cells = page.locator(f"#instances tbody tr:not([hidden]) > :nth-child({number})").all_inner_texts()
    return [cell.strip() for cell in cells]


# axe's rules of colours alone, where all others have seen the same already.
COLOURS = {"runOnly": "cat.color"}


@pytest.mark.parametrize("language", names.LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_everybody_can_read_every_page(visit, kind, language):
    """axe-core finds no violation of any of its rules, in light and in dark, and nothing is wider than the screen."""
    page = visit(kind, language)
    draw(page)
    for viewport, scheme, rules in ((DESK, "light", {}), (DESK, "dark", COLOURS), (PHONE, "dark", {})):
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        # It would load style sheets once more, which no page may that lies on disk.
        options = {"preload": False, "resultTypes": ["violations"]} | rules
        found = axe.Axe().run(page, options=options).response["violations"]
        told = [(one["id"], [(node["html"], node["failureSummary"]) for node in one["nodes"][:3]]) for one in found]
        assert told == [], (viewport, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


@pytest.mark.parametrize("language", names.LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_all_links_resolve(visit, site, kind, language):
    page = visit(kind, language)
    found = page.eval_on_selector_all("[href], [src]", "all => all.map(one => one.href || one.src)")
    lost = []
    for link in {one for one in found if one.startswith("file:")}:
        path, place = Path(unquote(urlsplit(link).path)), urlsplit(link).fragment
        there = path.is_file() and (not place or f'id="{unquote(place)}"' in path.read_text(encoding="utf-8"))
        lost += [] if there or path.is_relative_to(site / "local" / "build") else [link]  # nothing is built here
    assert lost == [] and found


def test_one_page_leads_to_another(visit):
    page = visit("index")
    for title, name in (("Method", "method"), ("Ranking", "ranking"), ("All systems", "systems"), ("Index", "index")):
        page.get_by_role("navigation", name="Report").get_by_role("link", name=title).click()
        assert page.url.endswith(f"/en/{name}.html")


def test_the_index_sorts_by_figures(visit):
    page = visit("index")
    title = "cycles/byte 1024 B"
    header = page.get_by_role("columnheader", name=title)
    for direction, reverse in (("ascending", False), ("descending", True)):
        header.get_by_role("button").click()
        assert header.get_attribute("aria-sort") == direction
        *cells, last = columns(page, title)
        figures = [float(re.match(r"[\d.]+", cell)[0]) for cell in cells]
        assert figures == sorted(figures, reverse=reverse) and len(set(figures)) > 1 and last == "–"
    page.locator("#instances button").first.press("Enter")
    assert columns(page, "instance") == ["Mine-512", "Mine-1024", "pseudoXOF-512", "sm3hash-256"]
    assert header.get_attribute("aria-sort") is None


def test_the_index_is_filtered(visit):
    page = visit("index")
    output = page.locator("#filters output")
    assert output.inner_text() == "4 of 4 rows"
    page.get_by_label("Find").fill("MINE")
    assert columns(page, "candidate") == ["mine", "mine"] and output.inner_text() == "2 of 4 rows"
    kat, marks = page.locator("[name=kat]"), page.locator("[name=marks]")
    kat.select_option("MISMATCH")
    assert columns(page, "instance") == ["Mine-1024"]
    page.get_by_label("Find").fill("")
    kat.select_option("")
    marks.select_option("any")
    assert columns(page, "instance") == ["sm3hash-256"]


def middle(locator) -> tuple[float, float]:
    locator.scroll_into_view_if_needed()
    box = locator.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_plot_tells_the_row_that_one_points_at(visit):
    page = visit("iccs")
    draw(page)
    page.mouse.move(*middle(page.locator("figure.plot").first.locator(".mark-symbol.role-mark path").first))
    tip = page.locator("#vg-tooltip-element.visible")
    tip.wait_for()
    told = dict(map(str.strip, line.split("\t")) for line in tip.locator("tr").all_inner_texts())
    row = [told[name] for name in ("instance", "message", "mean cycles", "cycles/byte", "mean time")]
    rows = page.locator("table", has=page.locator("#table-4")).locator("tbody tr").all_inner_texts()
    assert row in [[cell.strip() for cell in one.split("\t")][:5] for one in rows]


def test_the_legend_switches_lines(visit):
    page = visit("iccs")
    draw(page)
    plot = page.locator("figure.plot").first
    faint = plot.locator('.mark-line path[opacity="0.12"]')
    assert faint.count() == 0
    page.mouse.click(*middle(plot.locator(".role-legend-label text", has_text="sm3hash-256")))
    faint.first.wait_for()
    assert faint.count() == 1


def figures(page) -> list[list[str]]:
    return [re.findall(r"[\d.]+", cell) for cell in page.locator("td.n").all_inner_texts()]


def test_the_other_language_is_the_same_page_at_the_same_place(visit):
    page = visit("iccs")
    page.goto(f"{page.url}#4-performance")
    told = figures(page)
    page.get_by_role("link", name="简体中文").click()
    assert page.url.endswith("/zh/iccs.html#4-performance")
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    assert figures(page) == told


def ground(page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_theme_is_the_systems_until_it_is_switched(visit):
    page = visit("index", color_scheme="dark")
    dark = ground(page)
    page.emulate_media(color_scheme="light")
    assert (light := ground(page)) != dark
    page.get_by_role("button", name="Dark").click()
    assert ground(page) == dark
    page.get_by_role("link", name="Ranking").first.click()
    assert ground(page) == dark
    page.get_by_role("button", name="Light").click()
    assert ground(page) == light


FOCUS = """() => {
  const { activeElement: one } = document, { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { width, height, top } = one.getBoundingClientRect();
  const seen = outlineStyle !== "none" && outlineWidth !== "0px" && width > 0 && height > 0 && top < innerHeight;
  return [one.id || one.name || one.innerText.trim(), seen];
}"""


def test_the_keyboard_reaches_everything_and_shows_where_it_is(visit):
    page = visit("index")
    stops = []
    while not stops or stops[-1] != "heap" and len(stops) < 60:
        page.keyboard.press("Tab")
        name, seen = page.evaluate(FOCUS)
        assert seen, name
        stops.append(name)
    wanted = ["Skip to the content", "Index", "Method", "简体中文", "theme_switch", "text", "kat", "heap"]
    assert sorted(wanted, key=stops.index) == wanted
    page.keyboard.press("Enter")
    assert page.get_by_role("columnheader", name="heap").get_attribute("aria-sort") == "ascending"


def test_the_skip_link_skips(visit):
    page = visit("index")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('main_content').contains(document.activeElement)")


def test_a_table_that_is_wider_than_the_screen_says_so_and_can_be_scrolled_by_keys(visit):
    page = visit("index", viewport=PHONE)
    box = page.get_by_role("region", name="All instances")
    assert (box.get_attribute("tabindex"), box.get_attribute("data-hint")) == ("0", "Scroll sideways for more →")
    box.press("ArrowRight")
    page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())
    page.set_viewport_size(DESK | {"width": 1800})
    page.wait_for_function("box => !('hint' in box.dataset)", arg=box.element_handle())
    assert box.get_attribute("tabindex") is None


def test_without_a_script_tables_and_plots_are_there(visit):
    page = visit("index", java_script_enabled=False)
    assert page.locator("#instances tbody tr:visible").count() == 4
    assert not page.locator("#filters, #theme_switch, #instances button").locator("visible=true").count()
    page = visit("iccs", java_script_enabled=False, viewport=PHONE)
    pictures = page.locator("figure.plot img")
    sizes = pictures.evaluate_all("all => all.map(one => [one.naturalWidth, one.clientWidth])")
    assert len(sizes) == 3 and all(shown == own > 600 for own, shown in sizes)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_on_paper_there_are_no_controls_and_plots_are_pictures(visit):
    page = visit("index", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    controls = page.locator(".top, .filters, .skip").locator("visible=true")
    assert page.locator("h1:visible").count() and not controls.count()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    page = visit("iccs")
    draw(page)
    page.emulate_media(media="print")
    assert page.locator("figure.plot img:visible").count() == 3 and not page.locator(".drawn:visible").count()


def test_nothing_moves(visit):
    page = visit("iccs", reduced_motion="reduce")
    draw(page)
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("document.getAnimations().length") == 0
