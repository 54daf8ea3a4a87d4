"""Every Python snippet of the documents runs, in order."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import fsz_codec

ROOT = Path(__file__).parents[3]
SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Needs a device.
CUDA = "import cupy"


def snippets(document: str) -> list[str]:
    return SNIPPET.findall((ROOT / document).read_text())


def has_device() -> bool:
    try:
        return bool(fsz_codec.devices()) and importlib.util.find_spec("cupy") is not None
    except fsz_codec.DeviceError:
        return False


@pytest.mark.parametrize(
    ("document", "at_least"),
    [("README.md", 1), ("docs/python.md", 9), ("docs/zarr.md", 5), ("crates/fsz-python/README.md", 1)],
)
@pytest.mark.filterwarnings("ignore:Consolidated metadata is currently not part")
def test_snippets(document: str, at_least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = [code for code in snippets(document) if CUDA not in code]
    assert len(found) >= at_least
    names: dict[str, object] = {"__name__": document}
    for number, code in enumerate(found, 1):
        exec(compile(code, f"{document}, snippet {number}", "exec"), names)


def test_snippets_for_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_device():
        pytest.skip("no CUDA device, or no cupy")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in snippets("docs/python.md"):
        exec(code, names)


