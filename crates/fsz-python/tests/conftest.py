"""Fields that the tests share."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import fsz_codec

PROFILES = ("paper", "dense")


def smooth(shape: tuple[int, ...], dtype: npt.DTypeLike = np.float32, seed: int = 0) -> npt.NDArray[Any]:
    """Waves with a little noise."""
    rng = np.random.default_rng(seed)
    axes = np.indices(shape, np.float64)
    field = sum((np.sin(axis / (7 + 5 * i) + i) for i, axis in enumerate(axes)), np.zeros(shape))
    return np.asarray(250 + 30 * field + 0.01 * rng.standard_normal(shape), dtype)


@pytest.fixture(params=PROFILES)
def profile(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["f4", "f8"])
def field(request: pytest.FixtureRequest) -> npt.NDArray[Any]:
    return smooth((11, 50, 70), request.param)


def assert_within(original: npt.NDArray[Any], decoded: npt.NDArray[Any], bound: float) -> None:
    """The bound in wider arithmetic, and everything that is no number bit for bit."""
    assert original.shape == decoded.shape
    finite = np.isfinite(original)
    wide = np.longdouble
    error = np.abs(original[finite].astype(wide) - decoded[finite].astype(wide))
    assert error.size == 0 or error.max() <= wide(bound)
    bits = f"u{decoded.dtype.itemsize}"
    special = original.astype(decoded.dtype)[~finite].view(bits)
    assert np.array_equal(special, decoded[~finite].view(bits))


def damaged_copies(plain: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Copies of a stream with bits, bytes or words changed, cut, or with pieces moved or added."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < count:
        damaged = bytearray(plain)
        # The header has most to be misread, so half of the damage is there.
        at = int(rng.integers(min(400, len(plain)) if made % 2 else len(plain)))
        match rng.integers(7):
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
        if bytes(damaged) != plain:
            made += 1
            yield bytes(damaged)


@pytest.fixture
def program() -> Path:
    """The command line, whose codec is the Rust library's."""
    return Path(os.environ.get("FSZ_PROGRAM") or pytest.skip("FSZ_PROGRAM names no fsz program"))


def by_program(program: Path, folder: Path, field: npt.NDArray[Any], *options: str) -> bytes:
    """The stream that the program makes of a field."""
    np.save(folder / "field.npy", field)
    command = [program, "compress", folder / "field.npy", "-o", folder / "field.fsz", "-q", *options]
    subprocess.run([os.fspath(word) for word in command], check=True)
    return (folder / "field.fsz").read_bytes()


def reads(stream: fsz_codec.Stream, key: Any) -> bool:
    """Whether the elements at an index can be decoded."""
    try:
        stream[key]
    except fsz_codec.CorruptError:
        return False
    return True
