"""What the audit says of single faults: a sentence each, that names the file, what was found and what was expected."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from forger import BEGAN, CANDIDATE, Forger, change, files, link, publish
from ngcc_campaign import cli
from ngcc_campaign.aggregate import tables
from ngcc_campaign.audit import audit, figures, moments, reading
from ngcc_campaign.audit.findings import Findings
from ngcc_campaign.audit.holdings import Holdings
from ngcc_campaign.bundle import bundle
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.common.schemas import validate
from workplaces import Workplace

ONE = f"records/{CANDIDATE}/One-256__hash_32.json"


def test_a_sound_folder_has_no_fault_where_no_other_system_is(folder):
    found = audit.audit(folder)
    assert found.faults == []
    assert found.counts["documents"] == sum(name.endswith(".json") for name in files(folder))
    assert found.counts["tables"] == len(tables.COLUMNS)
    # Five as Markdown and in each of two languages, what the site's pages share, and those for papers and programs.
    assert found.counts["pages"] == 5 * 3 + 2 + 2
    assert found.counts["figures"] > 200


def test_the_command_prints_counts_and_faults_and_leaves_a_document(folder, capsys):
    assert cli.main(["audit", str(folder)]) == 0
    told = capsys.readouterr().out
    assert told.endswith("faults: 0\n") and "digests" in told and "cells" in told
    document = json.loads((folder / "audit.json").read_text())
    validate(document, "audit", "audit.json")
    assert document["faults"] == [] and document["counts"]["cells"] > 1000

    (folder / ONE).unlink()
    assert cli.main(["audit", str(folder)]) == 1
    told = capsys.readouterr().out
    assert f"fault: {ONE}: it is not there; it was taken away, or the campaign did not get so far." in told
    assert ONE in "".join(json.loads((folder / "audit.json").read_text())["faults"])


def test_all_faults_are_listed_at_once(folder):
    (folder / ONE).unlink()
    (folder / "kat" / CANDIDATE / "note.txt").write_text("mine")
    change(folder, f"memory/{CANDIDATE}/Two-512.json", lambda told: told.update(candidate="beta"))
    found = "\n".join(audit.audit(folder).faults)
    for name in (ONE, f"kat/{CANDIDATE}/note.txt: nothing asks for this file", "candidate is beta, expected alpha"):
        assert name in found


def test_a_document_of_another_version_is_refused_by_name(folder):
    change(folder, ONE, lambda told: told.update(version=1))
    sentence = f"{ONE}: it is ngcc-perf/record version 1, this audit reads ngcc-perf/record version 3;"
    assert any(fault.startswith(sentence) for fault in audit.audit(folder).faults)


def test_a_cell_is_named_with_what_was_found_and_what_follows(folder):
    path = folder / "tables" / "performance.csv"
    row = tables.read(folder, "performance")[0]
    path.write_text(path.read_text().replace(row["mean_ns"], "421.5", 1))
    faults = audit.audit(folder).faults
    assert any("mean_ns: found '421.5', recomputed '420.0'" in fault for fault in faults)
    assert any(fault.startswith(f"report/{CANDIDATE}.md: line ") for fault in faults)


def test_what_tables_and_pages_were_made_from_is_checked(folder):
    for top, file in (("tables", "kat.csv"), ("report", f"{CANDIDATE}.md")):
        change(folder, f"{top}/made.json", lambda told, file=file: told["files"].update({file: "0" * 64}))
        change(folder, f"{top}/made.json", lambda told: told["inputs"].update({"records/gone.json": "0" * 64}))
    change(folder, "tables/made.json", lambda told: told["inputs"].pop(ONE))
    faults = "\n".join(audit.audit(folder).faults)
    assert "tables/kat.csv: its SHA-256 is" in faults and f"report/{CANDIDATE}.md: its SHA-256 is" in faults
    for top in ("tables", "report"):
        assert f"{top}/made.json: inputs has records/gone.json, which is none of them, or not there." in faults
    assert f"{ONE}: its SHA-256 is" in faults and "tables/made.json says none…." in faults


def test_made_json_is_as_it_is_written(folder):
    (folder / "tables" / "made.json").write_text((folder / "tables" / "made.json").read_text() + " ")
    (folder / "report" / "made.json").unlink()
    faults = "\n".join(audit.audit(folder).faults)
    assert "tables/made.json: not as it was written." in faults and "report/made.json: it is not there" in faults


@pytest.mark.parametrize(
    "quirk", [lambda text: text.replace("\n", "\r\n"), lambda text: text.replace("alpha", '"alpha"', 1)]
)
def test_a_table_with_the_right_cells_in_other_bytes_is_told(folder, quirk):
    path = folder / "tables" / "instances.csv"
    path.write_text(quirk(path.read_text()), newline="")
    assert any("its bytes are not those of a table" in fault for fault in audit.audit(folder).faults)


def test_figures_are_looked_up_without_trust_in_the_renderer(folder):
    """A renderer that prints a wrong digit is seen, though its pages are rendered again to the same bytes."""
    stored = {name: tables.read(folder, name) for name in tables.COLUMNS}
    page = (folder / "report" / f"{CANDIDATE}.md").read_text()
    found = Findings()
    figures.check({CANDIDATE: page}, stored, None, found)
    assert found.faults == [] and found.counts["figures"] > 100

    lines = page.split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("| One-256") and "420 ns" in line)
    lines[place] = lines[place].replace("420 ns", "421 ns")
    figures.check({CANDIDATE: "\n".join(lines)}, stored, None, found)
    assert len(found.faults) == 1 and "421 ns is not in the tables" in found.faults[0]
    figures.check({CANDIDATE: page.replace("2025-03-01T12:", "2025-03-01T13:", 1)}, stored, None, found)
    assert len(found.faults) == 2 and "2025-03-01T13:" in found.faults[1]


@pytest.mark.parametrize(
    ("printed", "value", "fits"),
    [
        ("2.99 µs", 2994.9, True), ("2.99 µs", 2995.1, False), ("28 µs", 28040, True), ("28 µs", 28060, False),
        ("1 ms", 999_600, True), ("11.0 k", 11_049, True), ("11.0 k", 11_051, False), ("8.40 M", 8_404_999, True),
        ("1588 KiB", 1588.9, True), ("1588 KiB", 1589, False), ("1.5 %", 0.0154, True), ("1.5 %", 0.0156, False),
        ("3.69 GHz", 3.6949e9, True), ("3.58 to 3.70 GHz", 3.58e9, True), ("720 (2 × 360)", 720, True),
    ],
)  # fmt: skip
def test_a_printed_figure_stands_for_what_rounds_to_it(printed, value, fits):
    assert reading.rounds_to(reading.figures_in(printed)[0], value) is fits


def test_records_swapped_by_a_forger_are_found(folder):
    forger, other = Forger(folder), ONE.replace("32", "128")
    held = (folder / ONE).read_bytes()
    (folder / ONE).write_bytes((folder / other).read_bytes())
    (folder / other).write_bytes(held)
    forger.relink(folder)
    assert any(fault.startswith(f"{ONE}: message_bytes is 128, expected 32") for fault in audit.audit(folder).faults)


def test_a_record_whose_digest_is_not_the_verdict_s_is_no_fault_where_no_figure_is_taken_of_it(folder):
    """Its library cheated, and the campaign saw it."""

    def alter(record):
        record["digest"]["value"] = "00" * 32
        for trial in record["trials"]:
            trial["digest"] = "00" * 32

    honest = (folder / "tables" / "performance.csv").read_bytes()
    change(folder, ONE, alter)
    publish(folder)
    found = audit.audit(folder)
    assert found.faults == [] and tables.read(folder, "performance")[0]["status"] == "UNSTABLE"
    assert "withheld: 1 records, whose timed calls answer otherwise than in verification\n" in audit.text(found)

    (folder / "tables" / "performance.csv").write_bytes(honest)
    assert any("status: found 'MEASURED', recomputed 'UNSTABLE'" in fault for fault in audit.audit(folder).faults)


def test_records_of_one_cpu_do_not_overlap(folder):
    earlier = json.loads((folder / ONE).read_text())["ended_utc"]
    late = f"records/{CANDIDATE}/Two-512__hash_32.json"
    change(folder, late, lambda told: told.update(started_utc=earlier))
    link(folder)
    publish(folder)
    assert any("it started on CPU 1 before" in fault and late in fault for fault in audit.audit(folder).faults)


def test_nothing_is_from_the_future_and_records_come_after_what_they_rest_on(folder):
    found = Findings()
    moments.check(Holdings(folder, found), found, now=BEGAN)
    assert found.faults == []  # a day is granted to clocks
    moments.check(Holdings(folder, found), found, now=datetime(2025, 2, 1, tzinfo=UTC))
    assert any("it ended in the future" in fault for fault in found.faults)

    change(folder, "host.json", lambda told: told.update(created_utc="2025-03-02T00:00:00Z"))
    link(folder)
    publish(folder)
    assert any("it started before host.json was made" in fault for fault in audit.audit(folder).faults)


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"])
@pytest.mark.parametrize("key", ["started_utc", "ended_utc"])
def test_a_moment_at_either_end_of_the_calendar_is_a_fault(folder, moment, key):
    change(folder, ONE, lambda told: told.update({key: moment}))
    link(folder)
    found = Findings()
    moments.check(Holdings(folder, found), found)
    assert any(fault.startswith(ONE) for fault in found.faults)


def test_one_rate_of_the_reference_clock_and_one_message_a_length(folder):
    def slow(record: dict) -> None:
        for trial in record["trials"]:
            trial["reference_ticks"] *= 2
            for batch in trial["batches"]:
                batch["reference_ticks"] *= 2

    change(folder, ONE, slow)
    change(folder, "records/same_a_1024.json", lambda told: told["input"].update(sha256="0" * 64))
    change(folder, "records/control_end.json", lambda told: told["input"].update(rule="another one"))
    link(folder)
    publish(folder)
    faults = "\n".join(audit.audit(folder).faults)
    assert f"{ONE}: its reference clock ran at 6.0" in faults and " ticks a ns, in the other records at 3." in faults
    assert "records/same_a_1024.json: its message is not that of" in faults
    assert "records/control_end.json: its message is not that of" in faults


def test_sizes_follow_from_the_library_and_the_log_from_the_verdict(folder):
    change(folder, f"memory/{CANDIDATE}/One-256.json", lambda told: told["elf"].update(text_bytes=1))
    log = folder / "kat" / CANDIDATE / "One-256.log"
    text = log.read_text()
    link(folder)
    log.write_text(text.replace("4097 records", "4096 records"))
    change(
        folder,
        f"kat/{CANDIDATE}/One-256.json",
        lambda told: told.update(log_sha256=audit.Holdings(folder, Findings()).sha256(f"kat/{CANDIDATE}/One-256.log")),
    )
    faults = "\n".join(audit.audit(folder).faults)
    assert f"memory/{CANDIDATE}/One-256.json: elf is" in faults
    assert f"kat/{CANDIDATE}/One-256.log: it does not say what kat/{CANDIDATE}/One-256.json says." in faults


def test_what_a_forger_writes_controls_no_terminal(folder):
    name = f"{folder}/tables/instances.csv"
    Path(name).write_text(Path(name).read_text().replace("guide", "\x1b[2J\nfaults: 0", 1))
    told = audit.text(audit.audit(folder))
    assert "\x1b" not in told and "faults: 0" not in told.splitlines()


def test_names_of_libc_are_those_that_the_library_has(folder):
    build = f"build/{CANDIDATE}/One-256/build.json"
    change(folder, build, lambda told: told["variants"][0].update(libc_names=["memcpy"]))
    assert f"{build}: libc_names is ['memcpy'], expected []." in audit.audit(folder).faults
    library = folder / f"build/{CANDIDATE}/One-256/guide/libOne-256.so"
    source = "int rand(void) { return 4; } int memcpy(void) { return rand(); }"
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-xc", "-", "-o", library], input=source, text=True, check=True)
    assert f"{build}: libc_names is ['memcpy'], expected ['memcpy', 'rand']." in audit.audit(folder).faults


def test_binaries_are_there_all_or_none(folder):
    shutil.rmtree(folder / "build" / CANDIDATE / "One-256" / "guide")
    assert any("libOne-256.so: it is not there" in fault for fault in audit.audit(folder).faults)
    shutil.rmtree(folder / "build" / CANDIDATE / "Two-512" / "guide")
    for name in files(folder, "bin/"):
        if not name.endswith(".json"):
            (folder / name).unlink()
    found = audit.audit(folder)
    assert found.faults == [] and found.counts["files not held"] == 7
    assert "not held: 7 programs and libraries" in audit.text(found)


def test_links_are_no_evidence(folder, tmp_path):
    (folder / ONE).rename(tmp_path / "elsewhere.json")
    (folder / ONE).symlink_to(tmp_path / "elsewhere.json")
    assert f"{ONE}: it is a link; evidence is files, put the file itself there." in audit.audit(folder).faults


def test_what_the_driver_remembers_is_no_evidence(folder):
    (folder / "bin" / "canary.json").write_text("anything")
    assert audit.audit(folder).faults == []


def test_candidates_that_the_report_does_not_show_are_counted_only(folder):
    for top in ("fetch", "records", "kat"):
        for path in list((folder / top).rglob("*.json")):
            if CANDIDATE in path.as_posix().removeprefix(folder.as_posix()):
                new = Path(str(path).replace(f"/{CANDIDATE}", "/beta"))
                new.parent.mkdir(exist_ok=True)
                new.write_text(path.read_text().replace(f'"{CANDIDATE}"', '"beta"'))
    found = audit.audit(folder)
    assert found.counts["files not audited"] == 19
    assert "not audited: 19 files" in audit.text(found)
    assert not [fault for fault in found.faults if "nothing asks" in fault]


def test_what_is_left_of_an_instance_under_an_earlier_name_is_counted_only(folder, tmp_path):
    alone = folder / "kat" / CANDIDATE / "Alone.json"
    alone.write_bytes((folder / "kat" / CANDIDATE / "One-256.json").read_bytes())
    assert any("Alone.json: nothing asks for this file" in fault for fault in audit.audit(folder).faults)
    alone.unlink()
    for top in ("build", "kat", "memory", "records"):
        for path in sorted((folder / top / CANDIDATE).rglob("*")):
            new = Path(str(path).replace("One-256", "Former"))
            if path.is_file() and new != path:
                new.parent.mkdir(parents=True, exist_ok=True)
                content = path.read_bytes().replace(b"One-256", b"Former")
                new.write_bytes(content.replace(b"2025-03-01T", b"2025-03-02T"))  # one at a time
    publish(folder)
    found = audit.audit(folder)
    assert found.faults == []
    left = [name for name in files(folder) if "Former" in name]
    assert found.counts["files not audited"] == len(left) > 10
    assert f"not audited: {len(left)} files of candidates and instances" in audit.text(found)
    bundle.bundle(folder, tmp_path / "one.zip")
    assert audit.audit(tmp_path / "one.zip").faults == []


@pytest.mark.parametrize(
    ("name", "content"), [("host.json", "{"), ("tables/campaign.csv", "x"), ("tables/candidates.csv", "")]
)
def test_damage_anywhere_is_a_fault_and_no_traceback(folder, name, content):
    (folder / name).write_text(content)
    assert any(name in fault for fault in audit.audit(folder).faults)


def test_there_must_be_something_to_audit(folder, tmp_path, capsys):
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(Mistake, match="no results of a campaign"):
        audit.audit(empty)
    assert cli.main(["audit", str(tmp_path / "absent")]) == 1
    assert f"{tmp_path / 'absent'}: not there; give the results folder" in capsys.readouterr().err
    row = tables.read(folder, "campaign")[0]
    tables.write(folder, "campaign", [row | {"evidence": "published"}])
    with pytest.raises(Mistake, match=r"made of published figures.*; there is nothing to audit or bundle\.$"):
        audit.audit(folder)


def test_the_workflow_audits_and_bundles_without_a_job(sound_results, tmp_path):
    place = Workplace(tmp_path)
    (tmp_path / "resources" / "candidates").mkdir(parents=True)
    config = (f"catalog={Path(__file__).parents[1] / 'resources' / 'candidates'}",)
    run = place.run("audit", config=config)
    assert run.status == 1 and "ngcc-perf: " in run and "not there; give the results folder" in run

    shutil.copytree(sound_results, place.results)
    run = place.run("bundle", config=config)
    assert run.status == 0 and "results/local.zip: " in run and not run.jobs
    assert audit.audit(place.results.with_name("local.zip")).faults == []

    (place.results / ONE).unlink()
    run = place.run("audit", config=config)
    assert run.status == 1 and f"fault: {ONE}: it is not there" in run
    assert (place.results / "audit.json").is_file()
    run = place.run("all", "audit", config=config)
    assert run.status == 1 and "audit: ask for it alone" in run
