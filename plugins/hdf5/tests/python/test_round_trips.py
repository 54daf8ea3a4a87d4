"""What is written through h5py comes back within the bound, and what must keep its bits does."""

import itertools
import sys

import h5py
import numpy as np
from fsz_codec.hdf5 import hdf5
from support import Scratch, wave, worst

TYPES = ["<f4", ">f4", "<f8", ">f8"]
PROFILES = ["paper", "dense"]


class RoundTrips(Scratch):
    def write(self, field, chunks, fillvalue=None, **options):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset(
                "a", data=field, chunks=chunks, fillvalue=fillvalue, **hdf5(**options)
            )
        with h5py.File(self.path("a.h5")) as file:
            dataset = file["a"]
            for index in range(dataset.id.get_num_chunks()):
                # No filter was left out of any chunk.
                self.assertEqual(dataset.id.get_chunk_info(index).filter_mask, 0)
            return dataset[:], dataset.id.get_storage_size()

    def test_types_byte_orders_and_profiles_with_edge_chunks(self):
        for dtype, profile in itertools.product(TYPES, PROFILES):
            with self.subTest(dtype=dtype, profile=profile):
                field = wave((50, 70, 30), dtype)
                restored, size = self.write(field, (16, 32, 30), absolute=1e-3, profile=profile)
                self.assertLessEqual(worst(restored, field), 1e-3)
                self.assertGreater(worst(restored, field), 0)
                self.assertLess(size, field.nbytes / 2)

    def test_shapes(self):
        shapes = [((1,), (1,)), ((1000,), (300,)), ((3, 1, 5, 7), (2, 1, 3, 7))]
        shapes += [((2,) * 11, (2,) * 11), ((5, 3) + (2,) * 8, (2, 2) + (2,) * 8)]
        for (shape, chunks), profile in itertools.product(shapes, PROFILES):
            with self.subTest(shape=shape, profile=profile):
                field = wave(shape, "f8")
                restored, _ = self.write(field, chunks, absolute=1e-6, profile=profile)
                self.assertLessEqual(worst(restored, field), 1e-6)

    def test_a_dataset_that_grows(self):
        field = wave((30, 20))
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset(
                "a", (0, 20), "f4", chunks=(7, 20), maxshape=(None, 20), **hdf5(absolute=1e-3)
            )
            # A chunk is compressed once more for each of its rows: at most as many bounds add up.
            for row in range(30):
                dataset.resize(row + 1, axis=0)
                dataset[row] = field[row]
                file.flush()
        with h5py.File(self.path("a.h5")) as file:
            self.assertLessEqual(worst(file["a"][:], field), 7e-3)

    def test_values_that_are_not_finite(self):
        for dtype, profile in itertools.product(TYPES, PROFILES):
            field = wave((40, 50), dtype)
            field[::7, ::3] = np.nan
            field[5, :] = np.inf
            field[:, 6] = -np.inf
            restored, _ = self.write(field, (30, 30), range=1e-3, profile=profile)
            # worst checks the bits.
            self.assertLessEqual(worst(restored, field), 1e-3 * 2)

    def test_the_range_is_that_of_the_chunks_values_without_padding(self):
        for dtype, profile, fill in itertools.product(TYPES, PROFILES, (None, 0, -1e30, np.nan)):
            with self.subTest(dtype=dtype, profile=profile, fill=fill):
                # The range is below 2; with the padding of the edges it would be 3 or 1e30.
                field = wave((45, 45), dtype)
                restored, _ = self.write(field, (40, 40), fill, range=1e-3, profile=profile)
                for y, x in itertools.product((slice(0, 40), slice(40, 45)), repeat=2):
                    part = field[y, x]
                    bound = np.float64(1e-3) * np.float64(np.float64(part.max()) - part.min())
                    self.assertLessEqual(worst(restored[y, x], part), bound)

    def test_zeros_that_stand_for_a_fill_value_are_not_in_the_range(self):
        """HDF5 pads with 0 where no fill value is to be written, whatever the fill value is; -0 is another."""
        field = 1000 + wave((10, 10))
        for fill in (-0.0, 0.0, 5.0):
            with self.subTest(fill=fill):
                created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                created.set_chunk((8, 8))
                created.set_fill_value(np.array(fill, "f4"))
                created.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
                words = hdf5(range=1e-3)
                created.set_filter(words["compression"], 0, words["compression_opts"])
                space = h5py.h5s.create_simple(field.shape)
                with h5py.File(self.path("a.h5"), "w") as file:
                    made = h5py.h5d.create(file.id, b"a", h5py.h5t.IEEE_F32LE, space, created)
                    h5py.Dataset(made)[...] = field
                with h5py.File(self.path("a.h5")) as file:
                    self.assertLessEqual(worst(file["a"][...], field), 2e-3)

    def test_a_usual_fill_value_that_nobody_named_is_told_once(self):
        field = wave((64, 64))
        field[:8] = 1e20
        np.save(self.path("field.npy"), field)
        program = """if True:
            import h5py, numpy as np
            from fsz_codec.hdf5 import compress_chunk, hdf5
            field = np.load("field.npy")
            with h5py.File("a.h5", "w") as file:
                a = file.create_dataset("a", field.shape, "f4", chunks=(32, 32), **hdf5({options}))
                a[...] = {values}
                a.id.write_direct_chunk((0, 0), compress_chunk(a, a[:32, :32]))
            """
        said = {}
        cases = [
            ("range=1e-3", "field"),
            ("range=1e-3, missing=1e20", "field"),
            ("range=1e-3, value_range=(2, 4)", "field"),
            ("absolute=1e-3", "field"),
            ("range=1e-3", "1e20"),  # exact
        ]
        for case in cases:
            options, values = case
            text = program.format(options=options, values=values)
            _, said[case] = self.run_program(sys.executable, "-B", "-c", text)
        told = said.pop(cases[0])
        self.assertIn("the largest value of a chunk is 1e20", told)
        self.assertIn("missing=1e20 (shown once)", told)
        self.assertEqual(told.count("\n"), 1, told)
        self.assertEqual(set(said.values()), {""})

    def test_missing_and_fill_values_keep_their_bits(self):
        for dtype, profile in itertools.product(TYPES, PROFILES):
            for options in ({"absolute": 0.01}, {"range": 1e-3}):
                with self.subTest(dtype=dtype, profile=profile, **options):
                    field = wave((60, 60), dtype)
                    field[10:20] = -9999.4
                    field[:, 30:40] = 9.96921e36
                    field[50, 50] = 7.77
                    restored, _ = self.write(
                        field,
                        (25, 25),
                        9.96921e36,
                        missing=[-9999.4, 7.77],
                        profile=profile,
                        **options,
                    )
                    for mark in (-9999.4, 9.96921e36, 7.77):
                        is_mark = field == field.dtype.type(mark)
                        self.assertTrue(is_mark.any())
                        np.testing.assert_array_equal(restored == field.dtype.type(mark), is_mark)
                    self.assertLessEqual(worst(restored, field), 0.01)

    def test_a_fill_value_of_zero_stays_zero(self):
        field = wave((30, 30))
        field[:10] = 0
        restored, _ = self.write(field, (30, 30), 0, absolute=0.7)
        np.testing.assert_array_equal(restored == 0, field == 0)

    def test_one_range_for_all_chunks(self):
        field = wave((80, 80), "f8")
        field[:40, :40] *= 1e-6
        restored, _ = self.write(field, (40, 40), range=1e-3, value_range=(0, 4))
        error = worst(restored, field)
        self.assertLessEqual(error, 4e-3)
        self.assertGreater(error, 1e-3)

    def test_a_share_of_each_value(self):
        for dtype, profile, floor in itertools.product(TYPES, PROFILES, (None, 1e-3)):
            with self.subTest(dtype=dtype, profile=profile, floor=floor):
                # Values from 1e-8 to 1e3, of both signs, and zeros.
                field = (wave((60, 60)) - 3) * np.geomspace(1e-8, 1e3, 60, dtype="f4")
                field[5:9] = 0
                field[20, 20] = np.nan
                field = field.astype(dtype)
                restored, _ = self.write(
                    field, (25, 25), 0, relative=1e-2, floor=floor, profile=profile
                )
                wide, back = field.astype("f8"), restored.astype("f8")
                np.testing.assert_array_equal(np.isnan(back), np.isnan(wide))
                error, finite = np.abs(back - wide), np.isfinite(wide)
                allowed = np.maximum(1e-2 * np.abs(wide), floor or 0)
                self.assertTrue((error[finite] <= allowed[finite]).all())
                self.assertGreater(error[finite].max(), 1)
                np.testing.assert_array_equal(restored[5:9], field[5:9])

    def test_chunks_never_written_read_as_the_fill_value(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            dataset = file.create_dataset(
                "a", (100, 100), "f4", chunks=(30, 30), fillvalue=-1, **hdf5(absolute=0.1)
            )
            dataset[:5, :5] = 2
        with h5py.File(self.path("a.h5")) as file:
            values = file["a"][:]
            self.assertEqual(np.count_nonzero(values == -1), 100 * 100 - 25)
            self.assertLessEqual(np.abs(values[:5, :5] - 2).max(), 0.1)

    def test_filters_that_stand_before_it_are_an_error(self):
        """It would take their bytes for values: of shuffled ones nothing would be left."""
        field = wave((40, 50))
        before = [({"shuffle": True}, "shuffle"), ({"scaleoffset": 2}, "scaleoffset")]
        with h5py.File(self.path("a.h5"), "w") as file:
            for words, name in before:
                with self.assertRaisesRegex(ValueError, f"filter {name} stands before FSZ"):
                    file.create_dataset(name, data=field, **hdf5(absolute=0.01), **words)
                self.assertNotIn(name, file)
            file.create_dataset("behind", data=field, fletcher32=True, **hdf5(absolute=0.01))
        with h5py.File(self.path("a.h5")) as file:
            self.assertLessEqual(worst(file["behind"][:], field), 0.01)

    def test_a_property_list_serves_another_dataset(self):
        field = wave((64, 64))
        with h5py.File(self.path("a.h5"), "w") as file:
            first = file.create_dataset("a", data=field, chunks=(20, 20), **hdf5(absolute=0.01))
            list_ = first.id.get_create_plist()
            list_.set_chunk((64, 16))
            space = h5py.h5s.create_simple((64, 64))
            second = h5py.h5d.create(file.id, b"b", h5py.h5t.IEEE_F64BE, space, list_)
            second.write(h5py.h5s.ALL, h5py.h5s.ALL, field.astype("f8"))
            self.assertLessEqual(worst(file["b"][:].astype("f4"), field), 0.0101)
            _, words, _ = second.get_create_plist().get_filter_by_id(list_.get_filter(0)[0])
            self.assertEqual(words[-3:], (2, 64, 16))
