"""SHA3-512 (FIPS 202); offsets and round constants are computed as sections 3.2.2 and 3.2.5 define them."""

from __future__ import annotations

import struct

from .bits import Bits, hashlib_digest, join

RATE_BYTES = 72
MASK = (1 << 64) - 1


def _offsets() -> dict[tuple[int, int], int]:
    offsets, (x, y) = {(0, 0): 0}, (1, 0)
    for t in range(24):
        offsets[x, y] = (t + 1) * (t + 2) // 2 % 64
        x, y = y, (2 * x + 3 * y) % 5
    return offsets


def _round_constants() -> list[int]:
    constants, register = [], 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (register & 1) << (1 << j) - 1
            register = register << 1 ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return constants


ROUND_CONSTANTS = _round_constants()
# Lane (x, y) is lane 5y + x; rho and pi take lane `source`, rotated, to lane `target`.
RHO_PI = [(5 * y + x, 5 * ((2 * x + 3 * y) % 5) + y, offset) for (x, y), offset in _offsets().items()]


def sha3_512(*message: Bits) -> bytes:
    """Digest (64 bytes) of the parts of a message; whole bytes take hashlib's short way."""
    return hashlib_digest("sha3_512", message) or by_the_book(join(message))


def by_the_book(message: Bits) -> bytes:
    """Digest by the text of the standard.

    FIPS 202 numbers a byte's bits from the low end: the partial byte, whose bits stand high here, is shifted down.
    """
    data, length = message
    value = int.from_bytes(data[: length // 8], "little")
    if length % 8:
        value |= data[-1] >> 8 - length % 8 << length // 8 * 8
    blocks = (length + 2 + 2 + 8 * RATE_BYTES - 1) // (8 * RATE_BYTES)
    value |= 0b110 << length  # the suffix 01, then the first one of pad10*1
    value |= 1 << 8 * RATE_BYTES * blocks - 1  # its last one
    padded = value.to_bytes(RATE_BYTES * blocks, "little")
    lanes = [0] * 25
    for start in range(0, len(padded), RATE_BYTES):
        for i, lane in enumerate(struct.unpack_from("<9Q", padded, start)):
            lanes[i] ^= lane
        lanes = _permute(lanes)
    return struct.pack("<8Q", *lanes[:8])


def _permute(a: list[int]) -> list[int]:
    for constant in ROUND_CONSTANTS:
        c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
        d = [c[x - 1] ^ (c[(x + 1) % 5] << 1 | c[(x + 1) % 5] >> 63) & MASK for x in range(5)]
        b = [0] * 25
        for source, target, offset in RHO_PI:
            lane = a[source] ^ d[source % 5]
            b[target] = (lane << offset | lane >> 64 - offset) & MASK
        a = [b[i] ^ ~b[i // 5 * 5 + (i + 1) % 5] & b[i // 5 * 5 + (i + 2) % 5] for i in range(25)]
        a[0] ^= constant
    return a
