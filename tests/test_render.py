"""Pages show what the tables hold, in the shape of the published pages."""

import re

import pytest

from evidence import UNFIT, Results
from ngcc_campaign.aggregate.aggregate import aggregate
from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.render.render import render
from reports import page, section, tables_of, three_instances

COMPILER = "limits, namespaces, landlock 7"
SIZES = [f"{size} B" for size in MESSAGE_BYTES]
OPERATIONS = [f"hash_{size}" for size in MESSAGE_BYTES]


@pytest.fixture
def results(tmp_path):
    return three_instances(tmp_path / "local")


def test_a_candidate_page_has_the_published_sections(results):
    text = page(results)
    lines = text.splitlines()
    assert lines[0] == "[Performance measurements](index.md) › local › iccs · system: local"
    assert lines[2] == "# iccs ICCS helper functions — performance on x86-64 (system local)"
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "1. Basic information", "2. Assessment environment", "3. Functional testing (KAT)", "4. Performance",
        "5. Resource consumption", "7. Raw evidence index",
    ]  # fmt: skip
    assert "There is no section 6: the published pages" in section(text, "5.")
    assert "ngcc_perf" in text.rpartition("---")[2]


def test_section_1(results):
    results.fetch(
        "iccs", {"a": 256}, submission_page="https://example.org/a", security_evaluation="https://example.org/b"
    )
    ((_, *rows),) = tables_of(section(page(results), "1."))
    assert rows[2:] == [
        ["algorithm", "Example"],
        ["implementation versions", "reference implementation (directory iccs)"],
        ["parameter sets", "a"],
        ["links", "[security evaluation](https://example.org/b) · [method](method.md) · "
         "[submission page](https://example.org/a)"],
    ]  # fmt: skip
    assert [row[0] for row in rows[:2]] == ["category", "function"]


def test_section_2_of_a_virtual_machine(tmp_path):
    results = Results(tmp_path, virtual="kvm").complete("iccs", {"a": 256})
    results.record("iccs", "a", 32, ghz=2.6)
    ((_, *rows),) = tables_of(section(page(results), "2."))
    clock = "core clock measured around the trials: median 2.50 GHz, 2.50 to 2.60 GHz, virtual machine (kvm)"
    assert rows == [
        ["processor", "Example CPU @ 2.80GHz, CPU 1, one core"],
        ["clock", clock],
        ["memory", "24000 MiB"],
        ["OS / kernel", "Debian GNU/Linux 12 (bookworm) / 6.1.0-1-amd64"],
        ["compiler / build tool", "gcc (Debian 12.2.0-14) 12.2.0 / cmake version 3.31.6"],
        ["load average (1 min)", "at most 0.50 when a record began"],
        ["campaign start / end (UTC)", "2026-11-30T13:16:29 / 2026-11-30T13:17:29"],
        ["sandbox", f"compiling: {COMPILER}; verifying, timing, measuring memory: no_new_privs, {COMPILER}, seccomp"],
    ]


ARM_1 = {
    "machine": "ASUS Vivobook S 15", "governor": "performance", "frequency_driver": "scmi", "scaling_min_khz": 2707200,
    "scaling_max_khz": 2707200, "boost": "off", "smt": "notsupported",
}  # fmt: skip
X86_1 = {
    "core_type": "performance", "governor": "performance", "frequency_driver": "intel_pstate",
    "scaling_min_khz": 800000, "scaling_max_khz": 2100000, "boost": "off", "smt": "off",
}  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "clock", "core"),
    [
        (ARM_1, "fixed 2.71 GHz (governor performance, minimum = maximum), boost off, SMT none", "one core"),
        (X86_1, "max 2.10 GHz, governor performance, turbo off, SMT off", "one performance core"),
        ({}, "neither fixed nor measured", "one core"),
    ],
    ids=["arm_1", "x86_1", "unknown"],
)
def test_section_2_says_the_clock_as_published(tmp_path, facts, clock, core):
    results = Results(tmp_path, **facts).complete("iccs", {"a": 256})
    for size in MESSAGE_BYTES:
        results.record("iccs", "a", size, source="perf_event", cpu=2)
    rows = dict(tables_of(section(page(results), "2."))[0])
    assert rows["clock"] == clock
    assert rows["processor"] == f"Example CPU @ 2.80GHz, CPU 2, {core}"
    assert rows.get("machine") == facts.get("machine")


def test_two_cpus_are_both_named(results):
    results.record("iccs", "sm3hash-256", 32, cpu=3)
    assert "CPUs 1 and 3" in dict(tables_of(section(page(results), "2."))[0])["processor"]


def test_section_3(results):
    ((header, *rows),) = tables_of(section(page(results), "3."))
    assert header == ["instance", "build flags", "KAT"]
    names = ["pseudoXOF-512", "pseudoXOF-1024", "sm3hash-256"]
    assert rows == [[name, "guide", "PASS"] for name in names]


def test_section_4(results):
    results.record("iccs", "sm3hash-256", 65536, ns=999_600, ghz=2.5)
    header, *rows = tables_of(section(page(results), "4."))[0]
    assert header[:7] == ["instance", "message", "mean cycles", "cycles/byte", "mean time", "MB/s", "n"]
    assert header[7:] == ["±", "undisturbed", "kept", "marks"]
    names = ["pseudoXOF-512", "pseudoXOF-1024", "sm3hash-256"]
    assert [row[:2] for row in rows] == [[name, size] for name in names for size in SIZES]
    quiet = ["0.00 %", "=", "100.0 %", ""]
    assert rows[0][2:] == ["1050", "32.8", "420 ns", "76.2", "10000 (5 × 2000)", *quiet]
    assert rows[-1][2:] == ["2.50 M", "38.1", "1 ms", "65.6", "10000 (5 × 2000)", *quiet]


def test_section_5(results):
    resident, parts = tables_of(section(page(results), "5."))
    assert resident[0] == ["instance", "operation", "static: ELF image (bytes)", "baseline RSS", "peak RSS"]
    assert [row[1] for row in resident[1:]] == OPERATIONS * 3
    assert resident[1][2:] == ["32180", "1404 KiB", "1468 KiB"]
    assert parts[0][2:] == ["text", "rodata", "data", "bss", "stack", "heap peak", "leak per call"]
    assert parts[1] == ["pseudoXOF-512", "hash_32 to hash_65536", "9000", "2048", "16", "8", "1024", "300", "0"]


def test_operations_that_differ_have_rows_of_their_own(results):
    def alter(memory):
        memory["operations"][3]["call"][0]["stack_bytes"] = 5000

    results.change("memory/iccs/sm3hash-256.json", alter)
    rows = [row for row in tables_of(section(page(results), "5."))[1] if row[0] == "sm3hash-256"]
    assert [(row[1], row[6]) for row in rows] == [
        ("hash_32 to hash_512", "1024"), ("hash_1024", "5000"), ("hash_4096 to hash_65536", "1024"),
    ]  # fmt: skip


def test_section_5_says_what_a_resident_set_tells(results):
    note = "differ by some tens of KiB, that says nothing of an instance. What a call itself takes stands in table 5b."
    assert note in section(page(results), "5.")


def test_a_leak_is_named(results):
    assert "Leak" not in page(results)
    results.memory("iccs", "sm3hash-256", leak=16384)
    text = section(page(results), "5.")
    assert "- Leak: sm3hash-256: each call leaves 16384 bytes behind." in text
    assert tables_of(text)[1][-1][-1] == "16384"


def test_section_7(results):
    ((header, *rows),) = tables_of(section(page(results), "7."))
    assert header == ["instance", "item", "file"]
    assert re.fullmatch(r"KAT log \(sha256 [0-9a-f]{16}…\)", rows[0][1])
    assert rows[0][2] == "kat/iccs/pseudoXOF-512.log"
    assert rows[1] == ["pseudoXOF-512", "timing hash_32", "records/iccs/pseudoXOF-512__hash_32.json"]
    assert len(rows) == 3 * 9
    assert "<details>\n<summary>27 files</summary>\n\n| instance" in page(results)


def test_every_table_tells_where_it_comes_from(results):
    """But tables 4b and 4c, which are made from the figures of table 4."""
    captions = re.findall(r"^\*Table (?!4[bc])[^*]*\*$", page(results), re.MULTILINE)
    assert len(captions) == 5
    for caption in captions:
        assert "System local; gcc (Debian 12.2.0-14) 12.2.0; flags guide; 2026-11-30." in caption


def test_an_instance_that_is_not_pass_shows_dashes_and_the_reason(results):
    results.instance("iccs", "sm3hash-256", 256, "MISMATCH")
    text = page(results)
    assert tables_of(section(text, "3."))[0][3] == ["sm3hash-256", "guide", "MISMATCH"]
    assert "- sm3hash-256: MISMATCH: sm3hash-256 gave the reason." in section(text, "3.")
    assert tables_of(section(text, "4."))[0][-8:] == [["sm3hash-256", size, *"––––––––", ""] for size in SIZES]
    assert "- No figure for sm3hash-256: MISMATCH: sm3hash-256 gave the reason." in section(text, "4.")


def test_a_kat_exception_prints_its_cause(results):
    exception = {"action": "measure", "cause": "its manifest is of an older version"}
    results.instance("iccs", "sm3hash-256", 256, "MISMATCH", timed=True, kat_exception=exception)
    text = page(results)
    assert "timed all the same, by its candidate file: its manifest is of an older version." in section(text, "3.")
    assert tables_of(section(text, "4."))[0][-1][2] != "–"


def test_an_unstable_record_shows_dashes_and_the_reason(results):
    results.change(
        "records/iccs/sm3hash-256__hash_128.json", lambda record: record.update(status="UNSTABLE", reason="two digests")
    )
    text = section(page(results), "4.")
    assert ["sm3hash-256", "128 B", *"––––––––", ""] in tables_of(text)[0]
    assert "- No figure for sm3hash-256 hash_128: UNSTABLE: two digests." in text


def test_fallback_flags_say_why(results):
    def fall_back(build):
        guide = dict(build["variants"][0], built=False, library=None, library_sha256=None, reason="no such macro")
        build["variants"] = [guide, dict(build["variants"][0], flags="harness-default")]

    results.change("build/iccs/sm3hash-256/build.json", fall_back)
    results.change("kat/iccs/sm3hash-256.json", lambda kat: kat.update(flags="harness-default"))
    text = section(page(results), "3.")
    assert ["sm3hash-256", "harness-default", "PASS"] in tables_of(text)[0]
    assert "flags harness-default, as flags guide gave BUILDFAIL: no such macro." in text


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("core_clock_estimate", "Cycles are estimates, not counts"),
        ("perf_event", "Cycles are counts of the hardware counter in user mode"),
        ("none", "There is no source of core cycles: tables that have a column of them print –."),
    ],
)
def test_cycles_say_what_they_are(tmp_path, source, sentence):
    results = Results(tmp_path).complete("iccs", {"a": 256})
    for size in MESSAGE_BYTES:
        results.record("iccs", "a", size, source=source)
    text = section(page(results), "4.")
    assert sentence in text.partition("*Table")[0]
    header, *rows = tables_of(text)[0]
    assert header[2] == "mean cycles"
    assert all((row[2] == row[3] == "–") == (source == "none") and row[4] != "–" for row in rows)


def test_two_cycle_sources_are_told_apart(results):
    results.record("iccs", "sm3hash-256", 32, source="perf_event")
    before = section(page(results), "4.").partition("*Table")[0]
    assert "\nsm3hash-256 hash_32: Cycles are counts of the hardware counter" in before
    assert "\npseudoXOF-512; pseudoXOF-1024; sm3hash-256 hash_128, hash_512, " in before


def test_a_multiplexed_counter_is_marked(results):
    results.record("iccs", "sm3hash-256", 32, source="perf_event")
    results.change("records/iccs/sm3hash-256__hash_32.json", lambda record: [
        batch.update(running_ns=batch["enabled_ns"] // 2) for trial in record["trials"] for batch in trial["batches"]
    ])  # fmt: skip
    text = section(page(results), "4.")
    assert tables_of(text)[0][17][2] == "2100 †"
    assert "† The counter ran for a part of the time" in text


def test_an_unfit_host_is_marked_on_every_page(tmp_path):
    further = [dict(UNFIT[0], fact=fact) for fact in ("governor", "clock", "boost")]
    results = Results(tmp_path, unfit=UNFIT + further).complete("iccs", {"a": 256}).own()
    for name in ("index", "method", "iccs"):
        text = page(results, name).replace("\n> ", " ")
        assert "not fit to measure" in text and "What deviates: virtual machine: expected none, found KVM; " in text
        assert "; and 1 more ([all 4, and what to do](index.md#what-would-make-this-machine-fit))." in text
        assert ("| measure on a real machine" in text) == (name == "index")
    assert "measure on a real machine" in page(results, "index")
    results = Results(tmp_path)
    assert not any("not fit to measure" in page(results, name) for name in ("index", "method", "iccs"))


def test_index(results):
    results.complete("fips", {"SHA-512": 512, "SHA-384": 384}, algorithm="FIPS 180-4")
    results.record("fips", "SHA-512", 65536, 512, ns=2 * 655_460)
    text = page(results, "index")
    ((header, *rows),) = tables_of(section(text, "Summary"))
    assert header == [
        "candidate", "instance", "KAT", "cycles/byte 32 B", "cycles/byte 1024 B", "cycles/byte 65536 B", "MB/s 65536 B",
        "ratio 65536 B", "stack", "heap", "ELF image",
    ]  # fmt: skip
    assert [row[1] for row in rows] == ["SHA-384", "SHA-512", "pseudoXOF-512", "pseudoXOF-1024", "sm3hash-256"]
    assert rows[1] == [
        "[fips](fips.md)", "SHA-512", "PASS", "32.8 ± 0.00 % best", "25.2 ± 0.00 % best", "50.0 ± 0.00 %", "50.0",
        "2.00", "1024", "300", "32180",
    ]  # fmt: skip
    assert [row[7] for row in rows] == ["–", "2.00", "1.00", "1.00", "–"]
    assert "2026-11-30T13:16:29 to 2026-11-30T13:17:29" in text and "40 of the campaign's 40 records" in text
    assert "Nothing that was asked for is missing." in text


def test_the_index_has_a_breadcrumb_like_every_page(results):
    assert page(results, "index").startswith("Performance measurements › local · system: local\n\n# Performance")


def test_the_index_leaves_out_what_no_row_has(tmp_path):
    """Neither a ratio, as no yardstick was measured, nor stack and heap, as they could not be."""
    results = Results(tmp_path / "local").complete("fips", {"SHA-512": 512})

    assert page(results, "index").count(" stack: of a call, in bytes;") == 1
    for path in (results.folder / "memory").rglob("*.json"):
        path.unlink()
    text = page(results, "index")
    ((header, row),) = tables_of(section(text, "Summary"))
    assert header[6:] == ["MB/s 65536 B", "ELF image"] and row[-1] == "–"
    assert "ratio" not in text and "stack:" not in text


def test_index_lists_what_is_missing_and_why(results):
    results.instance("iccs", "sm3hash-256", 256, "CRASH")
    exception = {"action": "exclude", "cause": "too slow"}
    results.instance("iccs", "pseudoXOF-512", 512, timed=False, kat_exception=exception)
    (results.folder / "records/iccs/pseudoXOF-1024__hash_32.json").unlink()
    (results.folder / "records/iccs/pseudoXOF-1024__hash_128.json").unlink()
    text = section(page(results, "index"), "Missing")
    assert tables_of(text)[0][1:] == [
        ["iccs", "pseudoXOF-1024", "timing hash_32, timing hash_128", "ABSENT: there is no record"],
        ["iccs", "sm3hash-256", "everything", "CRASH: sm3hash-256 gave the reason"],
    ]
    assert "- iccs pseudoXOF-512 was not asked for, its candidate file excludes it: too slow." in text


def test_method_shows_the_empty_call_the_plan_and_the_input(results):
    text = page(results, "method")
    assert "took 2 ns ± 0.00 % or 5.0 cycles, n = 10000 (5 × 2000)" in text
    assert ["5", "100 ms", "1.0 %", "10", "900 s"] in tables_of(text)[1]
    assert [row[0] for row in tables_of(text)[0][1:]] == SIZES
    assert "Message: bytes of the generator." in text
    (results.folder / "records/empty_call.json").unlink()
    assert "not known in this campaign: ABSENT: there is no record." in page(results, "method")


def test_a_campaign_without_any_figure_has_all_pages(tmp_path):
    results = Results(tmp_path)
    results.fetch("gone", {"a": 256}, "UNREACHABLE", "no route to host")
    assert "| gone" in page(results, "index")
    assert "The submission was not fetched: UNREACHABLE: no route to host" in page(results, "gone")
    assert "No message was hashed." in page(results, "method")
    aggregate(results.folder, ["never-asked"])
    names = ["index.md", "method.md", "ranking.md", "never-asked.md"]
    assert [path.name for path in render(results.folder)] == names


def test_the_same_tables_give_the_same_bytes(results):
    first = {name: page(results, name) for name in ("index", "method", "ranking", "iccs")}
    for path in [path for path in results.folder.iterdir() if path.name not in ("tables", "report")]:
        path.rename(path.with_name(f"{path.name}.away"))
    for path in render(results.folder):
        assert path.read_text(encoding="utf-8") == first[path.stem]
        assert "\r" not in first[path.stem] and first[path.stem].endswith("\n")


def test_only_the_listed_candidates(results):
    results.complete("fips", {"SHA-512": 512})
    aggregate(results.folder, None)
    names = ["index.md", "method.md", "ranking.md", "fips.md"]
    assert [path.name for path in render(results.folder, ["fips"])] == names
    assert "iccs" not in (results.folder / "report" / "index.md").read_text(encoding="utf-8")
    with pytest.raises(Mistake, match="no candidate 'hash-99'"):
        render(results.folder, ["hash-99"])


def test_a_candidate_cannot_take_the_name_of_a_page(tmp_path):
    results = Results(tmp_path).complete("index", {"a": 256})
    with pytest.raises(Mistake, match="candidate 'index': a page of the report has that name"):
        page(results, "index")
