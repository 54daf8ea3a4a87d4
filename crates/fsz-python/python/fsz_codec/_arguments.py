"""Arguments, checked: numbers of any kind, and nothing that only looks like one."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import suppress
from reprlib import repr as short
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np

from ._errors import InvalidArgumentError
from .hdf5 import as_number

Number: TypeAlias = SupportsFloat
"""A number of Python or numpy."""

Whole: TypeAlias = SupportsIndex | float
"""A whole number, such as 3 and 1e5."""


def number(name: str, value: Any) -> float | None:
    """A number of Python or numpy; None for one that is not given."""
    if value is None:
        return None
    plain = as_number(value)
    if plain is None:
        raise InvalidArgumentError(f"{name}={short(value)}: a number is needed")
    return plain


def natural(name: str, value: Any) -> int:
    """A whole number that is not negative, such as 3 and 1e5."""
    plain = as_number(value)
    if plain is not None and (hasattr(value, "__index__") or plain.is_integer()):
        # Not by way of a float where it can be avoided, which holds 53 bits.
        whole = operator.index(value) if hasattr(value, "__index__") else int(plain)
        if 0 <= whole < 2**64:
            return whole
    raise InvalidArgumentError(f"{name}={short(value)}: a whole number from 0 to 2**64 - 1 is needed")


def text(name: str, value: Any) -> str:
    """Text that can be written as UTF-8, and read in C, where a zero byte ends it."""
    if isinstance(value, str) and "\0" not in value:
        with suppress(UnicodeEncodeError):
            value.encode()
            return value
    raise InvalidArgumentError(f"{name}={short(value)}: text is needed, without a zero byte")


def pair(name: str, value: Any) -> tuple[float, float] | None:
    """Two numbers; None where they are not given."""
    if value is None:
        return None
    try:
        low, high = (as_number(end) for end in value)
    except (TypeError, ValueError):
        low = high = None
    if low is None or high is None:
        raise InvalidArgumentError(f"{name}={short(value)}: two numbers are needed, (min, max)")
    return low, high


def missing_values(missing: Number | Sequence[Number] | None) -> list[float]:
    """None, one value or several, as a list."""
    if missing is None:
        return []
    try:
        values = list(np.atleast_1d(np.asanyarray(missing)))
    except ValueError:  # of unequal lengths
        values = [None]
    plain = [as_number(value) for value in values]
    found = [value for value in plain if value is not None]
    if len(found) != len(plain):
        raise InvalidArgumentError(f"missing={short(missing)}: a number is needed, or a list of numbers")
    return found


def threads_of(threads: Any) -> int | None:
    """The argument ``threads``."""
    if threads is None:
        return None
    n = natural("threads", threads)
    if n == 0:
        raise InvalidArgumentError("0 threads: use at least 1")
    return n
