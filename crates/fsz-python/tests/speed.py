"""Compares calls of 512 MB with the same calls in Rust, and measures the memory that they take beside the array.

``speed.py PROGRAM`` takes the program of examples/speed.rs:

    cargo build --release -p fsz-python --example speed
    python tests/speed.py target/release/examples/speed

Both take turns of some runs with two threads, and the least times are compared.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import fsz_codec

COLUMNS = 8192
ROWS = 16384  # 512 MiB
PROFILES = ("paper", "dense")
TURNS, RUNS, THREADS = 5, 3, 2


def made() -> npt.NDArray[Any]:
    """Waves with noise."""
    rng = np.random.default_rng(1)
    row = np.sin(np.arange(COLUMNS) / 99)
    field = np.empty((ROWS, COLUMNS), np.float32)
    for begin in range(0, ROWS, 256):
        rows = np.sin(np.arange(begin, begin + 256) / 57)[:, None]
        field[begin : begin + 256] = row * rows + 0.002 * rng.standard_normal((256, COLUMNS))
    return field


def peak() -> int:
    """The most memory that this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def in_python(field: npt.NDArray[Any], out: npt.NDArray[Any], profile: str) -> list[float]:
    least = [float("inf"), float("inf")]
    for _ in range(RUNS):
        begin = time.perf_counter()
        stream = fsz_codec.compress(field, range=1e-3, profile=profile, threads=THREADS, backend="cpu")
        middle = time.perf_counter()
        stream.decompress(out=out, threads=THREADS, backend="cpu")
        least = [min(least[0], middle - begin), min(least[1], time.perf_counter() - middle)]
        del stream
    return least


def in_rust(program: str, file: Path, profile: str) -> list[float]:
    words = [program, str(file), profile, str(RUNS)]
    said = subprocess.run(words, capture_output=True, text=True, check=True)
    return [float(word) for word in said.stdout.split()]


def memory(profile: str) -> None:
    """In a process of its own, as a peak is never forgotten."""
    field = made()
    before = peak()
    stream = fsz_codec.compress(field, range=1e-3, profile=profile, threads=THREADS, backend="cpu")
    compressing = peak() - before
    out = np.zeros_like(field)
    before = peak()
    stream.decompress(out=out, threads=THREADS, backend="cpu")
    print(
        f"{profile}: {field.nbytes / 1e6:.0f} MB to {stream.compressed_bytes / 1e6:.1f} MB; compressing took "
        f"{compressing / 1e6:.1f} MB beside the array, decompressing {(peak() - before) / 1e6:.1f} MB beside both",
        flush=True,
    )


def main(program: str) -> None:
    for profile in PROFILES:
        subprocess.run([sys.executable, __file__, "memory", profile], check=True)
    field = made()
    out = np.zeros_like(field)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "field.f32"
        field.tofile(file)
        for profile in PROFILES:
            turns = [(in_python(field, out, profile), in_rust(program, file, profile)) for _ in range(TURNS)]
            for call, what in enumerate(("compress", "decompress")):
                ours, theirs = (min(turn[side][call] for turn in turns) for side in range(2))
                print(f"{profile} {what}: Python {ours:.3f} s, Rust {theirs:.3f} s, {ours / theirs - 1:+.1%}", flush=True)


if __name__ == "__main__":
    memory(sys.argv[2]) if sys.argv[1] == "memory" else main(sys.argv[1])
