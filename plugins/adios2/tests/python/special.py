"""NaN, infinities and missing values keep their bits; other types pass by; odd shapes work."""

import numpy as np
from adios2 import FileReader, Stream

from fields import FSZ, OPERATION, check, scratch, smooth

path = f"{scratch()}/special.bp"
ocean = smooth([200, 300], 0, np.float32)
ocean[:, :120] = np.float32(9.96921e36)
ocean[7, 200:220] = np.nan
ocean[8, 200] = np.inf
ocean[8, 201] = -np.inf
missing = [("plugin", dict(FSZ, mode="rel", missing="9.96921e36"))]
whole = np.arange(1000, dtype=np.int32)
constant = np.full((50, 50), 273.15, dtype=np.float64)
one = np.array([np.pi], dtype=np.float64)
empty = np.zeros((0, 5), dtype=np.float32)
nine = smooth([2, 1, 3, 2, 1, 5, 1, 4, 2], 0, np.float64)

with Stream(path, "w") as out:
    for _ in out.steps(2):
        for name, array, operations in (
            ("ocean", ocean, missing),
            ("whole", whole, OPERATION),
            ("constant", constant, OPERATION),
            ("one", one, OPERATION),
            ("nine", nine, OPERATION),
            ("empty", empty, OPERATION),
        ):
            shape = list(array.shape)
            out.write(name, array, shape, [0] * len(shape), shape, operations=operations)

with FileReader(path) as file:
    for step in range(2):

        def read(array, name):
            shape = list(array.shape)
            start = [0] * len(shape)
            return file.read(name, start, shape, step_selection=[step, 1]).reshape(shape)

        back = read(ocean, "ocean")
        kept = ~np.isfinite(ocean) | (ocean > 1e36)
        assert (back.view(np.uint32)[kept] == ocean.view(np.uint32)[kept]).all()
        values = ocean[~kept].astype(np.float64)
        bound = 1e-3 * (values.max() - values.min())
        assert np.abs(values - back[~kept].astype(np.float64)).max() <= bound
        assert (read(whole, "whole") == whole).all()
        assert np.abs(read(constant, "constant") - constant).max() <= 1e-3
        assert np.abs(read(one, "one") - one).max() <= 1e-3
        check(nine, read(nine, "nine"))
    # Stream.read divides by the size of an empty array; that it is there must do.
    assert file.available_variables()["empty"]["Shape"] == "0, 5"
