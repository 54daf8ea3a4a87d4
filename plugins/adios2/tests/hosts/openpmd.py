"""Writes and reads with the ADIOS2 in openPMD-api: openpmd.py write FILE ENGINE, openpmd.py read FILE...,
openpmd.py wrong FILE ENGINE."""

import json
import sys

import numpy as np
import openpmd_api as openpmd

from fields import BOUNDS, STEPS, check, field


def operators(bound):
    plugin = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "accuracy": str(bound)}
    return {"operators": [{"type": "plugin", "parameters": plugin}]}


def write(path, engine, bounds=True):
    config = {
        "backend": "adios2",
        "iteration_encoding": "group_based",
        "adios2": {
            "engine": {"type": engine.lower()},
            # A bound by the name of the dataset.
            "dataset": [
                {"select": "meshes/" + variable, "cfg": operators(bound if bounds else "none")}
                for variable, (_, bound) in BOUNDS.items()
            ],
        },
    }
    series = openpmd.Series(path, openpmd.Access.create_linear, json.dumps(config))
    for step in range(STEPS):
        iteration = series.snapshots()[step]
        for variable in BOUNDS:
            values = np.ascontiguousarray(field(variable, step))
            mesh = iteration.meshes[variable]
            mesh.axis_labels = ["z", "y", "x"]
            mesh.reset_dataset(openpmd.Dataset(values.dtype, values.shape))
            mesh.store_chunk(values)
            series.flush()
        iteration.close()
    series.close()


def read(path):
    series = openpmd.Series(path, openpmd.Access.read_only)
    assert len(series.iterations) == STEPS, list(series.iterations)
    for step, iteration in series.iterations.items():
        for variable in BOUNDS:
            mesh = iteration.meshes[variable]
            # Before 0.16 a mesh without components has one of this name.
            has_values = hasattr(mesh, "load_chunk")
            record = mesh if has_values else mesh[openpmd.Mesh_Record_Component.SCALAR]
            values = record.load_chunk()
            series.flush()
            check(variable, step, values)
    series.close()


if sys.argv[1] in ("write", "wrong"):
    write(sys.argv[2], sys.argv[3], sys.argv[1] == "write")
else:
    for path in sys.argv[2:]:
        read(path)
