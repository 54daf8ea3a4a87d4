"""Fields and settings that the test scripts share."""

import sys

import numpy as np

ACCURACY = 1e-3
FSZ = {"PluginName": "fsz", "PluginLibrary": "fsz_adios2", "accuracy": str(ACCURACY)}
OPERATION = [("plugin", FSZ)]


def smooth(shape, step, dtype):
    x = np.arange(np.prod(shape), dtype=np.float64) * 0.003 + step
    return (np.sin(x) * np.cos(0.1 * x)).reshape(shape).astype(dtype)


def check(written, read, accuracy=ACCURACY):
    """Every value within the bound, and not simply stored as it was."""
    assert written.shape == read.shape and written.dtype == read.dtype, (written, read)
    error = np.abs(written.astype(np.float64) - read.astype(np.float64)).max()
    assert 0 < error <= accuracy, error


def scratch():
    """The folder that the caller of the script gives."""
    return sys.argv[1]
