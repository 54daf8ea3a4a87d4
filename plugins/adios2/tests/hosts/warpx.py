"""Writes and reads a mesh with the configuration that WarpX makes of its inputs: warpx.py INPUTS FILE."""

import json
import sys

import numpy as np
import openpmd_api as openpmd

inputs, path = sys.argv[1:]
with open(inputs) as lines:
    pairs = [line.split("=") for line in lines if "=" in line]
given = {key.strip(): value.strip() for key, value in pairs}
assert given["diag.format"] == "openpmd" and given["diag.openpmd_backend"] == "bp"


def block(name):
    """Type and parameters, as texts."""
    prefix = f"diag.adios2_{name}."
    parameters = {
        key.removeprefix(prefix + "parameters."): value
        for key, value in given.items()
        if key.startswith(prefix + "parameters.")
    }
    return {"type": given[prefix + "type"], "parameters": parameters}


config = {"adios2": {"dataset": {"operators": [block("operator")]}, "engine": block("engine")}}
y, x = np.mgrid[0:200, 0:300]
field = 1e9 * np.sin(0.02 * x) * np.cos(0.01 * y)
series = openpmd.Series(path, openpmd.Access.create, json.dumps(config))
mesh = series.iterations[100].meshes["E"]
mesh.axis_labels = ["z", "x"]
for component in ("x", "z"):
    mesh[component].reset_dataset(openpmd.Dataset(field.dtype, field.shape))
    mesh[component].store_chunk(field)
series.flush()
series.close()

series = openpmd.Series(path, openpmd.Access.read_only)
for component in ("x", "z"):
    read = series.iterations[100].meshes["E"][component].load_chunk()
    series.flush()
    error, bound = np.abs(field - read).max(), 1e-4 * np.ptp(field)
    assert 0 < error <= bound, (component, error, bound)
series.close()
