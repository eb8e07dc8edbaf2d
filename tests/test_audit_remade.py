"""What the audit makes of evidence that was made again, of clocks and facts that somebody changed, and of litter."""

from __future__ import annotations

import json
from pathlib import Path

from forger import CANDIDATE, change, files, link, publish
from ngcc_campaign.aggregate import tables
from ngcc_campaign.audit import audit, clocks
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.audit.holdings import Holdings
from ngcc_campaign.common.files import sha256_document, sha256_file
from ngcc_campaign.verify.verify import log_text

ONE = f"records/{CANDIDATE}/One-256__hash_32.json"


def test_a_clock_that_no_canary_fits_is_found(folder):
    def slow(record: dict) -> None:
        for trial in record["trials"]:
            for key in ("before_ns", "after_ns"):
                trial["core_clock"][key] = round(trial["core_clock"][key] * 1.06)

    busy = [name for name in files(folder, f"records/{CANDIDATE}/") if name != ONE]
    for name in busy:  # contention lowers what a canary makes, which makes no other record wrong
        change(folder, name, lambda told: [trial.update(canaries_ns=[204_000] * 3) for trial in told["trials"]])
    link(folder)
    publish(folder)
    assert audit.audit(folder).faults == []
    change(folder, ONE, slow)
    link(folder)
    publish(folder)
    assert audit.audit(folder).faults == [
        f"{ONE}: its canary made 3.33 additions a cycle of its core clock, at most 3.24 fit."
    ]


def test_a_busy_campaign_makes_no_quiet_record_wrong(folder):
    for name in files(folder, "records/")[1:]:
        change(folder, name, lambda told: [trial.update(canaries_ns=[290_000] * 3) for trial in told["trials"]])
    found = Findings()
    clocks.check(Holdings(folder, found), found)
    assert found.faults == [] and found.counts["statements"] == len(files(folder, "records/"))


def test_no_core_makes_more_additions_a_cycle_than_a_canary_has_chains(folder):
    for name in files(folder, "records/"):
        change(folder, name, lambda told: [trial["core_clock"].update(additions=30_000) for trial in told["trials"]])
    found = Findings()
    clocks.check(Holdings(folder, found), found)
    assert f"{ONE}: its canary made 6.82 additions a cycle of its core clock, at most 6.3 fit." in found.faults


def test_facts_of_a_host_are_those_whose_digest_it_holds(folder):
    change(folder, "host.json", lambda told: told["facts"].update(governor="performance"))
    link(folder)
    publish(folder)
    assert [fault for fault in audit.audit(folder).faults if "made_from.facts" in fault]


def host_made_again(folder: Path, moment: str, **facts: object) -> list[str]:
    """What the audit says after host.json was made again, and nothing else but the report."""

    def alter(told: dict) -> None:
        told.update(facts=told["facts"] | facts, created_utc=moment)
        told["made_from"]["facts"] = sha256_document(told["facts"])

    change(folder, "host.json", alter)
    publish(folder)
    return audit.audit(folder).faults


def test_records_stand_where_the_host_was_looked_at_again(folder):
    model = json.loads((folder / "host.json").read_text())["facts"]["cpu_model"]
    assert host_made_again(folder, "2025-04-01T00:00:00Z", kernel="6.1.0-2-amd64") == []
    found = audit.audit(folder)
    assert f"made again: {len(files(folder, 'records/'))} records name an earlier host.json" in audit.text(found)

    faults = host_made_again(folder, "2025-04-01T00:00:00Z", cpu_model="Another CPU")
    assert any(fault.startswith("host.json: its SHA-256 is") for fault in faults)
    faults = host_made_again(folder, "2025-02-01T00:00:00Z", cpu_model=model)
    assert any(fault.startswith("host.json: its SHA-256 is") for fault in faults)


def verdict_made_again(folder: Path, moment: str, **told: object) -> Findings:
    """What the audit finds after a verdict was made again, and nothing else but the report."""
    name = f"kat/{CANDIDATE}/One-256"
    again = {"started_utc": moment, "ended_utc": moment} | told
    change(folder, f"{name}.json", lambda document: document.update(again))
    log = log_text(json.loads((folder / f"{name}.json").read_text()))
    (folder / f"{name}.log").write_text(log)
    change(folder, f"{name}.json", lambda document: document.update(log_sha256=sha256_file(folder / f"{name}.log")))
    publish(folder)
    return audit.audit(folder)


def test_records_stand_where_their_verdict_was_made_again(folder):
    found = verdict_made_again(folder, "2025-04-01T00:00:00Z")
    assert found.faults == []
    assert found.counts["made again"] == len(files(folder, f"records/{CANDIDATE}/One-256__")) > 2

    faults = verdict_made_again(folder, "2025-03-01T00:00:00Z").faults
    assert any(fault.startswith(f"kat/{CANDIDATE}/One-256.json: its SHA-256 is") for fault in faults)
    faults = verdict_made_again(folder, "2025-04-01T00:00:00Z", library_sha256="0" * 64).faults
    assert any(fault.startswith(f"kat/{CANDIDATE}/One-256.json: its SHA-256 is") for fault in faults)


def unbuilt(build: dict) -> None:
    nothing = {"built": False, "reason": "no library", "library": None, "library_sha256": None}
    build["variants"][0].update(nothing)


def test_records_outlive_a_verdict_that_turned_bad_and_give_no_figure(folder):
    other = {"verdict": "BUILDFAIL", "reason": "no library", "timed": False, "timed_reason": "no library", "files": []}
    change(folder, f"build/{CANDIDATE}/One-256/build.json", unbuilt)
    (folder / f"build/{CANDIDATE}/One-256/guide/libOne-256.so").unlink()
    gone = {"library": None, "library_sha256": None, "flags": None}
    assert verdict_made_again(folder, "2025-04-01T00:00:00Z", **other, **gone).faults == []
    rows = [row for row in tables.read(folder, "performance") if row["instance"] == "One-256"]
    assert {row["mean_ns"] for row in rows} == {""}


def test_what_killed_runs_left_is_litter_and_no_evidence(folder):
    left = folder / "records" / CANDIDATE
    for name in (".One-256__hash_32.json.a1b2.tmp", ".lock"):
        (left / name).write_text("{")
    (folder / "build" / CANDIDATE / ".One-256.77.part" / "out").mkdir(parents=True)
    (folder / "build" / CANDIDATE / ".One-256.77.part" / "out" / "a.o").write_text("half")
    found = audit.audit(folder)
    assert found.faults == [] and "litter: 3 temporary files" in audit.text(found)
    (left / "One-256.tmp").write_text("mine")
    assert any("One-256.tmp: nothing asks" in fault for fault in audit.audit(folder).faults)
