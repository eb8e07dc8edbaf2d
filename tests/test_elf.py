"""Static sizes of shared libraries, also of such as are cut off, stripped bare or nonsense."""

import struct
import subprocess
import time

import pytest

from ngcc_campaign.memory.elf import BadLibrary, static_sizes

SOURCE = """
static const unsigned char table[5000] = {1, 2, 3};
static unsigned char state[70000];
static int counters[300] = {1};
int CryptHash(int bits, const unsigned char *msg, unsigned long long length, unsigned char *digest)
{
    state[length % 70000]++;
    counters[length % 300]++;
    for (int i = 0; i < bits / 8; i++)
        digest[i] = table[(length + i) % 5000] ^ state[i] ^ msg[0];
    return 0;
}
"""
# Offsets within the header of a 64-bit ELF file.
E_TYPE, E_SHOFF, E_PHENTSIZE, E_PHNUM, E_SHENTSIZE, E_SHNUM = 16, 40, 54, 56, 58, 60

SECTION = "<IIQQQQIIQQ"


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elf")
    (folder / "hash.c").write_text(SOURCE)
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "hash.c", "-o", "libhash.so"], cwd=folder, check=True)
    return folder / "libhash.so"


def changed(library, path, fields: dict[int, int]):
    """A copy of `library` with 2-byte header fields set, by offset."""
    content = bytearray(library.read_bytes())
    for offset, value in fields.items():
        struct.pack_into("<H", content, offset, value)
    path.write_bytes(content)
    return path


def test_parts_are_those_of_the_source(library):
    sizes = static_sizes(library)
    assert 5000 <= sizes["rodata_bytes"] < 7000
    assert 1200 <= sizes["data_bytes"] < 2500
    assert 70000 <= sizes["bss_bytes"] < 70100
    assert 100 <= sizes["text_bytes"] < 2000
    assert sum(size for part, size in sizes.items() if part != "load_bytes") <= sizes["load_bytes"]


def test_image_equals_what_readelf_says(library):
    text = subprocess.run(["readelf", "-lW", library], check=True, capture_output=True, text=True).stdout
    loads = [line.split() for line in text.splitlines() if line.strip().startswith("LOAD")]
    assert static_sizes(library)["load_bytes"] == sum(int(fields[5], 16) for fields in loads)


@pytest.mark.parametrize("keep", ["0", "4", "63", "64", "half", "all but one"])
def test_a_library_that_is_cut_off_is_refused(library, tmp_path, keep):
    content = library.read_bytes()
    sizes = {"half": len(content) // 2, "all but one": len(content) - 1}
    (tmp_path / "cut.so").write_bytes(content[: sizes.get(keep) or int(keep)])
    with pytest.raises(BadLibrary):
        static_sizes(tmp_path / "cut.so")


@pytest.mark.parametrize(
    "fields, message",
    [
        ({E_SHENTSIZE: 0}, "e_shentsize is 0, expected 64"),
        ({E_PHENTSIZE: 0}, "e_phentsize is 0, expected 56"),
        ({E_PHNUM: 0xFFFF}, "cut off within the table at e_phoff"),
        ({E_SHNUM: 0xFEFF}, "cut off within the table at e_shoff"),
        ({E_PHNUM: 0}, "no segment to load"),
        ({E_TYPE: 1}, "no shared library"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_nonsense_in_the_header_is_refused_at_once(library, tmp_path, fields, message):
    started = time.process_time()
    with pytest.raises(BadLibrary, match=message):
        static_sizes(changed(library, tmp_path / "odd.so", fields))
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "fields",
    [{E_SHNUM: 0}, {E_SHNUM: 0, E_SHENTSIZE: 0, E_SHOFF: 0}],
    ids=["extended numbering", "no section table"],
)
def test_without_plain_sections_the_segments_tell(library, tmp_path, fields):
    whole, sizes = static_sizes(library), static_sizes(changed(library, tmp_path / "bare.so", fields))
    assert sizes["load_bytes"] == whole["load_bytes"]
    for part in ("text_bytes", "rodata_bytes", "data_bytes", "bss_bytes"):
        assert sizes[part] > 0
        assert abs(sizes[part] - whole[part]) < 1500


def with_sections(library, path, alter):
    """A copy of `library` whose section headers went through `alter`, as lists of their ten fields."""
    content = bytearray(library.read_bytes())
    (offset,) = struct.unpack_from("<Q", content, E_SHOFF)
    (number,) = struct.unpack_from("<H", content, E_SHNUM)
    for index in range(number):
        fields = list(struct.unpack_from(SECTION, content, offset + 64 * index))
        alter(fields)
        struct.pack_into(SECTION, content, offset + 64 * index, *fields)
    path.write_bytes(content)
    return path


def claim(size):
    def alter(fields):
        if fields[2] & 2:  # SHF_ALLOC
            fields[5] = size

    return alter


@pytest.mark.parametrize("size", [1 << 62, 72000, 0], ids=["2^62 each", "all of the image each", "nothing"])
def test_sections_beyond_the_image_are_not_believed(library, tmp_path, size):
    sizes = static_sizes(with_sections(library, tmp_path / "claims.so", claim(size)))
    assert sizes == static_sizes(changed(library, tmp_path / "bare.so", {E_SHNUM: 0}))


def test_thread_local_variables_are_no_such_claim(tmp_path):
    source = "static _Thread_local char own[500000]; char *CryptHash(long i) { return own + i; }"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-xc", "-", "-o", tmp_path / "tls.so"], input=source, text=True, check=True
    )
    sizes = static_sizes(tmp_path / "tls.so")
    assert sizes["load_bytes"] < 100_000 and 500_000 <= sizes["bss_bytes"] < 501_000


@pytest.mark.parametrize("field", [32, 40], ids=["size in the file", "size in memory"])
def test_segments_of_impossible_sizes_are_refused(library, tmp_path, field):
    content = bytearray(library.read_bytes())
    (offset,) = struct.unpack_from("<Q", content, 32)
    (number,) = struct.unpack_from("<H", content, E_PHNUM)
    first = next(place for place in range(offset, offset + 56 * number, 56) if content[place] == 1)  # PT_LOAD
    struct.pack_into("<Q", content, first + field, len(content) - 1 if field == 32 else 1 << 63)
    (tmp_path / "odd.so").write_bytes(content)
    with pytest.raises(BadLibrary, match="cut off within a segment|sizes that cannot be"):
        static_sizes(tmp_path / "odd.so")


def test_more_sections_than_a_linker_makes_are_read_in_time(library, tmp_path):
    content = library.read_bytes() + bytes(64 * 0xFEFF)
    (tmp_path / "many.so").write_bytes(content)
    many = changed(tmp_path / "many.so", tmp_path / "many.so", {E_SHNUM: 0xFEFF})
    started = time.process_time()
    static_sizes(many)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF" + bytes(60), bytes(4096)])
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "other.so").write_bytes(content)
    with pytest.raises(BadLibrary):
        static_sizes(tmp_path / "other.so")
