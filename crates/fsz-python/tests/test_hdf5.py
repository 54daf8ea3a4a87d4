"""The HDF5 filter is in the wheel; its own tests are in plugins/hdf5."""

from __future__ import annotations

from pathlib import Path

import pytest

import fsz_codec
from fsz_codec.hdf5 import h5repack, plugin


def test_the_filter_is_in_the_package() -> None:
    assert plugin().parent == Path(fsz_codec.__file__).parent / "plugins"
    arguments = fsz_codec.hdf5(range=1e-3, missing=1e20, profile="dense")
    assert arguments["compression"] >= 256 and arguments["compression_opts"]
    assert h5repack(absolute=0.01).startswith(f"UD={arguments['compression']},0,")
    with pytest.raises(ValueError, match="bound"):
        fsz_codec.hdf5(absolute=-1)
