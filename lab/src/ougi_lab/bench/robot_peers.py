"""How other libraries check edges of robots: hpp-python with proofs, the others at sampled configurations.

All of them check the pairs that ougi checks, except for shapes that rest in the world, and read the same file
without what does not matter to collisions.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

import ougi
from ougi._typing import Bools, Floats
from ougi_lab.bench.peers import MissingPeerError, Peer

# Samples per unit of joint values, as planners use them.
SAMPLES = 32

# What libraries need for dynamics and pictures. hpp-python refuses a file if a picture's mesh is missing.
_IRRELEVANT = ("visual", "inertial", "safety_controller", "mimic", "dynamics", "calibration")

# How near hpp-python's progressive validation goes to a contact. Unit: time. Its dichotomy needs no number.
_PROGRESSIVE = 1e-4


class Edges(NamedTuple):
    """A robot among boxes, and motions of it."""

    path: Path
    robot: ougi.Robot
    obstacles: list[ougi.Shape]
    q0: Floats
    q1: Floats

    def take(self, rows: Any) -> Edges:
        """A subset of the motions."""
        return self._replace(q0=self.q0[rows], q1=self.q1[rows])

    def sample(self, n: int) -> Floats:
        """Configurations (edges, n, dof)."""
        t = np.linspace(0, 1, n)[:, None]
        q: Floats = self.q0[:, None] * (1 - t) + self.q1[:, None] * t
        return q

    @property
    def boxes(self) -> list[tuple[Floats, Floats]]:
        """Centers and sizes of the obstacles."""
        found: list[Any] = list(self.obstacles)
        return [(np.array(box.center), np.array(box.size)) for box in found]

    def list_links(self) -> tuple[list[str], set[frozenset[str]]]:
        """Links with shapes, and pairs of them that are checked."""
        links = [shape.link for shape in self.robot.shapes]
        checked = {frozenset((links[a], links[b])) for a, b in self.robot.checked_pairs.tolist()}
        return sorted(set(links)), checked

    def list_unchecked(self) -> list[tuple[str, str]]:
        """Pairs of links with shapes that are not checked."""
        links, checked = self.list_links()
        return [
            (a, b) for i, a in enumerate(links) for b in links[i + 1 :] if frozenset((a, b)) not in checked
        ]

    @property
    def package_dirs(self) -> list[str]:
        """Folders that may hold packages."""
        return [str(folder) for folder in self.path.resolve().parents]

    def write_lean_urdf(self) -> str:
        """The text of the file without what does not matter; names of meshes are absolute."""
        root = ElementTree.parse(self.path).getroot()
        for element in [*root.iter("link"), *root.iter("joint")]:
            for tag in _IRRELEVANT:
                for part in element.findall(tag):
                    element.remove(part)
        for mesh in root.iter("mesh"):
            mesh.set("filename", self._find_file(mesh.attrib["filename"]))
        return ElementTree.tostring(root, encoding="unicode")

    def _find_file(self, name: str) -> str:
        relative = name.removeprefix("package://")
        found = [Path(folder, relative) for folder in self.package_dirs]
        return next((str(path) for path in found if path.exists()), name)


def _to_columns(edges: Edges, names: list[str], q: Floats) -> Floats:
    """Configurations (..., dof) in the order of another library's joints, which do not follow each other."""
    own = list(edges.robot.joint_names)
    columns = {name: q[..., k] for k, name in enumerate(own)}
    for joint in ElementTree.parse(edges.path).getroot().iter("joint"):
        mimic = joint.find("mimic")
        if mimic is not None and mimic.attrib["joint"] in own:
            factor, offset = (float(mimic.get(key, x)) for key, x in (("multiplier", 1), ("offset", 0)))
            columns[joint.attrib["name"]] = factor * columns[mimic.attrib["joint"]] + offset
    if not set(own) <= set(names) <= set(columns):
        raise MissingPeerError(f"it moves the joints {', '.join(names)}, and ougi {', '.join(own)}")
    return np.stack([columns[name] for name in names], axis=-1)


# --- pinocchio --------------------------------------------------------------------------------------------


class PinocchioScene:
    """Configurations by pinocchio, with coal, one by one."""

    def __init__(self, pinocchio: Any, edges: Edges) -> None:
        import coal

        text = edges.write_lean_urdf()
        self._library, self._model = pinocchio, pinocchio.buildModelFromXML(text)
        self._geometry = geometry = pinocchio.buildGeomFromUrdfString(
            self._model, text, pinocchio.GeometryType.COLLISION, package_dirs=edges.package_dirs
        )
        if len(geometry.geometryObjects) != len(edges.robot.shapes):
            raise MissingPeerError("it reads another number of shapes")
        by_link: dict[str, list[int]] = {}
        for k, thing in enumerate(geometry.geometryObjects):
            by_link.setdefault(self._model.frames[thing.parentFrame].name, []).append(k)
        numbers = [by_link[shape.link].pop(0) for shape in edges.robot.shapes]
        for a, b in edges.robot.checked_pairs.tolist():
            geometry.addCollisionPair(pinocchio.CollisionPair(numbers[a], numbers[b]))
        for k, (center, size) in enumerate(edges.boxes):
            pose = pinocchio.SE3(np.eye(3), center)
            added = geometry.addGeometryObject(pinocchio.GeometryObject(f"box{k}", 0, pose, coal.Box(*size)))
            for number in numbers:
                geometry.addCollisionPair(pinocchio.CollisionPair(number, added))
        self._edges, self._names = edges, list(self._model.names)[1:]
        self._data, self._geometry_data = self._model.createData(), geometry.createData()

    def check(self, samples: Floats) -> Bools:
        """Is each motion (n, configurations, dof) free at all of its configurations?"""
        compute, stop = self._library.computeCollisions, True
        state = (self._model, self._data, self._geometry, self._geometry_data)
        motions = _to_columns(self._edges, self._names, samples)
        return np.array([not any(compute(*state, q, stop) for q in motion) for motion in motions])


def _build_pinocchio(pinocchio: Any, edges: Edges) -> Callable[[], Bools]:
    scene, samples = PinocchioScene(pinocchio, edges), edges.sample(SAMPLES)
    return lambda: scene.check(samples)


# --- hpp-python -------------------------------------------------------------------------------------------


def _build_hpp(_: Any, edges: Edges, validation: str, tolerance: float) -> Callable[[], Bools]:
    """Continuous validation: bounds of velocities prove intervals of time. One edge is one call."""
    import pinocchio
    from pyhpp import core
    from pyhpp.pinocchio import Device
    from pyhpp.pinocchio.urdf import loadModelFromString

    os.environ["ROS_PACKAGE_PATH"] = os.pathsep.join(edges.package_dirs)
    disabled = "".join(
        f'<disable_collisions link1="{a}" link2="{b}" reason="Never"/>' for a, b in edges.list_unchecked()
    )
    boxes = "".join(
        f'<collision><origin xyz="{_join(center)}"/>'
        f'<geometry><box size="{_join(size)}"/></geometry></collision>'
        for center, size in edges.boxes
    )
    robot, origin = Device("robot"), pinocchio.SE3.Identity()
    texts = (edges.write_lean_urdf(), f'<robot name="r">{disabled}</robot>')
    loadModelFromString(robot, 0, "r", "anchor", *texts, origin)
    texts = (f'<robot name="e"><link name="base">{boxes}</link></robot>', '<robot name="e"/>')
    loadModelFromString(robot, 0, "e", "anchor", *texts, origin)
    if len(robot.geomModel().geometryObjects) != len(edges.robot.shapes) + len(edges.obstacles):
        raise MissingPeerError("it reads another number of shapes")
    names = [name.removeprefix("r/") for name in list(robot.model().names)[1:]]
    q0, q1 = (_to_columns(edges, names, q) for q in (edges.q0, edges.q1))
    problem = core.Problem(robot)
    validator = getattr(core, validation)(robot, tolerance)
    paths = [problem.directPath(*edge, False)[1] for edge in zip(q0, q1, strict=True)]

    def check() -> Bools:
        # The problem owns what the paths refer to.
        return np.array([validator.validate(path, False)[0] for path in paths if problem is not None])

    return check


def _join(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)


# --- Drake ------------------------------------------------------------------------------------------------


def _build_drake(_: Any, edges: Edges) -> Callable[[], Bools]:
    """Edges in one call of a collision checker that samples them."""
    import logging

    from pydrake.common import Parallelism
    from pydrake.geometry import Box
    from pydrake.math import RigidTransform
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import CoulombFriction
    from pydrake.multibody.tree import JointIndex
    from pydrake.planning import RobotDiagramBuilder, SceneGraphCollisionChecker

    logging.getLogger("drake").setLevel(logging.ERROR)
    text = edges.write_lean_urdf()
    builder = RobotDiagramBuilder(time_step=0.0)
    plant = builder.plant()
    try:
        instances = Parser(plant).AddModelsFromString(text.replace('"/', '"file:///'), "urdf")
    except RuntimeError as error:
        raise MissingPeerError("it does not read the meshes of this file") from error
    tree = ElementTree.fromstring(text)
    parents, children = ({x.attrib["link"] for x in tree.iterfind(f"joint/{y}")} for y in ("parent", "child"))
    (root,) = parents - children
    if root != "world":
        plant.WeldFrames(plant.world_frame(), plant.GetBodyByName(root).body_frame())
    for k, (center, size) in enumerate(edges.boxes):
        pose = RigidTransform(center)
        friction = CoulombFriction(1.0, 1.0)
        plant.RegisterCollisionGeometry(plant.world_body(), pose, Box(*size), f"box{k}", friction)
    plant.Finalize()
    if plant.num_collision_geometries() != len(edges.robot.shapes) + len(edges.obstacles):
        raise MissingPeerError("it reads another number of shapes")
    checker = SceneGraphCollisionChecker(
        model=builder.Build(),
        robot_model_instances=instances,
        edge_step_size=1 / SAMPLES,
        configuration_distance_function=lambda a, b: float(np.linalg.norm(a - b)),
    )
    for a, b in edges.list_unchecked():
        checker.SetCollisionFilteredBetween(plant.GetBodyByName(a), plant.GetBodyByName(b), True)
    moving = [
        joint for k in plant.GetJointIndices() if (joint := plant.get_joint(JointIndex(k))).num_positions()
    ]
    moving.sort(key=lambda joint: joint.position_start())
    names = [joint.name() for joint in moving]
    motions = list(zip(*(_to_columns(edges, names, q) for q in (edges.q0, edges.q1)), strict=True))
    return lambda: np.array(checker.CheckEdgesCollisionFree(motions, Parallelism(1)), np.bool_)


# --- OMPL -------------------------------------------------------------------------------------------------


def _build_ompl(_: Any, edges: Edges) -> Callable[[], Bools]:
    """OMPL's validator of samples, one by one, with ougi's test of a configuration."""
    from ompl import base

    from ougi.adapters.ompl import build_space

    robot, space = edges.robot, build_space(edges.robot)
    information = base.SpaceInformation(space)
    information.setStateValidityChecker(
        lambda state: not robot.collides(np.array([state[k] for k in range(robot.dof)]), edges.obstacles)
    )
    information.setStateValidityCheckingResolution(1 / SAMPLES / space.getMaximumExtent())
    information.setup()

    def build_state(q: Floats) -> Any:
        state = space.allocState()
        for k, value in enumerate(q.tolist()):
            state[k] = value
        return state

    motions = [(build_state(q0), build_state(q1)) for q0, q1 in zip(edges.q0, edges.q1, strict=True)]
    # The validator refers to what `information` owns, so its check is a method of that.
    return lambda: np.array([information.checkMotion(*motion) for motion in motions])


PEERS = (
    Peer(
        "hpp-python, certified (dichotomy)",
        "pyhpp.core",
        lambda module, edges: _build_hpp(module, edges, "Dichotomy", 0.0),
        distribution="hpp-python",
    ),
    Peer(
        "hpp-python, certified (progressive)",
        "pyhpp.core",
        lambda module, edges: _build_hpp(module, edges, "Progressive", _PROGRESSIVE),
        distribution="hpp-python",
    ),
    Peer("pinocchio with coal, sampled", "pinocchio", _build_pinocchio, distribution="pin"),
    Peer("Drake, sampled", "pydrake", _build_drake, distribution="drake"),
    Peer("OMPL with ougi, sampled", "ompl", _build_ompl),
)
