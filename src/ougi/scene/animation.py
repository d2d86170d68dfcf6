"""What the animations of a glTF file do to its meshes.

LINEAR keys are exact: between two of them a node's origin goes straight and the node turns evenly about one
axis. Parents that move too make chains. STEP keys are jumps. Scales must not move.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Ints
from ougi.motion import Motion, Pose, between
from ougi.scene.gltf import (
    Animation,
    Gltf,
    Sampler,
    Tree,
    get_item,
    label_item,
    read_mesh,
    read_rotations,
    to_scene_error,
)
from ougi.scene.limits import Budget
from ougi.scene.meshes import count_mesh
from ougi.scene.model import Body, Piece, Scene, make_unique_name
from ougi.scene.options import LoadOptions
from ougi.scene.problems import scene_error
from ougi.scene.spans import LinearSpans, MotionGroups
from ougi.scene.units import Placement
from ougi.shapes import Mesh

# A jump is ignored as rounding if no entry of its matrix differs by more than this from the identity.
_NO_JUMP = 1e-12


class _Channel(NamedTuple):
    """Keys of one property of a node; rotations are matrices."""

    times: Floats
    values: Floats
    is_step: bool

    def at(self, t: Floats, *, before: bool) -> Floats:
        """The values at times; at the very time of a STEP key the one before it, if `before`."""
        side: Literal["left", "right"] = "left" if before and self.is_step else "right"
        k = np.maximum(np.searchsorted(self.times, t, side) - 1, 0)
        values: Floats = self.values[k]
        inner = np.flatnonzero((t > self.times[k]) & (k < len(self.times) - 1))
        if self.is_step or not len(inner):
            return values
        k, t = k[inner], t[inner]
        share = (t - self.times[k]) / (self.times[k + 1] - self.times[k])
        start, end = self.values[k], self.values[k + 1]
        if start.ndim == 2:
            values[inner] = start + share[:, None] * (end - start)
        else:
            turn = between(Pose(np.zeros(3), start), Pose(np.zeros(3), end))
            values[inner] = turn.at(share).rotation @ start
        return values


def read_gltf(path: Path, options: LoadOptions, budget: Budget, placement: Placement) -> Scene:
    """The meshes of a file and how its animations move them."""
    gltf = Gltf(path, budget)
    try:
        tree = Tree(gltf)
        channels = _read_channels(gltf, tree, _select_animations(gltf, options.animation))
        bodies = tuple(_build_bodies(gltf, tree, channels, placement))
    except ValueError as error:
        raise to_scene_error(gltf, error) from None
    if not bodies:
        raise scene_error(gltf.name, "the file has no meshes, so there is nothing to check")
    end = max((float(c.times[-1]) for own in channels.values() for c in own.values()), default=0.0)
    return Scene(bodies, duration=end, up="y")


def _select_animations(gltf: Gltf, name: str | None) -> list[Animation]:
    """All animations, which play together, or the one with this name or number."""
    if name is None:
        return gltf.document.animations
    found = [a for i, a in enumerate(gltf.document.animations) if name in (a.name, str(i))]
    if not found:
        known = ", ".join(label_item(a.name, i) for i, a in enumerate(gltf.document.animations)) or "none"
        raise ValueError(f"there is no animation {name!r}; the file has: {known}")
    return found[:1]


def _read_channels(gltf: Gltf, tree: Tree, animations: list[Animation]) -> dict[int, dict[str, _Channel]]:
    """What moves: row of the tree -> property -> keys."""
    found: dict[int, dict[str, _Channel]] = {}
    for number, animation in enumerate(animations):
        label = f"animation {label_item(animation.name, number)}"
        for record in animation.channels:
            node, path = record.target.node, record.target.path
            if node is None or node not in tree.row:
                continue
            row = tree.row[node]
            if path not in ("translation", "rotation", "scale"):
                raise ValueError(f"{label} moves {path!r}, which is not supported")
            if path in found.get(row, {}):
                raise ValueError(
                    f"two animations move the {path} of {tree.label(row)}: choose one by its name"
                )
            channel = _read_channel(
                gltf, get_item(animation.samplers, record.sampler, "sampler"), path, label
            )
            if path != "scale":
                found.setdefault(row, {})[path] = channel
            elif np.abs(channel.values - tree.scale[row]).max() > 1e-5:
                raise ValueError(
                    f"{label} moves the scale of {tree.label(row)}: bodies that grow are not supported"
                )
    return found


def _read_channel(gltf: Gltf, sampler: Sampler, path: str, label: str) -> _Channel:
    if sampler.interpolation not in ("LINEAR", "STEP"):
        raise ValueError(f"{label}: the interpolation {sampler.interpolation!r} is not supported")
    times = np.asarray(gltf.array(sampler.input), np.float64)
    values = np.asarray(gltf.array(sampler.output), np.float64)
    if times.ndim != 1 or not len(times):
        raise ValueError(f"{label} has a track without keys")
    gltf.budget.take("keys", len(times), f"{label}, the number of keys")
    if not np.isfinite(times).all() or times[0] < 0 or (np.diff(times) <= 0).any():
        raise ValueError(f"{label} has times that do not increase from 0 on")
    if values.shape != (len(times), 4 if path == "rotation" else 3) or not np.isfinite(values).all():
        raise ValueError(f"{label} does not have one finite {path} for each of its {len(times)} times")
    if path == "rotation":
        values = read_rotations(values, label)
    return _Channel(times, values, sampler.interpolation == "STEP")


def _build_bodies(
    gltf: Gltf, tree: Tree, channels: dict[int, dict[str, _Channel]], placement: Placement
) -> Iterator[Body]:
    """A body for each node with a mesh."""
    rows = [row for row, node in enumerate(tree.order) if tree.nodes[node].mesh is not None]
    gltf.budget.take("bodies", len(rows), "the number of nodes with a mesh")
    scales = placement.scale * _multiply_parent_scales(tree, rows)
    skeleton = _Skeleton(tree, channels, scales, gltf.budget, placement.frame)
    places = skeleton.at_start()
    names: dict[str, int] = {}
    meshes: dict[tuple[int, bytes], Mesh] = {}
    counted: set[int] = set()
    for row in rows:
        record = tree.nodes[tree.order[row]]
        assert record.mesh is not None
        vertices, faces = read_mesh(gltf, record.mesh)
        mesh_name = gltf.document.meshes[record.mesh].name
        name = make_unique_name(record.name or mesh_name or f"node {tree.order[row]}", names)
        count_mesh(gltf.budget, vertices, faces, f"the mesh of {tree.label(row)}")
        scale = scales[row] * tree.scale[row]
        key = record.mesh, scale.tobytes()
        if key not in meshes:
            meshes[key] = Mesh(vertices * scale, faces)
        mover = int(skeleton.mover[row])
        carrier = f"node {tree.order[mover]}" if mover >= 0 else ""
        pieces = skeleton.pieces(mover)
        if mover in counted:  # the pieces of the first body were counted when they were built
            gltf.budget.take("motions", len(pieces), f"the motions of {tree.label(row)}")
        counted.add(mover)
        yield Body(name, meshes[key].transformed(places[row]), pieces, carrier=carrier)


def _multiply_parent_scales(tree: Tree, rows: list[int]) -> Floats:
    """The product of the scales of all parents of each node; parents of the given rows must scale evenly."""
    above = np.zeros(len(tree.order), bool)
    parent = tree.parent.tolist()
    for row in rows:
        row = parent[row]
        while row >= 0 and not above[row]:
            above[row] = True
            row = parent[row]
    uneven = (np.ptp(tree.scale, axis=1) > 1e-6 * np.abs(tree.scale).max(axis=1)) | (tree.scale[:, 0] <= 0)
    bad = np.flatnonzero(above & uneven)
    if len(bad):
        raise ValueError(
            f"{tree.label(int(bad[0]))} scales its children unevenly, which is not supported; "
            "apply the scale when exporting"
        )
    scales = np.ones(len(tree.order))
    own = tree.scale.mean(axis=1)
    for row, up in enumerate(parent):
        if up >= 0:
            scales[row] = scales[up] * own[up]
    return scales


class _NodeMotion(NamedTuple):
    """What a moving node does in the spans between times, with all its parents.

    `after` is where the node is at each of the n + 1 times, after a jump; `before` is where it is at the ends
    of the n spans, before a jump.
    """

    groups: MotionGroups
    after: Pose
    before: Pose


class _Skeleton:
    """The nodes of a tree with what moves them: `channels` has the rows that move."""

    def __init__(
        self,
        tree: Tree,
        channels: dict[int, dict[str, _Channel]],
        scales: Floats,
        budget: Budget,
        frame: Pose,
    ) -> None:
        self.tree, self.channels, self.scales, self.budget = tree, channels, scales, budget
        self.frame = frame  # that of the file, in the scene
        # For each row the nearest row, itself or above, that moves; -1 if none does.
        self.mover = np.full(len(tree.order), -1, np.int64)
        for row, up in enumerate(tree.parent.tolist()):
            self.mover[row] = row if row in channels else self.mover[up] if up >= 0 else -1
        self._pieces: dict[int, tuple[Piece, ...]] = {-1: ()}
        self._node_motions: dict[tuple[int, bytes], _NodeMotion] = {}

    def at_start(self) -> Pose:
        """Where all nodes are at t = 0: (n,)."""
        position, rotation = self._rest_poses()
        for row in self.channels:
            own = self._local_pose(row, np.zeros(1), before=False)
            position[row], rotation[row] = own.position[0], own.rotation[0]
        return self.frame @ self._compose(position, rotation)

    @functools.cached_property
    def _below_mover(self) -> Pose:
        """Where all nodes are in the frame of the nearest node that moves, itself or above: (n,)."""
        position, rotation = self._rest_poses()
        rows = list(self.channels)
        position[rows], rotation[rows] = 0.0, np.eye(3)
        return self._compose(position, rotation, restart=self.mover == np.arange(len(self.mover)))

    def _rest_poses(self) -> tuple[Floats, Floats]:
        """Of all nodes in the frames of their parents, which have their scales."""
        return self.tree.translation * self.scales[:, None], self.tree.rotation.copy()

    def _compose(self, position: Floats, rotation: Floats, restart: Bools | None = None) -> Pose:
        """From poses in the frames of the parents to poses in the frame of the world, or of a restart."""
        for rows in self.tree.levels():
            keep = self.tree.parent[rows] >= 0
            rows = rows[keep if restart is None else keep & ~restart[rows]]
            up = self.tree.parent[rows]
            position[rows] = (rotation[up] @ position[rows][..., None])[..., 0] + position[up]
            rotation[rows] = rotation[up] @ rotation[rows]
        return Pose(position, rotation)

    def _local_pose(self, row: int, t: Floats, *, before: bool) -> Pose:
        """Where a node is at times in the frame of its parent; `before` jumps at these times, or after."""
        keys = self.channels[row]
        place, turn = self.tree.translation[row], self.tree.rotation[row]
        if "translation" in keys:
            place = keys["translation"].at(t, before=before)
        if "rotation" in keys:
            turn = keys["rotation"].at(t, before=before)
        return Pose(np.broadcast_to(place * self.scales[row], (len(t), 3)), turn)

    def pieces(self, mover: int) -> tuple[Piece, ...]:
        """The motions of all bodies that are fixed to a moving node.

        There is one for each span between keys of it and of its parents, and a jump where STEP keys are.
        """
        if mover not in self._pieces:
            self._pieces[mover] = tuple(self._iter_pieces(mover))
        return self._pieces[mover]

    def _iter_pieces(self, mover: int) -> Iterator[Piece]:
        path = [mover]
        while (up := self._mover_above(path[-1])) >= 0:
            path.append(up)
        channels = [channel for row in path for channel in self.channels[row].values()]
        times = np.unique(np.concatenate([np.zeros(1), *(channel.times for channel in channels)]))
        count = len(times) - 1
        label = f"the motions of {self.tree.label(mover)}"
        self.budget.take("motions", max(count, 1) * len(path), label)
        if not count:
            return
        motion_so_far = self._node_motion(path[::-1], times)
        motions = motion_so_far.groups.motions()
        jumped, jumps = np.zeros(count, bool), None
        if any(channel.is_step for channel in channels):
            jumps = between(motion_so_far.before, motion_so_far.after[1:])
            jumped = np.abs(jumps.at(1.0).matrix() - np.eye(4)).max(axis=(1, 2)) > _NO_JUMP
        for k, (start, stop) in enumerate(itertools.pairwise(times.tolist())):
            if (motion := motions[k]) is not None:
                yield Piece(start, stop, motion)
            if jumps is not None and jumped[k]:
                yield Piece(stop, stop, jumps[k])

    def _mover_above(self, row: int) -> int:
        up = int(self.tree.parent[row])
        return int(self.mover[up]) if up >= 0 else -1

    def _node_motion(self, path: list[int], times: Floats) -> _NodeMotion:
        """The motion_so_far of the last node of a path.

        Rides are stored for nodes that have bodies, and extended by nodes below that have the same times.
        """
        key = times.tobytes()
        done = next((k for k in range(len(path), 0, -1) if (path[k - 1], key) in self._node_motions), 0)
        if done:
            motion_so_far = self._node_motions[path[done - 1], key]
        else:
            count = len(times) - 1
            after, before = (self.frame @ Pose(np.zeros((n, 3))) for n in (count + 1, count))
            motion_so_far = _NodeMotion(MotionGroups(count), after, before)
        for row in path[done:]:
            motion_so_far = self._extend(motion_so_far, row, times)
        self._node_motions[path[-1], key] = motion_so_far._replace(groups=motion_so_far.groups.combined())
        return self._node_motions[path[-1], key]

    def _extend(self, motion_so_far: _NodeMotion, row: int, times: Floats) -> _NodeMotion:
        """With one more moving node: its own motion, where its parents are at the start of each span."""
        after, before = motion_so_far.after, motion_so_far.before
        if (up := int(self.tree.parent[row])) >= 0:
            offset = self._below_mover[up]
            after, before = after @ offset, before @ offset
        own_after, own_before = (
            self._local_pose(row, times, before=False),
            self._local_pose(row, times[1:], before=True),
        )
        spans = LinearSpans(own_after[:-1], own_before)

        def place_parts(code: int, rows: Ints) -> list[Motion]:
            return [part.placed(after[rows]) for part in spans.parts(code, rows)]

        groups = motion_so_far.groups.extended(spans.code, place_parts)
        return _NodeMotion(groups, after @ own_after, before @ own_before)
