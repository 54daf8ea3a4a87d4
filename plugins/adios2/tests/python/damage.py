"""A damaged payload is a RuntimeError that says what is wrong; other variables stay readable."""

import numpy as np
from adios2 import FileReader, Stream

from fields import OPERATION, check, scratch, smooth

path = f"{scratch()}/damage.bp"
with Stream(path, "w") as out:
    for step in out.steps(2):
        now = step.current_step()
        for phase, name in enumerate(("first", "second")):
            field = smooth([3000], now + phase, np.float32)
            out.write(name, field, [3000], [0], [3000], operations=OPERATION)
        out.write("plain", np.arange(10.0), [10], [0], [10])

data = f"{path}/data.0"
with open(data, "rb") as file:
    sound = file.read()
magic = sound.index(b"FSZA")
length = int.from_bytes(sound[magic + 8 : magic + 16], "little")
for offset in (5, 8, 34, 120, length // 2, length - 1):
    damaged = bytearray(sound)
    damaged[magic + offset] ^= 1
    with open(data, "wb") as file:
        file.write(damaged)
    with FileReader(path) as file:
        try:
            file.read("first", [0], [3000], step_selection=[0, 1])
        except RuntimeError as error:
            assert "FSZ" in str(error) and "first" in str(error), str(error)
        else:
            raise AssertionError(f"damage at {offset} was not found")
        second = file.read("second", [0], [3000], step_selection=[0, 1])
        check(smooth([3000], 1, np.float32), second)
        assert (file.read("plain", [0], [10], step_selection=[0, 1]) == np.arange(10.0)).all()
        later = file.read("first", [0], [3000], step_selection=[1, 1])
        check(smooth([3000], 1, np.float32), later)
