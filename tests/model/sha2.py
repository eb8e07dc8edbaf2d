"""SHA-512 (FIPS 180-4); the constants are computed as section 4.2.3 and 5.3.5 define them."""

from __future__ import annotations

import math
import struct

from .bits import Bits, hashlib_digest, join, pad

MASK = (1 << 64) - 1
PRIMES = [n for n in range(2, 410) if all(n % divisor for divisor in range(2, math.isqrt(n) + 1))]


def _cube_root(n: int) -> int:
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= n else (low, middle)
    return low


# The first 64 bits of the fractional parts of square roots and cube roots.
INITIAL = tuple(math.isqrt(prime << 128) & MASK for prime in PRIMES[:8])
ROUND_CONSTANTS = [_cube_root(prime << 192) & MASK for prime in PRIMES]


def sha512(*message: Bits) -> bytes:
    """Digest (64 bytes) of the parts of a message; whole bytes take hashlib's short way."""
    return hashlib_digest("sha512", message) or by_the_book(join(message))


def by_the_book(message: Bits) -> bytes:
    """Digest by the text of the standard."""
    padded = pad(message, 1024, 128)
    state = INITIAL
    for start in range(0, len(padded), 128):
        state = _compress(state, padded[start : start + 128])
    return struct.pack(">8Q", *state)


def _rotate(word: int, count: int) -> int:
    return (word >> count | word << 64 - count) & MASK


def _compress(state: tuple[int, ...], block: bytes) -> tuple[int, ...]:
    w = list(struct.unpack(">16Q", block))
    for t in range(16, 80):
        x, y = w[t - 15], w[t - 2]
        small0 = _rotate(x, 1) ^ _rotate(x, 8) ^ x >> 7
        small1 = _rotate(y, 19) ^ _rotate(y, 61) ^ y >> 6
        w.append((small1 + w[t - 7] + small0 + w[t - 16]) & MASK)
    a, b, c, d, e, f, g, h = state
    for t in range(80):
        big1 = _rotate(e, 14) ^ _rotate(e, 18) ^ _rotate(e, 41)
        big0 = _rotate(a, 28) ^ _rotate(a, 34) ^ _rotate(a, 39)
        t1 = h + big1 + (e & f ^ ~e & g) + ROUND_CONSTANTS[t] + w[t]
        t2 = big0 + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (t1 + t2) & MASK, a, b, c, (d + t1) & MASK, e, f, g
    return tuple((x + y) & MASK for x, y in zip(state, (a, b, c, d, e, f, g, h), strict=True))
