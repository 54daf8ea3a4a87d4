"""Which profile writes a file sooner, by the bandwidth of what it is written to: profiles.py [FILE...],
where FILE is NAME_EXTENTS.f32, such as T_15x192x288.f32; without files, a synthetic field.

The work of Put and EndStep is taken as the CPU time of all threads, so that it does not depend on what else
the machine does; writing is the file's bytes by the bandwidth. One core, so a rank with eight may multiply.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from adios2 import Adios, Stream

BYTES = 64 << 20
BOUNDS = ("1e-2", "1e-3", "1e-4")


def operations(profile, bound):
    parameters = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "mode": "rel"}
    return [("plugin", dict(parameters, profile=profile, accuracy=bound))] if profile else []


def write(field, profile, bound):
    """CPU seconds of a step, the least of several, and the bytes of the step in the file."""
    io = Adios().declare_io("out")
    io.set_engine("BP5")
    io.set_parameter("StatsLevel", "0")
    shape = list(field.shape)
    best = float("inf")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = f"{folder}/out.bp"
        with Stream(io, path, "w") as out:
            for _ in range(4):
                out.begin_step()
                began = time.process_time()
                start, attached = [0] * len(shape), operations(profile, bound)
                out.write("U", field, shape, start, shape, operations=attached)
                out.end_step()
                best = min(best, time.process_time() - began)
        return best, os.path.getsize(f"{path}/data.0") / 4


def fields(files):
    if not files:
        x = np.arange(BYTES // 4, dtype=np.float32).reshape(64, 512, 512)
        yield "synthetic", np.sin(1e-4 * x) + np.float32(0.1) * np.cos(3e-3 * x)
    for file in files:
        extents = [int(n) for n in Path(file).stem.split("_")[-1].split("x")]
        one = np.fromfile(file, np.float32).reshape(extents)
        # Repeated in the slowest dimension.
        yield Path(file).stem, np.concatenate([one] * max(1, BYTES // one.nbytes))


def below(slow, fast):
    """The bandwidth, in MB/s for each core, at which fewer bytes make up for more work."""
    work, saved = slow[0] - fast[0], fast[1] - slow[1]
    return "any" if work <= 0 else f"{max(saved, 0) / work / 1e6:.0f}"


print("| field | bound | plain | paper | dense | paper before plain below | dense before paper below |")
print("|---|---|---|---|---|---|---|")
for name, field in fields(sys.argv[1:]):
    for bound in BOUNDS:
        made = [write(field, profile, bound) for profile in (None, "paper", "dense")]
        cells = [f"{size / 1e6:.1f} MB, {seconds:.2f} s" for seconds, size in made]
        plain, paper, dense = made
        print("|", " | ".join([name, bound, *cells, below(paper, plain), below(dense, paper)]), "|")
