"""The grasp simulation of RADAR sec. 4.4: hands look for a target, go there, and close around it.

1. Search: the hand turns until a radar (a view volume of 5 x 5 x 20 hand sizes: RADAR's 2000 x 2000 x 8000)
   sees the target's number; then it turns to face what it sees.
2. Approach: it moves straight ahead. Its radar's view volume is as wide as the hand and 2.5 sizes deep
   (RADAR's 440 x 440 x 1000: the mask's size).
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
from ougi_lab.grasp.hand import FINGERS, FOUR, PARTS, SECTIONS, Hand, part_name, part_of
from ougi_lab.grasp.moves import RULES, SLACK, Move, Rule, at_once, cross
from ougi_lab.grasp.sensors import RADARS, TARGET, TOGETHER, WHOLE, Sensors, body_of, radar_of
from ougi_lab.grasp.start import refuse_overlaps, thing_of

Mode: TypeAlias = Literal["exact", "published"]
Phase: TypeAlias = Literal["search", "approach", "close", "grasp", "done", "lost"]

# View volumes in hand sizes, and pixels: of the search, and the depth of the approach.
_SEARCH, _PIXELS, _DEPTH = (5.0, 5.0, 20.0), 50, 2.5
# A hand faces the target if it is so many radians off, or has tried so often: a target may look different
# from everywhere.
_AIMED, _TRIES = math.radians(0.5), 12
# Of the hand's size: what stays between a part and what it touches.
CLEARANCE = 2.5e-6


@dataclass(frozen=True)
class Pace:
    """How far hands and fingers go in a frame: a turn while searching, a way, and a turn of a joint.

    Turns are in radians, the way in sizes of the hand.
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
class Event:
    """Something that happened: in which frame, to which hand, and in words."""

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
class Frame:
    """How things stand after a frame.

    Attributes
    ----------
    pose
        Of the n hands.
    angles
        (n, 5, 3), of their joints.
    phases
        What each hand is doing.
    detections
        How many radars were at work.
    waiting
        How many moves had to wait for others.
    ms, cpu_ms
        The time it took by the clock, and of this thread, which says more on a shared machine.
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
    frames: tuple[Frame, ...]
    events: tuple[Event, ...]
    ended: str

    def meshes(self, frame: int) -> list[list[Mesh]]:
        """The 16 meshes of every hand, as they are in a frame."""
        at = self.frames[frame]
        turn, shift = self.hand.placed(at.pose.rotation, at.pose.position, at.angles)
        return self.hand.posed(turn, shift)

    def touching(self, hand: int = 0) -> tuple[str, ...]:
        """The fingers of a hand that stopped at the target.

        A finger that touches with one part, and whose outer joints closed farther, counts.
        """
        held = {e.finger for e in self.events if e.hand == hand and e.what == "stopped" and e.body == TARGET}
        return tuple(FINGERS[finger] for finger in sorted(held))


def grasp(
    hand: Hand,
    target: Mesh,
    poses: Pose,
    *,
    mode: Mode = "exact",
    pace: Pace | None = None,
    frames: int = 1000,
    rule: Rule | None = None,
) -> Grasp:
    """Let hands search for a target, go there and close around it.

    Parameters
    ----------
    hand
        What all hands are like.
    target
        A closed mesh, at rest.
    poses
        Where the hands are at the start: one pose or n.
    mode
        `exact`, by first contacts in turns; or `published`, by RADAR's tangents, which lets fingers go too
        far.
    pace
        How far things move in a frame.
    frames
        After so many it ends in any case.
    rule
        How far moves may go, instead of the mode's own.

    Returns
    -------
    Grasp
        All frames, what happened in words, and how it ended.

    >>> from ougi_lab.grasp import TARGETS, grasp, human, one_hand
    >>> held = grasp(human(), TARGETS["ball"](), one_hand())
    >>> held.ended
    'all hands have closed'
    >>> len(held.touching()) >= 3
    True
    """
    if frames < 1:
        raise ValueError(f"frames must be positive, got {frames}")
    if mode not in RULES:
        raise ValueError(f"mode must be one of {', '.join(RULES)}, got {mode!r}")
    run = _Run(hand, target, poses, rule or RULES[mode], pace or Pace())
    kept = [run.frame(0, 0, 0.0, 0.0)]
    while not run.is_over() and len(kept) <= frames:
        kept.append(run.step(len(kept)))
    return Grasp(hand, target, tuple(kept), tuple(run.events), run.ended())


@dataclass(eq=False)
class _Run:
    """The state of a simulation."""

    hand: Hand
    target: Mesh
    poses: Pose
    rule: Rule
    pace: Pace
    events: list[Event] = field(default_factory=list)

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
        self.view = np.full(n, self.size * _SEARCH[0])  # how wide hands that search look
        self.sensors = Sensors(self.hand, self.target, n)
        self._place()
        refuse_overlaps(self.hand, self.target, self.turn, self.shift)

    def is_over(self) -> bool:
        return all(phase in ("done", "lost") for phase in self.phase)

    def ended(self) -> str:
        """In words."""
        lost = [k for k, phase in enumerate(self.phase) if phase == "lost"]
        if not self.is_over():
            return "the limit of frames was reached"
        if lost:
            return f"out of reach for {_hands(lost)}: {'; '.join(self._last(k) for k in lost)}"
        return "all hands have closed"

    def _last(self, hand: int) -> str:
        return next(event.text for event in reversed(self.events) if event.hand == hand)

    def frame(self, detections: int, waiting: int, ms: float, cpu_ms: float) -> Frame:
        """The state as it is."""
        pose = Pose._of(self.position.copy(), self.rotation.copy())
        return Frame(pose, self.angles.copy(), tuple(self.phase), detections, waiting, ms, cpu_ms)

    def step(self, number: int) -> Frame:
        """One frame: look, ask who may move and how far, move."""
        begun, worked = time.perf_counter(), time.thread_time()
        self.number = number
        seen = self._look()
        wishes = [move for k in range(len(self.phase)) for move in self._wishes(k, seen.get(k))]
        boxes = (self.hand.boxes @ np.swapaxes(self.turn, -1, -2)) + self.shift[:, :, None]
        margin = 4 * CLEARANCE * self.size
        moves, waiting = at_once(wishes, self.sensors, boxes, self.rotation, margin, number)
        radars = 0
        if moves is not None:
            radars = len(moves.turns)
            sensors = self.sensors.chosen(tuple(radar for move in moves.all for radar in move.radars))
            free = self.rule(moves, sensors, self.sensors.scene, CLEARANCE * self.size)
            free = free._replace(body=self.sensors.told(free.body))
            for move, *told in zip(moves.all, *free, strict=True):
                self._carry_out(move, *told)
            self._place()
        ms, cpu_ms = 1e3 * (time.perf_counter() - begun), 1e3 * (time.thread_time() - worked)
        return self.frame(len(seen) + radars, len(waiting), ms, cpu_ms)

    # --- looking --------------------------------------------------------------------------------------------

    def _look(self) -> dict[int, Detection]:
        """What hands that search see, all in one call."""
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
        own = np.array([[body_of(k, part) for part in range(PARTS)] for k in searching])
        seen = detect(volume, self.sensors.scene, coverage="conservative", ignore=own)
        return {
            k: replace(one, ids=self.sensors.told(one.ids)) for k, one in zip(searching, seen, strict=True)
        }

    # --- wishes ---------------------------------------------------------------------------------------------

    def _wishes(self, k: int, seen: Detection | None) -> list[Move]:
        """What a hand and its fingers want to do."""
        if seen is not None:
            found = self._search(k, seen)
            if found is not None:
                return [found]
        if self.phase[k] == "approach":
            return [self._ahead(k)]
        if self.phase[k] == "close":
            bend = self._bend(k, FOUR, 0)
            if bend is not None:
                return [bend]
            self._tell(k, "limit", "the four fingers reach the limit of their root joints")
            self.phase[k] = "grasp"
        if self.phase[k] == "grasp":
            return [move for finger in range(5) if (move := self._next_bend(k, finger)) is not None]
        return []

    def _search(self, k: int, seen: Detection) -> Move | None:
        """Turn on until the target is seen, then towards it; None if the hand faces it."""
        of_target = np.flatnonzero(seen.ids == TARGET)
        if not len(of_target):
            self.view[k] = self.size * _SEARCH[0]
            if self.searched[k] >= 2 * math.pi:
                self._lose(k, "the target was not seen in a whole turn")
                return None
            return self._turn(k, self.rotation[k, :, 1], self.pace.turn)
        depths = seen.range.ravel()[of_target]
        if not any(event.hand == k for event in self.events):
            self._tell(k, "seen", f"sees the target {depths.min():.0f} ahead")
        aim = self._middle(k, of_target, float(depths.mean())) - self.position[k]
        axis = cross(self.rotation[k, :, 2], aim)
        length = math.hypot(*axis)
        off = math.atan2(length, float(self.rotation[k, :, 2] @ aim))
        self.tries[k] += off < self.pace.turn
        if off <= _AIMED or self.tries[k] > _TRIES:
            self.phase[k] = "approach"
            return None
        return self._turn(k, axis / length, min(off, self.pace.turn))

    def _middle(self, k: int, of_target: Ints, depth: float) -> Floats:
        """The middle of what is seen of the target: of some pixels, at a mean depth. From now on the hand
        looks only twice as wide as that, so that it sees more of it.
        """
        rows, columns = np.divmod(of_target, _PIXELS)
        pixel = float(self.view[k]) / _PIXELS
        extent = pixel * (2 + max(int(rows[-1] - rows[0]), int(columns.max() - columns.min())))
        u, v = (pixel * (float(each.mean()) + 0.5 - _PIXELS / 2) for each in (columns, rows))
        middle: Floats = self.position[k] + self.rotation[k] @ np.array([u, v, depth])
        # What lies beside is looked at with the whole width until the hand faces it.
        aside = 2 * max(abs(u), abs(v))
        self.view[k] = min(self.size * _SEARCH[0], 2 * extent + aside)
        return middle

    def _turn(self, k: int, axis: Floats, angle: float) -> Move:
        self.searched[k] += angle
        return self._whole(k, axis, angle, angle + SLACK, turns=True)

    def _ahead(self, k: int) -> Move:
        stride = self.pace.stride * self.size
        return self._whole(k, self.rotation[k, :, 2], stride, _DEPTH * self.size, turns=False)

    def _whole(self, k: int, axis: Floats, step: float, ahead: float, *, turns: bool) -> Move:
        own = tuple(body_of(k, part) for part in range(PARTS))
        radar = (RADARS * k + WHOLE,)
        center = self.position[k].copy()
        return Move(k, tuple(range(PARTS)), radar, (own,), center, axis, turns, step, ahead)

    def _next_bend(self, k: int, finger: int) -> Move | None:
        """The turn of a finger's next joint that is not at its limit; None if there is none."""
        while self.joint[k, finger] < 3:
            joint = int(self.joint[k, finger])
            move = self._bend(k, (finger,), joint)
            if move is not None:
                return move
            self._tell_limit(k, finger, joint)
            self._finish_joint(k, finger)
        return None

    def _bend(self, k: int, fingers: tuple[int, ...], joint: int) -> Move | None:
        """A step of fingers about a joint; None if there is no way left."""
        left = min(float(self.hand.upper[f, joint] - self.angles[k, f, joint]) for f in fingers)
        if left <= 0:
            return None
        center, axis = self.hand.hinge(self.turn[k], self.shift[k], fingers[0], joint)
        moving, radars, ignored = part_radars(k, fingers, joint)
        if len(fingers) > 1:
            # The radar of the four does not look at the palm, which holds them: bent outer parts do.
            holder = (*(body_of(k, part) for part in moving), body_of(k, 0))
            bent = bool(self.angles[k, list(fingers), 1:].any())
            radars = (RADARS * k + TOGETHER, *(radars if bent else ()))
            ignored = (holder, *(ignored if bent else ()))
        step = min(self.pace.bend, left)
        return Move(k, moving, radars, ignored, center, axis, True, step, step + SLACK, fingers, joint)

    # --- moves ----------------------------------------------------------------------------------------------

    def _carry_out(self, move: Move, distance: float, room: float, body: int, radar: int, face: int) -> None:
        """Go as far as can be, and tell what was touched."""
        most = SLACK if move.turns else SLACK * self.size
        free = float(distance - min(room, most))
        stops = free < move.step
        go = max(min(free, move.step), 0.0)
        k, body = move.hand, int(body)
        part = self._touching_part(move, int(radar), int(face))
        if not move.fingers:
            self._move_hand(move, go)
            if stops:
                self._hand_stops(move, body, part)
            elif self.travelled[k] > _SEARCH[2] * self.size and self.phase[k] == "approach":
                self._lose(k, f"nothing was met within {_SEARCH[2] * self.size:.0f}")
            return
        for finger in move.fingers:
            limit, at = self.hand.upper[finger, move.joint], self.angles[k, finger, move.joint]
            # At a limit, exactly: sums of steps would leave a rest.
            self.angles[k, finger, move.joint] = limit if at + go >= limit else at + go
        if stops and self.phase[k] == "close":
            self._tell(k, "closed", f"the four fingers stop: {self._told(part, body, k)}", body, part)
            self.phase[k] = "grasp"
        elif stops:
            self._finger_stops(move, body, part)

    def _move_hand(self, move: Move, go: float) -> None:
        k = move.hand
        if move.turns:
            self.rotation[k] = Screw3d(np.zeros(3), move.axis, go, 0.0).at(1).rotation @ self.rotation[k]
        else:
            self.position[k] += go * move.axis
            self.travelled[k] += go

    def _hand_stops(self, move: Move, body: int, part: int) -> None:
        """A hand that is stopped begins to close; one that cannot turn goes ahead from where it is."""
        k = move.hand
        told = self._told(part, body, k)
        if move.turns:
            self._tell(k, "contact", f"cannot turn on: {told}", body, part)
            self.phase[k] = "approach"
        else:
            self._tell(k, "contact", f"contact: {told}", body, part)
            self.phase[k] = "close"

    def _finger_stops(self, move: Move, body: int, part: int) -> None:
        k, finger, joint = move.hand, move.fingers[0], move.joint
        degrees = math.degrees(self.angles[k, finger, joint])
        where = thing_of(body, k)
        text = f"{FINGERS[finger]} stopped at {where} at {degrees:.1f} degrees of its {SECTIONS[joint]} joint"
        self.events.append(Event(self.number, k, "stopped", text, finger, joint, body, part))
        self._finish_joint(k, finger)

    def _finish_joint(self, k: int, finger: int) -> None:
        self.joint[k, finger] += 1
        if (self.joint[k] == 3).all():
            self.phase[k] = "done"
            self._tell(k, "done", "has closed")

    def _touching_part(self, move: Move, radar: int, face: int) -> int:
        """Which part of the hand touches; -1 if the rule does not tell."""
        number = move.radars[radar] % RADARS
        if number > TOGETHER:
            return number - 1
        if face < 0:
            return -1
        first = 0 if number == WHOLE else part_of(FOUR[0], 0)
        ends = np.cumsum([len(mesh.faces) for mesh in self.hand.meshes[first:]])
        return first + int(np.searchsorted(ends, face, side="right"))

    def _place(self) -> None:
        """Put the parts where the poses and angles say."""
        self.turn, self.shift = self.hand.placed(self.rotation, self.position, self.angles)
        self.sensors.at(self.hand.corners(self.turn, self.shift).reshape((-1, 3)))

    # --- words ----------------------------------------------------------------------------------------------

    def _tell(self, k: int, what: Any, text: str, body: int = -1, part: int = -1) -> None:
        self.events.append(Event(self.number, k, what, text, body=body, part=part))

    def _tell_limit(self, k: int, finger: int, joint: int) -> None:
        degrees = math.degrees(self.hand.upper[finger, joint])
        text = f"{FINGERS[finger]} at the limit of its {SECTIONS[joint]} joint, {degrees:.1f} degrees"
        self.events.append(Event(self.number, k, "limit", text, finger, joint))

    def _lose(self, k: int, why: str) -> None:
        self.phase[k] = "lost"
        self._tell(k, "lost", why)

    def _told(self, part: int, body: int, k: int) -> str:
        who = "a finger" if part < 0 else f"the {part_name(part)}"
        return f"{who} touches {thing_of(body, k)}"


@functools.cache
def part_radars(
    k: int, fingers: tuple[int, ...], joint: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Parts of a hand beyond a joint, their radars, and what these leave out: each other, what holds them.

    The part at the joint overlaps its holder; parts farther out may touch it.

    >>> part_radars(0, (1,), 1)
    ((5, 6), (6, 7), ((6, 7, 5), (6, 7)))
    """
    moving = tuple(part_of(finger, j) for finger in fingers for j in range(joint, 3))
    with_it = tuple(body_of(k, part) for part in moving)
    radars, ignored = [], []
    for finger in fingers:
        holder = body_of(k, part_of(finger, joint - 1) if joint else 0)
        for j in range(joint, 3):
            radars.append(RADARS * k + radar_of(finger, j))
            ignored.append((*with_it, holder) if j == joint else with_it)
    return moving, tuple(radars), tuple(ignored)


def _hands(numbers: list[int]) -> str:
    return f"hand{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
