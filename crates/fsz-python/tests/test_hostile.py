"""Damaged bytes give this package's exceptions and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import PROFILES, smooth

import fsz_codec


def streams() -> list[bytes]:
    field = smooth((9, 30, 40))
    holes = smooth((9, 30, 40), "f8")
    holes[2:5, ::2] = np.nan
    holes[7] = 1e20
    return [
        fsz_codec.compress(one, range=1e-3, missing=1e20, profile=profile, name="T", start=(1, 2, 3)).to_bytes()
        for one in (field, holes)
        for profile in PROFILES
    ]


def everything(data: bytes) -> Any:
    stream = fsz_codec.Stream.from_bytes(data)
    stream.tiles()
    repr(stream)
    stream[2:7:2, 3]
    return np.asarray(stream)


# 4 streams, 2500 damaged copies of each: bits, bytes, words, cuts, pieces moved and added.
@pytest.mark.parametrize("number", range(4))
def test_ten_thousand_damaged_streams(number: int) -> None:
    plain = streams()[number]
    rng = np.random.default_rng(number)
    original = everything(plain)
    refused = 0
    for turn in range(2500):
        damaged = bytearray(plain)
        # The header has most to be misread, so half of the damage is there.
        at = int(rng.integers(min(400, len(plain)) if turn % 2 else len(plain)))
        match turn % 7:
            case 0 | 1:
                damaged[at] ^= 1 << rng.integers(8)
            case 2:
                damaged[at] = rng.integers(256)
            case 3:
                damaged[at : at + 8] = rng.bytes(8)
            case 4:
                del damaged[at:]
            case 5:
                damaged[at:at] = rng.bytes(int(rng.integers(1, 20)))
            case _:
                to = int(rng.integers(len(plain)))
                damaged[at : at + 16] = plain[to : to + 16]
        if bytes(damaged) == plain:
            continue
        try:
            decoded = everything(bytes(damaged))
        except fsz_codec.FszError:
            refused += 1
        else:
            # No checksum covers what says the same in other words.
            assert np.array_equal(decoded, original, equal_nan=True)
    assert refused > 2400


def test_truncation_is_told() -> None:
    plain = streams()[0]
    for end in range(0, len(plain), 97):
        with pytest.raises(fsz_codec.TruncatedError):
            fsz_codec.Stream.from_bytes(plain[:end])


def test_noise() -> None:
    rng = np.random.default_rng(0)
    for size in (0, 1, 143, 144, 1000, 100_000):
        with pytest.raises(fsz_codec.CorruptError):
            fsz_codec.Stream.from_bytes(rng.bytes(size))


def test_what_is_no_buffer() -> None:
    for wrong in (3, None, "text", [1, 2]):
        with pytest.raises(TypeError):
            fsz_codec.decompress(wrong)
