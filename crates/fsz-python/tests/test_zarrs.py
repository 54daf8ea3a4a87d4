"""Stores of the Rust crate zarrs, with the codec in plugins/zarrs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import zarr
from conftest import smooth

from fsz_codec.zarr import FszCodec


@pytest.fixture
def zarrs() -> str:
    return os.environ.get("FSZ_ZARRS_PROGRAM") or pytest.skip("FSZ_ZARRS_PROGRAM names no program")


def test_we_read_what_zarrs_writes(zarrs: str, tmp_path: Path) -> None:
    subprocess.run([zarrs, "write", tmp_path], check=True)
    array = zarr.open_array(tmp_path, mode="r")
    assert array.serializer == FszCodec(absolute=0.01)
    ramp = (np.float32(0.1) * np.arange(8 * 30 * 40, dtype=np.float32)).reshape(8, 30, 40)
    assert np.abs(array[...] - ramp).max() <= 0.01
    assert np.array_equal(array[5, ::3], array[...][5, ::3])


@pytest.mark.parametrize("profile", ["paper", "dense"])
@pytest.mark.parametrize("chunks", [(8, 30, 40), (3, 20, 40)])
def test_zarrs_reads_what_we_write(zarrs: str, profile: str, chunks: tuple[int, ...], tmp_path: Path) -> None:
    field = smooth((8, 30, 40))
    field[1, 3] = 1e20
    array = zarr.create_array(
        tmp_path, shape=field.shape, dtype="float32", chunks=chunks, compressors=None, fill_value=np.nan,
        serializer=FszCodec(range=1e-3, missing=1e20, profile=profile),
    )
    array[...] = field
    said = subprocess.run([zarrs, "read", tmp_path], check=True, capture_output=True, text=True).stdout
    plane = np.array(said.split(), np.float32).reshape(30, 40)
    assert np.array_equal(plane, array[1])
