"""The ICCS helper functions: placeholders built from SM3, and the yardstick candidates are compared with."""

from __future__ import annotations

from .bits import Bits, join, whole
from .sm3 import sm3

KEY = sm3(whole(b"3.14159265358979")) + sm3(whole(b"2.71828182845904"))


def pseudo_xof(width: int, message: Bits) -> bytes:
    """KDF-SM3 of GB/T 32918.4: the first `width` bits of SM3(m || 1) || SM3(m || 2) || …, counters of 32 bits."""
    stream = b"".join(sm3(message, whole(ct.to_bytes(4, "big"))) for ct in range(1, (width + 255) // 256 + 1))
    return join([Bits(stream[: (width + 7) // 8], width)]).data


def pseudohash(width: int, message: Bits) -> bytes:
    """`width` is 512, 768 or 1024 bits."""
    t = whole(bytes([{512: 2, 768: 3, 1024: 4}[width], 0]))
    k1, h1 = _hmac(t, message), sm3(message, t)
    h2 = sm3(whole(k1 + h1))
    if width == 512:
        return h1 + h2
    k2 = _hmac(whole(h1))
    h3 = sm3(whole(h2 + k2))
    if width == 768:
        return h1 + h2 + h3
    k3, k4 = _hmac(whole(h2)), _hmac(whole(h3))
    return h1 + h2 + h3 + sm3(whole(k3 + h3 + k4))


def _hmac(*message: Bits) -> bytes:
    """HMAC-SM3 under KEY, which is one block long."""
    inner = sm3(whole(bytes(byte ^ 0x36 for byte in KEY)), *message)
    return sm3(whole(bytes(byte ^ 0x5C for byte in KEY) + inner))
