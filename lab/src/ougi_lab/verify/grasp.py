"""`ougi verify grasp`: does a hand of the grasp simulation ever enter the target, another hand or itself?

A case is a frame of a grasp with a target of random size and attitude and a hand that starts anywhere around
it; the row `five` has five hands at a time. Rows are kinds of targets.

The oracle poses all parts by itself, joint upon joint, and measures with coal's distances between meshes
(without coal, with ougi's between resting meshes, which the simulation does not use). In every frame, and
half way to it, no two bodies may be nearer than 0, but for parts that a hinge joins; none may lie inside of
another. Where a part is reported to have stopped at a body, the two must be no farther apart than 1e-4 of the
hand's size. Angles must keep their limits, steps their length, and every grasp must end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ougi._typing import Bools, Floats
from ougi.motion import Pose
from ougi.shapes import Mesh
from ougi_lab.grasp import (
    TARGETS,
    Grasp,
    GraspEvent,
    GraspFrame,
    Hand,
    StepSizes,
    build_human_hand,
    simulate_grasp,
)
from ougi_lab.grasp.hand import PARTS
from ougi_lab.grasp.targets import draw_pose, place_five_hands
from ougi_lab.scenes.meshes import build_coal_model, move_mesh
from ougi_lab.scenes.pairs import rotation_3d
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally, TallyGroup

# Shares of the hand's size: maximum overlap, and maximum gap at a stop.
DEPTH, NEAR = 1e-6, 1e-4
FIVE = "five"
_ROUNDING = 1e-9


def run_ougi(hand: Hand, target: Mesh, poses: Pose) -> Grasp:
    """Return the simulation of `ougi_lab.grasp`."""
    return simulate_grasp(hand, target, poses)


@dataclass(frozen=True)
class Grasps:
    """The subject `grasp` of the runner. Tests replace `simulate` to plant mistakes."""

    simulate: Callable[[Hand, Mesh, Pose], Grasp] = field(default=run_ougi)
    name: str = "grasp"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "radar")
    chunk: int = 400

    def pairs(self) -> tuple[str, ...]:
        """Kinds of targets, and five hands."""
        return (*TARGETS, FIVE)

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Simulate until there were n frames."""
        tally = Tally()
        while tally.cases < n:
            target, poses = draw_case(pair, rng)
            self._check_grasp(tally, self.simulate(build_human_hand(), target, poses))
        return tally

    def _check_grasp(self, tally: Tally, run: Grasp) -> None:
        oracle = GraspOracle(run.hand, run.target, run.frames[0].pose.count)
        errors = oracle.find_errors(run)
        frames = len(run.frames)
        bad = tally.judge(
            errors,
            lambda i: {
                "index": tally.cases + i,
                "a": f"{run.target!r} within {run.target.bounds()!r}",
                "b": repr(run.frames[0].pose),
                "question": "; ".join(map(str, run.events)),
            },
        )
        tally.cases += frames
        tally.add_counts(count_events(run))
        tally.largest["gap at a stop / size"] = max(
            tally.largest.get("gap at a stop / size", 0.0), oracle.gap
        )
        ending = "lost" if "out of reach" in run.ended else "closed"
        tally.groups.setdefault(ending, TallyGroup()).add(
            TallyGroup(cases=frames, disagreements=int(bad is not None))
        )


def draw_case(pair: str, rng: np.random.Generator) -> tuple[Mesh, Pose]:
    """A target somewhere, and hands around it."""
    kind = str(rng.choice(list(TARGETS))) if pair == FIVE else pair
    turn, shift = rotation_3d(rng.normal(size=4)), rng.normal(size=3) * 500
    mesh = TARGETS[kind]()
    target = move_mesh(Mesh(mesh.vertices * rng.uniform(0.5, 1.5), mesh.faces), turn, shift)
    far = float(np.linalg.norm(target.vertices - shift, axis=1).max())
    if pair == FIVE:
        around = place_five_hands(far + rng.uniform(500, 1500))
        whole = Pose(shift, rotation_3d(rng.normal(size=4)))
        roll = Pose(np.zeros((5, 3)), rotation_3d(rng.normal(size=(5, 4)) * 0.15 + [0, 0, 0, 1]))
        return target, whole @ around @ roll
    return target, draw_pose(rng, target, (far + 300, far + 1500), 1.0)


def count_events(run: Grasp) -> dict[str, int]:
    """What happened, and at what joints stopped."""
    counts = {"grasps": 1, "waits": sum(frame.waiting for frame in run.frames)}
    for event in run.events:
        name: str = event.what
        if name == "stopped":
            hand = (event.body - 1) // PARTS
            name = (
                "at target" if event.body == 0 else "at own hand" if hand == event.hand else "at other hand"
            )
        if name.startswith("at ") or name in ("limit", "lost"):
            counts[name] = counts.get(name, 0) + 1
    return counts


class GraspOracle:
    """Poses and distances of its own."""

    def __init__(self, hand: Hand, target: Mesh, count: int) -> None:
        self.hand, self.count, self.gap = hand, count, 0.0
        self.size = hand.size
        self.meshes = [target, *(mesh for _ in range(count) for mesh in hand.meshes)]
        models = [_build_model(mesh) for mesh in (target, *hand.meshes)]
        self.models = [models[0], *(models[1:] * count)]
        self.pairs = np.array(list(_list_pairs(count)))

    def find_errors(self, run: Grasp) -> dict[str, Floats]:
        """By check, for each frame; above 1 where it is wrong."""
        n = len(run.frames)
        errors = {name: np.zeros(n) for name in ("overlap", "stop", "limits", "pace", "end")}
        errors["end"][-1] = NONFINITE_ERROR if "limit of frames" in run.ended else 0.0
        low, high = self.hand.lower - _ROUNDING, self.hand.upper + _ROUNDING
        places = [
            self.place_parts(frame.pose.rotation, frame.pose.position, frame.angles) for frame in run.frames
        ]
        everything = np.ones(len(self.models), np.bool_)
        errors["overlap"][0] = self._measure_overlap(*places[0], everything)
        for k, frame in enumerate(run.frames):
            within = (frame.angles >= low).all() and (frame.angles <= high).all()
            errors["limits"][k] = 0.0 if within else NONFINITE_ERROR
        for k, (before, after) in enumerate(pairwise(run.frames), start=1):
            stirred = self._find_moved(places[k - 1], places[k])
            errors["pace"][k] = _check_step(before, after, self.size)
            errors["overlap"][k] = self._measure_overlap(*places[k], stirred)
            if np.array_equal(before.pose.rotation, after.pose.rotation):
                half = (before.pose.position + after.pose.position) / 2, (before.angles + after.angles) / 2
                halfway = self.place_parts(after.pose.rotation, *half)
                errors["overlap"][k] = max(errors["overlap"][k], self._measure_overlap(*halfway, stirred))
        for event in run.events:
            if event.part >= 0 and event.body >= 0:
                far = self._measure_gap(event, *places[event.frame])
                self.gap = max(self.gap, far / self.size)
                errors["stop"][event.frame] = max(errors["stop"][event.frame], far / (NEAR * self.size))
        return errors

    def place_parts(self, rotation: Floats, position: Floats, angles: Floats) -> tuple[Floats, Floats]:
        """Turns and shifts of the target and all parts: each joint's turn upon those before it."""
        from scipy.spatial.transform import Rotation

        turns, shifts = [np.eye(3)], [np.zeros(3)]
        for k in range(self.count):
            turns.append(rotation[k])
            shifts.append(position[k])
            for finger in range(5):
                turn, shift = rotation[k], position[k]
                for joint in range(3):
                    axis, pivot = self.hand.axes[finger, joint], self.hand.pivots[finger, joint]
                    bend = Rotation.from_rotvec(angles[k, finger, joint] * axis).as_matrix()
                    turn, shift = turn @ bend, turn @ (pivot - bend @ pivot) + shift
                    turns.append(turn)
                    shifts.append(shift)
        return np.stack(turns), np.stack(shifts)

    def _find_moved(self, before: tuple[Floats, Floats], after: tuple[Floats, Floats]) -> Bools:
        """Which bodies have moved."""
        moved: Bools = (before[0] != after[0]).any(axis=(1, 2)) | (before[1] != after[1]).any(axis=1)
        return moved

    def _measure_overlap(self, turns: Floats, shifts: Floats, stirred: Bools) -> float:
        """How much bodies overlap, in units of DEPTH sizes; pairs at rest have been checked before."""
        points = [
            mesh.vertices @ turn.T + shift
            for mesh, turn, shift in zip(self.meshes, turns, shifts, strict=True)
        ]
        low, high = (np.stack([f(p, axis=0) for p in points]) for f in (np.min, np.max))
        a, b = self.pairs.T
        near = (stirred[a] | stirred[b]) & (low[a] <= high[b]).all(axis=1) & (low[b] <= high[a]).all(axis=1)
        worst = 0.0
        for i, j in self.pairs[near].tolist():
            gap = self._measure_distance(i, j, turns, shifts)
            if gap <= 0:
                worst = max(worst, max(-gap / (DEPTH * self.size), 2.0))
            for inner, outer in ((i, j), (j, i)):
                p = points[inner][0]
                if (low[outer] <= p).all() and (p <= high[outer]).all():
                    worst = max(worst, self._check_inside(p, points[outer], self.meshes[outer].faces))
        return worst

    def _measure_gap(self, event: GraspEvent, turns: Floats, shifts: Floats) -> float:
        return max(
            self._measure_distance(1 + PARTS * event.hand + event.part, event.body, turns, shifts), 0.0
        )

    def _measure_distance(self, i: int, j: int, turns: Floats, shifts: Floats) -> float:
        return _measure_distance(self.models[i], turns[i], shifts[i], self.models[j], turns[j], shifts[j])

    @staticmethod
    def _check_inside(point: Floats, corners: Floats, faces: Any) -> float:
        """NONFINITE_ERROR if closed faces go round a point: the sum of solid angles."""
        a, b, c = (corners[faces[:, k]] - point for k in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
        above = (a * np.cross(b, c)).sum(axis=1)
        below = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
        return NONFINITE_ERROR if np.arctan2(above, below).sum() > np.pi else 0.0


def _list_pairs(count: int) -> Iterator[tuple[int, int]]:
    """Bodies that must not overlap: all but two parts that a hinge joins."""
    for i in range(1 + PARTS * count):
        for j in range(i + 1, 1 + PARTS * count):
            (one, p), (other, q) = divmod(i - 1, PARTS), divmod(j - 1, PARTS)
            # Part 0 is the palm, 1 to 3 the thumb, and so on: hinges join the palm and 1, 1 and 2, 2 and 3.
            joined = q in (1, 4, 7, 10, 13) if p == 0 else q == p + 1 and p not in (3, 6, 9, 12)
            if i == 0 or one != other or not joined:
                yield i, j


def _check_step(before: GraspFrame, after: GraspFrame, size: float) -> float:
    """By how much a step was too long, as a share of what is allowed."""
    step_sizes = StepSizes()
    bent = float(np.abs(after.angles - before.angles).max()) / step_sizes.bend
    went = after.pose.position - before.pose.position
    gone = float(np.linalg.norm(went, axis=1).max()) / (step_sizes.stride * size)
    trace = np.einsum("nij,nij->n", after.pose.rotation, before.pose.rotation)
    turned = float(np.arccos(np.clip((trace - 1) / 2, -1, 1)).max()) / step_sizes.turn
    return NONFINITE_ERROR if max(bent, gone, turned) > 1 + 1e-6 else 0.0


def _build_model(mesh: Mesh) -> Any:
    """A mesh for the distance."""
    try:
        return build_coal_model(mesh)
    except ImportError:
        return mesh


def _measure_distance(
    a: Any, turn_a: Floats, shift_a: Floats, b: Any, turn_b: Floats, shift_b: Floats
) -> float:
    """How far two posed meshes are from each other; 0 or less where they cross."""
    if isinstance(a, Mesh):
        from ougi.query import distance

        return float(distance(move_mesh(a, turn_a, shift_a), move_mesh(b, turn_b, shift_b)))
    import coal

    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    places = coal.Transform3s(turn_a, shift_a), coal.Transform3s(turn_b, shift_b)
    return float(coal.distance(a, places[0], b, places[1], request, coal.DistanceResult()))
