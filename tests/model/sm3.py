"""SM3 (GB/T 32905-2016)."""

from __future__ import annotations

import struct

from .bits import Bits, hashlib_digest, join, pad

INITIAL = struct.unpack(">8I", bytes.fromhex("7380166f4914b2b9172442d7da8a0600a96f30bc163138aae38dee4db0fb0e4e"))
MASK = 0xFFFFFFFF


def sm3(*message: Bits) -> bytes:
    """Digest (32 bytes) of the parts of a message; whole bytes take hashlib's short way."""
    return hashlib_digest("sm3", message) or by_the_book(join(message))


def by_the_book(message: Bits) -> bytes:
    """Digest by the text of the standard."""
    padded = pad(message, 512, 64)
    state = INITIAL
    for start in range(0, len(padded), 64):
        state = _compress(state, padded[start : start + 64])
    return struct.pack(">8I", *state)


def _rotate(word: int, count: int) -> int:
    return (word << count | word >> 32 - count) & MASK


ROUND_CONSTANTS = [_rotate(0x79CC4519 if j < 16 else 0x7A879D8A, j % 32) for j in range(64)]


def _compress(state: tuple[int, ...], block: bytes) -> tuple[int, ...]:
    w = list(struct.unpack(">16I", block))
    for j in range(16, 68):
        x = w[j - 16] ^ w[j - 9] ^ _rotate(w[j - 3], 15)
        w.append(x ^ _rotate(x, 15) ^ _rotate(x, 23) ^ _rotate(w[j - 13], 7) ^ w[j - 6])
    a, b, c, d, e, f, g, h = state
    for j in range(64):
        a12 = _rotate(a, 12)
        ss1 = _rotate((a12 + e + ROUND_CONSTANTS[j]) & MASK, 7)
        if j < 16:
            ff, gg = a ^ b ^ c, e ^ f ^ g
        else:
            ff, gg = a & b | a & c | b & c, e & f | ~e & g
        tt1 = (ff + d + (ss1 ^ a12) + (w[j] ^ w[j + 4])) & MASK
        tt2 = (gg + h + ss1 + w[j]) & MASK
        a, b, c, d = tt1, a, _rotate(b, 9), c
        e, f, g, h = tt2 ^ _rotate(tt2, 9) ^ _rotate(tt2, 17), e, _rotate(f, 19), g
    return tuple(x ^ y for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True))
