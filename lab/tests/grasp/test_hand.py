"""The hand: closed convex parts, joints upon joints, limits that do not contradict each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from ougi.radar import Meshes
from ougi_lab.grasp import Hand, build_human_hand
from ougi_lab.grasp.hand import PARTS, part_name
from ougi_lab.grasp.overlaps import is_joined


def change_hand(**fields: Any) -> Hand:
    hand = build_human_hand()
    parts = {name: getattr(hand, name) for name in ("meshes", "pivots", "axes", "lower", "upper", "angles")}
    return Hand(**{**parts, **fields})


def test_parts_are_closed_and_convex() -> None:
    hand = build_human_hand()
    Meshes(hand.meshes)
    for mesh in hand.meshes:
        a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
        volume = (a * np.cross(b, c)).sum() / 6
        assert volume == pytest.approx(ConvexHull(mesh.vertices).volume, rel=1e-9)


def test_it_is_about_as_large_as_the_papers() -> None:
    width, length, thickness = np.ptp(build_human_hand().vertices, axis=0)
    assert 340 < width < 420
    assert 380 < length < 430
    assert thickness == pytest.approx(30)


def test_joints_carry_those_behind_them() -> None:
    hand, rng = build_human_hand(), np.random.default_rng(5)
    angles, turn = rng.uniform(0, 1, (1, 5, 3)), Rotation.from_quat(rng.normal(size=4))
    place = rng.normal(size=3) * 100
    turns, shifts = hand.place_parts(turn.as_matrix()[None], place[None], angles)
    corners = hand.place_vertices(turns, shifts)[0]
    for part in range(1, PARTS):
        finger, last = divmod(part - 1, 3)
        points = hand.meshes[part].vertices
        for joint in range(last, -1, -1):
            pivot = hand.pivots[finger, joint]
            bend = Rotation.from_rotvec(angles[0, finger, joint] * hand.axes[finger, joint])
            points = bend.apply(points - pivot) + pivot
        expected = turn.apply(points) + place
        assert corners[hand.vertex_parts[part] : hand.vertex_parts[part + 1]] == pytest.approx(expected)
        posed = hand.place_meshes(turns, shifts)[0][part]
        assert posed.vertices == pytest.approx(expected)


def test_bent_fingers_come_before_the_palm() -> None:
    hand = build_human_hand()
    angles = np.zeros((1, 5, 3))
    angles[:, 1:, 0] = math.pi / 2
    turns, shifts = hand.place_parts(np.eye(3)[None], np.zeros((1, 3)), angles)
    tips = [hand.place_meshes(turns, shifts)[0][3 * finger + 3].vertices for finger in range(1, 5)]
    assert min(tip[:, 2].min() for tip in tips) > 80


def test_boxes_hold_their_parts() -> None:
    hand = build_human_hand()
    for mesh, box in zip(hand.meshes, hand.boxes, strict=True):
        edges = box[[1, 2, 4]] - box[0]
        inside = (mesh.vertices - box[0]) @ np.linalg.inv(edges)
        assert inside.min() > -1e-9
        assert inside.max() < 1 + 1e-9


def test_hinges_join_the_palm_and_roots_and_neighbours() -> None:
    joined = [(i, j) for i in range(PARTS) for j in range(i + 1, PARTS) if is_joined(i, j)]
    assert len(joined) == 15
    assert part_name(15) == "little finger (tip)"


SPREAD = np.arange(5)[:, None, None]


def wrong(at: tuple[int, int], value: float) -> Any:
    angles = np.zeros((5, 3))
    angles[at] = value
    return angles


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"upper": wrong((2, 1), -0.5)}, "upper must not lie below lower, got -0.5 < 0.0 at joint 1"),
        ({"angles": wrong((0, 2), 2.5)}, "angles must lie within the limits 0.0 to .*, got 2.5 at"),
        ({"meshes": build_human_hand().meshes[:3]}, "meshes must be 16, the palm and 5 x 3 parts, got 3"),
        ({"axes": np.zeros((5, 3, 3))}, "axes must not have length 0"),
        ({"pivots": np.zeros((5, 3))}, r"pivots must have shape \(5, 3, 3\)"),
        ({"lower": np.zeros(5)}, r"lower must have shape \(5, 3\)"),
        ({"pivots": build_human_hand().pivots * SPREAD}, "the root hinges of the four fingers"),
    ],
)  # fmt: skip
def test_hands_that_contradict_themselves_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        change_hand(**fields)


@pytest.mark.parametrize("size", [0.0, -1.0, math.inf, math.nan])
def test_a_size_must_be_positive(size: float) -> None:
    with pytest.raises(ValueError, match="size must be positive"):
        build_human_hand(size)
