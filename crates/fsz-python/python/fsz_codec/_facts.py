"""What a stream says of itself."""

from typing import NamedTuple


class Bound(NamedTuple):
    """The error bound of a stream: every finite element keeps |original - decoded| <= ``absolute``; of a
    pointwise-relative bound, <= max(``requested`` * |original|, the stream's ``floor``)."""

    kind: str
    """``"absolute"``, ``"value-range"``, ``"pointwise-relative"``, or a target: ``"PSNR"``, ``"ratio"``,
    ``"most bytes"``."""
    requested: float
    """The number asked for: the absolute bound, the share of the value range or of each element, or the target."""
    absolute: float
    """The bound in the field's unit; 0 for a field of one value. Of a pointwise-relative bound, what the largest
    element keeps."""


class Certificate(NamedTuple):
    """What the encoder measured while it compressed."""

    max_abs_error: float
    """Largest |original - decoded| over the finite elements; of a stream with regions, a limit of it."""
    min: float
    """Smallest finite, not missing value; NaN when there is none."""
    max: float
    """Largest finite, not missing value; NaN when there is none."""
    nan: int
    """NaN elements that are not a named missing value."""
    inf: int
    """Elements that are +Inf or -Inf."""
    missing: int
    """Elements equal to a named missing value."""
    escaped: int
    """Elements whose exact bits the stream holds, for whatever reason."""
    mean_squared_error: float | None
    """Over the finite, not missing values; measured when the bound was found for a PSNR."""
    max_relative_error: float | None
    """Largest |original - decoded| / |original| of elements that are too large for the floor; of a pointwise-relative
    bound."""


class Region(NamedTuple):
    """A part of an array that keeps a bound of its own."""

    box: tuple[slice, ...] | None
    """What selects it, where it is a box; None where it is a mask, whose place ``Stream.regions_of`` tells."""
    size: int
    """Elements."""
    bound: Bound
    compressed_bytes: int
    """Bytes that the stream takes for them."""
    certificate: Certificate
    """What the encoder measured of them, also of those that a later region holds."""


class Device(NamedTuple):
    """A CUDA device that can be used."""

    name: str
    number: int
    """What ``backend="cuda:N"`` and ``device=N`` take."""
    memory: int
    """Bytes."""
    capability: tuple[int, int]
    """Compute capability."""


TILE_KINDS = (
    "lz1",
    "lz2",
    "lz1_centered",
    "lz2_centered",
    "interpolated",
    "constant",
    "exceptions",
    "verbatim",
)
"""Kinds of tiles, in the order of their numbers in the native module."""
