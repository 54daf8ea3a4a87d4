"""A stream in a notebook: a table of facts and a small picture."""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _words
from ._errors import FszError

if TYPE_CHECKING:
    from ._stream import Stream

_SIDE = 160

# Points of the colormap viridis.
_VIRIDIS = (
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
)


def page(stream: Stream) -> str:
    """The table, with the middle plane of the array beside it."""
    certificate = stream.certificate
    rows = [
        ("shape", " × ".join(map(str, stream.shape)) or "scalar"),
        ("dtype", str(stream.dtype)),
        ("ratio", f"{stream.ratio:.2f} ({stream.nbytes:,} → {stream.compressed_bytes:,} bytes)"),
        ("bound", _words.bounds(stream)),
        ("largest error", _words.largest_error(stream)),
        ("range", f"{certificate.min:.6g} to {certificate.max:.6g}"),
        ("profile", f"{stream.profile}, {stream.layout}"),
    ]
    special = [(n, getattr(certificate, n)) for n in ("nan", "inf", "missing")]
    rows += [(label, f"{count:,}") for label, count in special if count]
    if stream.name is not None:
        rows.insert(0, ("name", stream.name))
    table = "".join(
        f"<tr><th style='text-align:left'>{label}</th><td style='text-align:left'>{html.escape(text)}</td></tr>"
        for label, text in rows
    )
    return f"<div style='display:flex;gap:1em'><table>{table}</table>{_picture(stream)}</div>"


def _picture(stream: Stream) -> str:
    if stream.ndim < 2 or 0 in stream.shape:
        return ""
    steps = [max(1, -(-n // _SIDE)) for n in stream.shape[-2:]]
    middle = tuple(n // 2 for n in stream.shape[:-2])
    try:
        plane = stream[(*middle, *(slice(None, None, step) for step in steps))]
    except FszError as why:
        return f"<div>no picture: {html.escape(str(why))}</div>"
    image = base64.b64encode(_png(_colors(plane, stream.missing))).decode("ascii")
    return f"<img alt='the middle plane' style='image-rendering:pixelated' src='data:image/png;base64,{image}'>"


def _colors(plane: npt.NDArray[Any], missing: tuple[float, ...]) -> npt.NDArray[np.uint8]:
    """Colors 1 to 255 over the range of the plane; 0 for what is not a number or missing."""
    shown = np.isfinite(plane) & ~np.isin(plane, np.asarray(missing, plane.dtype))
    if not shown.any():
        return np.zeros(plane.shape, np.uint8)
    low, high = plane[shown].min(), plane[shown].max()
    # Halves, as the difference of the ends may overflow.
    span = float(high) / 2 - float(low) / 2 or 1.0
    share = (plane.astype(np.float64) / 2 - float(low) / 2) / span
    return np.where(shown, 1 + np.nan_to_num(254 * share), 0).clip(0, 255).astype(np.uint8)


def _png(indices: npt.NDArray[np.uint8]) -> bytes:
    height, width = indices.shape
    at = np.linspace(0, len(_VIRIDIS) - 1, 255)
    points = np.array(_VIRIDIS, float)
    channels = [np.interp(at, np.arange(len(points)), points[:, c]) for c in range(3)]
    palette = np.vstack([np.zeros((1, 3)), np.stack(channels, 1)]).round().astype(np.uint8)
    rows = np.hstack([np.zeros((height, 1), np.uint8), indices])
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            (b"PLTE", palette.tobytes()),
            (b"tRNS", b"\x00"),
            (b"IDAT", zlib.compress(rows.tobytes())),
            (b"IEND", b""),
        )
    )
