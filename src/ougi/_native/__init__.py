"""How kernels become machine code: compilation, the disk cache, generated loops and threads.

All that is known of Numba's inside stands here, and for GPUs in `ougi.cuda._driver`.
"""

from ougi._native.cache import Locator, PrivateFiles, cache_folder, cache_root, can_cache, is_private
from ougi._native.compiler import Deferred, compiled_loops, device, loop, procedure
from ougi._native.generate import Loops, execute, loops
from ougi._native.threads import each, get_threads, one_thread, run, set_threads

__all__ = [
    "Deferred",
    "Locator",
    "Loops",
    "PrivateFiles",
    "cache_folder",
    "cache_root",
    "can_cache",
    "compiled_loops",
    "device",
    "each",
    "execute",
    "get_threads",
    "is_private",
    "loop",
    "loops",
    "one_thread",
    "procedure",
    "run",
    "set_threads",
]
