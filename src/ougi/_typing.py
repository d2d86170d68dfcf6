"""Names of the types used in annotations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Singles: TypeAlias = npt.NDArray[np.float32]
Words: TypeAlias = npt.NDArray[np.uint32]
Bools: TypeAlias = npt.NDArray[np.bool_]
Strings: TypeAlias = npt.NDArray[np.str_]
Array: TypeAlias = npt.NDArray[Any]  # of any dtype
ArrayLike: TypeAlias = npt.ArrayLike
DTypeLike: TypeAlias = npt.DTypeLike
FloatLike: TypeAlias = float | Floats  # one number, or one for each entry of a batch
Loop: TypeAlias = Callable[..., Any]  # a compiled loop, or a function that loops are made of

# Objects without a type of their own.
DynamicBatch: TypeAlias = Any  # a shape, motion or part of a query whose class is known at run time only
Index: TypeAlias = Any  # whatever NumPy accepts between square brackets
Record: TypeAlias = Any  # a record of `ougi.kernels.records`, or a tuple of records and columns
JsonValue: TypeAlias = Any  # a value of a JSON or TOML file: number, string, list or table
JsonObject: TypeAlias = dict[str, JsonValue]
Foreign: TypeAlias = Any  # an object of a library without types: matplotlib, viser, moderngl, llvmlite, ...
MeshLike: TypeAlias = Any  # vertices (..., 3), or an object with `vertices` and `faces`, as of trimesh
RotationLike: TypeAlias = Any  # matrices, quaternions (x, y, z, w), angles of the plane, or a scipy Rotation
DeviceArray: TypeAlias = Any  # an array on a GPU: of CuPy, PyTorch, JAX or Numba; inside `ougi.cuda` of Numba
Stream: TypeAlias = Any  # of Numba, CuPy or PyTorch; None or 0 is the default stream
