"""The bundled instances: which function each computes, and where it lies in its submission."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from .helpers import pseudo_xof, pseudohash
from .kat import HashFunction
from .keccak import sha3_512
from .sha2 import sha512
from .sm3 import sm3

FIPS_FOLDER = "Implementations/Référence Implementation"


@dataclass(frozen=True)
class Instance:
    candidate: str
    name: str
    digest_bits: int
    directory: str
    function: HashFunction


INSTANCES = (
    Instance("iccs", "sm3hash-256", 256, "sm3hash-256", sm3),
    *(
        Instance("iccs", f"{name}-{width}", width, f"{name}-{width}", partial(function, width))
        for name, function in (("pseudoXOF", pseudo_xof), ("pseudohash", pseudohash))
        for width in (512, 768, 1024)
    ),
    Instance("fips", "SHA-512", 512, f"{FIPS_FOLDER}/SHA-512", sha512),
    Instance("fips", "SHA3-512", 512, f"{FIPS_FOLDER}/SHA3-512", sha3_512),
)
# pseudoXOF at every width that a campaign may have: a candidate file of its own, built from the sources of iccs.
YARDSTICK = tuple(
    Instance("yardstick", f"pseudoXOF-{width}", width, f"pseudoXOF-{width}", partial(pseudo_xof, width))
    for width in (256, 512, 768, 1024, 1152, 1280)
)
ALL = (*INSTANCES, *YARDSTICK)
CANDIDATES = ("iccs", "fips", "yardstick")
