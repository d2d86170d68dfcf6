"""Digests follow the sources that matter, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ougi.lab.verify import digest
from ougi.lab.verify.digest import impact_digest, impact_layouts, kernel_digest, pair_digest, pair_names
from ougi.query._tables import INTERSECTS, SEPARATION


def test_the_table_is_read_as_it_is() -> None:
    assert pair_names() == tuple(f"{row.a.__name__}-{row.b.__name__}".lower() for row in SEPARATION)


def test_every_kernel_has_a_digest_of_its_own() -> None:
    kernels = {row.kernel for row in (*SEPARATION, *INTERSECTS)}
    assert len({kernel_digest(kernel) for kernel in kernels}) == len(kernels)
    assert len({pair_digest(pair) for pair in pair_names()}) == len(pair_names())


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in digest._KERNELS.glob("*.py"):
        (tmp_path / path.name).write_text(path.read_text())
    monkeypatch.setattr(digest, "_KERNELS", tmp_path)
    return tmp_path


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_comments_and_docstrings_do_not_count(copied: Path) -> None:
    before = kernel_digest("sphere_sphere")
    _edit(copied / "sphere_sphere.py", '"""Ball against ball."""', '"""Two balls."""\n\n# A remark.\n')
    assert kernel_digest("sphere_sphere") == before


def test_strings_with_values_are_one_piece_in_every_python() -> None:
    """From 3.12 on they come in pieces: a run there would be about other sources than one here."""
    text = "x = f\"{a!r}, {f'{b:g}'} c\""
    assert digest._meaning(f"{text}\ny = 1\n").split(" ", 2) == ["x", "=", text[4:] + "  y = 1  "]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("sphere_sphere.py", "reach * reach", "reach * 2"),
        ("vec3.py", "return Vec3(a.x - b.x", "return Vec3(b.x - a.x"),
        (
            "records.py",
            "class Sphere(NamedTuple):\n    center: Vec3",
            "class Sphere(NamedTuple):\n    center: Vec2",
        ),
        ("separation3d.py", "depth = min(gap, 0.0)", "depth = gap"),
        ("sphere_sphere.py", "@device", "@procedure"),
        ("load.py", "def load_sphere(", "def load_sphere(x, "),
    ],
)
def test_an_edit_changes_the_digest(copied: Path, file: str, old: str, new: str) -> None:
    before = kernel_digest("sphere_sphere")
    _edit(copied / file, old, new)
    assert kernel_digest("sphere_sphere") != before


def test_what_a_kernel_does_not_use_does_not_count(copied: Path) -> None:
    before = kernel_digest("sphere_sphere")
    _edit(
        copied / "records.py",
        "class Box(NamedTuple):",
        "class Teapot(NamedTuple):\n    lid: Vec3\n\n\nclass Box(NamedTuple):",
    )
    _edit(copied / "vec3.py", "return Vec3(0.5 * (a.x + b.x)", "return Vec3(0.5 * (b.x + a.x)")
    assert kernel_digest("sphere_sphere") == before


def test_a_constant_that_a_kernel_uses_counts(copied: Path) -> None:
    before = kernel_digest("capsule3d_box"), kernel_digest("sphere_sphere")
    _edit(copied / "support3d.py", "NEAR = 0.02", "NEAR = 0.03")
    assert kernel_digest("capsule3d_box") != before[0]
    assert kernel_digest("sphere_sphere") == before[1]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("impact_sphere_box.py", "def impact_sphere_box(", "def impact_sphere_box(x, "),
        ("impact_moving_pairs.py", "def moving_sphere_box(", "def moving_sphere_box(x, "),
        ("moving.py", "def load_moving_sphere(", "def load_moving_sphere(x, "),
        ("load.py", "def load_box(", "def load_box(x, "),
    ],
)
def test_first_contacts_have_digests_of_all_they_use(copied: Path, file: str, old: str, new: str) -> None:
    before = impact_digest("sphere-box"), impact_digest("capsule3d-capsule3d")
    _edit(copied / file, old, new)
    assert impact_digest("sphere-box") != before[0]
    assert impact_digest("capsule3d-capsule3d") == before[1]


def test_the_layouts_of_first_contacts_are_read_as_they_are() -> None:
    from ougi.impact._tables import LAYOUTS

    assert impact_layouts() == {cls.__name__.lower(): layout for cls, layout in LAYOUTS.items()}
    assert impact_digest("box-sphere") == impact_digest("sphere-box") == impact_digest("aabb3d-point3d")
    with pytest.raises(KeyError):
        impact_digest("sphere-teapot")


def test_digests_need_no_numba() -> None:
    code = (
        "import sys; from ougi.lab.verify.digest import *; pair_digest('sphere-box'); "
        "impact_digest('sphere-box'); sweep_digest(); "
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_pair_is_an_error() -> None:
    with pytest.raises(KeyError):
        pair_digest("sphere-teapot")
