"""Runs zarr-python's own tests of codecs and of indexing with FSZ in the place of its serializer.

``zarr_python.py FOLDER`` takes the folder of zarr's source of the version that is installed.

The tests write integers and expect them back. Here arrays of integers become arrays of float64, FSZ keeps them within
a quarter, and what it decodes is rounded: so a value comes back unless it was lost, misplaced or beyond the bound.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from zarr.codecs import sharding
from zarr.core import array

from fsz_codec.zarr import FszCodec

CODEC = FszCodec(absolute=0.25)

FILES = (
    "test_codecs/test_blosc.py",
    "test_codecs/test_codecs.py",
    "test_codecs/test_crc32c.py",
    "test_codecs/test_gzip.py",
    "test_codecs/test_sharding.py",
    "test_codecs/test_transpose.py",
    "test_codecs/test_zstd.py",
    "test_indexing.py",
)

# Tests that say nothing of a codec with loss, and why.
DO_NOT_APPLY = {
    "test_delete_empty_shards": "it expects the length of a shard whose chunks are not compressed",
    "test_blosc_evolve": "it expects the element sizes of integers",
    "test_typesize": "it expects the bytes that Blosc makes of values that are not compressed",
    "test_indexing_with_zarr_array": "it indexes with an array of integers, which must stay one",
}

# One kind of store: what a codec reads and writes does not depend on it.
OTHER_STORES = ("local", "zip")


def put_fsz_in_place() -> None:
    """Makes FSZ the serializer of arrays that name none, alone and in shards."""
    dtype_of, serializer_of = array.parse_dtype, array.default_serializer_v3

    def parse_dtype(dtype: Any, *, zarr_format: Any) -> Any:
        parsed = dtype_of(dtype, zarr_format=zarr_format)
        integers = zarr_format == 3 and parsed.to_native_dtype().kind in "iu"
        return dtype_of("float64", zarr_format=3) if integers else parsed

    def default_serializer(dtype: Any) -> Any:
        native = dtype.to_native_dtype()
        return CODEC if native.kind == "f" and native.itemsize in (4, 8) else serializer_of(dtype)

    array.parse_dtype = parse_dtype
    array.default_serializer_v3 = default_serializer
    # Behind a compressor a codec is never asked for a part of a chunk.
    array.default_compressors_v3 = lambda dtype: ()
    sharding.ShardingCodec.__init__.__kwdefaults__["codecs"] = (CODEC,)


def round_what_is_decoded() -> None:
    single, partial = FszCodec._decode_single, FszCodec._decode_partial_single

    def rounded(buffer: Any, spec: Any) -> Any:
        return spec.prototype.nd_buffer.from_numpy_array(np.rint(buffer.as_numpy_array()))

    async def decode_single(self: FszCodec, data: Any, spec: Any) -> Any:
        PARTS["whole"] += 1
        return rounded(await single(self, data, spec), spec)

    async def decode_partial_single(self: FszCodec, getter: Any, selection: Any, spec: Any) -> Any:
        PARTS["partial"] += 1
        part = await partial(self, getter, selection, spec)
        return None if part is None else rounded(part, spec)

    FszCodec._decode_single = decode_single
    FszCodec._decode_partial_single = decode_partial_single


# How often FSZ decoded.
PARTS = {"whole": 0, "partial": 0}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what does not apply; every entry of the list must be a test."""
    names = {item.originalname for item in items}
    assert names >= set(DO_NOT_APPLY), set(DO_NOT_APPLY) - names

    def applies(item: pytest.Item) -> bool:
        stores = {callspec.params.get("store") for callspec in [getattr(item, "callspec", None)] if callspec}
        return item.originalname not in DO_NOT_APPLY and not stores & set(OTHER_STORES)

    left_out = [item for item in items if not applies(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if applies(item)]


def main(source: str) -> int:
    put_fsz_in_place()
    round_what_is_decoded()
    words = ["-c", "/dev/null", f"--rootdir={source}", "-p", "no:cacheprovider", "-q", "--color=no", "-rsx"]
    words += ["-W", "ignore", "-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"]
    code = pytest.main([*words, *(str(Path(source, "tests", file)) for file in FILES)], plugins=[sys.modules[__name__]])
    print(f"FSZ decoded {PARTS['whole']} chunks as a whole and {PARTS['partial']} in part")
    return int(code) or min(PARTS.values()) < 1000


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
