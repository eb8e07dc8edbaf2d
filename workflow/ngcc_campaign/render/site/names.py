"""The files of a site, by their names below a results folder's report/."""

from __future__ import annotations

from collections.abc import Iterable

FOLDER = "html"
# The folder of comparisons, beside those of the systems; it has a site of its own.
COMPARISONS = "compare"
LANGUAGES = {"en": "English", "zh": "简体中文"}
# Shared by all pages, beside the folders of the languages.
STYLE, SCRIPT, VEGA = (f"{FOLDER}/{name}" for name in ("site.css", "site.js", "vega.js"))
SHARED = (STYLE, SCRIPT)
# The plots of a candidate; of published figures there are no batches.
PLOTS = ("cost", "trials", "memory")
PUBLISHED_PLOTS = ("cost", "memory")


def page(language: str, name: str) -> str:
    """A page, which has the name of the Markdown page that says the same."""
    return f"{FOLDER}/{language}/{name}.html"


def drawing(language: str, candidate: str, plot: str) -> str:
    """A plot as a picture."""
    return f"{FOLDER}/{language}/plots/{candidate}-{plot}.svg"


def in_language(name: str, language: str) -> str:
    """The same file of another language's part, by its name in the English one."""
    return name.replace(f"{FOLDER}/en/", f"{FOLDER}/{language}/", 1)


def plots(evidence: str) -> tuple[str, ...]:
    """The plots of a candidate's page, by the kind of evidence."""
    return PUBLISHED_PLOTS if evidence == "published" else PLOTS


def drawings(candidates: Iterable[str], evidence: str) -> list[str]:
    """All plots; how they are drawn differs from one version of the library to the next."""
    candidates = list(candidates)
    return [
        drawing(language, candidate, plot)
        for language in LANGUAGES
        for candidate in candidates
        for plot in plots(evidence)
    ]


def texts(pages: Iterable[str]) -> list[str]:
    """All files that the same tables give the same bytes of; `pages` are the Markdown pages, by name."""
    pages = list(pages)
    return [*SHARED, *(page(language, name) for language in LANGUAGES for name in pages)]


def every(pages: Iterable[str], candidates: Iterable[str], evidence: str) -> list[str]:
    """All files of a site."""
    return [*texts(pages), VEGA, *drawings(candidates, evidence)]
