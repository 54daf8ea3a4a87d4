"""What the tests share."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[4]
FILTER = ROOT / "plugins" / "hdf5"


class Scratch(unittest.TestCase):
    """A test in a folder of its own, which goes with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def run_program(self, *words, environment=None, status=0):
        """Runs a program, and gives what it prints to standard output and to standard error."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=600,
        )
        said = f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        if status is not None:
            self.assertEqual(done.returncode, status, said)
        return done.stdout, done.stderr


def needs(*programs, install):
    """Leaves a test out, and says what to install, where a program is missing."""
    missing = any(shutil.which(program) is None for program in programs)
    return unittest.skipIf(missing, f"programs are missing: apt install {install}")


TOOLS = {"install": "hdf5-tools netcdf-bin"}


def wave(shape, dtype="f4", seed=0):
    """A smooth field between 2 and 4 with some noise."""
    random = np.random.default_rng(seed)
    axes = np.meshgrid(*(np.arange(n) * 0.1 for n in shape), indexing="ij", sparse=True)
    field = 3 + 0.9 * np.sin(sum((k + 1) * axis for k, axis in enumerate(axes)))
    return (field + random.uniform(-0.01, 0.01, shape)).astype(dtype)


def worst(restored, original):
    """The largest error of any finite value; the others must have kept their bits."""
    restored, original = np.asarray(restored), np.asarray(original)
    assert restored.shape == original.shape and restored.dtype == original.dtype
    finite = np.isfinite(original)
    kept = restored[~finite].tobytes() == original[~finite].tobytes()
    assert kept, "a value that is not finite has changed"
    # Wider than the type, so that the difference is exact.
    wide = np.float64 if original.dtype.itemsize == 4 else np.longdouble
    difference = restored[finite].astype(wide) - original[finite].astype(wide)
    return np.abs(difference).max(initial=0)


def stream(values, bound, profile="paper", missing=()):
    """The stream that the Rust codec makes of values; bound as ("absolute", 0.1)."""
    little = values.astype(values.dtype.newbyteorder("<"))
    words = ["f32" if values.dtype.itemsize == 4 else "f64", "x".join(map(str, values.shape))]
    words += [str(word) if isinstance(word, str) else repr(float(word)) for word in bound]
    words += [profile, *(repr(float(value)) for value in missing)]
    done = subprocess.run(
        [os.environ["FSZ_TEST_STREAM"], *words],
        input=np.ascontiguousarray(little).tobytes(),
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
