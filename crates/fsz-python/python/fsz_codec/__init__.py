"""FSZ: error-bounded lossy compression of scientific floating-point arrays.

::

    import fsz_codec
    s = fsz_codec.compress(a, range=1e-3)     # every value within 0.1 % of max - min
    s.ratio, s.bound, s.certificate
    s[3:7, :, 10]                             # decodes what it touches
    s.save("a.fsz"); fsz_codec.open("a.fsz")
"""

from typing import TYPE_CHECKING

from ._compress import compress, decompress, devices, max_compressed_len, open
from ._errors import (
    CorruptError,
    DeviceError,
    FszError,
    InvalidArgumentError,
    TruncatedError,
    UnsupportedError,
)
from ._facts import Bound, Certificate, Device, Region
from ._native import DeviceArray, __version__
from ._stream import Progress, Stream

if TYPE_CHECKING:
    from .hdf5 import module as hdf5
else:
    # The module, which can be called like its function: a function in its place would hide the others.
    from . import hdf5

__all__ = [
    "Bound",
    "Certificate",
    "CorruptError",
    "Device",
    "DeviceArray",
    "DeviceError",
    "FszError",
    "InvalidArgumentError",
    "Progress",
    "Region",
    "Stream",
    "TruncatedError",
    "UnsupportedError",
    "__version__",
    "compress",
    "decompress",
    "devices",
    "hdf5",
    "max_compressed_len",
    "open",
]
