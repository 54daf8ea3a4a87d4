"""Writes and reads with the ADIOS2 in openPMD-api: openpmd.py write FILE ENGINE, openpmd.py read FILE...,
openpmd.py wrong FILE ENGINE."""

import json
import sys

import numpy as np
import openpmd_api as openpmd

from fields import BOUNDS, STEPS, check, field


# From 0.17 on a configuration can choose datasets by name, and iterations are written as steps.
BY_NAME = hasattr(openpmd.Series, "snapshots")


def operators(bound):
    plugin = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "accuracy": str(bound)}
    return {"operators": [{"type": "plugin", "parameters": plugin}]}


def dataset(values, bound):
    if BY_NAME:
        return openpmd.Dataset(values.dtype, values.shape)
    own = json.dumps({"adios2": {"dataset": operators(bound)}})
    return openpmd.Dataset(values.dtype, list(values.shape), own)


def write(path, engine, bounds=True):
    config = {
        "backend": "adios2",
        "iteration_encoding": "group_based",
        "adios2": {"engine": {"type": engine.lower()}},
    }
    chosen = {variable: bound if bounds else "none" for variable, (_, bound) in BOUNDS.items()}
    if BY_NAME:
        # A bound by the name of the dataset.
        config["adios2"]["dataset"] = [
            {"select": "meshes/" + variable, "cfg": operators(bound)}
            for variable, bound in chosen.items()
        ]
    access = openpmd.Access.create_linear if BY_NAME else openpmd.Access.create
    series = openpmd.Series(path, access, json.dumps(config))
    for step in range(STEPS):
        iteration = series.snapshots()[step] if BY_NAME else series.write_iterations()[step]
        for variable, bound in chosen.items():
            values = np.ascontiguousarray(field(variable, step))
            mesh = iteration.meshes[variable]
            mesh.axis_labels = ["z", "y", "x"]
            # Before 0.15 a mesh without components has one of this name.
            record = mesh if BY_NAME else mesh[openpmd.Mesh_Record_Component.SCALAR]
            record.reset_dataset(dataset(values, bound))
            record.store_chunk(values)
            series.flush()
        iteration.close()
    # The series ends with its last reference up to 0.15.
    if BY_NAME:
        series.close()


def read(path):
    series = openpmd.Series(path, openpmd.Access.read_only)
    assert len(series.iterations) == STEPS, list(series.iterations)
    for step, iteration in series.iterations.items():
        for variable in BOUNDS:
            values = iteration.meshes[variable].load_chunk()
            series.flush()
            check(variable, step, values)
    series.close()


if sys.argv[1] in ("write", "wrong"):
    write(sys.argv[2], sys.argv[3], sys.argv[1] == "write")
else:
    for path in sys.argv[2:]:
        read(path)
