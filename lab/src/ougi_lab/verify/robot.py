"""`ougi verify robot`: are edges that are certified free free, and are first contacts the first ones?

Random robots (chains and trees, all types of joints, mimics, several shapes on a link) among random
obstacles, read from URDF files. Kinematics come from plain matrices, and distances from coal. Each edge is
sampled evenly, and more finely where its gap is smallest. A contact is judged by the distance of its pair at
the reported time.

A case is an edge: straight in joint values, or a cubic or quintic polynomial.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ougi._typing import Floats
from ougi.results import Status
from ougi.robot import Robot, RobotContacts
from ougi.shapes import Box, Capsule3d, Mesh, Sector3d, Shape, Sphere
from ougi_lab.scenes.meshes import build_coal_model
from ougi_lab.scenes.robots import KINDS, RandomRobot, draw_obstacles, draw_robot, to_matrix
from ougi_lab.verify.tally import NONFINITE_ERROR, Tally

# Edges of one robot.
_EDGES = 25

# Samples of an edge, and those around its smallest gap.
_SAMPLES, _REFINED = 48, 24

# Lengths: coal's distances of curved bodies end at an error below this.
_ACCURACY = 1e-6

# `tol` of the first contacts. The gap at the reported time is twice this at most.
_TOL = 1e-8


def run_ougi(robot: Robot, terms: Floats, obstacles: list[Shape]) -> RobotContacts:
    """The result under test."""
    return robot.first_contact_of_polynomials(terms, obstacles, tol=_TOL)


@dataclass(frozen=True)
class Robots:
    """The subject `robot` of the runner. Tests replace `answer` to plant mistakes."""

    answer: Callable[[Robot, Floats, list[Shape]], RobotContacts] = field(default=run_ougi)
    name: str = "robot"
    kinds: tuple[str, ...] = ("random",)
    many_small_arrays: bool = True
    folders: tuple[str, ...] = ("kernels", "kernels/robot", "robot")
    chunk: int = 500

    def pairs(self) -> tuple[str, ...]:
        """Robots by the classes of their shapes."""
        return KINDS

    def check(self, pair: str, kind: str, n: int, rng: np.random.Generator) -> Tally:
        """Check edges of as many robots as it takes."""
        tally = Tally()
        while tally.cases < n:
            with tempfile.TemporaryDirectory() as folder:
                self._check_robot(tally, pair, min(_EDGES, n - tally.cases), Path(folder), rng)
        return tally

    def _check_robot(self, tally: Tally, kind: str, n: int, folder: Path, rng: np.random.Generator) -> None:
        drawn = draw_robot(kind, rng)
        obstacles = draw_obstacles(kind, int(rng.integers(0, 5)), rng)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a robot may have no shapes, or a mimic of a fixed joint
            robot = Robot.load(drawn.write(folder))
        terms = _draw_edges(n, len(drawn.columns), rng)
        found = self.answer(robot, terms, obstacles)
        scan = Scan(drawn, robot, obstacles)
        errors = [scan.find_errors(terms[k], found[k]) for k in range(n)]
        tally.judge(
            {name: np.array([error[name] for error in errors]) for name in errors[0]},
            lambda k: {"a": drawn.to_urdf(), "b": repr(obstacles), "question": repr(terms[k].tolist())},
        )
        tally.cases += n
        undecided = int((found.status == Status.UNDECIDED).sum())
        tally.undecided += undecided
        tally.add_counts({"contacts": int(found.hit.sum()), "robots": 1})


def _draw_edges(n: int, dof: int, rng: np.random.Generator) -> Floats:
    """Motions (n, degree + 1, dof) of one degree."""
    degree = int(rng.choice([1, 1, 3, 5]))
    terms = rng.normal(size=(n, degree + 1, dof)) / np.arange(1, degree + 2)[:, None]
    terms[:, 0] = rng.uniform(-3, 3, (n, dof))
    return terms * float(rng.choice([0.3, 1.0, 2.0]))


class Scan:
    """Distances of a robot's pairs at many configurations, by coal."""

    def __init__(self, drawn: RandomRobot, robot: Robot, obstacles: list[Shape]) -> None:
        self._drawn = drawn
        self._order = [robot.joint_names.index(f"j{k}") for k in drawn.columns]
        self._bodies = [_build_body(s.tag, s.sizes, drawn) for s in self._sort_shapes()]
        self._places = [(s.link, to_matrix(s.xyz, s.rpy)) for s in self._sort_shapes()]
        self._obstacles = [_build_obstacle(shape) for shape in obstacles]
        self.pairs = [(a, b) for a, b in _list_pairs(drawn, [s.link for s in self._sort_shapes()])]
        n = len(self._bodies)
        self.pairs += [(a, n + k) for a in range(n) for k in range(len(obstacles))]

    def _sort_shapes(self) -> list[Any]:
        """In the order of `Robot.shapes`: by link."""
        return sorted(self._drawn.shapes, key=lambda shape: shape.link)

    def measure(self, q: Floats, pairs: list[tuple[int, int]]) -> Floats:
        """Signed distances (n, pairs) at configurations (n, dof); of meshes 0 where they overlap."""
        import coal

        links = self._drawn.place_links(q[:, self._order])
        request = coal.DistanceRequest()
        request.enable_signed_distance = True
        request.gjk_tolerance = request.epa_tolerance = 1e-9
        request.gjk_max_iterations = request.epa_max_iterations = 500
        out = np.empty((len(q), len(pairs)))
        for k in range(len(q)):
            poses = [links[link][k] @ inner for link, inner in self._places]
            placed = [
                (body, coal.Transform3s(np.ascontiguousarray(pose[:3, :3]), pose[:3, 3]))
                for body, pose in zip(self._bodies, poses, strict=True)
            ]
            placed += self._obstacles
            for i, (a, b) in enumerate(pairs):
                out[k, i] = coal.distance(*placed[a], *placed[b], request, coal.DistanceResult())
        # Of bodies that overlap deeply coal returns -1.8e308 at times.
        return np.maximum(out, -1.0)

    def find_errors(self, terms: Floats, found: Any) -> dict[str, float]:
        """By check, above 1 where the result of an edge is wrong."""
        errors = dict.fromkeys(("missed", "late", "false", "pair"), 0.0)
        end = 1.0 if found.status == Status.FREE else float(found.t)
        if end > 0.0 and self.pairs:
            times = np.linspace(0.0, end, _SAMPLES)
            gaps = self.measure(_evaluate(terms, times), self.pairs)
            k, pair = np.unravel_index(np.argmin(gaps), gaps.shape)
            low, high = times[max(int(k) - 1, 0)], times[min(int(k) + 1, _SAMPLES - 1)]
            near = self.measure(_evaluate(terms, np.linspace(low, high, _REFINED)), [self.pairs[int(pair)]])
            # Meshes have no depth: what overlaps is at 0, what is free is not.
            depth = -min(gaps.min(), near.min())
            before = gaps[times < end].min(initial=np.inf) if end < 1.0 else gaps.min()
            name = "missed" if found.status == Status.FREE else "late"
            is_mesh = bool(before == 0.0 and end > 0.0)
            errors[name] = NONFINITE_ERROR if is_mesh else max(depth, 0.0) / _ACCURACY
        if found.hit:
            other = int(found.other) if found.other >= 0 else len(self._bodies) + int(found.obstacle)
            own = (int(found.shape), other)
            if own not in self.pairs:
                errors["pair"] = NONFINITE_ERROR
            else:
                gap = float(self.measure(_evaluate(terms, np.array([end])), [own])[0, 0])
                errors["false"] = (max(gap, 0.0) if end == 0.0 else abs(gap)) / _ACCURACY
        return errors


def _evaluate(terms: Floats, times: Floats) -> Floats:
    """Configurations (n, dof) of a motion."""
    powers = times[:, None] ** np.arange(len(terms))
    q: Floats = powers @ terms
    return q


def _list_pairs(drawn: RandomRobot, links: list[int]) -> list[tuple[int, int]]:
    """Pairs of shapes whose assemblies are neither the same nor neighbours."""
    carrier = list(range(drawn.n_links))
    for joint in drawn.joints:
        if joint.type == "fixed":
            carrier[joint.child] = carrier[joint.parent]
    joined = {frozenset((carrier[j.parent], carrier[j.child])) for j in drawn.joints}
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


def _build_obstacle(shape: Any) -> tuple[Any, Any]:
    """A body of coal and its pose."""
    import coal

    if isinstance(shape, Sphere):
        return coal.Sphere(float(shape.radius)), coal.Transform3s(np.eye(3), np.array(shape.center))
    if isinstance(shape, Box):
        rotation = shape.columns("box")[6:15, 0].reshape((3, 3)).T
        return coal.Box(*shape.size), coal.Transform3s(np.ascontiguousarray(rotation), np.array(shape.center))
    if isinstance(shape, Mesh):
        return build_coal_model(shape), coal.Transform3s.Identity()
    if isinstance(shape, Capsule3d):
        axis, center = shape.end - shape.start, (shape.start + shape.end) / 2
        body = coal.Capsule(float(shape.radius), float(np.linalg.norm(axis)))
    else:
        assert isinstance(shape, Sector3d)
        axis, center = shape.axis, shape.center
        body = coal.Cylinder(float(shape.outer_radius), 2 * float(shape.half_height))
    z = axis / np.linalg.norm(axis)
    x = np.cross(z, np.eye(3)[np.argmin(np.abs(z))])
    x /= np.linalg.norm(x)
    return body, coal.Transform3s(np.stack([x, np.cross(z, x), z], axis=1), np.array(center))
