"""First contacts of one body and one target at rest, without the steps that batches need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ougi import _check
from ougi._typing import DynamicBatch
from ougi.errors import UnsupportedPairError
from ougi.impact.embed import columns_in_space, screws_in_space
from ougi.impact.kernels import loops_of_one_mover
from ougi.impact.tables import LAYOUTS, find
from ougi.motion import Chain, Motion
from ougi.results import FirstContacts, Status
from ougi.shapes import Sector3d, Shape


class _Loop(NamedTuple):
    """The loop of two classes; `sense` is -1 if its moving body is the target."""

    listed: Callable[..., None]
    sense: float
    dimension: int


_FIRST = _check.frozen(np.zeros(1, np.int64))
_PAIR = _check.frozen(np.zeros((1, 2), np.int64))


@functools.cache
def _find_loop(shape: type[Shape], motion: type[Motion], target: type[Shape]) -> _Loop | None:
    """The loop for three classes. None if they need more than one loop: chains, points, sectors, meshes."""
    known = all(cls in LAYOUTS and cls is not Sector3d for cls in (shape, target))
    if not known or not issubclass(motion, Motion) or issubclass(motion, Chain):
        return None
    if motion.dimension != shape.dimension:
        return None
    try:
        kernel, swapped = find(shape, target)
    except UnsupportedPairError:
        return None
    return _Loop(loops_of_one_mover(kernel).listed, -1.0 if swapped else 1.0, shape.dimension)


def find_single_contact(
    shape: DynamicBatch, motion: DynamicBatch, target: DynamicBatch, tol: float
) -> FirstContacts | None:
    """The first contact of single operands. None for all others, and where a point or normal is missing."""
    found = _find_loop(type(shape), type(motion), type(target))  # type: ignore[arg-type]
    if found is None or shape._shape or motion._shape or target._shape:
        return None
    if type(tol) is not float or not 0.0 < tol <= _check.MAX_LENGTH:
        return None
    listed, sense, dimension = found
    first, second = (target, shape) if sense < 0 else (shape, target)
    out = np.empty((8, 1))
    mover = columns_in_space(first), screws_in_space(motion), _FIRST, _FIRST, tol, 0.0, sense
    listed(mover, columns_in_space(second), _PAIR, 0, out, 0, 1)
    row = out.ravel()
    numbers = row.tolist()
    status, direction = int(numbers[0]), numbers[5 : 5 + dimension]
    normal = row[5 : 5 + dimension]
    if 0.0 in direction:
        normal += 0.0  # no -0.0 in normals
    if status == _OVERLAPPING or (status == _HIT and dimension == 2 and max(map(abs, direction)) < 0.5):
        return None
    contacts = FirstContacts.__new__(FirstContacts)  # the constructor of a frozen class takes 0.8 us
    code, hit = _CODES[status]
    vars(contacts).update(status=code, hit=hit, t=row[1], point=row[2 : 2 + dimension], normal=normal)
    return contacts


_HIT, _OVERLAPPING = int(Status.HIT), int(Status.OVERLAPPING)
_CODES = [(np.int64(status), np.bool_(status == _HIT)) for status in range(len(Status))]
