"""Parts of an array, as they are handed to the native module."""

from __future__ import annotations

from collections.abc import Iterable
from reprlib import repr as short
from typing import Any

import numpy as np

from ._errors import InvalidArgumentError
from ._index import NoIndexError, selected
from .hdf5 import as_number

NativeRegion = tuple[list[int], list[int], bytes | None, float]
"""Start and count of a box, or a mask of a byte an element; and a bound."""


def native_regions(regions: Any, shape: tuple[int, ...]) -> list[NativeRegion]:
    """The argument ``regions`` of an array of ``shape``."""
    read = []
    for region in [None] if isinstance(regions, (str, bytes)) or not isinstance(regions, Iterable) else regions:
        if not isinstance(region, (tuple, list)) or len(region) != 2 or (bound := as_number(region[1])) is None:
            raise InvalidArgumentError(
                "regions: a list of pairs is needed, each a part of the array and its bound, such as "
                "[(np.s_[:4, 2:6], 1e-4), (mask, 1e-3)]"
            )
        read.append(native_region(region[0], bound, shape))
    return read


def native_region(key: Any, bound: float, shape: tuple[int, ...]) -> NativeRegion:
    """A part of an array of ``shape`` that keeps ``bound``.

    :raises InvalidArgumentError: for a key that selects neither a box nor the elements of a mask.
    """
    # Masks of xarray, dask and other libraries, and nested lists. A masked array stays one.
    if isinstance(key, list) or hasattr(key, "__array__"):
        key = np.asanyarray(key)
    if isinstance(key, np.ma.MaskedArray):
        if not np.ma.is_masked(key):
            return native_region(key.data, bound, shape)
        raise InvalidArgumentError("a region that is a masked array: pass region.filled(False), or filled(True)")
    if isinstance(key, np.ndarray) and key.dtype == bool:
        if key.shape != shape:
            raise InvalidArgumentError(f"a mask of shape {key.shape} for an array of shape {shape}")
        return [], [], np.ascontiguousarray(key).tobytes(), bound
    if isinstance(key, np.ndarray) and key.ndim > 0:
        raise InvalidArgumentError(f"a mask of {key.dtype}: it must be one of bool, as mask.astype(bool)")
    try:
        sides = selected(shape, key)
    except NoIndexError:
        # Its words are those of a stream that is indexed.
        raise InvalidArgumentError(
            f"a region of {short(key)}: integers, slices and '...' select a box, or a mask of bool any elements"
        ) from None
    # Those of one element are not apart, whatever the step.
    if any(side.step != 1 and len(side) != 1 for side in sides):
        raise InvalidArgumentError("a region whose elements are apart: slices with a step select no box")
    return [side.start for side in sides], [len(side) for side in sides], None, bound
