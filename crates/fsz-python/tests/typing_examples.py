"""What the annotations promise to those who use them; checked by mypy, not run."""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import fsz_codec


def examples(field: npt.NDArray[np.float32]) -> None:
    stream = fsz_codec.compress(field, range=1e-3, missing=[1e20])
    assert_type(stream, fsz_codec.Stream)
    assert_type(stream.ratio, float)
    assert_type(stream.shape, tuple[int, ...])
    assert_type(stream.bound.absolute, float)
    assert_type(stream.certificate.nan, int)
    assert_type(stream.decompress(out=field), npt.NDArray[Any])
    assert_type(stream.to_bytes(), bytes)
    fsz_codec.compress(field, range="1e-3")  # type: ignore[arg-type]
    fsz_codec.compress(field, 1e-3)  # type: ignore[call-arg]
