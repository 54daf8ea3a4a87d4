"""What a stream says of itself, files, pickles and pictures."""

from __future__ import annotations

import base64
import copy
import os
import pickle
import re
import struct
import threading
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import smooth

import fsz_codec

Array = npt.NDArray[Any]


def test_facts(field: Array) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    assert stream.shape == (11, 50, 70) and stream.dtype == field.dtype
    assert stream.ratio == stream.nbytes / stream.compressed_bytes
    assert stream.compressed_bytes == len(stream.to_bytes()) == len(bytes(stream))
    span = float(field.max()) - float(field.min())
    assert stream.bound.absolute == pytest.approx(1e-3 * span, rel=1e-12)
    certificate = stream.certificate
    assert certificate.max_abs_error == np.abs(np.asarray(stream).astype("f8") - field).max()
    assert (certificate.min, certificate.max) == (field.min(), field.max())
    assert (certificate.nan, certificate.inf, certificate.missing) == (0, 0, 0)
    assert 0 < stream.quantization_step <= 2 * stream.bound.absolute


def test_tiles(field: Array, profile: str) -> None:
    field = field.copy()
    field[3, 10] = np.nan
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    tiles = stream.tiles()
    assert isinstance(tiles, np.recarray)
    assert tiles.elements.sum() == field.size
    assert tiles.bytes.sum() <= stream.compressed_bytes
    assert tiles.escapes.sum() == stream.certificate.escaped == 70
    assert set(tiles.kind) <= {
        "lz1", "lz2", "lz1_centered", "lz2_centered", "interpolated", "constant", "exceptions", "verbatim",
    }
    assert "exceptions" in tiles.kind
    if profile == "paper":
        assert tiles.rates.shape == (-(-field.size // 256), 8)
        assert tiles.rates.max() <= 32


def test_every_kind_of_tile_has_its_name(program: Path, tmp_path: Path) -> None:
    import json
    import subprocess

    rng = np.random.default_rng(1)
    field = smooth((40, 256))
    field[0] = 7
    field[1] = np.inf
    field[2, 5] = np.nan
    field[3] = rng.integers(0, 2**32, 256, np.uint32).view("f4")
    field[4:] += rng.standard_normal((36, 256)).astype("f4") * rng.integers(0, 9, (36, 1))
    for profile in ("paper", "dense"):
        stream = fsz_codec.compress(field, absolute=0.01, profile=profile)
        stream.save(tmp_path / "x.fsz")
        said = subprocess.run([program, "inspect", "--json", tmp_path / "x.fsz"], check=True, capture_output=True)
        counts = json.loads(said.stdout)["tiles"]
        kinds = stream.tiles().kind
        assert {k: n for k, n in counts.items() if n and k != "count"} == {
            str(k): int(n) for k, n in zip(*np.unique(kinds, return_counts=True), strict=True)
        }


def test_equal_streams_have_equal_bytes(field: Array, profile: str, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    stream.save(tmp_path / "x.fsz")
    again = fsz_codec.compress(field.copy(), range=1e-3, profile=profile)
    for same in (stream, again, fsz_codec.Stream.from_bytes(stream.to_bytes()), fsz_codec.open(tmp_path / "x.fsz")):
        assert stream == same and not stream != same
        assert hash(stream) == hash(same) and len({stream, same}) == 1
    changed = field.copy()
    changed[-1, -1, -1] += 1
    others = (
        fsz_codec.compress(field, range=1e-4, profile=profile),
        fsz_codec.compress(field, range=1e-3, profile=profile, name="T"),
        fsz_codec.compress(changed, range=1e-3, profile=profile),
    )
    assert stream not in others and len({stream, *others}) == 4
    assert stream != stream.to_bytes()
    # With an array numpy compares, element by element.
    assert np.all(stream == np.asarray(stream))


def test_files(field: Array, program: Path, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    path = tmp_path / "T.fsz"
    stream.save(path)
    assert path.read_bytes() == stream.to_bytes()
    for opened in (fsz_codec.open(path), fsz_codec.open(str(path)), fsz_codec.open(path, mmap=False)):
        assert np.array_equal(opened[3:5], np.asarray(stream)[3:5])
        assert opened.to_bytes() == stream.to_bytes()


def test_an_open_file_may_be_removed(field: Array, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    stream.save(tmp_path / "T.fsz")
    opened = fsz_codec.open(tmp_path / "T.fsz")
    os.remove(tmp_path / "T.fsz")
    assert np.array_equal(opened, stream)


def test_an_open_file_may_be_replaced(field: Array, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    path, link = tmp_path / "T.fsz", tmp_path / "link.fsz"
    stream.save(path)
    path.chmod(0o640)
    link.symlink_to(path)
    opened = fsz_codec.open(path)
    for place in (path, link):
        opened.save(place)
        assert path.read_bytes() == stream.to_bytes()
    other = fsz_codec.compress(field, range=0.1)
    other.save(path)
    assert np.array_equal(opened, stream)
    assert fsz_codec.open(link) == other and link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["T.fsz", "link.fsz"]


def test_a_link_that_leads_nowhere_is_followed(field: Array, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    link = tmp_path / "link.fsz"
    link.symlink_to(tmp_path / "T.fsz")
    stream.save(link)
    assert link.is_symlink() and (tmp_path / "T.fsz").read_bytes() == stream.to_bytes()
    link.unlink()
    link.symlink_to(tmp_path / "none" / "T.fsz")
    with pytest.raises(FileNotFoundError):
        stream.save(link)
    assert link.is_symlink()


def test_a_stream_is_written_to_a_pipe(tmp_path: Path) -> None:
    stream = fsz_codec.compress(smooth((40,)), range=1e-3)
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    stream.save(tmp_path / "pipe")
    assert os.read(reader, 1 << 16) == stream.to_bytes()
    os.close(reader)


def test_a_stream_is_read_from_a_pipe(tmp_path: Path) -> None:
    stream = fsz_codec.compress(smooth((40,)), range=1e-3)
    os.mkfifo(tmp_path / "pipe")
    for mmap in (True, False):
        writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(stream.to_bytes(),))
        writer.start()
        assert fsz_codec.open(tmp_path / "pipe", mmap=mmap) == stream
        writer.join()


def test_files_that_are_none(tmp_path: Path) -> None:
    for mmap in (True, False):
        for path, error in ((tmp_path / "no.fsz", FileNotFoundError), (tmp_path, IsADirectoryError)):
            with pytest.raises(error) as raised:
                fsz_codec.open(path, mmap=mmap)
            assert raised.value.filename in (path, str(path))
        (tmp_path / "text.fsz").write_bytes(b"")
        with pytest.raises(fsz_codec.TruncatedError, match=r"text\.fsz: truncated"):
            fsz_codec.open(tmp_path / "text.fsz", mmap=mmap)
        (tmp_path / "text.fsz").write_text("not a stream " * 50)
        with pytest.raises(fsz_codec.CorruptError, match=r"text\.fsz: corrupt"):
            fsz_codec.open(tmp_path / "text.fsz", mmap=mmap)


def test_files_that_cannot_be_written(field: Array, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    for path, error in ((tmp_path / "none" / "T.fsz", FileNotFoundError), (tmp_path, IsADirectoryError)):
        with pytest.raises(error) as raised:
            stream.save(path)
        assert raised.value.filename == str(path)
    for name in ("a\0b", b"a\0b"):
        with pytest.raises(ValueError, match="embedded null byte"):
            stream.save(name)
    assert os.listdir(tmp_path) == []


def test_pickling(field: Array, tmp_path: Path) -> None:
    stream = fsz_codec.compress(field, range=1e-3, name="T")
    stream.save(tmp_path / "T.fsz")
    for one in (stream, fsz_codec.open(tmp_path / "T.fsz")):
        for other in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
            assert other.to_bytes() == stream.to_bytes() and other.name == "T"
    error = pickle.loads(pickle.dumps(fsz_codec.CorruptError("why")))
    assert isinstance(error, fsz_codec.CorruptError) and str(error) == "why"


def test_as_an_array(field: Array) -> None:
    stream = fsz_codec.compress(field, range=1e-3)
    assert np.asarray(stream, np.float64).dtype == np.float64
    assert np.array(stream, copy=True).dtype == field.dtype
    with pytest.raises(ValueError, match="new array"):
        np.array(stream, copy=False)
    assert np.mean(stream) == np.mean(np.asarray(stream))


def test_a_file_has_a_name_and_no_number(tmp_path: Path) -> None:
    fsz_codec.compress(np.float64(2), absolute=1).save(tmp_path / "T.fsz")
    with (tmp_path / "T.fsz").open("rb") as file:
        for mmap in (True, False):
            with pytest.raises(TypeError, match="os.PathLike"):
                fsz_codec.open(file.fileno(), mmap=mmap)  # type: ignore[arg-type]
        # And it is not closed.
        assert fsz_codec.Stream.from_bytes(file.read()).shape == ()


def test_there_is_no_empty_stream() -> None:
    with pytest.raises(TypeError, match="compress"):
        fsz_codec.Stream()


def test_repr() -> None:
    stream = fsz_codec.compress(smooth((11, 50, 70)), range=1e-3)
    text = repr(stream)
    assert "11x50x70 float32" in text and "0.001 of the range" in text and "profile paper" in text
    assert "scalar" in repr(fsz_codec.compress(np.float64(2), absolute=1))


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ({"relative": 1e-3}, "0.001 of each value"),
        ({"relative": 1e-3, "floor": 0.5}, "0.001 of each value, or 0.5"),
        ({"absolute": 0.1, "regions": [(0, 2), (1, 0.01)]}, "0.1; in regions 2; 0.01"),
        ({"relative": 1e-3, "regions": [(0, 0.1)]}, "0.001 of each value; in regions 0.1 of each value"),
    ],
)
def test_bounds_of_other_kinds_in_words(options: dict[str, Any], bound: str) -> None:
    stream = fsz_codec.compress(smooth((11, 50, 70)), **options)
    error = f"{'at most ' if stream.regions else ''}{stream.certificate.max_abs_error:.6g}"
    assert f", bound {bound}, largest error {error}, " in repr(stream)
    page = stream._repr_html_()
    assert f">{bound}</td>" in page and f">{error}</td>" in page


def picture(page: str) -> Array:
    """The indices into the palette."""
    found = re.search(r"base64,([^']+)", page)
    assert found
    data = base64.b64decode(found[1])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size]) == (zlib.crc32(kind + body),)
        chunks[kind] = body
        at += 12 + size
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert len(chunks[b"PLTE"]) == 3 * 256
    return np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, width + 1)[:, 1:]


def test_html(profile: str) -> None:
    field = np.ones((3, 400, 100), np.float32) * np.arange(400, dtype="f4")[:, None]
    field[1, 0, :] = np.nan
    field[1, 399, :] = 1e20
    stream = fsz_codec.compress(field, absolute=0.1, missing=1e20, name="<T>", profile=profile)
    page = stream._repr_html_()
    assert "&lt;T&gt;" in page and "3 × 400 × 100" in page
    shown = picture(page)
    assert shown.shape == (134, 100)
    assert (shown[0] == 0).all() and (shown[133] == 0).all() and shown[1].min() == 1 and shown[132].max() == 255
    assert (np.diff(shown[1:133, 0].astype(int)) >= 0).all()


@pytest.mark.parametrize(
    "field",
    [smooth((50,)), np.float32(3), np.zeros((0, 4)), np.full((4, 4), np.nan), np.array([[-1.7e308, 1.7e308]])],
    ids=["line", "scalar", "empty", "nan", "wide"],
)
def test_html_of_odd_fields(field: Array) -> None:
    assert "<table>" in fsz_codec.compress(field, absolute=0.1)._repr_html_()


def test_html_of_a_damaged_stream() -> None:
    damaged = bytearray(fsz_codec.compress(smooth((60, 60)), range=1e-3).to_bytes())
    damaged[-1] ^= 1
    assert "no picture" in fsz_codec.Stream.from_bytes(damaged)._repr_html_()
