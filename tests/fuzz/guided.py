"""Runs one Python target under atheris: `python -m fuzz.guided NAME [libFuzzer's options and folders]`, in tests/."""

from __future__ import annotations

import importlib
import logging
import sys

import atheris

# What is parsed with, besides our own: its branches guide as well.
PARSERS = ["ngcc_campaign", "zipfile", "json", "yaml", "csv", "elftools"]


def main(name: str, *options: str) -> None:
    logging.disable()
    with atheris.instrument_imports(include=PARSERS, enable_loader_override=False):
        target = importlib.import_module(f"fuzz.{name}").target
    atheris.Setup(["fuzz", *options], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
