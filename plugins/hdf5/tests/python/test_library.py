"""The library as a file, and as a library that other programs load."""

import ctypes
import shutil
import subprocess
import unittest
from pathlib import Path

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


def hdf5_for_c():
    """Whether the C headers of HDF5 are there."""
    if shutil.which("pkg-config") is None:
        return False
    return subprocess.run(["pkg-config", "--exists", "hdf5"]).returncode == 0


class C(Scratch):
    @unittest.skipUnless(
        hdf5_for_c(), "pkg-config finds no hdf5: apt install libhdf5-dev pkg-config"
    )
    def test_the_c_example_compiles_without_warnings(self):
        example = FILTER / "examples" / "device_chunks.c"
        flags = subprocess.run(
            ["pkg-config", "--cflags", "hdf5"], capture_output=True, text=True, check=True
        ).stdout.split()
        self.run_program(
            *["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", FILTER / "include"],
            *[*flags, "-c", example, "-o", Path(self.path("example.o"))],
        )
