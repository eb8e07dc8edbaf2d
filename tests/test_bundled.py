"""The bundled submissions: what lies there, how it builds, and every digest against the Python models."""

import ctypes
import dataclasses
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from model.bits import Bits, whole
from model.helpers import pseudo_xof
from model.instances import INSTANCES
from ngcc_campaign.campaign.catalog import instance_files, instance_sources, load_candidate, tree_names

ROOT = Path(__file__).resolve().parents[1]
CANDIDATES = {name: load_candidate(ROOT / "resources" / "candidates" / f"{name}.yaml") for name in ("iccs", "fips")}
FLAGS = ["-std=c99", "-Wpedantic", "-Wall", "-Wextra", "-O2"]
HEADER = "CryptHash_AlgorithmInstance.h"

# Around the edges of bytes, of blocks of 512, 576 and 1024 bits, and of the room that padding needs in them.
LENGTHS = sorted(
    {*range(21), *range(440, 521), *range(565, 585), *range(888, 905), *range(1001, 1201, 2), *range(1016, 1032)}
    | {*range(1136, 1160), 4095, 4096}
)

# Every message and digest in a heap block of its exact size, so that a sanitizer sees the first byte too many.
EXACT_CALLS = """
#include <stdlib.h>
#include <string.h>
#include "CryptHash_AlgorithmInstance.h"
int main(void)
{
    unsigned bits;
    for (bits = 0; bits < 1300; bits++) {
        unsigned char *msg = malloc((bits + 7) / 8), *digest = malloc(DIGEST_BIT_LENGTH / 8);
        memset(msg, 0xa5, (bits + 7) / 8);
        if (CryptHash(DIGEST_BIT_LENGTH, bits ? msg : NULL, bits, digest) != 0)
            return 2;
        free(msg);
        free(digest);
    }
    return 0;
}
"""

each_instance = pytest.mark.parametrize("model", INSTANCES, ids=lambda model: model.name)


def compile_instance(instance, output, *options, compiler="gcc", more=()):
    """Build an instance by one plain command; fails on any word of the compiler."""
    root = CANDIDATES[instance.candidate].archive.path
    folders = [root / instance.directory / folder for folder in (".", *instance.include_dirs)]
    sources = [root / source for source in instance_sources(instance, tree_names(root))]
    defines = [f"-D{define}" for define in instance.defines]
    command = [compiler, *FLAGS, *options, *defines, *(f"-I{folder}" for folder in folders), *sources, *more]
    done = subprocess.run([*command, "-o", output], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return output


class Library:
    """CryptHash of a built instance, called with Bits."""

    def __init__(self, file):
        self.function = ctypes.CDLL(str(file)).CryptHash
        self.function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_ulonglong, ctypes.c_char_p]

    def __call__(self, width, message):
        """(status, digest); bytes behind the digest must stay as they were."""
        size = max(width + 7, 0) // 8
        output = ctypes.create_string_buffer(b"\xcc" * (size + 64), size + 64)
        status = self.function(width, bytes(message.data), message.length, output)
        assert output.raw[size:] == b"\xcc" * 64
        return status, output.raw[:size]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Libraries by candidate and instance, built when first asked for."""
    folder = tmp_path_factory.mktemp("libraries")
    built = {}

    def library(candidate, name, **changes):
        instance = dataclasses.replace(CANDIDATES[candidate].instance(name), **changes)
        if instance not in built:
            built[instance] = Library(compile_instance(instance, folder / f"{len(built)}.so", "-shared", "-fPIC"))
        return built[instance]

    return library


@each_instance
def test_candidate_file_and_model_agree(model):
    instance = CANDIDATES[model.candidate].instance(model.name)
    assert (instance.digest_bits, instance.directory) == (model.digest_bits, model.directory)


def test_no_instance_without_a_model():
    listed = [(instance.candidate, instance.name) for c in CANDIDATES.values() for instance in c.instances]
    assert listed == [(model.candidate, model.name) for model in INSTANCES]


@pytest.mark.parametrize("candidate", CANDIDATES.values(), ids=lambda candidate: candidate.id)
def test_every_bundled_file_is_needed(candidate):
    names = tree_names(candidate.archive.path)
    needed = {name for instance in candidate.instances for name in instance_files(instance, names)}
    assert set(names) == needed
    assert candidate.archive.in_place
    assert candidate.kat.is_file()


def test_a_path_holds_spaces_and_letters_outside_ascii():
    names = tree_names(CANDIDATES["fips"].archive.path)
    assert any(" " in name and not name.isascii() for name in names)


@each_instance
def test_header_macros(model):
    instance = CANDIDATES[model.candidate].instance(model.name)
    header = CANDIDATES[model.candidate].archive.path / instance.directory / HEADER
    macros = subprocess.run(["gcc", "-E", "-dM", header], capture_output=True, text=True, check=True).stdout
    assert re.search(r"^#define ALGORITHM_INSTANCE (.*)$", macros, re.M)[1] == f'"{model.name}"'
    assert re.search(r"^#define DIGEST_BIT_LENGTH (.*)$", macros, re.M)[1] == str(model.digest_bits)
    assert "#define OUTPUT_BLANK_TEST_VECTORS " in macros


@each_instance
def test_clang_builds_it_without_a_warning(model, tmp_path):
    if not shutil.which("clang"):
        pytest.skip("no clang")
    instance = CANDIDATES[model.candidate].instance(model.name)
    compile_instance(instance, tmp_path / "library.so", "-shared", "-fPIC", compiler="clang")


@each_instance
def test_sanitizers_find_nothing(model, tmp_path):
    (tmp_path / "calls.c").write_text(EXACT_CALLS)
    instance = CANDIDATES[model.candidate].instance(model.name)
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    program = compile_instance(instance, tmp_path / "calls", *options, more=[tmp_path / "calls.c"])
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@each_instance
def test_digests_at_all_edges(model, libraries):
    library = libraries(model.candidate, model.name)
    for length in LENGTHS:
        message = Bits(random.Random(length).randbytes((length + 7) // 8), length)
        assert library(model.digest_bits, message) == (0, model.function(message)), length


@each_instance
def test_unused_bits_are_ignored(model, libraries):
    library = libraries(model.candidate, model.name)
    for length in range(1, 1200, 3):
        data = bytearray(random.Random(length).randbytes((length + 7) // 8))
        unused = 0xFF >> (length % 8 or 8)
        data[-1] |= unused
        ones = library(model.digest_bits, Bits(bytes(data), length))
        data[-1] &= 0xFF ^ unused
        assert library(model.digest_bits, Bits(bytes(data), length)) == ones, length


@each_instance
def test_long_message(model, libraries):
    message = whole(bytes(range(251)) * 400)
    assert libraries(model.candidate, model.name)(model.digest_bits, message) == (0, model.function(message))


@each_instance
def test_other_widths_are_refused(model, libraries):
    library = libraries(model.candidate, model.name)
    widths = {-1, 0} if "XOF" in model.name else {-1, 0, 8, 256, 512, 640, 768, 1024} - {model.digest_bits}
    for width in widths:
        status, digest = library(width, whole(b"abc"))
        assert status != 0
        assert digest == b"\xcc" * len(digest)


@pytest.mark.parametrize("width", [1152, 1280])
def test_pseudo_xof_built_for_another_width(width, libraries):
    defines = (f"DIGEST_BIT_LENGTH={width}", f'ALGORITHM_INSTANCE="pseudoXOF-{width}"')
    library = libraries("iccs", "pseudoXOF-1024", defines=defines, digest_bits=width)
    for length in (0, 1, 24, 447, 448, 511, 512, 1001):
        message = Bits(random.Random(length).randbytes((length + 7) // 8), length)
        assert library(width, message) == (0, pseudo_xof(width, message))


def test_pseudo_xof_makes_the_width_asked_for(libraries):
    for width in (1, 7, 8, 255, 256, 257, 2000):
        assert libraries("iccs", "pseudoXOF-512")(width, whole(b"abc")) == (0, pseudo_xof(width, whole(b"abc")))
