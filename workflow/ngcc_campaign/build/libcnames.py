"""Names of libc that a library defines itself, so that its own calls go to its own function and not to libc's."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section

from ..memory.elf import DAMAGE, BadLibrary
from . import compiler

# Not libgcc: the compiler links parts of that into the libraries that it makes.
LIBRARIES = ("libc.so.6", "libm.so.6")
# Names that every libc offers, wherever the library was built: an audit knows these without that libc.
ALWAYS = frozenset((
    "abort", "calloc", "clock_gettime", "exit", "fprintf", "fputs", "free", "fwrite", "getenv", "malloc",
    "memchr", "memcmp", "memcpy", "memmove", "memset", "printf", "putchar", "puts", "qsort", "raise", "rand",
    "realloc", "sprintf", "srand", "strcat", "strchr", "strcmp", "strcpy", "strlen", "strncmp", "strncpy",
    "strstr", "time", "vprintf",
))  # fmt: skip
_SYMBOL = {True: "<IBBHQQ", False: ">IBBHQQ"}  # of 64-bit ELF files: name, info, other, section, value, size
_HIDDEN = 0x8000  # an old version of a symbol, which nothing new is linked with
_LONGEST = 256  # characters of a name that are looked at; libc's longest has a quarter of that
# NOTYPE, OBJECT, FUNC, COMMON, TLS, GNU_IFUNC; not SECTION and FILE.
_TYPES = (0, 1, 2, 5, 6, 10)


def offered(command: str) -> frozenset[str]:
    """The names that libc and libm offer to libraries that the compiler `command` makes; of none that it has not."""
    files = [compiler.library(command, name) for name in LIBRARIES]
    return frozenset(name for file in files if file for name in _defined(file, ".dynsym"))


def defined_too(library: Path, names: frozenset[str]) -> list[str]:
    """Which of `names` a library has functions or objects of its own for, sorted, seen from outside or not.

    Raises BadLibrary where it is no whole 64-bit ELF file.
    """
    return sorted(names & frozenset(_defined(library, ".symtab")))


def _defined(file: Path, table: str) -> Iterator[str]:
    """Names of the functions and objects that a symbol table of an ELF file defines, in their current version."""
    content = file.read_bytes()
    try:
        elf = ELFFile(io.BytesIO(content))
        symbols, versions = (_section(elf, name) for name in (table, ".gnu.version"))
        if symbols is None or elf.elfclass != 64:
            return
        names = _bytes(elf.get_section(symbols["sh_link"]), content)
        own = table == ".dynsym" and versions
        hidden = _hidden(_bytes(versions, content), elf.little_endian) if own else ()
        rows = list(struct.iter_unpack(_SYMBOL[elf.little_endian], _bytes(symbols, content)))
    except DAMAGE as error:
        raise BadLibrary(f"its symbols cannot be read ({' '.join(str(error).split())})") from None
    for number, (name, info, _, section, _, _) in enumerate(rows):
        if section and info & 15 in _TYPES and number not in hidden:
            yield names[name : name + _LONGEST].partition(b"\0")[0].decode(errors="replace")


def _section(elf: ELFFile, name: str) -> Section | None:
    return elf.get_section_by_name(name)


def _bytes(section: Section, content: bytes) -> bytes:
    """A section as it lies in the file, at most to its end: pyelftools pads and unpacks to whatever size is made up."""
    return content[section["sh_offset"] :][: section["sh_size"]]


def _hidden(data: bytes, little_endian: bool) -> frozenset[int]:
    """Numbers of the symbols that are hidden by their version."""
    found = struct.unpack(f"{'<' if little_endian else '>'}{len(data) // 2}H", data)
    return frozenset(number for number, version in enumerate(found) if version & _HIDDEN)
