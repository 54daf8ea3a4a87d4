"""What every host writes: fields, steps and bounds. Only numpy, in any version."""

import numpy as np

STEPS = 3
SHAPE = (6, 20, 30)
ENGINES = ("BP5", "BP4")
# By the variable's last name: the element type and the bound. That of noise is far below what the
# values can be compressed to, so that the operator needs all the room that there is.
BOUNDS = {"U": (np.float32, 1e-3), "V": (np.float64, 1e-5), "noise": (np.float32, 1e-30)}


def name(variable, step):
    """As openPMD-api names a mesh of an iteration."""
    return "/data/%d/meshes/%s" % (step, variable)


def field(variable, step):
    dtype, _ = BOUNDS[variable]
    if variable == "noise":
        bits = np.random.RandomState(step).randint(0x00800000, 0x3F800000, SHAPE)
        return bits.astype(np.uint32).view(np.float32).reshape(SHAPE)
    x = np.arange(np.prod(SHAPE), dtype=np.float64) * 0.003 + step
    return (np.sin(x) * np.cos(0.1 * x)).reshape(SHAPE).astype(dtype)


def check(variable, step, read):
    written, bound = field(variable, step), BOUNDS[variable][1]
    read = np.asarray(read).reshape(SHAPE)
    assert read.dtype == written.dtype, (read.dtype, written.dtype)
    error = np.abs(written.astype(np.float64) - read.astype(np.float64)).max()
    assert error <= bound, (variable, step, error)
    # Not simply stored as it was.
    assert error > 0 or variable == "noise", (variable, step)
