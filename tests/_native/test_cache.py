"""The disk cache of compiled loops."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from run_python import run_python

import ougi
from ougi._native import cache, folders

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
needs_compiler = pytest.mark.skipif(not COMPILED, reason="about compiled code; this run is plain Python")


ANSWER = """
    import ougi
    print(bool(ougi.intersects(ougi.Sphere([0, 0, 0], 1), ougi.Sphere([2, 0, 0], 1))))
"""


@needs_compiler
def test_compiled_code_is_kept_in_the_folder_named_by_the_sources(tmp_path: Path) -> None:
    assert run_python(ANSWER, OUGI_CACHE_DIR=str(tmp_path)) == "True"
    folder = tmp_path / cache.folder_name()
    stored = sorted(path.name for path in folder.glob("*.nbi"))
    assert len(stored) == 1
    assert "cross_intersects_sphere_sphere" in stored[0]


@needs_compiler
@pytest.mark.parametrize("task", [("intersects", "sphere_sphere"), ("separation", "sphere_sphere")])
def test_warming_up_compiles_what_queries_need(task: tuple[str, str], tmp_path: Path) -> None:
    run_python(
        f"from ougi.cli.warmup import compile_task; compile_task({task!r})", OUGI_CACHE_DIR=str(tmp_path)
    )
    code = f"""
        import ougi
        from ougi.query.dispatch import pair_loops
        ball = ougi.Sphere([[0, 0, 0], [1, 0, 0]], 1)
        for pairs in (None, [[0, 1]]):
            ougi.intersects(ball, ball[0] if pairs is None else ball, pairs=pairs)
            ougi.contacts(ball, ball[0] if pairs is None else ball, pairs=pairs)
        loops = pair_loops{task!r}
        for loop in (loops.cross, loops.listed):
            print(sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
    """
    assert run_python(code, OUGI_CACHE_DIR=str(tmp_path)).split() == ["1", "0", "1", "0"]


@needs_compiler
def test_loops_run_from_disk_before_numba_has_loaded_its_compiler() -> None:
    """Without a library, the first loop of a process is loaded with Numba's runtime alone."""
    code = """
        import sys
        import numpy as np
        from ougi._check import frozen
        from ougi.cli.warmup import list_tasks
        from ougi.query.dispatch import pair_loops
        columns = frozen(np.ones((32, 3)))
        pairs = frozen(np.zeros((3, 2), np.int64))
        outs = {"intersects": np.empty(3, np.bool_), "distance": np.empty(3), "separation": np.empty((16, 3))}
        tasks = [task for task in list_tasks() if task[1] in ("circle_rectangle", "sphere_box")]
        misses = 0
        for question, kernel in tasks:
            if question in outs:
                loops, out = pair_loops(question, kernel), outs[question]
                loops.cross(frozen(columns[:, :1].copy()), columns, out, 0, 3)
                loops.listed(columns, columns, pairs, 0, out, 0, 3)
                misses += sum(sum(loop.stats.cache_misses.values()) for loop in (loops.cross, loops.listed))
        print(len(tasks), misses, "numba.np.arraymath" in sys.modules)
    """
    run_python(code, OUGI_LIBRARY="off")  # compiles what is not there yet
    count, *rest = run_python(code, OUGI_LIBRARY="off").split()
    assert (int(count) >= 6, rest) == (True, ["0", "False"])


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
    from ougi.query.dispatch import pair_loops
    loop = pair_loops("intersects", "sphere_sphere").cross
    print(sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
    """
    )
    assert run_python(code, OUGI_CACHE_DIR=str(tmp_path)).split() == ["True", "0", "1"]
    assert run_python(code, OUGI_CACHE_DIR=str(tmp_path)).split() == ["True", "1", "0"]


@needs_compiler
def test_an_edited_loop_of_the_lab_is_compiled_again(tmp_path: Path) -> None:
    """Its file is not among the sources that name the folder, so it has to count by itself."""
    source = "from ougi._native import loop\n\n\n@loop\ndef fill(out):\n    out[0] = {value}\n"
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
            f"from ougi._native import device\n\n\n@device\ndef value():\n    return {value}\n"
        )
        (folder / "edited.py").write_text(
            "from inner import value\nfrom ougi._native import loop\n\n\n"
            "@loop\ndef fill(out):\n    out[0] = value()\n"
        )
        caches[value] = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
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
    folder = root / cache.folder_name()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (root, folder)] == [0o700, 0o700]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


@needs_compiler
@needs_modes
def test_files_that_others_can_write_are_not_loaded(tmp_path: Path) -> None:
    """They are pickles: loading one runs what it says."""
    run_python(WARNED, OUGI_CACHE_DIR=str(tmp_path))
    folder, mark = tmp_path / cache.folder_name(), tmp_path / "loaded"
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
    folder = tmp_path / cache.folder_name()
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
    monkeypatch.setattr(folders, "_is_warned", False)
    assert folders.is_private(file)
    if os.geteuid() == 0:
        os.chown(file, 4242, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 4242)
    with pytest.warns(RuntimeWarning, match="because it belongs to user"):
        assert not folders.is_private(file)
    assert not folders.is_private(file)  # warned once
    assert folders.is_private(tmp_path / "missing")


@needs_compiler
def test_a_loop_of_other_functions_is_another_loop(tmp_path: Path) -> None:
    code = """
        import numpy as np
        from ougi._check import frozen
        from ougi._native import loops
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
    assert folders.cache_root() is None


def test_a_cache_folder_that_cannot_be_made_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run_python(ANSWER, OUGI_CACHE_DIR=str(blocked)) == "True"
