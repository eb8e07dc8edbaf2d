"""What a shared library takes in memory once it is loaded, by its ELF headers."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.common.utils import struct_parse
from elftools.construct.core import ConstructError, Struct
from elftools.construct.lib.container import Container
from elftools.elf.constants import P_FLAGS, SH_FLAGS
from elftools.elf.elffile import ELFFile

# What a process can address: 47 bits on the architectures that are measured, 48 at most.
ADDRESSES = 1 << 48
# What pyelftools raises on files that are none: its own, and whatever made-up offsets, sizes and indices bring about.
DAMAGE = (ELFError, ConstructError, struct.error, ArithmeticError, LookupError, AttributeError, TypeError, ValueError)


class BadLibrary(Exception):
    """A file that is no whole ELF shared library; the text says in which way."""


def static_sizes(library: Path) -> dict[str, int]:
    """Bytes of a library's image, {load, text, rodata, data, bss}_bytes.

    load_bytes is the sum of the memory sizes of the PT_LOAD segments, the figure that published pages print. The
    parts are told apart by the flags of allocated sections (executable; read-only; writable; without content), or of
    segments where there is no section table to believe. Headers and padding lie between sections, so the parts of a
    library add up to less than its image. Raises BadLibrary, or OSError where the file can't be read.
    """
    content = library.read_bytes()
    try:
        elf = ELFFile(io.BytesIO(content))
        segments, sections = _headers(elf, "ph", elf.structs.Elf_Phdr), _headers(elf, "sh", elf.structs.Elf_Shdr)
    except DAMAGE as error:
        raise BadLibrary(f"it is no whole ELF file ({' '.join(str(error).split())})") from None
    loads = [segment for segment in segments if segment.p_type == "PT_LOAD"]
    if elf["e_type"] != "ET_DYN":
        raise BadLibrary(f"it is no shared library (e_type {elf['e_type']})")
    if any(load.p_offset + load.p_filesz > len(content) for load in loads):
        raise BadLibrary("it is cut off within a segment")
    image = sum(load.p_memsz for load in loads)
    if not image:
        raise BadLibrary("it has no segment to load")
    if image > ADDRESSES or any(load.p_filesz > load.p_memsz for load in loads):
        raise BadLibrary("its segments have sizes that cannot be")
    parts = list(_section_parts(sections))
    own = sum(segment.p_memsz for segment in segments if segment.p_type == "PT_TLS")  # .tbss is in no PT_LOAD
    if not 0 < sum(size for _, size in parts) <= image + own:  # no section table, or one that is made up
        parts = list(_segment_parts(loads))
    sizes = dict.fromkeys(("text_bytes", "rodata_bytes", "data_bytes", "bss_bytes"), 0)
    for part, size in parts:
        sizes[f"{part}_bytes"] += size
    return {"load_bytes": image, **sizes}


def _headers(elf: ELFFile, table: str, layout: Struct) -> list[Container]:
    """The headers of a table, "ph" (segments) or "sh" (sections), read with no more trust than needed.

    A table with extended numbering (e_shnum 0, for 65280 sections and more) counts as absent.
    """
    offset, size, number = (elf[f"e_{table}{field}"] for field in ("off", "entsize", "num"))
    if number and size < layout.sizeof():
        raise BadLibrary(f"e_{table}entsize is {size}, expected {layout.sizeof()}")
    if offset + size * number > elf.stream_len:
        raise BadLibrary(f"it is cut off within the table at e_{table}off")
    return [struct_parse(layout, elf.stream, offset + size * index) for index in range(number)]


def _section_parts(sections: list[Container]) -> Iterator[tuple[str, int]]:
    for section in sections:
        if section.sh_flags & SH_FLAGS.SHF_ALLOC:
            writable, executable = section.sh_flags & SH_FLAGS.SHF_WRITE, section.sh_flags & SH_FLAGS.SHF_EXECINSTR
            part = "text" if executable else "data" if writable else "rodata"
            yield "bss" if section.sh_type == "SHT_NOBITS" else part, section.sh_size


def _segment_parts(loads: list[Container]) -> Iterator[tuple[str, int]]:
    for load in loads:
        part = "text" if load.p_flags & P_FLAGS.PF_X else "data" if load.p_flags & P_FLAGS.PF_W else "rodata"
        yield part, load.p_filesz
        yield "bss", load.p_memsz - load.p_filesz
