"""What `choose=first` gives on the CPU: choose.py [EXTENT...].

Gray-Scott simulations of EXTENT³ (default: 32, 64, 96) write U and V with the profile dense, bound 1e-3, on one thread:
20 steps of output, 10 and 40 time steps apart. Times are CPU seconds of Put and EndStep.
"""

import os
import sys
import tempfile
import time

import numpy as np
from adios2 import Adios, Stream

FSZ = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2"}
STEPS = 20
DENSE = dict(FSZ, accuracy="1e-3", profile="dense", threads="1")


def simulate(extent, apart):
    """U and V at each step of output."""
    u = np.ones((extent,) * 3, np.float32)
    v = np.zeros_like(u)
    middle = (slice(extent // 2 - 6, extent // 2 + 6),) * 3
    u[middle], v[middle] = 0.25, 0.33
    v += 0.01 * np.random.default_rng(1).random(v.shape, np.float32)
    for _ in range(STEPS):
        yield u, v
        for _ in range(apart):
            near = [sum(np.roll(f, s, a) for a in range(3) for s in (1, -1)) / 6 - f for f in (u, v)]
            reacted = u * v * v
            u = u + 0.2 * near[0] - reacted + 0.02 * (1 - u)
            v = v + 0.1 * near[1] + reacted - 0.068 * v


class Output:
    def __init__(self, folder, choose):
        self.choose, self.path, self.seconds = choose, f"{folder}/{choose}.bp", 0.0
        io = Adios().declare_io("out")
        io.set_engine("BP5")
        io.set_parameter("StatsLevel", "0")
        self.stream = Stream(io, self.path, "w")

    def write(self, fields):
        operations = [("plugin", dict(DENSE, choose=self.choose))]
        began = time.process_time()
        self.stream.begin_step()
        for name, field in zip("UV", fields):
            shape, start = list(field.shape), [0] * field.ndim
            self.stream.write(name, field, shape, start, shape, operations=operations)
        self.stream.end_step()
        self.seconds += time.process_time() - began


def measure(extent, apart):
    """The ratio and milliseconds a step of each way to choose."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        outputs = [Output(folder, choose) for choose in ("each", "changed")]
        for fields in simulate(extent, apart):
            for output in outputs:
                output.write(fields)
        for output in outputs:
            output.stream.close()
            ratio = STEPS * 8 * extent**3 / os.path.getsize(f"{output.path}/data.0")
            yield f"{ratio:.1f}, {1e3 * output.seconds / STEPS:.1f} ms"


print("| Gray-Scott | time steps apart | `each` | `changed` |\n|---|---|---|---|")
for extent in [int(extent) for extent in sys.argv[1:]] or [32, 64, 96]:
    for apart in (10, 40):
        print(f"| {extent}³ | {apart} |", " | ".join(measure(extent, apart)), "|", flush=True)
