"""SST: a writer process and a reader process on loopback, with files as their only agreement."""

import subprocess
import sys

import numpy as np
from adios2 import Adios, Stream

from fields import OPERATION, check, scratch, smooth

SHAPE = [40, 50, 60]
STEPS = 6


def stream(mode):
    io = Adios().declare_io("stream")
    io.set_engine("SST")
    return Stream(io, f"{scratch()}/sst", mode)


def write():
    with stream("w") as out:
        for step in out.steps(STEPS):
            for name, dtype in (("U", np.float32), ("V", np.float64)):
                field = smooth(SHAPE, step.current_step(), dtype)
                out.write(name, field, SHAPE, [0, 0, 0], SHAPE, operations=OPERATION)


def read():
    steps = 0
    with stream("r") as arriving:
        for step in arriving.steps():
            for name, dtype in (("U", np.float32), ("V", np.float64)):
                field = smooth(SHAPE, step.current_step(), dtype)
                check(field, arriving.read(name, [0, 0, 0], SHAPE))
            steps += 1
    assert steps == STEPS, steps


if len(sys.argv) > 2:
    write()
else:
    writer = subprocess.Popen([sys.executable, __file__, scratch(), "write"])
    read()
    assert writer.wait(60) == 0
