"""Indices as numpy has them, and what they decode."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import reads, smooth

import fsz_codec

Array = npt.NDArray[Any]

KEYS = [
    (),
    ...,
    3,
    -1,
    np.int64(4),
    slice(None),
    slice(3, 7),
    slice(None, None, -1),
    slice(8, 1, -3),
    slice(2, 2),
    slice(5, 2),
    slice(-100, 100, 4),
    (3, 4, 5),
    (3, ..., 5),
    (..., 5),
    (..., slice(1, None, 7)),
    (slice(3, 7), slice(None), 10),
    (slice(None, None, 5), slice(None, None, 2), slice(None, None, -4)),
    (-2, slice(10, 3, -2), slice(0, 0)),
    (slice(1, 2), slice(4, 9), ...),
    (1, 2, ..., 3),
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_as_numpy(key: Any, field: Array, profile: str) -> None:
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    decoded = np.asarray(stream)
    ours, numpys = stream[key], decoded[key]
    assert type(ours) is type(numpys)
    assert ours.dtype == decoded.dtype
    assert ours.shape == numpys.shape
    assert np.array_equal(ours, numpys)


@pytest.mark.parametrize("seed", range(25))
def test_as_numpy_at_random(seed: int, profile: str) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(int(n) for n in rng.integers(1, 50, rng.integers(1, 5)) if n) or (1,)
    shape = shape if np.prod(shape) < 2e5 else shape[:2]
    stream = fsz_codec.compress(smooth(shape), range=1e-2, profile=profile)
    decoded = np.asarray(stream)
    for _ in range(8):
        key = []
        for n in shape[: rng.integers(1, len(shape) + 1)]:
            if rng.random() < 0.3:
                key.append(int(rng.integers(-n, n)))
            else:
                ends = [None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3)) for _ in "ab"]
                key.append(slice(*ends, int(rng.choice([-70, -3, -1, 1, 2, 65]))))
        assert np.array_equal(stream[tuple(key)], decoded[tuple(key)]), key


@pytest.mark.parametrize("shape", [(40, 100, 100), (500, 20, 30)])
def test_far_apart(shape: tuple[int, ...], profile: str) -> None:
    stream = fsz_codec.compress(smooth(shape), range=1e-2, profile=profile)
    decoded = np.asarray(stream)
    for key in (np.s_[::7], np.s_[::-9, ::50, 3], np.s_[::65, 4:60:64], np.s_[30:0:-13, :, ::-1]):
        assert np.array_equal(stream[key], decoded[key])


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (11, "11 elements"),
        (-12, "11 elements"),
        ((0, 0, 0, 0), "4 indices"),
        ((..., ...), "single ellipsis"),
        (None, "new axes"),
        ((0, np.newaxis), "new axes"),
        ([1, 2], "list"),
        (np.array([1, 2]), "ndarray"),
        (True, "bool"),
        (1.0, "float"),
        ("x", "str"),
    ],
    ids=str,
)
def test_refused(key: Any, why: str) -> None:
    stream = fsz_codec.compress(smooth((11, 12, 13)), range=1e-3)
    with pytest.raises(IndexError, match=why):
        stream[key]


def test_step_of_zero() -> None:
    with pytest.raises(ValueError, match="zero"):
        fsz_codec.compress(smooth((11,)), range=1e-3)[::0]


def test_sequence() -> None:
    field = smooth((5, 6))
    stream = fsz_codec.compress(field, range=1e-3)
    assert len(stream) == 5
    assert np.array_equal(np.stack(list(stream)), np.asarray(stream))
    with pytest.raises(TypeError, match="0 dimensions"):
        len(fsz_codec.compress(np.float32(1), range=1e-3))


@pytest.mark.parametrize("shape", [(), (0, 3), (4,)])
def test_a_stream_is_true(shape: tuple[int, ...]) -> None:
    assert fsz_codec.compress(smooth(shape), range=1e-3)


@pytest.mark.parametrize("shape", [(40, 70, 80), (300,), (20, 0), (0, 3), (7, 2, 3, 4)])
@pytest.mark.parametrize("most", [1, 20_000, 400_000, 1 << 25])
def test_planes_of_an_iteration_are_decoded_together(
    shape: tuple[int, ...], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = fsz_codec.compress(smooth(shape), range=1e-3, profile="dense")
    whole = np.asarray(stream)
    calls = []
    decode = fsz_codec.Stream._box

    def counted(self: fsz_codec.Stream, start: Any, count: Any) -> Array:
        calls.append(count[0])
        return decode(self, start, count)

    monkeypatch.setattr(fsz_codec.Stream, "_box", counted)
    monkeypatch.setattr("fsz_codec._stream.ITERATED", most)
    planes = list(stream)
    assert len(planes) == shape[0]
    assert all(np.array_equal(plane, whole[i]) for i, plane in enumerate(planes))
    assert all(type(plane) is type(whole[i]) for i, plane in enumerate(planes))
    if 0 not in shape:
        thick = min(shape[0], max(1, most // (whole.nbytes // shape[0])))
        assert sum(calls) == shape[0] and max(calls) <= thick and len(calls) <= 2 * shape[0] / thick + 1
    # Each stands in memory of its own.
    assert all(np.ndim(plane) == 0 or plane.base is None for plane in planes)


def damaged_chunks(stream: fsz_codec.Stream) -> list[fsz_codec.Stream]:
    """The stream once for each chunk, with that chunk's payload damaged."""
    plain = stream.to_bytes()
    tiles = stream.tiles()
    # Chunks of the profile paper have 64 tiles, whose rate bytes lie before the payload.
    per_chunk, sizes = 64, tiles.bytes.astype(np.int64) - tiles.rates.shape[1]
    ends = len(plain) - int(sizes.sum()) + np.cumsum(sizes)
    streams = []
    for last in range(per_chunk - 1, len(tiles) + per_chunk - 1, per_chunk):
        damaged = bytearray(plain)
        damaged[ends[min(last, len(tiles) - 1)] - 1] ^= 0x10
        streams.append(fsz_codec.Stream.from_bytes(bytes(damaged)))
    return streams


def test_only_what_is_touched_is_read() -> None:
    field = smooth((24, 128, 128)) + np.random.default_rng(0).standard_normal((24, 128, 128)).astype("f4")
    stream = fsz_codec.compress(field, range=1e-4)
    damaged = damaged_chunks(stream)
    # A plane has 16384 elements: those of a chunk.
    assert len(damaged) == 24
    for key, touched in (
        (3, {3}),
        (np.s_[5:7], {5, 6}),
        (np.s_[::8], {0, 8, 16}),
        (np.s_[20:2:-6, 1], {20, 14, 8}),
        (np.s_[-1, 127, 127], {23}),
        (np.s_[4:4], set()),
        (np.s_[:, 0, 0], set(range(24))),
    ):
        assert {i for i, one in enumerate(damaged) if not reads(one, key)} == touched, key
