"""Meshes and particles through openPMD-api, with a bound for each kind: openpmd.py CONFIG FOLDER, where
CONFIG is openpmd.json or openpmd.toml."""

import sys

import numpy as np
import openpmd_api as openpmd

config, folder = sys.argv[1:]
y, x = np.mgrid[0:200, 0:300].astype(np.float32)
FIELDS = {"E": (np.sin(0.02 * x) * np.cos(0.01 * y), 1e-3), "B": (50 * np.sin(0.03 * y + 0.1 * x), 1e-2)}
POSITION = np.linspace(0.0, 3.0, 50000) ** 2
WEIGHTING = 1e6 * (1 + np.sin(POSITION))

series = openpmd.Series(f"{folder}/data_%T.bp", openpmd.Access.create, "@" + config)
iteration = series.iterations[100]
for name, (field, _) in FIELDS.items():
    mesh = iteration.meshes[name]
    mesh.axis_labels = ["y", "x"]
    for component in ("x", "y"):
        mesh[component].reset_dataset(openpmd.Dataset(field.dtype, field.shape))
        mesh[component].store_chunk(field)
electrons = iteration.particles["electrons"]
for name, values in (("position", POSITION), ("positionOffset", None)):
    record = electrons[name]["x"]
    record.reset_dataset(openpmd.Dataset(POSITION.dtype, POSITION.shape))
    if values is None:
        record.make_constant(0.0)
    else:
        record.store_chunk(values)
electrons["weighting"].reset_dataset(openpmd.Dataset(WEIGHTING.dtype, WEIGHTING.shape))
electrons["weighting"].store_chunk(WEIGHTING)
series.flush()
series.close()

# Reading needs no configuration.
series = openpmd.Series(f"{folder}/data_%T.bp", openpmd.Access.read_only)
iteration = series.iterations[100]


def check(name, written, record, bound):
    read = record.load_chunk()
    series.flush()
    error = np.abs(written.astype(np.float64) - read).max()
    print(f"{name}: largest error {error:.3g}, bound {bound:.3g}")
    assert 0 < error <= bound


for name, (field, bound) in FIELDS.items():
    for component in ("x", "y"):
        check(f"{name}/{component}", field, iteration.meshes[name][component], bound)
electrons = iteration.particles["electrons"]
check("position/x", POSITION, electrons["position"]["x"], 1e-6)
check("weighting", WEIGHTING, electrons["weighting"], 1e-4 * np.ptp(WEIGHTING))
series.close()
