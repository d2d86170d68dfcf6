"""Which kernel files may import which."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ougi.kernels

FOLDER = Path(ougi.kernels.__file__).parent
PLANAR = sorted(
    path
    for path in FOLDER.glob("*.py")
    if set(path.stem.split("_")) & {"circle", "rectangle", "planar", "vec2"} or "2d" in path.stem
)

pytestmark = pytest.mark.plain


def imports_of(path: Path) -> set[str]:
    """The kernel modules that a file imports, without `ougi.kernels.`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.removeprefix("ougi.kernels.") for name in modules if name.startswith("ougi.kernels.")}


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_plain_kernels_do_not_import_first_contacts(path: Path) -> None:
    """So that the evidence about plain queries does not depend on `kernels/impact`."""
    assert not [name for name in imports_of(path) if name.partition(".")[0] == "impact"]


@pytest.mark.parametrize("path", PLANAR, ids=lambda path: path.stem)
def test_the_plane_does_not_import_space(path: Path) -> None:
    spatial = {"sphere", "box", "cylinder", "vec3"}
    assert not [name for name in imports_of(path) if "3d" in name or spatial & set(name.split("_"))]


def test_the_lists_are_not_empty() -> None:
    assert len(PLANAR) > 15
    assert "impact.axes" in imports_of(FOLDER / "impact" / "box_box.py")
