"""Obstacles of all sources, beside the queries of single shapes and scans of configurations."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi.scene import Body
from ougi_lab.scenes.robots import draw_obstacles, draw_robot
from ougi_lab.verify.robot import draw_edges

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><collision><origin xyz="0.25 0 0"/>
    <geometry><box size="0.5 0.06 0.06"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><capsule radius="0.04" length="0.4"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="bend" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 1 0"/></joint>
</robot>"""
# The corners of a cube, and its faces, outward.
CUBE = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
         [0, 6, 4], [1, 5, 7], [1, 7, 3]]  # fmt: skip


@pytest.fixture
def arm(tmp_path: Path) -> ougi.Robot:
    (tmp_path / "arm.urdf").write_text(ARM)
    return ougi.Robot.load(tmp_path / "arm.urdf")


def make_cube(center: list[float], size: float, *, solid: bool) -> ougi.Mesh:
    return ougi.Mesh(np.array(center) + size * CUBE, FACES, solid=solid)


def find_gaps(robot: ougi.Robot, q: Floats, obstacle: ougi.Shape) -> Floats:
    """The smallest gap to an obstacle at each configuration, shape by shape."""
    poses = robot.forward_kinematics(q)
    gaps = [
        [float(ougi.distance(own.shape.transformed(pose), obstacle)) for pose in poses[own.link]]
        for own in robot.shapes
    ]
    smallest: Floats = np.min(gaps, axis=0)
    return smallest


@pytest.mark.parametrize("seed", range(4))
def test_gaps_to_a_half_space_are_those_of_single_shapes(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    robot = ougi.Robot.load(draw_robot("spheres", rng).write(tmp_path))
    q = rng.uniform(-2, 2, (40, robot.dof))
    up = rng.normal(size=3)
    for offset in (-30.0, -1.0, 0.3, 40.0):
        ground = ougi.HalfSpace3d(up, offset)
        found, expected = robot.distance(q, ground), find_gaps(robot, q, ground)
        hits = robot.collides(q, ground)
        own = robot.distance(q).distance
        apart = expected > 1e-9
        np.testing.assert_array_equal(hits, (expected <= 0) | robot.collides(q))
        nearest = np.minimum(expected, own)[apart & (own > 1e-9)]
        np.testing.assert_allclose(found.distance[apart & (own > 1e-9)], nearest, atol=1e-9)


def test_a_slide_may_leave_the_limits_above_a_half_space(tmp_path: Path) -> None:
    """The box behind a half-space must reach as far as the values that are given."""
    (tmp_path / "cart.urdf").write_text("""<robot name="cart"><link name="rail"/><link name="cart">
      <collision><geometry><sphere radius="1"/></geometry></collision></link>
      <joint name="x" type="prismatic"><parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/></joint>
      </robot>""")
    cart, ground = ougi.Robot.load(tmp_path / "cart.urdf"), ougi.HalfSpace3d([0, 0, 1], -2.0)
    assert cart.distance([[0.0], [1e4], [-3e5]], ground).distance.tolist() == [1.0, 1.0, 1.0]
    slope = ougi.HalfSpace3d([1, 0, 0], -1000.0)
    found = cart.first_contact([[0.0], [0.0]], [[-2000.0], [5000.0]], slope)
    assert found.status.tolist() == [ougi.Status.HIT, ougi.Status.FREE]
    assert found.t[0] == pytest.approx(999 / 2000, abs=1e-11)
    np.testing.assert_allclose(found.normal[0], [-1, 0, 0], atol=1e-12)
    assert not cart.certify([-999.5], [5.0], slope, max_boxes=100).is_free
    assert cart.certify([-998.5], [5.0], slope, max_boxes=100).is_free


def test_first_contacts_with_a_floor_are_those_of_a_scan(arm: ougi.Robot) -> None:
    floor, edge = ougi.HalfSpace3d([0, 0, 1], -0.1), ([0.0, 0.0], [1.0, 1.5])
    found = arm.first_contact(*edge, floor)
    t = np.linspace(0, 1, 2001)
    gaps = find_gaps(arm, (1 - t[:, None]) * edge[0] + t[:, None] * edge[1], floor)
    first = np.flatnonzero(gaps <= 0)[0]
    assert t[first - 1] <= found.t <= t[first]
    assert arm.shapes[int(found.shape)].link == "fore"
    assert found.point[2] == pytest.approx(-0.1, abs=1e-9)


CONES = ougi.Cone([0.2, 0.5, 0.1], [1, 2, 0.5], [0.2, 0.0, 0.3], [0.2, 0.3, 0.0])
EGGS = ougi.Ellipsoid(
    [0.2, 0.5, 0.1], [[0.1, 0.3, 0.05], [0.2, 0.2, 0.0], [0.0, 0.3, 0.0]], [0.0, 0.6, 0.0, 0.8]
)


@pytest.mark.parametrize("batch", [CONES, EGGS])
def test_first_contacts_with_curved_obstacles_are_those_of_a_scan(batch: ougi.Shape, arm: ougi.Robot) -> None:
    """Also where radii and heights are zero, and with curved tools."""
    rng = np.random.default_rng(3)
    tool = arm.attach("fore", ougi.Cone([0.45, 0, 0], [1, 0, 0], 0.06, 0.08))
    tool = tool.attach("fore", ougi.Ellipsoid([0.1, 0.1, 0], [0.1, 0.03, 0.05]))
    hits = 0
    for obstacle in batch:
        for _ in range(15):
            place = ougi.Pose(rng.normal(size=3) * 0.15, random_rotation(rng))
            moved, q0, q1 = obstacle.transformed(place), *rng.uniform(-2, 2, (2, 2))
            found = tool.first_contact(q0, q1, moved)
            t = np.linspace(0, 1.0 if np.isnan(found.t) else float(found.t), 150)
            gaps = find_gaps(tool, (1 - t[:, None]) * q0 + t[:, None] * q1, moved)
            assert found.status in (ougi.Status.FREE, ougi.Status.HIT, ougi.Status.OVERLAPPING)
            assert (gaps[:-1] > -1e-9).all() or found.status == ougi.Status.OVERLAPPING
            assert not found.hit or gaps[-1] < 3e-9
            assert found.status != ougi.Status.HIT or gaps[-1] > -1e-9
            hits += int(found.hit)
            distance = tool.distance(q0, moved).distance
            assert distance == pytest.approx(gaps[0], abs=1e-8) if gaps[0] > 1e-7 else distance < 2e-7
    assert 4 < hits < 40


def random_rotation(rng: np.random.Generator) -> Floats:
    matrix = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn: Floats = matrix * np.sign(np.linalg.det(matrix))
    return turn


FLOOR = """<robot name="r"><link name="floor"><collision><origin xyz="0 0 -0.2"/><geometry>
  <plane normal="0 0 1"/></geometry></collision></link>
  <link name="base"/><joint name="stand" type="fixed"><parent link="floor"/><child link="base"/></joint>"""


def test_the_floor_of_a_robot_file_is_a_half_space(arm: ougi.Robot, tmp_path: Path) -> None:
    """A plane on a link that rests is checked like an obstacle; its link is not, because it never moves."""
    head, tail = ARM.split('<link name="base"/>')
    path = tmp_path / "r.urdf"
    path.write_text(FLOOR + tail)
    robot = ougi.Robot.load(path)
    q = np.random.default_rng(5).uniform(-3, 3, (200, 2))
    ground = ougi.HalfSpace3d([0, 0, 1], -0.2)
    # The upper arm is a neighbour of the floor at a joint, and is never as low.
    np.testing.assert_array_equal(robot.collides(q), arm.collides(q, ground))
    np.testing.assert_array_equal(robot.distance(q).distance, arm.distance(q, ground).distance)
    np.testing.assert_array_equal(robot.is_free(q[:100], q[100:]), arm.is_free(q[:100], q[100:], ground))
    path.write_text(
        head + '<link name="base"/>' + tail.replace('<capsule radius="0.04" length="0.4"/>', "<plane/>")
    )
    with pytest.raises(ougi.scene.SceneError, match=r"r.urdf:\d+: link 'fore': a plane has no end, so"):
        ougi.Robot.load(path)
    with pytest.raises(ValueError, match="got a HalfSpace3d on link 'fore', which moves"):
        arm.attach("fore", ground)


def test_cylinders_that_touch_are_found_within_the_tolerance(tmp_path: Path) -> None:
    """Rounding of nearly touching points decided: four of these edges were undecided."""
    rng = np.random.default_rng(244)
    robot = ougi.Robot.load(draw_robot("convex", rng).write(tmp_path))
    obstacles = draw_obstacles("convex", int(rng.integers(0, 5)), rng)
    edges = draw_edges(100, robot.dof, rng)
    found = robot.first_contact_of_polynomials(edges, obstacles)
    assert found.hit.sum() > 30
    assert not (found.status == ougi.Status.UNDECIDED).any()


def test_parts_of_compounds_are_one_obstacle(arm: ougi.Robot) -> None:
    far, post = ougi.Sphere([5, 0, 0], 1), ougi.Capsule3d([0.6, 0.3, -1], [0.6, 0.3, 1], 0.02)
    gate = ougi.Compound3d([ougi.Box([0.6, -0.3, 0], [0.05, 0.05, 2]), post])
    edge = [0.0, 0.0], [1.0, 0.0]
    alone = arm.first_contact(*edge, [far, post])
    joined = arm.first_contact(*edge, [far, gate, far])
    assert alone.obstacle == joined.obstacle == 1
    assert alone.t == joined.t
    assert arm.first_contact([0.0, 0.0], [-1.0, 0.0], [gate, gate]).obstacle == 0
    tool = arm.attach("fore", ougi.Compound3d([ougi.Sphere([0.5, 0, 0], 0.1), ougi.Sphere([0.8, 0, 0], 0.1)]))
    assert [own.link for own in tool.shapes] == ["upper", "fore", "fore", "fore"]


def test_bodies_of_a_world_are_obstacles_where_they_are_now(arm: ougi.Robot) -> None:
    world = ougi.World()
    world.add(ougi.Sphere([0.6, 0.9, 0.2], 0.1), ougi.Translation3d([0, -0.3, 0]))
    world.add(ougi.Box([3, 3, 3], [1, 1, 1]))
    edge = [0.0, 0.0], [1.0, 0.0]
    assert arm.is_free(*edge, world)
    world.step(1.0)
    found = arm.first_contact(*edge, world)
    assert found.obstacle == 0
    assert found.t == arm.first_contact(*edge, ougi.Sphere([0.6, 0.6, 0.2], 0.1)).t


@pytest.mark.parametrize("moved", [False, True])
def test_what_is_inside_of_a_solid_mesh_touches_it(moved: bool, arm: ougi.Robot) -> None:
    """As for `intersects`; the surface of the mesh is never touched."""
    hall, shell = (make_cube([0, 0, 0], 4.0, solid=solid) for solid in (True, False))
    if moved:
        place = ougi.Pose([0.1, 0.2, 0.3], [0, 0.6, 0, 0.8])
        hall, shell = hall.transformed(place), shell.transformed(place)
    edge = [[0.0, 0.0], [0.5, 1.0]], [[1.0, 0.5], [-1.0, 0.0]]
    assert arm.is_free(*edge, shell).all()
    assert not arm.is_free(*edge, hall).any()
    found = arm.first_contact(*edge, [ougi.Sphere([9, 9, 9], 1), hall])
    assert (found.status == ougi.Status.OVERLAPPING).all()
    assert found.t.tolist() == [0, 0]
    assert found.obstacle.tolist() == [1, 1]
    assert ougi.intersects(found.point, hall).all()
    assert arm.collides(edge[0], hall).all()
    gaps = arm.distance(edge[0], hall)
    assert gaps.distance.tolist() == [0.0, 0.0]
    assert gaps.obstacle.tolist() == [0, 0]
    assert arm.certify([-1, -1], [1, 1], shell, max_boxes=100).is_free
    inside = arm.certify([-1, -1], [1, 1], hall, max_boxes=100)
    assert (inside.colliding, inside.free, inside.unknown) == (1.0, 0.0, 0.0)


def test_only_what_starts_inside_of_a_solid_mesh_overlaps_at_once(arm: ougi.Robot) -> None:
    """The forearm passes a cube that swallows its tip; a small cube lies around nothing."""
    hall = make_cube([0.9, 0.0, 0.2], 0.5, solid=True)
    outside = arm.first_contact([1.5, 0.0], [0.0, 0.0], hall)
    assert outside.status == ougi.Status.HIT
    assert outside == arm.first_contact([1.5, 0.0], [0.0, 0.0], make_cube([0.9, 0.0, 0.2], 0.5, solid=False))
    tip = arm.with_spheres(["fore"], [[0.4, 0, 0]], [0.01])
    leaving = tip.first_contact([0.0, 0.0], [1.5, 0.0], hall)
    assert leaving.status == ougi.Status.OVERLAPPING
    assert leaving.t == leaving.shape == 0


def test_a_scene_with_a_solid_mesh_reports_robots_inside_of_it(arm: ougi.Robot, tmp_path: Path) -> None:
    """Also beside other contacts, which leave the search to the loop of robots."""
    (tmp_path / "arm.csv").write_text("time,turn,bend\n0,0,0\n1,1,0.3\n")
    scene = ougi.load_scene(tmp_path / "arm.urdf", trajectory=tmp_path / "arm.csv")
    hall, ball = make_cube([0, 0, 0], 9.0, solid=True), ougi.Sphere([0.6, 0.5, 0.2], 0.1)
    for others in ([], [Body("ball", ball)]):
        report = ougi.check(replace(scene, bodies=(*scene.bodies, Body("hall", hall), *others)))
        found = {pair for pair in report.names(report.contacts) if "hall" in pair}
        assert {("upper", "hall"), ("fore", "hall")} <= found
        assert not report.certified


def test_shapes_of_robots_are_surfaces(arm: ougi.Robot) -> None:
    with pytest.raises(ValueError, match="shape must be a surface, got a solid Mesh"):
        arm.attach("fore", make_cube([0, 0, 0], 1.0, solid=True))
    assert len(arm.attach("fore", make_cube([0, 0, 0], 0.1, solid=False)).shapes) == 3
