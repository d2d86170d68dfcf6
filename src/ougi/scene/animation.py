"""What the animations of a glTF file do to its meshes.

LINEAR keys are exact: between two of them a node's origin goes straight and the node turns evenly about one
axis. Parents that move too make chains. STEP keys are jumps. Scales must not move, and meshes have them.
Skins are hulls of their joints (`skins.py`).
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
    NodeTree,
    Sampler,
    Target,
    find_color,
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
from ougi.scene.problems import scene_error, warn_user
from ougi.scene.skins import build_hull, read_bones
from ougi.scene.spans import LinearSpans, MotionGroups
from ougi.scene.units import Placement
from ougi.shapes import Mesh, Shape

# A jump is ignored as rounding if no entry of its matrix differs by more than this from the identity.
_NO_JUMP = 1e-12

# How much the scales of a matrix may differ, relative to them: files hold single precision.
_EVEN = 1e-6


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
    gltf = Gltf(path, budget, skip_unsupported=options.skip_unsupported)
    try:
        tree = NodeTree(gltf)
        parts = list(_list_parts(gltf, tree))
        needed = _mark_above(tree, [row for part in parts for row in (part.row, part.owner)])
        animations = _select_animations(gltf, options.animation)
        channels, blocked, morphing = _read_channels(gltf, tree, animations, needed)
        parts = [part for part in parts if part.owner not in morphing]
        bodies, joined = _build_bodies(gltf, tree, parts, channels, blocked, placement)
    except ValueError as error:
        raise to_scene_error(gltf, error) from None
    gltf.findings.raise_if_any()
    if not bodies:
        what = "all meshes of the file were skipped" if gltf.skipped else "the file has no meshes"
        raise scene_error(gltf.name, f"{what}, so there is nothing to check")
    end = max((float(c.times[-1]) for own in channels.values() for c in own.values()), default=0.0)
    return Scene(tuple(bodies), neighbours=joined, duration=end, up="y", skipped=tuple(gltf.skipped))


def _select_animations(gltf: Gltf, name: str | None) -> list[Animation]:
    """All animations, which play together, or the one with this name or number.

    Those that move what one before them moves, such as the walk and the run of a character, are not played.
    """
    if name is None:
        return _drop_alternatives(gltf)
    found = [a for i, a in enumerate(gltf.document.animations) if name in (a.name, str(i))]
    if not found:
        known = ", ".join(label_item(a.name, i) for i, a in enumerate(gltf.document.animations)) or "none"
        raise ValueError(f"there is no animation {name!r}; the file has: {known}")
    return found[:1]


def _drop_alternatives(gltf: Gltf) -> list[Animation]:
    played: list[Animation] = []
    moved: dict[tuple[int, str], str] = {}
    for number, animation in enumerate(gltf.document.animations):
        label = label_item(animation.name, number)
        own = {target for channel in animation.channels for target in _find_targets(gltf, channel.target)}
        if shared := own & moved.keys():
            text = f"animation {label}, because animation {moved[min(shared)]} moves the same nodes"
            gltf.skipped.append(text)
            warn_user(gltf.name, f"skipped {text}; --animation {animation.name or number} plays it")
        else:
            played.append(animation)
            moved |= dict.fromkeys(own, label)
    return played


def _read_channels(
    gltf: Gltf, tree: NodeTree, animations: list[Animation], needed: Bools
) -> tuple[dict[int, dict[str, _Channel]], set[int], set[int]]:
    """What moves: row of the tree -> property -> keys; the rows that move in an unsupported manner, and those
    whose own meshes do.

    Bodies depend on the needed rows alone; how others move, such as cameras and targets of inverse
    kinematics, does not matter.
    """
    found: dict[int, dict[str, _Channel]] = {}
    blocked: set[int] = set()
    morphing: set[int] = set()
    for number, animation in enumerate(animations):
        label = f"animation {label_item(animation.name, number)}"
        for record in animation.channels:
            sampler = get_item(animation.samplers, record.sampler, "sampler")
            for node, path in _find_targets(gltf, record.target):
                row = tree.row.get(node, -1)
                if row < 0 or not needed[row]:
                    continue
                reason = _find_unsupported(sampler, path)
                if not reason:
                    if tree.has_matrix[row]:
                        raise ValueError(f"{label} moves {tree.label(row)}, which has a matrix")
                    if path in found.get(row, {}):
                        raise ValueError(f"{label} moves the {path} of {tree.label(row)} twice")
                    channel = _read_channel(gltf, sampler, path, label)
                    if path != "scale":
                        found.setdefault(row, {})[path] = channel
                    elif not tree.hold_scale(row, channel.values):
                        reason = "moving scales are not supported"
                if reason:
                    own = path == "weights"
                    (morphing if own else blocked).add(row)
                    skipped = tree.label(row) + ("" if own else " and what is below")
                    gltf.refuse(f"{label}, {tree.label(row)}: {reason}", skipped)
    return found, blocked, morphing


def _find_targets(gltf: Gltf, target: Target) -> Iterator[tuple[int, str]]:
    """The nodes and their properties that a channel moves; KHR_animation_pointer names any property."""
    extension = target.extensions.pointer
    if extension is None:
        if target.node is not None:
            yield target.node, target.path
        return
    words = extension.pointer.split("/")
    if len(words) < 4 or not words[2].isdecimal():
        return
    item, path = int(words[2]), "weights" if words[3] == "weights" else "/".join(words[3:])
    if words[1] == "nodes" and words[3] in ("translation", "rotation", "scale", "weights", "matrix"):
        yield item, path
    if words[1] == "meshes" and path == "weights":
        yield from ((k, path) for k, node in enumerate(gltf.document.nodes) if node.mesh == item)


def _find_unsupported(sampler: Sampler, path: str) -> str:
    """Why a channel cannot be followed; '' if it can."""
    if path == "weights":
        return "moving morph targets (weights) are not supported"
    if path not in ("translation", "rotation", "scale"):
        return f"moving {path!r} is not supported"
    if sampler.interpolation not in ("LINEAR", "STEP"):
        return f"the interpolation {sampler.interpolation} is not supported; export LINEAR keys"
    return ""


def _read_channel(gltf: Gltf, sampler: Sampler, path: str, label: str) -> _Channel:
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


class _Part(NamedTuple):
    """A body to be: the row of the node that it is fixed to, and a mesh, or a bone of a skin.

    The mesh is that of the row `owner`, of which a bone is a part.
    """

    row: int
    owner: int
    name: str
    label: str
    mesh: int
    weights: tuple[float, ...]
    skin: int | None = None
    bone: Floats | None = None


def _list_parts(gltf: Gltf, tree: NodeTree) -> Iterator[_Part]:
    """A part for each node with a mesh, and for each joint of a skin."""
    for row, node in enumerate(tree.order):
        record = tree.nodes[node]
        if record.mesh is None:
            continue
        name = record.name or get_item(gltf.document.meshes, record.mesh, "mesh").name or f"node {node}"
        rest = record.mesh, tuple(record.weights), record.skin
        if record.skin is None:
            yield _Part(row, row, name, tree.label(row), *rest)
            continue
        bones = read_bones(gltf, node)
        for bone in bones:
            if bone.joint not in tree.row:
                raise ValueError(f"{tree.label(row)}: the joint {bone.joint} of its skin is not in the scene")
            joint = tree.nodes[bone.joint].name or f"node {bone.joint}"
            label = f"the joint {joint!r} of {tree.label(row)}"
            yield _Part(tree.row[bone.joint], row, f"{name}/{joint}", label, *rest, bone.points)
        text = f"the skin of {tree.label(row)}, which {len(bones)} convex hulls of its joints replace"
        gltf.skipped.append(text)
        warn_user(gltf.name, f"skipped {text}; in other poses than its own they are an approximation")


def _build_bodies(
    gltf: Gltf,
    tree: NodeTree,
    parts: list[_Part],
    channels: dict[int, dict[str, _Channel]],
    blocked: set[int],
    placement: Placement,
) -> tuple[list[Body], frozenset[tuple[int, int]]]:
    """A body for each part, and the pairs of bodies that belong to one skin."""
    gltf.budget.take("bodies", len(parts), "the number of nodes with a mesh and of joints")
    turning = np.zeros(len(tree.order), bool)
    turning[[row for row, own in channels.items() if "rotation" in own]] = True
    above, own = _multiply_linear(tree, turning, placement.scale)
    _block_skewed(gltf, tree, above, turning, [part.row for part in parts], blocked)
    is_blocked = _mark_below(tree, blocked)
    skeleton = _Skeleton(tree, channels, above, gltf.budget, placement.frame)
    places = skeleton.at_start()
    names: dict[str, int] = {}
    meshes: dict[tuple[int, bytes, tuple[float, ...]], Mesh | None] = {}
    counted: set[int] = set()
    bodies: list[Body] = []
    in_skin: dict[int, list[int]] = {}
    for part in parts:
        if is_blocked[part.row]:
            continue
        linear = own[part.row]
        shape: Shape | None
        if part.bone is not None:
            shape = build_hull(part.bone @ linear.T) if linear.any() else None
        else:
            vertices, faces = read_mesh(gltf, part.mesh, part.weights)
            key = part.mesh, linear.tobytes(), part.weights
            if key not in meshes:
                meshes[key] = _build_mesh(vertices, faces, linear)
            shape = meshes[key]
        if shape is None:
            continue
        if part.bone is None:
            count_mesh(gltf.budget, vertices, faces, f"the mesh of {part.label}")
        mover = int(skeleton.mover[part.row])
        pieces = skeleton.pieces(mover)
        if mover in counted:  # the pieces of the first body were counted when they were built
            gltf.budget.take("motions", len(pieces), f"the motions of {part.label}")
        counted.add(mover)
        if part.skin is not None:
            in_skin.setdefault(part.skin, []).append(len(bodies))
        bodies.append(
            Body(
                make_unique_name(part.name, names),
                shape.transformed(places[part.row]),
                pieces,
                carrier=f"node {tree.order[mover]}" if mover >= 0 else "",
                color=find_color(gltf, part.mesh),
            )
        )
    count = sum(len(own) * (len(own) - 1) // 2 for own in in_skin.values())
    gltf.budget.take("excluded_pairs", count, "the number of pairs of joints of skins")
    return bodies, frozenset(pair for own in in_skin.values() for pair in itertools.combinations(own, 2))


def _build_mesh(vertices: Floats, faces: Ints, linear: Floats) -> Mesh | None:
    """A mesh in the frame of its node; None without triangles, and for a node that is scaled to nothing."""
    if not len(faces) or not linear.any():
        return None
    # A reflection turns faces inside out.
    return Mesh(vertices @ linear.T, faces[:, ::-1] if np.linalg.det(linear) < 0 else faces)


def _multiply_linear(tree: NodeTree, turning: Bools, scale: float) -> tuple[Floats, Floats]:
    """Split every node into a rigid motion and a constant matrix C: what the node does is `rigid @ C`.

    A node that turns by R below a matrix C makes C R = (Q R Q^T) C if C is a multiple of an orthogonal
    matrix Q. Nodes that do not turn leave all their rotation and scale to C. Returns C of the parent and C of
    the node, (n, 3, 3) each.
    """
    above = np.tile(scale * np.eye(3), (len(tree.order), 1, 1))
    own = above.copy()
    factor = np.where(turning[:, None, None], tree.scale[:, :, None] * np.eye(3), tree.linear)
    for rows in tree.levels():
        if (tree.parent[rows] >= 0).all():
            above[rows] = own[tree.parent[rows]]
        own[rows] = above[rows] @ factor[rows]
    return above, own


def _block_skewed(
    gltf: Gltf, tree: NodeTree, above: Floats, turning: Bools, rows: list[int], blocked: set[int]
) -> None:
    """Nodes that turn below an uneven scale would shear their meshes."""
    gram = above.swapaxes(1, 2) @ above
    size = np.trace(gram, axis1=1, axis2=2) / 3
    skewed = np.abs(gram - size[:, None, None] * np.eye(3)).max(axis=(1, 2)) > _EVEN * size
    needed = _mark_above(tree, rows)
    for row in np.flatnonzero(turning & needed & (skewed | (size == 0))).tolist():
        blocked.add(row)
        text = (
            f"{tree.label(row)} turns below an uneven scale, so its mesh would shear, which is not supported"
        )
        gltf.refuse(text, f"{tree.label(row)} and what is below")


def _mark_above(tree: NodeTree, rows: list[int]) -> Bools:
    """The given rows and all rows above them."""
    parent, marked = tree.parent.tolist(), np.zeros(len(tree.order), bool)
    for row in rows:
        while row >= 0 and not marked[row]:
            marked[row] = True
            row = parent[row]
    return marked


def _mark_below(tree: NodeTree, blocked: set[int]) -> Bools:
    """The given rows and all rows below them."""
    marked = np.zeros(len(tree.order), bool)
    marked[list(blocked)] = True
    for row, up in enumerate(tree.parent.tolist()):
        marked[row] |= up >= 0 and marked[up]
    return marked


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
        tree: NodeTree,
        channels: dict[int, dict[str, _Channel]],
        above: Floats,
        budget: Budget,
        frame: Pose,
    ) -> None:
        self.tree, self.channels, self.above, self.budget = tree, channels, above, budget
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
        """Of all nodes in the rigid frames of their parents; meshes have the rotations of nodes at rest."""
        position = (self.above @ self.tree.translation[..., None])[..., 0]
        return position, np.tile(np.eye(3), (len(position), 1, 1))

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
        keys, above = self.channels[row], self.above[row]
        place, turn = self.tree.translation[row], np.eye(3)
        if "translation" in keys:
            place = keys["translation"].at(t, before=before)
        if "rotation" in keys:
            u, _, v = np.linalg.svd(above)
            turn = (u @ v) @ keys["rotation"].at(t, before=before) @ (u @ v).T
        return Pose(np.broadcast_to(place @ above.T, (len(t), 3)), turn)

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
