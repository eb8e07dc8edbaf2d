"""The modules of native/lib as one shared library for ctypes, built once."""

from __future__ import annotations

import atexit
import ctypes
import subprocess
import tempfile
from functools import cache
from pathlib import Path

LIB = Path(__file__).parents[2] / "native" / "lib"


@cache
def modules() -> ctypes.CDLL:
    """Functions of native/lib by their names."""
    place = tempfile.TemporaryDirectory(prefix="ngcc-fuzz-native-")
    atexit.register(place.cleanup)
    library = Path(place.name) / "libmodules.so"
    options = ["-shared", "-fPIC", "-O1", "-std=gnu11", "-D_GNU_SOURCE", '-DNGCC_VERSION="fuzz"']
    sources = [LIB / f"{name}.c" for name in ("file", "json", "json_field", "sha256", "sm3", "drng")]
    subprocess.run(["gcc", *options, *sources, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))
