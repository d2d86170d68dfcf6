"""Files made to take all time or memory are read or refused, in a process with a limit of both."""

from __future__ import annotations

import sys
from pathlib import Path

import hostile
import pytest

QUICK = (
    "gltf_zeros", "gltf_chain", "urdf_chain", "csv_wide", "csv_bad_cells", "toml_unknown_keys",
    "toml_dotted_keys", "json_deep", "json_long_name", "obj_polygon", "obj_polygons", "json_heights",
    "json_parts", "json_motions",
)  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and limits memory by setrlimit")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in hostile.FILES]
)
def test_a_hostile_file_ends_within_its_limits(name: str, tmp_path: Path) -> None:
    """One gigabyte above what the libraries take. The time is a guard against hanging, not a measurement."""
    make = hostile.FILES[name]
    found = hostile.load_in_child(make(tmp_path), memory=2**30, seconds=300)
    assert hostile.ENDS[make] in found["end"]
