"""FSZ as a codec of Zarr 3::

    zarr.create_array(store, shape=..., dtype="f4", chunks=..., serializer=FszCodec(range=1e-3), compressors=None)

A read of a part of a chunk fetches and decodes the tiles of that part alone.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import zarr

# Older ones fail where a part of a chunk in a shard is read, and where an index drops an axis of such a part.
LEAST_ZARR = (3, 1, 6)

if tuple(int(n) for n in re.findall(r"\d+", zarr.__version__)[:3]) < LEAST_ZARR:
    raise ImportError(
        f"zarr {zarr.__version__}: fsz_codec.zarr needs {'.'.join(map(str, LEAST_ZARR))} or newer; upgrade it, or use "
        "fsz_codec.numcodecs, which is for Zarr 2"
    )

from zarr.abc.codec import ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin
from zarr.abc.store import RangeByteRequest
from zarr.core.buffer import default_buffer_prototype

from . import _native
from ._arguments import Number
from ._compress import compress
from ._config import CODEC_NAME, MOST_DIMENSIONS, Config
from ._errors import CorruptError
from ._index import Part, Selection, select
from ._stream import LEAST_STEP, Stream

if TYPE_CHECKING:
    from typing import Self

    from zarr.abc.store import ByteGetter
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer
    from zarr.core.common import JSON

__all__ = ["FszCodec"]

# What is fetched first of a chunk of which a part is read: what tells where the tiles lie is shorter than this
# share of the array's bytes, or than this many bytes.
_FIRST_SHARE = 100
_FIRST_LEAST = 4096


@dataclass(frozen=True, init=False, repr=False)
class FszCodec(ArrayBytesCodec, ArrayBytesCodecPartialDecodeMixin):
    """An array-to-bytes codec: chunks of float32 or float64 as FSZ streams.

    :param range: the bound as a share of max - min of each chunk.
    :param absolute: the bound in the array's own unit, the same for all chunks.
    :param relative: the bound as a share of each element, at most 0.5.
    :param floor: with ``relative``, an error that is small enough for any element, in the array's own unit.
    :param missing: up to 4 values that are kept exactly and do not count for the range. The array's fill value,
        NaN and infinities always are; a fill value that is a number may count as one of the 4.
    :param profile: ``"paper"`` or ``"dense"``.
    """

    is_fixed_size = False

    range: float | None
    absolute: float | None
    relative: float | None
    floor: float | None
    missing: tuple[float, ...]
    profile: str

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
        config = Config(
            range=range, absolute=absolute, relative=relative, floor=floor, missing=missing, profile=profile
        )
        for key in Config.__slots__:
            object.__setattr__(self, key, getattr(config, key))

    @property
    def _config(self) -> Config:
        return Config(**{key: getattr(self, key) for key in Config.__slots__})

    def __repr__(self) -> str:
        return f"FszCodec({self._config.arguments()})"

    @classmethod
    def from_dict(cls, data: dict[str, JSON]) -> Self:
        """From the metadata of an array."""
        configuration = data.get("configuration")
        if data.get("name") != CODEC_NAME or not isinstance(configuration, dict):
            raise ValueError(f"not the metadata of the codec {CODEC_NAME}: {data}")
        return cls(**Config.read(configuration).to_dict())

    def to_dict(self) -> dict[str, JSON]:
        """For the metadata of an array."""
        return {"name": CODEC_NAME, "configuration": self._config.to_dict()}

    def evolve_from_array_spec(self, array_spec: ArraySpec) -> Self:
        """Refuses arrays of which no chunk could be written, before they are made.

        Not ``validate``: zarr asks that with the type of the array, of which filters before this codec may make another,
        and in shards not at all before 3.4.1.
        """
        native = array_spec.dtype.to_native_dtype()
        _check(native, array_spec.ndim)
        compress(np.empty(0, native), **self._options(array_spec))
        return self

    def _options(self, spec: ArraySpec) -> dict[str, Any]:
        fill_value = None if spec.fill_value is None else float(spec.fill_value)
        return self._config.options(fill_value, spec.dtype.to_native_dtype())

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        """The size depends on the values."""
        raise NotImplementedError

    async def _encode_single(self, chunk_data: NDBuffer, chunk_spec: ArraySpec) -> Buffer | None:
        chunk = chunk_data.as_ndarray_like()
        native = chunk_spec.dtype.to_native_dtype()
        # Some filters of numcodecs do not tell zarr what they make of the type, and some flatten the chunk.
        if chunk.dtype.newbyteorder("=") != native.newbyteorder("="):
            raise ValueError(
                f"a filter before {CODEC_NAME} made the chunk {chunk.dtype} and did not tell zarr, which takes it for "
                f"{native}: the chunk could not be read"
            )
        chunk = chunk.reshape(chunk_spec.shape)
        stream = await asyncio.to_thread(compress, chunk, **self._options(chunk_spec))
        return chunk_spec.prototype.buffer.from_bytes(stream.to_bytes())

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        def decode() -> npt.NDArray[Any]:
            return np.asarray(_checked(Stream.from_bytes(chunk_data.to_bytes()), chunk_spec))

        return _buffer(await asyncio.to_thread(decode), chunk_spec)

    async def _decode_partial_single(
        self, byte_getter: ByteGetter, selection: Any, chunk_spec: ArraySpec
    ) -> NDBuffer | None:
        wanted = _Wanted(selection, chunk_spec.shape, self.profile)
        stream = await _fetch(byte_getter, wanted.parts, chunk_spec)
        if stream is None:
            return None
        return _buffer(await asyncio.to_thread(wanted.decode, stream), chunk_spec)


class _Wanted:
    """What is read of a chunk."""

    def __init__(self, selection: Any, shape: tuple[int, ...], profile: str) -> None:
        entries = selection if isinstance(selection, tuple) else (selection,)
        self._selection: Selection | None = None
        if all(isinstance(entry, (int, np.integer, slice)) or entry is Ellipsis for entry in entries):
            self._selection = select(shape, entries, LEAST_STEP[profile])
            self.parts = self._selection.parts
            return
        # Lists of indices: decode the box around them, and select there.
        boxes, key = [], []
        for entry, n in zip(entries, shape, strict=True):
            at = np.arange(n)[entry] if isinstance(entry, slice) else np.asarray(entry)
            at = np.flatnonzero(at) if at.dtype == bool else at
            low, high = (int(at.min()), int(at.max()) + 1) if at.size else (0, 0)
            boxes.append((low, high))
            key.append(slice(None, None, entry.step) if isinstance(entry, slice) else at - low)
        start, count = tuple(low for low, _ in boxes), tuple(high - low for low, high in boxes)
        self.parts = [Part(start, count, ())]
        self._key = tuple(key)

    def decode(self, stream: Stream) -> npt.NDArray[Any]:
        if self._selection is not None:
            # What was fetched, by the boxes that it was fetched for: an index of the stream may take others.
            return np.asarray(stream._selected(self._selection))
        (part,) = self.parts
        box = stream[tuple(slice(s, s + c) for s, c in zip(part.start, part.counts, strict=True))]
        return np.asarray(box[self._key])


async def _fetch(byte_getter: ByteGetter, parts: list[Part], spec: ArraySpec) -> Stream | None:
    """A stream of which at least the bytes that some boxes need are there; ``None`` where there is no chunk."""
    prototype = default_buffer_prototype()
    raw = spec.dtype.to_native_dtype().itemsize * int(np.prod(spec.shape, dtype=np.int64))
    whole = sum(int(np.prod(part.counts, dtype=np.int64)) for part in parts) >= np.prod(spec.shape)
    if whole or raw <= _FIRST_LEAST:
        chunk = await byte_getter.get(prototype)
        return None if chunk is None else _checked(Stream.from_bytes(chunk.to_bytes()), spec)

    first = await byte_getter.get(prototype, RangeByteRequest(0, max(_FIRST_LEAST, raw // _FIRST_SHARE)))
    if first is None:
        return None
    head = first.to_bytes()
    most = _native.max_compressed_len(spec.shape, f"f{8 * spec.dtype.to_native_dtype().itemsize}")
    partial = _native.PartialStream(head, most)
    there = min(len(head), partial.len)

    async def fetch(begin: int, end: int) -> None:
        part = await byte_getter.get(prototype, RangeByteRequest(begin, end))
        if part is not None and len(part) < end - begin:
            # It ends early: all that is there tells how early.
            part = await byte_getter.get(prototype)
            if part is not None:
                Stream.from_bytes(part.to_bytes())
        if part is None or len(part) != end - begin:
            raise CorruptError("the chunk changed while it was read")
        partial.put(begin, part.to_bytes())

    if there < partial.payload:
        await fetch(there, partial.payload)
        there = partial.payload
    ranges = {r for part in parts for r in partial.ranges(part.start, part.counts)}
    await asyncio.gather(*(fetch(max(begin, there), end) for begin, end in _merged(ranges) if end > there))
    return _checked(Stream._of(partial.finish()), spec)


def _merged(ranges: set[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order, without overlaps."""
    merged: list[tuple[int, int]] = []
    for begin, end in sorted(ranges):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _check(native: np.dtype[Any], ndim: int) -> None:
    if native.kind != "f" or native.itemsize not in (4, 8):
        raise ValueError(f"the codec {CODEC_NAME} takes float32 and float64, not {native}")
    if ndim > MOST_DIMENSIONS:
        raise ValueError(f"{ndim} dimensions: the codec {CODEC_NAME} takes at most {MOST_DIMENSIONS}")


def _checked(stream: Stream, spec: ArraySpec) -> Stream:
    native = spec.dtype.to_native_dtype().newbyteorder("=")
    if stream.shape != spec.shape or stream.dtype != native:
        raise CorruptError(f"the chunk is {stream.shape} {stream.dtype}; the array's are {spec.shape} {native}")
    return stream


def _buffer(array: npt.NDArray[Any], spec: ArraySpec) -> NDBuffer:
    native = spec.dtype.to_native_dtype()
    return spec.prototype.nd_buffer.from_numpy_array(array.astype(native, copy=False))
