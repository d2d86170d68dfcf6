"""`ougi verify radar`: first contacts of meshes through depth images.

Rows `box` to `bumpy` are the kinds of sensors that move straight towards any other kind, `lattice` has whole
numbers and motions along axes and diagonals, `turn` and `screw` are what they say. Every case is computed
again by all corners against all faces and all edges against all edges (`radar_oracle`), which shares no code.

A contact that only a feature's very border decides is in the band: there the answer may be any that a shift
by 1e-9 of the scene would make true. Larger meshes are compared with coal (`second`), whose distances advance
the sensor.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ougi.motion import Translation3d
from ougi_lab.scenes.mesh_pairs import FAMILIES, MovingMeshes, draw_translating_meshes, draw_turning_meshes
from ougi_lab.scenes.meshes import build_coal_model, make_solid
from ougi_lab.verify import radar_oracle as oracle
from ougi_lab.verify.tally import NONFINITE_ERROR, PeerCount, Tally

# Distances may be off by this part of the scene's size, angles by this number of radians.
DISTANCE = 1e-9
ANGLE = 1e-7

# A shift of the bodies, as a part of the scene's size, that may decide about a contact in the band.
_SHIFT = 1e-9

# Rounding of the oracle itself.
_ROUNDING = 1e-12

# Angles around a reported contact at which the oracle has more poses.
_CLOSE = 1e-3

# coal's distances are good to this, and its advancement stops below it.
_COAL = 1e-9

ROWS = (*FAMILIES, "lattice", "turn", "screw")


def run_ougi(case: MovingMeshes, mode: Any) -> Any:
    """The result of the library."""
    from ougi.radar import collide

    return collide(
        make_solid(case.sensor), case.motion, make_solid(case.target), method=mode, pixels=case.pixels
    )


@dataclass(frozen=True)
class Radar:
    """The subject `radar` of the runner. Tests replace `query` to plant mistakes."""

    query: Callable[[MovingMeshes, str], Any] = field(default=run_ougi)
    name: str = "radar"
    kinds: tuple[str, ...] = ("random", "second")
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "radar")

    def pairs(self) -> tuple[str, ...]:
        """Kinds of straight sensors, and turns and screws."""
        return ROWS

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check n cases, one by one."""
        tally = Tally()
        for index in range(n):
            if kind == "second":
                self._check_peer(tally, pair, rng)
                continue
            case = (
                draw_turning_meshes(pair, rng)
                if pair in ("turn", "screw")
                else draw_translating_meshes(pair, rng)
            )
            self._check_case(tally, case, index)
        return tally

    def _check_case(self, tally: Tally, case: MovingMeshes, index: int) -> None:
        found = self.query(case, "exact")
        truth = RadarTruth(case, found)
        errors = truth.find_errors(found) | truth.find_bracket_errors(self.query(case, "bracket"))
        tally.cases += 1
        tally.in_band += truth.in_band
        name = ("free", "hit", "overlapping")[int(found.status)]
        tally.add_counts({name: 1})
        tally.judge(
            {check: np.array([error]) for check, error in errors.items()},
            {
                "index": index,
                "signed": float(found.distance),
                "a": repr(case.sensor),
                "b": repr(case.target),
                "question": f"{case.motion!r}, {case.pixels} pixels; truth {truth.lower} to {truth.upper}",
            },
        )

    def _check_peer(self, tally: Tally, pair: str, rng: np.random.Generator) -> None:
        """A larger case for coal, where it is installed; only straight ones."""
        if pair in ("turn", "screw", "lattice") or importlib.util.find_spec("coal") is None:
            return
        case = draw_translating_meshes(pair, rng, large=True)
        found = self.query(case, "exact")
        peer = tally.peers.setdefault("coal", PeerCount())
        error = measure_coal_error(case, found)
        peer.cases += 1
        peer.disagreements += int(error > 1.0)
        peer.worst = max(peer.worst, min(error, NONFINITE_ERROR))


class RadarTruth:
    """Between which gaps the first contact lies: where no border is in doubt, both are the same."""

    def __init__(self, case: MovingMeshes, found: Any) -> None:
        a, b = oracle.extract_body(case.sensor), oracle.extract_body(case.target)
        self.case, scale = case, case.scale
        self.shift = _SHIFT * scale
        motion: Any = case.motion
        if isinstance(motion, Translation3d):
            self.full = float(np.linalg.norm(motion.offset))
            self.tolerance = DISTANCE * scale
            self.contacts = oracle.find_straight_contacts(a, b, motion.offset / self.full)
        else:
            self.full = float(abs(motion.angle))
            self.tolerance = ANGLE
            sense = 1.0 if motion.angle > 0 else -1.0
            turn = oracle.ScrewTurn(
                motion.center, sense * motion.axis, self.full, sense * float(motion._along())
            )
            near = np.zeros(0)
            if np.isfinite(found.distance):
                near = float(found.distance) + _CLOSE * np.linspace(-1, 1, 100) ** 3
            self.contacts = oracle.find_turning_contacts(a, b, turn, near)
        depth = oracle.measure_piercing(a, b)
        inside = is_enclosed(a, b)
        self.overlaps = depth > _ROUNDING * scale or inside
        self.doubtful_overlap = not inside and abs(depth) <= self.shift
        self.lower = self._find_first(_ROUNDING * scale)
        self.upper = self.lower
        self.in_band = 0

    def _find_first(self, slack: float) -> float:
        """The first contact within the motion; 0 if they overlap."""
        if self.overlaps:
            return 0.0
        at = self.contacts.first(slack)
        return max(at, 0.0) if at <= self.full else np.inf

    def _error(self, distance: float) -> float:
        if np.isinf(distance) or np.isinf(self.lower) or np.isinf(self.upper):
            ok = self.lower <= distance + self.tolerance and distance - self.tolerance <= self.upper
            return 0.0 if ok else NONFINITE_ERROR
        off = max(self.lower - distance, distance - self.upper, 0.0)
        return off / self.tolerance

    def find_errors(self, found: Any) -> dict[str, float]:
        """By check, above 1 where the answer is wrong."""
        distance = float(found.distance)
        error = self._error(distance)
        if error > 1.0:
            # Is it a matter of borders?
            self.lower, self.upper = self._find_first(self.shift), self._find_first(-self.shift)
            if self.doubtful_overlap:
                self.lower, self.upper = 0.0, max(self.upper, self.contacts.first(self.shift))
            if self.full - self.shift <= self.upper <= self.full + self.shift:
                self.upper = np.inf
            error = self._error(distance)
            self.in_band = int(error <= 1.0)
        wrong_kind = self.overlaps and found.status != 2 and not self.doubtful_overlap
        return {"distance": error, "status": NONFINITE_ERROR if wrong_kind else 0.0}

    def find_bracket_errors(self, found: Any) -> dict[str, float]:
        """Does the bracket hold the truth?"""
        low, high = float(found.lower) * self.full, float(found.upper) * self.full
        slack = self.shift
        held = low <= high and low <= self.upper + slack and self.lower - slack <= high
        return {"bracket": 0.0 if held else NONFINITE_ERROR}


def is_enclosed(a: oracle.MeshBody, b: oracle.MeshBody) -> bool:
    """Is a corner of one inside of the other? Bodies whose faces are apart are then so as a whole."""
    return oracle.encloses(a, b.corners[b.faces[0, 0]]) or oracle.encloses(b, a.corners[a.faces[0, 0]])


def measure_coal_error(case: MovingMeshes, found: Any) -> float:
    """By how many tolerances a straight contact differs from coal's, which is advanced by distances."""
    import coal

    bodies = [build_coal_model(mesh) for mesh in (case.sensor, case.target)]
    request = coal.DistanceRequest()
    request.gjk_tolerance = 1e-12
    motion: Any = case.motion
    full = float(np.linalg.norm(motion.offset))
    w = motion.offset / full
    still = coal.Transform3s.Identity()
    at, gap, scale = 0.0, np.inf, case.scale
    for _ in range(1000):
        result = coal.DistanceResult()
        gap = coal.distance(bodies[0], coal.Transform3s(np.eye(3), at * w), bodies[1], still, request, result)
        if gap <= _COAL * scale or at > full:
            break
        if found.status == 2:
            # coal's meshes are surfaces: those of a body inside of another are apart.
            return (
                0.0
                if is_enclosed(oracle.extract_body(case.sensor), oracle.extract_body(case.target))
                else NONFINITE_ERROR
            )
        at += gap
    distance = float(found.distance)
    if at > full:
        return 0.0 if distance >= full - 1e-6 * scale else NONFINITE_ERROR
    if gap > _COAL * scale:
        return 0.0  # it creeps along a surface: no result
    # What is left of the gap is closed at the speed at which the surfaces approach each other.
    slope = abs(float(found.normal @ w)) if found.status == 1 else 1.0
    slack = 4 * _COAL * scale / max(slope, 1e-6)
    if np.isinf(distance):
        return 0.0 if gap > 0 else NONFINITE_ERROR
    return abs(distance - at) / slack
