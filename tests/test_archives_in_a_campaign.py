"""Submissions that come as archives, good and bad, through the whole workflow."""

import json
import shutil
import zipfile

import pytest
import yaml
from archives import serving
from workflow import ROOT, workplace

FIPS = ROOT / "resources" / "bundled" / "fips"
INSTANCE = {"name": "SHA-512", "digest_bits": 512, "directory": "Sub mission/Référence Implementation/SHA-512"}


def packed(path, extra=()):
    """A ZIP of the bundled SHA-512 in another layout, with what a real one has beside it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((FIPS / "Implementations" / "Référence Implementation" / "SHA-512").iterdir()):
            archive.write(file, f"{INSTANCE['directory']}/{file.name}")
        archive.writestr(f"{INSTANCE['directory']}/KAT_CryptHash.c", "#error never compiled\n")
        archive.writestr(f"{INSTANCE['directory']}/KAT_2_12_SHA-512.txt", "Msg_Len = 0\r\n" * 1000)
        archive.writestr("Sub mission/Makefile", "all:; touch /tmp/never\n")
        for name in extra:
            archive.writestr(name, "x")
    return path
