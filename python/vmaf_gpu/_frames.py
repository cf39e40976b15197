# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Frames as users have them, and what the engine has to know of them: where the samples lie.

Nothing is copied here but RGB, which is converted. Needs no numpy: arrays come by DLPack, by
``__cuda_array_interface__`` or by the buffer protocol.
"""
from __future__ import annotations

import ctypes
import errno
import math
import sys
from typing import Any, NamedTuple, Optional, Sequence

from ._errors import InvalidArgument

# DLPack's numbers of kinds of memory.
_CPU, _CUDA, _CUDA_HOST, _ROCM, _ROCM_HOST, _CUDA_MANAGED = 1, 2, 3, 10, 11, 13
_HOST = {_CPU, _CUDA_HOST, _ROCM_HOST}
_BACKEND = {_CUDA: "cuda", _CUDA_MANAGED: "cuda", _ROCM: "hip"}
_UNSIGNED = 1
_UNUSED, _USED = b"dltensor", b"used_dltensor"
_FULL_READ_ONLY = 0x11c  # PyBUF_FULL_RO
_Buffer = ctypes.c_void_p * 16  # no less than a Py_buffer, which begins with the address
_OTHER_ORDER = ">" if sys.byteorder == "little" else "<"
# Not ctypes.pythonapi itself: what another package sets for its functions is not for these.
_PYTHON = ctypes.PyDLL(None, handle=ctypes.pythonapi._handle)
_PYTHON.PyCapsule_GetPointer.restype = ctypes.c_void_p

#: (Kr, Kb) in 1/10000, from ITU-R BT.601-7, BT.709-6 and BT.2020-2.
MATRICES = {"bt601": (2990, 1140), "bt709": (2126, 722), "bt2020": (2627, 593)}


class FrameTypeError(InvalidArgument, TypeError):
    """A frame is not made of arrays of the right type."""


class Array(NamedTuple):
    """An array's memory. Sizes and strides as in numpy; strides are in bytes."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    bits: int
    device: Optional[tuple[str, int]]  # ("cuda", 0); None: the host
    owner: object


class Picture(NamedTuple):
    """A plane's samples: where they are, and how far apart."""

    depth: int
    shift: int
    is_device: bool
    planes: tuple[tuple[int, int, int], ...]  # address, bytes to the next row, to the next sample
    owner: object


class Format(NamedTuple):
    """What the frames of one side of a Scorer have to be."""

    width: int
    height: int
    chroma: str
    depth: int
    shift: int
    needs_chroma: bool
    matrix: Optional[tuple[int, int, bool]]
    backend: str
    ordinal: int  # the device's number; -1: any
    stream: int


def plane_size(form: Any, plane: int) -> tuple[int, int]:
    """(rows, columns) of what has width, height and chroma."""
    across = 2 if plane and form.chroma in ("420", "422") else 1
    down = 2 if plane and form.chroma == "420" else 1
    return (form.height + down - 1) // down, (form.width + across - 1) // across


class _Tensor(ctypes.Structure):
    """DLManagedTensor of DLPack."""

    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("ordinal", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                ("deleter", ctypes.PYFUNCTYPE(None, ctypes.c_void_p))]


class _Taken:
    """What was in a capsule of DLPack, which is ours to delete."""

    def __init__(self, capsule: Any) -> None:
        held = ctypes.py_object(capsule)
        tensor = _Tensor.from_address(_PYTHON.PyCapsule_GetPointer(held, _UNUSED))
        _PYTHON.PyCapsule_SetName(held, _USED)
        self.tensor = tensor  # from here on: Ctrl-C before must not delete what the capsule deletes

    def __del__(self) -> None:
        if hasattr(self, "tensor") and self.tensor.deleter:
            self.tensor.deleter(ctypes.addressof(self.tensor))


def _from_dlpack(capsule: Any, device: Optional[tuple[str, int]], owner: Any, what: str) -> Array:
    try:
        taken = _Taken(capsule)
    except ValueError as error:
        raise FrameTypeError(f"{what} is {_name(owner)} whose __dlpack__() gives no tensor: {error}") from None
    tensor = taken.tensor
    if tensor.code != _UNSIGNED or tensor.lanes != 1:
        raise FrameTypeError(f"{what} does not have unsigned integers: uint8 or uint16 is needed")
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = _adjacent(shape, 1) if not tensor.strides else tuple(tensor.strides[:tensor.ndim])
    return Array((tensor.data or 0) + tensor.offset, shape, tuple(step * tensor.bits // 8 for step in strides), tensor.bits,
                 device, (taken, owner))


def _adjacent(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    """Strides of an array without gaps."""
    return tuple(step * math.prod(shape[i + 1:]) for i in range(len(shape)))


def _from_host(value: Any, what: str) -> Array:
    try:
        view = memoryview(value)
    except (TypeError, ValueError, BufferError):
        if hasattr(value, "__dlpack__"):
            return _from_dlpack(value.__dlpack__(), None, value, what)
        view = None
    if view is None or view.format[:1] == _OTHER_ORDER or view.suboffsets:
        raise FrameTypeError(
            f"{what} is {_name(value)}; an array is needed, such as numpy's, torch's or cupy's, whose "
            "samples are unsigned integers in this machine's byte order")
    if view.format.lstrip("@=<>") not in tuple("BHILQ"):
        raise FrameTypeError(f"{what} does not have unsigned integers: uint8 or uint16 is needed")
    raw = _Buffer()
    try:
        _PYTHON.PyObject_GetBuffer(ctypes.py_object(view), raw, _FULL_READ_ONLY)
        address = raw[0] or 0
    finally:
        _PYTHON.PyBuffer_Release(raw)
    return Array(address, view.shape, view.strides, 8 * view.itemsize, None, (view, value))


def _name(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiouAEIOU' else 'a'} {name}"


def _from_cuda_interface(value: Any, backend: str, stream: int, what: str) -> Array:
    """https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html, versions 2 and 3."""
    found = value.__cuda_array_interface__
    if not isinstance(found, dict) or not {"shape", "typestr", "data"} <= found.keys():
        raise FrameTypeError(f"{what}: __cuda_array_interface__ lacks shape, typestr or data")
    typestr = found["typestr"]
    if typestr not in ("|u1", "<u1", "<u2"):
        raise FrameTypeError(f"{what} has the type {typestr}: uint8 or uint16 is needed")
    if found.get("mask") is not None:
        raise FrameTypeError(f"{what} has a mask, which is not supported")
    own = found.get("stream")
    # 1 is the default stream's name there; it needs none here. None: nothing to wait for.
    if own is not None and int(own) != (stream or 1):
        raise InvalidArgument(f"{what} is written by stream {int(own)}, but the Scorer waits for "
                              f"{stream or 'the default stream'}: open it with stream={int(own)}")
    shape = tuple(int(size) for size in found["shape"])
    bits = 8 * int(typestr[2])
    strides = found.get("strides")
    if strides is None:
        strides = _adjacent(shape, bits // 8)
    kind = "cuda" if backend != "hip" else "hip"
    return Array(int(found["data"][0]), shape, tuple(int(s) for s in strides), bits, (kind, -1), value)


def _refuse_mask(value: Any, what: str) -> None:
    """The buffer of a masked array has all samples: numpy would not say that some do not count."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(value, masked.MaskedArray) and value.mask is not masked.nomask:
        raise FrameTypeError(f"{what} has a mask, which is not supported: give an array without one, such as "
                             "its filled()")


def array_of(value: Any, backend: str = "cpu", stream: int = 0, what: str = "the array") -> Array:
    """Where an array lies. A device's array is made ready on `stream` by its own library."""
    _refuse_mask(value, what)
    if hasattr(value, "__dlpack_device__"):
        kind, ordinal = (int(number) for number in value.__dlpack_device__())
        if kind in _HOST:
            return _from_host(value, what)
        if kind not in _BACKEND:
            raise InvalidArgument(f"{what} is in memory of kind {kind} of DLPack; the host, CUDA and "
                                  "ROCm are supported")
        # The number of the default stream is 1 in CUDA and 0 in ROCm.
        ready = stream or (0 if kind == _ROCM else 1)
        return _from_dlpack(value.__dlpack__(stream=ready), (_BACKEND[kind], ordinal), value, what)
    if hasattr(value, "__cuda_array_interface__"):
        return _from_cuda_interface(value, backend, stream, what)
    return _from_host(value, what)


def _check_device(array: Array, form: Format, what: str) -> None:
    if array.device is None or form.backend == "emu":
        return
    kind, ordinal = array.device
    if kind != form.backend:
        raise InvalidArgument(f"{what} is in memory of {kind}, but the Scorer runs on {form.backend}: "
                              f"open it with device=\"{kind}\", or copy the frame to the host")
    if ordinal >= 0 and form.ordinal >= 0 and ordinal != form.ordinal:
        raise InvalidArgument(f"{what} is on device {kind}:{ordinal}, but the Scorer runs on "
                              f"{kind}:{form.ordinal}: open it with device=\"{kind}:{ordinal}\"")


def _check_type(array: Array, form: Format, what: str) -> None:
    bits = 8 if form.depth == 8 else 16
    if array.bits != bits:
        raise FrameTypeError(f"{what} has samples of {array.bits} bits: uint{bits} is needed for "
                             f"depth {form.depth}")


def _plane(array: Array, size: tuple[int, int], what: str) -> tuple[int, int, int]:
    """(address, pitch, step) of a 2-D array."""
    if array.shape != size:
        raise InvalidArgument(f"{what} has the shape {array.shape}: {size} is needed, rows and columns")
    pitch, step = array.strides
    sample = array.bits // 8
    # A stride means nothing where there is one row or column.
    step = sample if size[1] == 1 else step
    row = step * (size[1] - 1) + sample
    pitch = row if size[0] == 1 else pitch
    if not sample <= step < 1 << 31 or abs(pitch) < row:
        raise InvalidArgument(
            f"{what} has the strides {array.strides}: rows may be anywhere, also in reverse order, if "
            "they do not overlap, and samples have to go from left to right; copy it, as with "
            "numpy.ascontiguousarray()")
    return array.address, pitch, step


def _two_in_one(array: Array, size: tuple[int, int], what: str) -> list[Array]:
    """Cb and Cr of the second plane of NV12: (rows, columns, 2), or (rows, 2 * columns)."""
    sample = array.bits // 8
    if array.shape == (size[0], 2 * size[1]):
        pair = array._replace(shape=(*size, 2), strides=(array.strides[0], 2 * array.strides[1],
                                                          array.strides[1]))
    elif array.shape == (*size, 2):
        pair = array
    else:
        raise InvalidArgument(f"{what} has the shape {array.shape}: {(*size, 2)} or "
                              f"{(size[0], 2 * size[1])} is needed")
    if pair.strides[2] < sample:
        raise InvalidArgument(f"{what} has the strides {array.strides}: Cb has to come before Cr")
    return [pair._replace(address=pair.address + i * pair.strides[2], shape=size,
                          strides=pair.strides[:2]) for i in (0, 1)]


def _planes(arrays: Sequence[Array], form: Format, what: str) -> list[tuple[int, int, int]]:
    if len(arrays) == 2:
        chroma = _two_in_one(arrays[1], plane_size(form, 1), f"the second plane of {what}")
        arrays = [arrays[0], *chroma]
    names = ("the luma plane", "the Cb plane", "the Cr plane")
    return [_plane(array, plane_size(form, i), f"{names[i]} of {what}")
            for i, array in enumerate(arrays)]


def _convert(array: Array, form: Format, what: str) -> Picture:
    from . import _native

    if form.matrix is None:
        raise InvalidArgument(f"{what} has three dimensions, so it is RGB: open the Scorer with matrix= "
                              f"one of {', '.join(MATRICES)}")
    if array.device is not None:
        raise InvalidArgument(f"{what} is RGB in the memory of a device: only RGB on the host is "
                              "converted; copy it there, or give planes")
    if array.shape != (form.height, form.width, 3):
        raise InvalidArgument(f"{what} has the shape {array.shape}: {(form.height, form.width, 3)} is "
                              "needed for RGB")
    if form.needs_chroma and form.chroma != "444":
        raise InvalidArgument(f"{what} is RGB, and a feature reads chroma: open the Scorer with "
                              "chroma=\"444\"")
    red, blue, is_full_range = form.matrix
    row, column, channel = array.strides
    rgb = _native.make("PythonRgb", data=array.address, row=row, column=column, channel=channel, width=form.width,
                       height=form.height, depth=form.depth, red=red, blue=blue, is_full_range=int(is_full_range))
    sample = array.bits // 8
    planes = []
    for plane in range(3 if form.needs_chroma else 1):
        memory = (ctypes.c_char * (form.width * form.height * sample))()
        largest = _native.lib.vmafgpu_python_plane(ctypes.byref(rgb), plane, memory)
        if largest >> form.depth:
            raise InvalidArgument(f"an RGB sample is {largest}, but {form.depth} bits hold 0 to {(1 << form.depth) - 1}",
                                  errno.EINVAL)
        planes.append(memory)
    return Picture(form.depth, 0, False,
                   tuple((ctypes.addressof(memory), form.width * sample, sample) for memory in planes), planes)


def picture_of(frame: Any, form: Format, what: str) -> Picture:
    """Describe a frame: an array of luma or RGB, or (y, u, v), (y, uv) or (y,)."""
    parts = list(frame) if isinstance(frame, (tuple, list)) else [frame]
    if not 1 <= len(parts) <= 3:
        raise InvalidArgument(f"{what} has {len(parts)} planes: (y, u, v), (y, uv) or y is allowed")
    arrays = [array_of(part, form.backend, form.stream, what) for part in parts]
    for array in arrays:
        _check_type(array, form, what)
        _check_device(array, form, what)
    if len(parts) == 1 and len(arrays[0].shape) == 3:
        return _convert(arrays[0], form, what)
    if len({array.device is None for array in arrays}) > 1:
        raise InvalidArgument(f"{what} has planes on the host and on a device: all have to be on one")
    if len(parts) > 1 and form.chroma == "400":
        raise InvalidArgument(f"{what} has {len(parts)} planes, but the Scorer has chroma=\"400\": "
                              "give luma alone")
    planes = _planes(arrays, form, what)
    if form.needs_chroma and len(planes) == 1:
        raise InvalidArgument(f"{what} has luma only, but a feature reads chroma: give (y, u, v) or "
                              "(y, uv)")
    return Picture(form.depth, form.shift, arrays[0].device is not None, tuple(planes), arrays)
