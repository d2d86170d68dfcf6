"""The table of files that load: counts, folders of packages, reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

from ougi.cli.tables import format_table
from ougi_lab.scene_files import build_tables


def test_files_are_counted_with_and_without_folders_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ROS_PACKAGE_PATH", raising=False)
    folder = tmp_path / "robots"
    mesh = '<collision><geometry><mesh filename="{}"/></geometry></collision>'
    for name, file in (("plain", "a.stl"), ("package", "package://arm/m/a.stl"), ("lost", "b.stl")):
        (folder / "m" / name).mkdir(parents=True)
        text = f'<robot><link name="l">{mesh.format(file)}</link></robot>'
        (folder / "m" / name / f"{name}.urdf").write_text(text)
    for place in (folder / "m", folder / "m" / "plain"):
        trimesh.creation.box().export(place / "a.stl")
    (folder / "empty.urdf").write_text('<robot><link name="l"/></robot>')
    counts, refused = build_tables([folder])
    assert counts.rows == [("robots", 4, 2, 1, 1, 1)]
    ((path, reason),) = refused.rows
    assert path == "m/lost/lost.urdf"
    assert reason == "link 'l': there is no file 'b.stl' in the folder of the scene"
    assert "load with --package" in format_table(counts)
