"""The grasp simulation of RADAR sec. 4.4: hands search for a target, approach it, and close around it.

1. Search: the hand turns until a radar (a view volume of 5 x 5 x 20 hand sizes: RADAR's 2000 x 2000 x 8000)
   sees the target. Then it turns to face what it sees.
2. Approach: it moves straight ahead. Its radar's view volume is as wide as the hand and 2.5 sizes deep
   (RADAR's 440 x 440 x 1000). The published rule reads the width and height from the mask.
3. Close: at the first contact the four fingers bend together until one of them touches something.
4. Grasp: each of the five fingers bends on its own, first the whole finger about its root, then its outer
   parts, then the tip. A joint stops at the target, another finger, a palm, or its limit.

Radars are switched by what moves: the whole hand, the four fingers, or all parts beyond the turning joint.
"""

from __future__ import annotations

import functools
import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from ougi._typing import Floats, Ints
from ougi.motion import Pose, Screw3d
from ougi.radar import Detection, Volume, detect
from ougi.shapes import Mesh
from ougi_lab.grasp.hand import FINGERS, FOUR, PARTS, SECTIONS, Hand, part_index, part_name
from ougi_lab.grasp.moves import RULES, SLACK, Move, Rule, cross, select_simultaneous
from ougi_lab.grasp.overlaps import describe_body, refuse_overlaps
from ougi_lab.grasp.sensors import RADARS, TARGET, TOGETHER, WHOLE, Sensors, body_index, radar_index

Method: TypeAlias = Literal["exact", "published"]
Phase: TypeAlias = Literal["search", "approach", "close", "grasp", "done", "lost"]

# View volumes in hand sizes, and pixels: of the search, and the depth of the approach.
_SEARCH, _PIXELS, _DEPTH = (5.0, 5.0, 20.0), 50, 2.5
# A hand faces the target if its error is at most this angle, or after this number of tries, because a target
# may look different from every direction.
_AIMED, _TRIES = math.radians(0.5), 12
# Share of the hand's size that remains between a part and what it touches.
CLEARANCE = 2.5e-6


@dataclass(frozen=True)
class StepSizes:
    """How far hands and fingers move in a frame: a turn while searching, a stride, and a turn of a joint.

    Turns are in radians, strides in sizes of the hand.
    """

    turn: float = math.radians(10)
    stride: float = 0.1
    bend: float = math.radians(3)

    def __post_init__(self) -> None:
        for name in ("turn", "stride", "bend"):
            value = getattr(self, name)
            if not 0 < value <= 1:
                raise ValueError(f"{name} must lie in (0, 1], got {value}")


@dataclass(frozen=True)
class GraspEvent:
    """An event: the frame, the hand, and a description."""

    frame: int
    hand: int
    what: Literal["seen", "contact", "closed", "stopped", "limit", "done", "lost"]
    text: str
    finger: int = -1
    joint: int = -1
    body: int = -1
    part: int = -1  # what touched

    def __str__(self) -> str:
        return f"frame {self.frame}: hand {self.hand}: {self.text}"


@dataclass(frozen=True, eq=False)
class GraspFrame:
    """The state after a frame.

    Attributes
    ----------
    pose
        Of the n hands.
    angles
        (n, 5, 3), of their joints.
    phases
        What each hand is doing.
    detections
        Number of active radars.
    waiting
        Number of moves that had to wait for others.
    ms, cpu_ms
        Wall time, and CPU time of this thread, which is more reliable on a shared machine.
    """

    pose: Pose
    angles: Floats
    phases: tuple[Phase, ...]
    detections: int
    waiting: int
    ms: float
    cpu_ms: float


@dataclass(frozen=True, eq=False)
class Grasp:
    """A grasp, frame by frame; the first frame is the start."""

    hand: Hand
    target: Mesh
    frames: tuple[GraspFrame, ...]
    events: tuple[GraspEvent, ...]
    ended: str

    def meshes(self, frame: int) -> list[list[Mesh]]:
        """The 16 meshes of every hand, as they are in a frame."""
        at = self.frames[frame]
        turn, shift = self.hand.place_parts(at.pose.rotation, at.pose.position, at.angles)
        return self.hand.place_meshes(turn, shift)

    def touching_fingers(self, hand: int = 0) -> tuple[str, ...]:
        """The fingers of a hand that stopped at the target.

        A finger that touches with one part, and whose outer joints closed farther, counts.
        """
        held = {e.finger for e in self.events if e.hand == hand and e.what == "stopped" and e.body == TARGET}
        return tuple(FINGERS[finger] for finger in sorted(held))


def simulate_grasp(
    hand: Hand,
    target: Mesh,
    poses: Pose,
    *,
    method: Method = "exact",
    step_sizes: StepSizes | None = None,
    frames: int = 1000,
    rule: Rule | None = None,
) -> Grasp:
    """Simulate hands that search for a target, approach it and close around it.

    Parameters
    ----------
    hand
        The model of all hands.
    target
        A closed mesh, at rest.
    poses
        Where the hands are at the start: one pose or n.
    method
        `exact` uses first contacts of rotations. `published` uses RADAR's masks and tangents, which lets
        fingers go too far.
    step_sizes
        How far hands and fingers move in a frame.
    frames
        Maximum number of frames.
    rule
        Limits moves, instead of the method's own rule.

    Returns
    -------
    Grasp
        All frames, all events, and how it ended.

    >>> from ougi_lab.grasp import TARGETS, simulate_grasp, build_human_hand, place_one_hand
    >>> held = simulate_grasp(build_human_hand(), TARGETS["ball"](), place_one_hand())
    >>> held.ended
    'all hands have closed'
    >>> len(held.touching_fingers()) >= 3
    True
    """
    if frames < 1:
        raise ValueError(f"frames must be positive, got {frames}")
    if method not in RULES:
        raise ValueError(f"method must be one of {', '.join(RULES)}, got {method!r}")
    run = _Simulation(hand, target, poses, rule or RULES[method](hand), step_sizes or StepSizes())
    states = [run.snapshot(0, 0, 0.0, 0.0)]
    while not run.is_over() and len(states) <= frames:
        states.append(run.step(len(states)))
    return Grasp(hand, target, tuple(states), tuple(run.events), run.describe_end())


@dataclass(eq=False)
class _Simulation:
    """The state of a simulation."""

    hand: Hand
    target: Mesh
    poses: Pose
    rule: Rule
    step_sizes: StepSizes
    events: list[GraspEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not isinstance(self.target, Mesh):
            raise TypeError(f"target must be a Mesh, got {type(self.target).__name__}")
        if not isinstance(self.poses, Pose) or self.poses.dimension != 3 or len(self.poses.shape) > 1:
            raise TypeError(f"poses must be one 3-D Pose or a row of them, got {self.poses!r}")
        n = self.poses.count
        if not n:
            raise ValueError("poses must be one or more, got none")
        self.rotation = self.poses.rotation.reshape((n, 3, 3)).copy()
        self.position = self.poses.position.reshape((n, 3)).copy()
        self.angles = np.repeat(self.hand.angles[None], n, axis=0)
        self.phase: list[Phase] = ["search"] * n
        self.joint = np.zeros((n, 5), np.int64)
        self.searched, self.travelled, self.tries = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
        self.size, self.number = self.hand.size, 0
        self.view = np.full(n, self.size * _SEARCH[0])  # width of the view of searching hands
        self.sensors = Sensors(self.hand, self.target, n)
        self._place_parts()
        refuse_overlaps(self.hand, self.target, self.turn, self.shift)

    def is_over(self) -> bool:
        return all(phase in ("done", "lost") for phase in self.phase)

    def describe_end(self) -> str:
        """Describe how the simulation ended."""
        lost = [k for k, phase in enumerate(self.phase) if phase == "lost"]
        if not self.is_over():
            return "the limit of frames was reached"
        if lost:
            reasons = "; ".join(self._describe_last_event(k) for k in lost)
            return f"out of reach for {_name_hands(lost)}: {reasons}"
        return "all hands have closed"

    def _describe_last_event(self, hand: int) -> str:
        return next(event.text for event in reversed(self.events) if event.hand == hand)

    def snapshot(self, detections: int, waiting: int, ms: float, cpu_ms: float) -> GraspFrame:
        """Return the current state."""
        pose = Pose._of(self.position.copy(), self.rotation.copy())
        return GraspFrame(pose, self.angles.copy(), tuple(self.phase), detections, waiting, ms, cpu_ms)

    def step(self, number: int) -> GraspFrame:
        """Simulate one frame: detect targets, plan moves, find how far they can go, and move."""
        begun, worked = time.perf_counter(), time.thread_time()
        self.number = number
        seen = self._detect_targets()
        planned = [move for k in range(len(self.phase)) for move in self._plan_moves(k, seen.get(k))]
        boxes = (self.hand.boxes @ np.swapaxes(self.turn, -1, -2)) + self.shift[:, :, None]
        margin = 4 * CLEARANCE * self.size
        moves, waiting = select_simultaneous(planned, self.sensors, boxes, self.rotation, margin, number)
        radars = 0
        if moves is not None:
            radars = len(moves.turns)
            sensors = self.sensors.select_radars(tuple(radar for move in moves.all for radar in move.radars))
            free = self.rule(moves, sensors, self.sensors.scene, CLEARANCE * self.size)
            free = free._replace(body=self.sensors.merge_patches(free.body))
            for move, *contact in zip(moves.all, *free, strict=True):
                self._execute_move(move, *contact)
            self._place_parts()
        ms, cpu_ms = 1e3 * (time.perf_counter() - begun), 1e3 * (time.thread_time() - worked)
        return self.snapshot(len(seen) + radars, len(waiting), ms, cpu_ms)

    # --- search ---------------------------------------------------------------------------------------------

    def _detect_targets(self) -> dict[int, Detection]:
        """Return what searching hands see, all in one call."""
        searching = [k for k, phase in enumerate(self.phase) if phase == "search"]
        if not searching:
            return {}
        volume = Volume(
            self.position[searching],
            self.rotation[searching, :, 2],
            [[self.view[k], self.view[k], self.size * _SEARCH[2]] for k in searching],
            pixels=_PIXELS,
            up=self.rotation[searching, :, 1],
        )
        own = np.array([[body_index(k, part) for part in range(PARTS)] for k in searching])
        seen = detect(volume, self.sensors.scene, method="conservative", ignore=own)
        return {
            k: replace(seen[i], body_image=self.sensors.merge_patches(seen.body_image[i]))
            for i, k in enumerate(searching)
        }

    # --- plans ----------------------------------------------------------------------------------------------

    def _plan_moves(self, k: int, seen: Detection | None) -> list[Move]:
        """Plan the moves of a hand and its fingers."""
        if seen is not None:
            found = self._plan_search(k, seen)
            if found is not None:
                return [found]
        if self.phase[k] == "approach":
            return [self._plan_advance(k)]
        if self.phase[k] == "close":
            bend = self._plan_bend(k, FOUR, 0)
            if bend is not None:
                return [bend]
            self._report(k, "limit", "the four fingers reach the limit of their root joints")
            self.phase[k] = "grasp"
        if self.phase[k] == "grasp":
            return [move for finger in range(5) if (move := self._plan_next_bend(k, finger)) is not None]
        return []

    def _plan_search(self, k: int, seen: Detection) -> Move | None:
        """Turn until the target is seen, then towards it; None if the hand faces it."""
        of_target = np.flatnonzero(seen.body_image == TARGET)
        if not len(of_target):
            self.view[k] = self.size * _SEARCH[0]
            if self.searched[k] >= 2 * math.pi:
                self._give_up(k, "the target was not seen in a whole turn")
                return None
            return self._plan_turn(k, self.rotation[k, :, 1], self.step_sizes.turn)
        depths = seen.depth_image.ravel()[of_target]
        if not any(event.hand == k for event in self.events):
            self._report(k, "seen", f"sees the target {depths.min():.0f} ahead")
        aim = self._find_middle(k, of_target, float(depths.mean())) - self.position[k]
        axis = cross(self.rotation[k, :, 2], aim)
        length = math.hypot(*axis)
        off = math.atan2(length, float(self.rotation[k, :, 2] @ aim))
        self.tries[k] += off < self.step_sizes.turn
        if off <= _AIMED or self.tries[k] > _TRIES:
            self.phase[k] = "approach"
            return None
        return self._plan_turn(k, axis / length, min(off, self.step_sizes.turn))

    def _find_middle(self, k: int, of_target: Ints, depth: float) -> Floats:
        """Return the middle of the target's pixels at a mean depth. From now on the view of the hand is only
        twice as wide as they are, so that it resolves more of the target.
        """
        rows, columns = np.divmod(of_target, _PIXELS)
        pixel = float(self.view[k]) / _PIXELS
        extent = pixel * (2 + max(int(rows[-1] - rows[0]), int(columns.max() - columns.min())))
        u, v = (pixel * (float(each.mean()) + 0.5 - _PIXELS / 2) for each in (columns, rows))
        middle: Floats = self.position[k] + self.rotation[k] @ np.array([u, v, depth])
        # A target far from the view axis keeps the view wide until the hand faces it.
        aside = 2 * max(abs(u), abs(v))
        self.view[k] = min(self.size * _SEARCH[0], 2 * extent + aside)
        return middle

    def _plan_turn(self, k: int, axis: Floats, angle: float) -> Move:
        self.searched[k] += angle
        return self._plan_hand_move(k, axis, angle, angle + SLACK, turns=True)

    def _plan_advance(self, k: int) -> Move:
        stride = self.step_sizes.stride * self.size
        return self._plan_hand_move(k, self.rotation[k, :, 2], stride, _DEPTH * self.size, turns=False)

    def _plan_hand_move(self, k: int, axis: Floats, step: float, ahead: float, *, turns: bool) -> Move:
        own = tuple(body_index(k, part) for part in range(PARTS))
        radar = (RADARS * k + WHOLE,)
        center = self.position[k].copy()
        return Move(k, tuple(range(PARTS)), radar, (own,), center, axis, turns, step, ahead)

    def _plan_next_bend(self, k: int, finger: int) -> Move | None:
        """Plan the turn of a finger's next joint that is not at its limit; None if there is none."""
        while self.joint[k, finger] < 3:
            joint = int(self.joint[k, finger])
            move = self._plan_bend(k, (finger,), joint)
            if move is not None:
                return move
            self._report_limit(k, finger, joint)
            self._finish_joint(k, finger)
        return None

    def _plan_bend(self, k: int, fingers: tuple[int, ...], joint: int) -> Move | None:
        """Plan a step of fingers about a joint; None at its limit."""
        left = min(float(self.hand.upper[f, joint] - self.angles[k, f, joint]) for f in fingers)
        if left <= 0:
            return None
        center, axis = self.hand.place_hinge(self.turn[k], self.shift[k], fingers[0], joint)
        moving, radars, ignored = list_part_radars(k, fingers, joint)
        if len(fingers) > 1:
            # The radar of the four ignores the palm, which holds them. The radars of bent outer parts see it.
            holder = (*(body_index(k, part) for part in moving), body_index(k, 0))
            bent = bool(self.angles[k, list(fingers), 1:].any())
            radars = (RADARS * k + TOGETHER, *(radars if bent else ()))
            ignored = (holder, *(ignored if bent else ()))
        step = min(self.step_sizes.bend, left)
        return Move(k, moving, radars, ignored, center, axis, True, step, step + SLACK, fingers, joint)

    # --- moves ----------------------------------------------------------------------------------------------

    def _execute_move(
        self, move: Move, distance: float, reserve: float, body: int, radar: int, face: int
    ) -> None:
        """Move as far as possible, and report what was touched."""
        max_reserve = SLACK if move.turns else SLACK * self.size
        free = float(distance - min(reserve, max_reserve))
        stops = free < move.step
        go = max(min(free, move.step), 0.0)
        k, body = move.hand, int(body)
        part = self._find_touching_part(move, int(radar), int(face))
        if not move.fingers:
            self._move_hand(move, go)
            if stops:
                self._stop_hand(move, body, part)
            elif self.travelled[k] > _SEARCH[2] * self.size and self.phase[k] == "approach":
                self._give_up(k, f"nothing was met within {_SEARCH[2] * self.size:.0f}")
            return
        for finger in move.fingers:
            limit, at = self.hand.upper[finger, move.joint], self.angles[k, finger, move.joint]
            # Set the limit exactly, because sums of steps would miss it.
            self.angles[k, finger, move.joint] = limit if at + go >= limit else at + go
        if stops and self.phase[k] == "close":
            self._report(
                k, "closed", f"the four fingers stop: {self._describe_contact(part, body, k)}", body, part
            )
            self.phase[k] = "grasp"
        elif stops:
            self._stop_finger(move, body, part)

    def _move_hand(self, move: Move, go: float) -> None:
        k = move.hand
        if move.turns:
            self.rotation[k] = Screw3d(np.zeros(3), move.axis, go, 0.0).at(1).rotation @ self.rotation[k]
        else:
            self.position[k] += go * move.axis
            self.travelled[k] += go

    def _stop_hand(self, move: Move, body: int, part: int) -> None:
        """Start to close a hand that is stopped. A hand that cannot turn approaches from where it is."""
        k = move.hand
        contact = self._describe_contact(part, body, k)
        if move.turns:
            self._report(k, "contact", f"cannot turn on: {contact}", body, part)
            self.phase[k] = "approach"
        else:
            self._report(k, "contact", f"contact: {contact}", body, part)
            self.phase[k] = "close"

    def _stop_finger(self, move: Move, body: int, part: int) -> None:
        k, finger, joint = move.hand, move.fingers[0], move.joint
        degrees = math.degrees(self.angles[k, finger, joint])
        where = describe_body(body, k)
        text = f"{FINGERS[finger]} stopped at {where} at {degrees:.1f} degrees of its {SECTIONS[joint]} joint"
        self.events.append(GraspEvent(self.number, k, "stopped", text, finger, joint, body, part))
        self._finish_joint(k, finger)

    def _finish_joint(self, k: int, finger: int) -> None:
        self.joint[k, finger] += 1
        if (self.joint[k] == 3).all():
            self.phase[k] = "done"
            self._report(k, "done", "has closed")

    def _find_touching_part(self, move: Move, radar: int, face: int) -> int:
        """Return the part of the hand that touches; -1 if the rule does not report it."""
        number = move.radars[radar] % RADARS
        if number > TOGETHER:
            return number - 1
        if face < 0:
            return -1
        first = 0 if number == WHOLE else part_index(FOUR[0], 0)
        ends = np.cumsum([len(mesh.faces) for mesh in self.hand.meshes[first:]])
        return first + int(np.searchsorted(ends, face, side="right"))

    def _place_parts(self) -> None:
        """Place the parts by poses and angles."""
        self.turn, self.shift = self.hand.place_parts(self.rotation, self.position, self.angles)
        self.sensors.update(self.hand.place_vertices(self.turn, self.shift).reshape((-1, 3)))

    # --- events ---------------------------------------------------------------------------------------------

    def _report(self, k: int, what: Any, text: str, body: int = -1, part: int = -1) -> None:
        self.events.append(GraspEvent(self.number, k, what, text, body=body, part=part))

    def _report_limit(self, k: int, finger: int, joint: int) -> None:
        degrees = math.degrees(self.hand.upper[finger, joint])
        text = f"{FINGERS[finger]} at the limit of its {SECTIONS[joint]} joint, {degrees:.1f} degrees"
        self.events.append(GraspEvent(self.number, k, "limit", text, finger, joint))

    def _give_up(self, k: int, why: str) -> None:
        self.phase[k] = "lost"
        self._report(k, "lost", why)

    def _describe_contact(self, part: int, body: int, k: int) -> str:
        part_text = "a finger" if part < 0 else f"the {part_name(part)}"
        return f"{part_text} touches {describe_body(body, k)}"


@functools.cache
def list_part_radars(
    k: int, fingers: tuple[int, ...], joint: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """List the parts of a hand beyond a joint, their radars, and the bodies that these exclude.

    Excluded are the parts themselves, and for the part at the joint its holder, which it overlaps.

    >>> list_part_radars(0, (1,), 1)
    ((5, 6), (6, 7), ((6, 7, 5), (6, 7)))
    """
    moving = tuple(part_index(finger, j) for finger in fingers for j in range(joint, 3))
    with_it = tuple(body_index(k, part) for part in moving)
    radars, ignored = [], []
    for finger in fingers:
        holder = body_index(k, part_index(finger, joint - 1) if joint else 0)
        for j in range(joint, 3):
            radars.append(RADARS * k + radar_index(finger, j))
            ignored.append((*with_it, holder) if j == joint else with_it)
    return moving, tuple(radars), tuple(ignored)


def _name_hands(numbers: list[int]) -> str:
    return f"hand{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
