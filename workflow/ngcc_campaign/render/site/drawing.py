"""Pictures of plots, and the script that lets readers point at them, by Vega-Lite (package vl-convert-python)."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

from ...common.errors import Mistake
from ...common.files import sha256_document, write_text

LIBRARY = "vl-convert-python"
# So many pictures are worth another process.
WORTH = 16
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"></svg>'
_TEXT = re.compile(r"(<text[^>]*>)([^<]+)(</text>)")
_DARK = (
    "<style>@media (prefers-color-scheme: dark) {[fill='#24292F'] {fill: #E6EDF3} [fill='#59636E'] {fill: #9DA7B3}"
    " [fill='#FFFFFF'] {fill: #12161B} [stroke='#D8DEE4'] {stroke: #30363D}}</style>"
)


# Of specifications by name: begins to draw, and gives what gives SVG by name.
Draw = Callable[[Mapping[str, dict | None]], Callable[[], dict[str, str]]]


@contextmanager
def begun(pictures: int) -> Iterator[Draw]:
    """What draws so many pictures beside what the caller does meanwhile, as the library lets nothing else run.

    Processes of their own draw; the first starts the library at once, which takes as long as the first pages.
    """
    processes = min(len(os.sched_getaffinity(0)), 1 + pictures // WORTH)
    # Not forked: the library has threads.
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        pool.submit(picture, {"mark": "point"})
        yield partial(_drawn, pool)


def _drawn(pool: ProcessPoolExecutor, specs: Mapping[str, dict | None]) -> Callable[[], dict[str, str]]:
    """Without a specification there is nothing to see."""
    drawn = {name: spec for name, spec in specs.items() if spec}
    found = pool.map(picture, drawn.values(), chunksize=4)
    return lambda: dict.fromkeys(specs, EMPTY) | dict(zip(drawn, found, strict=True))


def picture(spec: dict) -> str:
    """A plot as SVG; it names the specification that it was drawn from."""
    import vl_convert  # brings a browser's engine

    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    start = drawn.index(">") + 1
    return f"{drawn[:start]}<!-- {origin(spec)} -->{_DARK}{drawn[start:]}"


def origin(spec: dict | None) -> str:
    """What a picture says of the specification that it was drawn from."""
    return f"drawn from {sha256_document(spec)}" if spec else ""


def translated(picture: str, say: Callable[[str], str]) -> str:
    """A picture whose words are said in another language; its figures and lines are the same."""
    return _TEXT.sub(lambda match: f"{match[1]}{html.escape(say(html.unescape(match[2])))}{match[3]}", picture)


@cache
def script() -> str:
    """The script of the library, 0.9 MB, with everything that it needs; kept by version, as making it takes seconds."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cached = caches / "ngcc-perf" / f"vega-{version(LIBRARY)}.js"
    try:
        return cached.read_text(encoding="utf-8")
    except OSError:
        pass
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed=vegaEmbed;")
    text = f"(() => {{\n{bundle}\n}})();\n"
    with suppress(OSError, Mistake):  # a home that nobody can write to
        write_text(cached, text)
    return text


def inline_json(document: object) -> str:
    """JSON that can stand in a script element of a page whatever the texts in it are."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
