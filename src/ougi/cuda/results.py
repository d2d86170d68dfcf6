"""Results whose arrays lie on a GPU."""

from __future__ import annotations

from typing import Generic, TypeVar

from ougi._typing import DeviceArray, Stream
from ougi.cuda.batches import OnDevice
from ougi.cuda.driver import as_stream, current_device, is_device_array, to_numpy
from ougi.results import Result

R = TypeVar("R", bound=Result)


class DeviceResult(OnDevice, Generic[R]):
    """A result on a GPU: the fields of the CPU's class, with the same dtypes and shapes, as device arrays.

    Attributes
    ----------
    kind
        The class that `to_host` returns, such as `ougi.FirstContacts`.
    device
        The number of the GPU.

    >>> import ougi, ougi.cuda
    >>> ball, motion = ougi.Sphere([0, 0, 0], 1), ougi.Translation3d([9, 0, 0])
    >>> target = ougi.Sphere([[5, 0, 0], [0, 7, 0]], 1)
    >>> found = ougi.cuda.time_of_impact(*map(ougi.cuda.put, (ball, motion, target)))
    >>> found
    <FirstContacts on device 0: status, hit, t, point, normal>
    >>> found.t.shape, found.to_host().hit.tolist()
    ((2,), [True, False])
    """

    def __init__(self, kind: type[R], shape: tuple[int, ...] | None = None, /, **arrays: DeviceArray) -> None:
        self.kind = kind
        self.device = current_device()
        self._shape = shape
        self._arrays = arrays

    def __getattr__(self, name: str) -> DeviceArray:
        if name.startswith("_") or name not in self._arrays:
            raise AttributeError(f"a {self.kind.__name__} on the GPU has no {name!r}")
        return self._arrays[name]

    @property
    def arrays(self) -> list[DeviceArray]:
        """The arrays, in the order of the fields."""
        return list(self._arrays.values())

    def to_host(self, stream: Stream = None) -> R:
        """Copy the result to the host; waits for it.

        Parameters
        ----------
        stream
            As in `ougi.cuda.intersects`.
        """
        on = as_stream(stream)
        found = self.kind(**{name: to_numpy(array, on)[()] for name, array in self._arrays.items()})
        single: R = found[0] if self._shape == () else found
        return single

    def __repr__(self) -> str:
        return f"<{self.kind.__name__} on device {self.device}: {', '.join(self._arrays)}>"


def require_result(out: DeviceResult[R], kind: type[R], verb: str) -> DeviceResult[R]:
    """Check the argument `out` of a query."""
    if not isinstance(out, DeviceResult) or out.kind is not kind or not is_device_array(out.arrays[0]):
        raise TypeError(f"out must be an earlier result of {verb} with result='device'")
    return out
