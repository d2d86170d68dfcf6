"""Compilation, cache and threads."""

from __future__ import annotations

import inspect
import linecache
import os
import re
import shutil
import stat
import subprocess
import sys
import textwrap
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi import _jit

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
needs_compiler = pytest.mark.skipif(not COMPILED, reason="about compiled code; this run is plain Python")


def run_python(code: str, **environment: str) -> str:
    """The output of a Python program in a process of its own."""
    env = {**os.environ, **environment}
    env = {name: value for name, value in env.items() if value != "<unset>"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


ANSWER = """
    import ougi
    print(bool(ougi.intersects(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([2, 0, 0], 1))))
"""


@needs_compiler
def test_compiled_code_is_kept_in_the_folder_named_by_the_sources(tmp_path: Path) -> None:
    assert run_python(ANSWER, OUGI_CACHE_DIR=str(tmp_path)) == "True"
    folder = tmp_path / str(_jit.source_digest())
    kept = sorted(path.name for path in folder.glob("*.nbi"))
    assert len(kept) == 1
    assert "cross_intersects_sphere_sphere" in kept[0]


@needs_compiler
@pytest.mark.parametrize("task", [("intersects", "sphere_sphere"), ("separation", "sphere_sphere")])
def test_warming_up_compiles_what_queries_need(task: tuple[str, str], tmp_path: Path) -> None:
    run_python(
        f"from ougi.cli.warmup import compile_task; compile_task({task!r})", OUGI_CACHE_DIR=str(tmp_path)
    )
    code = f"""
        import ougi
        from ougi.query._dispatch import pair_loops
        ball = ougi.Sphere([[0, 0, 0], [1, 0, 0]], 1)
        for pairs in (None, [[0, 1]]):
            ougi.intersects(ball, ball[0] if pairs is None else ball, pairs=pairs)
            ougi.contacts(ball, ball[0] if pairs is None else ball, pairs=pairs)
        for loop in pair_loops{task!r}:
            print(sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
    """
    assert run_python(code, OUGI_CACHE_DIR=str(tmp_path)).split() == ["1", "0", "1", "0"]


@needs_compiler
def test_every_loop_runs_from_disk_before_numba_has_loaded_its_compiler() -> None:
    """The first loop of a process is loaded with Numba's runtime alone; none may need more than that."""
    code = """
        import sys
        import numpy as np
        from ougi._check import frozen
        from ougi.cli.warmup import compile_task, tasks
        from ougi.query._dispatch import pair_loops
        columns = frozen(np.ones((32, 3)))
        pairs = frozen(np.zeros((3, 2), np.int64))
        count = 0
        for question, kernel in tasks():
            if question not in ("intersects", "distance", "separation"):
                compile_task((question, kernel))
                continue
            loops = pair_loops(question, kernel)
            out = np.empty(3, np.bool_) if question == "intersects" else np.empty(3)
            out = np.empty((16, 3)) if question == "separation" else out
            loops.cross(frozen(columns[:, :1].copy()), columns, out, 0, 3)
            loops.listed(columns, columns, pairs, 0, out, 0, 3)
            count += sum(sum(loop.stats.cache_misses.values()) for loop in loops)
        print(count, "numba.np.arraymath" in sys.modules)
    """
    run_python(code)  # compiles what is not there yet
    assert run_python(code) == "0 False"


@needs_compiler
def test_numba_still_compiles_after_a_loop_came_from_disk() -> None:
    code = (
        ANSWER
        + """
    import numba, numpy as np
    print(float(numba.njit(lambda x: np.sort(x).sum())(np.array([3.0, 1.0]))))
    """
    )
    run_python(code)
    assert run_python(code).split() == ["True", "4.0"]


@needs_compiler
def test_a_second_process_does_not_compile(tmp_path: Path) -> None:
    code = (
        ANSWER
        + """
    from ougi.query._dispatch import pair_loops
    loop = pair_loops("intersects", "sphere_sphere").cross
    print(sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
    """
    )
    assert run_python(code, OUGI_CACHE_DIR=str(tmp_path)).split() == ["True", "0", "1"]
    assert run_python(code, OUGI_CACHE_DIR=str(tmp_path)).split() == ["True", "1", "0"]


@needs_compiler
def test_an_edited_loop_of_the_lab_is_compiled_again(tmp_path: Path) -> None:
    """Its file is not among the sources that name the folder, so it has to count by itself."""
    source = "from ougi._jit import loop\n\n\n@loop\ndef fill(out):\n    out[0] = {value}\n"
    code = """
        import numpy as np
        from edited import fill
        out = np.zeros(1)
        fill(out)
        print(out[0], sum(fill.stats.cache_hits.values()))
    """
    answers = []
    for value in (1.5, 1.5, 2.5, 1.5, 2.5):
        (tmp_path / "edited.py").write_text(source.format(value=value))
        path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "OUGI_CACHE_DIR": str(tmp_path)}
        answers.append(run_python(code, **environment))
    # Neither of two checkouts overwrites what the other one has compiled.
    assert answers == ["1.5 0", "1.5 1", "2.5 0", "1.5 1", "2.5 1"]


@needs_compiler
def test_two_checkouts_keep_their_code_apart_when_a_function_beside_a_loop_differs(tmp_path: Path) -> None:
    caches = {}
    for value in (1.5, 2.5):
        folder = tmp_path / str(value)
        folder.mkdir()
        (folder / "inner.py").write_text(
            f"from ougi._jit import device\n\n\n@device\ndef value():\n    return {value}\n"
        )
        (folder / "edited.py").write_text(
            "from inner import value\nfrom ougi._jit import loop\n\n\n"
            "@loop\ndef fill(out):\n    out[0] = value()\n"
        )
        caches[value] = str(folder)
    code = """
        import numpy as np
        from edited import fill
        out = np.zeros(1)
        fill(out)
        print(out[0], sum(fill.stats.cache_hits.values()))
    """
    answers = [
        run_python(code, PYTHONPATH=caches[value], OUGI_CACHE_DIR=str(tmp_path / "cache"))
        for value in (1.5, 2.5, 1.5, 2.5)
    ]
    assert answers == ["1.5 0", "2.5 0", "1.5 1", "2.5 1"]


@needs_compiler
def test_the_source_of_a_generated_loop_can_be_read() -> None:
    """Numba reads it; from Python 3.13 on a wrong line number was an error."""
    from ougi.query._dispatch import pair_loops

    for form, loop in pair_loops("intersects", "sphere_sphere")._asdict().items():
        linecache.checkcache()
        source = inspect.getsource(loop.py_func)
        assert source.startswith(f"def {form}_intersects_sphere_sphere(")
        assert "store(out" in source


def test_tracebacks_show_generated_code() -> None:
    namespace: dict[str, Any] = {"__name__": __name__}
    _jit.execute("def fails():\n    return 1 / 0  # the line\n", namespace)
    with pytest.raises(ZeroDivisionError) as caught:
        namespace["fails"]()
    assert "1 / 0  # the line" in "".join(traceback.format_exception(caught.value))


# --- loading machine code runs it -----------------------------------------------------------------------

needs_modes = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owner and mode here")

MARK = """
    import pickle, sys
    class Hostile:
        def __reduce__(self):
            return open, (sys.argv[1], "w")
    sys.stdout.buffer.write(pickle.dumps(Hostile()))
"""

WARNED = """
    import warnings
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        import ougi
        spheres = ougi.Sphere([0, 0, 0], 1), ougi.Sphere([2, 0, 0], 1)
        print(bool(ougi.intersects(*spheres)), bool(ougi.contacts(*spheres).hit))
    print([str(warning.message) for warning in seen if issubclass(warning.category, RuntimeWarning)])
"""


@needs_compiler
@needs_modes
def test_compiled_code_is_private_whatever_the_umask(tmp_path: Path) -> None:
    root = tmp_path / "cache"
    run_python("import os; os.umask(0)" + textwrap.dedent(ANSWER), OUGI_CACHE_DIR=str(root))
    folder = root / str(_jit.source_digest())
    assert [stat.S_IMODE(path.stat().st_mode) for path in (root, folder)] == [0o700, 0o700]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@needs_compiler
@needs_modes
def test_files_that_others_can_write_are_not_loaded(tmp_path: Path) -> None:
    """They are pickles: loading one runs what it says."""
    run_python(WARNED, OUGI_CACHE_DIR=str(tmp_path))
    folder, mark = tmp_path / str(_jit.source_digest()), tmp_path / "loaded"
    hostile = f"import sys\nsys.argv[1:] = [{str(mark)!r}]\n" + textwrap.dedent(MARK)
    poison = subprocess.run([sys.executable, "-c", hostile], capture_output=True, check=True).stdout
    for suffix in ("nbi", "nbc"):
        files = list(folder.glob(f"*.{suffix}"))
        assert len(files) == 2
        for path in files:
            path.write_bytes(poison)
            path.chmod(0o666)
        answer, warned = run_python(WARNED, OUGI_CACHE_DIR=str(tmp_path)).splitlines()
        assert answer == "True True"
        assert not mark.exists()
        assert warned.count("not loaded") == 1
        assert "other users can write it (mode 0666)" in warned
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}  # compiled anew
    assert run_python(WARNED, OUGI_CACHE_DIR=str(tmp_path)).splitlines() == ["True True", "[]"]


@needs_compiler
@needs_modes
def test_a_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / str(_jit.source_digest())
    folder.mkdir()
    folder.chmod(0o777)
    answer, warned = run_python(WARNED, OUGI_CACHE_DIR=str(tmp_path)).splitlines()
    assert answer == "True True"
    assert warned.count("not loaded") == 1
    assert f"{folder}, because other users can write it (mode 0777)" in warned
    assert "OUGI_CACHE_DIR" in warned
    assert list(folder.iterdir()) == []


@needs_modes
def test_files_of_another_user_are_not_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch(mode=0o600)
    monkeypatch.setattr(_jit, "_is_warned", False)
    assert _jit.is_private(file)
    if os.geteuid() == 0:
        os.chown(file, 4242, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with pytest.warns(RuntimeWarning, match="because it belongs to user"):
        assert not _jit.is_private(file)
    assert not _jit.is_private(file)  # warned once
    assert _jit.is_private(tmp_path / "missing")


def test_loops_are_made_of_kernels_and_of_files_beside_them() -> None:
    """Edits of other files would go unnoticed by the cache of compiled code."""
    package = Path(ougi.__file__).parent
    compiled = {
        path: set(re.findall(r"^from (ougi\.[\w.]+) import", path.read_text(), re.MULTILINE))
        for path in package.rglob("*.py")
        if re.search(r"^@(device|procedure|loop|intrinsic)\b", path.read_text(), re.MULTILINE)
    }
    names = {".".join(["ougi", *path.relative_to(package).with_suffix("").parts]): path for path in compiled}
    assert len(names) > 50
    for path, imports in compiled.items():
        for name in imports & names.keys():
            origin = names[name].relative_to(package).parts
            near = names[name].parent == path.parent
            # Its cache has digests of these rooms.
            known = path.parent.name == "cuda" and origin[0] in ("broad", "radar", "corridor")
            assert origin[0] == "kernels" or near or known, f"{path} uses {name}"


@needs_compiler
def test_a_loop_of_other_functions_is_another_loop(tmp_path: Path) -> None:
    code = """
        import numpy as np
        from ougi._check import frozen
        from ougi._jit import loops
        from ougi.kernels import load, sphere_sphere
        made = loops("test", sphere_sphere.{kernel}, load.load_sphere, load.load_sphere, load.{store})
        out = np.zeros({shape}, {dtype})
        made.cross(frozen(np.zeros((4, 1))), frozen(np.zeros((4, 1))), out, 0, 1)
        print(sum(made.cross.stats.cache_hits.values()))
    """
    yes = {"kernel": "intersects_sphere_sphere", "store": "store_value", "shape": 1, "dtype": "np.bool_"}
    far = {"kernel": "separation_sphere_sphere", "store": "store_distance3d", "shape": 1, "dtype": "np.bool_"}
    hits = [run_python(code.format(**part), OUGI_CACHE_DIR=str(tmp_path)) for part in (yes, yes, far)]
    assert hits == ["0", "1", "0"]


def test_a_read_only_install_without_home_answers_and_writes_nothing(tmp_path: Path) -> None:
    install = tmp_path / "site"
    shutil.copytree(
        Path(ougi.__file__).parent, install / "ougi", ignore=shutil.ignore_patterns("__pycache__")
    )
    before = sorted(install.rglob("*"))
    for path in [install, *before]:
        path.chmod(path.stat().st_mode & ~0o222)
    gone = dict.fromkeys(("XDG_CACHE_HOME", "OUGI_CACHE_DIR", "NUMBA_CACHE_DIR"), "<unset>")
    code = (
        ANSWER
        + """
    print(ougi.__file__)
    """
    )
    try:
        out = run_python(code, **gone, HOME=os.devnull, PYTHONPATH=str(install), PYTHONDONTWRITEBYTECODE="1")
        assert out.splitlines() == ["True", str(install / "ougi" / "__init__.py")]
        assert sorted(install.rglob("*")) == before
    finally:
        for path in [install, *before]:
            path.chmod(path.stat().st_mode | 0o200)


def test_a_user_without_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home(path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("OUGI_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert _jit.cache_root() is None


def test_a_cache_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run_python(ANSWER, OUGI_CACHE_DIR=str(blocked)) == "True"


@pytest.fixture(name="spheres")
def _spheres() -> ougi.Sphere:
    rng = np.random.default_rng(5)
    return ougi.Sphere(rng.uniform(-5, 5, (200_000, 3)), rng.uniform(0, 1, 200_000))


@needs_compiler
def test_results_do_not_depend_on_the_number_of_threads(spheres: ougi.Sphere) -> None:
    one = ougi.Box([0, 0, 0], [3, 4, 5])
    pairs = np.random.default_rng(1).integers(0, len(spheres), (200_000, 2))
    answers = []
    try:
        for n in (1, 2, 3, 7):
            ougi.set_threads(n)
            answers.append((ougi.intersects(one, spheres), ougi.distance(spheres, spheres, pairs=pairs)))
    finally:
        ougi.set_threads(None)
    for hit, distance in answers[1:]:
        assert np.array_equal(hit, answers[0][0])
        assert np.array_equal(distance, answers[0][1])


@needs_compiler
def test_many_python_threads_may_ask_at_once(spheres: ougi.Sphere) -> None:
    boxes = [ougi.Box([x, 0, 0], [3, 4, 5]) for x in range(8)]
    expected = [ougi.intersects(box, spheres) for box in boxes]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for got, want in zip(pool.map(ougi.intersects, boxes, [spheres] * 8), expected, strict=True):
                assert np.array_equal(got, want)


@needs_compiler
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_answers() -> None:
    code = """
        import os
        import numpy as np
        import ougi
        ougi.set_threads(2)
        many = ougi.Sphere(np.zeros((200_000, 3)), 1)
        assert ougi.intersects(many, [0, 0, 0]).all()   # the pool exists now
        child = os.fork()
        if child == 0:
            os._exit(0 if ougi.intersects(many, [0, 0, 0]).all() else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert run_python(code) == "0"


@needs_compiler
def test_every_loop_has_one_signature_whatever_the_slice() -> None:
    """A second signature would mean a second compilation behind the user's back."""
    from ougi.query._dispatch import pair_loops

    a = ougi.Sphere(np.zeros((4, 3)), 1)
    pairs = np.array([[0, 1], [2, 3]], dtype=np.int32)
    frozen = pairs.astype(np.int64)
    frozen.flags.writeable = False
    ougi.intersects(a, a[0])
    ougi.intersects(a[::2], a[:, None][::2, 0])
    ougi.intersects(a[1:], a[1:])
    ougi.intersects(a, a, pairs=pairs)
    ougi.intersects(a, a, pairs=pairs[:, ::-1])
    ougi.intersects(a, a, pairs=frozen)
    for loop in pair_loops("intersects", "sphere_sphere"):
        assert len(loop.signatures) == 1  # type: ignore[attr-defined]


def test_one_thread_keeps_the_work_on_the_calling_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pool() -> None:
        raise AssertionError("asked for a pool")

    monkeypatch.setattr(_jit, "_executor", no_pool)
    seen: list[tuple[int, int]] = []
    ougi.set_threads(4)
    try:
        with _jit.one_thread():
            _jit.run(lambda start, stop: seen.append((start, stop)), size=10**7)
        assert seen == [(0, 10**7)]
        with pytest.raises(AssertionError, match="asked for a pool"):
            _jit.run(lambda start, stop: None, size=10**7)
    finally:
        ougi.set_threads(None)


def test_slices_cover_everything_once() -> None:
    seen: list[tuple[int, int]] = []
    ougi.set_threads(3)
    try:
        _jit.run(lambda start, stop: seen.append((start, stop)), size=1_000_003)
    finally:
        ougi.set_threads(None)
    covered = np.concatenate([np.arange(*span) for span in seen])
    assert np.array_equal(np.sort(covered), np.arange(1_000_003))
    assert 2 <= len(seen) <= 4  # what is timed first, and up to three slices
    assert seen[0] == (0, _jit._PROBE)


@pytest.mark.parametrize("value", ["0", "-1", "many"])
def test_a_bad_number_of_threads_is_named(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUGI_THREADS", value)
    with pytest.raises(ValueError, match=f"OUGI_THREADS must be a positive whole number, got '{value}'"):
        ougi.get_threads()


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUGI_THREADS", "5")
    assert ougi.get_threads() == 5


@pytest.mark.parametrize("value", [0, -3, 1.5])
def test_set_threads_refuses_nonsense(value: float) -> None:
    with pytest.raises(ValueError, match="n must be a positive whole number or None"):
        ougi.set_threads(value)  # type: ignore[arg-type]
