"""Bad submissions: each gets its verdict with a reason, and none of them stops a campaign."""

import csv
import json

import pytest

from workplaces import workplace

HEAD = "#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
START = "int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)\n{\n"
SUM = (
    "unsigned char a = 0; for (unsigned long long i = 0; i < length / 8; i++) a += msg[i]; memset(digest, a, bits / 8);"
)
BODIES = {
    "good": SUM,
    "nonzero": SUM + " if (length == 9) return 7;",
    "segfault": SUM + " if (length == 9) *(volatile int *)8 = 1;",
    "aborts": SUM + " if (length == 9) abort();",
    "exits": SUM + " if (length == 9) exit(0);",
    "hangs": SUM + " while (length == 9) {}",
    "prints": SUM + ' printf("Dst = 00\\n"); fflush(stdout); write(1, "x", 1);',
    "overruns": SUM + " digest[bits / 8] = 1;",
    "unstable": SUM + " static int calls; digest[0] += calls++;",
    "wrong": SUM + " if (length == 9) digest[3] ^= 1;",
    "unknown": SUM,
    "excused": SUM + " if (length == 9) digest[3] ^= 1;",
}
EXPECTED = {
    "good": ("PASS", ""),
    "nonzero": ("ERROR", "7"),
    "segfault": ("CRASH", "SIGSEGV"),
    "aborts": ("CRASH", "SIGABRT"),
    "exits": ("CRASH", "exit"),
    "hangs": ("TIMEOUT", ""),
    "prints": ("PASS", ""),
    "overruns": ("OVERFLOW", "record"),
    "unstable": ("UNSTABLE", "record"),
    "wrong": ("MISMATCH", "first difference in record 10 (message of 9 bits)"),
    "unknown": ("NOKAT", "no digest"),
    "excused": ("MISMATCH", "record 10"),
    "nofunction": ("BUILDFAIL", "no source defines the function CryptHash"),
    "syntax": ("BUILDFAIL", "error"),
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A campaign over all of them, and the good one beside them."""
    place = workplace(tmp_path_factory.mktemp("verdicts"))
    sources = {name: HEAD + START + body + "\nreturn 0;\n}\n" for name, body in BODIES.items()}
    sources |= {"nofunction": "int other(void) { return 0; }\n", "syntax": "int CryptHash( {\n"}
    place.add("zoo", sources)
    config = ("candidates=zoo", "kat_seconds=3")
    # The good one's own texts become what is expected of all that should equal it.
    place.run("results/local/build/zoo/good/build.json", "results/local/bin/drivers.json", config=config)
    texts, digests = good_texts(place)
    lines = [f"{digests[kind]} strict x/{kind}_{name}.txt" for name in sources if name != "unknown" for kind in digests]
    place.add_manifest("zoo", "\n".join(lines) + "\n", {"excused": {"action": "measure", "cause": "a known slip"}})
    for name in ("wrong", "excused"):
        folder = place.path / "resources" / "bundled" / "zoo" / name
        for kind, text in texts.items():
            (folder / f"{kind}_{name}.txt").write_text(text.replace("\n", "\r\n"), newline="")
    place.last = place.run(config=config)
    place.again = place.run(config=config)
    return place


def good_texts(place):
    from ngcc_campaign.common.processes import run

    library = "build/zoo/good/guide/libgood.so"
    (place.path / "texts").mkdir()
    command = ["bin/ngcc_kat", "--library", library, "--instance", "good", "--digest-bits", "256"]
    done = run([*command, "--text", str(place.path / "texts")], cwd=place.results, seconds=100)
    entries = json.loads(done.stdout)["files"]
    kinds = {entry["file"].removesuffix("_good.txt"): entry for entry in entries}
    return (
        {kind: (place.path / "texts" / entry["file"]).read_text() for kind, entry in kinds.items()},
        {kind: entry["sha256"] for kind, entry in kinds.items()},
    )


@pytest.mark.parametrize("name", EXPECTED)
def test_verdict_and_reason(ended, name):
    document = json.loads((ended.results / "kat" / "zoo" / f"{name}.json").read_text())
    verdict, words = EXPECTED[name]
    assert document["verdict"] == verdict, document
    assert words in document["reason"]
    assert bool(document["reason"]) == (verdict != "PASS")
    assert document["timed"] == (verdict == "PASS" or name == "excused")


def test_both_digests_of_the_first_difference(ended):
    document = json.loads((ended.results / "kat" / "zoo" / "wrong.json").read_text())
    difference = document["files"][0]["first_difference"]
    assert (difference["record"], difference["message_bits"]) == (10, 9)
    assert difference["expected"] != difference["actual"] and len(difference["expected"]) == 64


def test_the_campaign_ends_with_3_and_names_what_is_missing_on_every_run(ended):
    for run in (ended.last, ended.again):
        assert run.status == 3, run.output
        for name, (verdict, _) in EXPECTED.items():
            named = any(f"missing: zoo/{name}" in line and verdict in line for line in run.output.splitlines())
            assert named == (verdict != "PASS" and name != "excused"), name
        assert "Report: results/local/report/index.md" in run
    assert "Nothing to be done" in ended.again


def test_the_good_ones_are_measured_and_the_others_are_not(ended):
    with open(ended.results / "tables" / "performance.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    measured = {row["instance"] for row in rows if row["mean_ns"]}
    assert measured == {"good", "prints", "excused", "pseudoXOF-256"}, "the yardstick joins"


def test_the_page_says_it_all(ended):
    page = (ended.results / "report" / "zoo.md").read_text()
    for name, (verdict, _) in EXPECTED.items():
        assert any(name in line and verdict in line for line in page.splitlines()), name
    assert "a known slip" in page
