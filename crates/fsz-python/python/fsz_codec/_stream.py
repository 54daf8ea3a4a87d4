"""A compressed array."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _html, _native, _words
from ._arguments import Whole, natural, text, threads_of
from ._errors import InvalidArgumentError
from ._facts import TILE_KINDS, Bound, Certificate, Region
from ._index import Selection, select

Progress = Callable[[int, int], object]
"""Called with the bytes of the array that are done, and with all of them."""

# From which step on planes between selected ones are skipped: tiles of the profile dense are boxes, up to 64
# elements thick along an axis that is far apart in memory.
LEAST_STEP = {"paper": 1, "dense": 64}

# Bytes that iterating decodes at once.
ITERATED = 32 << 20


class Stream:
    """A compressed array: its header, certificate and tiles are there, and its elements on demand.

    Threads may share a stream. Indexing decodes what it selects and gives numpy arrays::

        stream[3:7, :, 10]
    """

    __slots__ = ("__weakref__", "_device", "_inner")

    _inner: _native.Stream
    _device: int | None

    def __init__(self) -> None:
        raise TypeError("use fsz_codec.compress, fsz_codec.open or Stream.from_bytes")

    @classmethod
    def _of(cls, native: _native.Stream, device: int | None = None) -> Stream:
        stream = object.__new__(cls)
        stream._inner = native
        stream._device = device
        return stream

    @classmethod
    def from_bytes(cls, data: Any, /) -> Stream:
        """Opens a stream in memory; a ``bytes`` object is not copied, any other buffer is.

        Raises ``CorruptError`` or ``UnsupportedError`` for bytes that are no stream of this release. The
        elements are checked when they are decoded.
        """
        if isinstance(data, (str, os.PathLike)):
            raise TypeError(f"{data!r} is no stream: use fsz_codec.open for a file")
        return cls._of(_native.Stream.from_bytes(data if type(data) is bytes else bytes(memoryview(data))))

    # What it says of itself.

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements per axis, slowest axis first."""
        return self._inner.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """``float32`` or ``float64``."""
        return self._inner.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for n in self.shape:
            size *= n
        return size

    @property
    def nbytes(self) -> int:
        """Bytes of the decoded array."""
        return self.size * self.dtype.itemsize

    @property
    def compressed_bytes(self) -> int:
        """Bytes of the stream."""
        return self._inner.compressed_bytes

    @property
    def ratio(self) -> float:
        """Bytes of the decoded array over those of the stream."""
        return self._inner.ratio

    @property
    def bound(self) -> Bound:
        """The error bound, as requested and as an absolute one."""
        return Bound(*self._inner.bound)

    @property
    def regions(self) -> tuple[Region, ...]:
        """The parts with bounds of their own; where they overlap, the last one holds."""
        facts = []
        for place, size, bound, stored, certificate in self._inner.regions:
            sides = None if place is None else zip(*place, strict=True)
            box = None if sides is None else tuple(slice(start, start + n) for start, n in sides)
            facts.append(Region(box, size, Bound(*bound), stored, Certificate(*certificate)))
        return tuple(facts)

    def regions_of(self, key: Any = ..., /) -> Any:
        """Which region holds each element that an index selects: its number in ``regions`` and 1 more, or 0 where the
        bound of the array holds. Where regions overlap, that is the last one. Nothing is decoded::

            stream.regions_of() == 2  # where regions[1] holds
        """
        # One box around all: a byte an element is less than what apart boxes save.
        parts, pick, shape, drop = select(self.shape, key, sys.maxsize)
        if not parts:
            return np.empty(shape, np.uint8)[drop]
        (part,) = parts
        box = self._inner.regions_of_box(part.start, part.counts).reshape(part.counts)
        return box[pick][drop]

    @property
    def floor(self) -> float | None:
        """Of a pointwise-relative bound, the error that is small enough for any element; 0 for none."""
        return self._inner.floor

    @property
    def certificate(self) -> Certificate:
        """What the encoder measured: largest error, range, and how many special elements."""
        return Certificate(*self._inner.certificate)

    @property
    def profile(self) -> str:
        """How the elements are coded: ``"paper"`` or ``"dense"``."""
        return self._inner.profile

    @property
    def layout(self) -> str:
        """The shape of the profile's tiles: of ``"paper"`` always ``"linear"``, elements that follow each other; of
        ``"dense"`` boxes, ``"plane"``, ``"brick"`` or ``"line"``."""
        return self._inner.layout

    @property
    def quantization_step(self) -> float:
        """Distance between neighbouring decoded values; 0 when every element is stored exactly, or the bound is
        pointwise-relative."""
        return self._inner.quantization_step

    @property
    def missing(self) -> tuple[float, ...]:
        """The missing values that were named."""
        return tuple(self._inner.missing)

    @property
    def name(self) -> str | None:
        """The variable's name, if recorded."""
        return self._inner.name

    @property
    def time_step(self) -> int | None:
        """The time step, if recorded."""
        return self._inner.time_step

    @property
    def start(self) -> tuple[int, ...] | None:
        """Where the array begins in a global one, if recorded."""
        return self._inner.start

    @property
    def format_version(self) -> int:
        """Version of the stream's format."""
        return self._inner.format_version

    @property
    def device(self) -> int | None:
        """The CUDA device whose memory the array was compressed from; ``None`` for host memory."""
        return self._device

    def tiles(self) -> np.recarray[Any, Any]:
        """A record per tile, without decoding: ``kind``, ``elements``, ``bytes``, ``escapes`` and ``rates``,
        the bits per element of each of its blocks."""
        kinds, elements, size, escapes, rates = self._inner.tiles()
        records: np.recarray[Any, Any] = np.recarray(
            kinds.shape,
            dtype=[
                ("kind", f"U{max(map(len, TILE_KINDS))}"),
                ("elements", np.uint32),
                ("bytes", np.uint64),
                ("escapes", np.uint32),
                ("rates", np.uint8, (rates.shape[1],)),
            ],
        )
        records["kind"] = np.array(TILE_KINDS)[kinds]
        records["elements"] = elements
        records["bytes"] = size
        records["escapes"] = escapes
        records["rates"] = rates
        return records

    # Its elements.

    @overload
    def decompress(
        self,
        *,
        out: npt.NDArray[Any],
        backend: str = ...,
        threads: Whole | None = ...,
        progress: Progress | None = ...,
    ) -> npt.NDArray[Any]: ...
    @overload
    def decompress(
        self,
        *,
        out: None = ...,
        device: Whole | None = ...,
        backend: str = ...,
        threads: Whole | None = ...,
        progress: Progress | None = ...,
    ) -> Any: ...
    def decompress(
        self,
        *,
        out: npt.NDArray[Any] | None = None,
        device: Whole | None = None,
        backend: str = "auto",
        threads: Whole | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """All elements as a numpy array.

        ``out`` is an array to decode to: of the stream's shape and dtype, in C order, not masked; it holds anything after
        an exception. With ``device``, or when the array was compressed from device memory, the result is a
        ``DeviceArray`` on that device, which cupy and torch take (``cupy.asarray``, ``torch.from_dlpack``).
        ``threads`` defaults to one for each core; ``progress(done, total)`` is called now and then with bytes. Neither
        these nor ``backend`` are for a ``DeviceArray``.
        """
        backend = text("backend", backend)
        if device is not None and out is not None:
            raise InvalidArgumentError("out is host memory, and device asks for memory of its own: give one of them")
        if device is None:
            device = self._device
        if device is not None and out is None:
            return _native.DeviceArray.decode(self._inner, natural("device", device))
        if out is not None and not isinstance(out, np.ndarray):
            raise InvalidArgumentError(f"out is a {type(out).__name__}: a numpy array is needed")
        if isinstance(out, np.ma.MaskedArray):  # what is decoded would hide behind the mask that it has
            raise InvalidArgumentError("out is a masked array: pass out.data, and set out.mask by what was decoded")
        array: npt.NDArray[Any] = np.empty(self.shape, self.dtype) if out is None else out
        if array.shape != self.shape or array.dtype != self.dtype:
            raise InvalidArgumentError(
                f"out is {array.shape} {array.dtype}; the stream is {self.shape} {self.dtype}"
            )
        if not (array.flags.c_contiguous and array.flags.aligned and array.flags.writeable):
            raise InvalidArgumentError("out must be in C order, aligned and writeable")
        self._inner.decode(array, [0] * self.ndim, backend, threads_of(threads), progress)
        return array

    def __getitem__(self, key: Any) -> Any:
        """Decodes what an index selects: integers, slices with any steps, and ``...``."""
        return self._selected(select(self.shape, key, LEAST_STEP[self.profile]))

    def _selected(self, selection: Selection) -> Any:
        """Decodes a selection of the stream's shape: its boxes, and no element beside them."""
        parts, pick, shape, drop = selection
        if len(parts) == 1:
            box = self._box(parts[0].start, parts[0].counts)
            selected = box[pick]
            # Do not keep a large box for a few of its elements.
            return (selected.copy() if 2 * selected.size < box.size else selected)[drop]
        result: npt.NDArray[Any] = np.empty(shape, self.dtype)
        for start, counts, place in parts:
            result[place] = self._box(start, counts)[pick]
        return result[drop]

    def _box(self, start: tuple[int, ...], count: tuple[int, ...]) -> npt.NDArray[Any]:
        box: npt.NDArray[Any] = np.empty(count, self.dtype)
        self._inner.decode(box, start, "auto", None, None)
        return box

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a stream of 0 dimensions")
        return self.shape[0]

    def __bool__(self) -> bool:
        return True  # a stream is there, whatever its length

    def __iter__(self) -> Iterator[Any]:
        return self._planes(len(self))

    def _planes(self, count: int) -> Iterator[Any]:
        """The elements of the first axis. Many are decoded at once: a tile belongs to several."""
        together = max(1, ITERATED * count // max(1, self.nbytes))
        together -= together % 16 if together > 16 else 0  # as thick as boxes of the profile dense are
        for first in range(0, count, together):
            for plane in self[first : first + together]:
                yield plane.copy()  # whoever keeps one does not keep all

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("decoding a stream makes a new array")
        array = self._box((0,) * self.ndim, self.shape)
        return array if dtype is None else array.astype(dtype, copy=False)

    # Its bytes.

    def to_bytes(self) -> bytes:
        """The stream as a file holds it."""
        return self._inner.to_bytes()

    __bytes__ = to_bytes

    def __eq__(self, other: object) -> bool:
        """Whether the bytes are the same ones: those of the same array, compressed with the same options, are."""
        if not isinstance(other, Stream):
            return NotImplemented
        return self._inner == other._inner

    def __hash__(self) -> int:
        return hash(self._inner)

    def save(self, path: str | bytes | os.PathLike[Any]) -> None:
        """Writes the stream to a file, which ``fsz_codec.open`` and the program ``fsz`` read. A file of that name is
        replaced when the new one is whole; streams that are open from it keep what they are."""
        name = os.fsdecode(path)
        if "\0" in name:  # as the built-in open says it
            raise ValueError("embedded null byte")
        self._inner.write(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Stream.from_bytes, (self.to_bytes(),))

    # How it is shown.

    def __repr__(self) -> str:
        return (
            f"<fsz_codec.Stream {'x'.join(map(str, self.shape)) or 'scalar'} {self.dtype}, "
            f"ratio {self.ratio:.2f} ({self.compressed_bytes} bytes), bound {_words.bounds(self)}, "
            f"largest error {_words.largest_error(self)}, profile {self.profile}>"
        )

    def _repr_html_(self) -> str:
        return _html.page(self)
