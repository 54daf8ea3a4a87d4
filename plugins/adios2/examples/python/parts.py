"""What Gets of planes cost, by the size of the ADIOS2 blocks: parts.py.

A field of 48 x 1024 x 1024 f32 (201 MB), written as so many ADIOS2 blocks, plain and through FSZ. Each case runs in
processes of its own, which open the file and read one plane, ten after each other, or ten at once. Times are those of
processors, so that they do not depend on what else the machine does; medians of processes.
"""

import ctypes
import json
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from adios2 import Adios, FileReader, Stream

SHAPE = (48, 1024, 1024)
PROCESSES = 5
FSZ = ("plugin", {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "mode": "rel", "accuracy": "1e-3"})


def write(path, blocks, operations):
    z, y, x = np.ogrid[: SHAPE[0], : SHAPE[1], : SHAPE[2]]
    field = np.sin(0.01 * x + 0.02 * y) * np.cos(0.05 * z) + 0.002 * np.sin(1.3 * x * y)
    field = field.astype(np.float32)
    io = Adios().declare_io("out")
    io.set_engine("BP5")
    io.set_parameter("StatsLevel", "0")
    planes = SHAPE[0] // blocks
    with Stream(io, path, "w") as out:
        out.begin_step()
        for first in range(0, SHAPE[0], planes):
            count = [planes, *SHAPE[1:]]
            part = field[first : first + planes]
            out.write("U", part, list(SHAPE), [first, 0, 0], count, operations=operations)
        out.end_step()


def read(path):
    """Seconds of one plane, of ten after each other, and of ten in one Get."""
    how = {"one": [(24, 1)], "ten": [(20 + i, 1) for i in range(10)], "at once": [(20, 10)]}
    taken = {name: [] for name in how}
    for _ in range(PROCESSES):
        for name, parts in how.items():
            inside = [sys.executable, __file__, path, json.dumps(parts)]
            taken[name].append(float(subprocess.run(inside, capture_output=True, check=True).stdout))
    return [statistics.median(seconds) for seconds in taken.values()]


def inside(path, parts):
    with FileReader(path) as file:
        began = time.process_time()
        for first, planes in parts:
            file.read("U", [first, 0, 0], [planes, *SHAPE[1:]])
        print(time.process_time() - began)


def room():
    """Seconds of getting new memory for 201 MB, filling it with zeros and giving it back: what ADIOS2 does at each Get
    of a block with an operator, whatever the operator."""
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    size = 4 * SHAPE[0] * SHAPE[1] * SHAPE[2]
    taken = []
    for _ in range(PROCESSES):
        began = time.process_time()
        memory = ctypes.c_void_p(libc.malloc(ctypes.c_size_t(size)))
        libc.memset(memory, 0, ctypes.c_size_t(size))
        libc.free(memory)
        taken.append(time.process_time() - began)
    return statistics.median(taken)


if len(sys.argv) > 1:
    inside(sys.argv[1], json.loads(sys.argv[2]))
    sys.exit()
print("| ADIOS2 blocks | one plane, ms | ten, a Get each | of one | ten in one Get | of one |")
print("|---|---|---|---|---|---|")
for name, operations in (("plain", []), ("FSZ", [FSZ])):
    for blocks in (1, 6, 12, 48):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            write(f"{folder}/parts.bp", blocks, operations)
            one, ten, at_once = read(f"{folder}/parts.bp")
        size = 4 * SHAPE[0] * SHAPE[1] * SHAPE[2] / blocks / 1e6
        cells = [f"{name}, {blocks} of {size:.0f} MB", f"{1e3 * one:.1f}"]
        for taken in (ten, at_once):
            cells += [f"{1e3 * taken:.1f}", f"{taken / one:.1f}"]
        print("|", " | ".join(cells), "|", flush=True)
print(f"\nRoom for 201 MB, new and filled with zeros: {1e3 * room():.1f} ms")
