"""Drafting a candidate file from an archive: what is found, what is left out, what a person has to decide."""

import io
import re
import zipfile

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import layouts
from archives import Member, make_zip, toy
from model.kat import canonical_digest
from ngcc_campaign import cli
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.onboard import texts as kat
from ngcc_campaign.onboard.functions import functions
from ngcc_campaign.onboard.onboard import onboard
from ngcc_campaign.onboard.preprocessor import preprocess
from ngcc_campaign.verify.manifest import read_manifest

HEADER = '#define ALGORITHM_INSTANCE "X-512"\n#define DIGEST_BIT_LENGTH 512\n'
SOURCE = "int CryptHash(int b, const unsigned char *m, unsigned long long n, unsigned char *d) { return 0; }\n"
TEXT = "Msg_Len = 0\nMsg = \nDst_Len = 512\nDst = 00\n\n"
KATS = {
    "X/KAT_2_12_X-512.txt": TEXT * 4097, "X/KAT_2_23_X-512.txt": TEXT * 3,
    "X/KAT_2_33_X-512.txt": TEXT * 3, "X/KAT_Loop_X-512.txt": TEXT,
}  # fmt: skip
PLAIN = KATS | {"X/CryptHash_AlgorithmInstance.h": HEADER, "X/CryptHash.c": SOURCE}


@pytest.fixture(scope="module")
def texts(native, tmp_path_factory):
    return layouts.kat_texts(native, tmp_path_factory.mktemp("texts"))


def draft_of(files, folder):
    """The draft from a folder of `files` (X), and its first instance."""
    for name, content in files.items():
        (folder / "X-in" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "X-in" / name).write_text(content)
    draft = onboard(folder / "X-in", "x", folder / "out")
    return draft, yaml.safe_load(draft.candidate.read_text())["instances"][0]


def facts(candidate):
    keys = ("name", "digest_bits", "directory", "sources", "include_dirs")
    found = [tuple(getattr(instance, key) for key in keys) for instance in candidate.instances]
    return sorted(found)


# The five layouts


@pytest.mark.parametrize("layout", [name for name in layouts.LAYOUTS if name != "hash-34"])
def test_the_draft_of_four_layouts_builds_and_passes_without_an_edit(layout, texts, native, tmp_path, capsys):
    (tmp_path / layouts.ARCHIVES[layout]).write_bytes(layouts.archive(layout, texts))
    output = tmp_path / "drafts"
    arguments = ["onboard", str(tmp_path / layouts.ARCHIVES[layout]), "--id", layout, "--output", str(output)]
    assert cli.main(arguments) == 0, capsys.readouterr().out
    assert "decide" not in capsys.readouterr().out
    candidate = load_candidate(output / f"{layout}.yaml")
    assert facts(candidate) == facts(layouts.real(layout))
    (tmp_path / "model.sha256").write_text(layouts.manifest(layout))
    assert read_manifest(candidate.kat) == read_manifest(tmp_path / "model.sha256")
    stages = layouts.Stages(tmp_path, native)
    assert stages.fetch(candidate)["outcome"] == "FETCHED"
    for instance in (candidate.instances[0], candidate.instances[-1]):
        stages.build(candidate, instance.name)
        verdict = stages.verify(candidate, instance.name)
        assert (verdict["verdict"], verdict["flags"]) == ("PASS", "guide"), verdict["reason"]


def test_the_draft_of_the_fifth_names_what_to_decide_and_passes_once_it_is(texts, native, tmp_path, capsys):
    (tmp_path / "WChain.zip").write_bytes(layouts.archive("hash-34", texts))
    assert cli.main(["onboard", str(tmp_path / "WChain.zip"), "--output", str(tmp_path)]) == 3
    decisions = [line for line in capsys.readouterr().out.splitlines() if line.startswith("decide: ")]
    assert len(decisions) == 3, decisions
    for macro, what in (("WCHAIN_NO_MAIN", "a program's main"), ("WCHAIN_DISABLE_SIMD", "AVX code")):
        found = [line for line in decisions if macro in line]
        assert found and all(what in line and f"-D{macro} in run_kat.sh line 3" in line for line in found)
    file = tmp_path / "wchain.yaml"
    assert file.read_text().count("# DECIDE: ") == 3
    document = yaml.safe_load(file.read_text())
    for instance in document["instances"]:
        instance["defines"] = ["WCHAIN_NO_MAIN", "WCHAIN_DISABLE_SIMD"]
    file.write_text(yaml.safe_dump(document))
    candidate, stages = load_candidate(file), layouts.Stages(tmp_path, native)
    stages.fetch(candidate)
    stages.build(candidate, "WChain-V2-1024")
    assert stages.verify(candidate, "WChain-V2-1024")["verdict"] == "PASS"


def test_a_zip_and_its_folder_give_the_same_draft(texts, tmp_path):
    content = layouts.archive("hash-02", texts)
    (tmp_path / "AXIS.zip").write_bytes(content)
    with zipfile.ZipFile(io.BytesIO(content)) as submission:
        members = [name for name in submission.namelist() if "Test_Vectors" not in name]
        submission.extractall(tmp_path / "AXIS", members)
    drafts = [onboard(tmp_path / name, None, tmp_path / name[-3:]) for name in ("AXIS.zip", "AXIS")]
    documents = [yaml.safe_load(draft.candidate.read_text()) for draft in drafts]
    assert documents[0]["instances"] == documents[1]["instances"]
    assert drafts[0].manifest.read_text() == drafts[1].manifest.read_text()
    assert documents[0]["archive"].keys() == {"path", "sha256", "bytes"} and documents[1]["archive"].keys() == {"path"}


def test_the_bundled_sources_are_found_outside_the_directories(tmp_path):
    draft = onboard(layouts.RESOURCES / "bundled" / "iccs", None, tmp_path)
    iccs = load_candidate(layouts.RESOURCES / "candidates" / "iccs.yaml")
    assert facts(load_candidate(draft.candidate)) == facts(iccs)
    assert draft.manifest is None
    assert draft.decisions == ["all instances: no KAT_2_12 nor KAT_2_23 text; without digests nothing is timed"]


# Files and mistakes


def test_nothing_is_overwritten_and_nothing_else_is_written(tmp_path):
    (tmp_path / "toy.zip").write_bytes(toy())
    (tmp_path / "toy.sha256").write_text("mine")
    with pytest.raises(Mistake, match=r"toy\.sha256: there already"):
        onboard(tmp_path / "toy.zip", None, tmp_path)
    onboard(tmp_path / "toy.zip", "other", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"toy.zip", "toy.sha256", "other.yaml"}


@pytest.mark.parametrize(
    ("content", "options", "sentence"),
    [
        (None, [], "no such file"),
        (b"plain text", [], "expected a whole ZIP"),
        (toy()[:-50], [], "cut off or damaged"),
        (make_zip([Member(b"a/b.c", b"int x;")]), [], "no directory holds CryptHash_AlgorithmInstance.h"),
        (toy(Member(b"../climbs.c", b"")), [], "climbs"),
        (toy(), ["--id", "Not Good"], "expected lower-case letters"),
        (toy(), ["--id", "index"], "expected lower-case letters"),
        (make_zip([Member(b"a/CryptHash_X.h", b"#define DIGEST_BIT_LENGTH N\n")]), [], "no number to use"),
    ],
)
def test_a_mistake_is_one_sentence_and_leaves_nothing(content, options, sentence, tmp_path, capsys):
    if content is not None:
        (tmp_path / "toy.zip").write_bytes(content)
    assert cli.main(["onboard", str(tmp_path / "toy.zip"), "--output", str(tmp_path / "out"), *options]) == 1
    said = capsys.readouterr().err
    assert sentence in said and said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_file_where_the_folder_should_be_is_one_sentence(tmp_path, capsys):
    (tmp_path / "toy.zip").write_bytes(toy())
    (tmp_path / "out").write_text("mine")
    assert cli.main(["onboard", str(tmp_path / "toy.zip"), "--output", str(tmp_path / "out")]) == 1
    assert "out is there and no folder; give a folder" in capsys.readouterr().err
    assert (tmp_path / "out").read_text() == "mine"


# What a header and the texts say


def test_a_complete_draft(tmp_path):
    draft, instance = draft_of(PLAIN, tmp_path)
    assert (draft.notes, draft.decisions) == ([], [])
    assert instance == {"name": "X-512", "digest_bits": 512, "directory": "X", "sources": ["CryptHash.c"]}
    assert {name: digest for name, digest in read_manifest(draft.manifest).items()} == {
        name[2:]: canonical_digest(text) for name, text in KATS.items()
    }


@pytest.mark.parametrize(
    ("changes", "decision"),
    [
        ({"X/CryptHash_AlgorithmInstance.h": HEADER.replace("512\n", "256\n")}, "is 256, but the KAT texts"),
        ({"X/KAT_2_12_X-512.txt": TEXT}, "has 1 records, expected 4097"),
        ({"Y/KAT_2_23_X-512.txt": TEXT * 3 + "more = 1\n"}, "KAT_2_23: texts that differ: X/KAT_2_23"),
        ({"X/CryptHash_AlgorithmInstance.h": HEADER.replace('"', "")}, "gives no usable ALGORITHM_INSTANCE"),
        ({"X/CryptHash.c": f'#include "absent.h"\n{SOURCE}'}, "CryptHash.c line 1 includes 'absent.h'"),
        ({"X/CryptHash.c": "int other(void) { return 0; }\n"}, "no source defines CryptHash()"),
        ({"X/CryptHash.c": f"int f(void);\n{SOURCE.replace('0', 'f()')}"}, "no source defines f()"),
        ({"X/CryptHash_fast.c": SOURCE}, "CryptHash.c and CryptHash_fast.c define CryptHash()"),
        ({"X/CryptHash.c": f"#include <immintrin.h>\n{SOURCE}"}, "AVX code in CryptHash.c line 1, whatever is defined"),
        (
            {"X/CryptHash.c": f"#ifdef SMALL\n#endif\n{SOURCE}", "X/Makefile": "CFLAGS = -O3 -DSMALL=1\n"},
            "define SMALL? CryptHash.c line 1 asks for it; -DSMALL=1 in Makefile line 1",
        ),
        (
            {"Y/CryptHash_AlgorithmInstance.h": HEADER, "Y/CryptHash.c": SOURCE + "/* newer */"},
            "which directory? X, Y; the draft takes the first",
        ),
        (
            {
                "X/CryptHash.c": f'#include "f.h"\n{SOURCE.replace("0", "f()")}', "lib/f.h": "int f(void);\n",
                "lib/a.c": "int f(void) { return 1; }\n", "lib/b.c": "int f(void) { return 2; }\n",
            },
            "which file has f()? ../lib/a.c, ../lib/b.c",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_in_doubt_is_put_to_a_person(changes, decision, tmp_path):
    draft, _ = draft_of(PLAIN | changes, tmp_path)
    assert decision in "\n".join(draft.decisions), draft.decisions


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"X/driver.c": "int main(void) { return 0; }\n"}, "left out driver.c: a program: line 1 defines main"),
        (
            {"X/CryptHash.c": f'#include "table.c"\n{SOURCE}', "X/table.c": "int t;\n"},
            "left out table.c: CryptHash.c includes it",
        ),
        ({"X/drng.c": "int drng;\n"}, "left out drng.c: generator"),
        ({"Y/opt/CryptHash_X.h": HEADER, "Y/opt/CryptHash.c": "other"}, "not taken: Y/opt"),
        (
            {"X/CryptHash_AlgorithmInstance.h": HEADER.replace("512\n", "(8 * BYTES)\n")},
            "digest_bits 512 is taken from the KAT texts",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_clear_is_noted_only(changes, note, tmp_path):
    draft, instance = draft_of(PLAIN | changes, tmp_path)
    assert draft.decisions == []
    assert note in "\n".join(draft.notes)
    assert instance["sources"] == ["CryptHash.c"] and instance["digest_bits"] == 512


def test_code_for_other_machines_and_switched_off_asks_nothing(tmp_path):
    guarded = "".join(
        f"#if {condition}\n#include <immintrin.h>\n#include \"absent.h\"\nint main(void) {{ return 0; }}\n#endif\n"
        for condition in ("defined(__AVX2__)", "defined _WIN32 && 1", "USE_AVX > 1", "0", "!defined(__GNUC__)")
    )  # fmt: skip
    draft, _ = draft_of(PLAIN | {"X/CryptHash.c": guarded + SOURCE}, tmp_path)
    assert draft.decisions == []


# Reading C


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("#if 1\na\n#else\nb\n#endif\nc", "a c"),
        ("#ifdef X\na\n#elif defined(Y)\nb\n#else\nc\n#endif", "c"),
        ("#define X 2\n#if X == 2 && !defined(Y)\na\n#endif", "a"),
        ("#define X\n#undef X\n#ifndef X\na\n#endif", "a"),
        ("#if X\n#if 1\na\n#endif\n#else\nb\n#endif", "b"),
        ("#if defined __GNUC__ || X\na\n#else\nb\n#endif", "a b"),
        ("#if (1 + 2) * 3 >= 9 && \\\n -1 < 0\na\n#endif", "a"),
        ("#if F(1)\na\n#endif", "a"),
        ("/* #if 0 */ a // #else\n#endif\nb", "a b"),
        ("#if 0\n#if\n#else\n#endif\na\n#endif\nb", "b"),
        ('#include "h.h"\n#ifdef H\na\n#endif', "h a"),
        ('#include "h.h"\n#include "h.h"', "h"),
        ("#if " + "(" * 5000 + "\na\n#endif\n#if 0" + " || 0" * 5000 + "\nb\n#endif\nc", None),
    ],
)
def test_lines_that_a_compiler_may_read(text, read):
    files = {"s.c": text.encode(), "h.h": b"#ifndef H\n#define H\nh\n#endif\n"}
    unit = preprocess("s.c", files.__getitem__, ["."], files)
    found = " ".join(line.text.strip() for line in unit.lines)
    assert found == read if read else found.endswith("c")


def test_a_source_that_includes_itself_comes_to_an_end():
    unit = preprocess("s.c", lambda name: b'#include "s.c"\n#include "s.c"\n', [], {"s.c"})
    assert not unit.whole


@pytest.mark.parametrize(
    ("text", "declared", "defined"),
    [
        ("int f(int a, int (*b)(void));", "f", ""),
        ("int f(void) { g(); if (h()) { return 1; } }\nvoid k(void);", "k", "f"),
        ("static int f(void) { return 0; }\nint g(void)\n{\n}", "", "g"),
        ("extern unsigned char *f(void) __attribute__((noinline));", "f", ""),
        ("__attribute__((noinline)) int f(void) { return 0; }", "", "f"),
        ("typedef int (*f)(int);\nstruct s { int (*g)(void); };\nint (*h)(void) = 0;", "", ""),
        ('const char *s = "int f(void) {"; int g(void);', "g", ""),
        ("int a[2] = {\n1, 2\n};\nvoid f(void) {\nint b[1] = {\n1\n};\nmemcpy(a, b, 4);\n}\nint g(void);", "g", "f"),
        ("#if __GNUC__\nint f(void) {\n#else\nint f(int a) {\n#endif\n}\nint g(void) { }", "", "f g"),
    ],
)
def test_functions_of_a_source(text, declared, defined):
    found = functions(preprocess("s.c", lambda name: text.encode(), [], {"s.c"}))
    assert (" ".join(found.declared), " ".join(found.defined)) == (declared, defined)


# KAT texts


@given(st.text("a =\r\n\t 1", max_size=200), st.integers(1, 7))
def test_a_text_in_pieces_has_the_digest_of_the_whole(text, size):
    class Pieces(io.BytesIO):
        def read(self, _=-1):
            return super().read(size)

    assert kat.read_text(Pieces(text.encode())).sha256 == canonical_digest(text)


def test_a_line_without_an_end_is_refused_in_bounded_memory():
    class Endless(io.BytesIO):
        def read(self, size=-1):
            return b"0" * size

    with pytest.raises(Mistake, match="in no KAT text"):
        kat.read_text(Endless())


def test_records_and_width_are_counted():
    found = kat.read_text(io.BytesIO(TEXT.replace("\n", "\r\n").encode() * 3))
    assert (found.records, found.digest_bits) == (3, 512)
    assert re.fullmatch("[0-9a-f]{64}", found.sha256)


def test_what_scripts_and_sources_say_reaches_neither_a_terminal_nor_the_draft_as_it_is(tmp_path):
    files = {"X/Makefile": "gcc -DFAST=\x1b[2J\x85\n", "X/CryptHash.c": f"#ifdef FAST\nint fast;\n#endif\n{SOURCE}"}
    draft, _ = draft_of(PLAIN | files, tmp_path)
    assert any(r"-DFAST=\x1b[2J" in decision for decision in draft.decisions)
    assert "\x1b" not in draft.candidate.read_text() and load_candidate(draft.candidate)
