"""A process that forks after it has used the operator: both sides go on."""

import os

import numpy as np
from adios2 import FileReader, Stream

from fields import OPERATION, check, scratch, smooth

SHAPE = [300, 400]


def write_and_read(name):
    path = f"{scratch()}/{name}.bp"
    field = smooth(SHAPE, 0, np.float32)
    with Stream(path, "w") as out:
        for _ in out.steps(2):
            out.write("U", field, SHAPE, [0, 0], SHAPE, operations=OPERATION)
    with FileReader(path) as file:
        back = file.read("U", [0, 0], SHAPE, step_selection=[1, 1]).reshape(SHAPE)
        check(field, back)


write_and_read("before")
child = os.fork()
write_and_read("child" if child == 0 else "parent")
if child == 0:
    os._exit(0)
_, status = os.waitpid(child, 0)
assert status == 0, status
