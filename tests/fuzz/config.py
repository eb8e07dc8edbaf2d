"""Configurations, on the command line or in files: settings with a plan, or one sentence."""

from __future__ import annotations

import re

import yaml

from fuzz.kit import expect_sentence
from ngcc_campaign.campaign import settings
from ngcc_campaign.common.errors import Mistake

DEFAULTS = {"system": "local", "candidates": "default"}
SEEDS = [
    b"trials=3 target_seconds=0.5 budget_seconds=9 precision=0.02 patience=1 kat=full kat_seconds=1",
    b"system=arm_1 candidates=iccs,fips retime=iccs/sm3hash-256 evidence=stored compare=x86_1 unfit_host=allow",
    b"candidates=all catalog=/dev/null,. archives=. cross=aarch64 compiler=gcc-12",
    b"candidates: [iccs, 1, {a: b}]\ntrials: 0x" + b"f" * 4000 + b"\nprecision: .nan\n",
    b'catalog: ["\\0"]\narchives: "\\uD800"\nretime: [[[[]]]]\n1: 2\n? !!binary aa\n: [~, 2026-01-01]\n',
    b"precison=1 system=../local candidates=none budget_seconds=1e400",
]


def target(data: bytes) -> None:
    config = _overrides(data)
    if config is None:
        return
    try:
        told = settings.load(DEFAULTS | config)
    except Mistake as mistake:
        expect_sentence(mistake)
        return
    plan = told.plan
    assert 1 <= plan.trials <= 100 and 0 < plan.target_seconds <= 3600 and 0 < plan.budget_seconds <= 86400
    assert 0.0001 <= plan.precision <= 1 and 1 <= plan.patience <= 1000 and 0 < told.kat_seconds <= 86400
    assert re.fullmatch(r"(--[a-z-]+ \d+(\.\d+)?(e-?\d+)? ?)+", plan.options), plan.options
    assert "\n" not in str(plan) and told.candidates


def _overrides(data: bytes) -> dict | None:
    """What `--config` or a file gives Snakemake, which reads values as YAML; None for what it refuses itself."""
    text = data.decode("utf-8", "replace")
    try:
        if re.match(r"\w+=", text):
            parts = [part.partition("=") for part in text.split(" ")]
            return {key: yaml.safe_load(value) for key, _, value in parts}
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError, AttributeError):  # of PyYAML's own constructors
        return None
    return found if isinstance(found, dict) else None
