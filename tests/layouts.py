"""Archives in the layouts of five real submissions, around the bundled functions.

Folder names, file names and digest widths are those of resources/candidates/hash-*.yaml, so that these candidate files
are tested as they stand; what each instance computes is pseudoXOF or pseudohash, whose digests come from tests/model.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import yaml

from archives import Member, make_zip
from ngcc_campaign.build.build import build
from ngcc_campaign.campaign.catalog import Candidate, Instance, load_candidate
from ngcc_campaign.fetch.fetch import fetch
from ngcc_campaign.verify.verify import verify

ROOT = Path(__file__).resolve().parents[1]
RESOURCES = ROOT / "resources"
COMMON = RESOURCES / "bundled" / "iccs" / "common"
LAYOUTS = ("hash-02", "hash-04", "hash-07", "hash-30", "hash-34")
ARCHIVES = dict(zip(LAYOUTS, ("AXIS.zip", "CHAMP.zip", "Dragon.zip", "ZC-DM.zip", "WChain.zip"), strict=True))
KATS = ("KAT_2_12", "KAT_2_23")

ARGUMENTS = "int bits, const unsigned char *msg, unsigned long long msg_bits, unsigned char *digest"
CALL = "(digest_len_bits, msg, msg_len_bits, digest)"
CRYPTHASH = (
    "int CryptHash(int digest_len_bits, const unsigned char *msg, unsigned long long msg_len_bits,"
    " unsigned char *digest)\n"
)
INCLUDE = '#include "CryptHash_AlgorithmInstance.h"\n'
NEVER = "#error never compiled\n"
# A member that says it holds 4 GB, and holds nothing: whoever reads or unpacks it fails.
HUGE = {"size": 0xFFFFFFF0, "data": b""}

# Gives the KAT texts of a function ("pseudoXOF-512"): content by prefix.
Texts = Callable[[str], dict[str, bytes]]


def real(candidate: str) -> Candidate:
    return load_candidate(RESOURCES / "candidates" / f"{candidate}.yaml")


def function(instance: Instance) -> str:
    """What an instance computes here: two kinds, so that instances of one width differ."""
    kind = "pseudoXOF" if re.search(r"XOF|CHAMP|1536|V2", instance.name) else "pseudohash"
    return f"{kind}-{instance.digest_bits}"


def manifest(candidate: str) -> str:
    """The manifest of a candidate whose instances compute what they compute here."""
    digests = {}
    for file in ("iccs", "yardstick"):
        for line in (RESOURCES / "kat" / f"{file}.sha256").read_text(encoding="utf-8").splitlines():
            digests[line.rpartition("/")[2]] = line.partition(" ")[0]
    return "".join(
        f"{digests[f'{kat}_{function(instance)}.txt']} strict {instance.name}/{kat}_{instance.name}.txt\n"
        for instance in real(candidate).instances
        for kat in KATS
    )


def catalog_file(candidate: str, folder: Path, **archive: object) -> Path:
    """The real candidate file, in `folder`, with another archive and the manifest for it; nothing else is edited."""
    document = yaml.safe_load(real(candidate).file.read_text(encoding="utf-8"))
    (folder / f"{candidate}.sha256").write_text(manifest(candidate), encoding="utf-8")
    file = folder / f"{candidate}.yaml"
    changes = {"archive": archive, "kat": f"{candidate}.sha256"}
    file.write_text(yaml.safe_dump(document | changes, allow_unicode=True), encoding="utf-8")
    return file


def archive(candidate: str, texts: Texts | None = None) -> bytes:
    """A ZIP in a candidate's layout; without `texts` the KAT texts in it hold nothing."""
    files: dict[str, str | bytes] = {}
    for instance in real(candidate).instances:
        made = MAKERS[candidate](instance)
        files |= {f"{instance.directory}/{name}": content for name, content in made.items()}
        for prefix, content in (texts(function(instance)) if texts else dict.fromkeys(KATS, b"\n")).items():
            if candidate == "hash-04":
                content = content.replace(b"\n", b" \r\n")
            files[KAT_FOLDERS[candidate].format(instance) + f"/{prefix}_{instance.name}.txt"] = content
    top = ARCHIVES[candidate].removesuffix(".zip")
    files |= AROUND.get(candidate, {})
    files[f"__MACOSX/{top}/._CryptHash_AlgorithmInstance.h"] = b"\0\5\26\7"
    members = [Member(name.encode(), _bytes(content)) for name, content in files.items()]
    members += [
        Member(f"{top}/Supporting_Documentation/{top} specification.pdf".encode(), bytes(3_000_000)),
        Member(f"{top}/Test_Vectors/all intermediate values.txt".encode(), **HUGE),
        Member(f"{top}/Test_Vectors/".encode(), mode=0o040755, method=0),
    ]
    return make_zip(members)


def _header(instance: Instance, macros: str | None = None, more: str = "") -> str:
    name = f'#define ALGORITHM_INSTANCE "{instance.name}"\n'
    macros = macros or f"{name}#define DIGEST_BIT_LENGTH {instance.digest_bits}\n"
    return f"#ifndef _INSTANCE_H_\n#define _INSTANCE_H_\n{macros}#define OUTPUT_BLANK_TEST_VECTORS 0\n{more}#endif"


@cache
def _body(kind: str, name: str) -> str:
    """One file with all of a function, called `name`."""
    parts = [(COMMON / file).read_text() for file in ("sm3.h", "sm3.c", f"{kind}.h", f"{kind}.c")]
    text = re.sub(r'#include "[^"]*"\n', "", "\n".join(parts))
    return f"{text}\nint {name}({ARGUMENTS})\n{{\n    return {kind}(bits, msg, msg_bits, digest);\n}}\n"


def _kind(instance: Instance) -> str:
    return function(instance).partition("-")[0]


def _programs() -> dict[str, str]:
    """What ships beside the function."""
    return {
        "KAT_CryptHash.c": f'#include "drng.h"\n{NEVER}int main(void) {{ return 0; }}\n',
        "drng.c": '#include "drng.h"\nint drng(void) { return 1; }\n',
        "drng.h": "int drng(void);\n",
        "Makefile": "all:\n\tgcc -O3 -DNDEBUG KAT_CryptHash.c\n",
    }


def _axis(instance: Instance) -> dict[str, str]:
    """Two sources; comments behind macros, CRLF, no newline at the end of the header."""
    macros = (
        f'#define ALGORITHM_INSTANCE "{instance.name}" // the name\n'
        f"#define DIGEST_BIT_LENGTH   {instance.digest_bits} /* bits,\n not bytes */\n"
    )
    source = f'{INCLUDE}#include "axis_core.h"\n{CRYPTHASH}{{\n    return axis{CALL};\n}}'
    return _programs() | {
        "CryptHash_AlgorithmInstance.h": _header(instance, macros).replace("\n", "\r\n"),
        "CryptHash_AlgorithmInstance.c": source.replace("\n", "\r\n"),
        "axis_core.c": f'#include "axis_core.h"\n{_body(_kind(instance), "axis")}',
        "axis_core.h": f"#ifndef AXIS_CORE_H\n#define AXIS_CORE_H\nint axis({ARGUMENTS});\n#endif\n",
        "axis_test.c": NEVER,
        "axis_core.o": "\x7fELF",
    }


def _champ(instance: Instance) -> dict[str, str]:
    """One source, a table with an odd suffix, a header with a name of its own, comments in Chinese (GBK)."""
    source = _body(_kind(instance), "champ")
    table = re.search(r"static const uint32_t initial\[8\] = \{(.*?)\};", source, re.DOTALL)[1]
    source = source.replace(table, '\n#include "tables/initial.dat"\n')
    return _programs() | {
        "CryptHash_CHAMP.h": _header(instance, more=f"/* \u6458\u8981 */\n{CRYPTHASH.strip()};\n"),
        "CryptHash_AlgorithmInstance.c": f'#include "CryptHash_CHAMP.h"\n{source}'
        f"{CRYPTHASH}{{ return champ{CALL}; }}\n",
        "tables/initial.dat": table.strip() + "\n",
        "bench.c": NEVER,
        "KAT_CryptHash.exe": "MZ",
    }


def _dragon(instance: Instance) -> dict[str, str]:
    """One source that makes any width; fast paths for compilers that say what the machine has."""
    fast = f"#if defined(__AVX2__) && !defined(DRAGON_PORTABLE)\n#include <immintrin.h>\n{NEVER}#endif\n"
    main = "\n#ifdef DRAGON_SELFTEST\nint main(void) { return 0; }\n#endif\n"
    body = _body(_kind(instance), "dragon")
    return _programs() | {
        "CryptHash_AlgorithmInstance.h": _header(instance),
        "CryptHash_AlgorithmInstance.c": f"{fast}{INCLUDE}{body}{CRYPTHASH}{{ return dragon{CALL}; }}\n{main}",
        "speed_Dragon.c": NEVER,
    }


def _zcdm(instance: Instance) -> dict[str, str]:
    """The permutation is outside: a source, a header found by its path only, a folder of headers."""
    size = instance.name.split("-")[2]
    return _programs() | {
        "CryptHash_AlgorithmInstance.h": _header(instance),
        "CryptHash_AlgorithmInstance.c": f'{INCLUDE}#include "zc_types.h"\n'
        f'#include "../../../lib/low/ZuD-{size}/ZuD{size}.h"\n'
        f"{CRYPTHASH}{{ zc_width bits = digest_len_bits; return ZuD{size}_Hash(bits, msg, msg_len_bits, digest); }}\n",
    }


def _zud(size: str, kind: str) -> dict[str, str]:
    low = f"ZC-DM/Implementations/lib/low/ZuD-{size}"
    body = _body(kind, f"ZuD{size}_Hash")
    return {
        f"{low}/ZuD{size}.h": f"#ifndef ZUD{size}\n#define ZUD{size}\nint ZuD{size}_Hash({ARGUMENTS});\n#endif\n",
        f"{low}/plain/ZuD{size}-plain.c": f'#include "../ZuD{size}.h"\n#include "zc_types.h"\n'
        f'#include "ZuD{size}-rounds.macros"\n{body}',
        f"{low}/plain/ZuD{size}-rounds.macros": "#define ZUD_ROUNDS 12\n",
        f"{low}/AVX2/ZuD{size}-AVX2.c": f'#include "../ZuD{size}.h"\n#include <immintrin.h>\n{NEVER}'
        f"int ZuD{size}_Hash({ARGUMENTS}) {{ return _mm256_extract_epi8(*msg, 0); }}\n",
    }


def _wchain(instance: Instance) -> dict[str, str]:
    """A main and AVX code unless macros are defined, which stand in a shell script only."""
    simd = (
        "#ifndef WCHAIN_DISABLE_SIMD\n#include <immintrin.h>\n"
        "__m256i wchain_add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }\n#endif\n"
    )
    main = "\n#ifndef WCHAIN_NO_MAIN\nint main(void) { return wchain_selftest(); }\n#endif\n"
    return {
        "CryptHash_AlgorithmInstance.h": _header(instance),
        "CryptHash_AlgorithmInstance.c": f"{INCLUDE}int wchain({ARGUMENTS});\n{CRYPTHASH}{{ return wchain{CALL}; }}\n",
        "wchain_c.c": simd + _body(_kind(instance), "wchain") + main,
        "KAT_CryptHash.c": NEVER,
        "run_kat.sh": "#!/bin/sh\n# portable build\ngcc -O3 -DWCHAIN_NO_MAIN -DWCHAIN_DISABLE_SIMD *.c -o kat\n",
    }


MAKERS = {"hash-02": _axis, "hash-04": _champ, "hash-07": _dragon, "hash-30": _zcdm, "hash-34": _wchain}
KAT_FOLDERS = {
    "hash-02": "{0.directory}",
    "hash-04": "CHAMP/Implementations and Test_Vectors/API_CryptHash/Test_Vectors/{0.name}",
    "hash-07": "Dragon/Implementations and Test_vector/Dragon-x86/Test_vector",
    "hash-30": "ZC-DM/Test_Vectors/{0.name}",
    "hash-34": "WChain/Implementations and Test_Vectors/Test_Vectors/{0.name}",
}


def _elsewhere(candidate: str, old: str, new: str) -> dict[str, str]:
    """Another implementation of the same instances, with a header and a source that never compiles."""
    files = {}
    for instance in real(candidate).instances:
        folder = instance.directory.replace(old, new)
        files[f"{folder}/CryptHash_AlgorithmInstance.h"] = _header(instance)
        files[f"{folder}/CryptHash_AlgorithmInstance.c"] = NEVER
    return files


AROUND = {
    "hash-02": _elsewhere("hash-02", "Reference_Implementation", "Optimized_Implementation"),
    "hash-07": _elsewhere("hash-07", "Dragon-x86", "Dragon-arm"),
    "hash-30": {
        **_zud("1280", "pseudohash"),
        **_zud("1536", "pseudoXOF"),
        "ZC-DM/Implementations/lib/common/zc_types.h": "#ifndef ZC_H\n#define ZC_H\ntypedef int zc_width;\n#endif\n",
        "ZC-DM/Implementations/CMakeLists.txt": "message(FATAL_ERROR never)\n",
    },
}


def _bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("gbk")


def kat_texts(native: Path, folder: Path) -> Texts:
    """KAT texts of the bundled functions, made by ngcc_kat when first asked for."""

    @cache
    def texts(name: str) -> dict[str, bytes]:
        kind, width = name.split("-")
        library, source = folder / f"lib{name}.so", folder / f"{name}.c"
        source.write_text(_body(kind, "CryptHash"))
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        command = [native / "ngcc_kat", "--library", library, "--instance", name, "--digest-bits", width]
        command += ["--file", "2_12", "--file", "2_23", "--seconds", "60", "--text", folder]
        subprocess.run(command, check=True, capture_output=True)
        return {prefix: (folder / f"{prefix}_{name}.txt").read_bytes() for prefix in KATS}

    return texts


class Stages:
    """The stages' functions, one after the other, in a results folder."""

    def __init__(self, root: Path, native: Path):
        self.results = root / "results" / "local"
        self.results.mkdir(parents=True)
        (self.results / "bin").symlink_to(native)

    def fetch(self, candidate: Candidate) -> dict:
        return fetch(
            candidate, sources=self.sources(candidate), archives=None, downloads=self.results.parent / "archives",
            output=self.results / "fetch" / f"{candidate.id}.json", made_from={},
        )  # fmt: skip

    def sources(self, candidate: Candidate) -> Path:
        spec = candidate.archive
        return spec.path if spec.in_place else self.results.parent / "sources" / candidate.id

    def build(self, candidate: Candidate, name: str) -> dict:
        return build(
            candidate.instance(name), sources=self.sources(candidate), compiler_command="gcc", made_from={},
            fetched=self.results / "fetch" / f"{candidate.id}.json",
            output=self.results / "build" / candidate.id / name / "build.json",
        )  # fmt: skip

    def verify(self, candidate: Candidate, name: str) -> dict:
        return verify(
            candidate, candidate.instance(name), level="quick", seconds=60, archives=None, results=self.results,
            built=self.results / "build" / candidate.id / name / "build.json", made_from={},
            output=self.results / "kat" / candidate.id / f"{name}.json",
        )  # fmt: skip
