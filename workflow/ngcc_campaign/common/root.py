"""Where this clone of the project lies, and what of it stages read."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NATIVE = ROOT / "native"
SCHEMAS = ROOT / "workflow" / "schemas"
TEMPLATES = ROOT / "workflow" / "templates"
