"""Datasets of xarray, with dask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.array
import numpy as np
import pytest
import xarray as xr
import zarr
from conftest import assert_within, smooth

import fsz_codec
from fsz_codec.numcodecs import Fsz
from fsz_codec.xarray import encoding, mark_lossy
from fsz_codec.zarr import FszCodec


@pytest.fixture
def dataset() -> xr.Dataset:
    t = smooth((6, 40, 50))
    t[:, 10:20, 5:9] = np.nan
    p = smooth((6, 40, 50), "f8", seed=1)
    p[2, 3] = -999.0
    axes = ("time", "lat", "lon")
    return xr.Dataset(
        {
            "t": (axes, t, {"units": "K"}),
            "p": (axes, p, {"missing_value": -999.0}),
            "n": (axes, np.arange(12000).reshape(6, 40, 50)),
        },
        coords={"time": np.arange(6), "lat": np.linspace(-90, 90, 40), "lon": np.linspace(0, 360, 50)},
    )


def test_big_endian_variables(dataset: xr.Dataset, tmp_path: Path) -> None:
    # As files of netCDF-3 hold them.
    for name in ("t", "p"):
        dataset[name] = dataset[name].astype(dataset[name].dtype.newbyteorder(">"))
    for zarr_format in (2, 3):
        settings = encoding(dataset, range={"t": 1e-3}, absolute={"p": 0.05}, zarr_format=zarr_format)
        path = tmp_path / f"{zarr_format}.zarr"
        dataset.to_zarr(path, encoding=settings, zarr_format=zarr_format, consolidated=False)
        with xr.open_zarr(path, consolidated=False, chunks=None) as read:
            check(dataset, read)


def check(dataset: xr.Dataset, read: xr.Dataset) -> None:
    """Bounds of 1e-3 of the range of t and 0.05 of p; all else exactly."""
    t, p = dataset.t.values, dataset.p.values
    assert_within(t, read.t.values, 1e-3 * float(np.nanmax(t) - np.nanmin(t)))
    missing = p == -999.0
    decoded = read.p.values
    # xarray shows missing values as NaN.
    assert np.isnan(decoded[missing]).all() or (decoded[missing] == -999.0).all()
    assert_within(p[~missing], decoded[~missing], 0.05)
    assert not np.array_equal(p[~missing], decoded[~missing])
    for name in ("n", "time", "lat", "lon"):
        assert np.array_equal(dataset[name], read[name])


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("consolidated", [True, False])
@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
def test_to_zarr(dataset: xr.Dataset, tmp_path: Path, zarr_format: Any, consolidated: bool) -> None:
    settings = encoding(dataset, range={"t": 1e-3}, absolute={"p": 0.05}, zarr_format=zarr_format)
    dataset.to_zarr(tmp_path / "x.zarr", encoding=settings, zarr_format=zarr_format, consolidated=consolidated)
    with xr.open_zarr(tmp_path / "x.zarr", consolidated=consolidated, chunks=None) as read:
        check(dataset, read)
    array = zarr.open_array(tmp_path / "x.zarr/p", mode="r")
    if zarr_format == 3:
        assert array.serializer == FszCodec(absolute=0.05, missing=-999.0)
    else:
        assert array.compressors == (Fsz(absolute=0.05, missing=-999.0),)


@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
def test_dask_writes_and_reads_from_threads(dataset: xr.Dataset, tmp_path: Path) -> None:
    chunked = dataset.chunk({"time": 1, "lat": 20})
    settings = encoding(chunked, range={"t": 1e-4}, absolute={"p": 0.05})
    chunked.to_zarr(tmp_path / "x.zarr", encoding=settings)
    with xr.open_zarr(tmp_path / "x.zarr") as read:
        assert isinstance(read.t.data, dask.array.Array)
        check(dataset, read.compute(scheduler="threads"))
        mean = read.t.isel(time=3).mean().compute(scheduler="threads")
        assert float(mean) == pytest.approx(float(dataset.t.isel(time=3).mean()), rel=1e-3)


def test_dask_takes_streams() -> None:
    stream = fsz_codec.compress(smooth((24, 40, 50)), range=1e-3)
    array = dask.array.from_array(stream, chunks=(6, 40, 50))
    assert np.array_equal(array[3:20:2].compute(scheduler="threads"), stream[3:20:2])


def test_arrays_of_both_can_be_compressed(dataset: xr.Dataset) -> None:
    plain = fsz_codec.compress(dataset.t.values, range=1e-3).to_bytes()
    assert fsz_codec.compress(dataset.t, range=1e-3).to_bytes() == plain
    assert fsz_codec.compress(dataset.t.chunk({"time": 2}).data, range=1e-3).to_bytes() == plain


@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
def test_fill_value_attribute(dataset: xr.Dataset, tmp_path: Path) -> None:
    dataset.t.encoding["_FillValue"] = np.float32(9.96921e36)
    for zarr_format in (2, 3):
        path = tmp_path / f"{zarr_format}.zarr"
        settings = encoding(dataset, range=1e-3, zarr_format=zarr_format)
        dataset[["t"]].to_zarr(path, encoding={"t": settings["t"]}, zarr_format=zarr_format)
        raw = zarr.open_array(path / "t", mode="r")[...]
        holes = np.isnan(dataset.t.values)
        stored = raw[holes]
        assert (stored == np.float32(9.96921e36)).all() or np.isnan(stored).all()
        with xr.open_zarr(path, chunks=None) as read:
            assert np.array_equal(np.isnan(read.t.values), holes)
            limit = 1e-3 * float(np.nanmax(dataset.t) - np.nanmin(dataset.t))
            assert_within(dataset.t.values[~holes], read.t.values[~holes], limit)


def test_missing_values_that_are_texts(dataset: xr.Dataset) -> None:
    name, variable = next(iter(dataset.data_vars.items()))
    variable.attrs["missing_value"] = "-999.0"
    assert -999 in fsz_codec.xarray.encoding(dataset, range=1e-3)[str(name)]["serializer"].missing
    variable.attrs["missing_value"] = "none"
    with pytest.raises(fsz_codec.InvalidArgumentError, match=f"{name}: missing_value='none' is no number: correct"):
        fsz_codec.xarray.encoding(dataset, range=1e-3)


def test_encoding(dataset: xr.Dataset) -> None:
    everything = encoding(dataset, range=1e-3, profile="dense")
    assert set(everything) == {"t", "p"}
    assert everything["t"] == {"serializer": FszCodec(range=1e-3, profile="dense"), "compressors": ()}
    assert everything["p"]["serializer"].missing == (-999.0,)
    mixed = encoding(dataset, range=1e-3, absolute={"p": 2.0})
    assert (mixed["t"]["serializer"].range, mixed["p"]["serializer"].absolute) == (1e-3, 2.0)
    small = encoding(dataset, range={"t": 1e-3}, relative=1e-2, floor=0.1)
    assert [e["serializer"] for e in small.values()] == [
        FszCodec(range=1e-3), FszCodec(relative=1e-2, floor=0.1, missing=-999.0),
    ]
    assert encoding(dataset, relative=1e-2, floor={"p": 0.1})["t"] == encoding(dataset, relative=1e-2)["t"]
    attributes = mark_lossy(dataset, small).p.attrs
    assert attributes["quantization_pointwise_relative_error"] == 1e-2
    assert attributes["quantization_floor"] == 0.1
    dataset.t.encoding |= {"scale_factor": 0.1, "dtype": "i2"}
    assert set(encoding(dataset, range=1e-3)) == {"p"}
    for nothing in (dataset.drop_vars("p"), dataset[["n"]], xr.Dataset()):
        with pytest.raises(fsz_codec.InvalidArgumentError, match="nothing to compress"):
            encoding(nothing, range=1e-3)
    with pytest.raises(fsz_codec.InvalidArgumentError, match="one of"):
        encoding(dataset, range=1e-3, absolute=1)
    dataset.p.attrs["missing_value"] = [1.0, 2.0, 3.0, 4.0, 5.0]
    for zarr_format in (2, 3):
        with pytest.raises(fsz_codec.InvalidArgumentError, match="^p: 5 missing values: at most 4"):
            encoding(dataset, range=1e-3, zarr_format=zarr_format)
    for name in ("q", "n", "lat"):
        with pytest.raises(fsz_codec.InvalidArgumentError, match=name):
            encoding(dataset, range={name: 1e-3})


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
def test_cf_attributes(dataset: xr.Dataset, tmp_path: Path, zarr_format: Any) -> None:
    settings = encoding(dataset, range={"t": 1e-3}, absolute={"p": 0.05}, zarr_format=zarr_format)
    marked = mark_lossy(dataset, settings)
    assert "quantization" not in dataset.t.attrs and "fsz_quantization" not in dataset
    marked.to_zarr(tmp_path / "x.zarr", encoding=settings, zarr_format=zarr_format)
    with xr.open_zarr(tmp_path / "x.zarr", chunks=None) as read:
        assert read.t.attrs["quantization"] == "fsz_quantization"
        assert read.t.attrs["quantization_range_relative_error"] == 1e-3
        assert read.t.attrs["units"] == "K"
        assert read.p.attrs["quantization_absolute_error"] == 0.05
        assert "quantization" not in read.n.attrs and "quantization" not in read.lat.attrs
        container = read.fsz_quantization
        assert container.shape == ()
        assert container.attrs == {
            "algorithm": "fsz", "implementation": f"fsz-codec version {fsz_codec.__version__}",
        }
        check(dataset, read)
    assert "fsz_quantization" not in mark_lossy(dataset, {})


def test_the_bounds_of_cells_are_part_of_the_coordinate(dataset: xr.Dataset) -> None:
    edges = np.linspace(-91, 91, 41)
    dataset["lat_bnds"] = ("lat", "edge"), np.stack([edges[:-1], edges[1:]], 1)
    dataset["season_bnds"] = ("time", "edge"), np.zeros((6, 2))
    dataset.lat.attrs["bounds"] = "lat_bnds"
    dataset.time.encoding["climatology"] = "season_bnds"
    assert set(encoding(dataset, range=1e-3)) == {"t", "p"}
    named = encoding(dataset, range=1e-3, absolute={"lat_bnds": 1e-6})
    assert set(named) == {"t", "p", "lat_bnds"} and named["lat_bnds"]["serializer"] == FszCodec(absolute=1e-6)


def test_what_coordinates_are_computed_from_is_part_of_them(dataset: xr.Dataset) -> None:
    dataset["hyam"], dataset["p0"] = ("lev", np.linspace(0, 0.2, 30)), ((), 1e5)
    dataset["ps"], dataset["area"] = 350 * dataset.t, 1e9 * dataset.t[0]
    dataset["lev"] = "lev", np.arange(30.0), {"formula_terms": "a: hyam p0: p0 ps: ps b: gone"}
    dataset.t.attrs["cell_measures"] = "area:area"
    assert set(encoding(dataset, range=1e-3)) == {"t", "p", "ps"}
    assert set(encoding(dataset, range=1e-3, absolute={"area": 1e3, "hyam": 1e-9})) == {"t", "p", "ps", "area", "hyam"}


@pytest.mark.parametrize(
    "units", ["degrees_north", "degree_N", "degreesE", "degrees_east", "days since 2000-01-01", "hours since 1-1-1"]
)
def test_coordinates_among_the_data_are_known_by_their_units(dataset: xr.Dataset, units: str) -> None:
    dataset["x"] = dataset.p.assign_attrs(units=units)
    assert set(encoding(dataset, range=1e-3)) == {"t", "p"}
    assert set(encoding(dataset, range=1e-3, absolute={"x": 1e-9})) == {"t", "p", "x"}
    for other in ("degrees", "degC", "days", "K", 1):
        dataset.x.attrs["units"] = other
        assert set(encoding(dataset, range=1e-3)) == {"t", "p", "x"}


def test_times_are_no_numbers(dataset: xr.Dataset, tmp_path: Path) -> None:
    # As xarray has read them from a file with times of float64.
    days = np.arange(6) * np.timedelta64(31, "D")
    dataset["begin"], dataset["length"] = ("time", np.datetime64("2000-01-01", "ns") + days), ("time", days)
    dataset.begin.encoding |= {"dtype": np.dtype("f8"), "units": "days since 1999-01-01"}
    dataset.length.encoding |= {"dtype": np.dtype("f8"), "units": "days"}
    settings = encoding(dataset, range={"t": 1e-3}, absolute=0.05)
    assert set(settings) == {"t", "p"}
    dataset.to_zarr(tmp_path / "x.zarr", encoding=settings, consolidated=False)
    with xr.open_zarr(tmp_path / "x.zarr", consolidated=False, chunks=None) as read:
        check(dataset, read)
        assert np.array_equal(read.begin, dataset.begin)
    with pytest.raises(fsz_codec.InvalidArgumentError, match="no data variables of float32 or float64: begin"):
        encoding(dataset, absolute={"begin": 0.05})


def test_a_new_bound_takes_the_place_of_an_earlier_one(dataset: xr.Dataset) -> None:
    marked = mark_lossy(dataset, encoding(dataset, relative=1e-3, floor=0.1))
    attributes = mark_lossy(marked, encoding(dataset, absolute=0.5)).t.attrs
    assert attributes == {"units": "K", "quantization": "fsz_quantization", "quantization_absolute_error": 0.5}
    assert marked.t.attrs["quantization_floor"] == 0.1


def test_no_variable_of_the_dataset_is_replaced(dataset: xr.Dataset) -> None:
    for name in ("n", "lat"):
        with pytest.raises(fsz_codec.InvalidArgumentError, match=f"container='{name}' is a variable"):
            mark_lossy(dataset, encoding(dataset, absolute=1), container=name)
