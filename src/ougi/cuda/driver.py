"""The only interface to numba-cuda: devices, compiled kernels, launches, memory and streams.

With NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1 numba-cuda's simulator runs the same code, slowly, without
a GPU.
"""

from __future__ import annotations

import functools
import math
import threading
import weakref
from collections.abc import Callable

import numba
import numpy as np
from numba import cuda

from ougi._native import Deferred
from ougi._native.cache import Locator, PrivateFiles, can_cache
from ougi._typing import Array, DeviceArray, DTypeLike, Foreign, Loop, Stream
from ougi.errors import DeviceError

# Threads of a block. More would leave kernels with many records short of registers.
THREADS = 128
# Blocks along x: enough to fill any GPU several times; each thread then works on in steps.
_MAX_BLOCKS = 8448
# Numba warns of fewer; those without work end at once.
_MIN_BLOCKS = 128
# The hardware's limit along y.
_MAX_ROWS = 65_535

SIMULATED = bool(numba.config.ENABLE_CUDASIM)


_lock = threading.Lock()


def device_count() -> int:
    """Count the GPUs; without one, raise an error that says what to do."""
    with _lock:  # the driver's own start is not for two threads at once
        return _device_count()


@functools.cache
def _device_count() -> int:
    if SIMULATED:
        return 1
    try:
        count = len(cuda.gpus)
    except cuda.CudaSupportError as error:
        raise DeviceError(_explain_missing(str(error))) from None
    if count == 0:
        raise DeviceError(_explain_missing("the driver lists no device"))
    return count


def _explain_missing(reason: str) -> str:
    reason = " ".join(reason.split())
    return (
        f"no CUDA device can be used: {reason}. ougi.cuda needs an NVIDIA GPU and its driver (`nvidia-smi` "
        "shows both); without them use the same functions of ougi, which run on the CPU"
    )


def current_device() -> int:
    """The number of the GPU that this thread works on; `numba.cuda.select_device` changes it."""
    device_count()
    return 0 if SIMULATED else int(cuda.get_current_device().id)


# --- kernels --------------------------------------------------------------------------------------------


def _round_every_product() -> None:
    """Compile our kernels without fused multiply-add, which the CPU's loops do not have either.

    NVVM fuses by default, and `cuda.jit` has no option against it. So the compiler's entry gets a guard
    that knows our kernels by an attribute, and passes all others on. (The optimiser of the linker would fuse
    again: `kernel` does without it.)
    """
    from numba.cuda import dispatcher

    plain = dispatcher.compile_cuda

    @functools.wraps(plain)
    def compile_cuda(function: Loop, *arguments: object, **options: Foreign) -> Foreign:
        if getattr(function, "rounds_every_product", False):
            options["nvvm_options"] = {**(options.get("nvvm_options") or {}), "fma": 0}
        return plain(function, *arguments, **options)

    dispatcher.compile_cuda = compile_cuda


def _compile_deferred() -> None:
    """Let numba-cuda compile the functions that `ougi._native` has marked, as it does with those of Numba."""
    from numba.cuda.target import CUDATypingContext

    plain = CUDATypingContext.resolve_value_type

    @functools.wraps(plain)
    def resolve_value_type(self: Foreign, value: Foreign) -> Foreign:
        return plain(self, value.on_device.value if isinstance(value, Deferred) else value)

    CUDATypingContext.resolve_value_type = resolve_value_type


if not SIMULATED:
    _round_every_product()
    _compile_deferred()


def kernel(function: Callable[..., None], registers: int | None = None) -> Foreign:
    """Compile a function for the GPU, for `launch`, with a limit of registers per thread."""
    function.rounds_every_product = True  # type: ignore[attr-defined]
    compiled = cuda.jit(function) if SIMULATED else cuda.jit(function, lto=False, max_registers=registers)
    if not SIMULATED and can_cache(function):
        compiled._cache = _cache(function)
    return compiled


def _cache(function: Loop) -> Foreign:
    """Machine code is stored where that of the CPU is, by the same digests."""
    from numba.cuda.core.caching import IndexDataCacheFile
    from numba.cuda.dispatcher import CUDACache, CUDACacheImpl

    class Impl(CUDACacheImpl):  # type: ignore[misc]
        _locator_classes = (Locator,)

    class Cache(CUDACache):  # type: ignore[misc]
        _impl_class = Impl

    class CacheFile(PrivateFiles, IndexDataCacheFile):  # type: ignore[misc]
        pass

    cache = Cache(function)
    stamp = cache._impl.locator.get_source_stamp()
    cache._cache_file = CacheFile(cache._cache_path, cache._impl.filename_base, stamp)
    return cache


def launch(kernel: Foreign, size: int, *arguments: object, stream: Stream = 0, rows: int = 1) -> None:
    """Start a kernel whose threads go through `size` entries in steps, in `rows` rows of blocks."""
    if size == 0 or rows == 0:
        return
    if SIMULATED:
        kernel[(min(-(-size // 2), 2), min(rows, 2)), 2, stream](*arguments)
    else:
        blocks = min(max(-(-size // THREADS), _MIN_BLOCKS), _MAX_BLOCKS)
        kernel[(blocks, min(rows, _MAX_ROWS)), THREADS, stream](*arguments)


class Graph:
    """Launches that were recorded once and are started again as one.

    A launch from Python takes some 50 us, and a graph of many takes 10.
    """

    def __init__(self, record: Callable[[Stream], None]) -> None:
        from cuda.bindings import driver as raw

        self._raw = raw
        stream = cuda.stream()
        self._check(raw.cuStreamBeginCapture(get_stream_number(stream), _get_relaxed_mode(raw)))
        try:
            record(stream)
        finally:
            recorded = self._check(raw.cuStreamEndCapture(get_stream_number(stream)))
        self._ready = self._check(raw.cuGraphInstantiate(recorded, 0))
        weakref.finalize(self, raw.cuGraphExecDestroy, self._ready)
        self._check(raw.cuGraphDestroy(recorded))

    def launch(self, stream: Stream) -> None:
        """Start all of them on a stream."""
        self._check(self._raw.cuGraphLaunch(self._ready, get_stream_number(stream)))

    def _check(self, outcome: Foreign) -> Foreign:
        if int(outcome[0]) != 0:
            raise DeviceError(f"the driver refused a graph of launches: {outcome[0]!r}")
        return outcome[1] if len(outcome) > 1 else None


def get_stream_number(stream: Stream) -> int:
    """The driver's number of a stream; 0 is the default."""
    return int(stream.handle) if stream else 0


def _get_relaxed_mode(raw: Foreign) -> Foreign:
    """While launches are recorded, other calls of the driver are allowed."""
    return raw.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED


# --- memory ---------------------------------------------------------------------------------------------


def empty(shape: tuple[int, ...], dtype: DTypeLike, stream: Stream = 0) -> DeviceArray:
    """A new array on the GPU."""
    device_count()
    try:
        return cuda.device_array(shape, dtype, stream=stream)
    except MemoryError:
        raise
    except Exception as error:
        _explain(error, math.prod(shape) * np.dtype(dtype).itemsize)
        raise


def count_free_bytes() -> int:
    """Memory that the GPU has left; what the simulator may use."""
    device_count()
    return 1 << 28 if SIMULATED else int(cuda.current_context().get_memory_info()[0])


def to_device(array: Array, stream: Stream = 0) -> DeviceArray:
    """A copy of a NumPy array on the GPU."""
    out = empty(array.shape, array.dtype, stream)
    if array.size:
        out.copy_to_device(np.ascontiguousarray(array), stream=stream)
    return out


def _explain(error: Exception, size: int) -> None:
    """Out of memory is a MemoryError, as everywhere in Python."""
    if "OUT_OF_MEMORY" not in str(error):
        return
    free, total = cuda.current_context().get_memory_info()
    raise MemoryError(
        f"the GPU has no {size / 2**30:.3g} GiB left ({free / 2**30:.3g} of {total / 2**30:.3g} are free): "
        "pass fewer shapes at a time, or delete arrays that are no longer needed"
    ) from None


def reshape_array(array: DeviceArray, shape: tuple[int, ...]) -> DeviceArray:
    """A contiguous device array in another shape."""
    if shape == () and not SIMULATED:
        return type(array)((), (), array.dtype, gpu_data=array.gpu_data)
    return array.reshape(shape)


def flip_axes(array: DeviceArray) -> DeviceArray:
    """The same memory (n, k), read as (k, n)."""
    if SIMULATED:
        return array.T
    shape, steps = tuple(array.shape)[::-1], tuple(array.strides)[::-1]
    return type(array)(shape, steps, array.dtype, gpu_data=array.gpu_data)


def to_numpy(array: DeviceArray, stream: Stream = 0) -> Array:
    """A device array on the host; waits for it."""
    host = np.empty(array.shape, array.dtype)
    if host.size:
        array.copy_to_host(host, stream=stream)
    if stream:
        stream.synchronize()
    return host


def as_stream(stream: Stream) -> Stream:
    """A stream of Numba, or one of CuPy or PyTorch or a raw number as such; None is the default stream."""
    if stream is None or (isinstance(stream, int) and stream == 0):
        return 0
    if SIMULATED or isinstance(stream, cuda.cudadrv.driver.Stream):
        return stream
    for name in ("cuda_stream", "ptr"):  # PyTorch's and CuPy's
        if hasattr(stream, name):
            stream = getattr(stream, name)
            break
    if isinstance(stream, int):
        return cuda.external_stream(stream) if stream else 0
    raise TypeError(
        f"stream must be a stream of Numba, CuPy or PyTorch, or None, got {type(stream).__name__}"
    )


def is_device_array(value: object) -> bool:
    """Is this an array on a GPU, of whatever library?"""
    if SIMULATED:
        return hasattr(value, "copy_to_host")
    return hasattr(value, "__cuda_array_interface__") or _dlpack_kind(value) == _DLPACK_CUDA


# Kinds of memory in DLPack's `DLDeviceType`.
_DLPACK_CUDA = 2


def _dlpack_kind(value: DeviceArray) -> int | None:
    try:
        return int(value.__dlpack_device__()[0])
    except (AttributeError, RuntimeError, TypeError, ValueError, BufferError):
        return None


# Advice for an array on the host.
ARRAYS = "cupy.asarray, torch.tensor(device='cuda') and numba.cuda.to_device copy arrays there"


def as_device_array(
    name: str, value: DeviceArray, stream: Stream = 0, advice: str = "ougi.cuda.put copies shapes there"
) -> DeviceArray:
    """An array of CuPy, PyTorch, JAX or Numba as Numba sees it; nothing is copied."""
    if not is_device_array(value):
        where = "host memory" if hasattr(value, "__array__") else f"a {type(value).__name__}"
        raise TypeError(f"{name} must be an array on the GPU, got {where}; {advice}")
    if SIMULATED or isinstance(value, cuda.cudadrv.devicearray.DeviceNDArray):
        return value
    _require_current(name, value)
    if hasattr(value, "__cuda_array_interface__"):
        return cuda.as_cuda_array(value)
    return cuda.as_cuda_array(_DlpackArray(value, stream))


def _require_current(name: str, value: DeviceArray) -> None:
    if _dlpack_kind(value) != _DLPACK_CUDA:
        return
    lies, now = int(value.__dlpack_device__()[1]), current_device()
    if lies != now:
        raise ValueError(
            f"{name} lies on device {lies}, but device {now} is current; "
            f"call numba.cuda.select_device({lies}) first"
        )


class _DlpackArray:
    """An array that supports only DLPack, with the interface that Numba reads."""

    def __init__(self, value: DeviceArray, stream: Stream) -> None:
        from cuda.core.utils import StridedMemoryView

        view = StridedMemoryView(value, stream_ptr=getattr(stream, "handle", None) or -1)
        self._owner = value, view
        size = view.dtype.itemsize
        self.__cuda_array_interface__ = {
            "shape": tuple(view.shape),
            "strides": None if view.strides is None else tuple(step * size for step in view.strides),
            "typestr": view.dtype.str,
            "data": (int(view.ptr), False),
            "version": 3,
        }
