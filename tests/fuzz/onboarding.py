"""Submissions that nobody has described: a draft that loads, or one sentence; nothing of them is unpacked."""

from __future__ import annotations

import os

from archives import HEADER, SOURCE, Member, make_zip
from fuzz.archive import made
from fuzz.kat_text import OURS
from fuzz.kit import Choices, expect_sentence, folder
from ngcc_campaign.campaign.catalog import load_candidate
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.onboard.onboard import onboard

_NAMES = (
    b"x/CryptHash.c", b"x/CryptHash_X.h", b"x/KAT_2_12_toy-512.txt", b"lib/a.c", b"lib/a.h", b"Makefile", b"ref/x.c",
)  # fmt: skip


def _seed(**files: bytes) -> bytes:
    """The choices that lead to these contents, by the last parts of the names."""
    words = [name.rpartition(b"/")[2].split(b".")[0].decode().replace("-", "_") for name in _NAMES]
    return b"\1" + b"".join(bytes([words.index(name), len(text)]) + text + b"\0" for name, text in files.items())


SEEDS = [
    b"\0" + bytes(range(60)),
    _seed(CryptHash=b'#include "a.h"\nint CryptHash(int a) { return f(a); }\n', a=b"int f(int a) { return 1; }\n"),
    _seed(CryptHash=b"#if defined(A) && (B > 0x10 || !C)\n#define F(x)\n#elif -1\n#else\n#include <x>\n#endif\n"),
    _seed(CryptHash=b"#if " + b"(" * 150 + b"!" * 50),
    _seed(CryptHash_X=b"#define DIGEST_BIT_LENGTH 8 * 8\n", KAT_2_12_toy_512=b"Dst_Len = 64\n"),
    _seed(Makefile=b"gcc -DTOY=\x1b[2J\xc2\x85\xed\xa0\x80\n", CryptHash=b"#ifdef TOY\nint x;\n#endif\n"),
]  # fmt: skip


def target(data: bytes) -> None:
    choices = Choices(data)
    with folder() as place:
        (place / "toy.zip").write_bytes(_sources(choices) if choices.number(1) else made(choices))
        try:
            draft = onboard(place / "toy.zip", None, place / "drafts")
        except Mistake as mistake:
            expect_sentence(mistake)
            assert os.listdir(place) == ["toy.zip"]
        else:
            assert load_candidate(draft.candidate).instances
            assert all(len(told) < 3000 and "\n" not in told for told in (*draft.notes, *draft.decisions))
        assert set(os.listdir(place)) <= {"toy.zip", "drafts"}


def _sources(choices: Choices) -> bytes:
    """A submission whose files' contents are whatever they are."""
    members = {_NAMES[0]: SOURCE, _NAMES[1]: HEADER, _NAMES[2]: OURS}
    while choices.left:
        members[choices.of(_NAMES)] = choices.piece() + choices.piece()
    return make_zip([Member(name, content) for name, content in members.items()])
