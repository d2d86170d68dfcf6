"""Gaps of a robot's pairs at many configurations: coal proposes, decimal arithmetic decides.

Robots are drawn at random, with kinematics by plain matrices, or read from a file by pinocchio.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from ougi._typing import Floats
from ougi.results import Status
from ougi.robot import Robot
from ougi.shapes import Box, Capsule3d, Mesh, Sector3d, Shape, Sphere
from ougi_lab.scenes.meshes import build_coal_model
from ougi_lab.scenes.robots import RandomRobot, to_matrix
from ougi_lab.verify.exact_gaps import ExactBody, GapBounds, bound_gap
from ougi_lab.verify.tally import NONFINITE_ERROR

# Samples of an edge, those around the smallest gap of a pair, and pairs that are sampled in this manner.
_SAMPLES, _REFINED, _NEAREST = 128, 24, 3

# A smaller gap of coal is computed again with 50 digits. Unit: length. Its errors at cylinders reach 3e-7.
_SUSPICIOUS = 2e-6

# Bodies whose balls are further apart are not measured. Unit: length.
_FAR = 0.01

# `tol` of the first contacts, the default: the gap at the reported time lies between 0 and twice this.
TOL = 1e-9

# What the poses of the oracle and of the library may be off by. Unit: length, in scenes of some metres.
_ROUNDING = 1e-12

Pairs = list[tuple[int, int]]


class Scan(NamedTuple):
    """A robot among obstacles.

    Attributes
    ----------
    bodies
        Of coal: the robot's shapes in the order of `Robot.shapes`, then obstacles.
    place
        Configurations (n, dof) -> poses (n, bodies, 4, 4).
    pairs
        Pairs of bodies that must not touch.
    n_shapes
        How many bodies are the robot's.
    """

    bodies: list[Any]
    place: Callable[[Floats], Floats]
    pairs: Pairs
    n_shapes: int

    def measure(self, q: Floats, pairs: Pairs) -> Floats:
        """Signed distances (n, pairs) by coal at configurations (n, dof); of meshes 0 where they overlap.

        Where balls around bodies are far apart, their gap is returned, which is smaller.
        """
        import coal

        request = coal.DistanceRequest()
        request.enable_signed_distance = True
        request.gjk_tolerance = request.epa_tolerance = 1e-9
        request.gjk_max_iterations = request.epa_max_iterations = 500
        placed = self.place(q)
        first, second = np.array(pairs).T
        for body in self.bodies:
            body.computeLocalAABB()
        centers = placed[:, :, :3, 3] + np.einsum(
            "nkij,kj->nki", placed[:, :, :3, :3], np.array([body.aabb_center for body in self.bodies])
        )
        radii = np.array([body.aabb_radius for body in self.bodies])
        apart = np.linalg.norm(centers[:, first] - centers[:, second], axis=2)
        out: Floats = apart - radii[first] - radii[second]
        for k, i in np.argwhere(out < _FAR).tolist():
            bodies = [
                (self.bodies[b], coal.Transform3s(placed[k, b, :3, :3], placed[k, b, :3, 3]))
                for b in pairs[i]
            ]
            out[k, i] = coal.distance(*bodies[0], *bodies[1], request, coal.DistanceResult())
        return out

    def bound(self, q: Floats, pair: tuple[int, int]) -> GapBounds:
        """Bounds of the gap of a pair at one configuration (dof,)."""
        poses = self.place(q[None])[0]
        a, b = (_to_exact(self.bodies[k], poses[k]) for k in pair)
        return bound_gap(a, b)

    def find_errors(self, terms: Floats, found: Any) -> dict[str, float]:
        """By check, above 1 where the result of an edge is wrong.

        `missed`, `late`: bodies overlap at a time that is certified free. `false`: the gap at the reported
        time is not what `TOL` allows. `coal` is the largest error of coal, which is reported and not judged.
        """
        errors = dict.fromkeys(("missed", "late", "false", "pair", "coal"), 0.0)
        end = 1.0 if found.status == Status.FREE else float(found.t)
        if end > 0.0 and self.pairs:
            times = np.linspace(0.0, end, _SAMPLES)[: None if found.status == Status.FREE else -1]
            worst, t, pair = self._find_smallest(terms, times)
            if worst < _SUSPICIOUS:
                exact = self.bound(evaluate(terms, np.array([t]))[0], pair)
                name = "missed" if found.status == Status.FREE else "late"
                errors[name] = NONFINITE_ERROR if exact.upper <= 0.0 else 0.0
                errors["coal"] = max(exact.lower - worst, worst - exact.upper, 0.0) if worst > 0.0 else 0.0
        if found.hit:
            other = int(found.other) if found.other >= 0 else self.n_shapes + int(found.obstacle)
            own = (int(found.shape), other)
            if own not in self.pairs:
                errors["pair"] = NONFINITE_ERROR
            else:
                errors |= self._judge_contact(evaluate(terms, np.array([end])), own, end)
        return errors

    def _find_smallest(self, terms: Floats, times: Floats) -> tuple[float, float, tuple[int, int]]:
        """The smallest gap at times, and between those around it for the nearest pairs; its time and pair."""
        gaps = self.measure(evaluate(terms, times), self.pairs)
        found = []
        for i in np.argsort(gaps.min(axis=0))[:_NEAREST].tolist():
            k = int(gaps[:, i].argmin())
            inner = np.linspace(times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)], _REFINED)
            inner = np.append(inner, times[k])
            near = self.measure(evaluate(terms, inner), [self.pairs[i]])[:, 0]
            found.append((float(near.min()), float(inner[near.argmin()]), self.pairs[i]))
        return min(found)

    def _judge_contact(self, q: Floats, pair: tuple[int, int], t: float) -> dict[str, float]:
        """The gap at the reported time in units of what is allowed. Bodies may overlap at the start."""
        gap, coal = float(self.measure(q, [pair])[0, 0]), 0.0
        allowed = 2 * TOL + _ROUNDING
        if not -_ROUNDING <= gap <= allowed:
            exact = self.bound(q[0], pair)
            coal = max(exact.lower - gap, gap - exact.upper, 0.0) if gap > -_SUSPICIOUS else 0.0
            # Not more than is proven: the smallest gap that the bounds allow.
            gap = max(exact.lower, 0.0) or min(exact.upper, 0.0)
        return {"false": (max(gap, 0.0) if t == 0.0 else abs(gap)) / allowed, "coal": coal}


def evaluate(terms: Floats, times: Floats) -> Floats:
    """Configurations (n, dof) of a motion."""
    powers = times[:, None] ** np.arange(len(terms))
    q: Floats = powers @ terms
    return q


def _to_exact(body: Any, pose: Floats) -> ExactBody:
    """A body of coal."""
    name = type(body).__name__
    if name == "Sphere":
        return ExactBody("sphere", {"radius": body.radius}, pose)
    if name == "Box":
        return ExactBody("box", {"size": 2 * np.array(body.halfSide)}, pose)
    if name in ("Cylinder", "Capsule"):
        sizes = {"radius": body.radius, "length": 2 * body.halfLength}
        return ExactBody(name.lower(), sizes, pose)
    vertices = np.array(body.vertices())
    faces = np.array([[body.tri_indices(k)[i] for i in range(3)] for k in range(body.num_tris)])
    return ExactBody("mesh", vertices[faces], pose)


# --- random robots ----------------------------------------------------------------------------------------


def scan_random_robot(drawn: RandomRobot, robot: Robot, obstacles: list[Shape]) -> Scan:
    """A robot that was drawn."""
    shapes = sorted(drawn.shapes, key=lambda shape: shape.link)  # the order of `Robot.shapes`
    order = [robot.joint_names.index(name) for name in drawn.columns]
    inner = [to_matrix(shape.xyz, shape.rpy) for shape in shapes]
    resting = [_build_obstacle(shape) for shape in obstacles]

    def place(q: Floats) -> Floats:
        links = drawn.place_links(q[:, order])
        own = [links[shape.link] @ matrix for shape, matrix in zip(shapes, inner, strict=True)]
        own += [np.broadcast_to(pose, (len(q), 4, 4)) for _, pose in resting]
        return np.stack(own, axis=1) if own else np.zeros((len(q), 0, 4, 4))

    n = len(shapes)
    pairs = _list_pairs(drawn, [shape.link for shape in shapes])
    pairs += [(a, n + k) for a in range(n) for k in range(len(resting))]
    bodies = [_build_body(shape.tag, shape.sizes, drawn) for shape in shapes]
    return Scan([*bodies, *(body for body, _ in resting)], place, pairs, n)


def _list_pairs(drawn: RandomRobot, links: list[int]) -> Pairs:
    """Pairs of shapes whose assemblies are neither the same nor neighbours."""
    carrier = list(range(drawn.n_links))
    for joint in drawn.joints:
        if joint.type == "fixed":
            carrier[joint.child] = carrier[joint.parent]
    joined = {frozenset((carrier[j.parent], carrier[j.child])) for j in drawn.joints if j.type != "floating"}
    sides = [carrier[link] for link in links]
    return [
        (a, b)
        for a in range(len(links))
        for b in range(a + 1, len(links))
        if sides[a] != sides[b] and frozenset((sides[a], sides[b])) not in joined
    ]


def _build_body(tag: str, sizes: dict[str, Any], drawn: RandomRobot) -> Any:
    import coal

    if tag == "sphere":
        return coal.Sphere(sizes["radius"])
    if tag == "box":
        return coal.Box(*sizes["size"])
    if tag == "mesh":
        return build_coal_model(drawn.meshes[sizes["filename"]])
    return {"cylinder": coal.Cylinder, "capsule": coal.Capsule}[tag](sizes["radius"], sizes["length"])


def _build_obstacle(shape: Any) -> tuple[Any, Floats]:
    """A body of coal and its pose."""
    import coal

    pose = np.eye(4)
    if isinstance(shape, Mesh):
        return build_coal_model(shape), pose
    pose[:3, 3] = (shape.start + shape.end) / 2 if isinstance(shape, Capsule3d) else shape.center
    if isinstance(shape, Sphere):
        return coal.Sphere(float(shape.radius)), pose
    if isinstance(shape, Box):
        pose[:3, :3] = shape.columns("box")[6:15, 0].reshape((3, 3)).T
        return coal.Box(*shape.size), pose
    if isinstance(shape, Capsule3d):
        axis = shape.end - shape.start
        body = coal.Capsule(float(shape.radius), float(np.linalg.norm(axis)))
    else:
        assert isinstance(shape, Sector3d)
        axis = shape.axis
        body = coal.Cylinder(float(shape.outer_radius), 2 * float(shape.half_height))
    z = axis / np.linalg.norm(axis)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    pose[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return body, pose


# --- robots by pinocchio ----------------------------------------------------------------------------------


class PinocchioRobot:
    """A robot as pinocchio reads it.

    Its mimics cannot follow continuous joints. So every joint has values of its own there, and mimics
    are computed here.
    """

    def __init__(self, path: Path, robot: Robot) -> None:
        import pinocchio

        self._library, self._path, self._robot = pinocchio, path, robot
        self._model = pinocchio.buildModelFromUrdf(str(path), mimic=False)
        self._data = self._model.createData()
        self._mimics = {
            joint.attrib["name"]: dict(mimic.attrib)
            for joint in ElementTree.parse(path).iter("joint")
            if (mimic := joint.find("mimic")) is not None
        }

    def place_links(self, q: Floats) -> dict[str, Floats]:
        """By link the matrices (n, 4, 4) at configurations (n, dof)."""
        body = self._library.FrameType.BODY
        links = {frame.name: k for k, frame in enumerate(self._model.frames) if frame.type == body}
        out = {name: np.empty((len(q), 4, 4)) for name in links}
        for i in range(len(q)):
            self._library.framesForwardKinematics(self._model, self._data, self._fill(q[i]))
            for name, k in links.items():
                out[name][i] = self._data.oMf[k].homogeneous
        return out

    def _fill(self, q: Floats) -> Floats:
        """A configuration of pinocchio: continuous and planar joints have a cosine and a sine."""
        own = dict(zip(self._robot.joint_names, q.tolist(), strict=True))

        def find_value(name: str) -> float:
            if name in own or name not in self._mimics:
                return float(own[name])
            mimic = self._mimics[name]
            value = find_value(mimic["joint"]) if mimic["joint"] in {*own, *self._mimics} else 0.0
            return float(mimic.get("multiplier", 1.0)) * value + float(mimic.get("offset", 0.0))

        out: Floats = self._library.neutral(self._model)
        for joint, name in list(zip(self._model.joints, self._model.names, strict=True))[1:]:
            if joint.nq <= 2:
                angle = find_value(name)
                row = [angle] if joint.nq == 1 else [math.cos(angle), math.sin(angle)]
            elif joint.nq == 4:
                x, y, angle = (own[f"{name}/{part}"] for part in ("x", "y", "theta"))
                row = [x, y, math.cos(angle), math.sin(angle)]
            else:
                angles = [own[f"{name}/{part}"] for part in ("roll", "pitch", "yaw")]
                turn = to_matrix(np.zeros(3), np.array(angles))
                coefficients = self._library.Quaternion(turn[:3, :3]).coeffs()
                row = [*(own[f"{name}/{part}"] for part in "xyz"), *coefficients]
            out[joint.idx_q : joint.idx_q + joint.nq] = row
        return out

    def scan(self, obstacles: list[Shape]) -> Scan:
        """The collision shapes of the file, and obstacles."""
        library, folder = self._library, self._path.resolve().parent
        folders = [str(folder), *map(str, folder.parents)]  # where packages may be
        geometry = library.buildGeomFromUrdf(
            self._model, str(self._path), library.GeometryType.COLLISION, package_dirs=folders
        )
        by_link: dict[str, list[Any]] = {}
        for thing in geometry.geometryObjects:
            by_link.setdefault(self._model.frames[thing.parentFrame].name, []).append(thing)
        things = [by_link[shape.link].pop(0) for shape in self._robot.shapes]
        if any(by_link.values()):
            raise RuntimeError(f"{self._path.name}: pinocchio reads another number of shapes")
        resting = [_build_obstacle(shape) for shape in obstacles]

        def place(q: Floats) -> Floats:
            out = np.tile(np.eye(4), (len(q), len(things) + len(resting), 1, 1))
            for k in range(len(q)):
                library.forwardKinematics(self._model, self._data, self._fill(q[k]))
                for i, thing in enumerate(things):
                    out[k, i] = (self._data.oMi[thing.parentJoint] * thing.placement).homogeneous
                for i, (_, pose) in enumerate(resting):
                    out[k, len(things) + i] = pose
            return out

        n = len(things)
        pairs: Pairs = [(a, b) for a, b in self._robot.checked_pairs.tolist()]
        pairs += [(a, n + k) for a in range(n) for k in range(len(resting))]
        bodies = [thing.geometry for thing in things] + [body for body, _ in resting]
        return Scan(bodies, place, pairs, n)
