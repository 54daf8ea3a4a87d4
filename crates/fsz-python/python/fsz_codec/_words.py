"""What a stream keeps, in words: as the command line tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._facts import Bound
    from ._stream import Stream


def bounds(stream: Stream) -> str:
    """The bound of a stream, with those of its regions."""
    text = _bound(stream.bound, stream.floor)
    if regions := stream.regions:
        text += "; in regions " + "; ".join(_bound(region.bound, stream.floor) for region in regions)
    return text


def largest_error(stream: Stream) -> str:
    """What the certificate tells. With regions it is a limit: it may be no element's error."""
    return f"{'at most ' if stream.regions else ''}{stream.certificate.max_abs_error:.6g}"


def _bound(bound: Bound, floor: float | None) -> str:
    if bound.kind == "pointwise-relative":
        return f"{bound.requested:g} of each value" + (f", or {floor:.6g}" if floor else "")
    of_range = f" ({bound.requested:g} of the range)" if bound.kind == "value-range" else ""
    return f"{bound.absolute:.6g}{of_range}"
