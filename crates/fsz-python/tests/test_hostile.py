"""Damaged bytes give this package's exceptions and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import PROFILES, damaged_copies, smooth

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


@pytest.mark.parametrize("number", range(4))
def test_ten_thousand_damaged_streams(number: int) -> None:
    plain = streams()[number]
    original = everything(plain)
    refused = 0
    for damaged in damaged_copies(plain, 2500, number):
        try:
            decoded = everything(damaged)
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
