"""The scan of sphere models: configurations that it skips would not have collided."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi_lab.bench.robots import draw_edges, write_arm
from ougi_lab.scenes.sphere_model import SphereModel


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> tuple[SphereModel, ougi.Robot, Path]:
    path = write_arm(tmp_path_factory.mktemp("arm"))
    edges = draw_edges(path, 1)
    return SphereModel(path, edges.robot.joint_names, edges.list_links()[1]), edges.robot, path


def _draw_shapes() -> list[ougi.Shape]:
    turned = ougi.Pose([0.4, 0.3, 0.5], [[0.0, -0.6, 0.8], [1.0, 0.0, 0.0], [0.0, 0.8, 0.6]])
    cylinder = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], np.pi, 0, 0.1, 0.2)
    return [
        ougi.Box([0, 0, 0], [0.2, 0.1, 0.3]).transformed(turned),
        ougi.Sphere([-0.5, 0.2, 0.6], 0.1),
        cylinder.transformed(ougi.Pose([0.1, -0.6, 0.4], turned.rotation)),
    ]


def test_gaps_are_those_of_the_robot(arm: tuple[SphereModel, ougi.Robot, Path]) -> None:
    model, robot, _ = arm
    q = np.random.default_rng(3).uniform(-2.8, 2.8, (400, 7))
    expected = robot.distance(q, _draw_shapes()).distance
    apart = expected > 0
    assert 50 < apart.sum() < 400
    assert np.abs(model.measure(q, _draw_shapes()) - expected)[apart].max() < 1e-9
    assert ((model.measure(q, _draw_shapes()) <= 0) == ~apart).all()


def test_a_scan_finds_what_all_configurations_show(arm: tuple[SphereModel, ougi.Robot, Path]) -> None:
    model, _, path = arm
    edges = draw_edges(path, 60)
    found = model.scan(edges.q0, edges.q1, edges.obstacles, 256)
    expected = [(model.measure(q, edges.obstacles) <= 0).any() for q in edges.sample(257)]
    assert found.tolist() == expected
    assert 5 < found.sum() < 55


def test_shapes_and_joints_without_a_model_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.urdf"
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    text = f'<robot name="a"><link name="a">{box}</link>'
    path.write_text(text + "</robot>", encoding="utf-8")
    with pytest.raises(ValueError, match="not spheres"):
        SphereModel(path, (), set())
    joint = (
        '<joint name="j" type="planar"><parent link="a"/><child link="b"/></joint><link name="b"/></robot>'
    )
    path.write_text(text + joint, encoding="utf-8")
    with pytest.raises(ValueError, match="planar"):
        SphereModel(path, (), set())
