"""The folder for zarr-extensions says what the codec does."""

from __future__ import annotations

import importlib
import json
import re
import sys
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import zarr

from fsz_codec.zarr import LEAST_ZARR, FszCodec

FOLDER = Path(__file__).parent.parent / "zarr-extensions/codecs/fsz_codec"
SCHEMA: dict[str, Any] = json.loads((FOLDER / "schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def examples() -> list[dict[str, Any]]:
    shown = re.findall(r"```json\n(.*?)```", (FOLDER / "README.md").read_text(), re.DOTALL)
    assert shown
    found = [json.loads(text)["codecs"][0] for text in shown]
    return found + [json.loads(file.read_text()) for file in (FOLDER / "examples").iterdir()]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["additionalProperties"] is False


@pytest.mark.parametrize("example", examples(), ids=str)
def test_examples(example: dict[str, Any]) -> None:
    VALIDATOR.validate(example)
    assert json.loads(json.dumps(FszCodec.from_dict(example).to_dict())) == example


@pytest.mark.parametrize(
    "codec",
    [
        FszCodec(range=1e-3),
        FszCodec(absolute=2),
        FszCodec(range=1e-3, missing=(1e20, float("nan"), -1.0), profile="dense"),
    ],
)
def test_what_the_codec_writes(codec: FszCodec) -> None:
    metadata = json.loads(json.dumps(codec.to_dict()))
    VALIDATOR.validate(metadata)
    assert FszCodec.from_dict(metadata) == codec


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"range": 1e-3, "absolute": 1},
        {"range": 0},
        {"range": "1e-3"},
        {"absolute": -1},
        {"range": 1e-3, "profile": "best"},
        {"range": 1e-3, "missing": [1, 2, 3, 4, 5]},
        {"range": 1e-3, "level": 9},
    ],
    ids=str,
)
def test_both_refuse(configuration: dict[str, Any]) -> None:
    metadata = {"name": "fsz_codec", "configuration": configuration}
    assert not VALIDATOR.is_valid(metadata)
    with pytest.raises(ValueError):
        FszCodec.from_dict(metadata)


def test_the_sections_that_the_registry_wants() -> None:
    headings = re.findall(r"^## (.*)$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert headings == [
        "Codec name", "Configuration parameters", "Example", "Supported chunk shapes", "Supported data types",
        "Format and algorithm", "Change log", "Current maintainers",
    ]


def test_what_is_installed_with_it_is_new_enough() -> None:
    least = ".".join(map(str, LEAST_ZARR))
    named = [need.split(";")[0].strip() for need in requires("fsz-codec") or [] if need.startswith("zarr")]
    assert named == [f"zarr>={least}"] * 2


@pytest.mark.parametrize("version", ["2.18.7", "3.1.5", "3.1.0rc1"])
def test_an_older_zarr_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(zarr, "__version__", version)
    monkeypatch.delitem(sys.modules, "fsz_codec.zarr")
    with pytest.raises(ImportError, match=rf"zarr {re.escape(version)}: fsz_codec\.zarr needs 3\.1\.6 or newer"):
        importlib.import_module("fsz_codec.zarr")
