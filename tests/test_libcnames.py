"""Names that a library shares with libc are found, whether anybody outside can see them or not."""

import shutil
import subprocess

import pytest

from ngcc_campaign import compiler, libcnames
from ngcc_campaign.elf import BadLibrary
from submissions import built

HASH = """#include <math.h>
#include <stdlib.h>
#include <string.h>
void *memcpy(void *to, const void *from, size_t bytes) { (void)from; (void)bytes; return to; }
int rand(void) { return 4; }
char **environ;
static int __attribute__((noipa)) puts(const char *text) { return text[0]; }
int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)
{
    digest[0] = puts((const char *)msg) + sqrt(length) + atexit(0) + (__int128)length / bits;
    return 0;
}
"""
CROSS = "aarch64-linux-gnu-gcc"


@pytest.mark.parametrize(
    "command",
    ["gcc", pytest.param(CROSS, marks=pytest.mark.skipif(not shutil.which(CROSS), reason="no cross compiler"))],
)
def test_own_functions_and_objects_are_named_and_the_compiler_s_parts_are_not(tmp_path, command):
    document = built(tmp_path, {"X-8/CryptHash.c": HASH}, compiler=command, libraries=("m",))
    found = {variant["flags"]: variant["libc_names"] for variant in document["variants"]}
    assert found == dict.fromkeys(compiler.VARIANTS, ["environ", "memcpy", "puts", "rand"])


def test_a_library_that_does_not_build_or_shares_nothing_has_none(tmp_path):
    plain = "int CryptHash(void) { return VALUE; }\n"
    for text in (plain, plain.replace("VALUE", "1")):
        document = built(tmp_path, {"X-8/CryptHash.c": text})
        assert [variant["libc_names"] for variant in document["variants"]] == [[], []]


def test_what_every_libc_offers_this_one_does():
    assert libcnames.offered("gcc") >= libcnames.ALWAYS | {"sqrt", "environ"}


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF" + bytes(60)])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "other.so").write_bytes(content)
    with pytest.raises(BadLibrary):
        libcnames.defined_too(tmp_path / "other.so", libcnames.ALWAYS)


def test_a_library_without_symbols_tells_nothing(tmp_path):
    command = ["gcc", "-shared", "-s", "-fPIC", "-xc", "-", "-o", tmp_path / "bare.so"]
    subprocess.run(command, input="int rand(void) { return 4; }", text=True, check=True)
    assert libcnames.defined_too(tmp_path / "bare.so", libcnames.ALWAYS) == []
