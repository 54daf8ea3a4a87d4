"""The library as a file, and as a library that other programs load."""

import ctypes
import platform
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy as np
from fsz_codec.hdf5 import hdf5, plugin
from support import FILTER, Scratch, needs

EXPORTED = {
    "H5PLget_plugin_info",
    "H5PLget_plugin_type",
    "fsz_hdf5_cd_values",
    "fsz_hdf5_compress_chunk",
    "fsz_hdf5_filter_id",
    "fsz_hdf5_max_chunk_size",
    "fsz_hdf5_message",
}

# FE_DOWNWARD of the machines.
DOWNWARD = {"x86_64": 0x400, "aarch64": 0x800000}


class Library(Scratch):
    @needs("readelf", install="binutils")
    def test_it_links_no_hdf5_and_exports_little(self):
        out, _ = self.run_program("readelf", "-dW", plugin())
        self.assertNotIn("hdf5", out.split("(NEEDED)", 1)[1])
        out, _ = self.run_program("readelf", "--dyn-syms", "-W", plugin())
        symbols = [line.split() for line in out.splitlines()]
        defined = {s[7] for s in symbols if len(s) == 8 and s[4] == "GLOBAL" and s[6] != "UND"}
        self.assertEqual(defined, EXPORTED)

    def test_functions_refuse_null_and_nonsense(self):
        library = ctypes.CDLL(str(plugin()))
        library.fsz_hdf5_message.restype = ctypes.c_char_p
        words, count = (ctypes.c_uint * 64)(), ctypes.c_size_t(64)
        self.assertEqual(library.fsz_hdf5_cd_values(None, words, ctypes.byref(count)), -1)
        self.assertEqual(library.fsz_hdf5_cd_values(b"absolute=1", None, None), -1)
        self.assertEqual(library.fsz_hdf5_cd_values(b"\xff", words, ctypes.byref(count)), -1)
        count.value = 5
        self.assertEqual(library.fsz_hdf5_cd_values(b"absolute=1", words, ctypes.byref(count)), -1)
        self.assertIn(b"room for 5", library.fsz_hdf5_message())
        count.value = 64
        self.assertEqual(library.fsz_hdf5_cd_values(b"absolute=1", words, ctypes.byref(count)), 0)
        for values, number in ((None, 6), (words, 6), (words, 64), (words, 10**15)):
            self.assertEqual(library.fsz_hdf5_max_chunk_size(values, ctypes.c_size_t(number)), 0)
            compress = library.fsz_hdf5_compress_chunk
            size = compress(values, ctypes.c_size_t(number), None, None, ctypes.c_size_t(0))
            self.assertEqual(size, 0)
            self.assertGreater(len(library.fsz_hdf5_message()), 10)

    def test_a_chunk_is_not_compressed_over_itself(self):
        library = ctypes.CDLL(str(plugin()))
        library.fsz_hdf5_message.restype = ctypes.c_char_p
        # Behind the options: float, no fill value, one dimension of 100.
        options = hdf5(absolute=0.1)["compression_opts"]
        words = (ctypes.c_uint * (len(options) + 4))(*options, 1, 0, 1, 100)
        memory = np.zeros(1000, "f4")

        def compress(values, out):
            return library.fsz_hdf5_compress_chunk(
                words,
                ctypes.c_size_t(len(words)),
                ctypes.c_void_p(memory[values:].ctypes.data),
                ctypes.c_void_p(memory[out:].ctypes.data),
                ctypes.c_size_t(800),
            )

        for values, out in ((300, 300), (300, 399), (300, 101)):
            self.assertEqual(compress(values, out), 0)
            self.assertIn(b"overlap", library.fsz_hdf5_message())
        for values, out in ((300, 400), (300, 100)):
            self.assertGreater(compress(values, out), 0)

    @unittest.skipUnless(platform.machine() in DOWNWARD, "how this machine rounds is not known")
    def test_a_bound_is_the_nearest_number_however_the_thread_rounds(self):
        library = ctypes.CDLL(str(plugin()))

        def words():
            words, count = (ctypes.c_uint * 64)(), ctypes.c_size_t(64)
            done = library.fsz_hdf5_cd_values(b"absolute=0.1", words, ctypes.byref(count))
            return done, words[: count.value]

        before = library.fegetround()
        self.assertEqual(library.fesetround(DOWNWARD[platform.machine()]), 0)
        rounded = words()
        library.fesetround(before)
        self.assertEqual(rounded, words())

    def test_the_manual_shows_the_example_as_it_is(self):
        manual = (FILTER.parents[1] / "docs" / "hdf5.md").read_text()
        example = (FILTER / "examples" / "device_chunks.py").read_text().rstrip()
        self.assertIn(example, manual)
        self.assertIn(f"UD={hdf5(absolute=1)['compression']},", manual)

    @needs("cc", install="gcc")
    def test_the_header_is_c_and_cpp(self):
        include = FILTER / "include"
        for language, standard in (("c", "c99"), ("c++", "c++11")):
            command = ["cc", "-x", language, f"-std={standard}", "-pedantic", "-Wall", "-Wextra"]
            command += ["-Werror", "-fsyntax-only", str(include / "fsz_hdf5.h")]
            self.run_program(*command)


# A library that looks like HDF5 to the filter, and calls it.
FAKE = """
int H5Tget_size(void) { return 0; }
%s
int call(int (*can_apply)(long, long, long)) { return can_apply(1, 2, 3); }
"""
VERSION = """
int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release)
{ *major = %d; *minor = %d; *release = 7; return 0; }
"""
# Calls the filter's can_apply, directly or through a library.
CALL = """
import ctypes, sys
class Class(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("id", ctypes.c_int), ("encoder", ctypes.c_uint),
                ("decoder", ctypes.c_uint), ("name", ctypes.c_char_p),
                ("can_apply", ctypes.c_void_p)]
plugin = ctypes.CDLL(sys.argv[1])
plugin.H5PLget_plugin_info.restype = ctypes.POINTER(Class)
can_apply = plugin.H5PLget_plugin_info().contents.can_apply
if len(sys.argv) > 2:
    answer = ctypes.CDLL(sys.argv[2]).call(ctypes.c_void_p(can_apply))
else:
    signature = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_int64] * 3)
    answer = signature(can_apply)(1, 2, 3)
sys.exit(0 if answer == -1 else 1)
"""


class OtherHdf5(Scratch):
    """An HDF5 that lacks what the filter needs is refused in words."""

    def refused(self, *library):
        return self.run_program(sys.executable, "-c", CALL, plugin(), *library)[1]

    def test_none(self):
        self.assertIn("cannot be found in this process", self.refused())

    @needs("cc", install="gcc")
    def test_one_that_is_too_old_or_lacks_a_function(self):
        for functions, said in [
            ("", "this HDF5 has no H5get_libversion: FSZ needs HDF5 1.10 or newer"),
            (VERSION % (1, 8), "this is HDF5 1.8.7: FSZ needs HDF5 1.10 or newer"),
            (VERSION % (1, 12), "this HDF5 has no H5allocate_memory"),
        ]:
            with self.subTest(said=said):
                (self.folder / "fake.c").write_text(FAKE % functions)
                # A hidden name, as in a wheel.
                library = self.path("libhdf5-0123abcd.so.9")
                self.run_program("cc", "-shared", "-fPIC", "fake.c", "-o", library)
                self.assertIn(said, self.refused(library))


def hdf5_for_c():
    """Whether the C headers of HDF5 are there."""
    if shutil.which("pkg-config") is None:
        return False
    return subprocess.run(["pkg-config", "--exists", "hdf5"]).returncode == 0


class C(Scratch):
    @unittest.skipUnless(hdf5_for_c(), "headers are missing: apt install libhdf5-dev pkg-config")
    def test_the_c_example_writes_what_h5py_reads(self):
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "hdf5"], capture_output=True, text=True, check=True
        ).stdout.split()
        warnings = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
        example = FILTER / "examples" / "device_chunks.c"
        sources = ["-I", FILTER / "include", example, plugin(), *flags, "-lm"]
        self.run_program("cc", *warnings, "-o", self.path("example"), *sources)
        folder = {"LD_LIBRARY_PATH": str(plugin().parent)}
        self.run_program(self.path("example"), environment=folder)
        t, y, x = np.mgrid[0:4, 0:300, 0:400].astype("f4")
        written = np.sin(np.float32(0.05) * y + t) * np.cos(np.float32(0.02) * x)
        with h5py.File(self.path("device_c.h5")) as file:
            # sinf and numpy's sin differ by a few 1e-7.
            self.assertLessEqual(np.abs(file["U"][:] - written).max(), 1e-3 + 1e-6)
            self.assertLess(file["U"].id.get_storage_size(), written.nbytes / 3)
