"""The bytes of a chunk are those of the Rust codec."""

import h5py
import numpy as np
from fsz_codec.hdf5 import hdf5
from support import Scratch, stream, wave


class Bytes(Scratch):
    def test_chunks_are_the_codecs_streams(self):
        random = np.random.default_rng(7)
        for case in range(120):
            dtype = random.choice(["<f4", ">f4", "<f8", ">f8"])
            shape = tuple(random.integers(1, 40, random.integers(1, 4)))
            profile = str(random.choice(["paper", "dense"]))
            fill = random.choice([None, -5.0, 0.0])
            missing = [1e20] if random.random() < 0.5 else []
            field = wave(shape, dtype, case)
            field[random.random(shape) < 0.1] = random.choice([1e20, -5.0, np.nan])
            number = float(random.choice([1e-4, 0.01, 0.3]))
            bounds = {
                "absolute": ("absolute", number),
                "range": ("range", number),
                "value_range": ("value_range", number, 0, 8),
            }
            kind = str(random.choice(list(bounds)))
            options = {"absolute": number} if kind == "absolute" else {"range": number}
            if kind == "value_range":
                options["value_range"] = (0, 8)
            named = missing + ([] if fill is None else [fill])
            if kind == "range" and fill is None:
                named.append(0)
            with self.subTest(case=case, dtype=dtype, shape=shape, kind=kind, profile=profile):
                with h5py.File(self.path("a.h5"), "w") as file:
                    dataset = file.create_dataset(
                        "a",
                        data=field,
                        chunks=shape,
                        fillvalue=fill,
                        **hdf5(missing=missing, profile=profile, **options),
                    )
                    file.flush()
                    mask, chunk = dataset.id.read_direct_chunk((0,) * len(shape))
                self.assertEqual(mask, 0)
                self.assertEqual(chunk, stream(field, bounds[kind], profile, named))
