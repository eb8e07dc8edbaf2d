"""SM3, SHA-256 and the generator of native/lib against hashlib and the model, at any length and in any pieces."""

from __future__ import annotations

import ctypes
import hashlib

from fuzz.kit import Choices
from fuzz.native_library import modules
from model.bits import Bits
from model.drng import Generator
from model.sm3 import sm3

SEEDS = [bytes([size % 256, 3, 5]) + bytes(range(256))[:size] for size in (0, 1, 55, 56, 63, 64, 65, 119, 128, 200)]


def target(data: bytes) -> None:
    choices = Choices(data)
    cut, bits = choices.number(255), choices.number(7)
    draws = [choices.number(1500) for _ in range(choices.number(3))]
    message = choices.bytes(len(data))
    _sha256(message, min(cut, len(message)))
    _sm3(message, max(0, 8 * len(message) - bits))
    _drng(message, draws)


def _sha256(message: bytes, cut: int) -> None:
    context, digest = ctypes.create_string_buffer(256), ctypes.create_string_buffer(32)
    modules().sha256_init(context)
    for piece in (message[:cut], message[cut:]):
        modules().sha256_update(context, piece, ctypes.c_size_t(len(piece)))
    modules().sha256_final(context, digest)
    assert digest.raw == hashlib.sha256(message).digest()


def _sm3(message: bytes, bits: int) -> None:
    digest = ctypes.create_string_buffer(32)
    modules().sm3_bits(message, ctypes.c_ulonglong(bits), digest)
    message = bytearray(message)
    if bits % 8:
        message[-1] &= 0xFF00 >> bits % 8 & 0xFF
    assert digest.raw == sm3(Bits(message, bits))
    if bits == 8 * len(message) and "sm3" in hashlib.algorithms_available:
        assert digest.raw == hashlib.new("sm3", message).digest()


def _drng(seed: bytes, draws: list[int]) -> None:
    seed = seed[:256]  # no more of it counts
    state = ctypes.create_string_buffer(256)
    modules().drng_seed(state, seed, ctypes.c_size_t(len(seed)))
    model = Generator(seed)
    for bits in draws:
        output = ctypes.create_string_buffer((bits + 7) // 8)
        modules().drng_generate(state, output, ctypes.c_ulonglong(bits))
        assert output.raw == bytes(model.generate(bits)), bits
