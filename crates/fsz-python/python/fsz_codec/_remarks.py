"""Warnings about a stream that is not what its options seem to want, as the program fsz has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._stream import Stream


def remarks(stream: Stream, options: Mapping[str, Any]) -> Iterator[str]:
    """What is told of a stream that was compressed with options."""
    for place, region in enumerate(stream.regions):
        if region.size == 0:
            yield f"regions[{place}] has no element: no value keeps its bound"
    share = options["range"] if options["value_range"] is None else None
    # Where the bound follows from the range of the values, and that may be the range of a fill value.
    follows = share is not None or options["psnr"] is not None
    if follows and (told := stream._inner.usual_fill_value) is not None:
        end, value = told
        yield (
            f"the {end} value is {value}, and the bound is {stream.bound.absolute:.6g}, a part of that: if it marks "
            f"missing elements, give missing={value}"
        )
    if share is not None and share >= 1 and not options["regions"] and stream.certificate.max_abs_error > 0:
        yield f"range={share:g} is a share of max - min: the values may all become one"
    found = stream.certificate
    if options["psnr"] is not None and found.max_abs_error > 0 and stream.bound.absolute >= found.max - found.min:
        yield f"psnr={options['psnr']:g} is so few decibels that the values may all become one"
    if (asked := stream._inner.missed_ratio) is not None:
        is_exact = stream.certificate.max_abs_error == 0 and stream.ratio > asked
        why = "the nearest that was found, for it jumps from one bound to the next"
        yield f"the ratio is {stream.ratio:.4f}, not {asked:g}: {'all values are exact even so' if is_exact else why}"
