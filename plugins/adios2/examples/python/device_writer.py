"""Writes ten steps of a field in GPU memory: only compressed bytes leave the device.

A torch tensor works like the cupy array here: Stream.write takes its address.
"""

import cupy
from adios2 import Adios, Stream

fsz = ("plugin", {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "accuracy": "1e-3"})
io = Adios().declare_io("SimulationOutput")
io.set_engine("BP5")
# Required: for its statistics an ADIOS2 without CUDA would read the values on the host.
io.set_parameters({"StatsLevel": "0"})

y, x = cupy.mgrid[0:500, 0:400].astype(cupy.float32)
with Stream(io, "device.bp", "w") as out:
    for step in out.steps(10):
        field = cupy.sin(0.01 * y + step.current_step()) * cupy.cos(0.02 * x)
        out.write("U", field, [500, 400], [0, 0], [500, 400], operations=[fsz])
