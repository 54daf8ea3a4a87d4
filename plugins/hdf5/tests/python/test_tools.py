"""The programs of HDF5 and netCDF, as Debian has them."""

import re

import h5py
import netCDF4
import numpy as np
from fsz_codec.hdf5 import h5repack, hdf5, nccopy
from support import TOOLS, Scratch, needs, wave, worst


def numbers(dump):
    """The values in what h5dump or ncdump prints."""
    return np.array([float(word) for word in re.findall(r"-?\d[\d.]*(?:e[-+]?\d+)?", dump)])


class Tools(Scratch):
    @needs("h5dump", **TOOLS)
    def test_h5dump_reads_what_h5py_writes(self):
        for dtype in ("<f4", ">f8"):
            for profile in ("paper", "dense"):
                field = wave((9, 40), dtype)
                with h5py.File(self.path("a.h5"), "w") as file:
                    file.create_dataset(
                        "a", data=field, chunks=(4, 40), **hdf5(absolute=0.01, profile=profile)
                    )
                words = ("-y", "-w", "0", "-m", "%.9g", "-d", "a", "a.h5")
                out, _ = self.run_program("h5dump", *words)
                values = numbers(out.split("DATA {")[1]).reshape(9, 40).astype(dtype)
                self.assertLessEqual(np.abs(values.astype("f8") - field).max(), 0.01 + 1e-8)
                out, _ = self.run_program("h5dump", "-pH", "a.h5")
                self.assertIn(f"FILTER_ID {hdf5(absolute=1)['compression']}", out)
                self.assertIn("testing id", out)

    @needs("h5repack", **TOOLS)
    def test_h5repack_there_and_back(self):
        field, other = wave((70, 50)), wave((30, 20), "f8")
        with h5py.File(self.path("plain.h5"), "w") as file:
            file.create_dataset("a", data=field, fillvalue=-3)
            file["group/b"] = other
            file["n"] = np.arange(7)
        for profile in ("paper", "dense"):
            word = h5repack(range=1e-3, profile=profile)
            self.run_program("h5repack", "-f", word, "-l", "CHUNK=32x10", "plain.h5", "packed.h5")
            with h5py.File(self.path("packed.h5")) as file:
                # Of h5py's own HDF5, which is another release.
                self.assertLessEqual(worst(file["a"][:], field), 2e-3)
                self.assertLessEqual(worst(file["group/b"][:], other), 2e-3)
                self.assertLess(file["a"].id.get_storage_size(), field.nbytes)
                np.testing.assert_array_equal(file["n"][:], np.arange(7))
                restored = file["a"][:]
            self.run_program("h5repack", "-f", "NONE", "packed.h5", "back.h5")
            with h5py.File(self.path("back.h5")) as file:
                np.testing.assert_array_equal(file["a"][:], restored)
                self.assertEqual(file["a"].id.get_create_plist().get_nfilters(), 0)

    @needs("h5repack", **TOOLS)
    def test_h5repack_with_words_that_are_wrong(self):
        with h5py.File(self.path("plain.h5"), "w") as file:
            file["a"] = wave((70, 50))
        word = h5repack(range=1e-3).replace(",0,6,1,", ",0,6,8,")
        _, err = self.run_program("h5repack", "-f", word, "plain.h5", "x.h5", status=None)
        self.assertIn("this release knows revision 1", err)

    @needs("h5dump", **TOOLS)
    def test_h5dump_of_a_damaged_chunk_says_why(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset("a", (9, 9), "f4", chunks=(9, 9), **hdf5(absolute=1))
            dataset.id.write_direct_chunk((0, 0), bytes(300))
        _, err = self.run_program("h5dump", "-d", "a", "a.h5", status=1)
        self.assertIn("corrupt FSZ stream", err)

    @needs("h5dump", **TOOLS)
    def test_without_the_plugin_hdf5_says_so(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("a", data=wave((9, 9)), chunks=(9, 9), **hdf5(absolute=1))
        nowhere = {"HDF5_PLUGIN_PATH": str(self.folder)}
        words = ("h5dump", "--enable-error-stack", "-d", "a", "a.h5")
        _, err = self.run_program(*words, environment=nowhere, status=1)
        self.assertIn("required filter", err)
        with h5py.File(self.path("plain.h5"), "w") as file:
            file["a"] = wave((70, 50))
        words = ("h5repack", "-v", "-f", h5repack(absolute=1), "plain.h5", "b.h5")
        out, _ = self.run_program(*words, environment=nowhere)
        self.assertIn("could not create dataset </a>", out)

    @needs("nccopy", "ncdump", **TOOLS)
    def test_nccopy_writes_and_ncdump_reads(self):
        field = wave((30, 40))
        field[:5] = -999
        with netCDF4.Dataset(self.path("plain.nc"), "w") as file:
            file.createDimension("y", 30)
            file.createDimension("x", 40)
            file.createVariable("a", "f4", ("y", "x"), fill_value=-999)[:] = field
        for profile in ("paper", "dense"):
            word = nccopy(absolute=0.01, missing=-999, profile=profile)
            self.run_program("nccopy", "-F", f"a,{word}", "plain.nc", "packed.nc")
            # A copy of a copy has the filter of the first, whose parameters are complete; it is
            # compressed once more.
            self.run_program("nccopy", "packed.nc", "again.nc")
            for times, name in enumerate(("packed.nc", "again.nc"), 1):
                out, _ = self.run_program("ncdump", "-hs", name)
                self.assertIn(f'a:_Filter = "{word},', out)
                out, _ = self.run_program("ncdump", "-p", "9", "-v", "a", name)
                values = out.split("a =")[1].replace("_", "-999")
                restored = numbers(values).reshape(30, 40).astype("f4")
                self.assertLessEqual(worst(restored, field), times * 0.01 + 1e-7)
                np.testing.assert_array_equal(restored == -999, field == -999)

    @needs("ncdump", **TOOLS)
    def test_ncdump_of_a_damaged_chunk_says_why(self):
        with h5py.File(self.path("a.nc"), "w") as file:
            dataset = file.create_dataset("a", (9, 9), "f4", chunks=(9, 9), **hdf5(absolute=1))
            dataset.id.write_direct_chunk((0, 0), bytes(300))
        _, err = self.run_program("ncdump", "a.nc", status=1)
        self.assertIn("HDF error", err)
        self.assertIn("corrupt FSZ stream", err)
