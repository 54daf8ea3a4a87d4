"""Which arrays can be compressed, and how they are handed to the native module."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._config import MOST_DIMENSIONS
from ._errors import InvalidArgumentError, UnsupportedError

# Device types of DLPack.
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13

# The CUDA stream for which a producer makes its data ready: the legacy default stream.
_LEGACY_STREAM = 1


def field_of(array: Any) -> npt.NDArray[Any] | _native.DeviceField:
    """A float32 or float64 array in native byte order, aligned, or a field in device memory.

    Nothing is copied when the array already is like that; its axes may be in any order in memory.
    """
    if isinstance(array, np.ndarray):
        return _host(array)
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        kind = int(array.__dlpack_device__()[0])
        if kind in (_CUDA, _CUDA_MANAGED):
            return _native.DeviceField.from_dlpack(array.__dlpack__(stream=_LEGACY_STREAM))
        if kind not in (_CPU, _CUDA_HOST):
            raise UnsupportedError(f"memory of DLPack device type {kind}: only CPU and CUDA")
        try:
            shared = np.from_dlpack(array)
        except (BufferError, RuntimeError) as why:  # the first from numpy 2.5 on
            if "DLTensor" not in str(why):  # as torch says that a tensor requires a gradient
                raise
            # Types that numpy has not, such as bfloat16.
            raise TypeError(f"{why} FSZ compresses float32 and float64; convert the array first") from None
        return _host(shared)
    if hasattr(array, "__cuda_array_interface__"):
        return _device(array.__cuda_array_interface__)
    if isinstance(array, (str, bytes, os.PathLike)):
        given = type(array).__name__
        raise TypeError(f"an array is needed, not {given}: read a file first, as with np.load or np.fromfile")
    # What lies under a mask, such as 9.97e36, would widen the range by far. numpy joins parts without their masks, and
    # so does dask where it is asked for an array; a variable of netCDF4 gives a masked array, which stays one here.
    if isinstance(array, (list, tuple)) and any(is_masked(part) for part in array):
        raise TypeError(f"a {type(array).__name__} of masked arrays: join them with np.ma.stack, and fill the result")
    if isinstance(getattr(array, "_meta", None), np.ma.MaskedArray):
        array = array.compute()
    host = np.asanyarray(array)
    if host.dtype.kind == "O" and host.ndim == 0:  # What numpy knows no values of: None, a dict, a file.
        raise TypeError(f"an array is needed, not {type(array).__name__}")
    return _host(host)


def _host(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    dtype = array.dtype
    if dtype.kind != "f" or dtype.itemsize not in (4, 8):
        how = "compress .real and .imag" if dtype.kind == "c" else "convert it with astype"
        if dtype.names is not None:  # other types without numpy's own number, such as bfloat16, are of kind V, too
            how = "compress its fields one by one"
        raise TypeError(f"an array of {dtype}: FSZ compresses float32 and float64; {how}")
    if isinstance(array, np.ma.MaskedArray):
        if is_masked(array):
            raise TypeError("a masked array: pass array.filled(value), and missing=value to keep the mask")
        array = array.data
    whole = all(stride % dtype.itemsize == 0 for stride in array.strides)
    if array.size > 0 and array.ndim <= MOST_DIMENSIONS and dtype.isnative and array.flags.aligned and whole:
        return array  # the codec copies it to C order where needed, by all of its threads
    return np.require(array, dtype.newbyteorder("="), ["C", "A"])


def is_masked(array: Any) -> bool:
    """Whether a value is masked: netCDF4 gives masked arrays also where none is."""
    return isinstance(array, np.ma.MaskedArray) and bool(np.ma.is_masked(array))


def _device(interface: dict[str, Any]) -> _native.DeviceField:
    shape = tuple(int(n) for n in interface["shape"])
    typestr = str(interface["typestr"])
    dtype = np.dtype(typestr)
    if typestr[:1] == ">" or dtype.kind != "f" or dtype.itemsize not in (4, 8):
        raise TypeError(f"a device array of {dtype}: FSZ compresses float32 and float64")
    if interface.get("mask") is not None:
        raise TypeError("a masked device array: fill it, and name the value as missing")
    strides = interface.get("strides")
    if strides is not None and 0 not in shape:
        expected = dtype.itemsize
        for n, stride in zip(reversed(shape), reversed(strides), strict=True):
            if n != 1 and stride != expected:
                raise InvalidArgumentError("a device array must be in C order: make it contiguous first")
            expected *= n
    return _native.DeviceField(int(interface["data"][0]), shape, f"f{8 * dtype.itemsize}")
