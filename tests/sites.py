"""Reading the pages of a site: whether their HTML holds together, and where their links lead."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

VOID = {"meta", "link", "img", "input", "br", "hr"}


class Checked(HTMLParser):
    """A page's elements; `flaws` are what is wrong with its structure."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.flaws: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.elements: list[tuple[str, dict]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.flaws += [f"{tag} is not closed" for tag in self._open]
        self.flaws += [f"id {one} twice" for one in {one for one in self.ids if self.ids.count(one) > 1}]
        named = {
            name
            for _, told in self.elements
            for key in ("aria-labelledby", "aria-describedby")
            if (name := told.get(key))
        }
        self.flaws += [f"no id {name}" for name in named - set(self.ids)]

    def handle_starttag(self, tag: str, attributes: list) -> None:
        told = dict(attributes)
        self.elements.append((tag, told))
        if len(told) < len(attributes):
            self.flaws.append(f"{tag}: an attribute twice")
        if tag == "p" and self._open and self._open[-1] in ("p", "span", "a"):
            self.flaws.append(f"p in {self._open[-1]}")
        if tag not in VOID:
            self._open.append(tag)
        if "id" in told:
            self.ids.append(told["id"])
        self.links += [told[key] for key in ("href", "src") if told.get(key)]

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.flaws.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self._open):
            self.text += data

    def of(self, tag: str) -> list[dict]:
        return [told for name, told in self.elements if name == tag]


def read(report: Path) -> dict[Path, Checked]:
    """Every page of the site below a report, by its path."""
    return {path: Checked(path.read_text(encoding="utf-8")) for path in sorted(report.glob("html/*/*.html"))}


def dead_links(pages: dict[Path, Checked]) -> list[str]:
    """Links of pages that lead to no file or no place on a page."""
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            there = target.is_file() and (
                not parts.fragment or target not in pages or parts.fragment in pages[target].ids
            )
            dead += [] if there else [f"{path.parent.name}/{path.name}: {link}"]
    return dead
