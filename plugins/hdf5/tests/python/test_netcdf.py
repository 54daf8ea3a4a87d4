"""netCDF4-python and xarray, which read and write with an HDF5 of their own."""

import itertools

import fsz_codec
import h5py
import netCDF4
import numpy as np
import xarray as xr
from fsz_codec.hdf5 import hdf5, netcdf4
from support import Scratch, wave, worst


class NetCdf(Scratch):
    def test_netcdf4_writes_and_both_read(self):
        for dtype, profile in itertools.product(("f4", "f8"), ("paper", "dense")):
            for endian, fill in (("little", None), ("big", -999.0), ("little", False)):
                with self.subTest(dtype=dtype, profile=profile, endian=endian, fill=fill):
                    field = wave((3, 30, 50), dtype)
                    field[:, 3:6] = -999
                    with netCDF4.Dataset(self.path("a.nc"), "w") as file:
                        for name, size in (("t", None), ("y", 30), ("x", 50)):
                            file.createDimension(name, size)
                        variable = file.createVariable(
                            "a",
                            {"little": "<", "big": ">"}[endian] + dtype,
                            ("t", "y", "x"),
                            chunksizes=(2, 20, 50),
                            endian=endian,
                            fill_value=fill,
                        )
                        netcdf4(variable, range=1e-3, missing=-999, profile=profile)
                        variable[:] = field
                    with netCDF4.Dataset(self.path("a.nc")) as file:
                        file.set_auto_mask(False)
                        read = file["a"][:].astype(dtype)
                    with h5py.File(self.path("a.nc")) as file:
                        self.assertLess(file["a"].id.get_storage_size(), field.nbytes / 1.5)
                        np.testing.assert_array_equal(file["a"][:], read)
                    # Chunks of 2 and of 1 steps and the rest of them each have a range below 2.
                    self.assertLessEqual(worst(read, field), 2e-3)
                    np.testing.assert_array_equal(read == -999, field == -999)

    def test_netcdf4_reads_what_h5py_writes(self):
        field = wave((40, 40))
        with h5py.File(self.path("a.nc"), "w") as file:
            file.create_dataset("a", data=field, chunks=(30, 30), **hdf5(absolute=0.01))
        with netCDF4.Dataset(self.path("a.nc")) as file:
            self.assertLessEqual(worst(np.asarray(file["a"][:]), field), 0.01)

    def test_netcdf4_of_other_types_is_an_error(self):
        with netCDF4.Dataset(self.path("a.nc"), "w") as file:
            file.createDimension("x", 9)
            for dtype in ("i4", "S1", str):
                variable = file.createVariable(f"a{dtype}", dtype, ("x",))
                with self.assertRaisesRegex(ValueError, "FSZ compresses f4 and f8"):
                    netcdf4(variable, absolute=1)
            late = file.createVariable("late", "f4", ("x",))
            late[:] = 1
            file.sync()
            with self.assertRaisesRegex(RuntimeError, "right after createVariable"):
                netcdf4(late, absolute=1)

    def test_netcdf4_where_netcdf_sets_no_filter(self):
        for model, sides, said in [
            ("NETCDF4_CLASSIC", ("x",), "format NETCDF4_CLASSIC"),
            ("NETCDF3_64BIT_DATA", ("x",), "format NETCDF3"),
            ("NETCDF4", (), "no dimensions"),
        ]:
            with netCDF4.Dataset(self.path("a.nc"), "w", format=model) as file:
                file.createDimension("x", 9)
                variable = file.createVariable("a", "f4", sides)
                with self.assertRaisesRegex(ValueError, said):
                    netcdf4(variable, absolute=1)

    def test_netcdf4_of_what_is_no_variable(self):
        with netCDF4.Dataset(self.path("a.nc"), "w") as file:
            for wrong in (file, None, "a"):
                with self.assertRaisesRegex(TypeError, "a netCDF4.Variable is needed, .* not "):
                    netcdf4(wrong, absolute=1)

    def test_netcdf4_beside_other_filters(self):
        """Those that netCDF puts before it are refused at once, not by an HDF error when the file is closed."""
        for words, name in [({"zlib": True}, "shuffle, zlib"), ({"fletcher32": True}, "fletcher32")]:
            with netCDF4.Dataset(self.path(f"{name}.nc"), "w") as file:
                file.createDimension("x", 40)
                t = file.createVariable("t", "f4", ("x",), **words)
                with self.assertRaisesRegex(ValueError, f"t has {name}, which would stand before"):
                    netcdf4(t, absolute=0.01)

    def test_xarray(self):
        field = wave((25, 40), "f8")
        field[4:9] = np.nan
        data = xr.Dataset({"a": (("y", "x"), field), "n": ("x", np.arange(40))})
        for profile in ("paper", "dense"):
            encoding = {"a": {**fsz_codec.hdf5(absolute=0.01, profile=profile), "_FillValue": 1e20}}
            data.to_netcdf(self.path("a.nc"), engine="h5netcdf", encoding=encoding)
            for engine in ("h5netcdf", "netcdf4"):
                with xr.open_dataset(self.path("a.nc"), engine=engine) as read:
                    self.assertLessEqual(worst(read["a"].values, field), 0.01)
                    np.testing.assert_array_equal(read["n"].values, data["n"].values)

    def test_xarray_of_other_types_is_an_error(self):
        data = xr.Dataset({"n": ("x", np.arange(40))})
        with self.assertRaisesRegex(ValueError, "IEEE floats of 32 or 64 bits"):
            data.to_netcdf(
                self.path("a.nc"), engine="h5netcdf", encoding={"n": fsz_codec.hdf5(absolute=1)}
            )
