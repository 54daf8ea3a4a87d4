"""Stream.write with operations=, FileReader and step-by-step reading: BP5 and BP4, f32 and f64."""

import numpy as np
from adios2 import Adios, FileReader, Stream

from fields import OPERATION, check, scratch, smooth

SHAPE = [6, 40, 50]
STEPS = 10


def write(path, engine, dtype):
    io = Adios().declare_io("out")
    io.set_engine(engine)
    with Stream(io, path, "w") as out:
        for step in out.steps(STEPS):
            field = smooth(SHAPE, step.current_step(), dtype)
            half = SHAPE[0] // 2
            for start in (0, half):
                out.write(
                    "U",
                    np.ascontiguousarray(field[start : start + half]),
                    SHAPE,
                    [start, 0, 0],
                    [half] + SHAPE[1:],
                    operations=OPERATION,
                )
            local = smooth([777], step.current_step() + 1, dtype)
            out.write("local", local, [], [], [777], operations=OPERATION)
            out.write("count", step.current_step())


def read(path, engine, dtype):
    with FileReader(path) as file:
        assert set(file.available_variables()) == {"U", "local", "count"}
        for step in reversed(range(STEPS)):
            field = smooth(SHAPE, step, dtype)
            check(field, file.read("U", [0, 0, 0], SHAPE, step_selection=[step, 1]).reshape(SHAPE))
            box = file.read("U", [2, 3, 4], [2, 5, 6], step_selection=[step, 1])
            check(field[2:4, 3:8, 4:10], box.reshape(2, 5, 6))
    io = Adios().declare_io("in")
    io.set_engine(engine)
    with Stream(io, path, "r") as stream:
        for step in stream.steps():
            now = step.current_step()
            check(smooth(SHAPE, now, dtype), stream.read("U", [0, 0, 0], SHAPE))
            check(smooth([777], now + 1, dtype), stream.read("local", block_id=0))
            assert stream.read("count") == now


for engine in ("BP5", "BP4"):
    for dtype in (np.float32, np.float64):
        path = f"{scratch()}/{engine}-{np.dtype(dtype).name}.bp"
        write(path, engine, dtype)
        read(path, engine, dtype)
