"""Every example in the documentation runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import ougi
import ougi_lab
from ougi.cli import app

ROOT = Path(__file__).parent.parent
PACKAGES = [Path(package.__file__ or "").parent for package in (ougi, ougi_lab)]
ON_GPU = ROOT / "docs/tasks/gpu.md"
BLOCK = re.compile(r"^```(?:python|py|pycon)\s*\n(.*?)^```\s*$", re.DOTALL | re.MULTILINE)


def module_names() -> list[str]:
    """Modules of both packages that have examples; found by reading, so that nothing is imported here."""
    names = []
    for path in sorted(path for package in PACKAGES for path in package.rglob("*.py")):
        if path.parent.name == "cuda":  # their examples run with the tests of the device code
            continue
        if ">>>" in path.read_text(encoding="utf-8"):
            (root,) = (package.parent for package in PACKAGES if path.is_relative_to(package))
            parts = path.relative_to(root).with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def pages() -> list[Path]:
    """README and docs, those with Python blocks."""
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in files if path != ON_GPU and blocks(path.read_text(encoding="utf-8"))]


def blocks(text: str) -> list[tuple[int, str]]:
    """Line number and text of the Python blocks of a page."""
    return [(text.count("\n", 0, found.start(1)) + 1, found.group(1)) for found in BLOCK.finditer(text)]


def failures(test: doctest.DocTest) -> str:
    """What a doctest complains about; nothing if it passes."""
    lines: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    runner.run(test, out=lines.append, clear_globs=False)
    return "".join(lines)


def run_page(text: str, name: str) -> str:
    """Run the blocks of a page from top to bottom in one namespace; what went wrong."""
    names: dict[str, Any] = {"__name__": "__main__"}
    wrong = []
    for line, code in blocks(text):
        if ">>>" in code:
            test = doctest.DocTestParser().get_doctest(code, names, f"{name}:{line}", name, line)
            wrong.append(failures(test))
            names = test.globs
        else:
            exec(compile("\n" * (line - 1) + code, name, "exec"), names)
    return "".join(wrong)


@pytest.mark.parametrize("name", module_names())
def test_examples_of_the_module_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # pygame greets where it is imported first
    module: ModuleType = importlib.import_module(name)
    tests = [test for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples]
    assert tests, f"{name} has >>> that doctest does not find"
    for test in tests:
        assert failures(test) == "", test.name


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_examples_of_the_page_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_page(path.read_text(encoding="utf-8"), path.name) == ""


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="the extra cuda is not installed")
def test_examples_of_the_page_about_gpus_run_on_the_simulator() -> None:
    simulated = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    program = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_docs as t; "
    program += "sys.exit(t.run_page(t.ON_GPU.read_text(encoding='utf-8'), t.ON_GPU.name) or 0)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | simulated,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


CONSOLE = re.compile(r"^```console\n\$ ougi ([^\n]+)\n((?:(?!```).*\n)+)```$", re.MULTILINE)
SHOWN = [
    (command, output)
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for command, output in CONSOLE.findall(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[command for command, _ in SHOWN])
def test_commands_print_what_a_page_shows(
    command: str, output: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    app.run(command.split())
    assert capsys.readouterr().out == output


WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_a_page_names_exist(path: Path) -> None:
    folders = [ROOT / name for name in ("src", "lab", "tests", "examples")]
    files = [*ROOT.glob("*"), *(file for folder in folders for file in folder.rglob("*.*"))]
    paths = [f"/{file.relative_to(ROOT).as_posix()}" for file in files]
    named = re.findall(
        r"`([\w./-]+\.py|[\w./]*(?:verify|bench|reproduce)-[\w.-]+\.json)`", path.read_text(encoding="utf-8")
    )
    assert [name for name in named if not any(each.endswith(f"/{name}") for each in paths)] == []


def test_the_first_pages_of_a_reader_stay_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900
    assert len((ROOT / "docs/architecture.md").read_text(encoding="utf-8").split()) <= 1500


# --- the tests above can fail ---------------------------------------------------------------------------

PAGE = """\
Text.

```python
side = 3
```

```text
>>> this is no Python
```

```pycon
>>> side * side
{answer}
```
"""


def test_blocks_of_a_page_share_their_names() -> None:
    assert [line for line, _ in blocks(PAGE)] == [4, 12]
    assert run_page(PAGE.format(answer=9), "page") == ""


def test_a_wrong_answer_on_a_page_is_found() -> None:
    assert "Got:\n    9" in run_page(PAGE.format(answer=8), "page")


def test_a_block_that_raises_is_found() -> None:
    with pytest.raises(NameError):
        run_page("```python\nnothing_of_that_name\n```\n", "page")
