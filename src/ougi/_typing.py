"""Names of the array types used in annotations."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Singles: TypeAlias = npt.NDArray[np.float32]
Words: TypeAlias = npt.NDArray[np.uint32]
Bools: TypeAlias = npt.NDArray[np.bool_]
Strings: TypeAlias = npt.NDArray[np.str_]
ArrayLike: TypeAlias = npt.ArrayLike
Index: TypeAlias = Any  # whatever NumPy accepts between square brackets
