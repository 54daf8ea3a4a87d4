"""Reads what writer.py wrote. A reader needs no parameters: each block names its operator."""

import numpy as np
from adios2 import Stream

y, x = np.mgrid[0:500, 0:400].astype(np.float32)
worst = 0.0
with Stream("python.bp", "r") as arriving:
    for step in arriving.steps():
        # Always pass start and count: FileReader and Stream reuse the last ones.
        field = arriving.read("U", [0, 0], [500, 400])
        written = np.sin(0.01 * y + step.current_step()) * np.cos(0.02 * x)
        worst = max(worst, float(np.abs(field - written).max()))
print("largest error", worst)
assert worst <= 1e-3
