"""What the codecs of Zarr and numcodecs are configured with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arguments import Number, missing_values, number
from ._errors import InvalidArgumentError

CODEC_NAME = "fsz_codec"
"""The codec's name in the metadata of arrays, for Zarr 2 and 3."""

# Most missing values that a stream can name, and most axes.
_MOST_MISSING = 4
MOST_DIMENSIONS = 8

# Largest pointwise-relative bound.
_MOST_RELATIVE = 0.5

_BOUNDS = ("range", "absolute", "relative")
_KEYS = (*_BOUNDS, "floor", "missing", "profile")


class Config:
    """Bound, missing values and profile, checked."""

    __slots__ = ("absolute", "floor", "missing", "profile", "range", "relative")

    def __init__(
        self,
        *,
        range: Number | None = None,
        absolute: Number | None = None,
        relative: Number | None = None,
        floor: Number | None = None,
        missing: Number | Sequence[Number] | None = (),
        profile: str = "paper",
    ) -> None:
        range, absolute, relative = number("range", range), number("absolute", absolute), number("relative", relative)
        floor = number("floor", floor)
        bounds = {"value-range": range, "absolute": absolute, "pointwise-relative": relative}
        given = [(kind, bound) for kind, bound in bounds.items() if bound is not None]
        if len(given) != 1:
            raise InvalidArgumentError("give the bound: one of range=, absolute= and relative=")
        ((kind, bound),) = given
        if not (math.isfinite(bound) and bound > 0):
            raise InvalidArgumentError(f"{kind} bound {bound:g}: it must be a positive, finite number")
        if relative is not None and relative > _MOST_RELATIVE:
            raise InvalidArgumentError(f"{kind} bound {relative:g}: it must be at most {_MOST_RELATIVE}")
        if floor is not None:
            if relative is None:
                raise InvalidArgumentError("floor= is for relative= only")
            if not (math.isfinite(floor) and floor >= 0):
                raise InvalidArgumentError(f"floor {floor!r}: it must be a finite number, and not negative")
        if profile not in ("paper", "dense"):
            raise InvalidArgumentError(f"unknown profile '{profile}': use paper or dense")
        # NaN and infinities are kept exactly anyway, and JSON has no words for them.
        named = _distinct((v for v in missing_values(missing) if math.isfinite(v)), np.float64)
        if len(named) > _MOST_MISSING:
            raise InvalidArgumentError(f"{len(named)} missing values: at most {_MOST_MISSING} can be named")
        self.range = range
        self.absolute = absolute
        self.relative = relative
        # No floor and one of 0 are the same.
        self.floor = floor or None
        self.missing = named
        self.profile = profile

    @classmethod
    def read(cls, configuration: Mapping[str, Any]) -> Config:
        """From the metadata of an array."""
        if unknown := set(configuration) - set(_KEYS):
            raise InvalidArgumentError(
                f"unknown in the configuration of {CODEC_NAME}: {', '.join(sorted(unknown))}; "
                f"known are {', '.join(_KEYS)}"
            )
        return cls(**configuration)

    def to_dict(self) -> dict[str, Any]:
        """For the metadata of an array: what differs from the defaults."""
        bounds = {key: getattr(self, key) for key in (*_BOUNDS, "floor")}
        given = {key: bound for key, bound in bounds.items() if bound is not None}
        missing = {"missing": list(self.missing)} if self.missing else {}
        return {**given, **missing, **({} if self.profile == "paper" else {"profile": self.profile})}

    def arguments(self) -> str:
        """As they are written in Python."""
        return ", ".join(f"{key}={value!r}" for key, value in self.to_dict().items())

    def options(self, fill_value: float | None = None, dtype: npt.DTypeLike = np.float64) -> dict[str, Any]:
        """For ``compress``. Elements equal to the fill value of the array, which is one of ``dtype``, are kept exactly,
        and do not count for the range: the edge chunks are padded with them."""
        missing: tuple[float, ...] = self.missing
        if fill_value is not None and math.isfinite(fill_value):
            zero = fill_value == 0 and math.copysign(1, fill_value) > 0
            # The profile paper decodes a zero as a zero, so there it need only be named where it would widen a range.
            if not zero or self.range is not None or self.profile != "paper":
                missing = (*missing, float(fill_value))
        # A fill value of float32 may be named as missing by a number that rounds to it.
        missing = _distinct(missing, dtype)
        if len(missing) > _MOST_MISSING:
            raise InvalidArgumentError(
                f"{_MOST_MISSING} missing values, and the array's fill value {fill_value:g}: at most {_MOST_MISSING} "
                "can be kept in all; name fewer as missing"
            )
        bounds = {key: getattr(self, key) for key in (*_BOUNDS, "floor")}
        return {**bounds, "missing": missing, "profile": self.profile}


def _distinct(values: Iterable[float], dtype: npt.DTypeLike) -> tuple[float, ...]:
    """The values that are different bits of ``dtype``, as elements are compared: 0 and -0 are."""
    with np.errstate(over="ignore"):
        return tuple({np.array(value, dtype).tobytes(): value for value in values}.values())
