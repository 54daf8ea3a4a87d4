"""What the annotations promise to those who use them; checked by mypy, not run."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import fsz_codec
from fsz_codec.hdf5 import Hdf5Options, hdf5
from fsz_codec.numcodecs import Fsz
from fsz_codec.zarr import FszCodec


def examples(field: npt.NDArray[np.float32]) -> None:
    stream = fsz_codec.compress(field, range=1e-3, missing=[1e20])
    assert_type(stream, fsz_codec.Stream)
    # Numbers are often those of an array.
    fsz_codec.compress(field, absolute=np.float32(0.1), missing=np.array([1, 2]), time_step=np.int64(3))
    fsz_codec.compress(field, range=1e-3, value_range=np.array([0, 1]), regions=[(np.s_[:2], np.float32(0.1))])
    fsz_codec.compress(field, max_bytes=1e5, threads=np.int64(2))
    FszCodec(range=np.float32(0.1), missing=np.float32(1e20))
    Fsz(range=np.float32(0.1), missing=np.float32(1e20))
    assert_type(stream.ratio, float)
    assert_type(stream.shape, tuple[int, ...])
    assert_type(stream.bound.absolute, float)
    assert_type(stream.certificate.nan, int)
    assert_type(stream.decompress(out=field), npt.NDArray[Any])
    assert_type(stream.to_bytes(), bytes)
    fsz_codec.compress(field, range="1e-3")  # type: ignore[arg-type]
    fsz_codec.compress(field, 1e-3)  # type: ignore[call-arg]
    fsz_codec.compress(field, threads="2")  # type: ignore[arg-type]


def examples_of_hdf5() -> None:
    # The module is called like its function, and has others.
    assert_type(fsz_codec.hdf5(absolute=np.float32(0.1), missing=[np.float32(1)]), Hdf5Options)
    assert_type(hdf5(range=0.1, value_range=np.array([0, 1])), Hdf5Options)
    assert_type(fsz_codec.hdf5.h5repack(range=1e-3), str)
    fsz_codec.hdf5.register()
    fsz_codec.hdf5(range="1e-3")  # type: ignore[arg-type]
