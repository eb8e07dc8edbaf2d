"""Headers of instances: macros, whatever the text's encoding, line ends and comments."""

from __future__ import annotations

from fuzz.kit import expect_sentence
from ngcc_campaign.campaign.catalog import Instance
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch import fetch, header

SEEDS = [
    b'#ifndef A\n#define ALGORITHM_INSTANCE "toy-512"\n#define DIGEST_BIT_LENGTH 512 // bits\n#endif\n',
    b"#define DIGEST_BIT_LENGTH \\\r\n (0x200u) /* \xb3\xa4\xb6\xc8 */\r\n#define URL \"a/*\" '\\''\n",
    b"#define DIGEST_BIT_LENGTH 0x" + b"f" * 4000,
]
_INSTANCE = Instance("x", "X-8", 8, "d")


def target(data: bytes) -> None:
    macros = header.macros(data)
    text = header.without_comments(header.plain_text(data))
    assert text.count("\n") == header.plain_text(data).count("\n")
    assert header.without_comments(text).count("\n") == text.count("\n")
    for name, value in macros.items():
        assert name == name.strip() and (value is None or value == value.strip() and "\n" not in value)
        number, string = header.number(value), header.string(value)
        assert number is None or number >= 0
        assert string is None or string in value
    try:
        fetch._check_width(_INSTANCE, "d", [macros], ["d/CryptHash_X.h"], "x.yaml")
    except Mistake as mistake:
        assert "DIGEST_BIT_LENGTH" in expect_sentence(mistake)
