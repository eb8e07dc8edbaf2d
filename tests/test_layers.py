"""The layers of the sandbox, in words: those that were missing by name, and files that differ by number."""

import pytest

from evidence import SANDBOX, Results
from ngcc_campaign.render import layers
from reports import page, section, tables_of

DONE = {"outcome": "FORBIDDEN", "rss": [], "call": []}
EVERY = "no_new_privs, limits, namespaces, landlock 7, seccomp"


def rows(candidate: str, source: str, **files: int) -> list[dict[str, str]]:
    """Rows of environment.csv: files by the layers that they tell, whose names have _ for what is between them."""
    told = {"every": EVERY, "some": "limits, landlock 4", "none": "none"}
    return [
        {"candidate": candidate, "source": source, "fact": "sandbox", "value": told[name], "files": str(count)}
        for name, count in files.items()
    ]


@pytest.mark.parametrize(
    ("sandbox", "told"),
    [
        (SANDBOX, EVERY),
        (SANDBOX | {"landlock": 0, "seccomp": False}, "no_new_privs, limits, namespaces"),
        (dict.fromkeys(SANDBOX, False) | {"mode": "off", "landlock": 0}, "none"),
        ({"mode": "require", "landlock": 3, "limits": True, "namespaces": True}, "limits, namespaces, landlock 3"),
    ],
)
def test_layers_in_force(sandbox, told):
    assert layers.in_force(sandbox) == told


def test_stages_that_had_the_same_layers_stand_together():
    environment = [*rows("a", "kat", every=1), *rows("a", "record", every=8), *rows("b", "record", none=8)]
    assert layers.line(environment, ["a"]) == f"verifying, timing: {EVERY}"


def test_missing_layers_are_named_and_differing_files_counted():
    environment = [*rows("a", "build", some=1), *rows("a", "record", every=6, none=2), *rows("b", "record", none=1)]
    missing = "missing: no_new_privs, limits, namespaces, landlock, seccomp"
    assert layers.line(environment, ["a", "b"]) == (
        f"compiling: limits, landlock 4 (missing: namespaces); timing: mixed: {EVERY} in 6 files;"
        f" none ({missing}) in 3 files"
    )


def test_nothing_is_said_where_nothing_is_known():
    assert layers.line(rows("b", "record", every=1), ["a"]) == ""


def test_pages_show_them(tmp_path):
    results = Results(tmp_path).complete("iccs", {"a": 256, "b": 256}).own()
    unconfined = {"mode": "best", "landlock": 0, "limits": True, "namespaces": False}
    for name in ("a", "b"):
        results.change(f"build/iccs/{name}/build.json", lambda told: told.update(sandbox=unconfined))
    results.change("memory/iccs/b.json", lambda told: told["sandbox"].update(seccomp=False))
    results.change("kat/iccs/b.json", lambda told: told.update(sandbox=None))
    without = EVERY.removesuffix(", seccomp")
    told = (
        f"compiling: limits (missing: namespaces, landlock); verifying, timing: {EVERY};"
        f" measuring memory: mixed: {without} (missing: seccomp) in 1 file; {EVERY} in 1 file"
    )
    for rows in tables_of(section(page(results), "2.")):
        assert ["sandbox", told] in rows
    assert f"Layers in force in this campaign: {told}." in page(results, "method")


def test_a_forbidden_call_is_a_verdict_and_a_status_like_others(tmp_path):
    results = Results(tmp_path).complete("iccs", {"a": 256, "b": 256}).own()
    reason = "called socket, which is forbidden"
    results.instance("iccs", "a", 256, "FORBIDDEN", reason=reason, timed_reason=f"KAT verdict FORBIDDEN: {reason}")
    results.change("memory/iccs/b.json", lambda told: told["operations"][0].update(DONE | {"reason": reason}))
    shown = page(results)
    assert f"- a: FORBIDDEN: {reason}." in shown
    assert f"No figure for a: FORBIDDEN: {reason}." in shown
    assert f"No figure for b hash_32: FORBIDDEN: {reason}." in shown
    assert f"| FORBIDDEN: {reason}" in page(results, "index")
