"""What the site costs: python tests/benchmarks/bench_site.py [folder]

Makes a results set of 35 candidates, 110 instances and 880 records as a campaign leaves them, 5 trials of 10 batches
each, makes its tables, and prints how long the whole report takes to render, how large its pages are, and, where there
are the extra `browser` and a Chromium of the system, how soon the index answers in it.
"""

from __future__ import annotations

import random
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "workflow"), str(ROOT / "tests")]

from evidence import Results, settle  # noqa: E402
from ngcc_campaign.aggregate.aggregate import aggregate  # noqa: E402
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES  # noqa: E402
from ngcc_campaign.render.render import render  # noqa: E402

CANDIDATES, INSTANCES = 35, 110
BATCHES, TRIALS = 10, 5
SECONDS, MEGABYTES, INTERACTIVE = 10, 1.5, 1
# From the beginning of a visit to when the page has its buttons, and has taken and shown a press of one.
PRESS = """() => new Promise((done) => {
  document.querySelector("#instances button").click();
  requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
})"""


def results(folder: Path) -> None:
    """Evidence of instances whose costs, spreads and disturbances differ."""
    rng = random.Random("bench_site")
    found = Results(folder).own()
    for number in range(CANDIDATES):
        widths = (512, 768, 1024, 1152)[: INSTANCES // CANDIDATES + (number < INSTANCES % CANDIDATES)]
        instances = {f"Candidate{number}-{width}": width for width in widths}
        name = f"hash-{number + 1:02}"
        found.complete(name, instances, algorithm=f"Candidate {number}")
        for instance, width in instances.items():
            fixed, slope = rng.uniform(100, 5000), rng.uniform(1, 60)
            for size in MESSAGE_BYTES:
                found.record(name, instance, size, width, ns=fixed + slope * size, trials=TRIALS)
                found.change(f"records/{name}/{instance}__hash_{size}.json", lambda told: spread(told, rng))


def spread(record: dict, rng: random.Random) -> None:
    """As many batches a trial as a campaign has, each a little slower or faster, and some disturbed."""
    record["plan"]["batches_per_trial"] = BATCHES
    for trial in record["trials"]:
        (batch, *_), luck = trial["batches"], rng.gauss(1, 0.004)
        trial["canaries_ns"] = [200_000] * (BATCHES + 1)
        trial["batches"] = [dict(batch) for _ in range(BATCHES)]
        for place, one in enumerate(trial["batches"]):
            slow = rng.random() < 0.1
            trial["canaries_ns"][place + 1] = 250_000 if slow else 200_000
            one["elapsed_ns"] = one["cpu_ns"] = round(batch["elapsed_ns"] * luck * rng.gauss(1.3 if slow else 1, 0.003))
    settle(record)


def interactive(index: Path) -> str:
    """How soon the index is sorted on the screen, of 5 visits, each in a browser context of its own."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if not chromium:
        return "index in Chromium: not measured, as the extra 'browser' or a Chromium is absent"
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium)
        seconds = []
        for _ in range(5):
            page = browser.new_context().new_page()
            page.goto(index.as_uri())
            seconds.append(page.evaluate(PRESS) / 1000)
        version = browser.version
        browser.close()
    told = f"{statistics.median(seconds):.2f} s (slowest of {len(seconds)}: {max(seconds):.2f} s)"
    return f"index interactive in Chromium {version} after {told} (target {INTERACTIVE} s)"


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else None) as top:
        folder = Path(top) / "local"
        results(folder)
        aggregate(folder, None)
        render(folder, ["hash-01"])  # the library's script is made once for each version
        begun = time.monotonic()
        render(folder, systems=("arm_1", "x86_1"))
        seconds = time.monotonic() - begun
        html = folder / "report" / "html"
        pages = {path: path.stat().st_size / 1e6 for path in html.glob("*/*.html")}
        largest = max(pages, key=pages.__getitem__)
        pictures = [path.stat().st_size / 1e6 for path in html.glob("*/plots/*.svg")]
        records = len(list(folder.glob("records/*/*.json")))
        print(f"{CANDIDATES} candidates, {INSTANCES} instances, {records} records: report rendered in", end=" ")
        print(f"{seconds:.1f} s (target {SECONDS} s on 2 cores)")
        print(
            f"{len(pages)} pages, {sum(pages.values()):.1f} MB; the largest, {largest.name}, {pages[largest]:.2f} MB",
            end=" ",
        )
        print(f"(target {MEGABYTES} MB); index {pages[html / 'en' / 'index.html']:.2f} MB")
        print(
            f"{len(pictures)} pictures, {sum(pictures):.1f} MB; script {(html / 'vega.js').stat().st_size / 1e6:.2f} MB"
        )
        print(interactive(html / "en" / "index.html"))


if __name__ == "__main__":
    main()
