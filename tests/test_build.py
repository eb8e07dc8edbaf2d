"""The build stage: what is compiled, with which options, and what is said where it does not build."""

import json
import shutil
import subprocess
from functools import partial

import pytest

from ngcc_campaign.build.build import KILLED, SILENT
from ngcc_campaign.common.errors import Mistake
from submissions import built

GOOD = """#include "CryptHash_AlgorithmInstance.h"
int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)
{ (void)bits; (void)msg; (void)length; digest[0] = VALUE; return 0; }
"""


@pytest.fixture
def submission(tmp_path):
    """submission(files, fetched, **instance changes) builds an instance in 'X-8' and returns build.json's content."""
    return partial(built, tmp_path)


def flags(document):
    return {variant["flags"]: variant["built"] for variant in document["variants"]}


def test_both_variants_are_built_with_the_guide_s_options_first(submission):
    document = submission({"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"})
    assert flags(document) == {"guide": True, "harness-default": True}
    compile_command, link_command = document["variants"][0]["commands"]
    assert "-std=c99 -Wpedantic -Wall -Wextra -O2 -fPIC -D_GNU_SOURCE" in compile_command
    assert "version-script" in link_command


def test_no_path_of_this_machine_stands_in_the_evidence(submission, tmp_path):
    header = "#include <assert.h>\n#define VALUE (assert(bits), __FILE__[0])\n"
    document = submission({"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": header})
    texts = [json.dumps(document), *(path.read_text() for path in tmp_path.glob("results/build/c/X-8/*.log"))]
    library = (tmp_path / "results" / document["variants"][0]["library"]).read_bytes()
    assert all(str(tmp_path) not in text for text in texts)
    assert str(tmp_path).encode() not in library


def test_the_library_exports_crypthash_and_nothing_else(submission, tmp_path):
    extra = "int helper = 3; int other(void) { return helper; }\n"
    document = submission({
        "X-8/CryptHash.c": GOOD + extra,
        "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE other()\nint other(void);\n",
    })  # fmt: skip
    library = tmp_path / "results" / document["variants"][0]["library"]
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in symbols.splitlines()] == ["CryptHash"]


UNMARKED = '__asm__(".section .note.GNU-stack, \\"x\\"\\n\\t.previous");\n'
NESTED = """#include <stdlib.h>
int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)
{
    int order(const void *one, const void *other) { (void)other; return *(const unsigned char *)one < bits; }
    (void)msg; (void)length;
    digest[0] = digest[1] = 0;
    qsort(digest, 2, 1, order);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("source", "outcome", "reason"),
    [
        pytest.param(UNMARKED + GOOD.replace("VALUE", "1"), "UNSTABLE", "wrote only 1 of", id="assembler"),
        pytest.param(NESTED, "CRASH", "jumped into data, as calls of nested functions", id="nested function"),
    ],
)
def test_no_stack_becomes_executable(submission, tmp_path, native, source, outcome, reason):
    """What only says that it needs one computes; what needs one is told so."""
    document = submission({"X-8/CryptHash.c": source, "X-8/CryptHash_AlgorithmInstance.h": ""})
    library = tmp_path / "results" / document["variants"][0]["library"]
    command = [native / "ngcc_kat", "--library", library, "--digest-bits", "256", "--instance", "X-8", "--file", "2_12"]
    (told,) = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["files"]
    assert told["outcome"] == outcome and reason in told["reason"]


def test_pre_c99_code_builds_with_the_fallback_and_says_why_not_with_the_guide(submission):
    old = 'typedef enum { no, yes } answer;\nint f() { asm(""); return (answer)yes; }\n'
    document = submission({"X-8/CryptHash.c": GOOD + old, "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"})
    assert flags(document) == {"guide": False, "harness-default": True}
    assert "asm" in document["variants"][0]["reason"]


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("#define VALUE undeclared_function()\n", id="implicit declaration does not link"),
        pytest.param("#define VALUE missing()\nint missing(void);\n", id="undefined function"),
    ],
)
def test_what_is_undefined_is_named(submission, header):
    document = submission({"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": header})
    assert flags(document) == {"guide": False, "harness-default": False}
    assert "undefined reference to" in document["variants"][0]["reason"]


def test_a_library_without_crypthash_is_no_library(submission):
    document = submission({"X-8/a.c": "int crypt_hash(void) { return 0; }\n"})
    assert {variant["reason"] for variant in document["variants"]} == {"no source defines the function CryptHash"}


def test_implicit_declarations_and_pointer_types_are_warnings(submission):
    loose = "unsigned long *g(void) { static unsigned v[8]; char *s = v; return strlen(s) ? v : 0; }\n"
    document = submission({"X-8/CryptHash.c": GOOD + loose, "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"})
    assert flags(document)["guide"]
    assert document["variants"][0]["warnings"] >= 2


def test_only_listed_sources_are_compiled_and_a_second_main_is_left_out(submission):
    files = {"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"}
    poison = "#error never compile this\n"
    files |= {f"X-8/{name}": poison for name in ("KAT_CryptHash.c", "main.c", "test_x.c", "x_bench.c", "sub/other.c")}
    files["X-8/CMakeLists.txt"] = "message(FATAL_ERROR never)"
    assert flags(submission(files)) == {"guide": True, "harness-default": True}


def test_sources_headers_and_macros_from_outside_the_directory(submission):
    files = {
        "impl x/X-8/hash.c": '#include "../../lib/low/low.h"\n#include "deep.h"\n'
        + GOOD.replace("VALUE", "LOW + DEEP + M"),
        "impl x/X-8/CryptHash_AlgorithmInstance.h": "",
        "lib/low/low.h": "#define LOW 1\n",
        "lib/low/low.c": "int low;\n",
        "lib/head/deep.h": "#define DEEP 2\n",
    }
    document = submission(
        files, directory="impl x/X-8", sources=("hash.c", "../../lib/low/low.c"), include_dirs=("../../lib/head",),
        defines=("M=(sizeof TEXT)", 'TEXT="a b"'),
    )  # fmt: skip
    assert flags(document)["guide"], document["variants"][0]["reason"]
    assert {entry["file"] for entry in document["sources"]} == set(files)


@pytest.mark.parametrize(
    "folder", ["a b", "é ü", "算法", "x'y", "#1", "[z] & ~ %", "$(id)", "a;b", 'q"q', "back\\slash"]
)
def test_odd_folder_names_above_the_instance(submission, folder):
    files = {f"{folder}/X-8/CryptHash.c": GOOD, f"{folder}/X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"}
    assert flags(submission(files, directory=f"{folder}/X-8"))["guide"]


def test_an_odd_name_that_no_tool_takes_is_named(submission):
    with pytest.raises(Mistake, match="no build tool takes"):
        submission({"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": "", "X-8/a$b/x.h": ""})


def test_sources_that_were_not_fetched_give_no_library_and_are_tried_again(submission):
    document = submission({}, {"outcome": "UNREACHABLE", "reason": "no route", "retry": True})
    assert (document["variants"], document["retry"]) == ([], True)
    assert document["reason"] == "sources not fetched: no route"


def test_an_unpacked_file_that_was_edited_is_named(submission):
    files = {"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"}
    entries = [{"file": name, "bytes": 1, "sha256": "0" * 64} for name in files]
    with pytest.raises(Mistake, match="not the submitted file any more; delete the folder"):
        submission(files, {"archive": {"kind": "url"}, "files": entries})


BREAKS = "internal compiler error: Segmentation fault signal terminated program cc1"


@pytest.mark.parametrize(("deed", "retry"), [("kill -KILL $$", True), (f"echo 'gcc: {BREAKS}'; exit 4", False)])
def test_a_compiler_that_is_killed_is_tried_again_and_one_that_breaks_is_not(submission, tmp_path, deed, retry):
    (tmp_path / "tools").mkdir()
    compiler = tmp_path / "tools" / "gcc"
    compiler.write_text(f'#!/bin/sh\ncase "$*" in *CryptHash.c.o*) {deed};; esac\nexec {shutil.which("gcc")} "$@"\n')
    compiler.chmod(0o755)
    files = {"X-8/CryptHash.c": GOOD, "X-8/CryptHash_AlgorithmInstance.h": "#define VALUE 1\n"}
    document = submission(files, compiler=str(compiler))
    assert flags(document) == {"guide": False, "harness-default": False}
    assert (document["retry"], document["variants"][0]["reason"]) == (retry, SILENT if retry else f"gcc: {BREAKS}")


@pytest.mark.parametrize(
    ("line", "is_killed"),
    [
        ("gcc: fatal error: Killed signal terminated program cc1", True),
        ("gcc: internal compiler error: Killed (program cc1)", True),
        ("collect2: fatal error: ld terminated with signal 9 [Killed]", True),
        ("clang: error: unable to execute command: Killed", True),
        ("collect2: fatal error: ld terminated with signal 11 [Segmentation fault]", False),
        ("src/a.c:1:2: internal compiler error: in expand_expr", False),
        ("src/a.c:1:2: error: #error gcc: fatal error: Killed signal terminated program cc1", False),
        ("    1 | #error gcc: fatal error: Killed signal terminated program cc1", False),
    ],
)
def test_what_ended_a_tool_is_said_by_a_line_of_its_own(line, is_killed):
    assert bool(KILLED.search(f"FAILED: a.o\n{line}\nninja: build stopped\n")) == is_killed
