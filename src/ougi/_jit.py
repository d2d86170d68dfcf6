"""The only door to Numba: compiled scalar functions, loops over arrays, their disk cache, and threads.

`@device` marks a scalar function (a kernel). `loops(...)` makes the two array loops of a kernel from one
text, under a unique name, so that Numba's disk cache can tell them apart. `run` calls a loop on one or on
many threads; the result never depends on how many.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import hashlib
import importlib
import importlib.util
import itertools
import linecache
import os
import pkgutil
import re
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numba
import numpy as np
from numba.core import caching
from numba.core.runtime import rtsys

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = Path(__file__).parent


def device(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a scalar function and always inline it: that is what lets a loop over it vectorise."""
    compiled: Callable[P, R] = numba.njit(error_model="numpy", forceinline=True)(function)
    return compiled


def procedure(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a scalar function that is too long to be copied into every caller."""
    compiled: Callable[P, R] = numba.njit(error_model="numpy")(function)
    return compiled


# --- disk cache -----------------------------------------------------------------------------------------


@functools.cache
def source_digest() -> str | None:
    """Digest of all kernels, this file and the versions of Numba and Python: the name of the cache folder.

    Numba looks only at the file of the cached function; after an edit of a helper in another file it would
    return the old machine code. None where a program has been frozen so that its code cannot be read.
    """
    contents = _contents("ougi.kernels", _PACKAGE / "kernels", "**/*.py")
    own = _PACKAGE / "_jit.py"
    code = own.read_bytes() if own.exists() else _byte_code(__name__)
    return _digest({**contents, "_jit": code}) if contents and code else None


def _digest(contents: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for name, content in sorted(contents.items()):
        digest.update(f"{name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _contents(package: str, folder: Path, pattern: str) -> dict[str, bytes]:
    """Module name -> text, of the modules of a package; none if there are some that cannot be read.

    A frozen program (PyInstaller, a zip file) has no such files. There the byte code stands for the text.
    """
    texts = {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob(pattern)}
    return texts or _frozen_contents(package)


def _frozen_contents(package: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        code = _byte_code(module.name)
        inner = _frozen_contents(module.name) if module.ispkg else {}
        if code is None or (module.ispkg and not inner):
            return {}
        found |= {module.name: code, **inner}
    return found


def _byte_code(module: str) -> bytes | None:
    spec = importlib.util.find_spec(module)
    get_code = getattr(None if spec is None else spec.loader, "get_code", None)
    code = None if get_code is None else get_code(module)
    return None if code is None else _describe(code).encode()


def _describe(code: CodeType) -> str:
    """What a code object computes, as a text that is the same in every process (`marshal` is not)."""
    constants = [
        _describe(constant)
        if isinstance(constant, CodeType)
        else repr(sorted(constant, key=repr) if isinstance(constant, frozenset) else constant)
        for constant in code.co_consts
    ]
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return repr((code.co_name, code.co_argcount, code.co_flags, code.co_code, names, constants))


@functools.cache
def _compiled_beside(module: str) -> str | None:
    """Digest of a module with loops and of those beside it that have compiled functions, too.

    None where they cannot be read, for example because the module was typed into an interpreter.
    """
    if module == __name__ or module.startswith("ougi.kernels."):
        return ""  # known to `source_digest`
    loaded = sys.modules.get(module)
    spec = importlib.util.find_spec(module) if loaded is None else getattr(loaded, "__spec__", None)
    if spec is None or spec.origin is None:
        return None
    contents = _contents(spec.parent or module, Path(spec.origin).parent, "*.py")
    compiled = {name: text for name, text in contents.items() if re.search(rb"_jit|numba", text)}
    return _digest(compiled) if compiled else None


def _key(function: Any) -> str | None:
    """What a loop is made of beside kernels: part of the name of its files, so that checkouts share none.

    `parts` of a function are those that it was given, `borrowed` further modules. None if that is unknown.
    """
    parts = getattr(function, "parts", ())
    modules = {function.__module__, *(part.__module__ for part in parts), *getattr(function, "borrowed", ())}
    digests = [_compiled_beside(module) for module in sorted(modules)]
    if None in digests:
        return None
    names = [f"{part.__module__}.{part.__name__}" for part in parts]
    return hashlib.sha256(" ".join([*map(str, digests), *names]).encode()).hexdigest()[:16]


def cache_root() -> Path | None:
    """Where compiled code is kept: OUGI_CACHE_DIR, or the user's cache folder; None without any."""
    if configured := os.environ.get("OUGI_CACHE_DIR"):
        return Path(configured)
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "ougi" / "cache"
    if sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        return Path(base).expanduser() / "ougi"
    except RuntimeError:  # no HOME and no such user
        return None


@functools.cache
def cache_folder() -> Path | None:
    """The user's own folder of this version's compiled code, or None: then every process compiles anew."""
    root, digest = cache_root(), source_digest()
    if root is None or digest is None:
        return None
    folder = root / digest
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        for each in (root, folder):
            each.mkdir(mode=0o700, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder if is_private(folder) else None


def is_private(path: str | Path) -> bool:
    """Test that no other user can have written a file or folder; warn once if one could.

    Loading machine code runs it. So it must come from this user or from root, who could do anything anyway.
    The folder above needs no test: who writes there still cannot make files that belong to this user.
    Windows keeps the profiles of users apart by itself.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return True
    if status.st_uid not in (os.geteuid(), 0):
        _warn_once(f"it belongs to user {status.st_uid}", path)
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        _warn_once(f"other users can write it (mode {stat.S_IMODE(status.st_mode):04o})", path)
    else:
        return True
    return False


_is_warned = False


def _warn_once(reason: str, path: str | Path) -> None:
    global _is_warned
    if not _is_warned:
        _is_warned = True
        warnings.warn(
            f"compiled kernels are not loaded from {path}, because {reason}. They are compiled anew. Delete "
            "it, or set OUGI_CACHE_DIR to a folder that only you can write",
            RuntimeWarning,
            stacklevel=2,
        )


class PrivateFiles:
    """Mixed into Numba's cache files: written for this user alone, and loaded if no other could write them.

    A file that is not loaded is replaced after its loop has been compiled.
    """

    def _load_index(self: Any) -> Any:
        return super()._load_index() if is_private(self._index_path) else {}  # type: ignore[misc]

    def _load_data(self: Any, name: str) -> Any:
        if not is_private(path := self._data_path(name)):
            raise FileNotFoundError(path)  # Numba takes it for deleted and compiles
        return super()._load_data(name)  # type: ignore[misc]

    @contextlib.contextmanager
    def _open_for_write(self, path: str) -> Iterator[Any]:
        with super()._open_for_write(path) as file:  # type: ignore[misc]
            if hasattr(os, "geteuid"):
                os.fchmod(file.fileno(), 0o600)  # whatever the umask is
            yield file


class _CacheFile(PrivateFiles, caching.IndexDataCacheFile):  # type: ignore[misc]
    """One loop's index and machine code on disk."""


class Locator:
    """Where Numba's cache finds one of our loops, and what it was made of."""

    def __init__(self, key: str) -> None:
        self._key = key

    def ensure_cache_path(self) -> None:
        """`cache_folder` has tried it."""

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return f"{source_digest()} {self._key}"

    def get_disambiguator(self) -> str:
        return self._key  # a part of the file's name

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Locator:
        return cls(str(_key(py_func)))


class _CacheImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (Locator,)


class _Cache(caching.FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code from disk with no more of Numba than it needs to run: its runtime.

        Numba would first load all it needs to *compile* (and SciPy, if that is installed): 0.2 to 0.4 s
        before the first answer of a process. Compiling, ours or the user's, still does that when it comes.
        """
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def can_cache(function: Any) -> bool:
    """Is there a folder for the machine code of a loop, and is all known that it is made of?"""
    return cache_folder() is not None and _key(function) is not None


# --- loops ----------------------------------------------------------------------------------------------

# Unsigned counters spare Numba its test for negative indices, which halves the cost of a sphere test.
_TEXT = '''
def cross_{name}(a, b, out, start, stop):
    """Every a against every b: entries start..stop of the flattened (n_a, n_b) answer."""
    n = b.shape[1]
    if n == 1:
        one = load_b(b, 0)
        for i in range(uint64(start), uint64(stop)):
            store(out, i, kernel(load_a(a, i), one))
    else:
        k = start
        while k < stop:
            i = k // n
            first = k - i * n
            last = min(n, first + stop - k)
            row = uint64(i * n)
            one = load_a(a, uint64(i))
            for j in range(uint64(first), uint64(last)):
                store(out, row + uint64(j), kernel(one, load_b(b, j)))
            k += last - first


def listed_{name}(a, b, pairs, column, out, start, stop):
    """Rows start..stop of `pairs`; `column` says which of the two indices belongs to a."""
    for k in range(uint64(start), uint64(stop)):
        i = uint64(pairs[k, column])
        j = uint64(pairs[k, 1 - column])
        store(out, k, kernel(load_a(a, i), load_b(b, j)))
'''


class Loops(NamedTuple):
    """The two array forms of a kernel."""

    cross: Callable[..., None]
    listed: Callable[..., None]


def execute(text: str, namespace: dict[str, Any]) -> None:
    """Execute generated source in `namespace`, so that `inspect`, tracebacks and debuggers can read it.

    Numba asks for the source of what it compiles. From Python 3.13 on `inspect` believes the line number of a
    function, so the text must not pass for that of a real file. Without a time of modification `linecache`
    never compares an entry with a file, so `linecache.checkcache` keeps it.
    """
    name = f"<ougi-loops-{hashlib.sha256(text.encode()).hexdigest()[:12]}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), namespace)


def loops(name: str, kernel: Any, load_a: Any, load_b: Any, store: Any) -> Loops:
    """Make the loops of `kernel`. `name` must be unique to this combination: it is the key on disk."""
    namespace = {
        "__name__": __name__,
        "kernel": kernel,
        "load_a": load_a,
        "load_b": load_b,
        "store": store,
        "uint64": np.uint64,
    }
    execute(_TEXT.format(name=name), namespace)
    made = [namespace[f"{form}_{name}"] for form in Loops._fields]
    for each in made:
        each.parts = kernel, load_a, load_b, store
    return Loops(*map(loop, made))


# Every loop made so far, by name; the tests look here for second signatures.
made: dict[str, Callable[..., Any]] = {}


def loop(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a loop over arrays that releases the GIL and is kept on disk.

    Scalar functions that it calls must be kernels or stand in files beside its own, or an edit of them would
    go unnoticed.
    """
    compiled = numba.njit(nogil=True, error_model="numpy")(function)
    made[function.__name__] = compiled
    if hasattr(compiled, "py_func") and can_cache(function):
        compiled._cache = _Cache(function)
    return compiled  # type: ignore[no-any-return]


# --- threads --------------------------------------------------------------------------------------------

# Entries that are timed on the calling thread to learn what the rest will cost.
_PROBE = 512
# Seconds of work below which a further thread costs more than it saves (about 60 us to hand out a call).
_WORTH = 200e-6

_lock = threading.Lock()
_local = threading.local()
_threads: int | None = None
_pool: ThreadPoolExecutor | None = None


def get_threads() -> int:
    """How many threads large queries use.

    >>> import ougi
    >>> ougi.set_threads(1)
    >>> ougi.get_threads()
    1
    >>> ougi.set_threads(None)
    """
    if _threads is not None:
        return _threads
    configured = os.environ.get("OUGI_THREADS", "")
    if not configured:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not configured.isdigit() or int(configured) < 1:
        raise ValueError(f"OUGI_THREADS must be a positive whole number, got {configured!r}")
    return int(configured)


def set_threads(n: int | None) -> None:
    """Set how many threads large queries use; None returns to OUGI_THREADS or all cores.

    Results never depend on it.

    >>> import ougi
    >>> ougi.set_threads(2)
    >>> ougi.get_threads()
    2
    >>> ougi.set_threads(None)
    """
    global _threads, _pool
    if n is not None and (not isinstance(n, int) or n < 1):
        raise ValueError(f"n must be a positive whole number or None, got {n!r}")
    with _lock:
        _threads = n
        _pool = None  # its threads end when the last query that uses them has ended


def _forget_pool() -> None:
    """After fork the pool's threads do not exist in the child, and its lock may be held for ever."""
    global _pool, _lock
    _pool = None
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Keep the queries of the calling thread on it: for tasks that already run side by side."""
    before = getattr(_local, "alone", False)
    _local.alone = True
    try:
        yield
    finally:
        _local.alone = before


def run(loop: Callable[..., None], *arguments: Any, size: int) -> None:
    """Call `loop(*arguments, start, stop)` over 0..size, in slices on many threads if that pays."""
    if size < 4 * _PROBE or getattr(_local, "alone", False) or (threads := get_threads()) == 1:
        loop(*arguments, 0, size)
        return
    begun = time.perf_counter()
    loop(*arguments, 0, _PROBE)
    rest = size - _PROBE
    cost = (time.perf_counter() - begun) / _PROBE * rest
    slices = max(1, min(threads, int(cost / _WORTH)))
    edges = [_PROBE + rest * k // slices for k in range(slices + 1)]
    spans = itertools.pairwise(edges[1:])
    tasks = [_executor().submit(loop, *arguments, start, stop) for start, stop in spans]
    loop(*arguments, _PROBE, edges[1])  # the calling thread works too
    for task in tasks:
        task.result()


T = TypeVar("T")
U = TypeVar("U")


def each(work: Callable[[T], U], parts: Sequence[T]) -> list[U]:
    """What `work` makes of each part, in their order; on many threads if there are several parts."""
    threads = 1 if getattr(_local, "alone", False) or len(parts) < 2 else min(get_threads(), len(parts))
    if threads == 1:
        return [work(part) for part in parts]
    done: dict[int, U] = {}
    left = collections.deque(enumerate(parts))

    def take() -> None:
        while left:
            try:
                k, part = left.popleft()
            except IndexError:  # another thread took the last one
                return
            done[k] = work(part)

    tasks = [_executor().submit(take) for _ in range(threads - 1)]
    take()  # the calling thread works too
    for task in tasks:
        task.result()
    return [done[k] for k in range(len(parts))]


def _executor() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(get_threads(), thread_name_prefix="ougi")
        return _pool
