"""FSZ as a codec of numcodecs, for Zarr 2::

    zarr.create_array(store, zarr_format=2, shape=..., dtype="f4", chunks=..., compressors=Fsz(range=1e-3))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numcodecs.abc import Codec
from numcodecs.compat import ensure_bytes, ensure_ndarray, ndarray_copy

from ._arguments import Number
from ._arrays import is_masked
from ._compress import compress
from ._config import CODEC_NAME, Config
from ._stream import Stream

__all__ = ["Fsz"]


class Fsz(Codec):  # type: ignore[misc]
    """Compresses chunks of float32 or float64 within an error bound; the options are those of ``FszCodec``.

    A chunk's fill value is not known here: name it as ``missing`` where there is one.
    """

    codec_id = CODEC_NAME

    def __init__(
        self,
        range: Number | None = None,
        absolute: Number | None = None,
        missing: Number | Sequence[Number] | None = (),
        profile: str = "paper",
        *,
        relative: Number | None = None,
        floor: Number | None = None,
    ) -> None:
        self._config = Config(
            range=range, absolute=absolute, relative=relative, floor=floor, missing=missing, profile=profile
        )

    def encode(self, buf: Any) -> bytes:
        """The stream of a chunk."""
        # ensure_ndarray gives what lies under the mask.
        if is_masked(buf):
            raise TypeError("a masked array: pass array.filled(value), and name the value as missing")
        chunk = ensure_ndarray(buf)
        if not chunk.dtype.isnative:
            raise ValueError(
                f"a chunk of {chunk.dtype}: FSZ gives back the machine's byte order; create the array with the dtype "
                f"{chunk.dtype.newbyteorder('=').str}, or with the filter numcodecs.AsType("
                f"encode_dtype={chunk.dtype.newbyteorder('=').str!r}, decode_dtype={chunk.dtype.str!r})"
            )
        # Readers take decoded chunks as they lie in memory, whatever the order of their axes.
        if chunk.flags.f_contiguous and not chunk.flags.c_contiguous:
            chunk = chunk.T
        return compress(chunk, **self._config.options()).to_bytes()

    def decode(self, buf: Any, out: Any = None) -> Any:
        """The chunk of a stream."""
        chunk = np.asarray(Stream.from_bytes(ensure_bytes(buf)))
        return chunk if out is None else ndarray_copy(chunk, out)

    def get_config(self) -> dict[str, Any]:
        """For the metadata of an array."""
        return {"id": self.codec_id, **self._config.to_dict()}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Fsz:
        """From the metadata of an array."""
        read = Config.read({key: value for key, value in config.items() if key != "id"})
        return cls(**read.to_dict())

    def __repr__(self) -> str:
        return f"Fsz({self._config.arguments()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fsz) and self.get_config() == other.get_config()

    def __hash__(self) -> int:
        return hash(repr(self))
