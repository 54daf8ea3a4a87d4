"""A chunk in CUDA memory gives the bytes that the same chunk in host memory gives."""

import array
import ctypes
import math
import unittest

from fsz_codec.hdf5 import hdf5, plugin

SHAPE = (3, 200, 300)


def device():
    """The driver, with a primary context that is current, or None."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    number, context = ctypes.c_int(), ctypes.c_void_p()
    ready = (
        driver.cuInit(0) == 0
        and driver.cuDeviceGet(ctypes.byref(number), 0) == 0
        and driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), number) == 0
        and driver.cuCtxSetCurrent(context) == 0
    )
    return driver if ready else None


class Device(unittest.TestCase):
    def test_bytes_of_device_managed_and_pinned_memory(self):
        driver = device()
        if driver is None:
            self.skipTest("no CUDA device")
        library = ctypes.CDLL(str(plugin()))
        library.fsz_hdf5_max_chunk_size.restype = ctypes.c_size_t
        library.fsz_hdf5_compress_chunk.restype = ctypes.c_size_t
        for code, kind in ((1, "f"), (2, "d")):
            for profile in ("paper", "dense"):
                for bound in ({"absolute": 1e-3}, {"range": 1e-4}):
                    with self.subTest(kind=kind, profile=profile, bound=bound):
                        options = hdf5(**bound, missing=-9, profile=profile)["compression_opts"]
                        # Type, no fill value, shape: what the filter appends in a dataset.
                        words = (*options, code, 0, len(SHAPE), *SHAPE)
                        self.compare(driver, library, words, kind)

    def compare(self, driver, library, words, kind):
        count = math.prod(SHAPE)
        values = array.array(kind, (math.sin(i / 40) + (i % 300) / 99 for i in range(count)))
        values[1000:1500] = array.array(kind, [-9.0] * 500)
        values[77] = math.nan
        size = count * values.itemsize
        host = (ctypes.c_char * size).from_buffer(values)
        cd_values = (ctypes.c_uint * len(words))(*words)
        number = ctypes.c_size_t(len(words))
        room = library.fsz_hdf5_max_chunk_size(cd_values, number)
        self.assertGreater(room, 0)

        def compress(address):
            out = ctypes.create_string_buffer(room)
            length = library.fsz_hdf5_compress_chunk(
                cd_values, number, ctypes.c_void_p(address), out, ctypes.c_size_t(room)
            )
            self.assertGreater(length, 0)
            return out.raw[:length]

        expected = compress(ctypes.addressof(host))
        bytes_ = ctypes.c_size_t(size)
        pointer = ctypes.c_uint64()
        self.assertEqual(driver.cuMemAlloc_v2(ctypes.byref(pointer), bytes_), 0)
        self.assertEqual(driver.cuMemcpyHtoD_v2(pointer, host, bytes_), 0)
        self.assertEqual(compress(pointer.value), expected)
        self.assertEqual(driver.cuMemFree_v2(pointer), 0)

        managed = ctypes.c_uint64()
        self.assertEqual(driver.cuMemAllocManaged(ctypes.byref(managed), bytes_, 1), 0)
        ctypes.memmove(managed.value, host, size)
        self.assertEqual(compress(managed.value), expected)
        self.assertEqual(driver.cuMemFree_v2(managed), 0)

        pinned = ctypes.c_void_p()
        self.assertEqual(driver.cuMemAllocHost_v2(ctypes.byref(pinned), bytes_), 0)
        ctypes.memmove(pinned, host, size)
        self.assertEqual(compress(pinned.value), expected)
        self.assertEqual(driver.cuMemFreeHost(pinned), 0)
