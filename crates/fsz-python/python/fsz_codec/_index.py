"""numpy's indices as boxes to decode."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from itertools import product
from types import EllipsisType
from typing import Any, NamedTuple, TypeAlias


class NoIndexError(IndexError):
    """Something that is neither an integer, a slice nor an ellipsis."""


class Part(NamedTuple):
    """A box to decode, and where it goes."""

    start: tuple[int, ...]
    counts: tuple[int, ...]
    place: tuple[int | slice, ...]
    """Where the selected elements of the box go in the output."""


class Selection(NamedTuple):
    """What an index selects."""

    parts: list[Part]
    pick: tuple[slice, ...]
    """The elements selected within each box."""
    shape: tuple[int, ...]
    """The selected elements along each axis of the field."""
    drop: tuple[int | slice | EllipsisType, ...]
    """Drops the axes of the output that an integer selected."""


# First element, number of elements, and the place of a single one in the output.
_Interval: TypeAlias = tuple[int, int, int | None]

# Elements between two selected planes from which on decoding each for itself is cheaper than all between.
_FAR = 16384


def select(shape: tuple[int, ...], key: Any, least_step: int) -> Selection:
    """The boxes that hold what ``key`` selects of a field of ``shape``.

    Planes that are at least ``least_step`` apart and far from each other in memory get a box each, so that what
    lies between is not decoded.
    """
    ranges = selected(shape, key)
    drop: list[int | slice | EllipsisType] = []
    for entry in _per_axis(key, len(shape)):
        drop.append(slice(None) if isinstance(entry, slice) else 0)
    # An index with an ellipsis gives an array, even of no dimensions.
    if key is Ellipsis or (isinstance(key, tuple) and any(entry is Ellipsis for entry in key)):
        drop.append(Ellipsis)
    counts = tuple(len(r) for r in ranges)
    if 0 in counts:
        return Selection([], (), counts, tuple(drop))

    # For each axis the intervals to decode, and where they go.
    choices: list[list[_Interval]] = []
    pick: list[slice] = []
    inner = 1
    for n, r in zip(reversed(shape), reversed(ranges), strict=True):
        step = abs(r.step)
        if len(r) > 1 and step > 1 and step >= least_step and step * inner >= _FAR:
            choices.append([(i, 1, place) for place, i in enumerate(r)])
            pick.append(slice(None))
        else:
            low, high = min(r[0], r[-1]), max(r[0], r[-1])
            choices.append([(low, high - low + 1, None)])
            pick.append(slice(None, None, r.step))
        inner *= n
    choices.reverse()
    pick.reverse()
    return Selection(list(_parts(choices)), tuple(pick), counts, tuple(drop))


def _parts(choices: list[list[_Interval]]) -> Iterator[Part]:
    for combination in product(*choices):
        place = tuple(slice(None) if p is None else slice(p, p + 1) for _, _, p in combination)
        yield Part(tuple(s for s, _, _ in combination), tuple(c for _, c, _ in combination), place)


def selected(shape: tuple[int, ...], key: Any) -> list[range]:
    """The elements that ``key`` selects along each axis."""
    axes = zip(shape, _per_axis(key, len(shape)), strict=True)
    return [range(*e.indices(n)) if isinstance(e, slice) else _one(e, n) for n, e in axes]


def _one(entry: int, n: int) -> range:
    i = entry + n if entry < 0 else entry
    if not 0 <= i < n:
        raise IndexError(f"index {entry} of an axis of {n} elements")
    return range(i, i + 1)


def _per_axis(key: Any, ndim: int) -> list[int | slice]:
    """An integer or a slice for each axis."""
    entries = list(key) if isinstance(key, tuple) else [key]
    ellipses = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = ndim - (len(entries) - len(ellipses))
    if missing < 0:
        raise IndexError(f"{len(entries) - len(ellipses)} indices for a field of {ndim} dimensions")
    at = ellipses[0] if ellipses else len(entries)
    entries[at : at + len(ellipses)] = [slice(None)] * missing
    return [_entry(entry) for entry in entries]


def _entry(entry: Any) -> int | slice:
    if isinstance(entry, slice):
        return entry
    if entry is None:
        raise NoIndexError("a stream takes no new axes (None): index the decoded array instead")
    if not isinstance(entry, bool):
        try:
            return operator.index(entry)
        except TypeError:
            pass
    raise NoIndexError(
        f"an index of {type(entry).__name__}: a stream takes integers, slices and '...'; "
        "for anything else decode it with np.asarray(stream)"
    )
