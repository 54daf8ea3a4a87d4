"""The codec of numcodecs, with Zarr 2."""

from __future__ import annotations

import json
from typing import Any

import numcodecs
import numpy as np
import numpy.typing as npt
import pytest
import zarr
from conftest import assert_within, damaged_copies, smooth

import fsz_codec
from fsz_codec.numcodecs import Fsz

Array = npt.NDArray[Any]


def test_streams(field: Array, profile: str) -> None:
    codec = Fsz(range=1e-3, profile=profile)
    encoded = codec.encode(field)
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    assert encoded == stream.to_bytes()
    decoded = codec.decode(encoded)
    assert np.array_equal(decoded, np.asarray(stream))
    out = np.empty_like(field)
    codec.decode(encoded, out)
    assert np.array_equal(out, decoded)
    assert np.array_equal(codec.decode(memoryview(encoded)), decoded)


@pytest.mark.parametrize(
    "options",
    [
        {"range": 1e-3},
        {"absolute": 2, "missing": (1e20, -1.0), "profile": "dense"},
        {"relative": 1e-2},
        {"relative": 1e-2, "floor": 0.5},
    ],
)
def test_configurations(options: dict[str, Any]) -> None:
    codec = Fsz(**options)
    config = json.loads(json.dumps(codec.get_config()))
    # Found by its entry point.
    assert numcodecs.get_codec(config) == codec == eval(repr(codec))
    assert hash(codec) == hash(Fsz(**options))
    assert codec != Fsz(range=0.5)


def test_masked_chunks_are_refused(field: Array) -> None:
    with pytest.raises(TypeError, match="filled"):
        Fsz(absolute=1).encode(np.ma.masked_greater(field, 250))


def test_wrong_configurations() -> None:
    for wrong in ({}, {"range": 1, "level": 3}, {"range": 1, "absolute": 1}, {"range": 1, "floor": 1}):
        with pytest.raises(fsz_codec.InvalidArgumentError):
            numcodecs.get_codec({"id": "fsz_codec", **wrong})


@pytest.mark.parametrize("order", ["C", "F"])
def test_zarr_2(field: Array, order: Any) -> None:
    array = zarr.create_array(
        zarr.storage.MemoryStore(), zarr_format=2, shape=field.shape, dtype=field.dtype, chunks=(4, 20, 30),
        order=order, compressors=Fsz(absolute=0.1),
    )
    array[...] = field
    assert_within(field, array[...], 0.1)
    assert np.array_equal(array[3:9, 7], array[...][3:9, 7])
    again = zarr.open_array(array.store, mode="r")
    assert again.compressors == (Fsz(absolute=0.1),)
    assert np.array_equal(again[...], array[...])


def test_missing_values_with_zarr_2(field: Array) -> None:
    field = field.copy()
    field[3:5, 4:20] = 1e20
    field[0, 0, 0] = np.nan
    array = zarr.create_array(
        zarr.storage.MemoryStore(), zarr_format=2, shape=field.shape, dtype=field.dtype, chunks=(4, 20, 30),
        fill_value=1e20, compressors=Fsz(range=1e-3, missing=1e20),
    )
    array[...] = field
    special = np.isnan(field) | (field == field.dtype.type(1e20))
    assert np.array_equal(array[...][special], field[special], equal_nan=True)
    assert_within(field[~special], array[...][~special], 1e-3 * np.ptp(field[~special]))


def test_other_byte_orders_are_refused_with_words() -> None:
    field = smooth((40, 50)).astype(">f4")
    with pytest.raises(ValueError, match="AsType"):
        Fsz(absolute=0.1).encode(field)
    array = zarr.create_array(
        zarr.storage.MemoryStore(), zarr_format=2, shape=field.shape, dtype=">f4", chunks=(20, 50),
        filters=[numcodecs.AsType(encode_dtype="<f4", decode_dtype=">f4")], compressors=Fsz(absolute=0.1),
    )
    array[...] = field
    assert_within(field.astype("f4"), np.asarray(array[...], "f4"), 0.1)


def test_damaged_bytes() -> None:
    plain = Fsz(range=1e-3).encode(smooth((20, 30)))
    for damaged in (b"", b"x" * 500, *damaged_copies(plain, 10_000, 2)):
        with pytest.raises(fsz_codec.FszError):
            Fsz(range=1e-3).decode(damaged)
