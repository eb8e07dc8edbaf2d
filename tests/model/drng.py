"""The ICCS generator: Hash_DRBG of NIST SP 800-90A with SM3, seed length 440 bits, never reseeded."""

from __future__ import annotations

from .bits import whole
from .sm3 import sm3

SEED_BYTES = 55
MODULUS = 1 << 8 * SEED_BYTES


class Generator:
    """State of the generator: v, c and the reseed counter as numbers below 2^440."""

    def __init__(self, seed: bytes):
        self.v = _derive(seed)
        self.c = _derive(b"\0" + _bytes(self.v))
        self.counter = 1

    def generate(self, bits: int) -> bytearray:
        """One call for `bits` bits: ceil(bits / 8) bytes, unused low bits of the last one zero."""
        output = bytearray()
        for i in range((bits + 255) // 256):
            output += sm3(whole(_bytes((self.v + i) % MODULUS)))
        del output[(bits + 7) // 8 :]
        if bits % 8:
            output[-1] &= 0xFF00 >> bits % 8 & 0xFF
        mixed = int.from_bytes(sm3(whole(b"\3" + _bytes(self.v))), "big")
        self.v = (self.v + mixed + self.c + self.counter) % MODULUS
        self.counter += 1
        return output


def _derive(text: bytes) -> int:
    """Hash_df to 440 bits."""
    length = (8 * SEED_BYTES).to_bytes(4, "big")
    stream = b"".join(sm3(whole(bytes([counter]) + length + text)) for counter in (1, 2))
    return int.from_bytes(stream[:SEED_BYTES], "big")


def _bytes(number: int) -> bytes:
    return number.to_bytes(SEED_BYTES, "big")
