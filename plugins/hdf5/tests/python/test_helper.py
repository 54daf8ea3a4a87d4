"""The Python module: arguments, and where the library is found."""

import os
import shutil
import sys

import fsz_codec
import h5py
import numpy as np
from fsz_codec.hdf5 import compress_chunk, h5repack, hdf5, nccopy, plugin
from support import FILTER, Scratch, stream, wave


class Helper(Scratch):
    def test_the_package_has_the_function(self):
        self.assertEqual(fsz_codec.hdf5(range=1e-3), hdf5(range=1e-3))

    def test_types(self):
        words = ["--strict", "--python-version", "3.11", "--cache-dir", self.path("cache")]
        self.run_program(sys.executable, "-m", "mypy", *words, FILTER / "python" / "hdf5.py")

    def test_words(self):
        half = (0, 0x3FE00000)
        self.assertEqual(hdf5(absolute=0.5)["compression_opts"], (1, 0, *half, 0, 0))
        self.assertEqual(hdf5(range=0.5)["compression_opts"], (1, 1, *half, 0, 0))
        all_ = hdf5(range=0.5, value_range=(0, 0.5), missing=[0.5], profile="dense")
        self.assertEqual(all_["compression_opts"], (1, 2, *half, 1, 1, *half, 0, 0, *half))
        self.assertEqual(hdf5(relative=0.5)["compression_opts"], (1, 3, *half, 0, 0, 0, 0))
        floor = hdf5(relative=0.5, floor=0.5, missing=0.5)["compression_opts"]
        self.assertEqual(floor, (1, 3, *half, 0, 1, *half, *half))
        self.assertEqual(hdf5(absolute=0.5, missing=0.5), hdf5(absolute=0.5, missing=(0.5,)))
        for one in (np.float32(0.5), np.array(0.5), np.array([0.5])):
            self.assertEqual(hdf5(absolute=0.5, missing=one), hdf5(absolute=0.5, missing=0.5))
        self.assertEqual(hdf5(absolute=np.float32(0.5), missing=None), hdf5(absolute=0.5))
        both = {"range": 0.5, "value_range": np.array([0, 0.5])}
        self.assertEqual(hdf5(**both), hdf5(range=0.5, value_range=(0, 0.5)))
        number = hdf5(absolute=1)["compression"]
        self.assertEqual(h5repack(absolute=0.5), f"UD={number},0,6,1,0,0,1071644672,0,0")
        self.assertEqual(nccopy(absolute=0.5), f"{number},1,0,0,1071644672,0,0")

    def test_options_out_of_range(self):
        for options, said in [
            ({}, "a bound is needed"),
            ({"absolute": 1, "range": 1}, "a bound is needed"),
            ({"absolute": 0}, "must be a positive"),
            ({"absolute": float("nan")}, "must be a positive"),
            ({"range": -1}, "must be a positive"),
            ({"absolute": 1, "value_range": (0, 1)}, "only beside range"),
            ({"absolute": 1, "relative": 0.1}, "a bound is needed"),
            ({"absolute": 1, "floor": 1}, "only beside relative"),
            ({"relative": 0.6}, "at most 0.5"),
            ({"relative": 0.1, "floor": -1}, "not negative"),
            ({"range": 1, "value_range": (2, 1)}, "lower one first"),
            ({"range": 1, "value_range": (1,)}, "MIN,MAX"),
            ({"absolute": 1, "missing": [1, 2, 3, 4, 5]}, "at most 4"),
            ({"absolute": 1, "profile": "fast"}, "paper or dense"),
            ({"absolute": 1, "profile": "dense missing=3"}, "paper or dense"),
            ({"absolute": "0.1"}, "absolute='0.1': a number"),
            ({"range": True}, "range=True: a number"),
            ({"absolute": 1, "missing": np.ma.masked}, "missing=masked: a number"),
            ({"relative": [0.1]}, "relative=.*: a number"),
            ({"absolute": 1, "missing": "1e20"}, "missing='1e20': a number"),
            ({"range": 1, "value_range": 3}, "MIN,MAX"),
        ]:
            with self.subTest(options=options), self.assertRaisesRegex(ValueError, said):
                hdf5(**options)
        with self.assertRaises(TypeError):
            hdf5(bound=1)

    def test_compress_chunk(self):
        for dtype in ("<f4", ">f4", "f8"):
            for profile in ("paper", "dense"):
                # In this machine's byte order, whatever the dataset's.
                field = wave((20, 30), np.dtype(dtype).newbyteorder("="))
                with h5py.File(self.path("a.h5"), "w") as file:
                    dataset = file.create_dataset(
                        "a",
                        (20, 30),
                        dtype,
                        chunks=(20, 30),
                        fillvalue=2,
                        **hdf5(absolute=0.01, profile=profile),
                    )
                    chunk = compress_chunk(dataset, field)
                    self.assertEqual(chunk, stream(field, ("absolute", 0.01), profile, [2]))
                    dataset.id.write_direct_chunk((0, 0), chunk)
                    self.assertLessEqual(np.abs(dataset[:] - field).max(), 0.01)
                    for wrong in (field[:10], field.T, field.astype("i4"), field[:, ::-1]):
                        with self.assertRaises(ValueError):
                            compress_chunk(dataset, wrong)

    def test_compress_chunk_of_what_is_none(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            for wrong in (file, None, "plain"):
                with self.assertRaisesRegex(TypeError, "an h5py.Dataset is needed, not "):
                    compress_chunk(wrong, np.zeros(4, "f4"))
            plain = file.create_dataset("plain", (4,), "f4", chunks=(4,))
            with self.assertRaisesRegex(ValueError, "/plain is not compressed by FSZ"):
                compress_chunk(plain, np.zeros(4, "f4"))
            dataset = file.create_dataset("a", (4,), "f4", chunks=(4,), **hdf5(absolute=1))
            with self.assertRaisesRegex(ValueError, "values of list: .* array is needed"):
                compress_chunk(dataset, [0, 0, 0, 0])
            with self.assertRaisesRegex(ValueError, "masked"):
                compress_chunk(dataset, np.ma.array(np.zeros(4, "f4"), mask=[0, 0, 1, 0]))
            # As netCDF4 gives them where no value is missing.
            plain = compress_chunk(dataset, np.zeros(4, "f4"))
            for mask in (np.ma.nomask, np.zeros(4, bool)):
                values = np.ma.array(np.zeros(4, "f4"), mask=mask)
                self.assertEqual(compress_chunk(dataset, values), plain)

    def test_compress_chunk_with_a_filter_behind(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset(
                "a", (4,), "f4", chunks=(4,), fletcher32=True, **hdf5(absolute=1)
            )
            with self.assertRaisesRegex(ValueError, "/a has fletcher32.* behind FSZ"):
                compress_chunk(dataset, np.zeros(4, "f4"))

    def test_numbers_beyond_all_floats(self):
        with self.assertRaisesRegex(ValueError, "a positive, finite number"):
            hdf5(absolute=10**400)

    def test_the_module_is_not_hidden_by_its_function(self):
        import fsz_codec.hdf5

        self.assertIs(fsz_codec.hdf5, sys.modules["fsz_codec.hdf5"])
        self.assertIs(fsz_codec.hdf5.hdf5, hdf5)
        self.assertEqual(fsz_codec.hdf5(absolute=1), hdf5(absolute=1))

    def test_libraries_that_are_imported_later(self):
        """As xarray's engines import theirs when they open a file."""
        with h5py.File(self.path("a.nc"), "w") as file:
            file.create_dataset("a", data=np.arange(9.0), chunks=(9,), **hdf5(absolute=0.1))
        lines = """
            import importlib, fsz_codec.hdf5
            fsz_codec.hdf5.register()
            # A second hook, of a module that was loaded anew, goes well with the first.
            importlib.reload(fsz_codec.hdf5).register()
            import h5py, netCDF4
            assert h5py.File("a.nc")["a"][8] >= 7.9
            assert netCDF4.Dataset("a.nc")["a"][8] >= 7.9
        """
        script = self.folder / "script.py"
        script.write_text("\n".join(line[12:] for line in lines.splitlines()))
        self.run_program(sys.executable, script, environment={"HDF5_PLUGIN_PATH": ""})

    def test_a_wheel_needs_no_environment(self):
        """The library lies beside the module, and both HDF5s are told."""
        lines = """
            import os, sys, h5py, netCDF4, numpy as np
            from fsz_codec.hdf5 import hdf5, plugin, register
            assert "packages" in str(plugin())
            if "write" in sys.argv:
                with h5py.File("a.nc", "w") as file:
                    file.create_dataset("a", data=np.arange(9.0), chunks=(9,), **hdf5(absolute=0.1))
            else:
                register()
            with h5py.File("a.nc") as file:
                assert np.abs(file["a"][:] - np.arange(9)).max() <= 0.1
            with netCDF4.Dataset("a.nc") as file:
                assert np.abs(file["a"][:] - np.arange(9)).max() <= 0.1
        """
        script = self.folder / "script.py"
        script.write_text("\n".join(line[12:] for line in lines.splitlines()))
        for nothing in ({"HDF5_PLUGIN_PATH": ""}, {"HDF5_PLUGIN_PATH": str(self.folder)}):
            self.run_program(sys.executable, script, "write", environment=nothing)
            self.run_program(sys.executable, script, "read", environment=nothing)

    def test_without_a_library(self):
        shutil.copy(fsz_codec.hdf5.__file__, self.folder / "alone.py")
        words = (sys.executable, "-c", "import alone; alone.hdf5(absolute=1)")
        nowhere = {"HDF5_PLUGIN_PATH": str(self.folder), "PYTHONPATH": str(self.folder)}
        _, err = self.run_program(*words, environment=nowhere, status=1)
        self.assertIn(f"no {plugin().name}: set HDF5_PLUGIN_PATH to its folder", err)
        found = {**nowhere, "HDF5_PLUGIN_PATH": f"{self.folder}:{os.environ['HDF5_PLUGIN_PATH']}"}
        self.run_program(*words, environment=found)
