"""What is stale: decided by content, and nothing else."""

import json
import os
import shutil

import pytest

from ngcc_campaign.campaign import holdings, origins, settings, staleness
from ngcc_campaign.campaign.campaign import Campaign
from ngcc_campaign.common.root import ROOT
from ngcc_campaign.measure.own import OWN


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A working directory with a copy of the bundled submissions, and a way to make campaigns over it."""
    shutil.copytree(ROOT / "resources", tmp_path / "resources")
    shutil.copytree(ROOT / "native", tmp_path / "native", ignore=shutil.ignore_patterns("tests"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(origins, "NATIVE", tmp_path / "native")
    monkeypatch.setattr(origins, "RECIPE", tmp_path / "native" / "candidate" / "CMakeLists.txt")

    def made(**changes) -> Campaign:
        config = {"system": "local", "candidates": "iccs,fips", "catalog": str(tmp_path / "resources" / "candidates")}
        return Campaign(settings.load(config | changes))

    made.path = tmp_path
    return made


def complete(campaign: Campaign) -> None:
    """Leave evidence behind as a campaign would, as far as staleness looks at it."""
    for path, evidence in campaign.evidence.items():
        stage = path.parts[2]
        document = {"made_from": evidence.made_from, "retry": False}
        if path.stem in OWN:
            document |= OWN[path.stem].asked | {"files": {"library_sha256": None}}
        elif stage in ("kat", "records", "memory"):
            instance, _, operation = path.stem.partition("__")
            document |= {"candidate": path.parts[-2], "instance": instance}
            document |= {"operation": operation} if operation else {}
        if stage == "kat":
            document |= {"timed": True, "library_sha256": None, "flags": "guide", "files": [], "messages": []}
        if stage in ("records", "memory"):
            document |= {"status": "MEASURED"} | ({} if path.stem in OWN else {"library_sha256": None})
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
        if stage == "kat":
            path.with_suffix(".log").write_text("")


def stale(campaign: Campaign) -> set[str]:
    campaign.__dict__.pop("stale", None)
    return {path.relative_to(campaign.results).as_posix() for path in campaign.stale}


def test_nothing_is_stale_after_a_campaign(work):
    complete(work())
    assert stale(work()) == set()


def test_touching_files_or_editing_texts_makes_nothing_stale(work):
    complete(work())
    for path in work.path.rglob("*"):
        os.utime(path)
    (work.path / "resources" / "bundled" / "README.md").write_text("changed")
    assert stale(work()) == set()


def test_a_changed_source_makes_its_own_instance_stale_and_no_sibling(work):
    complete(work())
    source = next((work.path / "resources" / "bundled" / "fips").rglob("SHA-512/*.c"))
    source.write_text(source.read_text() + "/* a comment */\n")
    found = stale(work())
    assert {"build/fips/SHA-512/build.json", "kat/fips/SHA-512.json", "memory/fips/SHA-512.json"} <= found
    assert len([path for path in found if path.startswith("records/fips/SHA-512__hash_")]) == 8
    assert "fetch/fips.json" in found, "the digests of files used in place are recorded anew"
    assert len(found) == 12


def test_a_source_that_instances_share_makes_each_of_them_stale(work):
    complete(work())
    shared = next((work.path / "resources" / "bundled" / "iccs").rglob("sm3.c"))
    shared.write_text(shared.read_text() + "\n")
    assert len([path for path in stale(work()) if path.startswith("build/")]) == 7


def test_a_changed_plan_re_times_and_rebuilds_nothing(work):
    complete(work())
    found = stale(work(target_seconds=0.2))
    assert len(found) == 82 and all(path.startswith("records/") for path in found)


@pytest.mark.parametrize(
    ("file", "stages"),
    [
        ("perf/plan.c", {"records", "bin"}),
        ("kat/kat.c", {"kat", "bin"}),
        ("memory/heap.c", {"memory", "bin"}),
        ("lib/json.c", {"records", "kat", "memory", "bin"}),
        ("candidate/CMakeLists.txt", {"build", "kat", "records", "memory"}),
    ],
)
def test_a_changed_driver_makes_stale_what_it_made(work, file, stages):
    complete(work())
    source = work.path / "native" / file
    source.write_text(source.read_text() + "\n")
    assert {path.split("/")[0] for path in stale(work())} == stages


def test_another_compiler_makes_all_stale_that_was_compiled(work, monkeypatch):
    complete(work())
    monkeypatch.setattr(origins.compiler, "find_compiler", lambda command: "gcc 99")
    assert {path.split("/")[0] for path in stale(work())} == {"build", "kat", "records", "memory", "bin"}


def test_another_machine_is_never_mixed_in(work, monkeypatch):
    complete(work())
    monkeypatch.setattr(origins.host, "machine", lambda facts: "another machine")
    assert {path.split("/")[0] for path in stale(work())} == {"records", "memory"}


def test_figures_of_another_state_of_the_machine_are_never_mixed_in(work, monkeypatch):
    complete(work())
    deviation = {"fact": "governor", "expected": "performance", "found": "powersave", "advice": "…"}
    monkeypatch.setattr(holdings.host, "unfit", lambda facts, system: [deviation])
    found = stale(work())
    assert len(found) == 82 and all(path.startswith("records/") for path in found)
    assert set(work().stale.values()) == {"fitness changed"}


def test_a_host_file_is_of_its_system_and_profile(work):
    complete(work())
    campaign = work()
    campaign.settings.system["description"] = "another"
    assert stale(campaign) == {"host.json"}


def test_a_changed_manifest_verifies_again_and_re_times_nothing(work):
    complete(work())
    manifest = work.path / "resources" / "kat" / "fips.sha256"
    lines = manifest.read_text().splitlines(keepends=True)
    manifest.write_text("".join(("0" * 64 + line[64:]) if "SHA-512.txt" in line else line for line in lines))
    origins.manifest.read_manifest.cache_clear()
    assert stale(work()) == {"kat/fips/SHA-512.json"}


def edit(campaign, path, **changes):
    file = campaign.results / path
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_crash_stays_until_its_inputs_change_and_what_was_killed_is_tried_again(work):
    campaign = work()
    complete(campaign)
    edit(campaign, "records/fips/SHA-512__hash_32.json", status="CRASH")
    edit(campaign, "records/fips/SHA-512__hash_128.json", status="KILLED", retry=True)
    assert stale(campaign) == {"records/fips/SHA-512__hash_128.json"}


def test_a_refused_record_follows_its_verdict(work):
    campaign = work()
    complete(campaign)
    edit(campaign, "records/fips/SHA-512__hash_32.json", status="REFUSED")
    assert stale(campaign) == {"records/fips/SHA-512__hash_32.json"}, "the verdict allows it now"
    edit(campaign, "kat/fips/SHA-512.json", timed=False)
    assert "records/fips/SHA-512__hash_32.json" not in stale(campaign)
    edit(campaign, "kat/fips/SHA-512.json", timed=False, retry=True)
    assert {"kat/fips/SHA-512.json", "records/fips/SHA-512__hash_32.json"} <= stale(campaign)


def test_a_record_of_another_library_is_stale(work):
    campaign = work()
    complete(campaign)
    edit(campaign, "records/fips/SHA-512__hash_32.json", library_sha256="2" * 64)
    assert stale(campaign) == {"records/fips/SHA-512__hash_32.json"}
    edit(campaign, "kat/fips/SHA-512.json", library_sha256="3" * 64)
    build = {"variants": [{"flags": "guide", "library": None, "library_sha256": "4" * 64}]}
    edit(campaign, "build/fips/SHA-512/build.json", **build)
    assert "kat/fips/SHA-512.json" in stale(campaign), "the verdict is not about the library that was built"


def test_a_record_of_something_else_in_its_place_is_stale(work):
    campaign = work()
    complete(campaign)
    folder = campaign.results / "records" / "fips"
    (folder / "SHA-512__hash_32.json").write_bytes((folder / "SHA-512__hash_128.json").read_bytes())
    assert stale(campaign) == {"records/fips/SHA-512__hash_32.json"}


@pytest.mark.parametrize(
    "gone",
    ["host.json", "bin/drivers.json", "build/fips/SHA-512/build.json", "fetch/fips.json", "records/empty_call.json"],
)
def test_evidence_that_is_gone_has_to_be_made(work, gone):
    campaign = work()
    complete(campaign)
    (campaign.results / gone).unlink()
    assert {path.relative_to(campaign.results).as_posix() for path in campaign.unsettled} == {gone}


def test_a_log_a_library_a_program_and_a_source_are_looked_at_too(work):
    campaign = work()
    complete(campaign)
    (campaign.results / "kat/fips/SHA-512.log").unlink()
    edit(campaign, "bin/drivers.json", programs={"ngcc_perf": "0" * 64})
    library = {"flags": "guide", "library": "build/fips/SHA3-512/guide/lib.so", "library_sha256": "0" * 64}
    edit(campaign, "build/fips/SHA3-512/build.json", variants=[library])
    edit(campaign, "build/iccs/sm3hash-256/build.json", sources=[{"file": "common/sm3.c", "sha256": "0" * 64}])
    assert {"kat/fips/SHA-512.json", "bin/drivers.json", "build/fips/SHA3-512/build.json"} <= stale(campaign)
    assert "build/iccs/sm3hash-256/build.json" in stale(campaign), "edited while it was built"


def test_a_verdict_that_turned_bad_throws_no_figures_away(work):
    campaign = work()
    complete(campaign)
    edit(campaign, "kat/fips/SHA-512.json", timed=False)
    assert stale(campaign) == set()


def test_a_verdict_on_all_files_is_one_on_the_quick_ones(work):
    complete(work(kat="full"))
    assert stale(work()) == set()
    complete(work())
    assert {path.split("/")[0] for path in stale(work(kat="full"))} == {"kat"}


def test_another_time_limit_verifies_again(work):
    complete(work())
    assert {path.split("/")[0] for path in stale(work(kat_seconds=120))} == {"kat"}


def test_another_sandbox_makes_nothing_stale(work):
    complete(work())
    assert not stale(work(sandbox="require"))


def test_another_choice_of_candidates_or_kind_of_evidence_makes_the_tables_anew(work):
    complete(work())
    campaign = work()
    rows = [{"candidate": candidate} for candidate in ("fips", "iccs")]
    made = {"evidence": campaign.decision.kind, "statement": campaign.decision.statement}
    for name in staleness.tables.COLUMNS:
        staleness.tables.write(campaign.results, name, [])
    staleness.tables.write(campaign.results, "candidates", rows)
    staleness.tables.write(campaign.results, "campaign", [made])
    staleness.made.write(campaign.results / "tables", campaign.table_inputs, [])
    assert stale(work()) == set()
    assert "tables/candidates.csv" in stale(work(candidates="fips"))
    staleness.tables.write(campaign.results, "campaign", [made | {"evidence": "stored"}])
    assert stale(work()) == {"tables/candidates.csv"}
    (campaign.results / "tables" / "candidates.csv").write_text("cut off")
    assert stale(work()) == {"tables/candidates.csv"}


def test_a_record_that_contradicts_itself_is_made_again(work):
    campaign = work()
    complete(campaign)
    for name in staleness.tables.COLUMNS:
        staleness.tables.write(campaign.results, name, [])
    record = "records/fips/SHA-512__hash_32.json"
    row = {"candidate": "fips", "instance": "SHA-512", "digest_bits": 512, "operation": "hash_32", "message_bytes": 32}
    row |= {"status": "UNUSABLE", "record": record}
    staleness.tables.write(campaign.results, "performance", [row])
    assert record in stale(campaign)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"made_from": {}}'], ids=["empty", "cut off", "list", "no origin"])
def test_evidence_that_cannot_be_read_is_made_again(work, text):
    campaign = work()
    complete(campaign)
    (campaign.results / "memory/fips/SHA-512.json").write_text(text)
    assert "memory/fips/SHA-512.json" in stale(campaign)


def test_one_instance_can_be_timed_again_on_request(work):
    complete(work())
    found = stale(work(retime="fips/SHA-512"))
    assert len(found) == 8 and all(path.startswith("records/fips/SHA-512__hash_") for path in found)


def test_the_evidence_below_one_record(work):
    campaign = work()
    needs = campaign.with_needs({campaign.record("fips", "SHA-512", 32)})
    assert {path.relative_to(campaign.results).as_posix() for path in needs} == {
        "records/fips/SHA-512__hash_32.json", "kat/fips/SHA-512.json", "build/fips/SHA-512/build.json",
        "fetch/fips.json", "host.json", "bin/drivers.json",
    }  # fmt: skip


def test_options_survive_a_shell(work):
    campaign = work()
    import shlex

    options = shlex.split(campaign.from_options(campaign.build("fips", "SHA-512")))
    pairs = dict(option.split("=", 1) for option in options[1::2])
    assert pairs == campaign.evidence[campaign.build("fips", "SHA-512")].made_from
