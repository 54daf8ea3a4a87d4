"""Writes ten steps of a field through FSZ, selected in the call that writes the variable."""

import numpy as np
from adios2 import Stream

fsz = ("plugin", {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "accuracy": "1e-3"})

y, x = np.mgrid[0:500, 0:400].astype(np.float32)
with Stream("python.bp", "w") as out:
    for step in out.steps(10):
        field = np.sin(0.01 * y + step.current_step()) * np.cos(0.02 * x)
        out.write("U", field, [500, 400], [0, 0], [500, 400], operations=[fsz])
