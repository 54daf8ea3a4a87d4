"""Damaged chunks and wrong parameters are HDF5 errors with words, and nothing else."""

import sys

import h5py
import numpy as np
from fsz_codec.hdf5 import hdf5
from support import Scratch, stream, wave

DAMAGED = 10_000


class Damage(Scratch):
    def test_damaged_chunks(self):
        random = np.random.default_rng(3)
        field = wave((60, 50))
        field[20:30, 10:20] = np.nan
        # Without a chunk cache: every read decodes.
        with h5py.File(
            self.path("a.h5"), "w", driver="core", backing_store=False, rdcc_nbytes=0
        ) as file:
            for profile in ("paper", "dense"):
                dataset = file.create_dataset(
                    profile, data=field, chunks=(60, 50), **hdf5(absolute=0.01, profile=profile)
                )
                file.flush()
                good = np.frombuffer(dataset.id.read_direct_chunk((0, 0))[1], np.uint8)
                expected = dataset[:]
                for case in range(DAMAGED // 2):
                    bad = damage(good, random, case)
                    dataset.id.write_direct_chunk((0, 0), bad.tobytes())
                    with self.assertRaisesRegex(OSError, "filter returned failure|FSZ"):
                        dataset[:]
                dataset.id.write_direct_chunk((0, 0), good.tobytes())
                np.testing.assert_array_equal(dataset[:], expected)

    def test_other_chunks_stay_readable(self):
        field = wave((80, 40))
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset("a", data=field, chunks=(40, 40), **hdf5(range=1e-3))
            file.flush()
            dataset.id.write_direct_chunk((0, 0), b"no stream at all" * 20)
        with h5py.File(self.path("a.h5")) as file:
            with self.assertRaisesRegex(OSError, "filter returned failure|FSZ"):
                file["a"][:]
            self.assertLessEqual(np.abs(file["a"][40:] - field[40:]).max(), 4e-3)

    def test_each_message_is_printed_once(self):
        program = """
import h5py
from fsz_codec.hdf5 import hdf5

with h5py.File("a.h5", "w") as file:
    good = file.create_dataset("a", (4, 5), "f4", chunks=(4, 5), **hdf5(absolute=1))
    good.id.write_direct_chunk((0, 0), b"no stream at all" * 20)
    for _ in range(2):
        for wrong in (
            lambda: file.create_dataset("b", (4, 5), "i4", chunks=(4, 5), **hdf5(absolute=1)),
            lambda: good[:],
        ):
            try:
                wrong()
            except (OSError, ValueError):
                continue
            raise AssertionError("no error")
"""
        _, said = self.run_program(sys.executable, "-c", program)
        lines = said.splitlines()
        self.assertEqual(len(lines), 2, said)
        for line, words in zip(lines, ("no other type", "magic")):
            self.assertIn("FSZ filter: ", line)
            self.assertIn(words, line)

    def test_the_stream_of_another_chunk(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset("a", (20, 20), "f4", chunks=(20, 20), **hdf5(absolute=1))
            for other in (wave((20, 21)), wave((400,)), wave((20, 20), "f8"), wave((2, 2))):
                dataset.id.write_direct_chunk((0, 0), stream(other, ("absolute", 1)))
                with self.assertRaisesRegex(OSError, "filter returned failure|FSZ"):
                    dataset[:]

    def test_parameters_that_are_wrong(self):
        number = hdf5(absolute=1)["compression"]
        low, high = np.float64(0.01).view("u8") & 0xFFFFFFFF, np.float64(0.01).view("u8") >> 32
        bound = (int(low), int(high))
        nan = (0, 0x7FF80000)
        minus = (0, 0xBFF00000)
        for words, said in [
            ((), "no cd_values"),
            ((1,), "some are missing"),
            ((2, 0, *bound, 0, 0), "revision 1"),
            ((1, 9, *bound, 0, 0), "no bound has this number"),
            ((1, 0, *bound, 77, 0), "no profile has this number"),
            ((1, 0, *bound, 0, 5, *[0] * 10), "at most 4 missing values"),
            ((1, 0, *bound, 0, 1), "some are missing"),
            ((1, 2, *bound, 0, 0), "some are missing"),
            ((1, 2, *bound, 0, 0, 0, 0, *minus), "value range 0 to -1"),
            ((1, 0, *nan, 0, 0), "absolute bound NaN"),
            ((1, 1, *minus, 0, 0), "value-range bound -1"),
            ((1, 0, 0, 0, 0, 0), "absolute bound 0"),
            ((1, 0, *bound, 0, 0, 99), "no element type has this number"),
            ((1, 0, *bound, 0, 0, 1, 0, 1, 5, 5), "are enough"),
            ((1, 0, *bound, 0, 1, 0, 0x7FE00000), "no f32 is near it"),
            (tuple(range(1, 80)), "cd_values"),
        ]:
            with self.subTest(words=words), h5py.File(self.path("a.h5"), "w") as file:
                # h5py asks for the filter as an optional one.
                with self.assertRaisesRegex(ValueError, said):
                    file.create_dataset(
                        "a", (9, 9), "f4", chunks=(9, 9), compression=number, compression_opts=words
                    )
                self.assertEqual(list(file), [])

    def test_types_that_are_not_floats(self):
        compound = np.dtype([("a", "f4")])
        for dtype in ("i4", "u1", "f2", "S4", "c8", "?", compound):
            with self.subTest(dtype=dtype), h5py.File(self.path("a.h5"), "w") as file:
                with self.assertRaisesRegex(ValueError, "IEEE floats of 32 or 64 bits"):
                    file.create_dataset("a", (9,), dtype, chunks=(9,), **hdf5(absolute=1))

    def test_values_of_variable_length_are_stored_and_said_to_be(self):
        # HDF5 asks a filter about other types, and of these calls it for the references to them.
        program = (
            "import h5py, fsz_codec\n"
            "kind = h5py.vlen_dtype('f4')\n"
            "with h5py.File('a.h5', 'w') as file:\n"
            "    a = file.create_dataset('a', (2,), kind, chunks=(1,), **fsz_codec.hdf5(absolute=1))\n"
            "    a[0] = [1, 2, 3]\n"
        )
        said = self.run_program(sys.executable, "-c", program)[1]
        self.assertIn("or is of a type of variable length", said)
        with h5py.File(self.path("a.h5")) as file:
            self.assertEqual(list(file["a"][0]), [1, 2, 3])

    def test_floats_that_are_not_ieee(self):
        odd = h5py.h5t.IEEE_F32LE.copy()
        odd.set_ebias(100)
        few = h5py.h5t.IEEE_F64LE.copy()
        few.set_fields(52, 42, 10, 0, 42)
        for kind in (odd, few):
            with h5py.File(self.path("a.h5"), "w") as file:
                list_ = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                list_.set_chunk((9,))
                options = hdf5(absolute=1)
                list_.set_filter(options["compression"], 0, options["compression_opts"])
                space = h5py.h5s.create_simple((9,))
                with self.assertRaisesRegex(ValueError, "IEEE floats of 32 or 64 bits"):
                    h5py.h5d.create(file.id, b"a", kind, space, list_)

    def test_too_many_values_to_keep(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            with self.assertRaisesRegex(ValueError, "at most 4 together, so name fewer"):
                file.create_dataset(
                    "a",
                    (9,),
                    "f4",
                    chunks=(9,),
                    fillvalue=5,
                    **hdf5(absolute=1, missing=[1, 2, 3, 4]),
                )
            # The fill value is one of them.
            file.create_dataset(
                "b", (9,), "f4", chunks=(9,), fillvalue=4, **hdf5(absolute=1, missing=[1, 2, 3, 4])
            )

    def test_a_damaged_chunk_says_why_once(self):
        """HDF5 2.0 drops what a filter says while it reads, so it is said on standard error."""
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset("a", (9, 9), "f4", chunks=(9, 9), **hdf5(absolute=1))
            dataset.id.write_direct_chunk((0, 0), bytes(300))
        read = "import h5py\nfile = h5py.File('a.h5')\nfor _ in range(9):\n try: file['a'][:]\n"
        read += " except OSError as error: print(error)"
        out, err = self.run_program(sys.executable, "-c", read)
        self.assertEqual(len(out.splitlines()), 9)
        self.assertEqual((out + err).count("corrupt FSZ stream") % 9, 1, out + err)


def damage(good, random, case):
    """One or more flipped bits, bytes of noise, a shorter or a longer stream."""
    bad = good.copy()
    kind = case % 5
    if kind == 0:
        bad[random.integers(len(bad))] ^= 1 << random.integers(8)
    elif kind == 1:
        start = random.integers(len(bad))
        bad[start : start + 16] ^= random.integers(1, 256, len(bad[start : start + 16]), np.uint8)
    elif kind == 2:
        bad = bad[: random.integers(1, len(bad))]
    elif kind == 3:
        bad = np.concatenate([bad, random.integers(0, 256, random.integers(1, 99), np.uint8)])
    else:
        # The header, where lengths and shapes are.
        bad[random.integers(min(144, len(bad)))] ^= random.integers(1, 256)
    return bad
