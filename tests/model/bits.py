"""Strings of bits, and what hash functions have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple


class Bits(NamedTuple):
    """`length` bits in ceil(length / 8) bytes; in a partial last byte they are the high ones, the rest is ignored."""

    data: bytes | bytearray
    length: int


def whole(data: bytes | bytearray) -> Bits:
    """All bits of `data`."""
    return Bits(data, 8 * len(data))


def join(parts: Sequence[Bits]) -> Bits:
    """The parts one after the other, bit by bit; unused low bits of the last byte are zero."""
    value = length = 0
    for part in parts:
        value = value << part.length | int.from_bytes(part.data, "big") >> -part.length % 8
        length += part.length
    return Bits((value << -length % 8).to_bytes((length + 7) // 8, "big"), length)


def pad(message: Bits, block_bits: int, length_bits: int) -> bytes:
    """Merkle-Damgård padding: a one, zeros, the length as a number of `length_bits` bits; whole blocks."""
    zeros = -(message.length + 1 + length_bits) % block_bits
    tail = 1 << zeros + length_bits | message.length
    return join([message, _number(tail, 1 + zeros + length_bits)]).data


def hashlib_digest(name: str, message: Sequence[Bits]) -> bytes | None:
    """hashlib's digest, hundreds of times faster than a model.

    None where a part ends inside a byte, or where this Python's hashlib lacks `name` (some builds have no SM3).
    """
    if name not in hashlib.algorithms_available or any(part.length % 8 for part in message):
        return None
    state = hashlib.new(name)
    for part in message:
        state.update(part.data)
    return state.digest()


def _number(value: int, length: int) -> Bits:
    return Bits((value << -length % 8).to_bytes((length + 7) // 8, "big"), length)
