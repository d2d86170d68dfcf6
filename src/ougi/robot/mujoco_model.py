"""Models of MuJoCo as robots: bodies are links, and MuJoCo's rules decide which links are checked."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from ougi._typing import Foreign
from ougi.motion import Pose, Rotation3d
from ougi.scene.problems import warn_user
from ougi.scene.robot import IDENTITY, Joint, Link
from ougi.scene.trajectory import Freedom, Mimic
from ougi.scene.urdf import COMPOUND, UNLIMITED, RobotModel
from ougi.shapes import Box, Capsule3d, Cylinder, Ellipsoid, HalfSpace3d, Mesh, Shape, Sphere


def read_model(model: Foreign, *, skip_unsupported: bool) -> RobotModel:
    """Links, joints and pairs that are not checked, of a `mujoco.MjModel`."""
    mujoco = sys.modules.get("mujoco")
    if mujoco is None or not isinstance(model, mujoco.MjModel):
        found = type(model).__name__
        raise TypeError(f"model must be a mujoco.MjModel (see MjModel.from_xml_path), got {found}")
    bodies = _choose_names("body", [model.body(k).name for k in range(model.nbody)])
    labels = _choose_names("joint", [model.joint(k).name for k in range(model.njnt)])
    links = {name: Link([], 0) for name in bodies}
    missing = []
    for k in range(model.ngeom):
        if not model.geom_contype[k] and not model.geom_conaffinity[k]:
            continue
        shape = _build_shape(mujoco, model, k)
        if shape is None:
            kind = mujoco.mjtGeom(int(model.geom_type[k])).name.removeprefix("mjGEOM_").lower()
            missing.append(f"{kind} {model.geom(k).name or k} of {bodies[model.geom_bodyid[k]]!r}")
        else:
            links[bodies[model.geom_bodyid[k]]].shapes.append(shape)
    if missing:
        text = f"a robot has no geoms of these kinds: {', '.join(missing)}"
        if not skip_unsupported:
            raise ValueError(f"{text}; remove them from the model, or skip them by skip_unsupported=True")
        warn_user("mujoco", f"{text}; they are skipped")
    mimics = _read_mimics(mujoco, model, labels)
    joints: list[Joint] = []
    used = {*bodies, *labels}
    for k in range(1, model.nbody):
        joints += _read_joints(mujoco, model, k, bodies, labels, used, mimics)
    links |= {joint.child: Link([], 0) for joint in joints if joint.child not in links}
    return RobotModel(
        model.names.split(b"\0")[0].decode(), links, joints, _list_disabled(mujoco, model, bodies)
    )


def _read_pose(position: Foreign, quaternion: Foreign) -> Pose:
    """MuJoCo writes quaternions with the real part first."""
    return Pose(np.array(position), np.roll(quaternion, -1))


def _build_shape(mujoco: Foreign, model: Foreign, k: int) -> Shape | None:
    """A geom in the frame of its body. None if robots have no such shapes."""
    kinds, size = mujoco.mjtGeom, model.geom_size[k]
    kind = int(model.geom_type[k])
    shape: Shape
    if kind == kinds.mjGEOM_SPHERE:
        shape = Sphere([0, 0, 0], size[0])
    elif kind == kinds.mjGEOM_CAPSULE:
        shape = Capsule3d([0, 0, -size[1]], [0, 0, size[1]], size[0])
    elif kind == kinds.mjGEOM_CYLINDER:
        shape = Cylinder([0, 0, 0], [0, 0, 1], size[0], size[1])
    elif kind == kinds.mjGEOM_BOX:
        shape = Box([0, 0, 0], 2 * size)
    elif kind == kinds.mjGEOM_ELLIPSOID:
        shape = Ellipsoid([0, 0, 0], size)
    elif kind == kinds.mjGEOM_PLANE:  # of whatever size, it collides everywhere
        shape = HalfSpace3d([0, 0, 1])
    elif kind == kinds.mjGEOM_MESH:
        mesh = model.mesh(model.geom_dataid[k]).id
        vertices = slice(model.mesh_vertadr[mesh], model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh])
        faces = slice(model.mesh_faceadr[mesh], model.mesh_faceadr[mesh] + model.mesh_facenum[mesh])
        shape = Mesh(model.mesh_vert[vertices].astype(np.float64), model.mesh_face[faces])
    else:
        return None
    return shape.transformed(_read_pose(model.geom_pos[k], model.geom_quat[k]))


def _choose_names(what: str, given: Sequence[str]) -> list[str]:
    """Their names in the model; others for those without, because bodies of one name would be one link."""
    used = set(given)
    return [name or _take_name(f"{what} {k}", used) for k, name in enumerate(given)]


def _take_name(name: str, used: set[str]) -> str:
    """A name that is not used yet, and is used from now on."""
    while name in used:
        name += "'"
    used.add(name)
    return name


def _read_mimics(mujoco: Foreign, model: Foreign, labels: Sequence[str]) -> dict[int, Mimic]:
    """Joints that an equality ties to another joint by a line. Other equalities are not followed."""
    mimics = {}
    for k in range(model.neq):
        first, second, terms = model.eq_obj1id[k], model.eq_obj2id[k], model.eq_data[k, :5]
        is_line = int(model.eq_type[k]) == mujoco.mjtEq.mjEQ_JOINT and second >= 0 and not terms[2:].any()
        if not model.eq_active0[k]:
            continue
        if not is_line:
            warn_user("mujoco", f"equality {k} is not followed: only lines between two joints are")
            continue
        at, other = (model.qpos0[model.jnt_qposadr[joint]] for joint in (first, second))
        mimics[int(first)] = Mimic(labels[second], float(terms[1]), float(at + terms[0] - terms[1] * other))
    return mimics


def _read_joints(
    mujoco: Foreign,
    model: Foreign,
    body: int,
    bodies: list[str],
    labels: list[str],
    used: set[str],
    mimics: dict[int, Mimic],
) -> list[Joint]:
    """The joints of a body, one after the other, with a link of its own between two of them."""
    parent, name = bodies[model.body_parentid[body]], bodies[body]
    pose = _read_pose(model.body_pos[body], model.body_quat[body])
    first, found = model.body_jntadr[body], []
    for k in range(first, first + model.body_jntnum[body]):
        kind, pivot, axis = int(model.jnt_type[k]), Pose(model.jnt_pos[k].copy()), model.jnt_axis[k].copy()
        label = labels[k]
        if kind in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
            parts = COMPOUND["floating" if kind == mujoco.mjtJoint.mjJNT_FREE else "spherical"]
            freedoms = tuple(
                Freedom(_take_name(f"{label}/{end}", used), turns, along, UNLIMITED)
                for end, turns, along in parts
            )
            pose = pose @ pivot
        else:
            limits = model.jnt_range[k].copy() if model.jnt_limited[k] else UNLIMITED
            is_hinge = bool(kind == mujoco.mjtJoint.mjJNT_HINGE)
            freedoms = (Freedom(label, is_hinge, axis, limits, mimics.get(k)),)
            zero = float(model.qpos0[model.jnt_qposadr[k]])
            start = Rotation3d([0, 0, 0], axis, -zero).at(1.0) if is_hinge else Pose(-zero * axis)
            pose = pose @ pivot @ start
        # MuJoCo's own rules say which links are checked: see `_list_disabled`.
        between = _take_name(f"{name}/{label}", used)
        found.append(Joint(label, "floating", parent, between, pose, freedoms, 0))
        parent, pose = between, Pose(-pivot.position)
    fixed = _take_name(f"{name}/fixed", used)
    return [*found, Joint(fixed, "fixed", parent, name, pose if found else pose @ IDENTITY, (), 0)]


def _list_disabled(mujoco: Foreign, model: Foreign, bodies: list[str]) -> set[tuple[str, str]]:
    """Pairs of bodies that MuJoCo does not check: by their masks, parents with children, and `exclude`."""
    contype, conaffinity = model.geom_contype, model.geom_conaffinity
    fits = (contype[:, None] & conaffinity).astype(bool)
    fits |= fits.T
    is_checked = np.zeros((model.nbody, model.nbody), np.bool_)
    np.logical_or.at(is_checked, (model.geom_bodyid[:, None], model.geom_bodyid), fits)
    weld = model.body_weldid
    if not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_FILTERPARENT:
        above = weld[model.body_parentid[weld]]
        is_parent = (above[:, None] == weld) & (weld != 0)
        is_checked &= ~(is_parent | is_parent.T)
    for signature in model.exclude_signature.tolist():
        a, b = signature >> 16, signature & 0xFFFF
        is_checked[a, b] = is_checked[b, a] = False
    rows = np.argwhere(~is_checked & np.tri(len(bodies), k=-1, dtype=np.bool_))
    return {(min(bodies[a], bodies[b]), max(bodies[a], bodies[b])) for a, b in rows.tolist()}
