"""A line of Markdown as our pages have it, as HTML: escapes, code, links, strong words; all else is text."""

from __future__ import annotations

import html
import re
from functools import lru_cache

from markupsafe import Markup

_TOKEN = re.compile(
    r"\\(?P<escaped>[\W_])|`(?P<code>[^`]*)`|\[(?P<text>(?:\\.|[^\]\\])*)\]\((?P<address>[^)]*)\)"
    r"|\*\*(?P<strong>(?:\\.|[^\\*])+)\*\*|(?P<entity>&(?:amp|lt|gt);)"
)
# Files that pages of either form lead to.
_DATA = re.compile(r"(\.\./tables/|latex/)?[\w-]+\.(csv|json|tex)")
_ELSEWHERE = re.compile(r"\.\./\.\./(?P<system>[a-z0-9_]+)/report/(?P<page>[^/]+)\.md")


@lru_cache(maxsize=1 << 14)
def to_html(text: str, language: str) -> Markup:
    """HTML of a line; links to pages lead to those of `language`."""
    parts, end = [], 0
    for match in _TOKEN.finditer(text):
        parts += [html.escape(text[end : match.start()]), _token(match, language)]
        end = match.end()
    return Markup("".join([*parts, html.escape(text[end:])]))


def plain(text: str) -> str:
    """A line as a reader sees it."""
    return html.unescape(re.sub("<[^>]*>", "", to_html(text, "en")))


def _token(match: re.Match, language: str) -> str:
    if match["escaped"]:
        return html.escape(match["escaped"])
    if match["entity"]:
        return match["entity"]
    if match["code"] is not None:
        return f"<code>{html.escape(match['code'])}</code>"
    if match["strong"]:
        return f"<strong>{to_html(match['strong'], language)}</strong>"
    words, where = to_html(match["text"], language), address(match["address"], language)
    return f'<a href="{html.escape(where)}">{words}</a>' if where else words


def address(where: str, language: str) -> str:
    """Where a link of a Markdown page leads from the HTML page that says the same; empty where it may lead nowhere."""
    if re.match(r"https?://", where):
        return where
    if _DATA.fullmatch(where):
        return f"../../{where}"
    if elsewhere := _ELSEWHERE.fullmatch(where):
        return f"../../../../{elsewhere['system']}/report/html/{language}/{elsewhere['page']}.html"
    own = re.fullmatch(r"([^/:]+)\.md(#.*)?", where)
    return f"{own[1]}.html{own[2] or ''}" if own else ""
