#!/usr/bin/env python3
"""SZ3 for `fsz study` and `fsz bench --peer assets/peer-sz3.toml`: the HDF5 filter of PyPI's hdf5plugin (pip install hdf5plugin h5py).

    peer-sz3.py compress INPUT COMPRESSED f32|f64 BOUND SIDES...
    peer-sz3.py decompress COMPRESSED OUTPUT

COMPRESSED gets what the filter makes of the field; the HDF5 file around it, which is needed to decompress, stands beside.
"""

import sys
import time

import h5py
import hdf5plugin
import numpy as np


def compress(source, target, dtype, bound, *sides):
    field = np.fromfile(source, {"f32": "<f4", "f64": "<f8"}[dtype])
    field = field.reshape([int(side) for side in sides])
    with h5py.File(target + ".h5", "w") as file:
        sz3 = hdf5plugin.SZ3(absolute=float(bound))
        start = time.perf_counter()
        data = file.create_dataset("field", data=field, chunks=field.shape, **sz3)
        file.flush()
        print("compress:", time.perf_counter() - start, "s")
        _, chunk = data.id.read_direct_chunk((0,) * field.ndim)
    with open(target, "wb") as out:
        out.write(chunk)


def decompress(source, target):
    with h5py.File(source + ".h5", "r") as file:
        start = time.perf_counter()
        field = file["field"][...]
        print("decompress:", time.perf_counter() - start, "s")
        field.tofile(target)


if __name__ == "__main__":
    {"compress": compress, "decompress": decompress}[sys.argv[1]](*sys.argv[2:])
