"""Values that usually mark missing elements, as the program fsz knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._stream import Stream

# Those of netCDF, of output and reanalyses of climate models, and of many programs; of either sign.
_USUAL = (9.969209968386869e36, 1e20, 1e30, 1e15, 9.999e20, 9.99e33, 1e34, 1e35, 1e36, 1e37)

# Those of measurements and of grids of height, land and rain. A field may well go up to 9999, so these have one sign.
_NEGATIVE = (-999.0, -9999.0, -99999.0, -32767.0, -32768.0, -9.99e8)

_FILLS = np.array([*_USUAL, *(-value for value in _USUAL), *_NEGATIVE])
# Arrays that were converted have the values of float32 in float64, too.
_KNOWN = frozenset([*_FILLS.tolist(), *_FILLS.astype(np.float32).astype(np.float64).tolist()])


def remark(stream: Stream) -> str | None:
    """Of a stream whose bound follows from the range of its values: what is wrong where that is the range of a fill value
    that nobody named."""
    certificate = stream.certificate
    for what, value in (("largest", certificate.max), ("smallest", certificate.min)):
        if value in _KNOWN:
            text = str(stream.dtype.type(value))  # in as few digits as its type has
            return (
                f"the {what} value is {text}, and the bound is {stream.bound.absolute:.6g}, a part of that: if it marks "
                f"missing elements, give missing={text}"
            )
    return None
