"""FSZ in HDF5 and netCDF-4 files.

    with h5py.File("T.h5", "w") as file:
        file.create_dataset("T", data=field, **fsz_codec.hdf5(range=1e-3))

The module can be called like its function :func:`hdf5`. A reader needs only the library:
`HDF5_PLUGIN_PATH` names its folder, or :func:`register` is called once. `h5repack` and `nccopy`
here give what the tools of these names take.

The number of the filter is a testing number until the HDF Group has assigned one: do not write
files for archives yet.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.abc
import math
import os
import sys
import types
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsFloat, TypedDict

if TYPE_CHECKING:
    from typing import Unpack

__all__ = [
    "Hdf5Options",
    "Options",
    "compress_chunk",
    "h5repack",
    "hdf5",
    "nccopy",
    "netcdf4",
    "plugin",
    "register",
]

_NAME = "libfsz_hdf5.dylib" if sys.platform == "darwin" else "libfsz_hdf5.so"
_MAX_CD_VALUES = 64

# What netCDF4 calls the filters that change the bytes of a chunk.
_BEFORE = ("shuffle", "zlib", "szip", "zstd", "bzip2", "blosc", "fletcher32")

# Modules that link an HDF5 library, their own or the system's.
_USERS_OF_HDF5 = ("h5py.h5", "netCDF4._netCDF4")


class Options(TypedDict, total=False):
    """What :func:`hdf5` takes."""

    absolute: SupportsFloat | None
    range: SupportsFloat | None
    relative: SupportsFloat | None
    floor: SupportsFloat | None
    value_range: Iterable[SupportsFloat] | None
    missing: SupportsFloat | Iterable[SupportsFloat] | None
    profile: str


class Hdf5Options(TypedDict):
    """Keyword arguments of ``h5py``'s ``create_dataset`` and of ``xarray``'s ``encoding``."""

    compression: int
    compression_opts: tuple[int, ...]


def hdf5(
    *,
    absolute: SupportsFloat | None = None,
    range: SupportsFloat | None = None,
    relative: SupportsFloat | None = None,
    floor: SupportsFloat | None = None,
    value_range: Iterable[SupportsFloat] | None = None,
    missing: SupportsFloat | Iterable[SupportsFloat] | None = (),
    profile: str = "paper",
) -> Hdf5Options:
    """The keyword arguments with which h5py, h5netcdf and xarray write through FSZ.

    One of ``absolute``, ``range`` and ``relative`` is needed.

    absolute: largest error of any value, in the field's unit.
    range: largest error as a share of max - min of each chunk.
    relative: largest error as a share of each value, at most 0.5.
    floor: with ``relative``, an error that is small enough for any value, in the field's unit.
    value_range: (minimum, maximum) to take instead of each chunk's: one bound for all chunks.
    missing: up to 4 values to keep exactly. A dataset's own fill value is always kept exactly.
    profile: "paper", the fastest, or "dense", about half the bytes.

    Raises ValueError for options out of range, and FileNotFoundError without the library.
    """
    register()
    single = {"absolute": absolute, "range": range, "relative": relative, "floor": floor}
    numbers = {
        **{name: [] if n is None else [_number(name, n)] for name, n in single.items()},
        "value_range": _numbers("value_range", value_range),
        "missing": _numbers("missing", missing),
    }
    # It goes into the text that the library reads, so nothing else may stand in it.
    if profile not in ("paper", "dense"):
        raise ValueError(f"profile {profile!r} is not paper or dense")
    words = _cd_values(numbers, profile)
    return {"compression": _library().fsz_hdf5_filter_id(), "compression_opts": words}


def netcdf4(variable: Any, **options: Unpack[Options]) -> None:
    """Lets a ``netCDF4.Variable`` that has just been created be written through FSZ.

    The options are those of :func:`hdf5`. Raises ValueError for a variable of another type than
    f4 and f8, without dimensions, with other filters or in a file of another format than NETCDF4,
    and RuntimeError when netCDF refuses, as it does once values have been written.
    """
    module = importlib.import_module("netCDF4._netCDF4")
    if not isinstance(variable, module.Variable):
        given = type(variable).__name__
        raise TypeError(f"a netCDF4.Variable is needed, as createVariable gives it, not {given}")
    kind, size = (getattr(variable.dtype, name, None) for name in ("kind", "itemsize"))
    if kind != "f" or size not in (4, 8):
        raise ValueError(f"{variable.name} is {variable.dtype}: FSZ compresses f4 and f8")
    if (model := variable.group().data_model) != "NETCDF4":
        # It ends the definition of a variable of the classic model as it creates it.
        raise ValueError(
            f"{variable.name} is in a file of format {model}, in which netCDF4 sets no filter: "
            "use format='NETCDF4', or compress the file with nccopy when it is written"
        )
    if not variable.dimensions:
        raise ValueError(f"{variable.name} has no dimensions: netCDF stores it without filters")
    # netCDF finds out when it writes, and says "HDF error".
    on = variable.filters() or {}
    if others := ", ".join(name for name in _BEFORE if on.get(name)):
        raise ValueError(
            f"{variable.name} has {others}, which would stand before FSZ and spoil the values: "
            "create the variable without"
        )
    arguments = hdf5(**options)
    words = arguments["compression_opts"]
    netcdf = ctypes.CDLL(str(module.__file__))
    values = (ctypes.c_uint * len(words))(*words)
    status = netcdf.nc_def_var_filter(
        ctypes.c_int(variable._grpid),
        ctypes.c_int(variable._varid),
        ctypes.c_uint(arguments["compression"]),
        ctypes.c_size_t(len(words)),
        values,
    )
    if status != 0:
        netcdf.nc_strerror.restype = ctypes.c_char_p
        reason = netcdf.nc_strerror(ctypes.c_int(status)).decode()
        raise RuntimeError(
            f"netCDF does not filter {variable.name}: {reason}; call netcdf4 right after createVariable"
        )


def h5repack(**options: Unpack[Options]) -> str:
    """What follows ``h5repack -f``, behind a dataset's name and a colon where not all are meant."""
    arguments = hdf5(**options)
    words = arguments["compression_opts"]
    # 0: mandatory, so that HDF5 never stores a chunk uncompressed.
    return ",".join(map(str, [f"UD={arguments['compression']}", 0, len(words), *words]))


def nccopy(**options: Unpack[Options]) -> str:
    """What follows ``nccopy -F``, behind a variable's name and a comma."""
    arguments = hdf5(**options)
    return ",".join(map(str, [arguments["compression"], *arguments["compression_opts"]]))


def compress_chunk(dataset: Any, values: Any) -> bytes:
    """One chunk of an h5py dataset, compressed: for ``dataset.id.write_direct_chunk``.

    values: a whole chunk in C order, of the dataset's type in this machine's byte order. A CUDA
    array (cupy, torch) is compressed on its device.

    Raises ValueError for values of another shape or type, or when they cannot be compressed, and
    for a dataset that has another filter behind FSZ.
    """
    library = _library()
    if not hasattr(dataset, "chunks"):
        raise TypeError(f"an h5py.Dataset is needed, not {type(dataset).__name__}")
    created = dataset.id.get_create_plist()
    number = library.fsz_hdf5_filter_id()
    found = created.get_filter_by_id(number)
    if found is None:
        raise ValueError(f"{dataset.name} is not compressed by FSZ: create it with **hdf5(...)")
    words = found[1]
    # None stands before FSZ, which would refuse the dataset.
    behind = [created.get_filter(place) for place in range(created.get_nfilters())]
    names = [name.decode() for code, _, _, name in behind if code != number]
    if names:
        raise ValueError(
            f"{dataset.name} has {', '.join(names)} behind FSZ, which write_direct_chunk leaves out: "
            "nobody could read the chunk; create the dataset without"
        )
    # numpy would give what lies under the mask.
    if hasattr(values, "filled") and values.mask.any():
        raise ValueError("a masked array: pass values.filled(value), as with the fill value")
    array = getattr(values, "__cuda_array_interface__", None)
    if array is None:
        array = getattr(values, "__array_interface__", None)
    if array is None:
        raise ValueError(f"values of {type(values).__name__}: a numpy or CUDA array is needed")
    wanted = (tuple(dataset.chunks), dataset.dtype.newbyteorder("=").str)
    if (tuple(array["shape"]), array["typestr"]) != wanted:
        raise ValueError(
            f"a chunk of {array['shape']} {array['typestr']} for chunks of {wanted[0]} {wanted[1]}"
        )
    if array.get("strides") is not None:
        raise ValueError("the values of a chunk must be in C order, without gaps")
    cd_values = (ctypes.c_uint * len(words))(*words)
    room = library.fsz_hdf5_max_chunk_size(cd_values, len(words))
    out = ctypes.create_string_buffer(room)
    length = library.fsz_hdf5_compress_chunk(
        cd_values, len(words), ctypes.c_void_p(array["data"][0]), out, room
    )
    if length == 0:
        raise ValueError(_message())
    return out.raw[:length]


def plugin() -> Path:
    """Where the library lies: beside this file, else in a folder of ``HDF5_PLUGIN_PATH``.

    Raises FileNotFoundError.
    """
    named = os.environ.get("HDF5_PLUGIN_PATH", "").split(os.pathsep)
    folders = [Path(__file__).parent / "plugins", *(Path(folder) for folder in named if folder)]
    for folder in folders:
        if (folder / _NAME).is_file():
            return folder / _NAME
    raise FileNotFoundError(f"no {_NAME}: set HDF5_PLUGIN_PATH to its folder")


def register() -> None:
    """Lets the HDF5 libraries of h5py and netCDF4 find the library, whether these are imported
    already or later.

    Not needed where ``HDF5_PLUGIN_PATH`` names its folder. Raises FileNotFoundError.
    """
    folder = str(plugin().parent)
    if not any(isinstance(finder, _Later) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Later())
    for name in _USERS_OF_HDF5:
        module = sys.modules.get(name)
        if module is not None:
            _tell(str(module.__file__), folder)


class _Later(importlib.abc.MetaPathFinder):
    """Registers the library with the users of HDF5 that are imported later.

    Programs import them late: h5netcdf imports h5py when it opens a file.
    """

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname not in _USERS_OF_HDF5:
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                loaded = spec.loader.exec_module

                def load(module: types.ModuleType) -> None:
                    loaded(module)
                    register()

                spec.loader.exec_module = load  # type: ignore[method-assign]
                return spec
        return None


@functools.cache
def _tell(user: str, folder: str) -> None:
    # A search in a module finds the functions of the HDF5 that it links, whatever its name is.
    if ctypes.CDLL(user).H5PLprepend(os.fsencode(folder)) < 0:
        raise RuntimeError(f"HDF5 does not take the plugin folder {folder}")


@functools.cache
def _load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    words, size = ctypes.POINTER(ctypes.c_uint), ctypes.c_size_t
    library.fsz_hdf5_cd_values.argtypes = [ctypes.c_char_p, words, ctypes.POINTER(size)]
    library.fsz_hdf5_max_chunk_size.argtypes = [words, size]
    library.fsz_hdf5_max_chunk_size.restype = size
    library.fsz_hdf5_compress_chunk.argtypes = [
        words,
        size,
        ctypes.c_void_p,
        ctypes.c_char_p,
        size,
    ]
    library.fsz_hdf5_compress_chunk.restype = size
    library.fsz_hdf5_message.restype = ctypes.c_char_p
    return library


def _library() -> ctypes.CDLL:
    return _load(plugin())


def _message() -> str:
    return str(_library().fsz_hdf5_message().decode())


def as_number(value: object) -> float | None:
    """A number of any kind, those of numpy too; None for what is none, such as True and text."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        if hasattr(value, "filled") and getattr(value, "mask", False):
            return None  # item would give what lies under the mask
        value = value.item()
    if not isinstance(value, Real) or isinstance(value, bool):
        return None
    number: Any = value  # an order is not among what the types of Real tell
    try:
        return float(number)
    except OverflowError:  # integers and fractions of Python have no largest one
        return math.inf if number > 0 else -math.inf


def _number(name: str, value: object) -> float:
    number = as_number(value)
    if number is None:
        raise ValueError(f"{name}={value!r}: a number is needed")
    return number


def _numbers(name: str, given: Any) -> list[float]:
    """None, one or several, as a list."""
    if given is None:
        return []
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
    one = not several or getattr(given, "shape", None) == ()
    return [_number(name, value) for value in ([given] if one else given)]


def _cd_values(numbers: dict[str, list[float]], profile: str) -> tuple[int, ...]:
    # repr: the shortest text that reads back as the same number.
    words = [
        f"{name}={','.join(repr(float(value)) for value in values)}"
        for name, values in numbers.items()
        if values
    ]
    text = " ".join([*words, f"profile={profile}"])
    cd_values = (ctypes.c_uint * _MAX_CD_VALUES)()
    count = ctypes.c_size_t(_MAX_CD_VALUES)
    if _library().fsz_hdf5_cd_values(text.encode(), cd_values, ctypes.byref(count)) != 0:
        raise ValueError(_message())
    return tuple(cd_values[: count.value])


class _Callable(types.ModuleType):
    """Of this module. Module and function have one name in the package, and both are found by it:
    ``fsz_codec.hdf5(range=1e-3)`` and ``fsz_codec.hdf5.register()``."""

    __call__ = staticmethod(hdf5)

    # To those who check types, a module has the names of its class.
    Hdf5Options = Hdf5Options
    Options = Options
    compress_chunk = staticmethod(compress_chunk)
    h5repack = staticmethod(h5repack)
    hdf5 = staticmethod(hdf5)
    nccopy = staticmethod(nccopy)
    netcdf4 = staticmethod(netcdf4)
    plugin = staticmethod(plugin)
    register = staticmethod(register)


if TYPE_CHECKING:
    module: _Callable
else:
    sys.modules[__name__].__class__ = _Callable
