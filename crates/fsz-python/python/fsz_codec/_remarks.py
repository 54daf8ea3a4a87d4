"""Warnings about a stream that is not what its options seem to want, as the program fsz has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._stream import Stream

# Values that usually mark missing elements: those of netCDF, of output and reanalyses of climate models, and of many
# programs; of either sign.
_USUAL = (9.969209968386869e36, 1e20, 1e30, 1e15, 9.999e20, 9.99e33, 1e34, 1e35, 1e36, 1e37)

# And those of measurements and of grids of height, land and rain. A field may well go up to 9999, so these have one sign.
_NEGATIVE = (-999.0, -9999.0, -99999.0, -32767.0, -32768.0, -9.99e8)

_FILLS = np.array([*_USUAL, *(-value for value in _USUAL), *_NEGATIVE])
# Arrays that were converted have the values of float32 in float64, too.
_KNOWN = frozenset([*_FILLS.tolist(), *_FILLS.astype(np.float32).astype(np.float64).tolist()])


def remarks(stream: Stream, options: Mapping[str, Any]) -> Iterator[str]:
    """What is told of a stream that was compressed with options."""
    for place, region in enumerate(stream.regions):
        if region.size == 0:
            yield f"regions[{place}] has no element: no value keeps its bound"
    share = options["range"] if options["value_range"] is None else None
    if share is not None or options["psnr"] is not None:
        yield from _of_fill_value(stream)
    if share is not None and share >= 1 and not options["regions"] and stream.certificate.max_abs_error > 0:
        yield f"range={share:g} is a share of max - min: the values may all become one"
    if (asked := stream._inner.missed_ratio) is not None:
        yield f"the ratio is {stream.ratio:.4f}, not {asked:g}: no bound was found that comes nearer"


def _of_fill_value(stream: Stream) -> Iterator[str]:
    """Of a stream whose bound follows from the range of its values, where that is the range of a fill value that nobody
    named."""
    certificate = stream.certificate
    for what, value in (("largest", certificate.max), ("smallest", certificate.min)):
        if value in _KNOWN:
            text = str(stream.dtype.type(value))  # in as few digits as its type has
            yield (
                f"the {what} value is {text}, and the bound is {stream.bound.absolute:.6g}, a part of that: if it marks "
                f"missing elements, give missing={text}"
            )
