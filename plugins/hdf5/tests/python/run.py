"""Runs the tests of this folder: run.py LIBRARY STREAM [PATTERN].

LIBRARY is libfsz_hdf5.so, STREAM the program of tests/rust/stream.rs.
"""

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).parent
HELPER = HERE.parent.parent / "python" / "hdf5.py"


def package(folder, library):
    """The package as a wheel lays it out, with nothing in it but what concerns HDF5."""
    package = folder / "packages" / "fsz_codec"
    (package / "plugins").mkdir(parents=True)
    shutil.copy(library, package / "plugins")
    shutil.copy(HELPER, package / "hdf5.py")
    (package / "__init__.py").write_text("from . import hdf5 as hdf5\n")
    return package.parent


def main(library, stream, pattern="test_*.py"):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        plugins = folder / "plugins"
        plugins.mkdir()
        shutil.copy(library, plugins)
        packages = str(package(folder, library))
        # Before any HDF5 is loaded, and for the programs that the tests start.
        os.environ["HDF5_PLUGIN_PATH"] = str(plugins)
        os.environ["PYTHONPATH"] = packages
        os.environ["FSZ_TEST_STREAM"] = str(Path(stream).absolute())
        sys.path[:0] = [packages, str(HERE)]
        tests = unittest.defaultTestLoader.discover(str(HERE), pattern)
        result = unittest.TextTestRunner(verbosity=2).run(tests)
    for test, reason in result.skipped:
        print(f"SKIPPED: {test.id()}: {reason}")
    bad = len(result.failures) + len(result.errors)
    passed = result.testsRun - bad - len(result.skipped)
    outcome = "ok" if result.wasSuccessful() else "FAILED"
    print(f"test result: {outcome}. {passed} passed; {bad} failed; {len(result.skipped)} ignored")
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main(*sys.argv[1:])
