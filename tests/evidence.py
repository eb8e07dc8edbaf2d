"""A synthetic results folder: evidence as the stages write it, with figures that a test can foretell."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from ngcc_campaign.campaign.catalog import MESSAGE_BYTES
from ngcc_campaign.common.files import sha256_file
from ngcc_campaign.common.schemas import expected_version
from ngcc_campaign.measure import consistency, disturbance, stopping
from ngcc_campaign.measure.own import CANDIDATE, OWN

STARTED, ENDED, LASTED_NS = "2026-11-30T13:16:29Z", "2026-11-30T13:17:29Z", 60_000_000_000
SANDBOX = {
    "mode": "best", "no_new_privs": True, "limits": True, "namespaces": True, "landlock": 7, "seccomp": True,
}  # fmt: skip
FACTS = {
    "architecture": "x86_64", "cpus_allowed": "0-1", "cpus_online": "0-1", "cpus_performance": None,
    "cpus_isolated": "", "cpu": 1, "cpu_model": "Example CPU @ 2.80GHz", "core_type": None, "machine": None,
    "virtual": None, "memory_mib": 24000, "os": "Debian GNU/Linux 12 (bookworm)", "kernel": "6.1.0-1-amd64",
    "governor": None, "frequency_driver": None, "scaling_min_khz": None, "scaling_max_khz": None,
    "cpuinfo_max_khz": None, "boost": None, "smt": None, "smt_siblings": None, "perf_event_paranoid": 2,
    "cycle_counter": None, "microcode": None, "mitigations": None, "clock_source": "tsc",
}  # fmt: skip
# What differs where the host is a named system, in its state.
OF_SYSTEM = {
    "arm_1": {
        "architecture": "aarch64", "cpus_allowed": "0-11", "cpus_online": "0-11", "cpu": 2,
        "cpu_model": "Qualcomm Oryon", "machine": "ASUS Vivobook S 15", "governor": "performance",
        "frequency_driver": "scmi", "scaling_min_khz": 2707200, "scaling_max_khz": 2707200, "boost": "off",
        "smt": "notsupported", "cycle_counter": "armv8_pmuv3",
    },
}  # fmt: skip
UNFIT = [{"fact": "virtual machine", "expected": "none", "found": "KVM", "advice": "measure on a real machine"}]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def digest(bits: int) -> str:
    """What every function made up here answers."""
    return "AB" * (bits // 8)


def head(schema: str) -> dict:
    return {"schema": f"ngcc-perf/{schema}", "version": expected_version(schema), "made_from": {}}


class Results:
    """Writes evidence below `folder`, one method a stage; `change` alters what was written."""

    def __init__(self, folder: Path, system: str = "local", unfit: list | None = None, **facts: object) -> None:
        self.folder = folder
        self.facts = FACTS | OF_SYSTEM.get(system, {}) | facts
        host = {"system": system, "description": "a machine made up", "created_utc": STARTED}
        self._write("host.json", head("host") | host | {"facts": self.facts, "unfit": unfit or []})

    def complete(self, candidate: str, instances: dict[str, int], **told: object) -> Results:
        """All evidence of a candidate: instance names by digest width; one call takes 100 ns + 10 ns a byte."""
        self.fetch(candidate, instances, **told)
        for instance in instances:
            self.instance(candidate, instance, instances[instance])
            for size in MESSAGE_BYTES:
                self.record(candidate, instance, size, instances[instance])
            self.memory(candidate, instance, instances[instance])
        return self

    def fetch(self, candidate: str, instances: dict[str, int], outcome="FETCHED", reason="", **told: object) -> None:
        named = [{"name": name, "digest_bits": bits} for name, bits in instances.items()]
        about = {
            "id": candidate, "category": "hash", "function": "cryptographic hash function", "algorithm": "Example",
            "version": "reference implementation", "submission_page": None, "security_evaluation": None,
        }  # fmt: skip
        archive = {"kind": "directory", "name": candidate, "url": None, "bytes": None}
        document = {
            "retry": False, "outcome": outcome, "reason": reason, "candidate": about | told | {"instances": named},
            "archive": archive | {"sha256": None, "expected_sha256": None},
            "started_utc": STARTED, "ended_utc": ENDED, "files": [],
        }  # fmt: skip
        self._write(f"fetch/{candidate}.json", head("fetch") | document)

    def instance(self, candidate: str, name: str, digest_bits: int, verdict: str = "PASS", **kat: object) -> None:
        """build.json and the KAT verdict; `kat` overrides members of the latter."""
        folder = f"build/{candidate}/{name}"
        library = f"{folder}/guide/lib{name}.so"
        variant = {
            "flags": "guide", "options": ["-std=c99", "-O2"], "built": True, "reason": "", "commands": ["gcc …"],
            "warnings": 3, "log": f"{folder}/guide.log", "library": library, "library_sha256": sha256(library),
            "libc_names": [],
        }  # fmt: skip
        names = {"candidate": candidate, "instance": name, "digest_bits": digest_bits}
        build = {"compiler": "gcc (Debian 12.2.0-14) 12.2.0", "cmake": "cmake version 3.31.6", "sources": []}
        build |= {"sandbox": {"mode": "best", "landlock": 7, "limits": True, "namespaces": True}}
        build |= {"started_utc": STARTED, "ended_utc": ENDED, "variants": [variant], "retry": False, "reason": ""}
        self._write(f"{folder}/build.json", head("build") | names | build)
        log = f"kat/{candidate}/{name}.log"
        self._write_text(log, f"{name}\n")
        passed = verdict == "PASS"
        reason = "" if passed else f"{name} gave the reason"
        file = {"file": f"KAT_2_12_{name}.txt", "records": 4097, "sha256": sha256(name)}
        file |= {"expected_sha256": sha256(name), "verdict": verdict, "reason": reason, "first_difference": None}
        file |= {"command": ["bin/ngcc_kat"]}
        if verdict == "NOKAT":
            file |= {"expected_sha256": None, "verdict": "NOT_SUPPLIED"}
        messages = [
            {"message_bytes": size, "outcome": "DONE", "digest": digest(digest_bits), "reason": ""}
            for size in MESSAGE_BYTES
        ]
        document = names | {
            "retry": False, "verdict": verdict, "reason": reason, "flags": "guide", "library": library,
            "library_sha256": sha256(library), "timed": passed, "timed_reason": reason, "kat_exception": None,
            "level": "quick", "sandbox": SANDBOX, "manifest_sha256": sha256("manifest"),
            "files": [] if verdict == "BUILDFAIL" else [file], "messages": messages if kat.get("timed", passed) else [],
            "attempts": [{"flags": "guide", "verdict": verdict, "reason": reason}],
            "started_utc": "2026-01-01T00:00:00Z", "ended_utc": "2026-01-01T00:00:01Z",
            "log": log, "log_sha256": sha256_file(self.folder / log),
        }  # fmt: skip
        self._write(f"kat/{candidate}/{name}.json", head("kat") | document | kat)

    def record(self, candidate: str, name: str, size: int, digest_bits: int = 256, **shape: object) -> None:
        library = f"build/{candidate}/{name}/guide/lib{name}.so"
        document = record(candidate, name, size, digest_bits, library, **shape)
        self._write(f"records/{candidate}/{name}__hash_{size}.json", document)

    def own(self, empty_ns: float = 2.0) -> Results:
        """The records that are nobody's; the control and its two names take 1 µs."""
        for name, own in OWN.items():
            ns = empty_ns if name == "empty_call" else 1000.0
            document = record(CANDIDATE, name, own.message_bytes, own.digest_bits, f"bin/{own.library}", ns=ns)
            self._write(f"records/{name}.json", document)
        return self

    def memory(self, candidate: str, name: str, digest_bits: int = 256, leak: int = 0) -> None:
        library = f"build/{candidate}/{name}/guide/lib{name}.so"
        operations = []
        for size in MESSAGE_BYTES:
            rss = [{"calls": 8, "baseline_kib": base, "peak_kib": base + 64} for base in (1400, 3444, 1404)]
            live = [300 + leak * call for call in range(8)]
            call = {"stack_bytes": 1024, "heap_peak_bytes": 300, "heap_live_bytes": live}
            operation = {"operation": f"hash_{size}", "message_bytes": size, "outcome": "DONE", "reason": ""}
            operations.append(operation | {"rss": rss, "call": [call, call]})
        elf = {"load_bytes": 32180, "text_bytes": 9000, "rodata_bytes": 2048, "data_bytes": 16, "bss_bytes": 8}
        document = {
            "retry": False, "status": "MEASURED", "reason": "", "candidate": candidate, "instance": name,
            "digest_bits": digest_bits, "library": library, "library_sha256": sha256(library),
            "command": ["bin/ngcc_memory"], "started_utc": STARTED, "ended_utc": ENDED, "elf": elf,
            "sandbox": SANDBOX,
            "operations": operations,
        }  # fmt: skip
        self._write(f"memory/{candidate}/{name}.json", head("memory") | document)

    def change(self, name: str, alter: Callable[[dict], object], settled: bool = False) -> None:
        """Alter a written document in place and write it again; a record may be settled after that."""
        document = json.loads((self.folder / name).read_text())
        alter(document)
        self._write(name, settle(document) if settled else document)

    def _write(self, name: str, document: dict) -> None:
        self._write_text(name, json.dumps(document, indent=2) + "\n")

    def _write_text(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


CANARY_NS = 200_000
_COUNTS = ("voluntary_switches", "involuntary_switches", "minor_faults", "major_faults")


def record(
    candidate: str, instance: str, size: int, digest_bits: int, library: str,
    ns: float | None = None, source: str = "core_clock_estimate", ghz: float = 2.5, trials: int = 5, cpu: int = 1,
    factors: Sequence[float] = (),
) -> dict:  # fmt: skip
    """A measured record of 2 batches of 1000 calls a trial, each call `ns` long (default 100 + 10 a byte).

    `factors` make the trials as many times longer, one each.
    """
    call_ns = 100 + 10 * size if ns is None else ns
    files = {
        "driver_sha256": sha256("driver"), "library": library, "library_sha256": sha256(library),
        "verdict": f"kat/{candidate}/{instance}.json", "verdict_sha256": sha256("verdict"),
        "host": "host.json", "host_sha256": sha256("host"),
    }  # fmt: skip
    environment = {
        "kernel": "Linux 6.1.0-1-amd64", "architecture": "x86_64", "cpu_asked": cpu, "cpus_allowed": "0-1",
        "load_average": [0.5, 0.4, 0.3], "clock": "CLOCK_MONOTONIC_RAW", "clock_resolution_ns": 1, "page_bytes": 4096,
    }  # fmt: skip
    plan = {
        "trials": trials, "target_ns": 100000000, "budget_ns": 900000000000, "precision": 0.01, "patience": 10,
        "clock_hz": None, "warmup_calls": 3, "calls_per_batch": 1000, "batches_per_trial": 2,
    }  # fmt: skip
    factors = [*factors, *[1.0] * (trials - len(factors))]
    return settle(head("record") | {
        "status": "MEASURED", "reason": "", "retry": False, "candidate": candidate, "instance": instance,
        "operation": f"hash_{size}", "digest_bits": digest_bits, "message_bytes": size,
        "command": ["bin/ngcc_perf"], "started_utc": STARTED, "ended_utc": ENDED, "lasted_ns": LASTED_NS,
        "files": files, "environment": environment, "sandbox": SANDBOX,
        "input": {"rule": "bytes of the generator", "sha256": sha256(f"input {size}")},
        "digest": {"value": digest(digest_bits), "same": True}, "plan": plan, "calibration": _calibration(call_ns),
        "canary": {
            "additions": 1572864, "reference_ns": CANARY_NS, "seen_ns": CANARY_NS, "tolerance": 0.03,
        },
        "cycle_source": source, "cycle_source_reason": "" if source == "perf_event" else "perf_event_open: ENOENT",
        "reference_clock": "tsc", "stopped": None,
        "trials": [
            _trial(number, digest(digest_bits), [round(1000 * factor * call_ns)] * 2, source, ghz, cpu)
            for number, factor in enumerate(factors)
        ],
    })  # fmt: skip


def _calibration(call_ns: float) -> dict:
    half = {"plain_calls": 64, "plain_ns": round(64 * call_ns)}
    repeats = half | {"alternating_calls": 64, "alternating_ns": round(65 * call_ns), "tries": 3}
    return {"calls": 64, "elapsed_ns": 64 * 1000, "repeats": repeats, "repeats_reason": ""}


def _trial(number: int, value: str, elapsed: Sequence[int], source: str, ghz: float, cpu: int) -> dict:
    chain = {"additions": 65000, "before_ns": round(65000 / ghz), "after_ns": round(65000 / ghz)}
    quiet = dict.fromkeys(_COUNTS, 0)
    return quiet | {
        "trial": number, "calls": 0, "elapsed_ns": 0, "cycles": None, "reference_ticks": None,
        "layout": consistency.layout(number),
        "isolation": {"memory_locked": True, "realtime": False, "counter_pinned": False},
        "process": dict.fromkeys(("wall_ns", "reference_ticks", "cpu_ns", "untimed_ns"), 0) | {
            "peak_rss_kib": 2048, "ready_cpu_ns": 900_000,
        },
        "cpu_before": cpu, "cpu_after": cpu, "core_clock": chain if source == "core_clock_estimate" else None,
        "frequency_khz": None, "digest": value, "digest_same": True,
        "canaries_ns": [CANARY_NS] * (len(elapsed) + 1),
        "batches": [
            quiet | {
                "calls": 1000, "elapsed_ns": time, "cpu_ns": time, "reference_ticks": 3 * time, "cpu": cpu,
                "disturbed": "", "cycles": round(time * ghz) if source == "perf_event" else None,
                "enabled_ns": time if source == "perf_event" else None,
                "running_ns": time if source == "perf_event" else None,
            }
            for time in elapsed
        ],
    }  # fmt: skip


def _settle_process(trial: dict) -> None:
    """What a process used that did what the trial tells, and 0.4 ms more."""
    process, canaries = trial["process"], sum(trial["canaries_ns"])
    timed = sum(min(batch["elapsed_ns"], batch["cpu_ns"]) for batch in trial["batches"])
    process["untimed_ns"] = 300_000 + canaries
    process["wall_ns"] = trial["elapsed_ns"] + canaries + 3_000_000
    process["reference_ticks"] = 3 * process["wall_ns"]
    process["cpu_ns"] = process["ready_cpu_ns"] + process["untimed_ns"] + timed + 400_000


def crowd(record: dict) -> None:
    """A neighbour has a share in every batch, so that the row is marked few."""
    for trial in record["trials"]:
        trial["canaries_ns"] = [2 * canary for canary in trial["canaries_ns"]]


def settle(record: dict) -> dict:
    """Make everything in a record follow from its batches' times and counts, as the driver would have written it."""
    for trial in record["trials"]:
        for batch in trial["batches"]:  # no two trials of a driver have all readings in common
            batch["reference_ticks"] = 3 * batch["elapsed_ns"] + trial["trial"]
        for key in consistency.SUMS:
            parts = [batch[key] for batch in trial["batches"]]
            trial[key] = None if None in parts else sum(parts)
        _settle_process(trial)
    judged = disturbance.words(record, disturbance.own_canary(record))
    for trial, words in zip(record["trials"], judged, strict=True):
        for batch, disturbed in zip(trial["batches"], words, strict=True):
            batch["disturbed"] = disturbed
    words = (word for word in ("precision", "budget") if not stopping.contradiction(record | {"stopped": word}, 60))
    record["stopped"] = next(words, "trials")
    return record
