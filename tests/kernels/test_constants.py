"""Files called constants.py are the only homes of numbers that decide in a kernel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ougi
from ougi.corridor import contact as corridor_contact
from ougi.corridor import wall
from ougi.kernels import constants
from ougi.radar import pixel_search, resolve

KERNELS = Path(constants.__file__).parent
HOMES = sorted(KERNELS.rglob("constants.py"))
FILES = sorted(path for path in KERNELS.rglob("*.py") if path.name != "constants.py")

pytestmark = pytest.mark.plain


def find_numbers(tree: ast.AST) -> list[float]:
    """Literals so small or so large that they are a tolerance, a limit or a stand-in for infinity."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    numbers = [abs(value) for value in values if isinstance(value, int | float)]
    return [value for value in numbers if 0 < value <= 1e-2 or value >= 1e3]


def find_definitions(tree: ast.Module) -> list[str]:
    """Module constants that are numbers, but for parts of pi."""
    found = []
    for node in tree.body:
        if isinstance(node, ast.Assign):
            value = node.value
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            numbers = all(isinstance(part, ast.Constant | ast.UnaryOp | ast.BinOp) for part in parts)
            if numbers and "math.pi" not in ast.unparse(value):
                found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(KERNELS)))
def test_no_other_kernel_file_holds_a_constant(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert find_definitions(tree) == []
    assert find_numbers(tree) == []


def test_the_search_finds_constants() -> None:
    tree = ast.parse("_ROUNDING = 1e-15\nA, B = 1, 2\nC = 2.0 * EPS\ndef f(x):\n    return x < 1e-9\n")
    assert find_definitions(tree) == ["_ROUNDING = 1e-15", "A, B = (1, 2)", "C = 2.0 * EPS"]
    assert find_numbers(tree) == [1e-15, 1e-9]


@pytest.mark.parametrize("path", HOMES, ids=lambda path: str(path.relative_to(KERNELS)))
def test_every_constant_is_explained_and_used(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    sources = [path.read_text(encoding="utf-8") for path in (KERNELS.parent).rglob("*.py")]
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign):
            continue
        assert lines[node.lineno - 2].startswith("#"), ast.unparse(node)
        target = node.targets[0]
        for name in target.elts if isinstance(target, ast.Tuple) else [target]:
            assert isinstance(name, ast.Name)
            assert sum(name.id in source for source in sources) >= 2, name.id


def test_status_has_the_values_of_the_kernels() -> None:
    own = set(ougi.Status) - {ougi.Status.UNSUPPORTED}  # of reports, not of kernels
    assert {each.name: float(each) for each in own} == {
        name: getattr(constants, name) for name in ("FREE", "HIT", "OVERLAPPING", "UNDECIDED")
    }


def test_what_corridors_and_radars_define_for_themselves_is_that_of_the_kernels() -> None:
    """Their loops read these numbers from their own files, of which their evidence is."""
    assert wall._BAND == resolve.BAND == constants.BAND
    assert corridor_contact.ROUNDING == constants.ROUNDING
    for name in ("FREE", "HIT", "OVERLAPPING", "UNDECIDED"):
        assert getattr(pixel_search, name) == getattr(constants, name)
