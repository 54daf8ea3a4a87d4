"""FSZ for datasets of xarray::

    encoding = fsz_codec.xarray.encoding(dataset, range=1e-3)
    fsz_codec.xarray.mark_lossy(dataset, encoding).to_zarr("out.zarr", encoding=encoding)
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import xarray as xr

from ._arguments import Number
from ._errors import InvalidArgumentError
from ._native import __version__
from .numcodecs import Fsz
from .zarr import FszCodec

__all__ = ["encoding", "mark_lossy"]

_Bounds: TypeAlias = Number | Mapping[str, Number] | None

# The attributes of a coordinate that name the variable of its cells' bounds.
_OF_CELLS = ("bounds", "climatology")

# Units of latitudes, longitudes and times, after CF, sections 4.1, 4.2 and 4.4.
_OF_COORDINATES = re.compile(r"degrees?_?(north|east|N|E)|\w+ since .*")

# What stands before each name in the attributes that list variables by what they are, as "area: areacella".
_LISTED = re.compile(r":\s*(\S+)")

# What the variable without data, which is common to those that are compressed, calls the algorithm.
_ALGORITHM = "fsz"

# The attributes that tell a bound.
_ATTRIBUTES = {
    "absolute": "quantization_absolute_error",
    "range": "quantization_range_relative_error",
    "relative": "quantization_pointwise_relative_error",
    "floor": "quantization_floor",
}


def encoding(
    dataset: xr.Dataset,
    *,
    range: _Bounds = None,
    absolute: _Bounds = None,
    relative: _Bounds = None,
    floor: _Bounds = None,
    profile: str = "paper",
    zarr_format: int = 3,
) -> dict[str, dict[str, Any]]:
    """The argument ``encoding`` of ``Dataset.to_zarr`` that compresses the data variables of float32 and float64.

    A bound is a number for all of them, or a number for each variable's name; those with none stay as they
    are, and so do coordinates, times and variables that are packed as integers. What CF has as a coordinate or a part of
    one takes a bound by its name only: latitudes, longitudes and numbers of times, by their units; bounds of cells
    (``bounds``, ``climatology``), ``cell_measures``, and what ``formula_terms`` names of at most one dimension. A number
    for ``floor`` is for all with a ``relative`` bound. ``_FillValue`` and ``missing_value`` are named as missing.

    :raises InvalidArgumentError: for bounds out of range, for names that are no such variable, and where no variable
        would be compressed.
    """
    if not isinstance(dataset, xr.Dataset):
        raise TypeError(
            f"encoding takes an xarray.Dataset, not a {type(dataset).__name__}: of a DataArray use to_dataset(), of a "
            "DataTree the to_dataset() of each node"
        )
    if zarr_format not in (2, 3):
        raise InvalidArgumentError(f"zarr_format={zarr_format!r}: 2 and 3 are known")
    if range is None and absolute is None and relative is None:
        # An empty encoding would write the dataset without FSZ, in silence.
        raise InvalidArgumentError("give the bound: one of range=, absolute= and relative=")
    if floor is not None and relative is None:
        raise InvalidArgumentError("floor= is for relative= only")
    variables = {name: v for name, v in dataset.data_vars.items() if _is_stored_as_float(v)}
    bounds_of = {"range": range, "absolute": absolute, "relative": relative}
    for bounds in (*bounds_of.values(), floor):
        if isinstance(bounds, Mapping) and (wrong := [n for n in bounds if n not in variables]):
            raise InvalidArgumentError(f"no data variables of float32 or float64: {', '.join(wrong)}")
    of_coordinates = _parts_of_coordinates(dataset)
    encodings: dict[str, dict[str, Any]] = {}
    for name, variable in variables.items():
        given = _bounds_of(str(name), bounds_of, by_name=name in of_coordinates)
        if not given:
            continue
        options: dict[str, Any] = {**given, "missing": _missing_of(variable), "profile": profile}
        if isinstance(floor, Mapping):
            options["floor"] = floor.get(str(name))
        elif "relative" in given:
            options["floor"] = floor
        try:
            codec = Fsz(**options) if zarr_format == 2 else FszCodec(**options)
        except InvalidArgumentError as why:
            raise InvalidArgumentError(f"{name}: {why}") from None
        if zarr_format == 2:
            encodings[str(name)] = {"compressors": codec}
            # Its chunks come back in the machine's byte order. Files of netCDF-3 have the other one.
            if not (stored := _stored(variable)).isnative:
                encodings[str(name)]["dtype"] = stored.newbyteorder("=")
        else:
            # Anything behind the codec would keep it from reading parts of chunks.
            encodings[str(name)] = {"serializer": codec, "compressors": ()}
    if not encodings:
        raise InvalidArgumentError(
            "nothing to compress: no data variable with a bound is stored as float32 or float64; of variables that are "
            "packed as integers remove scale_factor and add_offset from the encoding, or drop_encoding()"
        )
    return encodings


def mark_lossy(
    dataset: xr.Dataset, encoding: Mapping[str, Mapping[str, Any]], *, container: str = "fsz_quantization"
) -> xr.Dataset:
    """The dataset with the attributes of CF-1.12, section 8.4, on the variables that ``encoding`` compresses.

    Each gets ``quantization``, the name of a variable without data that tells algorithm and implementation, and
    ``quantization_absolute_error``, ``quantization_range_relative_error`` or ``quantization_pointwise_relative_error``
    (with ``quantization_floor`` where there is one), the bound: CF knows four algorithms with a number of digits or
    bits each, and has no words for an error bound yet. The data are not touched.

    :raises InvalidArgumentError: for a ``container`` that is another variable of the dataset.
    """
    if container in dataset.variables and dataset[container].attrs.get("algorithm") != _ALGORITHM:
        raise InvalidArgumentError(f"container={container!r} is a variable of the dataset: give it another name")
    marked = dataset.copy(deep=False)
    for name, settings in encoding.items():
        codec = settings.get("serializer", settings.get("compressors"))
        if not isinstance(codec, (FszCodec, Fsz)):
            continue
        config = codec._config
        bounds = {attribute: getattr(config, key) for key, attribute in _ATTRIBUTES.items()}
        variable = marked[name].copy(deep=False)
        # Not those of an earlier bound, which a dataset that was read may have.
        others = {key: value for key, value in variable.attrs.items() if key not in bounds}
        given = {attribute: number for attribute, number in bounds.items() if number is not None}
        variable.attrs = {**others, "quantization": container, **given}
        marked[name] = variable
        marked[container] = xr.DataArray(
            np.int8(0), attrs={"algorithm": _ALGORITHM, "implementation": f"fsz-codec version {__version__}"}
        )
    return marked


def _stored(variable: xr.DataArray) -> np.dtype[Any]:
    stored: np.dtype[Any] = np.dtype(variable.encoding.get("dtype", variable.dtype))
    return stored


def _is_stored_as_float(variable: xr.DataArray) -> bool:
    stored = _stored(variable)
    packed = {"scale_factor", "add_offset"} & set(variable.encoding)
    # Times are no numbers, whatever a file has them as: xarray writes them as integers where these hold them.
    return variable.dtype.kind == "f" and not packed and stored.kind == "f" and stored.itemsize in (4, 8)


def _parts_of_coordinates(dataset: xr.Dataset) -> set[Any]:
    """The variables that are coordinates by their units, are part of one, or tell of its cells, after CF, sections 4, 7.1
    and 7.2: files keep them among the data."""
    told = [facts for v in dataset.variables.values() for facts in (v.attrs, v.encoding)]

    def listed(key: str) -> set[str]:
        return {name for facts in told for name in _LISTED.findall(str(facts.get(key, "")))}

    of_cells = {facts[key] for facts in told for key in _OF_CELLS if isinstance(facts.get(key), str)}
    coordinates = {
        name for name, v in dataset.variables.items() if _OF_COORDINATES.fullmatch(str(v.attrs.get("units", "")))
    }
    # The surface pressure that a formula takes is a field like others, but its coefficients are not.
    coefficients = {n for n in listed("formula_terms") if n in dataset.variables and dataset[n].ndim <= 1}
    return coordinates | of_cells | listed("cell_measures") | coefficients


def _bounds_of(name: str, bounds: Mapping[str, _Bounds], *, by_name: bool) -> dict[str, Number]:
    named = {key: bound[name] for key, bound in bounds.items() if isinstance(bound, Mapping) and name in bound}
    if named or by_name:
        return named
    # A number is for all that are not named by themselves.
    return {key: b for key, b in bounds.items() if b is not None and not isinstance(b, Mapping)}


def _missing_of(variable: xr.DataArray) -> list[float]:
    values: dict[float, None] = {}
    for facts in (variable.encoding, variable.attrs):
        for key in ("_FillValue", "missing_value"):
            given = facts.get(key, [])
            try:
                numbers = np.atleast_1d(np.asarray(given, np.float64))
            except (TypeError, ValueError):  # texts, which files have here and xarray passes on
                raise InvalidArgumentError(
                    f"{variable.name}: {key}={given!r} is no number: correct it or remove it, from encoding or attrs"
                ) from None
            for value in numbers:
                if math.isfinite(value):
                    values[float(value)] = None
    return list(values)
