"""Arguments as people write them: other kinds of numbers are taken, and what is none is refused in plain words."""

from __future__ import annotations

import os
import weakref
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import fsz_codec
from fsz_codec import InvalidArgumentError, compress
from fsz_codec.numcodecs import Fsz
from fsz_codec.xarray import encoding
from fsz_codec.zarr import FszCodec

FIELD = np.linspace(0, 1, 600, dtype=np.float32).reshape(20, 30)


@pytest.mark.parametrize("number", [0.25, np.float32(0.25), np.float64(0.25), np.array(0.25), np.longdouble(0.25)])
def test_numbers_of_any_kind(number: Any) -> None:
    assert compress(FIELD, absolute=number).bound.absolute == 0.25
    assert compress(FIELD, relative=number, floor=number).floor == 0.25
    assert compress(FIELD, absolute=1, missing=number).missing == (0.25,)
    assert compress(FIELD, absolute=1, missing=[number, 2]).missing == (0.25, 2)
    assert compress(FIELD, absolute=1, regions=[(np.s_[:2], number)]).regions[0].bound.absolute == 0.25
    assert FszCodec(relative=number, floor=number) == FszCodec(relative=0.25, floor=0.25)
    assert Fsz(absolute=number) == Fsz(absolute=0.25)


@pytest.mark.parametrize("wrong", ["1e-3", b"1", True, np.True_, [0.1], np.array([0.1]), 1j, object(), np.ma.masked])
@pytest.mark.parametrize("name", ["absolute", "range", "relative", "psnr", "ratio", "floor"])
def test_what_is_no_number(name: str, wrong: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{name}=.*: a number is needed"):
        compress(FIELD, **{name: wrong})
    if name in ("absolute", "range", "relative", "floor"):
        with pytest.raises(InvalidArgumentError, match=f"^{name}=.*: a number is needed"):
            FszCodec(**{name: wrong})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"value_range": 3, "range": 0.1}, r"two numbers are needed, \(min, max\)"),
        ({"value_range": (1, 2, 3), "range": 0.1}, "two numbers are needed"),
        ({"value_range": "12", "range": 0.1}, "two numbers are needed"),
        ({"time_step": 3.7}, "time_step=3.7: a whole number"),
        ({"time_step": "3"}, "time_step='3': a whole number"),
        ({"time_step": -1}, "time_step=-1: a whole number"),
        ({"max_bytes": True}, "max_bytes=True: a whole number"),
        ({"start": "ab"}, "start='ab'"),
        ({"start": (1, None)}, "start=None: a whole number"),
        ({"threads": "2"}, "threads='2': a whole number"),
        ({"threads": 1.5}, "threads=1.5: a whole number"),
        ({"missing": "x"}, "missing='x': a number is needed, or a list of numbers"),
        ({"missing": [[1, 2]]}, "missing=.*list of numbers"),
        ({"missing": [[1], [1, 2]]}, "missing=.*list of numbers"),
        ({"missing": np.ma.masked}, "missing=masked: a number is needed, or a list"),
        ({"missing": np.ma.array([1, 2], mask=[0, 1])}, "missing=.*list of numbers"),
        ({"value_range": (np.ma.masked, 1), "range": 0.1}, "two numbers are needed"),
        ({"missing": 1e300}, "missing value 1e300: no f32"),
        ({"profile": None}, "profile=None: text"),
        ({"backend": 0}, "backend=0: text"),
        ({"name": 3}, "name=3: text"),
        ({"name": "\ud800"}, "name=.*: text"),
        ({"name": "a\0b"}, "name=.*: text is needed, without a zero byte"),
        ({"absolute": b"x" * 5000}, r"^absolute=.{1,60}: a number is needed$"),
        ({"start": [b"x" * 5000]}, r"^start=.{1,60}: a whole number from 0 to 2\*\*64 - 1 is needed$"),
        ({"regions": [1]}, "a list of pairs is needed"),
        ({"regions": (np.s_[:3], 0.1)}, "a list of pairs is needed"),
        ({"regions": [(np.s_[:3], "x")]}, "a list of pairs is needed"),
        ({"regions": [([True] * 20, 0.1)]}, r"a mask of shape \(20,\)"),
    ],
)
def test_other_arguments_say_what_is_needed(words: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said):
        compress(FIELD, **{**({} if "range" in words else {"absolute": 0.1}), **words})


def test_arguments_of_decompress() -> None:
    stream = compress(FIELD, absolute=0.1)
    with pytest.raises(InvalidArgumentError, match="backend=None: text"):
        stream.decompress(backend=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match="give one of them"):
        stream.decompress(out=np.empty_like(FIELD), device=0)  # type: ignore[call-overload]


def test_a_psnr_beyond_all_errors() -> None:
    assert np.array_equal(np.asarray(compress(FIELD, psnr=1e9)), FIELD)


def test_numbers_beyond_all_floats() -> None:
    for huge in (10**400, Fraction(10**400, 3), -(10**400)):
        for make in (lambda n: compress(FIELD, absolute=n), lambda n: FszCodec(range=n)):
            with pytest.raises(InvalidArgumentError, match="a positive, finite number"):
                make(huge)


def test_a_bound_is_named_as_by_the_codec() -> None:
    for name in ("absolute", "range", "relative"):
        with pytest.raises(InvalidArgumentError) as by_codec:
            compress(FIELD, **{name: -1})
        with pytest.raises(InvalidArgumentError) as by_zarr:
            FszCodec(**{name: -1})
        assert str(by_zarr.value) == str(by_codec.value)


def test_a_start_beyond_64_bits() -> None:
    with pytest.raises(InvalidArgumentError, match="start .* overflows"):
        compress(FIELD, absolute=1, start=(2**64 - 1, 0))


def test_devices_are_numbers() -> None:
    for wrong in (-1, "cuda", 1.5):
        with pytest.raises(InvalidArgumentError, match="device=.*: a whole number"):
            compress(FIELD, absolute=1).decompress(device=wrong)  # type: ignore[arg-type]


def test_none_is_not_given() -> None:
    stream = compress(FIELD, absolute=0.1, missing=None, regions=None, start=None, time_step=None)
    assert stream.missing == () and stream.regions == () and stream.time_step is None
    assert FszCodec(absolute=1, missing=None) == FszCodec(absolute=1)


def test_an_empty_name_is_none() -> None:
    stream = compress(FIELD, absolute=0.1, name="")
    assert stream.name is None and stream == compress(FIELD, absolute=0.1)


def test_whole_numbers() -> None:
    assert compress(FIELD, absolute=0.1, time_step=np.uint64(2**64 - 1)).time_step == 2**64 - 1
    assert compress(FIELD, max_bytes=1e3).compressed_bytes <= 1000


def test_masks_of_other_libraries() -> None:
    mask = FIELD > 0.9
    wanted = compress(FIELD, absolute=0.1, regions=[(mask, 0.01)]).to_bytes()
    for other in (xr.DataArray(mask), mask.tolist()):
        assert compress(FIELD, absolute=0.1, regions=[(other, 0.01)]).to_bytes() == wanted


def test_a_region_under_a_mask_is_refused() -> None:
    region = np.ma.masked_greater(FIELD, 0.9) > 0.5
    with pytest.raises(InvalidArgumentError, match=r"filled\(False\)"):
        compress(FIELD, absolute=0.1, regions=[(region, 0.01)])


def test_most_bytes() -> None:
    most = fsz_codec.max_compressed_len((20, 30), np.float32)
    for dtype in ("float32", "f4", "f32", FIELD.dtype, ">f4"):
        assert fsz_codec.max_compressed_len((20, 30), dtype) == most
    assert fsz_codec.max_compressed_len(600, "f8") > most
    for shape, dtype in [((20, -1), "f4"), ((1,) * 9, "f4"), ("20", "f4"), (20, "i4"), (20, np.float16)]:
        with pytest.raises(InvalidArgumentError):
            fsz_codec.max_compressed_len(shape, dtype)  # type: ignore[arg-type]


def test_paths(tmp_path: Path) -> None:
    stream = compress(FIELD, absolute=0.1)
    name = os.fsencode(tmp_path / "a.fsz")
    stream.save(name)
    for mmap in (True, False):
        assert fsz_codec.open(name, mmap=mmap).to_bytes() == stream.to_bytes()
    for wrong in (tmp_path / "a.fsz", str(tmp_path / "a.fsz")):
        with pytest.raises(TypeError, match=r"fsz_codec\.open"):
            fsz_codec.decompress(wrong)
        with pytest.raises(TypeError, match="read a file first"):
            compress(wrong, absolute=1)


def test_what_is_no_array() -> None:
    for wrong in (None, {}, object()):
        with pytest.raises(TypeError, match=f"an array is needed, not {type(wrong).__name__}"):
            compress(wrong, absolute=1)
    with pytest.raises(TypeError, match="compress its fields one by one"):
        compress(np.zeros(3, [("u", "f4"), ("v", "f4")]), absolute=1)
    # As bfloat16 of ml_dtypes is to numpy.
    with pytest.raises(TypeError, match="convert it with astype"):
        compress(np.zeros(3, "V2"), absolute=1)


def test_an_output_that_is_no_array() -> None:
    with pytest.raises(InvalidArgumentError, match="a numpy array is needed"):
        compress(FIELD, absolute=1).decompress(out=[1])  # type: ignore[call-overload]


def test_an_output_that_is_masked() -> None:
    stream, out = compress(FIELD, absolute=1), np.ma.masked_less(FIELD, 0.5)
    with pytest.raises(InvalidArgumentError, match=r"masked array: pass out\.data"):
        stream.decompress(out=out)
    stream.decompress(out=out.data)
    assert np.array_equal(out.data, np.asarray(stream))


def test_streams_can_be_referred_to_weakly() -> None:
    stream = compress(FIELD, absolute=1)
    assert weakref.ref(stream)() is stream


def test_an_encoding_that_would_not_compress() -> None:
    dataset = xr.Dataset({"t": (("y", "x"), FIELD)})
    with pytest.raises(InvalidArgumentError, match="give the bound"):
        encoding(dataset)
    with pytest.raises(InvalidArgumentError, match="zarr_format=4"):
        encoding(dataset, absolute=1, zarr_format=4)
    with pytest.raises(InvalidArgumentError, match="floor= is for relative= only"):
        encoding(dataset, absolute=1, floor=0.1)
    for wrong in (dataset.t, xr.DataTree(dataset)):
        with pytest.raises(TypeError, match=r"to_dataset\(\)"):
            encoding(wrong, absolute=1)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgumentError, match=r"abs; known are range, absolute"):
        FszCodec.from_dict({"name": "fsz_codec", "configuration": {"abs": 1}})
