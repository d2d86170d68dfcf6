"""Robots against plain matrices, brute force over samples, and pinocchio where it is installed."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi_lab.scenes.robots import draw_robot

ARM = """<robot name="arm">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.1"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.25 0 0"/>
    <geometry><box size="0.5 0.06 0.06"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><capsule radius="0.04" length="0.4"/></geometry></collision></link>
  <link name="flange"/>
  <link name="left"><collision><geometry><sphere radius="0.03"/></geometry></collision></link>
  <link name="right"><collision><geometry><sphere radius="0.03"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="bend" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><parent link="fore"/><child link="flange"/><origin xyz="0.5 0 0"/></joint>
  <joint name="open" type="prismatic"><parent link="flange"/><child link="left"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>
  <joint name="follow" type="prismatic"><parent link="flange"/><child link="right"/><axis xyz="0 1 0"/>
    <mimic joint="open" multiplier="-1" offset="-0.1"/></joint>
</robot>"""


@pytest.fixture
def arm(tmp_path: Path) -> ougi.Robot:
    (tmp_path / "arm.urdf").write_text(ARM)
    return ougi.Robot.load(tmp_path / "arm.urdf")


def test_columns_are_the_joints_that_follow_no_other(arm: ougi.Robot) -> None:
    assert arm.joint_names == ("turn", "bend", "open")
    assert arm.dof == 3
    assert arm.limits.tolist() == [[-3, 3], [-np.inf, np.inf], [0, 0.1]]


def test_neighbours_and_rigid_assemblies_are_not_checked(arm: ougi.Robot) -> None:
    links = [shape.link for shape in arm.shapes]
    checked = {(links[a], links[b]) for a, b in arm.checked_pairs.tolist()}
    assert checked == {
        ("base", "fore"), ("base", "left"), ("base", "right"), ("upper", "left"), ("upper", "right"),
        ("left", "right"),
    }  # fmt: skip


def test_poses_follow_joints_and_mimics(arm: ougi.Robot) -> None:
    poses = arm.forward_kinematics([[math.pi / 2, 0, 0.1], [0, -math.pi / 2, 0.0]])
    np.testing.assert_allclose(poses["left"].position[0], [-0.1, 1.0, 0.2], atol=1e-15)
    np.testing.assert_allclose(poses["right"].position, [[0.2, 1.0, 0.2], [0.5, -0.1, 0.7]], atol=1e-15)
    assert poses["base"].shape == (2,)


@pytest.mark.parametrize("seed", range(20))
def test_poses_of_random_robots_are_products_of_matrices(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    drawn = draw_robot("spheres", rng)
    robot = ougi.Robot.load(drawn.write(tmp_path))
    q = rng.uniform(-3, 3, (7, robot.dof))
    order = [robot.joint_names.index(name) for name in drawn.columns]
    for k, expected in enumerate(drawn.place_links(q[:, order])):
        found = robot.forward_kinematics(q)[f"l{k}"]
        np.testing.assert_allclose(found.matrix(), expected, rtol=0, atol=1e-13)


def _sample(robot: ougi.Robot, q0: Floats, q1: Floats, obstacle: ougi.Shape, n: int = 4001) -> Floats:
    """The smallest gap to an obstacle at n times, shape by shape."""
    t = np.linspace(0, 1, n)[:, None]
    poses = robot.forward_kinematics((1 - t) * q0 + t * q1)
    gaps = [
        np.asarray([ougi.distance(s.shape.transformed(pose), obstacle) for pose in poses[s.link]])
        for s in robot.shapes
        if not isinstance(s.shape, ougi.Sector3d)
    ]
    smallest: Floats = np.min(gaps, axis=0)
    return smallest


@pytest.mark.parametrize("seed", range(6))
def test_first_contacts_are_those_of_samples(seed: int, arm: ougi.Robot) -> None:
    rng = np.random.default_rng(seed)
    ball = ougi.Sphere(rng.uniform([0.2, -0.6, 0], [0.9, 0.6, 0.5]), 0.05)
    q0, q1 = rng.uniform(-1.5, 1.5, (2, arm.dof)) * [1, 1, 0.05]
    found = arm.first_contact(q0, q1, ball)
    gaps = _sample(arm, q0, q1, ball, 801)
    touching = np.flatnonzero(gaps <= 0)
    if found.obstacle < 0:  # free, or the arm touches itself first
        end = 1.0 if found.status == 0 else float(found.t)
        assert not len(touching) or touching[0] / 800 > end
        return
    assert found.t <= touching[0] / 800 + 1e-9 if len(touching) else True
    assert arm.distance(q0 + found.t * (q1 - q0), ball).distance == pytest.approx(0, abs=2e-9)


def test_a_thin_obstacle_between_two_samples_is_found(arm: ougi.Robot) -> None:
    wire = ougi.Capsule3d([0.6, 0.4, -1], [0.6, 0.4, 1], 1e-4)
    q0, q1 = [0.0, 0, 0.05], [1.5, 0, 0.05]
    assert not arm.collides([q0, q1], wire).any()
    found = arm.first_contact(q0, q1, wire)
    assert found.status == ougi.Status.HIT
    assert arm.shapes[int(found.shape)].link in ("fore", "left")
    assert not arm.is_free(q0, q1, wire)
    assert arm.is_free(q0, [-1.5, 0, 0.05], wire)
    np.testing.assert_allclose(np.linalg.norm(found.normal), 1.0)
    assert ougi.distance(found.point, wire) == pytest.approx(0, abs=1e-8)


def test_self_contacts_name_both_shapes(arm: ougi.Robot) -> None:
    found = arm.first_contact([0, 0, 0.0], [0, math.pi, 0.0])
    assert found.hit
    assert found.obstacle == -1
    links = {arm.shapes[int(found.shape)].link, arm.shapes[int(found.other)].link}
    assert links <= {"base", "upper", "fore", "left", "right"}
    gap = arm.distance([0, math.pi * float(found.t), 0]).distance
    assert gap == pytest.approx(0, abs=3e-9)


def test_a_start_in_contact_is_overlapping(arm: ougi.Robot) -> None:
    ball = ougi.Sphere([0.3, 0, 0.2], 0.1)
    found = arm.first_contact([0, 0, 0.05], [1, 0, 0.05], ball)
    assert found.status == ougi.Status.OVERLAPPING
    assert found.t == 0.0


def test_a_margin_moves_contacts_forward(arm: ougi.Robot) -> None:
    ball = ougi.Sphere([0.5, 0.5, 0.2], 0.05)
    edge = [0, 0, 0.05], [1.5, 0, 0.05]
    times = [float(arm.first_contact(*edge, ball, margin=margin).t) for margin in (0.0, 0.02, 0.05)]
    assert times[0] > times[1] > times[2] > 0
    for time, margin in zip(times, (0.0, 0.02, 0.05), strict=True):
        q = np.array(edge[0]) + time * (np.array(edge[1]) - edge[0])
        assert arm.distance(q, ball).distance == pytest.approx(margin, abs=3e-9)


def test_polynomials_of_the_same_path_touch_at_the_same_place(arm: ougi.Robot) -> None:
    ball = ougi.Sphere([0.5, 0.5, 0.2], 0.05)
    q0, q1 = np.array([0, 0, 0.05]), np.array([1.5, 0.2, 0.0])
    straight = arm.first_contact(q0, q1, ball)
    ease = np.array([q0, 0 * q0, 3 * (q1 - q0), -2 * (q1 - q0)])  # 3 t^2 - 2 t^3
    cubic = arm.first_contact_of_polynomials(ease, ball)
    assert 3 * cubic.t**2 - 2 * cubic.t**3 == pytest.approx(float(straight.t), abs=1e-8)


def test_attached_objects_collide(arm: ougi.Robot) -> None:
    ball = ougi.Sphere([0.6, 1.0, 0.2], 0.05)
    edge = [0, 0, 0.0], [1.0, 0, 0.0]
    assert arm.is_free(*edge, ball)
    longer = arm.attach("flange", ougi.Box([0.1, 0, 0], [0.2, 0.02, 0.02]))
    assert len(longer.shapes) == len(arm.shapes) + 1
    assert not longer.is_free(*edge, ball)


def test_ignored_pairs_are_not_checked(arm: ougi.Robot) -> None:
    q = [0, 0, -0.05]  # the fingers overlap
    assert arm.collides(q)
    assert not arm.ignore([("right", "left")]).collides(q)


def test_constant_pairs_are_reported_and_not_excluded(arm: ougi.Robot) -> None:
    always, never = arm.find_constant_pairs(200)
    assert always == []
    assert ("left", "right") in never  # within the limits the fingers stay apart
    assert arm.collides([0, 0, -0.05])


def test_spheres_replace_shapes(arm: ougi.Robot) -> None:
    spheres = arm.with_spheres(["upper", "fore"], [[0.2, 0, 0], [0.3, 0, 0]], [0.1, 0.2])
    assert [s.link for s in spheres.shapes] == ["upper", "fore"]
    assert spheres.shapes[1].shape == ougi.Sphere([0.3, 0, 0], 0.2)
    gap = spheres.distance([0, 0, 0], ougi.Sphere([2, 0, 0.2], 0.5))
    assert gap.distance == pytest.approx(0.5, abs=1e-15)
    assert gap.shape == 1
    assert gap.obstacle == 0


def test_batches_broadcast_and_may_be_empty(arm: ougi.Robot) -> None:
    ball = ougi.Sphere([0.5, 0.5, 0.2], 0.05)
    goals = np.full((4, 2, 3), [0.3, 0, 0.05])
    assert arm.first_contact([0, 0, 0.05], goals, ball).t.shape == (4, 2)
    assert arm.is_free(np.zeros((0, 3)), np.zeros((0, 3)), ball).shape == (0,)
    assert arm.collides(np.zeros((0, 3))).shape == (0,)
    assert arm.distance(np.zeros((0, 3)), ball).distance.shape == (0,)
    assert arm.forward_kinematics(np.zeros((0, 3)))["left"].shape == (0,)
    assert arm.forward_kinematics(np.zeros((2, 0, 3)))["base"].shape == (2, 0)


def test_joint_values_and_counts_out_of_range_are_refused(arm: ougi.Robot) -> None:
    with pytest.raises(ValueError, match=r"q must not exceed 6\.28319e\+06, got 10000000.0 at index 1"):
        arm.collides([0, 1e7, 0])
    with pytest.raises(ValueError, match="samples must not exceed 10000000"):
        arm.find_constant_pairs(2**31)
    with pytest.raises(ValueError, match="max_intervals must not exceed"):
        arm.is_free([0, 0, 0], [1, 0, 0], max_intervals=2**70)


def test_results_do_not_depend_on_threads(arm: ougi.Robot) -> None:
    rng = np.random.default_rng(0)
    q0, q1 = rng.uniform(-1.5, 1.5, (2, 2000, 3)) * [1, 1, 0.03]
    box = ougi.Box([0.6, 0.3, 0.2], [0.1, 0.1, 0.1])
    found = []
    for n in (1, 2):
        ougi.set_threads(n)
        found.append(arm.first_contact(q0, q1, box))
    ougi.set_threads(None)
    assert found[0] == found[1]


def test_hulls_are_obstacles_and_tools(arm: ougi.Robot) -> None:
    corners = np.array([[x, y, z] for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1)])
    place = ougi.Pose([0.55, 0.45, 0.15])
    hull, box = ougi.ConvexHull3d(corners), ougi.Box([0.05, 0.05, 0.05], [0.1, 0.1, 0.1])
    edge = [0, 0, 0.05], [1.5, 0, 0.05]
    for margin in (0.0, 0.01):
        found = [arm.first_contact(*edge, x.transformed(place), margin=margin) for x in (hull, box)]
        assert float(found[0].t) == pytest.approx(float(found[1].t), abs=1e-7)
    ball = ougi.Sphere([0.56, 0.95, 0.25], 0.05)
    times = [float(arm.attach("flange", x).first_contact(*edge, ball).t) for x in (hull, box)]
    assert times[0] == pytest.approx(times[1], abs=1e-7)


def test_shares_of_a_box_are_those_of_samples(arm: ougi.Robot) -> None:
    spheres = arm.with_spheres(
        ["upper", "fore", "fore"], [[0.3, 0, 0], [0.1, 0, 0], [0.4, 0, 0]], [0.1, 0.08, 0.08]
    )
    ball = ougi.Sphere([0.6, 0.3, 0.3], 0.15)
    lower, upper = np.array([-1, -1, 0.05]), np.array([1, 1, 0.05])
    found = spheres.certify(lower, upper, ball, max_boxes=3000)
    assert found.free + found.colliding + found.unknown == pytest.approx(1, abs=1e-12)
    assert found.unknown < 0.1
    q = np.random.default_rng(0).uniform(lower, upper, (20_000, 3))
    is_open = np.zeros(len(q), np.bool_)
    for low, high in zip(found.open_lower, found.open_upper, strict=True):
        is_open |= ((low <= q) & (q <= high)).all(axis=1)
    touching = spheres.collides(q, ball)
    for share, rows in ((found.colliding, touching & ~is_open), (found.free, ~touching & ~is_open)):
        assert abs(rows.mean() - share) < 4 * math.sqrt(share * (1 - share) / len(q))
    assert found.witness is not None
    assert spheres.collides(found.witness, ball)


def test_a_box_is_certified_in_parts(arm: ougi.Robot) -> None:
    box, ball = ([-0.5, -0.5, 0], [0.5, 0.5, 0.05]), ougi.Sphere([0.3, 0.9, 0.2], 0.1)
    seen: list[tuple[float, ...]] = []
    first = arm.certify(*box, ball, max_boxes=2, progress=lambda *shares: seen.append(shares))
    assert not first.is_free
    assert seen[-1][2] == first.unknown > 0
    rest = arm.certify(*box, ball, resume=first)
    assert rest.is_free
    assert rest.free == pytest.approx(1, abs=1e-12)
    assert rest.boxes == arm.certify(*box, ball).boxes
    with pytest.raises(ValueError, match="same box"):
        arm.certify([-1, -1, 0], [1, 1, 0], ball, resume=first)
    # What is proven for one robot among one list of obstacles says nothing of another one.
    other = ougi.Sphere([0.5, 0, 0.2], 0.3)
    for robot, obstacles, margin in (
        (arm, other, 0.0),
        (arm, None, 0.0),
        (arm, ball, 0.1),
        (arm.attach("left", ougi.Sphere([0, 0, 0], 0.2)), ball, 0.0),
        (arm.ignore([("base", "fore")]), ball, 0.0),
    ):
        with pytest.raises(ValueError, match="same robot, obstacles and margin"):
            robot.certify(*box, obstacles, margin=margin, resume=first)


def test_limits_that_no_joint_reaches_are_none_when_sampling(tmp_path: Path) -> None:
    """As in `iris.urdf` of example-robot-data, whose samples were refused."""
    text = ARM.replace('lower="-3" upper="3"', 'lower="-1e16" upper="1e16"')
    (tmp_path / "arm.urdf").write_text(text)
    arm = ougi.Robot.load(tmp_path / "arm.urdf")
    lower, upper = arm.get_sampling_bounds()
    assert (lower.tolist(), upper.tolist()) == ([-np.pi, -np.pi, 0], [np.pi, np.pi, 0.1])
    assert arm.find_constant_pairs(5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda arm: arm.collides([0, 0]),
            r"q must have shape \(..., 3\), a value for each of turn, bend, open",
        ),
        (lambda arm: arm.collides([0, 0, math.nan]), "q must be finite"),
        (
            lambda arm: arm.is_free([0, 0, 0], [0, 0]),
            r"q0 and q1 must have shape \(..., 3\).* got \(3,\) and \(2,\)",
        ),
        (lambda arm: arm.is_free([0, 0], [0, 0]), "a value for each of turn, bend, open"),
        (lambda arm: arm.is_free(0, 1), r"q0 and q1 must have shape .* got \(\) and \(\)"),
        (
            lambda arm: arm.first_contact_of_polynomials(np.zeros((4, 2))),
            r"coefficients must have shape \(..., degree \+ 1, 3\), a column for each of turn.* \(4, 2\)",
        ),
        (lambda arm: arm.first_contact_of_polynomials(np.zeros((0, 3))), "coefficients must have shape"),
        (lambda arm: arm.is_free([0, 0, 0], [0, 0, 1], tol=0), "tol must be positive"),
        (lambda arm: arm.certify([0, 0, 1], [0, 0, 0]), "lower must not exceed upper"),
        (lambda arm: arm.attach("wrist", ougi.Sphere([0, 0, 0], 1)), "there is no link 'wrist'"),
        (lambda arm: arm.ignore([("left", "rihgt")]), "did you mean 'right'"),
        (lambda arm: arm.ignore(("left", "right")), "pairs must be pairs of names of links, got 'left'"),
        (lambda arm: arm.ignore([("left",)]), r"pairs must be pairs of names of links, got \('left',\)"),
        (lambda arm: arm.certify([0, 0, 0], [1, 1, 0], resume=0), "resume must be a RobotEnvelope, got int"),
        (lambda arm: arm.with_spheres(["left"], [[0, 0, 0]] * 2, 1), "of one length"),
        (lambda arm: arm.collides([0, 0, 0], ougi.Circle([0, 0], 1)), "cannot be checked against a Circle"),
    ],
)
def test_mistakes_are_named(call: object, message: str, arm: ougi.Robot) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call(arm)  # type: ignore[operator]


def test_obstacles_must_be_shapes(arm: ougi.Robot) -> None:
    with pytest.raises(TypeError, match="obstacles must be shapes, got float at index 0"):
        arm.collides([0, 0, 0], [1.0])  # type: ignore[list-item]


def test_a_file_of_mujoco_is_refused_with_the_line_that_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text("<mujoco model='arm'><worldbody/></mujoco>")
    for load in (ougi.Robot.load, ougi.load_scene):
        with pytest.raises(ougi.SceneError, match="from_mujoco"):
            load(path)


@pytest.mark.parametrize("model", [None, "arm.xml", {}])
def test_what_is_no_model_of_mujoco_is_refused(model: object) -> None:
    with pytest.raises(TypeError, match=rf"model must be a mujoco.MjModel .*, got {type(model).__name__}"):
        ougi.Robot.from_mujoco(model)
