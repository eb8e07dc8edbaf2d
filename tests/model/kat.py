"""The four KAT texts of an instance, and the digest of their canonical form."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import lru_cache

from .bits import Bits, whole
from .drng import Generator

FILES = ("KAT_2_12", "KAT_2_23", "KAT_2_33", "KAT_Loop")
LOOP_ITERATIONS = 1_000_000

HashFunction = Callable[[Bits], bytes]


def text(file: str, digest_bits: int, function: HashFunction) -> str:
    """The text of `file` (one of FILES) for a hash function with digests of `digest_bits` bits."""
    if file == "KAT_2_12":
        records = _short(digest_bits, function)
    elif file == "KAT_Loop":
        records = _loop(digest_bits, function)
    else:
        records = _long(file, digest_bits, function)
    return "".join(f"{record}\n" for record in records)


def canonical_digest(text: str) -> str:
    """SHA-256 of the canonical form: line ends LF, no trailing CR, space or tab, no empty lines."""
    lines = (line.rstrip("\r \t") for line in text.split("\n"))
    return hashlib.sha256("".join(f"{line}\n" for line in lines if line).encode()).hexdigest()


def seed(file: str) -> bytes:
    """Seed of a file's generator (64 bytes)."""
    return file.encode() * 8


def short_messages() -> Iterator[Bits]:
    """The 4097 messages of KAT_2_12: every length from 0 to 4096 bits."""
    generator = Generator(seed("KAT_2_12"))
    return (Bits(generator.generate(bits), bits) for bits in range(4097))


@lru_cache(maxsize=1)
def long_message(file: str) -> bytearray:
    """The generated message of KAT_2_23 or KAT_2_33 (1 MiB, 1 GiB)."""
    return Generator(seed(file)).generate(1 << int(file[-2:]))


def loop(message: bytes, digest_bits: int, function: HashFunction, iterations: int) -> bytes:
    """The last digest of KAT_Loop's chain: rotate the message by a digest, add the last digest to it, hash again."""
    digest, size = function(whole(message)), digest_bits // 8
    for _ in range(iterations):
        message = message[size:] + message[:size]
        first = int.from_bytes(message[:size], "big") ^ int.from_bytes(digest, "big")
        message = first.to_bytes(size, "big") + message[size:]
        digest = function(whole(message))
    return digest


def _short(digest_bits: int, function: HashFunction) -> Iterator[str]:
    for message in short_messages():
        yield _record(message.length, f"Msg = {_hex(message.data)}", digest_bits, function(message))


def _long(file: str, digest_bits: int, function: HashFunction) -> Iterator[str]:
    for seeded, message in _long_messages(file):
        shown = f"Msg_Seed = {seeded}\nMsg_Exp = {_hex(message[:8])} .... {_hex(message[-8:])}"
        yield _record(8 * len(message), shown, digest_bits, function(whole(message)))


def _long_messages(file: str) -> Iterator[tuple[str, bytes | bytearray]]:
    """(seed in hexadecimal, message) of the three records; one at a time, for a message may have 1 GiB."""
    size = (1 << int(file[-2:])) // 8
    yield "", bytes(size)
    yield "", b"\xff" * size
    yield _hex(seed(file)), long_message(file)


def _loop(digest_bits: int, function: HashFunction) -> Iterator[str]:
    message = bytes(Generator(seed("KAT_Loop")).generate(8192))
    yield _record(8192, f"Msg = {_hex(message)}", digest_bits, loop(message, digest_bits, function, LOOP_ITERATIONS))


def _record(message_bits: int, shown: str, digest_bits: int, digest: bytes) -> str:
    return f"Msg_Len = {message_bits}\n{shown}\nDst_Len = {digest_bits}\nDst = {_hex(digest)}\n"


def _hex(data: bytes | bytearray) -> str:
    return data.hex().upper()
