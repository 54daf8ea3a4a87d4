"""Runs the manual, docs/hdf5.md, from the first snippet to the last in one shell."""

import os
import re
import shutil
import subprocess
import sys

from fsz_codec.hdf5 import plugin
from support import ROOT, Scratch
from test_library import hdf5_for_c

MANUAL = ROOT / "docs" / "hdf5.md"
TOOLS = ("h5repack", "h5dump", "nccopy", "ncdump")


def snippets():
    """Language and text of each."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", MANUAL.read_text(), re.MULTILINE | re.DOTALL)


def missing(text):
    """What a snippet calls for that is not here."""
    words = set(re.findall(r"^\s*([\w-]+)", text, re.MULTILINE))
    found = [tool for tool in TOOLS if tool in words and shutil.which(tool) is None]
    if "pkg-config" in text and not hdf5_for_c():
        found.append("hdf5.h")
    return found


class Manual(Scratch):
    def test_every_snippet(self):
        # The first is typed in the repository, where it builds what is there already.
        built = self.folder / "repository" / "target" / "release"
        built.mkdir(parents=True)
        shutil.copy(plugin(), built)
        script = ["set -euo pipefail", "cargo() { :; }", f'cd "{self.folder}/repository"']
        for index, (language, text) in enumerate(snippets()):
            if missing(text):
                # Only this one is left out; the next test says so.
                continue
            script.append(f"echo 'snippet {index}' >&2")
            if language == "python":
                script += ["python3 - <<'END_OF_SNIPPET'", text, "END_OF_SNIPPET"]
            else:
                self.assertEqual(language, "sh")
                script.append(text)
            if index == 0:
                script.append(f'cd "{self.folder}"')
        # A home in the scratch folder.
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "FSZ": str(ROOT),
            "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        }
        del environment["HDF5_PLUGIN_PATH"]
        done = subprocess.run(
            ["bash", "-c", "\n".join(script)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        installed = self.folder / ".local" / "lib" / "fsz-hdf5" / plugin().name
        self.assertTrue(installed.is_file())

    def test_nothing_was_left_out(self):
        if any(missing(text) for _, text in snippets()):
            packages = "hdf5-tools netcdf-bin libhdf5-dev pkg-config"
            self.skipTest(f"snippets need more programs: apt install {packages}")


class Snippets(Scratch):
    def test_every_fence_is_a_snippet(self):
        self.assertEqual(MANUAL.read_text().count("\n```"), 2 * len(snippets()))
