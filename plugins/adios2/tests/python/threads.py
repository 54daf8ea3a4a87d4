"""Engines in several threads at once, writing and then reading."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from adios2 import Adios, FileReader, Stream

from fields import OPERATION, check, scratch, smooth

SHAPE = [100, 500]


def write(number):
    io = Adios().declare_io("out")
    io.set_engine("BP5" if number % 2 else "BP4")
    with Stream(io, f"{scratch()}/thread{number}.bp", "w") as out:
        for step in out.steps(5):
            field = smooth(SHAPE, number + step.current_step(), np.float32)
            out.write("U", field, SHAPE, [0, 0], SHAPE, operations=OPERATION)


def read(number):
    with FileReader(f"{scratch()}/thread{number}.bp") as file:
        for step in range(5):
            back = file.read("U", [0, 0], SHAPE, step_selection=[step, 1]).reshape(SHAPE)
            check(smooth(SHAPE, number + step, np.float32), back)


# ADIOS2 fills its table of operators without a lock: the first use is alone.
write(0)
read(0)
with ThreadPoolExecutor(4) as pool:
    list(pool.map(write, range(4)))
    list(pool.map(read, range(4)))
