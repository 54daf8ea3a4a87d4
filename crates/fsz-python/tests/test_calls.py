"""Long calls and many threads: the interpreter's lock, progress, Ctrl-C, forks, memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import smooth

import fsz_codec

Array = npt.NDArray[Any]


@pytest.fixture(scope="module")
def large() -> Array:
    return np.tile(smooth((64, 64)), (1024, 1))  # 16 MiB


@contextmanager
def other_thread() -> Iterator[Callable[[], int]]:
    """Tells how many turns a thread has had that wants one every half a millisecond."""
    ended, turns = threading.Event(), 0
    started = threading.Event()

    def count() -> None:
        nonlocal turns
        started.set()
        while not ended.is_set():
            turns += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    started.wait()
    try:
        yield lambda: turns
    finally:
        ended.set()
        counter.join()


def test_other_threads_run_meanwhile(large: Array) -> None:
    with other_thread() as turns:
        before = turns()
        # Short of the size from which on calls look up now and then, so only the lock's release lets others run.
        stream = fsz_codec.compress(large[:30000], range=1e-6, profile="dense", threads=1)
        after = turns()
    assert stream.size == 30000 * 64
    assert after - before >= 5


def test_other_threads_run_while_masks_are_read() -> None:
    field = np.zeros(1 << 26, np.float32)
    mask = np.ones(field.shape, bool)
    with other_thread() as turns:
        before = turns()
        # One too many, which is found out when all have been read.
        with pytest.raises(fsz_codec.InvalidArgumentError, match="17 regions"):
            fsz_codec.compress(field, range=1e-3, regions=[(mask, 1e-4)] * 17)
        after = turns()
    # Between two masks there are some in any case.
    assert after - before >= 50


def test_threads_share_a_stream(profile: str) -> None:
    field = smooth((30, 40, 50))
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    decoded = np.asarray(stream)

    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        same = True
        for _ in range(12):
            z, y = int(rng.integers(30)), int(rng.integers(40))
            same &= np.array_equal(stream[z, y:], decoded[z, y:])
            same &= stream.tiles().elements.sum() == field.size
            same &= fsz_codec.compress(field[z], range=1e-3).shape == (40, 50)
        return same and np.array_equal(np.asarray(stream), decoded)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(12)))


def test_progress(large: Array, profile: str) -> None:
    calls: list[tuple[int, int]] = []
    field = large if profile == "paper" else large[:40000]
    stream = fsz_codec.compress(field, range=1e-3, profile=profile, progress=lambda *call: calls.append(call))
    assert calls[-1] == (field.nbytes, field.nbytes)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    calls.clear()
    stream.decompress(progress=lambda *call: calls.append(call))
    assert calls[-1] == (field.nbytes, field.nbytes)


def test_a_share_can_be_told_of_every_progress(large: Array) -> None:
    shares: list[float] = []
    empty = fsz_codec.compress(large[:0], absolute=1, progress=lambda done, total: shares.append(done / total))
    empty.decompress(progress=lambda done, total: shares.append(done / total))
    assert not shares
    # The regions are looked at before the call begins to count.
    regions = [(large > 0.1 * n, 0.1) for n in range(8)]
    fsz_codec.compress(large, absolute=1, regions=regions, progress=lambda done, total: shares.append(done / total))
    assert shares[-1] == 1


class Stop(Exception):
    pass


def test_progress_can_stop_a_call(large: Array) -> None:
    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        fsz_codec.compress(large, range=1e-6, profile="dense", threads=1, progress=stop)
    with pytest.raises(Stop):
        fsz_codec.compress(large, range=1e-3).decompress(progress=stop)


INTERRUPTED = """
import os, signal, threading, time
import numpy as np, fsz_codec
# What a shell runs in the background would ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
field = np.tile(np.random.default_rng(0).standard_normal(12_000_000).cumsum().astype("f4"), 5)
fsz_codec.compress(field[:1000], range=1e-3)
options = dict(range=1e-7, profile="dense", threads=1)
begin = time.process_time()
fsz_codec.compress(field, **options)
whole = time.process_time() - begin
begin = time.process_time()
try:
    # On a busy machine the call may begin later: it ends here, too.
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    fsz_codec.compress(field, **options)
except KeyboardInterrupt:
    print("interrupted", (time.process_time() - begin) / whole)
else:
    print("done", 1)
"""


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda stream, out: fsz_codec.compress(out, absolute=1), "another call decodes to the array"),
        (lambda stream, out: stream.decompress(out=out), "another call uses the array out"),
    ],
)
def test_an_array_that_is_being_decoded_to(call: Callable[[fsz_codec.Stream, Array], object], said: str) -> None:
    field = smooth((64, 64))
    stream, out = fsz_codec.compress(field, absolute=0.1), np.empty_like(field)
    with pytest.raises(fsz_codec.InvalidArgumentError, match=said):
        stream.decompress(out=out, progress=lambda done, total: call(stream, out))
    call(stream, out)


def test_ctrl_c() -> None:
    run = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    word, part = run.stdout.split()
    assert word == "interrupted", run
    # Of the work; the time would be that of the machine.
    assert float(part) < 0.7, run


# The interpreter is gone while libc waits for a second, as long as the exit code says: a call of a daemon thread
# looks for it meanwhile.
ENDED = """
import ctypes, sys, threading
import numpy as np, fsz_codec
field = np.tile(np.random.default_rng(0).standard_normal(1_000_000).astype("f4"), 40)
libc = ctypes.CDLL(None)
libc.on_exit(libc.sleep, None)
begun = threading.Event()
options = dict(range=1e-7, profile="dense", threads=1, progress=lambda done, total: begun.set())
threading.Thread(target=fsz_codec.compress, args=(field,), kwargs=options, daemon=True).start()
begun.wait()
sys.exit(1)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs glibc's on_exit")
def test_a_process_ends_while_a_daemon_thread_compresses() -> None:
    run = subprocess.run([sys.executable, "-c", ENDED], capture_output=True, text=True, timeout=120)
    assert (run.returncode, run.stderr) == (1, ""), run


# In a process of its own, whose threads are counted.
MANY_THREADS = """
import os
import numpy as np, fsz_codec
field = np.random.default_rng(0).standard_normal((64, 4096)).astype("f4")
alone = fsz_codec.compress(field, range=1e-3, threads=1).to_bytes()
before = len(os.listdir("/proc/self/task"))
many = fsz_codec.compress(field, range=1e-3, threads=100_000)
print(many.to_bytes() == alone, len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="this system does not list threads")
def test_as_many_threads_as_are_useful_are_started() -> None:
    run = subprocess.run(
        [sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, check=True, timeout=60
    )
    same, started = run.stdout.split()
    assert same == "True"
    assert int(started) <= 4 * (os.cpu_count() or 1), run.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    # In a process of its own, as forking this one with its threads would be a gamble.
    code = """
import os, sys, numpy as np, fsz_codec
field = np.random.default_rng(0).standard_normal((64, 4096)).astype("f4")
plain = fsz_codec.compress(field, range=1e-3).to_bytes()
child = os.fork()
if child == 0:
    os._exit(0 if fsz_codec.compress(field, range=1e-3).to_bytes() == plain else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert run.stdout.strip() == "0", run


# What a call may hold beside the array: the stream, a batch of each thread, and the interpreter's noise.
SHORT_OF_MEMORY = """
import resource
import fsz_codec, numpy as np
array = np.random.default_rng(0).standard_normal(20_000_000, dtype=np.float32)
fsz_codec.compress(array[:1_000_000], absolute=1e-3)  # its threads have their stacks
pages = int(open("/proc/self/statm").read().split()[0])
for bound in ({"absolute": 1e-3}, {"absolute": 1e-3, "regions": [(np.s_[:15_000_000], 1e-4)]}, {"ratio": 2}):
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (60 << 20), resource.RLIM_INFINITY))
    try:
        fsz_codec.compress(array, **bound)
    except MemoryError as error:
        print(error)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_stream_without_memory_is_an_error() -> None:
    run = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], capture_output=True, text=True, check=True)
    assert run.stdout.count("out of memory for a stream of up to ") == 3, run.stdout


WITHOUT_THREADS = """
import fsz_codec, numpy as np
array = np.tile(np.sin(np.arange(4096, dtype="f4") / 99), 1024)  # 16 MiB
for size in (4096, len(array)):
    stream = fsz_codec.compress(array[:size], absolute=1e-3, threads=2)
    print(np.abs(np.asarray(stream) - array[:size]).max() <= 1e-3)
"""


def test_where_the_system_starts_no_threads_the_calling_one_works() -> None:
    # No system has memory for a stack of that size.
    environment = {**os.environ, "RUST_MIN_STACK": str(1 << 50)}
    run = subprocess.run([sys.executable, "-c", WITHOUT_THREADS], capture_output=True, text=True, env=environment)
    assert run.stdout == "True\nTrue\n", run


MEMORY = """
import resource, sys
import numpy as np, fsz_codec
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
field = np.tile(np.sin(np.arange(8192, dtype="f4") / 99), 4096)  # 128 MiB
fsz_codec.compress(field[:100000], range=1e-3, threads=2)
before = peak()
stream = fsz_codec.compress(field, range=1e-3, threads=2)
compressed = peak() - before
out = np.zeros_like(field)
before = peak()
stream.decompress(out=out, threads=2)
print(field.nbytes, stream.compressed_bytes, compressed, peak() - before)
"""


def test_no_copy_of_the_array_is_made() -> None:
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    size, stream, compressing, decompressing = map(int, run.stdout.split())
    assert size == 128 << 20
    assert compressing < stream + (8 << 20), run.stdout
    assert decompressing < 8 << 20, run.stdout


def test_free_threading_stays() -> None:
    enabled = getattr(sys, "_is_gil_enabled", None)
    if enabled is None or not sys.abiflags.count("t"):
        pytest.skip("this interpreter is not free-threaded")
    assert not enabled()


def test_a_small_call_reads_no_files() -> None:
    def reads() -> int:
        with open("/proc/thread-self/io") as io:
            return int(io.read().split("syscr:")[1].split()[0])

    # Which is how the system tells how many cores there are.
    array = smooth((64, 8))
    stream = fsz_codec.compress(array, absolute=1e-3)
    before = reads()
    for _ in range(100):
        fsz_codec.compress(array, absolute=1e-3).decompress()
        stream[3]
    assert reads() - before < 100
