"""Grasps: hands find, reach and hold things, say what happens, and end whatever they are given."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ougi
from ougi_lab.grasp import (
    TARGETS,
    Grasp,
    Hand,
    StepSizes,
    build_human_hand,
    place_five_hands,
    place_one_hand,
    simulate_grasp,
)
from ougi_lab.grasp.moves import PublishedRule, find_exact_distances, find_tangent_distances
from ougi_lab.grasp.sensors import split_into_patches
from ougi_lab.grasp.simulate import CLEARANCE
from ougi_lab.grasp.targets import aim_hand
from ougi_lab.scenes.meshes import make_box, make_sphere, make_torus, move_mesh

EYE = np.eye(3)
FAR = np.array([0.0, 0.0, 1e5])


@pytest.fixture(scope="module")
def grasp() -> Grasp:
    return simulate_grasp(build_human_hand(), TARGETS["ball"](), place_one_hand(beside=70.0))


def test_a_hand_turns_to_the_target_comes_and_closes(grasp: Grasp) -> None:
    phases = [frame.phases[0] for frame in grasp.frames]
    order = [phase for k, phase in enumerate(phases) if k == 0 or phases[k - 1] != phase]
    assert order == ["search", "approach", "close", "grasp", "done"]
    assert grasp.ended == "all hands have closed"
    assert set(grasp.touching_fingers()) >= {"thumb", "index finger", "middle finger", "ring finger"}


def test_radars_are_switched_by_what_moves(grasp: Grasp) -> None:
    at = {
        phase: [f.detections for f in grasp.frames[1:] if f.phases[0] == phase]
        for phase in ("approach", "close")
    }
    # The last frame of a phase already bears the name of the next: there the count is that of the old one.
    assert set(at["approach"][1:]) == {1}
    assert set(at["close"][1:]) == {1}
    assert max(frame.detections for frame in grasp.frames) == 15


def test_parts_stop_a_clearance_before_what_they_touch(grasp: Grasp) -> None:
    stops = [event for event in grasp.events if event.what == "stopped" and event.body == 0]
    assert len(stops) >= 5
    for event in stops[-3:]:
        part = grasp.meshes(event.frame)[0][event.part]
        gap = float(ougi.distance(part, grasp.target))
        assert 0 < gap < 1.1 * CLEARANCE * build_human_hand().size


def test_events_have_descriptions(grasp: Grasp) -> None:
    text = "\n".join(map(str, grasp.events))
    assert "hand 0: sees the target" in text
    assert "contact: the palm touches the target" in text
    assert "finger stopped at the target at" in text
    assert text.endswith("hand 0: has closed")


def test_angles_keep_their_limits_and_steps_their_length(grasp: Grasp) -> None:
    hand = grasp.hand
    for frame in grasp.frames:
        assert (frame.angles >= hand.lower).all()
        assert (frame.angles <= hand.upper).all()
    bends = np.abs(np.diff([frame.angles for frame in grasp.frames], axis=0))
    assert bends.max() <= StepSizes().bend + 1e-12


def test_a_target_out_of_sight_is_given_up() -> None:
    lost = simulate_grasp(build_human_hand(), move_mesh(make_sphere(8, 6, 100.0), EYE, FAR), place_one_hand())
    assert lost.ended == "out of reach for hand 0: the target was not seen in a whole turn"
    assert len(lost.frames) < 60


def test_a_hand_that_passes_through_a_ring_gives_up() -> None:
    gate = make_torus(24, 8, 800.0, 20.0)
    lost = simulate_grasp(
        build_human_hand(),
        gate,
        aim_hand([0.0, 0.0, -500.0], [0, 0, 0], [0, 1, 0]),
        step_sizes=StepSizes(stride=1.0),
    )
    assert lost.ended.startswith("out of reach for hand 0: nothing was met within")


def test_a_target_larger_than_the_hand_is_leant_upon() -> None:
    wall = simulate_grasp(build_human_hand(), make_box((4000.0, 4000.0, 500.0)), place_one_hand(beside=0.0))
    assert wall.ended == "all hands have closed"
    assert len(wall.touching_fingers()) == 5
    assert wall.frames[-1].angles.max() < math.radians(3)


def test_without_anything_in_reach_fingers_stop_at_the_hand_or_their_limits() -> None:
    pin = simulate_grasp(
        build_human_hand(), make_sphere(6, 4, 3.0), aim_hand([0, 0, -400.0], [0, 0, 0], [0, 1, 0])
    )
    assert pin.ended == "all hands have closed"
    ends = [event for event in pin.events if event.what in ("stopped", "limit") and event.finger >= 0]
    assert {event.what for event in ends} == {"stopped", "limit"}
    assert any("its palm" in event.text for event in ends)


def test_five_hands_close_around_one_target_and_stop_at_each_other() -> None:
    run = simulate_grasp(
        build_human_hand(),
        make_sphere(20, 12, 210.0),
        place_five_hands(700.0),
        step_sizes=StepSizes(bend=math.radians(6)),
    )
    assert run.ended == "all hands have closed"
    assert all(run.touching_fingers(k) for k in range(5))
    assert any("of hand" in event.text for event in run.events if event.what == "stopped")
    assert max(frame.detections for frame in run.frames) > 17


def test_hands_that_meet_wait_for_each_other() -> None:
    poses = ougi.Pose([[0, 0, -260.0], [0, 0, 260.0]], [EYE, np.diag([-1.0, 1.0, -1.0])])
    run = simulate_grasp(
        build_human_hand(), move_mesh(make_sphere(6, 4, 3.0), EYE, np.array([0.0, 0, 100.0])), poses
    )
    assert sum(frame.waiting for frame in run.frames) > 0
    last = run.meshes(-1)
    assert not any(bool(ougi.intersects(a, b)) for a in last[0] for b in last[1])


def test_the_number_of_frames_is_bounded() -> None:
    run = simulate_grasp(build_human_hand(), TARGETS["ball"](), place_one_hand(), frames=5)
    assert len(run.frames) == 6
    assert run.ended == "the limit of frames was reached"


def test_a_bent_hand_does_not_close_through_its_own_palm() -> None:
    hand = build_human_hand()
    angles = np.zeros((5, 3))
    angles[1:, 1:] = math.radians(70)
    bent = Hand(hand.meshes, hand.pivots, hand.axes, hand.lower, hand.upper, angles)
    run = simulate_grasp(bent, make_sphere(6, 4, 3.0), aim_hand([0, 0, -400.0], [0, 0, 0], [0, 1, 0]))
    palm, parts = run.meshes(-1)[0][0], run.meshes(-1)[0]
    assert not any(bool(ougi.intersects(palm, parts[3 * finger + 3])) for finger in range(1, 5))


CUBE = make_box((100, 100, 100))


def start_grasp(target: Any = CUBE, poses: Any = None, **options: Any) -> Grasp:
    return simulate_grasp(build_human_hand(), target, place_one_hand() if poses is None else poses, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: start_grasp(CUBE, place_one_hand(distance=40.0)), "palm of hand 0 overlaps the target"),
        (lambda: start_grasp(frames=0), "frames must be positive, got 0"),
        (lambda: start_grasp(method="guess"), "method must be one of exact, published, got 'guess'"),
        (lambda: start_grasp(ougi.Mesh(EYE, [[0, 1, 2]])), "a solid mesh must be closed, but its edge"),
        (lambda: start_grasp(poses=ougi.Pose(np.zeros((0, 3)))), "poses must be one or more"),
        (lambda: StepSizes(bend=0.0), r"bend must lie in \(0, 1\], got 0.0"),
        (lambda: aim_hand([0, 0, 1], [0, 0, 0], [0, 0, 1]), "fingers must not be parallel"),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("arguments", [("ball", place_one_hand()), (make_box(), [0, 0, 0])])
def test_other_things_are_no_targets_and_no_poses(arguments: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError, match="must be"):
        simulate_grasp(build_human_hand(), *arguments)


def test_two_hands_in_the_same_place_are_refused() -> None:
    one = place_one_hand()
    both = ougi.Pose(np.stack([one.position] * 2), np.stack([one.rotation] * 2))
    with pytest.raises(ValueError, match="of hand 0 overlaps the palm of hand 1"):
        simulate_grasp(build_human_hand(), TARGETS["ball"](), both)


def test_tangents_let_parts_go_too_far() -> None:
    """RADAR's rule: an arc leaves its tangent, and a pixel is wide."""
    over: list[float] = []

    def find_both_distances(moves: Any, sensors: Any, scene: Any, clearance: float) -> Any:
        free, truth = (
            find_tangent_distances(moves, sensors, scene, clearance),
            find_exact_distances(moves, sensors, scene, clearance),
        )
        over.extend(np.minimum(free.distance, 0.05) - np.minimum(truth.distance, 0.05))
        return free

    pose = aim_hand([0, 0, -250.0], [0, 0, 0], [0, 1, 0])
    run = simulate_grasp(
        build_human_hand(),
        TARGETS["stone"](),
        pose,
        method="published",
        rule=find_both_distances,
        step_sizes=StepSizes(bend=math.radians(6)),
    )
    assert run.ended == "all hands have closed"
    assert max(over) > 1e-3


def test_published_hands_read_their_size_from_the_mask() -> None:
    """RADAR sec. 4.4 (2): one mask as large as the search volume, one as large as the hand, then none."""
    hand = build_human_hand()
    rule = PublishedRule(hand)
    run = simulate_grasp(hand, TARGETS["ball"](), place_one_hand(), method="published", rule=rule)
    assert run.ended == "all hands have closed"
    (first, second), pixel = rule.views, 5 * hand.size / 50
    assert first == (5 * hand.size, 5 * hand.size)
    # Outward to whole pixels, and one more on each side.
    assert hand.size <= max(second) <= hand.size + 4 * pixel
    assert rule.drawn > 5


def test_patches_are_the_whole_target() -> None:
    mesh = make_sphere(16, 10, 3.0)
    patches = split_into_patches(mesh, 20)
    assert max(len(patch.faces) for patch in patches) <= 20
    whole = sorted(map(tuple, mesh.vertices[mesh.faces].reshape(-1, 9).tolist()))
    cut = sorted(
        tuple(face.ravel())
        for patch in patches
        for face in patch.vertices[patch.faces].tolist()
        for face in [np.array(face)]
    )
    assert np.array(cut) == pytest.approx(np.array(whole))


def test_a_late_rule_is_executed_as_given() -> None:
    """What rules say is what happens: the simulation adds nothing to it."""

    def never(moves: Any, sensors: Any, scene: Any, clearance: float) -> Any:
        free = find_exact_distances(moves, sensors, scene, clearance)
        return free._replace(distance=np.full_like(free.distance, np.inf))

    run = simulate_grasp(build_human_hand(), TARGETS["ball"](), place_one_hand(), rule=never, frames=400)
    assert run.ended.startswith("out of reach for hand 0: nothing was met")
