"""Steps that are coded like an earlier one: several variables and engines, a field that changes, a program that starts
again, a fork; and what is refused."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from adios2 import Adios, FileReader, Stream

from fields import ACCURACY, FSZ, check, scratch, smooth

STEPS = 7
SHAPES = {"U": [40, 50, 30], "V": [300, 200], "W": [50_000]}
CHANGED = dict(FSZ, profile="dense", choose="changed", verbose="1")


def field(name, step):
    """V changes at step 3."""
    shape = SHAPES[name]
    values = smooth(shape, 0.1 * step, np.float64 if name == "W" else np.float32)
    rough = np.random.default_rng(step).uniform(-1, 1, shape).astype(values.dtype)
    return values + rough if name == "V" and step >= 3 else values


def write(path, engine_type, mode="w", persistent=False):
    io = Adios().declare_io("out")
    io.set_engine(engine_type)
    if persistent:
        for name, shape in SHAPES.items():
            variable = io.define_variable(name, field(name, 0), shape, [0] * len(shape), shape)
            variable.add_operation_string("plugin", CHANGED)
    with Stream(io, path, mode) as out:
        for step in range(STEPS):
            out.begin_step()
            for name, shape in SHAPES.items():
                # Without them, the variable keeps the operator that it was defined with.
                own = [] if persistent else [("plugin", CHANGED)]
                out.write(name, field(name, step), shape, [0] * len(shape), shape, operations=own)
            out.end_step()


def read(path, first=0):
    with FileReader(path) as file:
        for name, shape in SHAPES.items():
            for step in range(STEPS):
                selection = [first + step, 1]
                back = file.read(name, [0] * len(shape), shape, step_selection=selection)
                check(field(name, step), back.reshape(shape), ACCURACY)


def run(what, *more):
    """Runs a part of this script in a process of its own; gives by variable which steps were coded like earlier ones."""
    command = [sys.executable, "-B", __file__, scratch(), what, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    like = {name: [] for name in SHAPES}
    for line in re.finditer(r"^FSZ: (\w+) \[.*$", done.stderr, flags=re.MULTILINE):
        like[line[1]].append(line[0].endswith(", coded like an earlier step"))
    return like, done.stderr


def expect(like):
    assert like["U"] == [False] * 2 + [True] * (STEPS - 2), like
    # The step that differs much chooses at once, and another one is needed to be alike.
    assert like["V"] == [False, False, True, False, False, True, True], like
    assert any(like["W"]), like


def refused(parameters, reason):
    try:
        Adios().define_operator("fsz", "plugin", {**FSZ, "choose": "changed", **parameters})
    except ValueError as error:
        assert reason in str(error), error
    else:
        raise AssertionError(parameters)


def main():
    for persistent in ("", "persistent"):
        path = f"{scratch()}/file{persistent}.bp"
        like, said = run("write", path, "w", persistent)
        expect(like)
        assert "5 of them coded like an earlier step" in said, said
        read(path)
    # Started again, to go on in the same file.
    like, _ = run("write", path, "a", "persistent")
    expect(like)
    read(path)
    read(path, STEPS)
    run("threads")
    for number in range(4):
        read(f"{scratch()}/thread{number}.bp")
    run("fork")
    read(f"{scratch()}/child.bp")
    refused({}, "choose: changed only with profile=dense")
    refused({"profile": "dense", "bound_in": ":=1"}, "choose: changed not with bound_in")
    refused({"profile": "dense", "choose": "never"}, "choose: ")


def threads():
    write(f"{scratch()}/thread0.bp", "BP5")
    with ThreadPoolExecutor(4) as pool:
        paths = [f"{scratch()}/thread{number}.bp" for number in range(4)]
        list(pool.map(write, paths, ["BP5", "BP4"] * 2))


def fork():
    write(f"{scratch()}/parent.bp", "BP5")
    child = os.fork()
    if child == 0:
        write(f"{scratch()}/child.bp", "BP5")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status


if len(sys.argv) == 2:
    main()
elif sys.argv[2] == "write":
    write(sys.argv[3], "BP5", sys.argv[4], bool(sys.argv[5]))
else:
    {"threads": threads, "fork": fork}[sys.argv[2]]()
