"""Robots: configurations, edges between them, and boxes of them, checked for collisions."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ougi import _check
from ougi._native import each, get_threads
from ougi._typing import Array, ArrayLike, Bools, Floats, Foreign, Ints, Loop
from ougi.kernels.robot.constants import PROVEN, TOUCHING
from ougi.kernels.robot.edges import (
    check_boxes,
    find_collisions,
    find_edge_contacts,
    measure_gaps,
    place_robots,
)
from ougi.motion import Pose
from ougi.query.inside import find_inside, get_points
from ougi.results import Status
from ougi.robot.certify import RobotEnvelope, Subdivision
from ougi.robot.kinematics import Kinematics, build_kinematics
from ougi.robot.obstacles import ObstacleRows, Obstacles, list_obstacles, read_obstacles
from ougi.robot.pair_table import (
    CheckTables,
    bound_groups,
    build_tables,
    build_workspace,
    list_allowed,
)
from ougi.robot.results import RobotContacts, RobotDistances
from ougi.robot.shape_table import Row, read_rows
from ougi.scene.limits import Budget, Limits
from ougi.scene.options import LoadOptions
from ougi.scene.problems import suggest_name
from ougi.shapes import HalfSpace3d, Mesh, Shape, Sphere, as_shape
from ougi.shapes.compound import split_parts

if TYPE_CHECKING:
    from ougi.scene.urdf import RobotModel

# Rows that one thread works on at once: large enough that calls do not count, small enough to share.
_CHUNK = 256

# Intervals of an edge after which it is undecided. A free edge needs about ten, a grazing one hundreds.
MAX_INTERVALS = 20_000

# Of intervals of an edge.
_MAX_COUNT = 2**62

# Random configurations of `find_constant_pairs` and boxes of `certify`, which are all in memory.
_MAX_SAMPLES = 10_000_000


@dataclass(frozen=True)
class LinkShape:
    """A collision shape of a link, in the frame of the link."""

    link: str
    shape: Shape


class _Prepared(NamedTuple):
    """Obstacles, and the tables of a robot among them."""

    obstacles: ObstacleRows
    tables: CheckTables


class _Enclosed(NamedTuple):
    """Configurations (rows) at which solid meshes enclose shapes, one each; and a point of the shape."""

    row: Ints
    shape: Ints
    obstacle: Ints
    point: Floats


class Robot:
    """A robot: links with shapes, joints, and the pairs of links that are checked.

    Use `Robot.load`. A robot does not change: methods that add or exclude something return another one. A
    configuration is a row of joint values in the order of `joint_names`, in radians or lengths. Motions
    between configurations are straight in joint values.

    Attributes
    ----------
    name
        Of the robot in its file.
    joint_names
        The columns of a configuration. Joints that follow others (`mimic`) have none.
    limits
        (dof, 2), lower and upper limits; infinite where there are none.
    link_names
        All links.
    shapes
        All collision shapes with their links. Results name a shape by its index.

    >>> import ougi, pathlib
    >>> _ = pathlib.Path("arm.urdf").write_text('''<robot name="arm">
    ...   <link name="base"/>
    ...   <link name="upper"><collision><origin xyz="0.25 0 0"/>
    ...     <geometry><box size="0.5 0.1 0.1"/></geometry></collision></link>
    ...   <link name="fore"><collision><origin xyz="0.2 0 0"/>
    ...     <geometry><sphere radius="0.06"/></geometry></collision></link>
    ...   <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    ...     <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
    ...   <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    ...     <origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint></robot>''')
    >>> robot = ougi.Robot.load("arm.urdf")
    >>> robot
    <Robot 'arm': 2 joints, 3 links, 2 shapes, 0 pairs>
    >>> post = ougi.Sphere([0.2, 0.5, 0], 0.05)
    >>> found = robot.first_contact([[0, 0], [0, 0]], [[1.5, 1.0], [-1.5, 1.0]], post)
    >>> found.t.round(4).tolist()
    [0.6826, nan]
    >>> robot.shapes[found.shape[0]].link
    'upper'
    """

    def __init__(
        self,
        name: str,
        kinematics: Kinematics,
        shapes: Iterable[LinkShape],
        excluded: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.name, self.shapes = name, tuple(shapes)
        self._kinematics = kinematics
        self._excluded = frozenset(excluded)
        rows = [self._place_rows(each_shape) for each_shape in self.shapes]
        self._rows: list[Row] = [row for row, _ in rows]
        self._joints_of = [joint for _, joint in rows]
        self._allowed = list_allowed(
            self._joints_of, [s.link for s in self.shapes], kinematics.carriers, self._list_excluded()
        )
        self._prepared: _Prepared | None = None

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        srdf: str | os.PathLike[str] | None = None,
        packages: Mapping[str, str | os.PathLike[str]] | None = None,
        run_xacro: bool = False,
        skip_unsupported: bool = False,
        limits: Limits | None = None,
    ) -> Robot:
        """Read a robot from a URDF or xacro file; parameters as in `ougi.load_scene`.

        Links of one rigid assembly and neighbours at a joint are not checked against each other, and neither
        are pairs that the SRDF disables.

        Raises
        ------
        SceneError
            With everything that is wrong with the file: `problems`, each with file, line and text.
        """
        from ougi.scene.urdf import read_robot

        options = LoadOptions(
            srdf=None if srdf is None else Path(srdf),
            packages=packages or {},
            run_xacro=run_xacro,
            skip_unsupported=skip_unsupported,
        )
        return cls._build(read_robot(Path(path), options, Budget(limits)))

    @classmethod
    def from_mujoco(cls, model: Foreign, *, skip_unsupported: bool = False) -> Robot:
        """Make a robot of a model of MuJoCo, such as `mujoco.MjModel.from_xml_path("arm.xml")`.

        Bodies are links; the first is `world`. Hinges and slides have the values of `qpos`. A free joint `j`
        has the columns `j/x`, `j/y`, `j/z`, `j/yaw`, `j/pitch`, `j/roll`, relative to where the model has the
        body, and a ball the last three. MuJoCo's rules decide which links are checked: masks of geoms,
        `exclude`, and no parents with their children unless the parent is the world. Meshes are surfaces, not
        the hulls that MuJoCo collides.

        Parameters
        ----------
        model
            A `mujoco.MjModel`.
        skip_unsupported
            Skip geoms that robots do not have (height fields, distance fields), with a warning.

        >>> import ougi
        >>> import mujoco                                             # doctest: +SKIP
        >>> arm = mujoco.MjModel.from_xml_path("arm.xml")             # doctest: +SKIP
        >>> ougi.Robot.from_mujoco(arm).is_free([0, 0], [1, 2])       # doctest: +SKIP
        np.True_
        """
        from ougi.robot.mujoco_model import read_model

        return cls._build(read_model(model, skip_unsupported=skip_unsupported))

    @classmethod
    def _build(cls, model: RobotModel) -> Robot:
        kinematics = build_kinematics(model.links, model.joints)
        shapes = [LinkShape(name, shape) for name, link in model.links.items() for shape in link.shapes]
        return cls(model.name, kinematics, shapes, model.disabled)

    def __repr__(self) -> str:
        counts = (len(self.joint_names), len(self.link_names), len(self.shapes), len(self._allowed))
        joints, links, shapes, pairs = (f"{n:,}" for n in counts)
        return f"<Robot {self.name!r}: {joints} joints, {links} links, {shapes} shapes, {pairs} pairs>"

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The columns of a configuration."""
        return self._kinematics.names

    @property
    def link_names(self) -> tuple[str, ...]:
        """All links."""
        return tuple(self._kinematics.links)

    @property
    def limits(self) -> Floats:
        """(dof, 2), lower and upper limits of the columns; infinite where there are none."""
        return self._kinematics.limits.copy()

    @property
    def dof(self) -> int:
        """How many values a configuration has."""
        return len(self.joint_names)

    @property
    def checked_pairs(self) -> Ints:
        """(n, 2), the pairs of shapes of the robot that are checked against each other."""
        return self._allowed.copy()

    def get_sampling_bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper limits (dof,) of joints; a full turn, or a unit of length, where there are none.

        Limits beyond a million turns are none: some files write those of continuous joints in this manner.
        """
        lower, upper = self._kinematics.limits.T.copy()
        joints = self._kinematics.joints
        reach = np.where([bool(joints.turns[joints.source == k].any()) for k in range(self.dof)], np.pi, 1.0)
        is_limit = np.maximum(np.abs(lower), np.abs(upper)) <= _check.MAX_ANGLE
        return np.where(is_limit, lower, -reach), np.where(is_limit, upper, reach)

    # --- other robots -------------------------------------------------------------------------------------

    def with_spheres(self, link: Sequence[str], center: ArrayLike, radius: ArrayLike) -> Robot:
        """The robot with spheres instead of its shapes, as planners use them.

        Parameters
        ----------
        link
            (n,), the link of each sphere; a link may have several.
        center
            (n, 3), in the frames of the links.
        radius
            (n,), or one for all.
        """
        spheres = Sphere(center, radius)
        if spheres.shape != (len(link),):
            raise ValueError(
                "link and center must be of one length, got "
                f"{len(link)} links and spheres of shape {spheres.shape}"
            )
        for name in link:
            self._require_link(name)
        shapes = [LinkShape(name, spheres[k]) for k, name in enumerate(link)]
        return Robot(self.name, self._kinematics, shapes, self._excluded)

    def attach(self, link: str, shape: Shape) -> Robot:
        """The robot with one more shape on a link, such as a tool or a grasped box.

        Parameters
        ----------
        link
            The name of a link. Pairs that are excluded for it are excluded for the shape.
        shape
            In the frame of the link. A batch, and what is joined to a compound, is several shapes.
        """
        self._require_link(link)
        batches = [part.shape for part in split_parts(as_shape("shape", shape))]
        parts = [batch[k] if batch.shape else batch for batch in batches for k in range(batch.count)]
        return Robot(
            self.name,
            self._kinematics,
            [*self.shapes, *(LinkShape(link, part) for part in parts)],
            self._excluded,
        )

    def ignore(self, pairs: Iterable[tuple[str, str]]) -> Robot:
        """The robot with more pairs of links that are not checked against each other."""
        added = []
        for pair in pairs:
            if isinstance(pair, str) or len(pair) != 2:
                raise ValueError(f"pairs must be pairs of names of links, got {pair!r}")
            a, b = pair
            self._require_link(a)
            self._require_link(b)
            added.append((min(a, b), max(a, b)))
        return Robot(self.name, self._kinematics, self.shapes, self._excluded | set(added))

    def find_constant_pairs(
        self, samples: int = 10_000, seed: int = 0
    ) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Pairs of links that touched at all, and at none of random configurations within the limits.

        Nothing is excluded by this. Give pairs that always touch by design to `ignore`. That a pair never
        touched a sample is no proof.

        Returns
        -------
        tuple
            Two lists of pairs of names: those that always touched, those that never did.
        """
        lower, upper = self.get_sampling_bounds()
        count = _check.whole_number("samples", samples, _MAX_SAMPLES)
        drawn = np.random.default_rng(seed).uniform(lower, upper, (count, self.dof))
        q, _ = self._check_configurations("samples", drawn)
        links = [shape.link for shape in self.shapes]
        by_links: dict[tuple[str, str], list[tuple[int, int]]] = {}
        for a, b in self._allowed.tolist():
            first, second = sorted((links[a], links[b]))
            by_links.setdefault((first, second), []).append((a, b))
        always, never = [], []
        for names, members in by_links.items():
            touched = self._find_collisions(q, self._build_pair_tables(members), 0.0) >= 0
            if touched.all():
                always.append(names)
            elif not touched.any():
                never.append(names)
        return always, never

    # --- queries ------------------------------------------------------------------------------------------

    def forward_kinematics(self, q: ArrayLike) -> dict[str, Pose]:
        """The pose of every link.

        Parameters
        ----------
        q
            (..., dof), configurations.

        Returns
        -------
        dict
            Name of a link -> poses (...) in the frame of the root.
        """
        rows, batch = self._check_configurations("q", q)
        joints = self._kinematics.joints
        out = np.empty((len(rows), max(len(joints.parent), 1), 12))
        self._run(place_robots, (joints, rows), None, out)
        rotation, position = out[:, :, :9].reshape((*out.shape[:2], 3, 3)), out[:, :, 9:]
        root = Pose(np.zeros((len(rows), 3)))
        poses = {}
        for name, (joint, inner) in self._kinematics.links.items():
            pose = root if joint < 0 else Pose._of(position[:, joint].copy(), rotation[:, joint].copy())
            poses[name] = (pose @ inner).reshape(batch)
        return poses

    def collides(self, q: ArrayLike, obstacles: Obstacles = None, *, margin: float = 0.0) -> Bools:
        """Does the robot touch itself or an obstacle?

        Parameters
        ----------
        q
            (..., dof), configurations.
        obstacles
            A shape, a batch, a sequence of them, the bodies of a scene at its start, or those of a `World`
            where they are now.
        margin
            Gaps up to this count as contacts.
        """
        rows, batch = self._check_configurations("q", q)
        margin = _check.number("margin", margin, positive=False)
        hit = self._touch(rows, self._prepare(obstacles), margin)
        return hit.reshape(batch)[()]

    def distance(self, q: ArrayLike, obstacles: Obstacles = None) -> RobotDistances:
        """The smallest gap to obstacles and between links of the robot; parameters as in `collides`."""
        rows, batch = self._check_configurations("q", q)
        prepared = self._prepare(obstacles)
        tables = prepared.tables
        out = np.full((len(rows), 8), np.nan)
        self._run(measure_gaps, (self._kinematics.joints, tables.shapes, tables.pairs, rows), tables, out)
        pairs = _split_pairs(prepared, out[:, 1].astype(np.int64))
        inside = self._find_enclosed(rows, prepared, out[:, 0] > 0)
        out[inside.row] = np.nan
        out[inside.row, 0], out[inside.row, 2:5] = 0.0, inside.point
        _put_enclosed(pairs, inside)
        return RobotDistances(*_reshape(batch, out[:, 0], *pairs, out[:, 2:5], out[:, 5:8] + 0.0))

    def first_contact(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        obstacles: Obstacles = None,
        *,
        tol: float = 1e-9,
        margin: float = 0.0,
        max_intervals: int = MAX_INTERVALS,
    ) -> RobotContacts:
        """The first contact of each straight motion from q0 to q1, or a proof that there is none.

        Parameters
        ----------
        q0, q1
            (..., dof), configurations; they broadcast. All joints move evenly during t from 0 to 1. A
            trajectory `q` (n, dof) is the batch `q[:-1], q[1:]`.
        obstacles
            As in `collides`. They rest.
        tol
            At the reported t the gap lies in [0, 2 * tol], in units of length. Up to t the motion is
            certified free.
        margin
            Gaps up to this count as contacts.
        max_intervals
            Into how many intervals of time an edge may be split. Beyond it the edge is undecided.

        Returns
        -------
        RobotContacts
            status, hit, t, point, normal, shape, other, obstacle. Status 0 (free) is a proof for the whole
            motion. A mesh is its surface, so what is inside of it touches nothing, unless it is a solid
            obstacle. This includes obstacles that fit into the mesh of a link.
        """
        return self.first_contact_of_polynomials(
            _stack_edges(q0, q1, self.joint_names),
            obstacles,
            tol=tol,
            margin=margin,
            max_intervals=max_intervals,
        )

    def first_contact_of_polynomials(
        self,
        coefficients: ArrayLike,
        obstacles: Obstacles = None,
        *,
        tol: float = 1e-9,
        margin: float = 0.0,
        max_intervals: int = MAX_INTERVALS,
    ) -> RobotContacts:
        """As `first_contact`, for joints that are polynomials of t, such as cubic or quintic splines.

        Parameters
        ----------
        coefficients
            (..., degree + 1, dof), of the powers of t in [0, 1], the constant first.
        """
        terms, batch = self._check_coefficients(coefficients)
        prepared, out, inside = self._find_contacts(
            terms, obstacles, tol, margin, max_intervals, any_contact=False
        )
        pairs = _split_pairs(prepared, out[:, 2].astype(np.int64))
        out[inside.row, 3:6], out[inside.row, 6:9] = inside.point, np.nan
        _put_enclosed(pairs, inside)
        status = out[:, 0].astype(np.int64)
        hit = (status == Status.HIT) | (status == Status.OVERLAPPING)
        return RobotContacts(*_reshape(batch, status, hit, out[:, 1], out[:, 3:6], out[:, 6:9] + 0.0, *pairs))

    def is_free(
        self,
        q0: ArrayLike,
        q1: ArrayLike,
        obstacles: Obstacles = None,
        *,
        tol: float = 1e-9,
        margin: float = 0.0,
        max_intervals: int = MAX_INTERVALS,
    ) -> Bools:
        """Is each straight motion from q0 to q1 certified free? Parameters as in `first_contact`.

        False means that the robot touches something, or comes nearer than `tol` to it, or that the motion is
        undecided. This is faster than `first_contact`, because any contact ends the search.
        """
        terms, batch = self._check_coefficients(_stack_edges(q0, q1, self.joint_names))
        _, out, _ = self._find_contacts(terms, obstacles, tol, margin, max_intervals, any_contact=True)
        free: Bools = out[:, 0] == float(Status.FREE)
        return free.reshape(batch)[()]

    def certify(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        obstacles: Obstacles = None,
        *,
        margin: float = 0.0,
        max_boxes: int = 100_000,
        resume: RobotEnvelope | None = None,
        progress: Callable[[float, float, float], None] | None = None,
    ) -> RobotEnvelope:
        """Is every configuration of a box of joint values free? For the envelope of a crane or a loader.

        The box is halved until each part is proven free, or proven to collide everywhere, or until
        `max_boxes` parts were checked. The cost grows fast with the number of joints.

        Parameters
        ----------
        lower, upper
            (dof,), the box. A joint with equal limits stays.
        obstacles, margin
            As in `collides`.
        max_boxes
            How many parts this call checks.
        resume
            The result of an earlier call with the same box, robot, obstacles and margin: go on with its open
            parts.
        progress
            Called with the shares free, colliding and unknown after each batch.

        Returns
        -------
        RobotEnvelope
            `is_free`, and the shares of the volume that are certified free, certified colliding, and unknown.
            Only overlaps of shapes with a radius (spheres, capsules) prove that a part collides everywhere;
            around overlaps of others it stays unknown, with a `witness`.
        """
        (low, _), (high, _) = (
            self._check_configurations(n, q) for n, q in (("lower", lower), ("upper", upper))
        )
        if low.shape != (1, max(self.dof, 1)) or high.shape != low.shape:
            raise ValueError(f"lower and upper must have shape ({self.dof},)")
        if (low > high).any():
            raise ValueError(f"lower must not exceed upper, got {low[0].tolist()} and {high[0].tolist()}")
        margin = _check.number("margin", margin, positive=False)
        prepared = self._prepare(obstacles)
        tables = prepared.tables
        digest = self._compute_digest(prepared, margin)
        before = resume
        if before is None:
            before = RobotEnvelope(low[0], high[0], 0.0, 0.0, 1.0, 0, low, high, digest=digest)
        if not isinstance(before, RobotEnvelope):
            raise TypeError(f"resume must be a RobotEnvelope, got {_check.describe_class(before)}")
        if not (np.array_equal(before.lower, low[0]) and np.array_equal(before.upper, high[0])):
            raise ValueError("resume must be the result of an earlier call with the same box")
        if before.digest != digest:
            raise ValueError(
                "resume must be the result of an earlier call with the same robot, obstacles and margin"
            )

        def check(center: Floats, half: Floats) -> Ints:
            out = np.empty((len(center), 2), np.int64)
            boxes = [_check.frozen(np.ascontiguousarray(rows)) for rows in (center, half)]
            inputs = (self._kinematics.joints, tables.shapes, tables.pairs, *boxes, margin, tables.extent)
            self._run(check_boxes, inputs, tables, out)
            # Nothing touches a surface in a free box, so what is inside in its middle is inside everywhere.
            inside = self._find_enclosed(boxes[0], prepared, out[:, 0] == PROVEN)
            out[inside.row, 0] = TOUCHING
            return out[:, 0]

        def collides(q: Floats) -> Bools:
            return self._touch(_check.frozen(np.ascontiguousarray(q)), prepared, margin)

        count = _check.whole_number("max_boxes", max_boxes, _MAX_SAMPLES)
        return Subdivision(before, self._measure_reach(tables)).run(check, collides, count, progress)

    # --- inside -------------------------------------------------------------------------------------------

    def _find_contacts(
        self,
        terms: Floats,
        obstacles: Obstacles,
        tol: float,
        margin: float,
        max_intervals: int,
        *,
        any_contact: bool,
    ) -> tuple[_Prepared, Floats, _Enclosed]:
        tol = _check.number("tol", tol, positive=True)
        margin = _check.number("margin", margin, positive=False)
        max_intervals = _check.whole_number("max_intervals", max_intervals, _MAX_COUNT)
        prepared = self._prepare(obstacles)
        tables = prepared.tables
        out = np.empty((len(terms), 10))
        inputs = (self._kinematics.joints, tables.shapes, tables.pairs, terms)
        options = (margin, tables.extent, tol, any_contact, max_intervals)
        self._run(find_edge_contacts, (*inputs, *options), tables, out)
        start = _check.frozen(np.ascontiguousarray(terms[:, 0]))
        inside = self._find_enclosed(start, prepared, out[:, 0] != float(Status.OVERLAPPING))
        out[inside.row, 0], out[inside.row, 1] = float(Status.OVERLAPPING), 0.0
        return prepared, out, inside

    def _touch(self, rows: Floats, prepared: _Prepared, margin: float) -> Bools:
        hit: Bools = self._find_collisions(rows, prepared.tables, margin) >= 0
        hit[self._find_enclosed(rows, prepared, ~hit).row] = True
        return hit

    def _find_enclosed(self, rows: Floats, prepared: _Prepared, wanted: Bools) -> _Enclosed:
        """Which of the wanted configurations have a shape inside of a solid mesh?

        Those that touch its surface may be missing. One point of each connected part decides.
        """
        n = len(rows)
        shape, obstacle, point = np.full(n, -1), np.full(n, -1), np.empty((n, 3))
        if prepared.obstacles.solids and wanted.any():
            joints = self._kinematics.joints
            poses = np.empty((n, max(len(joints.parent), 1), 12))
            self._run(place_robots, (joints, rows), None, poses)
            for k, (own, joint) in enumerate(zip(self.shapes, self._joints_of, strict=True)):
                local = get_points(own.shape.transformed(self._kinematics.links[own.link][1]))
                for mesh, number in prepared.obstacles.solids:
                    left = np.flatnonzero(wanted & (shape < 0))
                    points = np.broadcast_to(local, (len(left), *local.shape))
                    if joint >= 0:
                        rotation = poses[left, joint, :9].reshape((len(left), 3, 3))
                        points = points @ rotation.swapaxes(1, 2) + poses[left, joint, None, 9:]
                    inside = find_inside(mesh, points.reshape((-1, 3))).reshape(points.shape[:2])
                    hit = inside.any(axis=1)
                    shape[left[hit]], obstacle[left[hit]] = k, number
                    point[left[hit]] = points[hit, inside[hit].argmax(axis=1)]
        found: Ints = np.flatnonzero(shape >= 0)
        return _Enclosed(found, shape[found], obstacle[found], point[found])

    def _find_collisions(self, rows: Floats, tables: CheckTables, margin: float) -> Ints:
        out = np.empty(len(rows), np.int64)
        inputs = (self._kinematics.joints, tables.shapes, tables.pairs, rows, margin)
        self._run(find_collisions, inputs, tables, out)
        return out

    def _run(self, loop: Loop, inputs: tuple[object, ...], tables: CheckTables | None, out: Array) -> None:
        """Run a loop over all rows of `out`, in parts with a workspace for each thread."""
        n = len(out)
        parts = min(get_threads(), -(-n // _CHUNK))
        edges = [n * k // max(parts, 1) for k in range(parts + 1)]

        def work(part: int) -> None:
            workspace = build_workspace(self._kinematics.joints, tables)
            loop(*inputs, workspace, out, edges[part], edges[part + 1])

        each(work, range(parts))

    def _compute_digest(self, prepared: _Prepared, margin: float) -> str:
        """Of all that decides whether a configuration is free: a proof must not go on with another robot."""
        digest = hashlib.blake2b(digest_size=16)
        for array in (*self._kinematics.joints, *prepared.tables.shapes, prepared.tables.pairs.row):
            digest.update(array.tobytes())
        solids = [number for _, number in prepared.obstacles.solids]
        digest.update(repr((margin, solids)).encode())
        return digest.hexdigest()

    def _measure_reach(self, tables: CheckTables) -> Floats:
        """(dof,), how far a unit of each joint can move a shape below it: the lengths of links."""
        joints = self._kinematics.joints
        reach = np.zeros(max(self.dof, 1))
        for s in range(tables.n_shapes):
            k = int(tables.shapes.joint[s])
            length = float(np.linalg.norm(tables.shapes.center[s]) + tables.shapes.radius[s, 0])
            while k >= 0:
                column, factor = int(joints.source[k]), abs(float(joints.factor[k]))
                reach[column] = max(reach[column], factor * (length if joints.turns[k] else 1.0))
                length += float(np.linalg.norm(joints.origin[k, 9:]))
                k = int(joints.parent[k])
        return np.maximum(reach, 1e-12)

    def _prepare(self, obstacles: Obstacles) -> _Prepared:
        """Tables for these obstacles. Those of the last call are used again if they are the same objects."""
        shapes = list_obstacles(obstacles)
        if self._prepared is not None:
            last = self._prepared.obstacles.shapes
            if len(last) == len(shapes) and all(a is b for a, b in zip(last, shapes, strict=True)):
                return self._prepared
        found = read_obstacles(shapes)
        tables = build_tables(
            self._kinematics.joints, self._rows, self._joints_of, self._allowed, found.rows, self._groups
        )
        self._prepared = _Prepared(found, tables)
        return self._prepared

    @functools.cached_property
    def _groups(self) -> dict[int, Row]:
        return bound_groups(self._rows, self._joints_of)

    def _build_pair_tables(self, pairs: list[tuple[int, int]]) -> CheckTables:
        """Tables of a few pairs, without the other shapes, whose meshes would be copied."""
        used, own_pairs = np.unique(np.array(pairs, np.int64), return_inverse=True)
        rows, joints = ([column[k] for k in used] for column in (self._rows, self._joints_of))
        return build_tables(
            self._kinematics.joints, rows, joints, own_pairs.reshape((-1, 2)), [], self._groups
        )

    def _place_rows(self, given: LinkShape) -> tuple[Row, int]:
        self._require_link(given.link)
        if isinstance(given.shape, Mesh) and given.shape.solid:
            raise ValueError("shape must be a surface, got a solid Mesh; only obstacles may be solid")
        joint, pose = self._kinematics.links[given.link]
        if isinstance(given.shape, HalfSpace3d) and joint >= 0:
            raise ValueError(f"shape must have an end, got a HalfSpace3d on link {given.link!r}, which moves")
        (row,) = read_rows(given.shape.transformed(pose))
        return row, joint

    def _list_excluded(self) -> set[tuple[str, str]]:
        """Pairs of links that are neighbours or excluded."""
        members: dict[str, list[str]] = {}
        for link, carrier in self._kinematics.carriers.items():
            members.setdefault(carrier, []).append(link)
        neighbours = {
            (min(a, b), max(a, b))
            for first, second in self._kinematics.neighbours
            for a in members[first]
            for b in members[second]
        }
        return neighbours | self._excluded

    def _require_link(self, link: str) -> None:
        if link not in self._kinematics.links:
            raise ValueError(f"there is no link {link!r}{suggest_name(link, self._kinematics.links)}")

    def _check_configurations(self, name: str, q: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """Rows of configurations, and their batch shape."""
        values = _check.angles(name, q)
        if values.ndim == 0 or values.shape[-1] != self.dof:
            joints = ", ".join(self.joint_names)
            raise ValueError(
                f"{name} must have shape (..., {self.dof}), a value for each of {joints}; got {values.shape}"
            )
        rows = np.zeros(
            (values[..., 0].size if self.dof else int(np.prod(values.shape[:-1])), max(self.dof, 1))
        )
        rows[:, : self.dof] = values.reshape((-1, self.dof)) if self.dof else 0.0
        return _check.frozen(rows), values.shape[:-1]

    def _check_coefficients(self, coefficients: ArrayLike) -> tuple[Floats, tuple[int, ...]]:
        """Polynomials (n, degree + 1, dof), and their batch shape."""
        values = _check.angles("coefficients", coefficients)
        if values.ndim < 2 or values.shape[-1] != self.dof or not values.shape[-2]:
            joints = ", ".join(self.joint_names)
            raise ValueError(
                f"coefficients must have shape (..., degree + 1, {self.dof}), a column for each of {joints}; "
                f"got {values.shape}"
            )
        degree = max(values.shape[-2] - 1, 1)
        count = int(np.prod(values.shape[:-2]))
        terms = np.zeros((count, degree + 1, max(self.dof, 1)))
        terms[:, : values.shape[-2], : self.dof] = values.reshape((count, *values.shape[-2:]))
        return _check.frozen(terms), values.shape[:-2]


def _stack_edges(q0: ArrayLike, q1: ArrayLike, joint_names: Sequence[str]) -> Floats:
    """Straight motions as polynomials: start and difference."""
    start, end = _check.angles("q0", q0), _check.angles("q1", q1)
    if {start.shape[-1:], end.shape[-1:]} != {(len(joint_names),)}:
        raise ValueError(
            f"q0 and q1 must have shape (..., {len(joint_names)}), a value for each of "
            f"{', '.join(joint_names)}; got {start.shape} and {end.shape}"
        )
    batch = _check.broadcast_shape(q0=start.shape, q1=end.shape)
    start, end = np.broadcast_to(start, batch), np.broadcast_to(end, batch)
    return np.stack([start, end - start], axis=-2)


def _reshape(batch: tuple[int, ...], *columns: Array) -> Iterator[Array]:
    """Columns (n, ...) as arrays of a batch shape."""
    return (column.reshape((*batch, *column.shape[1:]))[()] for column in columns)


def _split_pairs(prepared: _Prepared, pair: Ints) -> tuple[Ints, Ints, Ints]:
    """Indices of the robot's shape, of its other shape, and of the obstacle, from rows of pairs."""
    tables, numbers = prepared.tables, np.append(prepared.obstacles.numbers, -1)
    pairs = np.append(tables.pairs.row[:, :2], [[-1, -1]], axis=0)[pair]
    first, second = pairs[:, 0], pairs[:, 1]
    is_own = second < tables.n_shapes
    obstacle = numbers[np.where(is_own, -1, second - tables.n_shapes)]
    return first.copy(), np.where(is_own, second, -1), obstacle


def _put_enclosed(pairs: tuple[Ints, Ints, Ints], inside: _Enclosed) -> None:
    """Write the shapes that are inside of obstacles."""
    shape, other, obstacle = pairs
    shape[inside.row], other[inside.row], obstacle[inside.row] = inside.shape, -1, inside.obstacle
