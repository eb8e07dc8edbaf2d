"""KAT texts: one form for all line ends, blanks and empty lines; where two part is one record, or none."""

from __future__ import annotations

import io

from fuzz.kit import Choices
from model.kat import canonical_digest
from ngcc_campaign.onboard.texts import read_text
from ngcc_campaign.verify import kattext

OURS = b"Msg_Len = 0\nMsg = \nDst_Len = 8\nDst = AB\n\nMsg_Len = 1\nMsg = 80\nDst_Len = 8\nDst = CD\n\n"
SEEDS = [
    b"\0" + OURS,
    b"\x01" + OURS.replace(b"\n", b"\r\n"),
    b"\x02\xef\xbb\xbf" + OURS.replace(b" = ", b"="),
    b"\x03" + OURS + b"Msg_Len = " + b"9" * 5000 + b"\n",
]


def _lines(data: bytes) -> list[str]:
    return list(kattext._lines(io.BytesIO(data)))


def target(data: bytes) -> None:
    choices = Choices(data)
    end = choices.of([b"\r\n", b" \t\r\n", b"\n\n", b"\t\n\r\n"])
    text = choices.bytes(len(data))
    difference = kattext.first_difference(_lines(text), _lines(OURS))
    if difference is not None:
        assert "\n" not in difference["words"] and len(difference["words"]) < 1000
        bits = difference["message_bits"]
        assert difference["record"] >= 1 and (bits is None or bits >= 0)
    plain = text.replace(b"\r", b"")
    dressed = plain.replace(b"\n", end)
    assert kattext.first_difference(_lines(plain), _lines(dressed)) is None
    assert read_text(io.BytesIO(plain)).sha256 == read_text(io.BytesIO(dressed)).sha256
    if text.isascii():  # the digest that an onboarded manifest gets is that of the canonical form
        assert read_text(io.BytesIO(text)).sha256 == canonical_digest(text.decode())
