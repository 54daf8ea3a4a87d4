"""SST while the simulation runs: a reader sees each step at once; one that dies or lags stops nobody.

The processes agree through files alone. The queue is the one that README.md recommends: few steps are
kept, and new ones are dropped for a reader that does not keep up. The prompt reader's is ADIOS2's
default: that a step was read reaches the writer some time after the reader has it, so that on a busy
machine a short queue is full even for a reader that is never late.
"""

import os
import signal
import subprocess
import sys
import time

import numpy as np
from adios2 import Adios, Stream

from fields import OPERATION, check, scratch, smooth

SHAPE = [20, 50, 60]
STEPS = 12
QUEUE = {"RendezvousReaderCount": "1", "QueueLimit": "2", "QueueFullPolicy": "Discard"}
PATIENCE = 60


def mark(case, what):
    open(f"{scratch()}/{case}-{what}", "w").close()


def wait_for(case, what):
    """Until the other process has said so."""
    end = time.monotonic() + PATIENCE
    while not os.path.exists(f"{scratch()}/{case}-{what}"):
        assert time.monotonic() < end, f"{case}: no {what}"
        time.sleep(0.01)


def stream(case, mode):
    io = Adios().declare_io("live")
    io.set_engine("SST")
    io.set_parameters(QUEUE | {"QueueFullPolicy": "Block"} if case == "prompt" else QUEUE)
    return Stream(io, f"{scratch()}/{case}", mode)


def write(case):
    with stream(case, "w") as out:
        for step in out.steps(STEPS):
            now = step.current_step()
            field = smooth(SHAPE, now, np.float32)
            out.write("U", field, SHAPE, [0, 0, 0], SHAPE, operations=OPERATION)
            if case == "prompt" and now > 0:
                # The step before is read before this one ends: the reader is live.
                wait_for(case, f"read-{now - 1}")
            if case == "killed" and now == 2:
                wait_for(case, "dead")
        mark(case, "written")


def read(case):
    seen = []
    with stream(case, "r") as arriving:
        for step in arriving.steps():
            field = arriving.read("U", [0, 0, 0], SHAPE)
            now = step.current_step()
            check(smooth(SHAPE, now, np.float32), field)
            seen.append(now)
            mark(case, f"read-{now}")
            if case == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if case == "lagging" and len(seen) == 1:
                # Holds its step for as long as the simulation runs.
                wait_for(case, "written")
    print(case, "saw steps", seen)
    if case == "prompt":
        assert seen == list(range(STEPS)), seen
    else:
        assert seen[0] == 0 and len(seen) < STEPS and seen == sorted(seen), seen


def start(job, case):
    return subprocess.Popen([sys.executable, "-B", __file__, scratch(), job, case])


if len(sys.argv) > 2:
    {"write": write, "read": read}[sys.argv[2]](sys.argv[3])
else:
    for case in ("prompt", "killed", "lagging"):
        writer, reader = start("write", case), start("read", case)
        status = reader.wait(PATIENCE)
        if case == "killed":
            assert status == -signal.SIGKILL, status
            mark(case, "dead")
        else:
            assert status == 0, status
        assert writer.wait(PATIENCE) == 0, case
