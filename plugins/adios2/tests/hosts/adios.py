"""Writes and reads with the ADIOS2 of this Python: adios.py write FILE ENGINE, adios.py read FILE...,
adios.py wrong FILE ENGINE."""

import sys

import numpy as np

try:
    from adios2 import bindings as adios2  # 2.10 and later
except ImportError:
    import adios2

from fields import BOUNDS, SHAPE, STEPS, check, field, name

PLUGIN = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2"}
# What openPMD-api asks of a file and of a mesh.
ROOT = {"basePath": "/data/%T/", "meshesPath": "meshes/", "openPMD": "1.1.0",
        "iterationEncoding": "groupBased", "iterationFormat": "/data/%T/"}
ITERATION = {"dt": 1.0, "time": 0.0, "timeUnitSI": 1.0}
MESH = {"geometry": "cartesian", "dataOrder": "C", "axisLabels": ["z", "y", "x"],
        "gridSpacing": [1.0] * 3, "gridGlobalOffset": [0.0] * 3, "gridUnitSI": 1.0,
        "unitDimension": [0.0] * 7, "timeOffset": 0.0, "position": [0.0] * 3, "unitSI": 1.0}


def attributes(io, prefix, values):
    for key, value in values.items():
        if isinstance(value, str) or isinstance(value, list) and isinstance(value[0], str):
            io.DefineAttribute(prefix + key, value)
        else:
            io.DefineAttribute(prefix + key, np.array(value, dtype=np.float64))


def write(path, engine_type):
    adios = adios2.ADIOS()
    io = adios.DeclareIO("out")
    io.SetEngine(engine_type)
    # The usual form: the operator without a bound, a bound with each variable.
    operator = adios.DefineOperator("fsz", "plugin", dict(PLUGIN))
    attributes(io, "/", ROOT)
    io.DefineAttribute("/openPMDextension", np.array([0], dtype=np.uint32))
    engine = io.Open(path, adios2.Mode.Write)
    half = SHAPE[0] // 2
    for step in range(STEPS):
        engine.BeginStep()
        attributes(io, "/data/%d/" % step, ITERATION)
        for variable, (dtype, bound) in BOUNDS.items():
            attributes(io, name(variable, step) + "/", MESH)
            values = field(variable, step)
            count = [half] + list(SHAPE[1:])
            out = io.DefineVariable(name(variable, step), values, list(SHAPE), [0, 0, 0], count, False)
            out.AddOperation(operator, {"accuracy": str(bound)})
            for start in (0, half):
                out.SetSelection([[start, 0, 0], count])
                block = np.ascontiguousarray(values[start : start + half])
                engine.Put(out, block, adios2.Mode.Sync)
        engine.EndStep()
    engine.Close()


def read(path):
    adios = adios2.ADIOS()
    io = adios.DeclareIO("in")
    engine = io.Open(path, adios2.Mode.Read)
    for step in range(STEPS):
        assert engine.BeginStep() == adios2.StepStatus.OK
        for variable, (dtype, _) in BOUNDS.items():
            values = np.empty(SHAPE, dtype)
            engine.Get(io.InquireVariable(name(variable, step)), values, adios2.Mode.Sync)
            check(variable, step, values)
        engine.EndStep()
    engine.Close()


def wrong(path, engine_type):
    """The values are written uncompressed."""
    adios = adios2.ADIOS()
    io = adios.DeclareIO("out")
    io.SetEngine(engine_type)
    operator = adios.DefineOperator("fsz", "plugin", dict(PLUGIN))
    engine = io.Open(path, adios2.Mode.Write)
    engine.BeginStep()
    values = field("U", 0)
    for name, wrong in (("none", {}), ("number", {"accuracy": "a little"}), ("key", {"speed": "1"})):
        out = io.DefineVariable(name, values, list(SHAPE), [0, 0, 0], list(SHAPE), False)
        out.AddOperation(operator, wrong)
        engine.Put(out, values, adios2.Mode.Sync)
    engine.EndStep()
    engine.Close()
    io = adios.DeclareIO("in")
    engine = io.Open(path, adios2.Mode.Read)
    engine.BeginStep()
    for name in ("none", "number", "key"):
        back = np.empty(SHAPE, np.float32)
        engine.Get(io.InquireVariable(name), back, adios2.Mode.Sync)
        assert (back == values).all(), name
    engine.EndStep()
    engine.Close()


if sys.argv[1] == "write":
    write(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "wrong":
    wrong(sys.argv[2], sys.argv[3])
else:
    for path in sys.argv[2:]:
        read(path)
