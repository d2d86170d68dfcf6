"""Pictures: polygons and meshes lie on their shapes, near things hide far ones, colours mark hits."""

from __future__ import annotations

import dataclasses
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi._typing import Floats
from ougi.plot import ABOVE, BLUE, RED, Camera, Picture, bodies, camera
from ougi.shapes import Mesh

# --- polygons and meshes --------------------------------------------------------------------------------


def volume(mesh: Mesh) -> float:
    """By the divergence theorem: positive if the mesh is closed and wound outward."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return float((a * np.cross(b, c)).sum() / 6)


def area(outline: Floats) -> float:
    x, y = outline.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2)


def test_corners_lie_on_the_border_of_every_shape(shapes: Any) -> None:
    batch = shapes.build((5,), seed=4)
    for one in bodies.iter_shapes(batch):
        points = bodies.build_outline(one) if one.dimension == 2 else corners(one)
        assert np.abs(ougi.distance(one, points)).max() < 1e-9
        bounds = one.bounds()
        slack = 0.01 * float(np.linalg.norm(bounds.upper - bounds.lower))
        assert points.min(axis=0) == pytest.approx(bounds.lower, abs=slack)
        assert points.max(axis=0) == pytest.approx(bounds.upper, abs=slack)


def corners(one: Any) -> Floats:
    return (
        np.stack([one.start, one.end]) if isinstance(one, ougi.Segment3d) else bodies.build_mesh(one).vertices
    )


@pytest.mark.parametrize(
    ("shape", "true"),
    [
        (ougi.Sphere([1, 2, 3], 2), 4 / 3 * math.pi * 8),
        (ougi.Capsule3d([1, 0, 0], [0, 2, 2], 0.5), 4 / 3 * math.pi * 0.125 + 0.25 * math.pi * 3),
        (ougi.Capsule3d([1, 0, 0], [1, 0, 0], 0.5), 4 / 3 * math.pi * 0.125),
        (ougi.Box([5, 5, 5], [1, 2, 3], [0.5, 0.5, 0.5, 0.5]), 6),
        (ougi.Aabb3d([1, 1, 1], [2, 3, 5]), 8),
        (ougi.Sector3d([3, 0, 0], [1, 1, 0], [0, 0, 1], 1.0, 1, 2, 0.5), 3.0),
    ],
)
def test_meshes_of_solids_are_closed_and_wound_outward(shape: ougi.Shape, true: float) -> None:
    assert volume(bodies.build_mesh(shape)) == pytest.approx(true, rel=0.02)


SQUARE = np.array([[0.0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]])


@pytest.mark.parametrize(
    ("points", "parts"),
    [
        (SQUARE[:1], (0, 0, 0)),
        (SQUARE[:2], (0, 0, 2 * math.pi)),
        (SQUARE, (0, 12, 10 * math.pi / 2)),
        (np.concatenate([SQUARE, np.add(SQUARE, [0, 0, 4])]), (24, 52, 9 * math.pi)),
        (10 * SQUARE[:3], (0, 600, (50 + 10 * math.sqrt(13)) * math.pi / 2)),
    ],
)
def test_rounded_hulls_are_closed_and_have_the_volume_of_steiner(
    points: Floats, parts: tuple[float, float, float]
) -> None:
    """V + A r + M r^2 + 4/3 pi r^3, with the volume, the surface and the mean curvature of the hull."""
    hull = ougi.ConvexHull3d(np.add(points, [5, 6, 7]), 0.5)
    mesh = bodies.build_mesh(hull)
    assert np.abs(ougi.distance(hull, mesh.vertices)).max() < 1e-9
    sides = {tuple(side) for face in mesh.faces for side in zip(face, np.roll(face, -1), strict=True)}
    assert {(b, a) for a, b in sides} == sides
    true = sum(part * 0.5**k for k, part in enumerate((*parts, 4 / 3 * math.pi)))
    assert volume(mesh) == pytest.approx(true, rel=0.02)


def test_a_rounded_hull_of_many_vertices_has_a_mesh_of_as_many_faces() -> None:
    """Not the hull of as many balls, which takes hours."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(400, 3))
    hull = ougi.ConvexHull3d(points / np.linalg.norm(points, axis=1, keepdims=True), 0.1)
    mesh = bodies.build_mesh(hull)
    assert len(mesh.faces) < 40 * 400
    assert volume(mesh) == pytest.approx(4 / 3 * math.pi * 1.1**3, rel=0.05)


@pytest.mark.parametrize(
    ("shape", "true"),
    [
        (ougi.Circle([1, 2], 2), 4 * math.pi),
        (ougi.Capsule2d([1, 0], [1, 3], 0.5), 0.25 * math.pi + 3),
        (ougi.Rectangle([4, 4], [2, 3], 0.7), 6),
        (ougi.Aabb2d([1, 1], [2, 3]), 2),
        (ougi.Sector2d([3, 0], [1, 1], 1.0, 1, 2), 3.0),
    ],
)
def test_outlines_run_counter_clockwise_round_the_whole_area(shape: ougi.Shape, true: float) -> None:
    assert area(bodies.build_outline(shape)) == pytest.approx(true, rel=0.01)


def test_shapes_without_the_requested_kind_of_surface_are_refused() -> None:
    with pytest.raises(TypeError, match="of the plane, got Sphere"):
        bodies.build_outline(ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(TypeError, match="have a surface, got Circle"):
        bodies.build_mesh(ougi.Circle([0, 0], 1))


# --- the camera -----------------------------------------------------------------------------------------


def test_a_camera_keeps_lengths_and_right_handedness() -> None:
    seen = Camera(azimuth=23, elevation=-41).project(np.eye(3))
    assert seen @ seen.T == pytest.approx(np.eye(3))
    assert np.linalg.det(seen) == pytest.approx(1)


def test_what_stands_upright_is_drawn_upright() -> None:
    right, up, _ = Camera(azimuth=70, elevation=20).project(np.array([0.0, 0, 1]))
    assert right == pytest.approx(0)
    assert up > 0


@pytest.mark.parametrize(("view", "edges"), [(Camera(-60, 30), 9), (ABOVE, 4)])
def test_the_visible_edges_of_a_cube_are_drawn_without_its_diagonals(view: Camera, edges: int) -> None:
    cube = bodies.build_mesh(ougi.Box([0, 0, 0], [1, 1, 1]))
    seen = Mesh._from_arrays(view.project(cube.vertices), cube.faces)
    assert len(camera.find_visible_edges(seen, solid=True)) == edges


def test_open_meshes_show_all_their_borders() -> None:
    triangle = bodies.build_mesh(ougi.Triangle3d([0, 0, 0], [0, 1, 0], [1, 0, 0]))
    assert len(camera.find_visible_edges(triangle, solid=False)) == 3


def test_cutting_keeps_the_area_and_leaves_no_long_side() -> None:
    rng = np.random.default_rng(0)
    triangles = rng.uniform(-1, 1, (20, 3, 3))
    pieces, owner = camera.cut_polygons(triangles, 0.3)

    def areas(t: Floats) -> Floats:
        return np.asarray(np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1) / 2)

    assert np.linalg.norm(np.roll(pieces, -1, axis=1) - pieces, axis=-1).max() <= 0.3
    assert np.bincount(owner, areas(pieces)) == pytest.approx(areas(triangles))


# --- pictures -------------------------------------------------------------------------------------------


def pixels(picture: Picture, path: Path) -> Floats:
    """The colours of a saved picture, 0 to 1."""
    from matplotlib.image import imread

    found: Floats = imread(str(picture.save(path)))[..., :3].astype(np.float64)
    return found


def share(image: Floats, color: str) -> float:
    """How much of a picture has about the hue of a colour."""
    from matplotlib.colors import to_rgb

    def hue(rgb: Floats) -> Floats:
        centred = rgb - rgb.mean(axis=-1, keepdims=True)
        return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=-1, keepdims=True), 1e-3))

    colored = np.ptp(image, axis=-1) > 0.2
    return float(((hue(image) @ hue(np.array(to_rgb(color))) > 0.97) & colored).mean())


@pytest.mark.parametrize(("azimuth", "near", "far"), [(0, RED, BLUE), (180, BLUE, RED)])
def test_near_things_hide_far_ones(azimuth: float, near: str, far: str, tmp_path: Path) -> None:
    picture = Picture()
    panel = picture.space(camera=Camera(azimuth, 0))
    # Two walls; a large face must not win over a small one because of where its middle is.
    panel.draw(ougi.Box([1, 0, 0], [0.2, 2, 2]), color=RED)
    panel.draw(ougi.Box([-1, 0, 0], [0.2, 2, 2]), color=BLUE)
    image = pixels(picture, tmp_path / "walls.png")
    assert share(image, near) > 0.2
    assert share(image, far) < 0.02


def test_a_large_face_does_not_hide_a_small_body_before_its_far_end(tmp_path: Path) -> None:
    turn = [0, 0, math.sin(math.pi / 8), math.cos(math.pi / 8)]
    picture = Picture()
    panel = picture.space(camera=Camera(0, 0))
    panel.draw(ougi.Box([0, 0, 0], [8, 0.1, 3], turn), color=BLUE)  # its middle is nearer than the ball
    panel.draw(ougi.Sphere([-1.5, -2.2, 0], 0.5), color=RED)
    image = pixels(picture, tmp_path / "plate.png")
    assert share(image, RED) > 0.01


def test_bodies_that_pierce_each_other_are_both_seen(tmp_path: Path) -> None:
    picture = Picture()
    panel = picture.space(camera=Camera(-60, 30))
    panel.draw(ougi.Box([0, 0, 0], [4, 0.5, 0.5]), color=RED)
    panel.draw(ougi.Box([0, 0, 0], [0.5, 4, 0.5]), color=BLUE)
    image = pixels(picture, tmp_path / "cross.png")
    assert share(image, RED) == pytest.approx(share(image, BLUE), rel=0.6)


def test_hits_are_red_and_free_shapes_blue(shapes: Any, tmp_path: Path) -> None:
    batch = shapes.build((2, 3), seed=2)
    hit = np.array([True, False, True])  # broadcasts over the batch
    picture = Picture()
    panel = picture.plane() if batch.dimension == 2 else picture.space()
    panel.draw(batch, hit=hit)
    assert list(panel.entries) == ["free", "hit"]
    image = pixels(picture, tmp_path / "batch.png")
    assert share(image, RED) > 0
    assert share(image, BLUE) > 0


@pytest.mark.parametrize("color", [RED, BLUE])
def test_one_answer_has_one_color(color: str, tmp_path: Path) -> None:
    picture = Picture()
    picture.plane().draw(ougi.Circle([[0, 0], [3, 0]], 1), hit=color == RED)
    image = pixels(picture, tmp_path / "one.png")
    other = BLUE if color == RED else RED
    assert share(image, color) > 0.1
    assert share(image, other) < 0.01


def test_points_meshes_and_sweeps_can_be_drawn(tmp_path: Path) -> None:
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 2.0)
    picture = Picture("All that is no plain batch")
    space, plane = picture.space("space"), picture.plane("plane")
    space.draw([[0, 0, 0], [1, 1, 1]], hit=[True, False], label=("in", "out"))
    space.draw(ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], 1, 1, 2, 1).mesh(), hit=True)
    space.draw(ougi.sweep(ougi.Box([2, 0, 0], [1, 1, 1]), turn))
    space.path([[0, 0, 0], [1, 2, 3]], label="way", dashed=True)
    plane.draw(np.zeros((0, 2)), hit=np.zeros(0, np.bool_))
    plane.motion([1, 0], ougi.Rotation2d([0, 0], 1.0))
    assert {"in", "out", "hit", "way"} == set(space.entries)
    assert picture.save(tmp_path / "all.png").stat().st_size > 0


@pytest.mark.parametrize("view", [ABOVE, Camera()])
def test_motions_and_contacts_are_drawn_where_they_are_known(view: Camera, tmp_path: Path) -> None:
    bat, swing = ougi.Box([0.6, 0, 0], [0.8, 0.06, 0.06]), ougi.Rotation3d([0, 0, 0], [0, 0, 1], 3.0)
    balls = ougi.Sphere([[0, 0.7, 0], [0, -0.7, 0]], 0.04)
    impact = ougi.time_of_impact(bat, swing, balls)
    picture = Picture()
    panel = picture.space(camera=view)
    panel.motion(bat, swing, times=impact.t, label="bat")
    before = len(panel.axes.lines)
    panel.contacts(impact)
    assert len(panel.axes.lines) == before + 1  # one of two is hit
    assert panel.axes.lines[-1].get_xydata() == pytest.approx(view.project(impact.point[:1])[:, :2])
    assert picture.save(tmp_path / "bat.png").exists()


@pytest.mark.parametrize("view", [ABOVE, Camera()])
@pytest.mark.parametrize(
    "body",
    [
        ougi.ConvexHull3d([[0, 0, 0]]),
        ougi.ConvexHull3d([[0, 0, 0], [1, 1, 1]]),
        ougi.Compound3d([ougi.ConvexHull3d([[0, 0, 0]]), ougi.Box([2, 0, 0], [1, 1, 1])]),
    ],
    ids=["point", "segment", "compound"],
)
def test_hulls_without_a_surface_and_compounds_are_drawn_on_their_paths(
    body: Any, view: Camera, tmp_path: Path
) -> None:
    picture = Picture()
    panel = picture.space(camera=view)
    panel.draw(body)
    panel.motion(body, ougi.Rotation3d([5, 0, 0], [0, 0, 1], 1.0))
    assert picture.save(tmp_path / "it.png").stat().st_size > 2000


def test_panels_with_the_same_room_show_the_same_part_of_the_world(tmp_path: Path) -> None:
    everything = ougi.Circle([[0, 0], [9, 4]], 1)
    picture = Picture()
    left, right = picture.plane("one"), picture.plane("other")
    for panel, one in zip((left, right), everything, strict=True):
        panel.include(everything)
        panel.draw(one)
    picture.save(tmp_path / "room.png")
    assert left.axes.get_xlim() == pytest.approx(right.axes.get_xlim())
    assert left.axes.get_ylim() == pytest.approx(right.axes.get_ylim())
    assert left.axes.get_xlim()[1] > 10
    assert left.axes.get_aspect() == 1


def test_shapes_of_another_dimension_are_refused() -> None:
    picture = Picture()
    with pytest.raises(ValueError, match="shape must be 2-D on this panel, got a 3-D Sphere"):
        picture.plane().draw(ougi.Sphere([0, 0, 0], 1))
    with pytest.raises(ValueError, match="body must be 3-D on this panel, got a 2-D Circle"):
        picture.space().motion(ougi.Circle([0, 0], 1), ougi.Rotation2d([0, 0], 1))


def test_bad_arguments_are_refused_by_name() -> None:
    plane, balls = Picture().plane(), ougi.Circle([[0, 0], [3, 0]], 1)
    turn = ougi.Rotation2d([0, 0], 1)
    with pytest.raises(ValueError, match=r"hit must have the shapes' batch shape \(2,\), got \(3, 2\)"):
        plane.draw(balls, hit=np.ones((3, 2)))
    with pytest.raises(ValueError, match="hit"):
        plane.draw(balls, hit=[True, False, True])
    for label, hit in (("ball", True), (("hit", "free"), None)):
        with pytest.raises(ValueError, match="label must be a pair with hit and one text without"):
            plane.draw(balls, hit=hit, label=label)
    with pytest.raises(ValueError, match=r"body must be one body, got a batch of shape \(2,\)"):
        plane.motion(balls, turn)
    with pytest.raises(ValueError, match=r"motion must be one motion, got a batch of shape \(1,\)"):
        plane.motion(balls[0], turn[None])
    with pytest.raises(ValueError, match="motion must be 2-D on this panel, got a Translation3d"):
        plane.motion(balls[0], ougi.Translation3d([1, 0, 0]))


@pytest.mark.parametrize("view", [ABOVE, Camera()])
@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((1, 3)), np.array([[0.0, 0.0, 5.0]])])
def test_panels_with_next_to_nothing_can_be_saved(view: Camera, points: Floats, tmp_path: Path) -> None:
    picture = Picture()
    if len(points):
        picture.space(camera=view).draw(points)
    else:
        picture.space(camera=view)
    assert picture.save(tmp_path / "little.png").exists()


def test_the_same_picture_is_the_same_svg(tmp_path: Path) -> None:
    def save_svg(name: str) -> bytes:
        picture = Picture("Twice")
        picture.space().draw(ougi.Sphere([0, 0, 0], 1), label="ball")
        return picture.save(tmp_path / name).read_bytes()

    first = save_svg("a.svg")
    assert first == save_svg("b.svg")
    assert b"<svg" in first


def test_saving_twice_draws_once(tmp_path: Path) -> None:
    picture = Picture()
    panel = picture.space()
    panel.draw(ougi.Sphere([0, 0, 0], 1), label="ball")
    one, two = picture.save(tmp_path / "one.png"), picture.save(tmp_path / "two.png")
    assert one.read_bytes() == two.read_bytes()
    assert len(panel.axes.collections) == 1


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ougi.MissingExtraError, match=r'pip install "ougi\[plot\]"'):
        Picture()


def test_matplotlib_is_loaded_when_a_picture_is_made() -> None:
    program = "import sys, ougi.plot; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_what_points_up_in_y_is_seen_as_what_points_up_in_z() -> None:
    corners = np.random.default_rng(6).normal(size=(9, 3))
    lying = np.stack([corners[:, 0], corners[:, 2], -corners[:, 1]], axis=1)  # y up, as glTF has it
    for view in (Camera(), ABOVE):
        assert np.allclose(dataclasses.replace(view, up="y").project(lying), view.project(corners))


def test_a_plan_of_what_points_up_in_y_names_its_axes() -> None:
    picture = Picture()
    panel = picture.space(camera=dataclasses.replace(ABOVE, up="y"))
    panel.draw(ougi.Box([0, 1, 2], [1, 2, 3]))
    panel.finish()
    assert (panel.axes.get_xlabel(), panel.axes.get_ylabel()) == ("x", "-z")
    assert panel.axes.dataLim.y0 == pytest.approx(-3.5)


def test_texts_beside_near_points_do_not_cover_each_other(tmp_path: Path) -> None:
    picture = Picture()
    panel = picture.plane()
    panel.draw(ougi.Circle([0, 0], 1))
    for k in range(4):
        panel.note([0.001 * k, 0], f"{k} s")
    picture.save(tmp_path / "notes.svg")
    boxes = [note.get_window_extent() for note in panel.axes.texts]
    assert len(boxes) == 4
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("d", [2, 3])
def test_half_spaces_that_move_are_drawn(d: int, tmp_path: Path) -> None:
    """What they cover has no end, so it is not shaded."""
    picture = Picture()
    panel = picture.plane() if d == 2 else picture.space()
    plane = ougi.HalfSpace2d([0, 1]) if d == 2 else ougi.HalfSpace3d([0, 0, 1])
    motion = ougi.Rotation2d([5, 0], 0.3) if d == 2 else ougi.Rotation3d([5, 0, 0], [0, 1, 0], 0.3)
    panel.draw(ougi.Circle([0, 2], 1) if d == 2 else ougi.Sphere([0, 0, 2], 1))
    panel.motion(plane, motion, times=0.5)
    assert picture.save(tmp_path / "moving.png").stat().st_size > 5000
