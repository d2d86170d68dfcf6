"""What the digest of a loop reads; programs without source files: zip files, and those of PyInstaller."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import ougi
from ougi._native import cache, sources

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
needs_compiler = pytest.mark.skipif(not COMPILED, reason="about compiled code; this run is plain Python")

GAME = """
import math, sys
import ougi
from ougi._native import compiled_loops
from ougi._native.cache import cache_folder

bat = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06])
swing = ougi.Rotation3d([0, 0, 0], [0, 0, 1], math.radians(170))
balls = ougi.Sphere([[0, 0.7, 0], [0, -0.7, 0]], 0.04)
print(ougi.intersects(bat, balls).tolist(), ougi.time_of_impact(bat, swing, balls).hit.tolist())
print(ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]]).cast([1, 1], [10, 0], 0.5).t)
print(cache_folder() is not None, *(
    sum(sum(getattr(loop.stats, kind).values()) for loop in compiled_loops.values())
    for kind in ("cache_hits", "cache_misses")
))
print(ougi.__file__, getattr(sys, "frozen", False), file=sys.stderr)
"""
ANSWERS = ["[False, False] [True, False]", "0.25"]


def play(*command: str, cache: Path) -> tuple[list[str], list[str], str]:
    """The answers of a program, what it says of the cache, and what it prints to stderr."""
    env = {**os.environ, "OUGI_CACHE_DIR": str(cache), "OUGI_LIBRARY": "off"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return lines[:2], lines[2].split(), done.stderr


@needs_compiler
def test_ougi_runs_from_a_zip_file_and_finds_its_code_again(tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    package = Path(ougi.__file__).parent
    with zipfile.ZipFile(archive, "w") as file:
        for path in package.rglob("*.py"):
            if path.relative_to(package).parts[0] != "lab":
                file.write(path, Path("ougi") / path.relative_to(package))
    program = f"import sys; sys.path.insert(0, {str(archive)!r})\n{GAME}"
    for run in range(2):
        answers, (has_folder, hits, misses), where = play(sys.executable, "-c", program, cache=tmp_path / "c")
        assert str(archive) in where
        assert answers == ANSWERS
        assert has_folder == "True"
        assert (int(hits) == 0) == (run == 0)
        assert (int(misses) == 0) == (run == 1)


def test_the_digest_of_byte_code_is_that_of_what_it_computes() -> None:
    def describe(text: str) -> str:
        return sources.describe_code(compile(text, "<test>", "exec"))

    text = "def f(x):\n    return x + 1.5 if x in {1, 2} else g(x)\n"
    assert describe(text) == describe("\n\n" + text)
    for changed in ("1.5", "{1, 2}", "g(x)"):
        assert describe(text) != describe(text.replace(changed, "7.0"))


def list_imports(text: str) -> list[str]:
    return sources.describe_code(compile(text, "<test>", "exec")).splitlines()[:-1]


def test_byte_code_has_the_imports_of_the_source() -> None:
    text = "from ougi.kernels.vec3 import add, dot\nfrom ougi._native import device\n"
    assert list_imports(text) == text.splitlines()


def test_every_kernel_has_byte_code_to_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The closure of a kernel is the same, whether its modules are read as text or as byte code."""
    names = list_read_modules("ougi.kernels.sphere_box", monkeypatch)
    assert {"ougi.kernels.sphere_box", "ougi.kernels.records", "ougi.kernels.vec3"} <= names

    def no_text(self: object, path: str) -> bytes:
        raise OSError(path)

    monkeypatch.setattr("importlib.machinery.SourceFileLoader.get_data", no_text)
    monkeypatch.setattr("importlib.machinery.SourceFileLoader.get_code", source_code)
    assert list_read_modules("ougi.kernels.sphere_box", monkeypatch) == names


def source_code(loader: Any, name: str) -> CodeType:
    return compile(Path(loader.path).read_text(encoding="utf-8"), loader.path, "exec")


def list_read_modules(module: str, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The modules that are read for the digest of one."""
    names: set[str] = set()
    read = sources.read_module.__wrapped__

    def note(name: str) -> bytes | None:
        names.add(name)
        return read(name)

    with monkeypatch.context() as patch:
        patch.setattr(sources, "read_module", note)
        assert sources.digest_modules.__wrapped__((module,)) is not None
    return names


def test_loops_are_made_of_modules_that_their_digest_knows() -> None:
    """An edit of another file would go unnoticed by the cache of compiled code."""
    package = Path(ougi.__file__).parent
    marked = re.compile(r"^@(device|procedure|loop|intrinsic)\b", re.MULTILINE)
    texts = {path: path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    compiled = [path for path, text in texts.items() if marked.search(text)]
    assert len(compiled) > 50
    for path in compiled:
        assert re.search(r"^from (ougi\._native|numba)", texts[path], re.MULTILINE), path


@needs_compiler
def test_without_readable_code_there_is_no_cache_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "read_module", lambda name: None)
    monkeypatch.setenv("OUGI_CACHE_DIR", str(tmp_path))
    assert sources.digest_modules.__wrapped__(("ougi.kernels.vec3",)) is None
    monkeypatch.setattr(cache, "generator_digest", lambda: None)
    assert cache.cache_folder.__wrapped__() is None


@pytest.mark.slow
@needs_compiler
def test_a_program_made_by_pyinstaller_starts_and_finds_its_code_again(tmp_path: Path) -> None:
    pytest.importorskip("PyInstaller")
    if os.name == "posix" and not sysconfig.get_config_var("Py_ENABLE_SHARED"):
        pytest.skip("PyInstaller needs a Python with a shared library")
    (tmp_path / "game.py").write_text(GAME)
    build = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "ERROR", "game.py"]
    # The modules that game libraries and tests bring along do not belong to this game.
    for name in ("matplotlib", "scipy", "trimesh", "pygame", "arcade", "viser", "distributed", "IPython"):
        build += ["--exclude-module", name]
    made = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert made.returncode == 0, made.stderr
    game = str(tmp_path / "dist" / "game" / "game")
    for run in range(2):
        answers, (has_folder, hits, misses), where = play(game, cache=tmp_path / "c")
        assert where.endswith("True\n")
        assert answers == ANSWERS
        assert has_folder == "True"
        assert (int(hits) == 0) == (run == 0)
        assert (int(misses) == 0) == (run == 1)


def test_an_edit_of_what_makes_machine_code_is_noticed() -> None:
    folder = Path(sources.__file__).parent
    makers = {path.stem for path in folder.glob("*.py") if re.search(r"\bDeferred\(\w", path.read_text())}
    assert makers >= {"borrow", "furthest", "reserve"}
    assert {f"ougi._native.{name}" for name in makers} <= set(sources._GENERATORS)
