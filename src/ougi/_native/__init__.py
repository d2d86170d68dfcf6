"""How kernels become machine code: compilation, the disk cache, generated loops and threads.

All that is known of Numba's inside stands here, and for GPUs in `ougi.cuda.driver`.
"""

from ougi._native.borrow import borrow
from ougi._native.compiler import Deferred, compile_scalar, compiled_loops, device, loop, procedure
from ougi._native.furthest import find_furthest
from ougi._native.generate import Loops, Parts, execute, loops
from ougi._native.reserve import reserve
from ougi._native.threads import each, get_threads, one_thread, run, set_threads

__all__ = [
    "Deferred",
    "Loops",
    "Parts",
    "borrow",
    "compile_scalar",
    "compiled_loops",
    "device",
    "each",
    "execute",
    "find_furthest",
    "get_threads",
    "loop",
    "loops",
    "one_thread",
    "procedure",
    "reserve",
    "run",
    "set_threads",
]
