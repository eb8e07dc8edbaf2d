"""Which files of a submission an instance needs: only such as are there, and all that they include, in bounded time."""

from __future__ import annotations

from fuzz.kit import Choices, expect_sentence
from ngcc_campaign.campaign.catalog import Instance
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.fetch import includes

SEEDS = [
    b'\x05d/a.c\x18#include "../lib/x.h"\r\n\x07lib/x.h\x12#include <./y.h>\n\x07lib/y.h\x13# include "../d/a.c"',
    b'\x05d/a.c\x40#include "' + b"../" * 15 + b'd/a.c"',
]
_INSTANCE = Instance("x", "X-8", 8, "d", include_dirs=("../lib", "."))


def target(data: bytes) -> None:
    choices, files, asked = Choices(data), {"d/main_source.c": b""}, []
    while choices.left:
        files[choices.piece(40).decode("utf-8", "replace")] = choices.piece()

    def included(name: str) -> list[str]:
        asked.append(name)
        return includes.included_names(files[name])

    try:
        needed = includes.needed_files(_INSTANCE, list(files), included)
    except Mistake as mistake:  # main_source.c is left out, as a program
        assert "holds no source to build" in expect_sentence(mistake)
        return
    assert set(needed) <= files.keys() and needed == sorted(asked) and len(set(asked)) == len(asked)
    for name in needed:
        for one in includes.included_names(files[name]):
            found = includes.look_for(one, name, ["d", "lib", "d"], files)
            assert found is None or found in needed
