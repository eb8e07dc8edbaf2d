"""A submission of a few files, built as the workflow builds it."""

from __future__ import annotations

import json
from pathlib import Path

from ngcc_campaign.build.build import build
from ngcc_campaign.campaign.catalog import Instance


def built(
    folder: Path,
    files: dict[str, str],
    fetched: dict | None = None,
    compiler: str = "gcc",
    sandbox: str = "best",
    **changes,
) -> dict:
    """Build instance X-8 of candidate c from `files`, by name and text, below `folder`; what build.json then says."""
    root = folder / "tree"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    fetch = {"outcome": "FETCHED", "reason": "", "retry": False, "archive": {"kind": "directory"}, "files": []}
    (folder / "fetch.json").write_text(json.dumps(fetch | (fetched or {})))
    instance = Instance("c", "X-8", 8, **({"directory": "X-8"} | changes))
    output = folder / "results" / "build" / "c" / "X-8" / "build.json"
    document = build(
        instance, sources=root, fetched=folder / "fetch.json", compiler_command=compiler, output=output,
        made_from={"sources": "s"}, sandbox=sandbox,
    )  # fmt: skip
    assert json.loads(output.read_text()) == document
    for variant in document["variants"]:
        assert variant["built"] == (variant["library"] is not None)
        assert not variant["built"] or (folder / "results" / variant["library"]).is_file()
    assert not list(output.parents[1].glob(".*")), "nothing half-made is left"
    return document
