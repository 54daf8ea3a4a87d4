"""What can be compressed: layouts, byte orders, buffers and the protocols of other libraries."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import dask.array
import numpy as np
import numpy.typing as npt
import pytest
from conftest import smooth

import fsz_codec
from fsz_codec.numcodecs import Fsz

Array = npt.NDArray[Any]


def bytes_of(field: Any) -> bytes:
    return fsz_codec.compress(field, range=1e-3).to_bytes()


def test_strides_and_byte_orders(field: Array) -> None:
    plain = bytes_of(field)
    wide = np.zeros((*field.shape[:-1], 2 * field.shape[-1]), field.dtype)
    wide[..., ::2] = field
    unaligned = np.zeros(field.nbytes + 1, np.uint8)[1:].view(field.dtype).reshape(field.shape)
    unaligned[...] = field
    assert not unaligned.flags.aligned
    for same in (
        np.asfortranarray(field),
        wide[..., ::2],
        field[::-1, :, ::-1].copy()[::-1, :, ::-1],
        field.astype(field.dtype.newbyteorder(">")),
        field.astype(field.dtype.newbyteorder("<")),
        unaligned,
        np.broadcast_to(field[None], (1, *field.shape))[0],
        field.T.copy().T,
    ):
        assert np.array_equal(same, field)
        assert bytes_of(same) == plain
    read_only = field.copy()
    read_only.flags.writeable = False
    assert bytes_of(read_only) == plain


def test_buffers() -> None:
    field = smooth((1000,))
    plain = bytes_of(field)
    assert bytes_of(array.array("f", field.tolist())) == plain
    assert bytes_of(memoryview(field)) == plain
    assert bytes_of((ctypes.c_float * 1000)(*field.tolist())) == plain
    assert bytes_of(field.tolist()) == bytes_of(field.astype(np.float64))


class Tensor:
    """An array that knows nothing but DLPack."""

    def __init__(self, field: Array, device: tuple[int, int] = (1, 0)) -> None:
        self.field = field
        self.device = device
        self.streams: list[Any] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: Any) -> Any:
        return self.field.__dlpack__(**options)


def test_dlpack(field: Array) -> None:
    assert bytes_of(Tensor(field)) == bytes_of(field)
    assert bytes_of(Tensor(field[:, ::2])) == bytes_of(field[:, ::2])


def test_other_devices_are_refused(field: Array) -> None:
    with pytest.raises(fsz_codec.UnsupportedError, match="device type 10"):
        bytes_of(Tensor(field, (10, 0)))


def test_torch(field: Array) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert bytes_of(torch.from_numpy(field)) == bytes_of(field)


@pytest.mark.parametrize("dtype", ["f2", "g", "i4", "u1", "c8", "?", "M8[s]", "O", "U3"])
def test_other_types_are_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match="float32 and float64"):
        bytes_of(np.zeros(3, dtype))


class Variable:
    """A variable of netCDF4, which gives a masked array."""

    def __init__(self, values: Array) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.values


def test_masked_arrays_are_refused(field: Array) -> None:
    masked = np.ma.masked_greater(field, 200)
    chunked = dask.array.from_array(masked, chunks=(4, 50, 70))
    for one in (masked, Variable(masked), chunked):
        with pytest.raises(TypeError, match="filled"):
            bytes_of(one)
    assert bytes_of(dask.array.ma.filled(chunked, 0)) == bytes_of(masked.filled(0))
    for parts in ([masked, masked], (field, masked), [1.0, np.ma.masked]):
        with pytest.raises(TypeError, match=r"of masked arrays: .* np\.ma\.stack"):
            bytes_of(parts)
    with pytest.raises(fsz_codec.InvalidArgumentError, match=r"filled\(False\)"):
        fsz_codec.compress(field, range=1e-3, regions=[(Variable(masked > 150), 1e-4)])
    assert bytes_of(Variable(field)) == bytes_of([*field]) == bytes_of(field)


@pytest.mark.parametrize("mask", [np.ma.nomask, False])
def test_masked_arrays_without_a_masked_value_are_arrays(field: Array, mask: Any) -> None:
    # As netCDF4 gives them.
    masked = np.ma.array(field, mask=mask)
    chunked = dask.array.from_array(masked, chunks=(4, 50, 70))
    plain = bytes_of(field)
    for one in (masked, Variable(masked), chunked, [*masked], Variable(masked.astype(field.dtype.newbyteorder()))):
        assert bytes_of(one) == plain
    assert Fsz(range=1e-3).encode(masked) == plain
    region = np.ma.array(field > 150, mask=mask)
    limited = fsz_codec.compress(masked, range=1e-3, regions=[(region, 1e-4)])
    assert limited == fsz_codec.compress(field, range=1e-3, regions=[(field > 150, 1e-4)])


# A device array whose memory is none: what can be told without a device.


class Capsule(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    ]


class CudaTensor:
    """Says that host memory is CUDA's."""

    def __init__(self, field: Array, *, bits: int | None = None, strides: tuple[int, ...] | None = None) -> None:
        self.deleted = 0
        self.stream: Any = None
        self.shape = (ctypes.c_int64 * field.ndim)(*field.shape)
        self.strides = None if strides is None else (ctypes.c_int64 * field.ndim)(*strides)
        kind = type(Capsule().deleter)
        self.raw = Capsule(
            field.ctypes.data, 2, 0, field.ndim, 2, bits or 8 * field.itemsize, 1,
            self.shape, self.strides, 0, None, kind(self.delete),
        )

    def delete(self, _: Any) -> None:
        self.deleted += 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)

    def __dlpack__(self, *, stream: Any = None) -> Any:
        self.stream = stream
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.raw), b"dltensor", None)


def test_cuda_capsules_are_read_and_given_back(field: Array) -> None:
    tensor = CudaTensor(field)
    with pytest.raises(fsz_codec.FszError, match="CUDA driver"):
        bytes_of(tensor)
    assert tensor.stream == 1
    assert tensor.deleted == 1
    for wrong, error, why in (
        (CudaTensor(field, bits=16), TypeError, "float32 or float64"),
        (CudaTensor(field, strides=(1, 11, 550)), fsz_codec.InvalidArgumentError, "C order"),
    ):
        with pytest.raises(error, match=why):
            bytes_of(wrong)
        assert wrong.deleted == 1


class HostTensor(CudaTensor):
    """Host memory that is called so."""

    def __init__(self, field: Array) -> None:
        super().__init__(field)
        self.raw.device_type = 1

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        return super().__dlpack__(stream=stream)


def test_types_that_numpy_has_not_are_refused(field: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    assert bytes_of(HostTensor(field)) == bytes_of(field)
    bfloat16 = HostTensor(field)
    bfloat16.raw.code, bfloat16.raw.bits = 4, 16
    with pytest.raises(TypeError, match="float32 and float64; convert the array first"):
        bytes_of(bfloat16)

    def as_numpy_2_5(_: Any) -> None:
        raise BufferError("Unsupported dtype in DLTensor.")

    monkeypatch.setattr(np, "from_dlpack", as_numpy_2_5)
    with pytest.raises(TypeError, match="float32 and float64; convert the array first"):
        bytes_of(bfloat16)


def test_empty_cuda_arrays_are_nowhere() -> None:
    empty = np.zeros((3, 0), np.float32)
    assert bytes_of(CudaTensor(empty)) == bytes_of(empty)


class Interface:
    """An array that knows nothing but the CUDA array interface."""

    def __init__(self, **facts: Any) -> None:
        self.__cuda_array_interface__ = {"version": 3, "shape": (4, 5), "typestr": "<f4", **facts}


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"typestr": "<i4"}, "float32 and float64"),
        ({"typestr": ">f4"}, "float32 and float64"),
        ({"strides": (4, 16)}, "C order"),
        ({"mask": object()}, "masked"),
        ({}, "CUDA driver"),
        ({"strides": (20, 4)}, "CUDA driver"),
    ],
)
def test_cuda_array_interface(facts: dict[str, Any], why: str) -> None:
    memory = np.zeros((4, 5), np.float32)
    with pytest.raises((TypeError, fsz_codec.FszError), match=why):
        bytes_of(Interface(data=(memory.ctypes.data, False), **facts))
