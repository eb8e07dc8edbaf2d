"""KAT manifests: a digest by the name of each text, or one sentence; what is printed is read back."""

from __future__ import annotations

import re

from fuzz.kit import expect_sentence, folder
from ngcc_campaign.common.errors import Mistake
from ngcc_campaign.verify import manifest

DIGEST = "0123456789abcdef" * 4
SEEDS = [
    f"{DIGEST} strict X/KAT_2_12_X-8.txt\n{DIGEST.upper()}  *KAT_2_23_X-8.txt\r\n\r\n".encode(),
    f"\ufeff{DIGEST}\tstrict  a b\\KAT_Loop_X.txt".encode(),
    f"{DIGEST} strict KAT_2_12_X-8.txt\n{'1' * 64} strict KAT_2_12_X-8.txt\n".encode(),
]


def target(data: bytes) -> None:
    with folder() as place:
        file = place / "x.sha256"
        file.write_bytes(data)
        try:
            digests = manifest.read_manifest.__wrapped__(file)
        except Mistake as mistake:
            assert expect_sentence(mistake).startswith(f"{file}: ")
            return
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests.values())
        assert not any(re.search(r"[/\\\r\n]", name) or name != name.rstrip() for name in digests)
        file.write_text("".join(f"{digest} strict x/{name}\n" for name, digest in digests.items()), encoding="utf-8")
        assert manifest.read_manifest.__wrapped__(file) == digests
