"""Arrays in device and managed memory through Stream.write; skipped loudly without a device."""

import importlib
import sys

import numpy as np
from adios2 import Adios, Stream

from fields import OPERATION, check, scratch, smooth

SHAPES = ([60000], [300, 200], [20, 50, 60])
SILENT = {"StatsLevel": "0"}


def module(name):
    """The module, where it finds a device."""
    try:
        found = importlib.import_module(name)
        there = found.cuda.is_available()
    except Exception as reason:  # whatever a half-installed CUDA raises
        print(f"SKIPPED: device.py with {name}: {reason}", file=sys.stderr)
        return None
    if not there:
        print(f"SKIPPED: device.py with {name}: no CUDA device", file=sys.stderr)
        return None
    return found


def write(path, shape, dtype, upload, backend):
    io = Adios().declare_io("out")
    io.set_engine("BP5")
    io.set_parameters(SILENT)
    operation = [(OPERATION[0][0], {**OPERATION[0][1], "backend": backend})]
    with Stream(io, path, "w") as out:
        for step in out.steps(3):
            field = upload(smooth(shape, step.current_step(), dtype))
            out.write("U", field, shape, [0] * len(shape), shape, operations=operation)


def verify(path, shape, dtype):
    with Stream(path, "r") as arriving:
        for step in arriving.steps():
            field = smooth(shape, step.current_step(), dtype)
            check(field, arriving.read("U", [0] * len(shape), shape))


def both(name, upload):
    for backend in ("auto", "cuda", "cpu"):
        for shape in SHAPES:
            for dtype in (np.float32, np.float64):
                path = f"{scratch()}/{name}-{backend}-{len(shape)}-{dtype.__name__}.bp"
                write(path, shape, dtype, upload, backend)
                verify(path, shape, dtype)
    print(f"{name}: every value within the bound")


torch = module("torch")
if torch:
    both("torch", lambda field: torch.from_numpy(field).cuda())
    both("torch-pinned", lambda field: torch.from_numpy(field).pin_memory())
cupy = module("cupy")
if cupy:
    both("cupy", cupy.asarray)
    cupy.cuda.set_allocator(cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc)
    both("cupy-managed", cupy.asarray)
