"""Libraries as somebody handed them over: their sizes and names of libc, or BadLibrary; in bounded time."""

from __future__ import annotations

import struct

from fuzz import sound
from fuzz.kit import Choices, folder
from ngcc_campaign.build.libcnames import ALWAYS, defined_too
from ngcc_campaign.memory.elf import BadLibrary, static_sizes

# Offsets of an ELF64 header's fields, and their sizes.
_FIELDS = ((4, 1), (5, 1), (16, 2), (18, 2), (32, 8), (40, 8), (52, 2), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2))
_VALUES = (0, 1, 2, 3, 62, 183, 0xFF00, 0xFFFF, 0xFFFFFFFF, 2**63, 2**64 - 1)
SEEDS = [
    b"", bytes(12), bytes([0, 4, 3, 0, 1, 9]), bytes([1, 40, 5, 7]), bytes([2, 0, 255]), b"\1\3\xff" * 5,
]  # fmt: skip


def target(data: bytes) -> None:
    choices, content = Choices(data), bytearray(sound.library().read_bytes())
    while choices.left:
        match choices.number(4):
            case 0:
                at, size = choices.of(_FIELDS)
            case 1:  # in the program headers
                at, size = 64 + choices.number(56 * 9), choices.of([1, 2, 4, 8])
            case 2:  # in the section headers, which come last
                at, size = max(0, len(content) - 1 - choices.number(64 * 30)), choices.of([1, 2, 4, 8])
            case 3:
                del content[choices.number(len(content)) :]
                continue
            case _:
                at, size = choices.number(max(0, len(content) - 8)), choices.of([1, 2, 4, 8])
        value = choices.of([*_VALUES, choices.number(2**64 - 1)]) % (1 << 8 * size)
        content[at : at + size] = struct.pack("<Q", value)[:size]
    with folder() as place:
        (place / "lib.so").write_bytes(content)
        try:
            sizes = static_sizes(place / "lib.so")
            assert all(0 <= size < 2**64 for size in sizes.values()) and sizes["load_bytes"] > 0
        except BadLibrary as error:
            assert "\n" not in str(error)
        try:
            assert set(defined_too(place / "lib.so", ALWAYS)) <= ALWAYS
        except BadLibrary as error:
            assert "\n" not in str(error)
