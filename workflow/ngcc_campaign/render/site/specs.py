"""Plots as Vega-Lite specifications, plain dicts: the same for the picture and for the plot that one can point at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from ...campaign.catalog import MESSAGE_BYTES

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 720
# Okabe and Ito's colours, which people with any colour vision tell apart, without the light yellow; two others are
# darkened to a contrast of 3 on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#3A98D0", "#B87F00", "#7A7A7A")
# One fewer than colours, so that 42 instances differ in one of both.
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
# site.css gives them other values in the dark.
INK, QUIET, GRID, PAPER = "#24292F", "#59636E", "#D8DEE4", "#FFFFFF"
PARTS = ("text", "rodata", "data", "bss", "stack", "heap")
ALONE, DISTURBED = "undisturbed", "disturbed batch"

_CONFIG = {
    "background": None,
    "aria": False,  # the page says what a plot is
    "font": "Liberation Sans, Arial, Helvetica, sans-serif",  # of one width, so that words fit as they were drawn
    "view": {"stroke": None},
    "axis": {
        "labelColor": QUIET, "titleColor": INK, "gridColor": GRID, "domainColor": GRID, "tickColor": GRID,
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titlePadding": 10,
    },
    "legend": {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "title": None, "labelLimit": 300,
               "orient": "top", "direction": "horizontal", "symbolStrokeWidth": 2, "columns": 4, "columnPadding": 16},
    "header": {"labelColor": INK, "labelFontSize": 12, "labelPadding": 2, "title": None},
    "facet": {"spacing": 14},
    "range": {"category": list(COLOURS), "symbol": list(SHAPES)},
}  # fmt: skip


def _spec(rows: Sequence[dict], **members: object) -> dict:
    return {"$schema": SCHEMA, "config": _CONFIG, "data": {"values": list(rows)}} | members


def _nominal(field: str, order: Iterable[str], **more: object) -> dict:
    return {"field": field, "type": "nominal", "sort": list(order)} | more


Say = Callable[[str], str]  # gives an English text in the language of a page


def cost(rows: Sequence[dict], title: str, say: Say) -> dict:
    """What a call costs against the message length, on log axes: a line an instance, a band where there are intervals.

    Rows have instance, bytes, cost, few (whether the point is hollow), low and high (absent where no interval is), and
    what a reader who points at one is told, under `told`: texts by their titles.
    """
    instances = list(dict.fromkeys(row["instance"] for row in rows))
    x = {
        "field": "bytes",
        "type": "quantitative",
        "title": say("message (bytes)"),
        "scale": {"type": "log", "base": 2},
        "axis": {"values": list(MESSAGE_BYTES), "format": "d", "grid": False},
    }
    y = {"type": "quantitative", "title": say(title), "scale": {"type": "log", "nice": False},
         "axis": {"format": "~f"} | _ticks(rows)}  # fmt: skip
    shown = {"condition": {"param": "instances", "value": 1}, "value": 0.12}
    # With one domain, colours and shapes share a legend.
    named = _nominal("instance", instances, scale={"domain": instances})
    colour = {"color": named, "opacity": shown}
    there = [{"filter": "isValid(datum.low)"}]
    titles = list(dict.fromkeys(name for row in rows for name in row["told"]))
    tooltip = [{"field": f"told.{name}", "type": "nominal", "title": say(name)} for name in titles]
    band = {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    line = {"x": x, "y": y | {"field": "cost"}}
    area = {"type": "area", "fillOpacity": 0.18, "invalid": "break-paths-show-domains"}  # a gap where no interval is
    intervals = [
        {"mark": area, "encoding": band | colour},
        {"transform": there, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": band | colour},
    ]
    points = {"mark": {"type": "point", "size": 64}, "encoding": line | colour | {"shape": named, "tooltip": tooltip}}
    sound = {"transform": [{"filter": "!datum.few"}], "mark": points["mark"] | {"filled": True}}
    layers = [
        *(intervals if any("low" in row for row in rows) else []),
        {"mark": {"type": "line", "strokeWidth": 1.75}, "encoding": line | colour},
        points | sound,
    ]
    if any(row["few"] for row in rows):
        hollow = {"transform": [{"filter": "datum.few"}], "mark": points["mark"] | {"fill": PAPER, "strokeWidth": 1.5}}
        layers.append(points | hollow)
    # The legend is that of the first layer, and answers only to what that one has.
    switch = {"name": "instances", "select": {"type": "point", "fields": ["instance"]}, "bind": "legend"}
    layers[0] = layers[0] | {"params": [switch]}
    return _spec(rows, width=WIDTH, height=340, layer=layers)


def _ticks(rows: Sequence[dict]) -> dict:
    """Where an axis of costs is labelled: at 1, 2 and 5 times powers of ten, unless too few of these are seen."""
    least, most = min(row.get("low", row["cost"]) for row in rows), max(row.get("high", row["cost"]) for row in rows)
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)))
    ticks = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    seen = [tick for tick in ticks if least <= tick <= most]
    return {"values": seen} if len(seen) > 2 else {}


def trials(rows: Sequence[dict], say: Say) -> dict:
    """How far each batch is from its row's figure, in per cent, by trial; what something speaks against has a colour.

    Rows have instance, bytes, trial, percent, and words.
    """
    instances = list(dict.fromkeys(row["instance"] for row in rows))
    told = [dict(row, state=say(DISTURBED if row["words"] else ALONE)) for row in rows]
    states = [say(ALONE), say(DISTURBED)]
    state = _nominal("state", states, scale={"domain": states, "range": [COLOURS[0], COLOURS[1]]})
    encoding = {
        "x": {"field": "bytes", "type": "ordinal", "title": say("message (bytes), and within it one column a trial"),
              "axis": {"labelAngle": 0, "ticks": False, "labelOverlap": "greedy"}},
        "xOffset": {"field": "trial", "type": "ordinal"},
        "y": {"field": "percent", "type": "quantitative", "title": None,
              "scale": {"type": "symlog", "constant": 2},
              "axis": {"values": [-50, -10, 0, 10, 100, 1000],
                       "gridColor": {"condition": {"test": "datum.value === 0", "value": QUIET}, "value": GRID}}},
        "color": state,
        "tooltip": [
            {"field": "instance", "type": "nominal", "title": say("instance")},
            {"field": "bytes", "type": "quantitative", "title": say("message (bytes)")},
            {"field": "trial", "type": "quantitative", "title": say("trial")},
            {"field": "percent", "type": "quantitative", "title": say("% from the figure")},
            {"field": "words", "type": "nominal", "title": say("disturbed by")},
        ],
    }  # fmt: skip
    facet = {
        "row": _nominal("instance", instances, header={"labelAngle": 0, "labelOrient": "top", "labelAnchor": "start"})
    }
    mark = {"type": "tick", "thickness": 2, "opacity": 0.9}
    return _spec(told, width=WIDTH, height=80, mark=mark, encoding=encoding | facet)


def memory(rows: Sequence[dict], say: Say) -> dict:
    """Memory as stacked bars; rows have instance, part (one of PARTS, or `ELF image`) and bytes."""
    instances = list(dict.fromkeys(row["instance"] for row in rows))
    parts = [part for part in (*PARTS, "ELF image") if any(row["part"] == part for row in rows)]
    encoding = {
        "y": _nominal("instance", instances, title=None, axis={"ticks": False, "domain": False, "labelLimit": 140}),
        "x": {
            "field": "bytes",
            "type": "quantitative",
            "title": say("bytes"),
            "axis": {"format": ",d", "tickCount": 6},
        },
        "color": _nominal("part", map(say, parts)),
        "order": {"field": "at", "type": "quantitative"},
        "tooltip": [{"field": name, "type": "nominal", "title": say(name)} for name in ("instance", "part", "bytes")],
    }
    told = [dict(row, at=parts.index(row["part"]), part=say(row["part"])) for row in rows]
    return _spec(told, width=WIDTH - 140, height={"step": 26}, mark={"type": "bar", "height": 15}, encoding=encoding)
