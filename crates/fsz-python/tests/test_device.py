"""CUDA arrays of cupy and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from conftest import assert_within, smooth

import fsz_codec

Array = npt.NDArray[Any]

try:
    DEVICES = fsz_codec.devices()
    WHY = "no CUDA device"
except fsz_codec.DeviceError as error:
    DEVICES, WHY = [], str(error)

needs_device = pytest.mark.skipif(not DEVICES, reason=f"no CUDA device: {WHY}")


def test_devices_are_told() -> None:
    for name, number, memory, capability in DEVICES:
        assert name and number >= 0 and memory > 0 and capability >= (8, 0)
    if not DEVICES:
        with pytest.raises(fsz_codec.DeviceError):
            fsz_codec.compress(smooth((4, 5)), range=1e-3, backend="cuda")
        with pytest.raises(fsz_codec.DeviceError):
            fsz_codec.compress(smooth((4, 5)), range=1e-3).decompress(device=0)


@needs_device
def test_bytes_are_those_of_the_cpu(field: Array, profile: str) -> None:
    cpu = fsz_codec.compress(field, range=1e-3, profile=profile, backend="cpu")
    cuda = fsz_codec.compress(field, range=1e-3, profile=profile, backend="cuda")
    assert cpu.to_bytes() == cuda.to_bytes()
    assert np.array_equal(cuda.decompress(backend="cuda"), cpu.decompress(backend="cpu"))


@needs_device
def test_our_own_device_arrays(field: Array, profile: str) -> None:
    stream = fsz_codec.compress(field, range=1e-3, profile=profile)
    array = stream.decompress(device=0)
    assert (array.shape, array.dtype, array.device) == (field.shape, field.dtype, 0)
    assert np.array_equal(array.to_numpy(), np.asarray(stream))
    # Once by DLPack and once by the CUDA array interface.
    again = fsz_codec.compress(array, absolute=stream.bound.absolute, profile=profile)
    assert again.device == 0
    assert again.to_bytes() == fsz_codec.compress(np.asarray(stream), absolute=stream.bound.absolute, profile=profile).to_bytes()

    class Interface:
        __cuda_array_interface__ = array.__cuda_array_interface__

    assert fsz_codec.compress(Interface(), absolute=stream.bound.absolute, profile=profile).to_bytes() == again.to_bytes()
    assert isinstance(again.decompress(), fsz_codec.DeviceArray)
    assert isinstance(np.asarray(again), np.ndarray) and isinstance(again[0], np.ndarray)


@needs_device
def test_regions_of_device_arrays(field: Array, profile: str) -> None:
    array = fsz_codec.compress(field, range=1e-3).decompress(device=0)
    values = array.to_numpy()
    regions: list[tuple[Any, float]] = [(np.s_[1:9, ..., 3:], 1e-5), (values > values.mean(), 1e-4)]
    expected = fsz_codec.compress(values, range=1e-2, regions=regions, profile=profile)
    stream = fsz_codec.compress(array, range=1e-2, regions=regions, profile=profile)
    assert stream.device == 0 and stream.to_bytes() == expected.to_bytes()


@needs_device
def test_capsules_that_nobody_takes(field: Array) -> None:
    array = fsz_codec.compress(field, range=1e-3).decompress(device=0)
    assert array.__dlpack_device__() == (2, 0)
    for _ in range(100):
        array.__dlpack__()
    with pytest.raises(BufferError):
        array.__dlpack__(copy=True)


@needs_device
def test_damaged_streams_on_a_device(field: Array) -> None:
    damaged = bytearray(fsz_codec.compress(field, range=1e-3).to_bytes())
    damaged[-1] ^= 1
    with pytest.raises(fsz_codec.CorruptError):
        fsz_codec.Stream.from_bytes(damaged).decompress(device=0)


@needs_device
def test_cupy(field: Array) -> None:
    cupy = pytest.importorskip("cupy", reason="cupy is not installed")
    with cupy.cuda.Stream(non_blocking=True):
        on_device = cupy.asarray(field) + 0
        stream = fsz_codec.compress(on_device, range=1e-3)
    assert stream.to_bytes() == fsz_codec.compress(field, range=1e-3).to_bytes()
    for decoded in (cupy.asarray(stream.decompress()), cupy.from_dlpack(stream.decompress())):
        assert_within(field, cupy.asnumpy(decoded), stream.bound.absolute)
    with pytest.raises(fsz_codec.InvalidArgumentError, match="C order"):
        fsz_codec.compress(on_device[:, ::2], range=1e-3)


@needs_device
def test_torch(field: Array) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    on_device = torch.from_numpy(field).cuda()
    stream = fsz_codec.compress(on_device, range=1e-3)
    assert stream.to_bytes() == fsz_codec.compress(field, range=1e-3).to_bytes()
    decoded = torch.from_dlpack(stream.decompress())
    assert decoded.device == on_device.device
    assert_within(field, decoded.cpu().numpy(), stream.bound.absolute)
