"""The operator defined without a bound, and a bound with each variable; wrong parameters in the call
that writes a variable are no end of the program, but a warning and uncompressed values."""

import subprocess
import sys

import numpy as np
from adios2 import Adios, FileReader, Stream, bindings

from fields import check, scratch, smooth

PLUGIN = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2"}
SHAPE = [40, 50]
FIELD = smooth(SHAPE, 0, np.float32)


def read(path, variable):
    with FileReader(path) as file:
        return file.read(variable, [0, 0], SHAPE, step_selection=[0, 1]).reshape(SHAPE)


def two_bounds(engine_type):
    """Either name of the bound takes the place of the other at a variable."""
    adios = Adios()
    bare = adios.define_operator("bare", "plugin", PLUGIN)
    coarse = adios.define_operator("coarse", "plugin", dict(PLUGIN, accuracy="0.1"))
    io = adios.declare_io("out")
    io.set_engine(engine_type)
    bounds = {
        "U": (bare, {"accuracy": "1e-3"}, 1e-3),
        "V": (bare, {"tolerance": "1e-5"}, 1e-5),
        "default": (coarse, {}, 0.1),
        "same_name": (coarse, {"accuracy": "1e-4"}, 1e-4),
        "other_name": (coarse, {"tolerance": "1e-6"}, 1e-6),
        "looser": (coarse, {"tolerance": "0.4"}, 0.4),
    }
    path = f"{scratch()}/bounds-{engine_type}.bp"
    engine = io.open(path, bindings.Mode.Write)
    engine.begin_step()
    for name, (operator, parameters, _) in bounds.items():
        variable = io.define_variable(name, FIELD, SHAPE, [0, 0], SHAPE)
        variable.add_operation(operator, parameters)
        engine.put(variable, FIELD)
    engine.end_step()
    engine.close()
    for name, (_, _, bound) in bounds.items():
        back = read(path, name)
        check(FIELD, back, bound)
        # The bound is used, not one far below it.
        assert np.abs(FIELD - back).max() > bound / 20, name


def write_wrong(engine_type, path):
    """Run in a process of its own, whose messages are read."""
    io = Adios().declare_io("out")
    io.set_engine(engine_type)
    with Stream(io, path, "w") as out:
        for _ in out.steps(2):
            for name, wrong in (
                ("unbounded", {}),
                ("unnumbered", {"accuracy": "a little"}),
                ("unknown", {"accuracy": "1", "speed": "high"}),
            ):
                operations = [("plugin", dict(PLUGIN, **wrong))]
                out.write(name, FIELD, SHAPE, [0, 0], SHAPE, operations=operations)


def wrong(engine_type):
    path = f"{scratch()}/wrong-{engine_type}.bp"
    command = [sys.executable, "-B", __file__, scratch(), engine_type, path]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, (done.returncode, done.stderr)
    warnings = [line for line in done.stderr.splitlines() if line.startswith("FSZ warning: ")]
    if engine_type == "BP5":
        # BP4 does not tell the names.
        for name, reason in (
            ("unbounded", "it has no bound"),
            ("unnumbered", "accuracy: "),
            ("unknown", "speed: "),
        ):
            of = [line for line in warnings if f": {name} is stored" in line and reason in line]
            assert len(of) == 1, (name, done.stderr)
    assert warnings, done.stderr
    for name in ("unbounded", "unnumbered", "unknown"):
        assert (read(path, name) == FIELD).all(), name


if len(sys.argv) > 2:
    write_wrong(*sys.argv[2:])
else:
    for engine_type in ("BP5", "BP4"):
        two_bounds(engine_type)
        wrong(engine_type)
