"""Arrays to streams and back."""

from __future__ import annotations

import errno
import os
import warnings
from builtins import open as _open
from collections.abc import Iterable, Sequence
from reprlib import repr as short
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._arguments import Number, Whole, missing_values, natural, number, pair, text, threads_of
from ._arrays import field_of
from ._errors import FszError, InvalidArgumentError
from ._facts import Device
from ._regions import native_regions
from ._remarks import remarks
from ._stream import Progress, Stream


def compress(
    array: Any,
    /,
    *,
    range: Number | None = None,
    absolute: Number | None = None,
    value_range: tuple[Number, Number] | npt.NDArray[Any] | None = None,
    relative: Number | None = None,
    floor: Number | None = None,
    psnr: Number | None = None,
    ratio: Number | None = None,
    max_bytes: Whole | None = None,
    missing: Number | Sequence[Number] | None = (),
    profile: str = "paper",
    layout: str | None = None,
    like: Stream | None = None,
    name: str | None = None,
    time_step: Whole | None = None,
    start: Sequence[Whole] | npt.NDArray[Any] | None = None,
    regions: Sequence[tuple[Any, Number]] | None = (),
    backend: str = "auto",
    threads: Whole | None = None,
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
    :param ratio: find the bound whose compression ratio comes nearest to this one, as a rule within 3 %; a warning tells
        where it is missed by more.
    :param max_bytes: find the smallest bound whose stream has at most this many bytes.
    :param missing: up to 4 values (such as 1e20) that are kept exactly and do not count for the range. NaN and
        infinities always are. A usual one that nobody named, at an end of the range that the bound follows from, is a
        warning.
    :param profile: ``"paper"`` is fast; ``"dense"`` makes streams about half as long, slower.
    :param layout: tiles of the profile ``dense``: ``"plane"``, ``"brick"`` or ``"line"``; chosen by default.
    :param like: a stream whose profile, layout, prediction and tables are used, in the place of ``profile`` and
        ``layout``: for the steps of a series, so that nothing is chosen anew. The bound holds whatever the array. Goes
        with no ``regions``.
    :param name: a variable name to record; an empty one is none.
    :param time_step: a time step to record.
    :param start: where the array begins in a global one, an entry per axis, to record.
    :param regions: up to 16 parts with bounds of their own, pairs ``(key, bound)``: a key selects a box of the array by
        slices and integers, or is an array of bool of its shape; the bound is of the kind of the array's. Where
        they overlap, the last one holds. They go with no target.
    :param backend: ``"auto"`` (the CPU, or a CUDA device for calls that are faster there), ``"cpu"``, ``"cuda"``
        or ``"cuda:1"``. All give the same bytes. A CUDA array is compressed on its device.
    :param threads: threads to use, at most 4 for each core; one for each by default. The bytes do not depend on it.
    :param progress: called now and then as ``progress(done, total)`` with bytes of the array; an exception that
        it raises ends the call, as Ctrl-C does. Not for a CUDA array.
    :raises InvalidArgumentError: for options out of range.
    :raises TypeError: for an array of another type.
    :raises DeviceError: when a CUDA device that was asked for fails.
    """
    options: dict[str, Any] = {
        "range": number("range", range),
        "absolute": number("absolute", absolute),
        "value_range": pair("value_range", value_range),
        "relative": number("relative", relative),
        "floor": number("floor", floor),
        "psnr": number("psnr", psnr),
        "ratio": number("ratio", ratio),
        "max_bytes": None if max_bytes is None else natural("max_bytes", max_bytes),
        "missing": missing_values(missing),
        "profile": text("profile", profile),
        "layout": None if layout is None else text("layout", layout),
        "like": None if like is None else _model(like, profile, layout),
        "name": None if name is None else text("name", name),
        "time_step": None if time_step is None else natural("time_step", time_step),
        "start": None if start is None else _position(start),
    }
    threads = threads_of(threads)
    backend = text("backend", backend)
    field = field_of(array)
    options["regions"] = native_regions(() if regions is None else regions, tuple(field.shape))
    if isinstance(field, _native.DeviceField):
        stream = Stream._of(*_native.compress_device(field, options))
    else:
        stream = Stream._of(_native.compress(field, options, backend, threads, progress))
    for remark in remarks(stream, options):
        warnings.warn(remark, stacklevel=2)
    return stream


def decompress(
    stream: Any,
    /,
    *,
    out: npt.NDArray[Any] | None = None,
    device: Whole | None = None,
    backend: str = "auto",
    threads: Whole | None = None,
    progress: Progress | None = None,
) -> Any:
    """Decompresses a ``Stream``, or the bytes of one; see ``Stream.decompress``."""
    if not isinstance(stream, Stream):
        stream = Stream.from_bytes(stream)
    return stream.decompress(out=out, device=device, backend=backend, threads=threads, progress=progress)


def open(path: str | bytes | os.PathLike[Any], *, mmap: bool = True) -> Stream:
    """Opens a ``.fsz`` file. It is mapped: only what is decoded is read. A pipe is read as a whole.

    Nothing may change or truncate the file while the stream is in use; with ``mmap=False`` it is read as a whole.

    :raises OSError: for a file that cannot be read, of the same class as that of the built-in ``open``.
    :raises CorruptError: for one that is no stream; it names the file.
    """
    # A number would be a descriptor, which somebody else closes.
    path = os.fspath(path)
    if mmap and os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    try:
        # What is no regular file cannot be mapped; what is not there is told by the built-in open.
        if mmap and os.path.isfile(path):
            return Stream._of(_native.Stream.map(os.fsdecode(path)))
        with _open(path, "rb") as file:
            return Stream.from_bytes(file.read())
    except FszError as error:
        raise type(error)(f"{os.fsdecode(path)}: {error}") from None


def devices() -> list[Device]:
    """The CUDA devices that can be used; ``DeviceError`` says why there are none."""
    return [Device(*facts) for facts in _native.devices()]


def max_compressed_len(shape: Whole | Sequence[Whole], dtype: npt.DTypeLike) -> int:
    """Bytes that the stream of an array of this shape, of float32 or float64, takes at most, without regions."""
    # Rust's names are no names of numpy's.
    kind = np.dtype({"f32": "f4", "f64": "f8"}.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    if kind.kind != "f" or kind.itemsize not in (4, 8):
        raise InvalidArgumentError(f"a dtype of {kind}: FSZ compresses float32 and float64")
    return _native.max_compressed_len(_position(shape, "shape"), f"f{8 * kind.itemsize}")


def _model(like: Stream, profile: str, layout: str | None) -> _native.Stream:
    if not isinstance(like, Stream):
        raise InvalidArgumentError(f"like is a {type(like).__name__}: a Stream is needed, as of fsz_codec.open or Stream.from_bytes")
    if profile != "paper" or layout is not None:
        raise InvalidArgumentError("like goes with no profile and no layout: it has those of its stream")
    return like._inner


def _position(given: Any, name: str = "start") -> list[int]:
    entries = [given] if isinstance(given, (int, np.integer)) else given
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        raise InvalidArgumentError(f"{name}={short(given)}: a whole number per axis is needed")
    return [natural(name, entry) for entry in entries]
