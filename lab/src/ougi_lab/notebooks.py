"""Executed notebooks of the task pages.

python -m ougi_lab.notebooks             # writes docs/notebooks/*.ipynb, all but that of the GPU
python -m ougi_lab.notebooks gpu         # needs a GPU, or NUMBA_ENABLE_CUDASIM=1 and NUMBA_DISABLE_JIT=1

A notebook has the text of its page. Blocks of Python are cells with the outputs of a run, without Jupyter.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import doctest
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[3]
PAGES = ROOT / "docs" / "tasks"
NOTEBOOKS = ROOT / "docs" / "notebooks"
NAMES = tuple(sorted(path.stem for path in PAGES.glob("*.md")))
ON_GPU = "gpu"

_BLOCK = re.compile(r"^```(?:python|py|pycon)\s*\n(.*?)^```\s*$", re.DOTALL | re.MULTILINE)


class NotebookCell(NamedTuple):
    """A cell: its text, and whether it is code."""

    text: str
    is_code: bool


def split_page(text: str) -> Iterator[NotebookCell]:
    """The cells of a page. A cell of code ends where the page shows an output.

    >>> page = "Text.\\n\\n```pycon\\n>>> a = 2\\n>>> a + a\\n4\\n>>> a\\n2\\n```\\n"
    >>> [cell.text for cell in split_page(page)]
    ['Text.', 'a = 2\\na + a', 'a']
    """
    end = 0
    for block in _BLOCK.finditer(text):
        yield from _split_text(text[end : block.start()])
        yield from _split_code(block.group(1))
        end = block.end()
    yield from _split_text(text[end:])


def _split_text(text: str) -> Iterator[NotebookCell]:
    if text.strip():
        # Pages beside this one lie in another folder than the notebook.
        yield NotebookCell(re.sub(r"\]\((\w+\.md)", r"](../tasks/\1", text.strip()), False)


def _split_code(code: str) -> Iterator[NotebookCell]:
    if ">>>" not in code:
        yield NotebookCell(code.strip("\n"), True)
        return
    lines: list[str] = []
    for example in doctest.DocTestParser().get_examples(code):
        lines.append(example.source)
        if example.want:
            yield NotebookCell("".join(lines).rstrip("\n"), True)
            lines = []
    if lines:
        yield NotebookCell("".join(lines).rstrip("\n"), True)


def build_notebook(text: str, *, run: bool = True) -> dict[str, Any]:
    """The notebook of a page, in the format of Jupyter. Without `run` it has no outputs."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells: list[dict[str, Any]] = []
    count = 0
    for k, cell in enumerate(split_page(text)):
        record: dict[str, Any] = {
            "id": f"cell-{k}",
            "metadata": {},
            "source": cell.text.splitlines(keepends=True),
        }
        if cell.is_code:
            count += 1
            outputs = run_cell(cell.text, names, count) if run else []
            record |= {"cell_type": "code", "execution_count": count if run else None, "outputs": outputs}
        else:
            record["cell_type"] = "markdown"
        cells.append(record)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def run_cell(code: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell as Jupyter does; what it prints, and the value of its last line.

    >>> run_cell("print(1)\\n2 + 3", {}, 1)[1]["data"]
    {'text/plain': ['5']}
    """
    body = ast.parse(code).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    stream, value = io.StringIO(), None
    with contextlib.redirect_stdout(stream):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := stream.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)})
    if value is not None:
        data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
        if hasattr(value, "_repr_png_"):
            data["image/png"] = base64.b64encode(value._repr_png_()).decode()
        outputs.append(
            {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data}
        )
    return outputs


def write_notebook(name: str) -> Path:
    """Run a page in an empty folder and write its notebook; the path."""
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        notebook = build_notebook(page)
    NOTEBOOKS.mkdir(exist_ok=True)
    path = NOTEBOOKS / f"{name}.ipynb"
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def main(names: list[str]) -> None:
    """Write the notebooks of these pages, or of all that need no GPU."""
    for name in names or [name for name in NAMES if name != ON_GPU]:
        sys.stderr.write(f"{os.path.relpath(write_notebook(name))}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
