"""Compresses chunks where they are computed, on a GPU if there is one, and writes them to HDF5.

Only compressed bytes leave the device, and HDF5 writes them as they are (H5Dwrite_chunk). Any
reader that has the filter reads them. A torch tensor works like the cupy array here.
"""

import h5py
import numpy as np
from fsz_codec.hdf5 import compress_chunk, hdf5

try:
    import cupy as xp

    xp.cuda.Device(0).compute_capability
except Exception:  # no cupy, no driver or no device
    import numpy as xp

steps, ny, nx = 4, 300, 400
y, x = xp.mgrid[0:ny, 0:nx].astype("f4")
with h5py.File("device.h5", "w") as file:
    # One chunk per step: a chunk is compressed on its own.
    u = file.create_dataset("U", (steps, ny, nx), "f4", chunks=(1, ny, nx), **hdf5(absolute=1e-3))
    for step in range(steps):
        field = xp.sin(0.05 * y + step) * xp.cos(0.02 * x)
        u.id.write_direct_chunk((step, 0, 0), compress_chunk(u, field[None]))

# A plain reader.
y, x = np.mgrid[0:ny, 0:nx].astype("f4")
with h5py.File("device.h5") as file:
    for step in range(steps):
        written = np.sin(0.05 * y + step) * np.cos(0.02 * x)
        worst = float(np.abs(file["U"][step] - written).max())
        # sin and cos of the device and of the host differ by a few 1e-7.
        assert worst <= 1e-3 + 1e-6, worst
    size = file["U"].id.get_storage_size()
print(f"{xp.__name__}: {4 * steps * ny * nx} bytes in {size}")
