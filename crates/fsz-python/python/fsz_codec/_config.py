"""What the codecs of Zarr and numcodecs are configured with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ._compress import missing_values
from ._errors import InvalidArgumentError

CODEC_NAME = "fsz_codec"
"""The codec's name in the metadata of arrays, for Zarr 2 and 3."""

# Most missing values that a stream can name, and most axes.
_MOST_MISSING = 4
MOST_DIMENSIONS = 8

_KEYS = ("range", "absolute", "missing", "profile")


class Config:
    """Bound, missing values and profile, checked."""

    __slots__ = ("absolute", "missing", "profile", "range")

    def __init__(
        self,
        range: float | None,
        absolute: float | None,
        missing: float | Sequence[float],
        profile: str,
    ) -> None:
        bound = absolute if range is None else range
        if (range is None) == (absolute is None) or bound is None:
            raise InvalidArgumentError("give the bound: either range= or absolute=")
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise InvalidArgumentError(f"bound {bound!r}: it must be a number")
        if not (math.isfinite(bound) and bound > 0):
            raise InvalidArgumentError(f"bound {bound}: it must be a positive, finite number")
        if profile not in ("paper", "dense"):
            raise InvalidArgumentError(f"unknown profile '{profile}': use paper or dense")
        # NaN and infinities are kept exactly anyway, and JSON has no words for them.
        named = tuple(dict.fromkeys(v for v in missing_values(missing) if math.isfinite(v)))
        if len(named) > _MOST_MISSING:
            raise InvalidArgumentError(f"{len(named)} missing values: at most {_MOST_MISSING} can be named")
        self.range = None if range is None else float(range)
        self.absolute = None if absolute is None else float(absolute)
        self.missing = named
        self.profile = profile

    @classmethod
    def read(cls, configuration: Mapping[str, Any]) -> Config:
        """From the metadata of an array."""
        if unknown := set(configuration) - set(_KEYS):
            raise InvalidArgumentError(f"unknown in the configuration of {CODEC_NAME}: {', '.join(sorted(unknown))}")
        return cls(
            configuration.get("range"),
            configuration.get("absolute"),
            configuration.get("missing", ()),
            configuration.get("profile", "paper"),
        )

    def to_dict(self) -> dict[str, Any]:
        """For the metadata of an array: what differs from the defaults."""
        bound = {"absolute": self.absolute} if self.range is None else {"range": self.range}
        missing = {"missing": list(self.missing)} if self.missing else {}
        return {**bound, **missing, **({} if self.profile == "paper" else {"profile": self.profile})}

    def arguments(self) -> str:
        """As they are written in Python."""
        return ", ".join(f"{key}={value!r}" for key, value in self.to_dict().items())

    def options(self, fill_value: float | None = None) -> dict[str, Any]:
        """For ``compress``. Elements equal to the fill value of the array are kept exactly, and do not count for
        the range: the edge chunks are padded with them."""
        missing = list(self.missing)
        counts = fill_value is not None and math.isfinite(fill_value) and fill_value not in missing
        # The profile paper decodes a zero as a zero, so there it need only be named where it would widen a range.
        if counts and (fill_value != 0 or self.range is not None or self.profile != "paper"):
            missing.append(float(fill_value or 0))
        return {"range": self.range, "absolute": self.absolute, "missing": missing, "profile": self.profile}
