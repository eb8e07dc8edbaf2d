"""Records of our own libraries, which tell of the machine and not of a candidate.

The empty call is what calling costs by itself. The control is one function, timed at the campaign's start, middle and
end: what changed meanwhile changed for everybody. And the same function as if it were two, A and B: no difference
finer than theirs is one.
"""

from __future__ import annotations

from dataclasses import dataclass

CANDIDATE = "ngcc-perf"
CONTROL_BYTES = 1024
SAME_BYTES = (32, 1024, 65536)


@dataclass(frozen=True)
class Own:
    """One of our own records, `records/<name>.json`; its library lies in bin/."""

    name: str
    library: str
    message_bytes: int

    @property
    def digest_bits(self) -> int:
        return 256

    @property
    def asked(self) -> dict:
        """What the record is asked to be about, by its own keys."""
        return {
            "candidate": CANDIDATE,
            "instance": self.name,
            "operation": f"hash_{self.message_bytes}",
            "message_bytes": self.message_bytes,
            "digest_bits": self.digest_bits,
        }

    @property
    def options(self) -> str:
        """What is timed, as options of ngcc_perf."""
        return (
            f"--library bin/{self.library} --digest-bits {self.digest_bits} --bytes {self.message_bytes}"
            f" --candidate {CANDIDATE} --instance {self.name}"
        )


EMPTY_CALL = Own("empty_call", "libempty.so", 32)
CONTROLS = tuple(Own(f"control_{moment}", "libcontrol.so", CONTROL_BYTES) for moment in ("start", "middle", "end"))
SAME = tuple(tuple(Own(f"same_{letter}_{size}", "libcontrol.so", size) for letter in ("a", "b")) for size in SAME_BYTES)
OWN = {one.name: one for one in (EMPTY_CALL, *CONTROLS, *(one for pair in SAME for one in pair))}
