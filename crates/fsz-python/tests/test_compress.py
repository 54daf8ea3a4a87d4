"""Bytes, bounds and options."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import assert_within, by_program, smooth

import fsz_codec

Array = npt.NDArray[Any]


@pytest.mark.parametrize("bound", [{"range": 1e-3}, {"absolute": 0.05}])
def test_bytes_are_those_of_the_rust_codec(
    field: Array, profile: str, bound: dict[str, float], program: Path, tmp_path: Path
) -> None:
    ours = fsz_codec.compress(field, **bound, profile=profile).to_bytes()
    (kind, value), flag = next(iter(bound.items())), {"range": "--range", "absolute": "--abs"}
    assert ours == by_program(program, tmp_path, field, flag[kind], str(value), "--profile", profile)


def test_options_are_those_of_the_rust_codec(program: Path, tmp_path: Path) -> None:
    field = smooth((20, 300))
    field[3, 50:] = 1e20
    ours = fsz_codec.compress(field, range=1e-4, missing=1e20)
    theirs = by_program(program, tmp_path, field, "--range", "1e-4", "--missing", "1e20")
    assert ours.to_bytes() == theirs


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_do_not_change_the_bytes(field: Array, profile: str, threads: int) -> None:
    ours = fsz_codec.compress(field, range=1e-3, profile=profile, threads=threads)
    assert ours.to_bytes() == fsz_codec.compress(field, range=1e-3, profile=profile).to_bytes()
    assert np.array_equal(ours.decompress(threads=threads), np.asarray(ours))


@pytest.mark.parametrize("seed", range(12))
def test_bound_is_strict(seed: int, profile: str) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 40, rng.integers(1, 4)))
    dtype = rng.choice(["f4", "f8"])
    field = (rng.standard_normal(shape) * 10.0 ** rng.integers(-20, 20)).astype(dtype).cumsum(-1)
    flat = field.reshape(-1)
    for special in (np.nan, np.inf, -np.inf, -0.0, 1e-40):
        flat[rng.integers(flat.size)] = special
    bound = {"range": 10.0 ** rng.integers(-7, -1)} if seed % 2 else {"absolute": float(np.nanmax(np.abs(flat[np.isfinite(flat)]))) * 1e-4 + 1e-300}
    stream = fsz_codec.compress(field, **bound, profile=profile)
    decoded = stream.decompress()
    assert decoded.dtype == field.dtype
    assert_within(field, decoded, stream.bound.absolute)
    assert stream.certificate.max_abs_error <= stream.bound.absolute
    assert stream.certificate.nan == np.isnan(field).sum()


def test_missing_values_keep_their_bits_and_do_not_widen_the_range(profile: str) -> None:
    field = smooth((30, 40))
    plain = fsz_codec.compress(field, range=1e-3)
    holes = field.copy()
    holes[5:20, ::3] = 9.96921e36
    holes[0, 0] = -999.0
    stream = fsz_codec.compress(holes, range=1e-3, missing=(9.96921e36, -999.0), profile=profile)
    decoded = stream.decompress()
    assert np.array_equal(decoded == np.float32(9.96921e36), holes == np.float32(9.96921e36))
    assert decoded[0, 0] == -999.0
    assert stream.missing == (float(np.float32(9.96921e36)), -999.0)
    assert stream.certificate.missing == (holes == np.float32(9.96921e36)).sum() + 1
    assert stream.bound.absolute <= plain.bound.absolute


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (257,), (2,) * 8, (1, 1, 5000)])
def test_shapes(shape: tuple[int, ...], profile: str) -> None:
    field = smooth(shape)
    stream = fsz_codec.compress(field, absolute=0.01, profile=profile)
    assert (stream.shape, stream.ndim, stream.size, stream.nbytes) == (
        shape, field.ndim, field.size, field.nbytes,
    )
    assert_within(field, np.asarray(stream), 0.01)
    assert len(stream.to_bytes()) == stream.compressed_bytes <= fsz_codec.max_compressed_len(shape, "f32")


def test_options_are_recorded() -> None:
    field = smooth((6, 7))
    stream = fsz_codec.compress(
        field, range=1e-2, value_range=(0.0, 1000.0), name="tas", time_step=7, start=(12, 0),
        profile="dense", layout="plane",
    )
    assert (stream.name, stream.time_step, stream.start) == ("tas", 7, (12, 0))
    assert (stream.profile, stream.layout) == ("dense", "plane")
    assert stream.bound == ("value-range", 1e-2, 10.0)
    assert_within(field, np.asarray(stream), 10.0)
    bare = fsz_codec.compress(field, absolute=1)
    assert (bare.name, bare.time_step, bare.start, bare.missing) == (None, None, None, ())
    assert (bare.profile, bare.layout, bare.format_version) == ("paper", "linear", 1)


@pytest.mark.parametrize("profile", ["paper", "dense"])
def test_targets_resolve_to_a_bound(profile):
    rng = np.random.default_rng(7)
    field = np.sin(np.arange(60_000, dtype="f4").reshape(20, 50, 60) * 1e-3)
    field += rng.normal(scale=1e-4, size=field.shape).astype("f4")
    stream = fsz_codec.compress(field, psnr=64, profile=profile)
    squares = np.mean((field.astype("f8") - np.asarray(stream)) ** 2)
    psnr = 20 * np.log10(np.ptp(field).astype("f8") / np.sqrt(squares))
    assert 64 <= psnr < 64.5
    assert (stream.bound.kind, stream.bound.requested) == ("PSNR", 64.0)
    assert stream.certificate.mean_squared_error == pytest.approx(squares)
    assert_within(field, np.asarray(stream), stream.bound.absolute)
    stream = fsz_codec.compress(field, ratio=6, profile=profile)
    assert stream.ratio == pytest.approx(6, rel=0.03)
    assert stream.certificate.mean_squared_error is None
    stream = fsz_codec.compress(field, max_bytes=30_000, profile=profile)
    assert 27_000 <= stream.compressed_bytes <= 30_000
    with pytest.raises(fsz_codec.InvalidArgumentError, match="the smallest has"):
        fsz_codec.compress(field, max_bytes=100, profile=profile)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("fill", [1e20, -1e20, 9.969209968386869e36, 9.96921e36, -999, -9999, -32768, 1e30])
def test_a_usual_fill_value_that_nobody_named_is_told(
    fill: float, dtype: str, program: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    field = smooth((20, 30), dtype)
    field[3, 4] = fill
    end = "largest" if fill > 0 else "smallest"
    # netCDF's is longer, in float32 the same.
    is_known = bool(field[3, 4] != np.float64(9.96921e36))
    np.save(tmp_path / "x.npy", field)
    command = [os.fspath(program), "compress", "x.npy", "-o", "x.fsz", "--range", "1e-3", "--force"]
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    assert (f"the {end} value is" in said) == is_known
    for bound in ({"range": 1e-3}, {"psnr": 60}):
        recwarn.clear()
        stream = fsz_codec.compress(field, **bound)
        told = [str(warning.message) for warning in recwarn]
        assert len(told) == is_known
        if is_known:
            value = told[0].rpartition("=")[2]
            assert f"the {end} value is {value}, and the bound is {stream.bound.absolute:.6g}, a part of that" in told[0]
            assert f"the {end} value is {value}:" in said
            assert field.dtype.type(value) == field[3, 4]
            fsz_codec.compress(field, **bound, missing=float(value))
    # Where the bound does not follow from it, nothing is lost.
    recwarn.clear()
    fsz_codec.compress(field, absolute=0.1)
    fsz_codec.compress(field, range=1e-3, value_range=(0, 300))
    fsz_codec.compress(np.maximum(field, 9999), range=1e-3) if fill < 0 else None
    assert not list(recwarn)


def test_a_share_that_leaves_nothing_is_told() -> None:
    field = smooth((20, 30))
    with pytest.warns(UserWarning, match=r"^range=5 is a share of max - min: the values may all become one$"):
        fsz_codec.compress(field, range=5)
    with pytest.warns(UserWarning, match=r"^psnr=0.001 is so few decibels that the values may all become one$"):
        fsz_codec.compress(field, psnr=1e-3)
    # Which loses nothing, and which keeps parts.
    fsz_codec.compress(np.ones(30), psnr=1e-3)
    fsz_codec.compress(np.ones(30), range=5)
    fsz_codec.compress(field, range=5, regions=[(np.s_[:4], 1e-3)])


def test_a_ratio_that_is_missed_is_told() -> None:
    # A field of one value has the same ratio at any bound.
    with pytest.warns(UserWarning, match=r"^the ratio is \d+\.\d{4}, not 10: all values are exact even so$"):
        stream = fsz_codec.compress(np.ones(1000), ratio=10)
    assert stream.bound.requested == 10 and stream.ratio > 11
    # Of two values it jumps from what keeps them to what makes them one.
    two = np.resize(np.float32([1, 1, 1e5]), 5000)
    with pytest.warns(UserWarning, match=r"^the ratio is \d+\.\d{4}, not 30: the nearest that was found, for it jumps"):
        fsz_codec.compress(two, ratio=30, profile="paper")


@pytest.mark.parametrize("profile", ["paper", "dense"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_relative_bounds(profile: str, dtype: str) -> None:
    field = (np.exp(np.sin(np.arange(60_000) * 1e-3) * 9).reshape(20, 50, 60) - 1).astype(dtype)
    for floor in (None, 0.01):
        stream = fsz_codec.compress(field, relative=1e-2, floor=floor, profile=profile)
        error = np.abs(field.astype("f8") - np.asarray(stream))
        assert (error <= np.maximum(1e-2 * np.abs(field.astype("f8")), floor or 0)).all()
        assert stream.bound[:2] == ("pointwise-relative", 1e-2)
        assert stream.floor == (floor or 0.0)
        assert 0.009 < stream.certificate.max_relative_error <= 0.01
    assert fsz_codec.compress(field, absolute=1).floor is None


def test_bounds_by_region(profile: str) -> None:
    field = np.sin(np.arange(24_000) * 1e-3).reshape(20, 30, 40)
    mask = np.zeros(field.shape, bool)
    mask[4::3, ::2] = True
    regions = [(np.s_[2:9, ..., -15:], 1e-4), (mask, 0.3), (np.s_[-1, 5], 1e-6)]
    stream = fsz_codec.compress(field, absolute=0.02, regions=regions, profile=profile)
    limit = np.full(field.shape, 0.02)
    for key, bound in regions:
        limit[key] = bound
    decoded = np.asarray(stream)
    error = np.abs(decoded - field)
    assert (error <= limit).all()
    assert all((error[limit == bound] > 0.5 * bound).any() for bound in (0.02, 1e-4, 0.3, 1e-6))
    assert np.array_equal(stream[3, :, 20:], decoded[3, :, 20:])
    boxes, sizes = [region.box for region in stream.regions], [region.size for region in stream.regions]
    assert boxes == [np.s_[2:9, 0:30, 25:40], None, np.s_[19:20, 5:6, 0:40]]
    assert sizes == [7 * 30 * 15, int(mask.sum()), 40]
    assert [region.bound.absolute for region in stream.regions] == [1e-4, 0.3, 1e-6]
    for (key, bound), region in zip(regions, stream.regions, strict=True):
        own = region.certificate
        assert error[limit == bound].max() <= own.max_abs_error <= bound
        assert (own.min, own.max, own.mean_squared_error) == (field[key].min(), field[key].max(), None)
        assert 0 < region.compressed_bytes < stream.compressed_bytes
    relative = fsz_codec.compress(field, relative=1e-2, floor=1e-3, regions=[(np.s_[:5], 1e-4)])
    assert relative.regions[0].bound[:2] == ("pointwise-relative", 1e-4)
    assert fsz_codec.compress(field, absolute=1).regions == ()


def test_where_regions_are(profile: str) -> None:
    field = np.sin(np.arange(24_000, dtype="f4") * 1e-3).reshape(20, 30, 40)
    mask = field > 0.5
    regions = [(mask, 1e-3), (np.s_[2:9, ..., -15:], 1e-4)]
    stream = fsz_codec.compress(field, absolute=0.02, regions=regions, profile=profile)
    numbers = np.where(mask, 1, 0).astype("u1")
    numbers[2:9, ..., -15:] = 2
    whole = stream.regions_of()
    assert whole.dtype == np.uint8 and np.array_equal(whole, numbers)
    keys: list[Any] = [7, -1, np.s_[3:8, 4], np.s_[::-3, ..., 5::7], np.s_[2, 3, 30], np.s_[2, 3, 30, ...], np.s_[5:5]]
    for key in keys:
        selected = stream.regions_of(key)
        assert np.array_equal(selected, numbers[key]) and type(selected) is type(numbers[key])
    again = fsz_codec.Stream.from_bytes(stream.to_bytes())
    assert np.array_equal(again.regions_of(np.s_[4:]) == 1, numbers[4:] == 1)
    assert not fsz_codec.compress(field, absolute=1).regions_of().any()
    assert fsz_codec.compress(field[0, 0, 0], absolute=1).regions_of().shape == ()
    with pytest.raises(IndexError, match="index 20"):
        stream.regions_of(20)


def test_coded_like_another(field: Array, profile: str) -> None:
    first = fsz_codec.compress(field, range=1e-3, profile=profile)
    assert fsz_codec.compress(field, range=1e-3, like=first).to_bytes() == first.to_bytes()
    other = 3 * field[::-1] + 1
    step = fsz_codec.compress(other, absolute=1e-2, like=first)
    assert (step.profile, step.layout) == (first.profile, first.layout)
    assert_within(other, step.decompress(), 1e-2)
    # What was kept of the first for one bound serves another.
    anew = fsz_codec.Stream.from_bytes(first.to_bytes())
    assert fsz_codec.compress(other, absolute=1e-2, like=anew).to_bytes() == step.to_bytes()


def test_what_no_array_can_be_coded_like() -> None:
    field = smooth((40, 50))
    stream = fsz_codec.compress(field, range=1e-3, profile="dense")
    for options in ({"like": b"FSZ"}, {"like": stream, "profile": "dense"}, {"like": stream, "layout": "line"}):
        with pytest.raises(fsz_codec.InvalidArgumentError, match="like"):
            fsz_codec.compress(field, range=1e-3, **options)
    with pytest.raises(fsz_codec.InvalidArgumentError, match="^like is a bytes: a Stream is needed, as of .{1,60}$"):
        fsz_codec.compress(field, range=1e-3, like=stream.to_bytes())
    with pytest.raises(fsz_codec.InvalidArgumentError, match="regions choose"):
        fsz_codec.compress(field, range=1e-3, like=stream, regions=[(np.s_[:2, :2], 1e-4)])


def test_regions_without_elements_are_told() -> None:
    field = np.zeros((4, 5))
    nowhere = np.zeros((4, 5), bool)
    for key in (np.s_[7:], np.s_[2:2], nowhere):
        with pytest.warns(UserWarning, match=r"regions\[1\] has no element"):
            stream = fsz_codec.compress(field, absolute=1, regions=[(0, 0.1), (key, 0.1)])
        assert [region.size for region in stream.regions] == [5, 0]


def test_regions_that_are_none() -> None:
    field = np.zeros((4, 5))
    for key, error in [
        (np.s_[::2], fsz_codec.InvalidArgumentError),
        (np.s_[::-1], fsz_codec.InvalidArgumentError),
        (np.zeros((5, 4), bool), fsz_codec.InvalidArgumentError),
        (4, IndexError),
        (np.s_[:, :, :], IndexError),
        (None, fsz_codec.InvalidArgumentError),
        ((0, "x"), fsz_codec.InvalidArgumentError),
        (True, fsz_codec.InvalidArgumentError),
    ]:
        with pytest.raises(error):
            fsz_codec.compress(field, absolute=1, regions=[(key, 0.1)])
    for dtype in ("f4", "u1"):
        with pytest.raises(fsz_codec.InvalidArgumentError, match=r"mask\.astype\(bool\)"):
            fsz_codec.compress(field, absolute=1, regions=[(np.ones((4, 5), dtype), 0.1)])
    with pytest.raises(fsz_codec.InvalidArgumentError, match=r"^a region of None: integers, slices and '...' select"):
        fsz_codec.compress(field, absolute=1, regions=[(None, 0.1)])
    for key in (np.array(1), np.s_[1:2:3], np.s_[1:0:-1]):
        assert fsz_codec.compress(field, absolute=1, regions=[(key, 0.1)]).regions[0].size == 5
    with pytest.raises(fsz_codec.InvalidArgumentError):
        fsz_codec.compress(field, absolute=1, regions=[(0, -1)])
    with pytest.raises(fsz_codec.InvalidArgumentError, match="find the bound without regions first"):
        fsz_codec.compress(field, psnr=50, regions=[(0, 1)])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"relative": 0.6},
        {"relative": 0.1, "floor": -1.0},
        {"absolute": 0.1, "floor": 1.0},
        {"range": 1e-3, "absolute": 1.0},
        {"range": 0.0},
        {"range": -1.0},
        {"absolute": float("nan")},
        {"absolute": float("inf")},
        {"absolute": 1.0, "value_range": (0, 1)},
        {"range": 1e-3, "value_range": (1, 0)},
        {"psnr": 60.0, "value_range": (0, 1)},
        {"psnr": 60.0, "ratio": 3.0},
        {"psnr": -1.0},
        {"ratio": float("nan")},
        {"ratio": 1e9},
        {"max_bytes": 0},
        {"max_bytes": -1},
        {"max_bytes": 10},
        {"range": 1e-3, "profile": "best"},
        {"range": 1e-3, "layout": "plane"},
        {"range": 1e-3, "profile": "dense", "layout": "round"},
        {"range": 1e-3, "missing": [1, 2, 3, 4, 5]},
        {"range": 1e-3, "missing": 1e300},
        {"range": 1e-3, "name": "x" * 2000},
        {"range": 1e-3, "start": (1,)},
        {"range": 1e-3, "start": (1, -1)},
        {"range": 1e-3, "time_step": -1},
        {"range": 1e-3, "threads": 0},
        {"range": 1e-3, "threads": -3},
        {"range": 1e-3, "backend": "gpu"},
        {"range": 1e-3, "backend": "cuda:x"},
    ],
    ids=str,
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(fsz_codec.InvalidArgumentError) as raised:
        fsz_codec.compress(smooth((4, 4)), **options)
    assert isinstance(raised.value, ValueError) and str(raised.value)


def test_nine_dimensions() -> None:
    with pytest.raises(fsz_codec.InvalidArgumentError, match="9 dimensions"):
        fsz_codec.compress(np.zeros((1,) * 9, np.float32), absolute=1)


def test_decompress_into_an_array(field: Array) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    out = np.full(field.shape, np.nan, field.dtype)
    assert fsz_codec.decompress(stream, out=out) is out
    assert np.array_equal(out, np.asarray(stream))
    assert np.array_equal(fsz_codec.decompress(stream.to_bytes()), out)
    assert np.array_equal(fsz_codec.decompress(bytearray(stream.to_bytes())), out)
    read_only = out.copy()
    read_only.flags.writeable = False
    other = np.float64 if field.dtype == np.float32 else np.float32
    for wrong in (out[:-1], out.astype(other), np.asfortranarray(out), read_only, out.reshape(-1)):
        with pytest.raises(fsz_codec.InvalidArgumentError, match="out"):
            stream.decompress(out=wrong)
