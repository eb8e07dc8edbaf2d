"""Fuzz targets: a module each, with `target(data)`, which raises where a property does not hold, and SEEDS.

README.md says what runs them. NAMES are those of the targets in Python; those in C lie in the folder native.
"""

NAMES = (
    "archive", "bundle", "candidate", "config", "digests", "document", "elf", "evidence", "header", "includes",
    "json_field", "kat_text", "manifest", "onboarding",
)  # fmt: skip
