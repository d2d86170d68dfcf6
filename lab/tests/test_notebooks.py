"""The notebooks of the task pages: they have the cells of their pages, and they run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ougi_lab import notebooks


@pytest.mark.parametrize("name", notebooks.NAMES)
def test_a_committed_notebook_has_the_cells_of_its_page(name: str) -> None:
    page = (notebooks.PAGES / f"{name}.md").read_text(encoding="utf-8")
    expected = notebooks.build_notebook(page, run=False)["cells"]
    path = notebooks.NOTEBOOKS / f"{name}.ipynb"
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert [cell["source"] for cell in found] == [cell["source"] for cell in expected], "run make docs"
    code = [cell for cell in found if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert path.stat().st_size < 200_000


def test_a_page_runs_and_gives_the_committed_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "NOTEBOOKS", tmp_path)
    committed = Path(notebooks.__file__).parents[3] / "docs" / "notebooks" / "walls.ipynb"
    assert notebooks.write_notebook("walls").read_text(encoding="utf-8") == committed.read_text(
        encoding="utf-8"
    )


def test_outputs_are_those_that_jupyter_would_show() -> None:
    page = "# A\n\n```python\nprint('x')\nb = 3\n```\n\nSee [B](gpu.md).\n\n"
    page += "```pycon\n>>> b + 1\n4\n>>> None\n```\n"
    cells = notebooks.build_notebook(page)["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code", "markdown", "code", "code"]
    assert cells[1]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": ["x\n"]}]
    assert cells[2]["source"] == ["See [B](../tasks/gpu.md)."]
    assert cells[3]["outputs"][0]["data"] == {"text/plain": ["4"]}
    assert cells[4]["outputs"] == []


def test_a_cell_that_raises_stops_the_run() -> None:
    with pytest.raises(ZeroDivisionError):
        notebooks.build_notebook("```python\n1 / 0\n```\n")
