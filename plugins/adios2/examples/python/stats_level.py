"""The cost of ADIOS2's own minimum and maximum: 256 MiB through FSZ, with StatsLevel 0 and 1."""

import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from adios2 import Adios, Stream

SHAPE = (256, 512, 512)
OPERATIONS = [("plugin", {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "accuracy": "1e-3"})]


def seconds(field, level, folder):
    """The time of each step of one file, without the first, which includes start-up."""
    io = Adios().declare_io("out")
    io.set_engine("BP5")
    io.set_parameter("StatsLevel", str(level))
    path = folder / "out.bp"
    times = []
    with Stream(io, str(path), "w") as out:
        for _ in range(5):
            out.begin_step()
            began = time.perf_counter()
            out.write("U", field, SHAPE, [0, 0, 0], SHAPE, operations=OPERATIONS)
            out.end_step()
            times.append(time.perf_counter() - began)
    shutil.rmtree(path)
    return times[1:]


x = np.arange(np.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
field = np.sin(1e-4 * x, dtype=np.float32) + 0.1 * np.cos(3e-3 * x, dtype=np.float32)
times = {0: [], 1: []}
with tempfile.TemporaryDirectory() as folder:
    for _ in range(4):
        for level, all_of_it in times.items():
            all_of_it += seconds(field.astype(np.float32), level, Path(folder))
for level, all_of_it in times.items():
    print(f"StatsLevel={level}: {1e3 * np.median(all_of_it):.0f} ms a step")
