"""Reading the macros of an instance's header."""

import pytest

from ngcc_campaign.fetch.header import header_names, macros, number, string


@pytest.mark.parametrize(
    "source, value",
    [
        (b"#define DIGEST_BIT_LENGTH 512\n", "512"),
        (b"#define DIGEST_BIT_LENGTH 512", "512"),
        (b"#define DIGEST_BIT_LENGTH 512\r\n#define B 1\r\n", "512"),
        (b"#define DIGEST_BIT_LENGTH 512 // bits\n", "512"),
        (b"#define DIGEST_BIT_LENGTH 512// bits\n", "512"),
        (b"#define DIGEST_BIT_LENGTH /* in bits */ 512 /* not\n bytes */\n", "512"),
        (b"  #\tdefine  DIGEST_BIT_LENGTH\t(512u)  \n", "(512u)"),
        (b"#define DIGEST_BIT_LENGTH \\\n 512\n", "512"),
        (b"/* width */ #define DIGEST_BIT_LENGTH 512\n", "512"),
        (b"#ifndef DIGEST_BIT_LENGTH\n#define DIGEST_BIT_LENGTH 512\n#endif\n", "512"),
        (b"#define DIGEST_BIT_LENGTH 512\n#define DIGEST_BIT_LENGTH 512\n", "512"),
        (b"#if A\n#define DIGEST_BIT_LENGTH 256\n#else\n#define DIGEST_BIT_LENGTH 512\n#endif\n", None),
        (b'#define URL "http://x/*"\n#define DIGEST_BIT_LENGTH 512 /* */\n', "512"),
        (b"#error don't\n#define DIGEST_BIT_LENGTH 512\n", "512"),
        ("/* 摘要长度 */\n#define DIGEST_BIT_LENGTH 512 // 比特\n".encode("gbk"), "512"),
        (b"\xef\xbb\xbf#define DIGEST_BIT_LENGTH 512\n", "512"),
        (b"#define DIGEST_BIT_LENGTH\n", ""),
        (b"#define DIGEST_BIT_LENGTH (8 * DIGEST_BYTES)\n", "(8 * DIGEST_BYTES)"),
    ],
)
def test_width_is_read(source, value):
    assert macros(source)["DIGEST_BIT_LENGTH"] == value


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"// #define DIGEST_BIT_LENGTH 512\n",
        b"/*\n#define DIGEST_BIT_LENGTH 512\n*/",
        b"/* never closed\n#define DIGEST_BIT_LENGTH 512\n",
        b"#define DIGEST_BIT_LENGTHS 512\n",
        b"#define DIGEST_BIT_LENGTH(x) 512\n",
        b"int DIGEST_BIT_LENGTH = 512;\n",
    ],
)
def test_what_is_no_definition_is_none(source):
    assert "DIGEST_BIT_LENGTH" not in macros(source)


@pytest.mark.parametrize("piece", [b"/*", b'"\\', b'\\"', b"'", b"(", b"#define X ", b" ", b"#", b"\\\n", b"//"])
def test_hostile_repetition_is_read_in_linear_time(piece):
    text = b"#define X " + piece * (1_000_000 // len(piece))
    number(macros(text).get("X"))


@pytest.mark.parametrize(
    "value, expected",
    [("512", 512), ("(512)", 512), ("( 0x200UL )", 512), ("01000", 512), ("0", 0), ("512ull", 512)]
    + [(text, None) for text in ("", None, "089", "8*64", "N", "5 12", "-1", "1.0", '"512"', "9" * 5000)]
    + [(f"0x{'f' * 4000}", None)],
)
def test_number(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize(
    "value, expected", [('"AXIS-512"', "AXIS-512"), ('("a")', "a"), ("AXIS", None), ('"a" "b"', None), (None, None)]
)
def test_string(value, expected):
    assert string(value) == expected


def test_headers_of_a_directory_the_usual_name_first():
    names = ["a/CryptHash_A.h", "a/CryptHash_AlgorithmInstance.h", "a/crypthash_b.H", "a/b/CryptHash_C.h", "a/x.h"]
    assert header_names("a", names) == ["a/CryptHash_AlgorithmInstance.h", "a/CryptHash_A.h", "a/crypthash_b.H"]
    assert header_names(".", ["CryptHash_X.h", "a/CryptHash_Y.h"]) == ["CryptHash_X.h"]
