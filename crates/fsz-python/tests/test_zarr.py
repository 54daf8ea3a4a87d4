"""The codec of Zarr 3: bounds, missing values, partial reads, stores and libraries above."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import zarr
import zarr.codecs.numcodecs
from conftest import assert_within, damaged_copies, smooth
from packaging.version import Version
from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import FsspecStore, LocalStore, MemoryStore, WrapperStore

import fsz_codec
from fsz_codec.zarr import FszCodec

Array = npt.NDArray[Any]


class CountingStore(WrapperStore[MemoryStore]):
    """Counts what is fetched of chunks."""

    def __init__(self) -> None:
        super().__init__(MemoryStore())
        self.fetched = 0
        self.requests = 0

    async def get(
        self, key: str, prototype: BufferPrototype, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        value = await super().get(key, prototype, byte_range)
        if value is not None and not key.endswith("zarr.json"):
            self.fetched += len(value)
            self.requests += 1
        return value


def create(store: Any, data: Array, codec: FszCodec, **options: Any) -> zarr.Array[Any]:
    array = zarr.create_array(
        store, shape=data.shape, dtype=data.dtype, serializer=codec, compressors=None,
        **{"chunks": data.shape, **options},
    )
    array[...] = data
    return array


def stored(array: zarr.Array[Any], key: str) -> bytes:
    """The bytes of a chunk."""
    value = zarr.core.sync.sync(array.store.get(key, zarr.core.buffer.default_buffer_prototype()))
    assert value is not None
    return value.to_bytes()


def test_chunks_are_streams(field: Array, profile: str) -> None:
    array = create(MemoryStore(), field, FszCodec(range=1e-3, profile=profile), fill_value=float("nan"))
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    assert stored(array, "c/0/0/0") == stream.to_bytes()
    assert np.array_equal(array[...], np.asarray(stream))


def test_metadata_names_the_codec(field: Array, tmp_path: Path) -> None:
    codec = FszCodec(absolute=0.5, missing=[-999.0, float("nan")], profile="dense")
    array = create(LocalStore(tmp_path), field, codec)
    metadata = json.loads((tmp_path / "zarr.json").read_text())
    assert metadata["codecs"] == [
        {"name": "fsz_codec", "configuration": {"absolute": 0.5, "missing": [-999.0], "profile": "dense"}}
    ]
    # Found by its entry point.
    again = zarr.open_array(LocalStore(tmp_path), mode="r")
    assert again.serializer == codec == eval(repr(codec))
    assert_within(field, again[...], 0.5)
    assert array.serializer == codec


@pytest.mark.parametrize("kind", ["local", "memory", "fsspec memory", "fsspec local", "zip"])
def test_stores(kind: str, field: Array, tmp_path: Path) -> None:
    url = {"fsspec memory": f"memory://{tmp_path.name}-{field.dtype}", "fsspec local": f"file://{tmp_path}/x"}
    store: Any
    if kind.startswith("fsspec"):
        options = {"auto_mkdir": True} if kind.endswith("local") else None
        store = FsspecStore.from_url(url[kind], storage_options=options)
    elif kind == "zip":
        store = zarr.storage.ZipStore(tmp_path / "x.zip", mode="w")
    else:
        store = LocalStore(tmp_path) if kind == "local" else MemoryStore()
    array = create(store, field, FszCodec(absolute=0.1), chunks=(4, 20, 30))
    assert_within(field, array[...], 0.1)
    assert np.array_equal(array[3:9, 7, ::3], array[...][3:9, 7, ::3])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shards", [None, (8, 40, 60)])
def test_orders_and_shards(field: Array, order: Any, shards: Any, profile: str) -> None:
    data = np.asarray(field, order=order)
    codec = FszCodec(absolute=0.1, profile=profile)
    array = create(MemoryStore(), data, codec, chunks=(4, 20, 30), shards=shards, config={"order": order})
    whole = array[...]
    assert_within(field, whole, 0.1)
    assert np.array_equal(array[5, :, 3:60], whole[5, :, 3:60])
    # Parts of chunks are read, changed and written again.
    array[2:6, 3:7, 65:] = 1.5
    data[2:6, 3:7, 65:] = 1.5
    assert_within(data, array[...], 0.2)


def test_behind_and_before_other_codecs(field: Array) -> None:
    for options in (
        {"filters": [zarr.codecs.TransposeCodec(order=(2, 0, 1))], "compressors": None},
        {"compressors": zarr.codecs.ZstdCodec()},
        {"compressors": zarr.codecs.Crc32cCodec()},
    ):
        array = zarr.create_array(
            MemoryStore(), shape=field.shape, dtype=field.dtype, chunks=(4, 20, 30),
            serializer=FszCodec(absolute=0.1), **options,
        )
        array[...] = field
        assert_within(field, array[...], 0.1)


@pytest.mark.filterwarnings("ignore:Numcodecs codecs are not in the Zarr version 3")
def test_behind_filters_of_numcodecs(field: Array) -> None:
    filters = zarr.codecs.numcodecs

    def of(filter: Any, codec: FszCodec) -> zarr.Array[Any]:
        return create(MemoryStore(), field, codec, chunks=(4, 20, 30), filters=[filter])

    # This one flattens the chunks.
    rounded = of(filters.FixedScaleOffset(offset=250, scale=10, dtype=field.dtype.str), FszCodec(absolute=0.5))
    assert_within(field, rounded[...], 0.1001)
    assert_within(field[3], rounded[3], 0.1001)
    # This one says that it changes the type, of which older ones of zarr tell the codec only when chunks are written.
    narrow = of(filters.AsType(encode_dtype="<f4", decode_dtype=field.dtype.str), FszCodec(absolute=0.1))
    assert_within(field, narrow[...], 0.1001)
    whole = np.rint(field).astype("i2")
    of_floats = {"filters": [filters.AsType(encode_dtype="<f4", decode_dtype="<i2")], "chunks": (4, 20, 30)}
    try:
        converted = create(MemoryStore(), whole, FszCodec(absolute=0.1), **of_floats)
    except ValueError as why:
        assert "float32 and float64, not int16" in str(why) and Version(zarr.__version__) < Version("3.3")
    else:
        assert np.abs(converted[...] - whole).max() <= 1  # astype cuts what is behind the point
    # zarr asks this with the array's type, whatever the filters.
    dtype = zarr.dtype.Int16()
    assert FszCodec(absolute=0.1).validate(shape=field.shape, dtype=dtype, chunk_grid=rounded.metadata.chunk_grid) is None
    # This one does not say that it changes the type.
    other = {"f4": "f8", "f8": "f4"}[field.dtype.str[1:]]
    with pytest.raises(ValueError, match="did not tell zarr"):
        of(filters.Quantize(digits=1, dtype=field.dtype.str, astype=other), FszCodec(absolute=0.5))


SELECTIONS: list[Any] = [
    np.s_[...],
    np.s_[3],
    np.s_[3:9, 20, ::7],
    np.s_[-1, -1, -1],
    np.s_[0:0],
    np.s_[:, :, 69],
]


@pytest.mark.parametrize("chunks", [(11, 50, 70), (4, 20, 30)])
def test_partial_reads(chunks: Any, profile: str) -> None:
    field = smooth((11, 50, 70))
    array = create(MemoryStore(), field, FszCodec(absolute=0.1, profile=profile), chunks=chunks)
    whole = array[...]
    for key in SELECTIONS:
        assert np.array_equal(array[key], whole[key]), key
    rng = np.random.default_rng(0)
    rows, columns = np.sort(rng.integers(0, 50, 6)), rng.integers(0, 70, 9)
    layers = rng.random(11) < 0.4
    assert np.array_equal(array.oindex[:, rows, 3], whole[:, rows, 3])
    assert np.array_equal(array.oindex[layers, rows, columns], whole[np.ix_(layers, rows, columns)])
    assert np.array_equal(array.oindex[2:9:3, rows], whole[2:9:3, rows])
    points = tuple(rng.integers(0, n, 20) for n in field.shape)
    assert np.array_equal(array.vindex[points], whole[points])
    mask = rng.random(field.shape) < 0.01
    assert np.array_equal(array.vindex[mask], whole[mask])


def test_planes_apart_are_read_of_every_layout(profile: str) -> None:
    # Chunks whose boxes are lines: what lies between two planes is in boxes of its own.
    field = smooth((64, 3, 600, 10))
    array = create(MemoryStore(), field, FszCodec(absolute=0.1, profile=profile))
    whole = array[...]
    for key in (np.s_[52::5], np.s_[1:60:2, ::2], np.s_[::63], np.s_[:, ::2, ::300]):
        assert np.array_equal(array[key], whole[key]), key


def test_a_plane_fetches_and_decodes_its_own_tiles(profile: str) -> None:
    field = smooth((64, 128, 128)) + np.random.default_rng(0).standard_normal((64, 128, 128)).astype("f4")
    store = CountingStore()
    array = create(store, field, FszCodec(absolute=1e-3, profile=profile))
    size = len(stored(array, "c/0/0/0"))
    store.fetched = store.requests = 0
    plane = array[17]
    fetched, requests = store.fetched, store.requests
    stream = fsz_codec.compress(field, absolute=1e-3, profile=profile)
    assert np.array_equal(plane, stream[17])
    # The index, and of 64 planes the one, or the bricks that hold it.
    head = len(stream.to_bytes()) - int(stream.tiles().bytes.sum())
    share = {"paper": 1 / 64, "dense": 1 / 4}[profile]
    assert fetched < max(field.nbytes // 100, head) + 1.2 * share * size, (fetched, size)
    assert requests <= 3
    # Nothing else is needed: with all the other chunks of the stream gone the plane is still read.
    if profile == "paper":
        damaged = bytearray(stored(array, "c/0/0/0"))
        damaged[size // 2 :] = bytes(size - size // 2)
        zarr.core.sync.sync(
            store.set("c/0/0/0", zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(bytes(damaged)))
        )
        assert np.array_equal(array[17], plane)
        with pytest.raises(fsz_codec.CorruptError):
            array[60]


def test_partial_reads_in_shards() -> None:
    field = smooth((64, 128, 128)) + np.random.default_rng(0).standard_normal((64, 128, 128)).astype("f4")
    store = CountingStore()
    array = create(store, field, FszCodec(absolute=1e-3), chunks=(16, 128, 128), shards=field.shape)
    size = len(stored(array, "c/0/0/0"))
    store.fetched = 0
    plane = array[17]
    assert store.fetched < 0.3 * size
    assert np.array_equal(plane, array[...][17])


def test_a_fill_value_counts_as_a_missing_one() -> None:
    field = smooth((20, 30))
    create(MemoryStore(), field, FszCodec(range=1e-3, missing=[1, 2, 3]), fill_value=7)
    create(MemoryStore(), field, FszCodec(range=1e-3, missing=[1, 2, 3, 4]), fill_value=np.nan)
    with pytest.raises(fsz_codec.InvalidArgumentError, match="fill value 7: at most 4"):
        create(MemoryStore(), field, FszCodec(range=1e-3, missing=[1, 2, 3, 4]), fill_value=7)
    # The fill value of a float32 array that 1e20 becomes is named already.
    create(MemoryStore(), field, FszCodec(range=1e-3, missing=[1e20, 1, 2, 3]), fill_value=1e20)
    assert FszCodec(range=1e-3, missing=[0.0, -0.0, 0.0]).missing == (0.0, -0.0)


@pytest.mark.parametrize("fill", [float("nan"), 0.0, -0.0, 1e20, -999.0, float("inf")])
@pytest.mark.parametrize("bound", [{"range": 1e-3}, {"absolute": 0.05}], ids=str)
def test_fill_values_are_kept_exactly(fill: float, bound: dict[str, float], profile: str) -> None:
    # 7 chunks of 3: the last is padded with the fill value, and one is not written at all.
    field = smooth((20, 40))
    field[2:4, 5:30] = fill
    field[9:12] = fill
    field[5, 5], field[6, 6] = np.nan, 9.96921e36
    codec = FszCodec(**bound, missing=9.96921e36, profile=profile)
    array = create(MemoryStore(), field, codec, chunks=(3, 40), fill_value=fill)
    assert array.nchunks_initialized == 6
    decoded = array[...]
    special = ~np.isfinite(field) | (field == np.float32(fill)) | (field == np.float32(9.96921e36))
    assert np.array_equal(decoded[special].view("u4"), field[special].view("u4"))
    spans = [np.ptp(field[i : i + 3][~special[i : i + 3]]) for i in range(0, 20, 3) if i != 9]
    limit = 0.05 if "absolute" in bound else 1e-3 * max(spans)
    assert_within(field[~special], decoded[~special], limit * (1 + 1e-6))
    # The padding does not widen the range of the chunk that it is in.
    last = fsz_codec.Stream.from_bytes(stored(array, "c/6/0")).bound.absolute
    assert last == pytest.approx(bound.get("absolute", 1e-3 * float(spans[-1])), rel=1e-5)


@pytest.mark.parametrize("floor", [None, 1e-3])
def test_a_share_of_each_element(floor: float | None, field: Array, profile: str) -> None:
    # Values from 1e-8 to 1e3, of both signs, and zeros.
    field = ((field - 250) * np.geomspace(1e-10, 10, 70)).astype(field.dtype)
    field[2:4] = 0
    codec = FszCodec(relative=1e-2, floor=floor, profile=profile)
    array = create(MemoryStore(), field, codec, chunks=(4, 50, 30))
    assert zarr.open_array(array.store, mode="r").serializer == codec == eval(repr(codec))
    decoded = array[...]
    error = np.abs(decoded.astype("f8") - field)
    assert (error <= np.maximum(1e-2 * np.abs(field.astype("f8")), floor or 0)).all()
    assert error.max() > 0.1
    assert (decoded[2:4] == 0).all()
    assert np.array_equal(array[3:6, 7, ::3], decoded[3:6, 7, ::3])


def test_missing_chunks_are_filled() -> None:
    array = zarr.create_array(
        MemoryStore(), shape=(100, 100), chunks=(50, 100), dtype="f4", fill_value=7, serializer=FszCodec(range=1e-3),
        compressors=None,
    )
    array[:50] = 1
    assert (array[49:51, 3] == [1, 7]).all()


@pytest.mark.parametrize("dtype", ["i4", "f2", "c8", "u1"])
def test_other_types_are_refused(dtype: str) -> None:
    with pytest.raises(ValueError, match="float32 and float64"):
        zarr.create_array(MemoryStore(), shape=(4,), dtype=dtype, serializer=FszCodec(range=1e-3))


@pytest.mark.parametrize("shards", [None, (4,)])
@pytest.mark.parametrize(
    ("dtype", "codec", "fill", "why"),
    [
        ("i4", {"range": 1e-3}, 0, "float32 and float64, not int32"),
        ("f4", {"range": 1e-3, "missing": 1e300}, 0, "missing value 1e300: no f32 is near it"),
        ("f8", {"relative": 1e-9}, 0, "of f64 at least"),
        ("f4", {"absolute": 1, "missing": [1, 2, 3, 4]}, 7, "fill value 7: at most 4"),
    ],
)
def test_arrays_that_could_not_be_written_are_not_made(
    dtype: str, codec: dict[str, Any], fill: float, why: str, shards: Any
) -> None:
    store = MemoryStore()
    with pytest.raises(ValueError, match=why):
        zarr.create_array(
            store, shape=(8,), dtype=dtype, chunks=(2,), shards=shards, fill_value=fill, compressors=None,
            serializer=FszCodec(**codec),
        )
    assert not store._store_dict


def test_too_many_dimensions() -> None:
    with pytest.raises(ValueError, match="9 dimensions"):
        zarr.create_array(MemoryStore(), shape=(1,) * 9, dtype="f4", serializer=FszCodec(range=1e-3))


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"range": 1e-3, "absolute": 1},
        {"range": 0},
        {"range": "1e-3"},
        {"range": True},
        {"absolute": -1},
        {"range": 1e-3, "profile": "best"},
        {"range": 1e-3, "missing": [1, 2, 3, 4, 5]},
        {"range": 1e-3, "level": 9},
        {"relative": 1e-3, "absolute": 1},
        {"relative": 0.6},
        {"relative": True},
        {"range": 1e-3, "floor": 1},
        {"relative": 1e-3, "floor": -1},
        {"relative": 1e-3, "floor": "0"},
    ],
    ids=str,
)
def test_wrong_configurations(configuration: dict[str, Any]) -> None:
    with pytest.raises(fsz_codec.InvalidArgumentError):
        FszCodec.from_dict({"name": "fsz_codec", "configuration": configuration})


def test_size_is_not_known_before() -> None:
    with pytest.raises(NotImplementedError):
        FszCodec(range=1e-3).compute_encoded_size(100, None)  # type: ignore[arg-type]


# 10,000 with both profiles.
def test_damaged_chunks(profile: str) -> None:
    field = smooth((6, 40, 40))
    store = MemoryStore()
    array = create(store, field, FszCodec(absolute=1e-3, profile=profile))
    plain, whole = stored(array, "c/0/0/0"), array[...]
    buffer = zarr.core.buffer.default_buffer_prototype().buffer
    refused = 0
    for damaged in damaged_copies(plain, 5000, 1):
        zarr.core.sync.sync(store.set("c/0/0/0", buffer.from_bytes(damaged)))
        try:
            assert np.array_equal(array[5, 3], whole[5, 3])
            assert np.array_equal(array[...], whole)
        except fsz_codec.FszError:
            refused += 1
    assert refused > 4800


def test_a_chunk_of_another_array() -> None:
    field = smooth((24, 64, 64))
    store = MemoryStore()
    array = create(store, field, FszCodec(absolute=1e-3))
    other = fsz_codec.compress(field[:, :32], absolute=1e-3).to_bytes()
    buffer = zarr.core.buffer.default_buffer_prototype().buffer
    zarr.core.sync.sync(store.set("c/0/0/0", buffer.from_bytes(other)))
    for key in (np.s_[...], np.s_[3, 4]):
        with pytest.raises(fsz_codec.CorruptError, match="the chunk is"):
            array[key]


def test_what_is_wrong_with_a_chunk_is_the_same_for_its_parts() -> None:
    field = smooth((24, 64, 64)) + np.random.default_rng(0).standard_normal((24, 64, 64)).astype("f4")
    store = MemoryStore()
    array = create(store, field, FszCodec(absolute=1e-3))
    plain = stored(array, "c/0/0/0")
    newer = bytearray(plain)
    newer[4] = 99
    head = len(plain) - int(fsz_codec.Stream.from_bytes(plain).tiles().bytes.sum())
    cut = [plain[:n] for n in (0, 100, 200, head - 1, head, 6000, len(plain) // 2, len(plain) - 1)]
    buffer = zarr.core.buffer.default_buffer_prototype().buffer
    for damaged in (*cut, b"x" + plain[1:], b"x" * 100, bytes(newer)):
        zarr.core.sync.sync(store.set("c/0/0/0", buffer.from_bytes(damaged)))
        with pytest.raises(fsz_codec.FszError) as whole:
            array[...]
        with pytest.raises(fsz_codec.FszError) as part:
            array[23]
        assert (part.type, str(part.value)) == (whole.type, str(whole.value)), len(damaged)
