"""Arrays to streams and back."""

from __future__ import annotations

import errno
import os
from builtins import open as _open
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arrays import field_of
from ._errors import InvalidArgumentError
from ._facts import Device
from ._regions import native_region
from ._stream import Progress, Stream, checked_threads


def compress(
    array: Any,
    /,
    *,
    range: float | None = None,
    absolute: float | None = None,
    value_range: tuple[float, float] | None = None,
    relative: float | None = None,
    floor: float | None = None,
    psnr: float | None = None,
    ratio: float | None = None,
    max_bytes: int | None = None,
    missing: float | Sequence[float] = (),
    profile: str = "paper",
    layout: str | None = None,
    name: str | None = None,
    time_step: int | None = None,
    start: Sequence[int] | None = None,
    regions: Sequence[tuple[Any, float]] = (),
    backend: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Stream:
    """Compresses an array of float32 or float64 within an error bound, which holds for every finite element.

    The array can be anything that numpy reads, or a CUDA array of cupy, torch or another library that speaks
    DLPack or the CUDA array interface. In C order and native byte order it is not copied. Do not change it
    during the call.

    Give one of ``range``, ``absolute``, ``relative``, ``psnr``, ``ratio`` and ``max_bytes``. The last three are
    targets: the absolute bound that reaches them is searched, for which the array is compressed a few times. They
    need an array in host memory.

    :param range: the bound as a share of max - min over the finite, not missing values.
    :param absolute: the bound in the array's own unit.
    :param value_range: min and max to which ``range`` refers, where the array is a part of something larger.
    :param relative: the bound as a share of each element, at most 0.5.
    :param floor: with ``relative``, an error that is small enough for any element, in the array's own unit.
    :param psnr: find the bound that gives a peak signal-to-noise ratio of at least this many decibels.
    :param ratio: find the bound whose compression ratio comes nearest to this one, as a rule within 3 %.
    :param max_bytes: find the smallest bound whose stream has at most this many bytes.
    :param missing: up to 4 values (such as 1e20) that are kept exactly and do not count for the range. NaN and
        infinities always are.
    :param profile: ``"paper"`` is fast; ``"dense"`` makes streams about half as long, slower.
    :param layout: tiles of the profile ``dense``: ``"plane"``, ``"brick"`` or ``"line"``; chosen by default.
    :param name: a variable name to record.
    :param time_step: a time step to record.
    :param start: where the array begins in a global one, an entry per axis, to record.
    :param regions: up to 16 parts with bounds of their own, pairs ``(key, bound)``: a key selects a box of the array by
        slices and integers, or is an array of bool of its shape; the bound is of the kind of the array's. Where
        they overlap, the last one holds. They need an array in host memory, and no target.
    :param backend: ``"auto"`` (the CPU, or a CUDA device for calls that it does sooner), ``"cpu"``, ``"cuda"``
        or ``"cuda:1"``. All give the same bytes. A CUDA array is compressed on its device.
    :param threads: threads to use, at most 4 for each core; one for each by default. The bytes do not depend on it.
    :param progress: called now and then as ``progress(done, total)`` with bytes of the array; an exception that
        it raises ends the call, as Ctrl-C does.
    :raises InvalidArgumentError: for options out of range.
    :raises TypeError: for an array of another type.
    :raises DeviceError: when a CUDA device that was asked for fails.
    """
    options: dict[str, Any] = {
        "range": range,
        "absolute": absolute,
        "value_range": value_range,
        "relative": relative,
        "floor": floor,
        "psnr": psnr,
        "ratio": ratio,
        "max_bytes": None if max_bytes is None else _natural("max_bytes", max_bytes),
        "missing": missing_values(missing),
        "profile": profile,
        "layout": layout,
        "name": name,
        "time_step": None if time_step is None else _natural("time_step", time_step),
        "start": None if start is None else [_natural("start", n) for n in start],
    }
    threads = checked_threads(threads)
    field = field_of(array)
    options["regions"] = [native_region(key, bound, tuple(field.shape)) for key, bound in regions]
    if isinstance(field, _native.DeviceField):
        return Stream._of(*_native.compress_device(field, options))
    return Stream._of(_native.compress(field, options, backend, threads, progress))


def decompress(
    stream: Any,
    /,
    *,
    out: npt.NDArray[Any] | None = None,
    device: int | None = None,
    backend: str = "auto",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Any:
    """Decompresses a ``Stream``, or the bytes of one; see ``Stream.decompress``."""
    if not isinstance(stream, Stream):
        stream = Stream.from_bytes(stream)
    return stream.decompress(out=out, device=device, backend=backend, threads=threads, progress=progress)


def open(path: str | os.PathLike[str], *, mmap: bool = True) -> Stream:
    """Opens a ``.fsz`` file. It is mapped: only what is decoded is read.

    Nothing may change or truncate the file while the stream is in use; with ``mmap=False`` it is read as a whole.

    :raises OSError: for a file that cannot be read, of the same class as that of the built-in ``open``.
    :raises CorruptError: for one that is no stream.
    """
    if mmap:
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        return Stream._of(_native.Stream.map(os.fspath(path)))
    with _open(path, "rb") as file:
        return Stream.from_bytes(file.read())


def devices() -> list[Device]:
    """The CUDA devices that can be used; ``DeviceError`` says why there are none."""
    return [Device(*facts) for facts in _native.devices()]


def missing_values(missing: float | Sequence[float]) -> list[float]:
    """One value or several, as a list."""
    return [float(value) for value in np.atleast_1d(np.asarray(missing, np.float64))]


def _natural(name: str, n: int) -> int:
    if not 0 <= n < 2**64:
        raise InvalidArgumentError(f"{name} {n}: it must be from 0 to 2**64 - 1")
    return int(n)
