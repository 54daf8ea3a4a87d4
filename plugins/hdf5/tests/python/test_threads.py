"""Threads, threads within a chunk, and processes that fork."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import h5py
import netCDF4
import numpy as np
from fsz_codec.hdf5 import hdf5
from support import Scratch, wave, worst

FORK = """
import os, sys, h5py, numpy as np
from fsz_codec.hdf5 import hdf5
field = np.sin(np.arange(2e6)).astype("f4")
def write(name):
    with h5py.File(name, "w") as file:
        file.create_dataset("a", data=field, chunks=(1_000_000,), **hdf5(absolute=1e-3))
    with h5py.File(name) as file:
        return np.abs(file["a"][:] - field).max() <= 1e-3
good = write("before.h5")
child = os.fork()
if child == 0:
    os._exit(0 if write("child.h5") else 1)
good = write("after.h5") and good and os.waitpid(child, 0)[1] == 0
sys.exit(not good)
"""

THREADS = {"FSZ_HDF5_THREADS": "3"}


class Threads(Scratch):
    def test_threads_share_files_and_libraries(self):
        fields = [wave((120, 90), dtype, seed) for seed, dtype in enumerate(["f4", "f8"] * 4)]
        for seed, field in enumerate(fields):
            with h5py.File(self.path(f"{seed}.nc"), "w") as file:
                profile = ("paper", "dense")[seed // 2 % 2]
                file.create_dataset(
                    "a", data=field, chunks=(50, 40), **hdf5(absolute=1e-3, profile=profile)
                )

        def read(job):
            name = self.path(f"{job % len(fields)}.nc")
            if job % 3 == 0:
                # netCDF4 locks nothing: only one of its calls at a time.
                with netcdf, netCDF4.Dataset(name) as file:
                    values = np.asarray(file["a"][:])
            elif job % 3 == 1:
                with h5py.File(name) as file:
                    values = file["a"][:]
            else:
                values = shared[job % len(fields)]["a"][:]
            return worst(values, fields[job % len(fields)])

        netcdf = Lock()
        shared = [h5py.File(self.path(f"{seed}.nc")) for seed in range(len(fields))]
        with ThreadPoolExecutor(8) as pool:
            self.assertLessEqual(max(pool.map(read, range(400))), 1e-3)
        for file in shared:
            file.close()

    def test_threads_write(self):
        def write(seed):
            field = wave((90, 70), "f4", seed)
            with h5py.File(self.path(f"{seed}.h5"), "w") as file:
                file.create_dataset("a", data=field, chunks=(50, 40), **hdf5(absolute=1e-3))
            with h5py.File(self.path(f"{seed}.h5")) as file:
                return worst(file["a"][:], field)

        with ThreadPoolExecutor(8) as pool:
            self.assertLessEqual(max(pool.map(write, range(60))), 1e-3)

    def test_forks_with_and_without_threads(self):
        for threads in ({}, THREADS, {"FSZ_HDF5_THREADS": "1000000"}):
            self.run_program(sys.executable, "-c", FORK, environment=threads)
        first = (self.folder / "before.h5").read_bytes()
        self.assertEqual(first, (self.folder / "child.h5").read_bytes())

    def test_a_wrong_number_of_threads_is_an_error_with_words(self):
        for value in ("0", "x", "-1"):
            _, err = self.run_program(
                sys.executable, "-c", FORK, environment={"FSZ_HDF5_THREADS": value}, status=1
            )
            self.assertIn(f'FSZ_HDF5_THREADS: "{value}" is not a number from 1', err)
