"""What the animations of a glTF file do to its meshes.

LINEAR keys are exact: between two of them a node's origin goes straight and the node turns evenly about one
axis. Parents that move too make chains. STEP keys are jumps. Scales must not move.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ougi._typing import Floats
from ougi.motion import Chain, Motion, Pose, between
from ougi.scene.files import KEYS
from ougi.scene.gltf import (
    Animation,
    Gltf,
    Local,
    Sampler,
    Tree,
    at,
    named,
    of_file,
    rotations,
    triangles_of,
)
from ougi.scene.model import Body, Piece, Scene, unused_name
from ougi.scene.problems import refused
from ougi.scene.timeline import straight_and_even
from ougi.shapes import Mesh


class _Channel(NamedTuple):
    """Keys of one property of a node; rotations are matrices."""

    times: Floats
    values: Floats
    is_step: bool

    def at(self, t: float, *, before: bool) -> Floats:
        """The value at t; at the very time of a STEP key the one before it, if asked for."""
        last = len(self.times) - 1
        passed = self.times < t if before and self.is_step else self.times <= t
        k = max(int(np.count_nonzero(passed)) - 1, 0)
        if self.is_step or k == last or t <= self.times[0] or t == self.times[k]:
            return np.asarray(self.values[k])
        share = (t - self.times[k]) / (self.times[k + 1] - self.times[k])
        start, end = self.values[k], self.values[k + 1]
        if start.ndim == 1:
            return np.asarray(start + share * (end - start))
        turn = between(Pose(np.zeros(3), start), Pose(np.zeros(3), end))
        return np.asarray(turn.at(share).rotation @ start)


def read_gltf(path: Path, animation: str | None = None) -> Scene:
    """The meshes of a file and how its animations move them."""
    gltf = Gltf(path)
    try:
        tree = Tree(gltf)
        channels = _channels(gltf, tree, _chosen(gltf, animation))
        bodies = tuple(_bodies(gltf, tree, channels))
    except ValueError as error:
        raise of_file(gltf, error) from None
    if not bodies:
        raise refused(gltf.name, "the file has no meshes, so there is nothing to check")
    end = max((float(c.times[-1]) for own in channels.values() for c in own.values()), default=0.0)
    return Scene(bodies, duration=end, up="y")


def _chosen(gltf: Gltf, wanted: str | None) -> list[Animation]:
    """All animations, which play together, or the one that is asked for."""
    if wanted is None:
        return gltf.document.animations
    found = [a for i, a in enumerate(gltf.document.animations) if wanted in (a.name, str(i))]
    if not found:
        known = ", ".join(named(a.name, i) for i, a in enumerate(gltf.document.animations)) or "none"
        raise ValueError(f"there is no animation {wanted!r}; the file has: {known}")
    return found[:1]


def _channels(gltf: Gltf, tree: Tree, animations: list[Animation]) -> dict[int, dict[str, _Channel]]:
    """What moves: node -> property -> keys. Tracks that never change are left out."""
    found: dict[int, dict[str, _Channel]] = {}
    for number, animation in enumerate(animations):
        label = f"animation {named(animation.name, number)}"
        for record in animation.channels:
            node, path = record.target.node, record.target.path
            if node is None or node not in tree.local:
                continue
            if path not in ("translation", "rotation", "scale"):
                raise ValueError(f"{label} moves {path!r}, which is not supported")
            if path in found.get(node, {}):
                name = named(tree.nodes[node].name, node)
                raise ValueError(f"two animations move the {path} of node {name}: choose one by its name")
            channel = _channel(gltf, at(animation.samplers, record.sampler, "sampler"), path, label)
            if path != "scale":
                found.setdefault(node, {})[path] = channel
            elif np.abs(channel.values - tree.local[node].scale).max() > 1e-5:
                name = named(tree.nodes[node].name, node)
                raise ValueError(
                    f"{label} moves the scale of node {name}: bodies that grow are not supported"
                )
    return found


def _channel(gltf: Gltf, sampler: Sampler, path: str, label: str) -> _Channel:
    if sampler.interpolation not in ("LINEAR", "STEP"):
        raise ValueError(f"{label}: the interpolation {sampler.interpolation!r} is not supported")
    times = np.asarray(gltf.array(sampler.input), np.float64)
    values = np.asarray(gltf.array(sampler.output), np.float64)
    if times.ndim != 1 or not 0 < len(times) <= KEYS:
        raise ValueError(f"{label} has {len(times)} keys; from 1 to {KEYS} are allowed")
    if not np.isfinite(times).all() or times[0] < 0 or (np.diff(times) <= 0).any():
        raise ValueError(f"{label} has times that do not increase from 0 on")
    if values.shape != (len(times), 4 if path == "rotation" else 3) or not np.isfinite(values).all():
        raise ValueError(f"{label} does not have one finite {path} for each of its {len(times)} times")
    if path == "rotation":
        values = rotations(values, label)
    return _Channel(times, values, sampler.interpolation == "STEP")


def _bodies(gltf: Gltf, tree: Tree, channels: dict[int, dict[str, _Channel]]) -> Iterator[Body]:
    """A body for each node with a mesh."""
    names: set[str] = set()
    joints: dict[int, _Joint] = {}
    for node in tree.order:
        record = tree.nodes[node]
        if record.mesh is None:
            continue
        scales = _scales(tree, node)
        vertices, faces = triangles_of(gltf, record.mesh)
        path = tree.path(node)
        for i, scale in zip(path, scales, strict=True):
            joints.setdefault(i, _Joint(tree.local[i], channels.get(i, {}), scale))
        ride = _Ride([joints[i] for i in path])
        mesh = Mesh(vertices * (scales[-1] * tree.local[node].scale), faces)
        movers = [i for i in path if i in channels]
        name = unused_name(record.name or gltf.document.meshes[record.mesh].name or f"node {node}", names)
        carrier = f"node {movers[-1]}" if movers else ""
        yield Body(name, mesh.transformed(ride.world(0.0, before=False)), ride.pieces(), carrier=carrier)


def _scales(tree: Tree, node: int) -> list[float]:
    """The even scale of the parents of each node on the way to this one."""
    scales = [1.0]
    for i in tree.path(node)[:-1]:
        own = tree.local[i].scale
        if np.ptp(own) > 1e-6 * np.abs(own).max() or own[0] <= 0:
            name = named(tree.nodes[i].name, i)
            raise ValueError(
                f"node {name} scales its children unevenly, which is not supported; "
                "apply the scale when exporting"
            )
        scales.append(scales[-1] * float(own.mean()))
    return scales


class _Joint:
    """A node in the frame of its parent, whose scale it has: its pose and its motion, each found once."""

    def __init__(self, rest: Local, keys: dict[str, _Channel], scale: float) -> None:
        self.rest, self.keys, self.scale = rest, keys, scale
        self._poses: dict[tuple[float, bool], Pose] = {}
        self._motions: dict[tuple[float, float], Motion | None] = {}

    def pose(self, t: float, *, before: bool) -> Pose:
        """Where the node is at t; `before` a jump at that time, or after it."""
        if not self.keys:
            t, before = 0.0, False
        if (t, before) not in self._poses:
            place, turn = self.rest.translation, self.rest.rotation
            if "translation" in self.keys:
                place = self.keys["translation"].at(t, before=before)
            if "rotation" in self.keys:
                turn = self.keys["rotation"].at(t, before=before)
            self._poses[t, before] = Pose(place * self.scale, turn)
        return self._poses[t, before]

    def motion(self, start: float, stop: float) -> Motion | None:
        """What the node does between two times; None if it rests."""
        if not self.keys:
            return None
        if (start, stop) not in self._motions:
            ends = self.pose(start, before=False), self.pose(stop, before=True)
            self._motions[start, stop] = straight_and_even(*ends)
        return self._motions[start, stop]


class _Ride(NamedTuple):
    """The nodes from the root to a body."""

    joints: list[_Joint]

    def world(self, t: float, *, before: bool) -> Pose:
        pose = Pose(np.zeros(3))
        for joint in self.joints:
            pose = pose @ joint.pose(t, before=before)
        return pose

    def pieces(self) -> tuple[Piece, ...]:
        """One motion for each span between keys of any of the nodes; jumps where STEP keys are."""
        channels = [channel for joint in self.joints for channel in joint.keys.values()]
        times = sorted({0.0, *(float(t) for channel in channels for t in channel.times)})
        pieces = []
        for start, stop in itertools.pairwise(times):
            motion = self._motion(start, stop)
            if motion is not None:
                pieces.append(Piece(start, stop, motion))
            if any(channel.is_step for channel in channels):
                jump = between(self.world(stop, before=True), self.world(stop, before=False))
                if not np.allclose(jump.at(1.0).matrix(), np.eye(4), rtol=0, atol=1e-12):
                    pieces.append(Piece(stop, stop, jump))
        return tuple(pieces)

    def _motion(self, start: float, stop: float) -> Motion | None:
        """Each node's own motion, where its parents are at the start: together a chain."""
        pose, factors = Pose(np.zeros(3)), []
        for joint in self.joints:
            if (own := joint.motion(start, stop)) is not None:
                factors.append(own.placed(pose))
            pose = pose @ joint.pose(start, before=False)
        if len(factors) < 2:
            return factors[0] if factors else None
        return Chain(*factors)
