"""Poses of animated glTF files: the example agrees, and a planted mistake does not."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.scene import load_scene
from ougi_lab import gltf_poses

DOOR = Path(__file__).parents[2] / "examples/scenes/door.glb"


def test_the_example_agrees() -> None:
    table, agree = gltf_poses.build_table([DOOR.parent])
    ((name, animation, poses, error, stored),) = table.rows
    assert (name, animation, poses, agree) == ("door.glb", 0, 50, True)
    assert float(str(error)) == float(str(stored)) < 1e-14


@pytest.mark.parametrize("moves", [True, False])
def test_a_mistake_is_found(moves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    nudge = ougi.Pose([0, 1e-9, 0])

    def load(*args: Any, **options: Any) -> Any:
        scene = load_scene(*args, **options)
        bodies = [
            dataclasses.replace(
                body, shape=body.shape.transformed(nudge), pieces=body.pieces if moves else ()
            )
            for body in scene.bodies
        ]
        return dataclasses.replace(scene, bodies=tuple(bodies))

    monkeypatch.setattr(gltf_poses, "load_scene", load)
    table, agree = gltf_poses.build_table([DOOR.parent])
    assert not agree
    assert float(str(table.rows[0][3])) > 1e-10


def test_scales_are_even_and_constant_up_to_rounding() -> None:
    np.testing.assert_allclose(gltf_poses.even_scale([2, -2.0000001, 2]), [2, -2, 2], rtol=1e-7)
    np.testing.assert_array_equal(gltf_poses.even_scale([2, 2.00001, 2]), [2, 2.00001, 2])
    nodes: list[Any] = [{}, {"scale": [1, 1, 1]}, {}]
    tracks: gltf_poses.Tracks = {
        (node, "scale"): (np.arange(2.0), np.array([first, last]), False)
        for node, first, last in (
            (0, [1, 1, 1], [1, 1, 1 + 1e-7]),
            (1, [3, 3, 3], [3, 3, 3]),
            (2, [1] * 3, [2] * 3),
        )
    }
    held, moving = gltf_poses.hold_scales(nodes, tracks)
    assert [node["scale"].tolist() for node in held] == [[1, 1, 1], [3, 3, 3], [1, 1, 1]]
    assert list(moving) == [(2, "scale")]
