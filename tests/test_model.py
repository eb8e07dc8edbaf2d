"""The Python models against hashlib, published vectors, and the committed manifests."""

import hashlib
import random
from pathlib import Path

import pytest

from model import keccak, sha2, sm3
from model.__main__ import line, main
from model.bits import Bits, join, pad, whole
from model.drng import Generator
from model.helpers import pseudo_xof, pseudohash
from model.instances import ALL, CANDIDATES, INSTANCES
from model.kat import FILES, canonical_digest, long_message, loop, seed, short_messages, text

MANIFESTS = Path(__file__).resolve().parents[1] / "resources" / "kat"
MODELS = {"sm3": sm3, "sha512": sha2, "sha3_512": keccak}

# RFC 6234, section 8.5, tests 5, 7 and 9 of SHA-512: bit-oriented examples of NIST's SHAVS.
SHA512_BITS = [
    (
        5,
        "b0",
        "d4ee29a9e90985446b913cf1d1376c836f4be2c1cf3cada0720a6bf4857d886a"
        "7ecb3c4e4c0fa8c7f95214e41dc1b0d21b22a84cc03bf8ce4845f34dd5bdbad4",
    ),
    (
        123,
        "08ecb52ebae1f7422db62bcd54267080",
        "ed8dc78e8b01b69750053dbb7a0a9eda0fb9e9d292b1ed715e80a7fe290a4e16"
        "664fd913e85854400c5af05e6dad316b7359b43e64f8bec3c1f237119986bbb6",
    ),
    (
        1123,
        "3addec85593216d1619aa02d9756970bfc70ace2744f7c6b2788151028f7b6a2550fd74a7e6e69c2c9b45fc454966dc3"
        "1d2e10da1f95ce02beb4bf8765574cbd6e8337ef420adc98c15cb6d5e4a0241ba0046d250e510231cac2046c991606ab"
        "4ee4145bee2ff4bb123aab498d9d44794f99ccad89a9a1621259eda70a5b6dd4bdd87778c9043b9384f5490680",
        "32ba76fc30eaa0208aeb50ffb5af1864fdbf17902a4dc0a682c61fcea6d92b78"
        "3267b21080301837f59de79c6b337db2526f8a0a510e5e53cafed4355fe7c2f1",
    ),
]

# NIST, "Examples with Intermediate Values", SHA3-512_Msg5, _Msg30, _1605 and _1630 (csrc.nist.gov, Cryptographic
# Standards and Guidelines). The last byte is as FIPS 202 has it, its bits at the low end.
SHA3_512_BITS = [
    (
        5,
        "13",
        "a13e01494114c09800622a70288c432121ce70039d753cadd2e006e4d961cb27"
        "544c1481e5814bdceb53be6733d5e099795e5e81918addb058e22a9f24883f37",
    ),
    (
        30,
        "53587b19",
        "9834c05a11e1c5d3da9c740e1c106d9e590a0e530b6f6aaa7830525d075ca5db"
        "1bd8a6aa981a28613ac334934a01823cd45f45e49b6d7e6917f2f16778067bab",
    ),
    (
        1605,
        "a3" * 200 + "03",
        "fc4a167ccb31a937d698fde82b04348c9539b28f0c9d3b4505709c03812350e4"
        "990e9622974f6e575c47861c0d2e638ccfc2023c365bb60a93f528550698786b",
    ),
    (
        1630,
        "a3" * 203 + "23",
        "cf9a30ac1f1f6ac0916f9fef1919c595debe2ee80c85421210fdf05f1c6af73a"
        "a9cac881d0f91db6d034a2bbadc1cf7fbcb2ecfa9d191d3a5016fb3fad8709c9",
    ),
]

# The programme's vectors of the helpers on the message "abc".
ABC = {
    "sm3hash-256": "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0",
    "pseudoXOF-512": "fe1ea80dac6f100c33537bd24619ec7c72a1e8b1ffeaefb1eb52a37791fdaf61"
    "9db16c0ac7bebb47238c6cc925ff66af7936e278e12d2664502bb38b03fd41cb",
    "pseudoXOF-1024": "fe1ea80dac6f100c33537bd24619ec7c72a1e8b1ffeaefb1eb52a37791fdaf61"
    "9db16c0ac7bebb47238c6cc925ff66af7936e278e12d2664502bb38b03fd41cb"
    "2975a660d33ecc32fe62f27c738964e266ec71694f39a68810af5a05d3b45d67"
    "975866a52fc303bbdd2f6fd43a2015e3d6d78910dc82deb8b47fd50a11768757",
    "pseudohash-512": "9ae35811886caf801bfc6089ffb7c0a0fbeb8ebd14a5261f28474d7a5814970a"
    "865ef8ace55461c19e953e9d36a560994b126366bbb2942eb6818523e82f1e95",
    "pseudohash-768": "679c6d5b28ba35b92ce4e944db29e36b8ad3a008fa75a6eca2ffd4a400f4e35d"
    "2c503806d66cc94d12af7eb0b21580db8e5258c18ef38936fba3372bde4e37a3"
    "57f3d3dd9f6a6456094173cc0ebfd661dbb0a2a7c0f1638f75082cbbfcd34b0f",
    "pseudohash-1024": "7710420aa9c2dbae8520c0408bd6d65402f3db9b6737590f086693651ad27975"
    "6c280980b925e2e7d2bdc76fb9b67fc55a438752faf8137250ed127a6945860f"
    "d289156c58c72a27d661a8431519562c625d2cf7288fc643549d9c02f8ac5f15"
    "7805edc50d92908fbb4ca255bdb1436c21ea963fa5f278efec64361775a5415c",
}


@pytest.mark.parametrize("name", MODELS)
def test_whole_bytes_agree_with_hashlib(name):
    if name not in hashlib.algorithms_available:
        pytest.skip(f"this hashlib has no {name}")
    for length in (*range(150), 247, 248, 511, 512, 1000):
        message = random.Random(length).randbytes(length)
        assert MODELS[name].by_the_book(whole(message)) == hashlib.new(name, message).digest(), length


@pytest.mark.parametrize(("bits", "message", "digest"), SHA512_BITS, ids=lambda value: str(value)[:12])
def test_sha512_of_bits(bits, message, digest):
    assert sha2.sha512(Bits(bytes.fromhex(message), bits)).hex() == digest


@pytest.mark.parametrize(("bits", "message", "digest"), SHA3_512_BITS, ids=lambda value: str(value)[:12])
def test_sha3_512_of_bits(bits, message, digest):
    data = bytearray.fromhex(message)
    data[-1] = data[-1] << -bits % 8 & 0xFF
    assert keccak.sha3_512(Bits(data, bits)).hex() == digest


@pytest.mark.parametrize("instance", [i for i in INSTANCES if i.name in ABC], ids=lambda instance: instance.name)
def test_helpers_on_abc(instance):
    assert instance.function(whole(b"abc")).hex() == ABC[instance.name]


def test_shorter_outputs_of_pseudo_xof_are_prefixes():
    message = Bits(b"\xab\xc0", 11)
    long = pseudo_xof(1280, message)
    assert pseudo_xof(1152, message) == long[:144]
    assert pseudo_xof(13, message) == bytes([long[0], long[1] & 0xF8])


def test_pseudohash_knows_three_widths():
    with pytest.raises(KeyError):
        pseudohash(640, whole(b"abc"))


def test_join_puts_bits_side_by_side():
    assert join([Bits(b"\xff", 3), Bits(b"\x0f\xff", 9), whole(b"\x81")]) == Bits(b"\xe1\xf8\x10", 20)


@pytest.mark.parametrize("bits", [0, 7, 446, 447, 448, 511, 512])
def test_padding_fills_whole_blocks(bits):
    padded = pad(Bits(b"\xff" * ((bits + 7) // 8), bits), 512, 64)
    written = f"{int.from_bytes(padded, 'big'):0{8 * len(padded)}b}"
    assert len(padded) == (64 if bits < 448 else 128)
    assert written == "1" * bits + "1" + "0" * (len(written) - bits - 65) + f"{bits:064b}"


def test_generator_for_timing():
    assert Generator(bytes(range(48))).generate(512).hex() == (
        "b569718fc1f1f82a4c0acf90ff4ac10966e11e3750012597bb7ecfd357c962aa"
        "7ce9861c8c5bc0d8465c2cf6cf42424f92f0a3f133109905e4524d8e7f6e8995"
    )


def test_generator_counts_calls():
    generator = Generator(seed("KAT_2_12"))
    calls = [generator.generate(bits).hex() for bits in (0, 1, 2, 3, 8, 9, 4096)]
    assert calls[:-1] == ["", "80", "40", "a0", "9f", "c080"]
    assert calls[-1].startswith("aa7197c3a55232608bef734b359b9354")


def test_generator_without_hashlib(monkeypatch):
    monkeypatch.setattr(hashlib, "algorithms_available", set())
    test_generator_counts_calls()


def test_short_messages():
    stream = b"".join(message.data for message in short_messages())
    assert len(stream) == 1_050_624
    assert hashlib.sha256(stream).hexdigest() == "0877afaacf31f3146617cc5e8b7abd7c8640cf8e3bbb48bc55dc6d2c17cb0d4e"


def test_long_message_as_shown():
    message = long_message("KAT_2_23")
    assert (len(message), message[:8].hex(), message[-8:].hex()) == (1 << 20, "b6e2c825be0e7d79", "70b7d148bc6fccec")


@pytest.mark.parametrize(("file", "size"), [("KAT_2_12", 2_804_822), ("KAT_2_23", 815)])
def test_texts_have_the_known_size(file, size):
    assert len(text(file, 512, lambda message: bytes(64))) == size


def test_long_text_layout():
    lines = text("KAT_2_23", 8, lambda message: bytes([message.data[0]])).split("\n")
    assert lines[:6] == [
        "Msg_Len = 8388608",
        "Msg_Seed = ",
        "Msg_Exp = 0000000000000000 .... 0000000000000000",
        "Dst_Len = 8",
        "Dst = 00",
        "",
    ]
    assert lines[13:15] == [f"Msg_Seed = {'4B41545F325F3233' * 8}", "Msg_Exp = B6E2C825BE0E7D79 .... 70B7D148BC6FCCEC"]


def test_loop_by_bytes():
    """The chain, byte by byte, for a digest that doesn't divide the message's 1024 bytes."""

    def function(message):
        return hashlib.sha512(message.data).digest() + hashlib.sha256(message.data).digest()

    message = list(Generator(seed("KAT_Loop")).generate(8192))
    digest = function(whole(bytes(message)))
    for _ in range(25):
        message = [message[(i + 96) % 1024] ^ (digest[i] if i < 96 else 0) for i in range(1024)]
        digest = function(whole(bytes(message)))
    assert loop(bytes(Generator(seed("KAT_Loop")).generate(8192)), 768, function, 25) == digest


def test_canonical_digest_is_blind_to_line_ends():
    records = text("KAT_2_23", 8, lambda message: b"\0")
    canonical = "\n".join(line.rstrip() for line in records.split("\n") if line) + "\n"
    assert canonical_digest(records) == hashlib.sha256(canonical.encode()).hexdigest()
    assert canonical_digest(records.replace("\n", " \t\r\n").rstrip()) == canonical_digest(records)
    assert canonical_digest(records.replace("Dst = 00", "Dst = 01")) != canonical_digest(records)


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_manifests_are_complete(candidate):
    lines = (MANIFESTS / f"{candidate}.sha256").read_text(encoding="utf-8").splitlines()
    assert [line.split(" ", 2)[1:] for line in lines] == [
        ["strict", f"{instance.directory}/{file}_{instance.name}.txt"]
        for instance in ALL
        if instance.candidate == candidate
        for file in FILES
    ]


def test_one_manifest_line_recomputed():
    assert line(INSTANCES[0], "KAT_2_12") in (MANIFESTS / "iccs.sha256").read_text(encoding="utf-8").splitlines()


def test_check_command(capsys):
    assert main(["--check", "KAT_2_23"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == len(ALL)


def test_check_command_names_a_line_that_differs(monkeypatch, capsys, tmp_path):
    for candidate in CANDIDATES:
        manifest = (MANIFESTS / f"{candidate}.sha256").read_text(encoding="utf-8")
        (tmp_path / f"{candidate}.sha256").write_text(manifest.replace("KAT_2_23_SHA-512", "x"), encoding="utf-8")
    monkeypatch.setattr("model.__main__.FOLDER", tmp_path)
    assert main(["--check", "KAT_2_23"]) == 1
    assert capsys.readouterr().out.startswith("fips.sha256 lacks: dd871102")
