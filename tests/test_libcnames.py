"""Names that a library shares with libc are found, whether anybody outside can see them or not."""

import shutil
import struct
import subprocess
import tracemalloc
from contextlib import suppress

import pytest

from ngcc_campaign.build import compiler, libcnames
from ngcc_campaign.memory.elf import BadLibrary
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


def damaged(tmp_path, kind: str, field: int, value: bytes):
    """A library in which one field of the headers of all its sections of a kind has another value."""
    command = ["gcc", "-shared", "-fPIC", "-xc", "-", "-o", tmp_path / "odd.so"]
    subprocess.run(command, input="int rand(void) { return 4; }", text=True, check=True)
    content = bytearray((tmp_path / "odd.so").read_bytes())
    (table,), (count,) = struct.unpack_from("<Q", content, 40), struct.unpack_from("<H", content, 60)
    for header in range(table, table + 64 * count, 64):
        if struct.unpack_from("<I", content, header + 4)[0] == {"SYMTAB": 2, "STRTAB": 3}[kind]:
            content[header + field : header + field + len(value)] = value
    (tmp_path / "odd.so").write_bytes(content)
    return tmp_path / "odd.so"


OFFSET, SIZE, TYPE = 24, 32, 4


def test_tables_at_places_that_are_none_are_refused(tmp_path):
    with pytest.raises(BadLibrary):
        libcnames.defined_too(damaged(tmp_path, "STRTAB", OFFSET, b"\xff" * 8), libcnames.ALWAYS)


@pytest.mark.parametrize(
    ("field", "value"),
    [(TYPE, struct.pack("<IQQQQ", 8, 0, 0, 0, 1 << 45)), (SIZE, struct.pack("<Q", 24 << 40))],
    ids=["without content", "beyond the end"],
)
def test_a_size_that_is_made_up_takes_no_memory(tmp_path, field, value):
    library = damaged(tmp_path, "SYMTAB", field, value)
    tracemalloc.start()
    with suppress(BadLibrary):
        libcnames.defined_too(library, libcnames.ALWAYS)
    assert tracemalloc.get_traced_memory()[1] < 1 << 24
    tracemalloc.stop()
