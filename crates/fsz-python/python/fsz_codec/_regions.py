"""Parts of an array, as they are handed to the native module."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InvalidArgumentError
from ._index import selected

NativeRegion = tuple[list[int], list[int], bytes | None, float]
"""Start and count of a box, or a mask of a byte an element; and a bound."""


def native_region(key: Any, bound: float, shape: tuple[int, ...]) -> NativeRegion:
    """A part of an array of ``shape`` that keeps ``bound``.

    :raises InvalidArgumentError: for a key that selects neither a box nor the elements of a mask.
    """
    if isinstance(key, np.ndarray) and key.dtype == bool:
        if key.shape != shape:
            raise InvalidArgumentError(f"a mask of shape {key.shape} for an array of shape {shape}")
        return [], [], np.ascontiguousarray(key).tobytes(), float(bound)
    if isinstance(key, np.ndarray) and key.ndim > 0:
        raise InvalidArgumentError(f"a mask of {key.dtype}: it must be one of bool, as mask.astype(bool)")
    sides = selected(shape, key)
    if any(side.step != 1 for side in sides):
        raise InvalidArgumentError("a region whose elements are apart: slices with a step select no box")
    return [side.start for side in sides], [len(side) for side in sides], None, float(bound)
