"""What a scene file may hold: one schema for TOML and JSON. `ougi schema` prints it for editors.

Lengths are in the file's `units`, times in seconds, angles in degrees. Shapes stand in a frame of their own,
which `at` and `rotation` put into the world; motions are given in the world, as everywhere in the library.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from ougi._typing import JsonObject
from ougi.scene.colors import HEX

Number: TypeAlias = float
Positive: TypeAlias = Annotated[float, Meta(gt=0)]
NotNegative: TypeAlias = Annotated[float, Meta(ge=0)]
Vector: TypeAlias = Annotated[list[float], Meta(min_length=2, max_length=3)]
Vector2: TypeAlias = Annotated[list[float], Meta(min_length=2, max_length=2)]
Vector3: TypeAlias = Annotated[list[float], Meta(min_length=3, max_length=3)]
Quaternion: TypeAlias = Annotated[list[float], Meta(min_length=4, max_length=4)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
Pattern: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200)]
Bits: TypeAlias = Annotated[int, Meta(ge=0, le=0xFFFFFFFF)]
Color: TypeAlias = Annotated[str, Meta(pattern=HEX)]
Opening: TypeAlias = Annotated[float, Meta(gt=0, le=360)]


class _Tagged(Struct, tag_field="type", forbid_unknown_fields=True):
    """Base of every table with a `type`."""


# --- shapes ---------------------------------------------------------------------------------------------


class Circle(_Tagged, tag="circle"):
    """A disc around its frame's origin."""

    radius: NotNegative


class Rectangle(_Tagged, tag="rectangle"):
    """A rectangle with full edge lengths, around its frame's origin."""

    size: Vector2


class Capsule2d(_Tagged, tag="capsule2d"):
    """A segment with a radius, in the plane."""

    start: Vector2
    end: Vector2
    radius: NotNegative


class Segment2d(_Tagged, tag="segment2d"):
    """A segment in the plane."""

    start: Vector2
    end: Vector2


class Triangle2d(_Tagged, tag="triangle2d"):
    """A triangle in the plane."""

    a: Vector2
    b: Vector2
    c: Vector2


class Polygon(_Tagged, tag="polygon"):
    """A polygon, convex or not, with holes; a convex one may have a radius around it."""

    vertices: Annotated[list[Vector2], Meta(min_length=1, max_length=10_000)]
    radius: NotNegative = 0.0
    holes: Annotated[list[list[Vector2]], Meta(max_length=200)] = field(default_factory=list)


class Sector2d(_Tagged, tag="sector2d"):
    """A fan that opens by `degrees`, symmetric to x."""

    degrees: Opening
    outer_radius: NotNegative
    inner_radius: NotNegative = 0.0


class HalfSpace2d(_Tagged, tag="halfspace2d"):
    """All points below a line: normal . x <= offset, in its frame."""

    normal: Vector2 = field(default_factory=lambda: [0.0, 1.0])
    offset: Number = 0.0


class Sphere(_Tagged, tag="sphere"):
    """A ball around its frame's origin."""

    radius: NotNegative


class Box(_Tagged, tag="box"):
    """A box with full edge lengths, around its frame's origin."""

    size: Vector3


class Capsule3d(_Tagged, tag="capsule3d"):
    """A segment with a radius."""

    start: Vector3
    end: Vector3
    radius: NotNegative


class Segment3d(_Tagged, tag="segment3d"):
    """A segment."""

    start: Vector3
    end: Vector3


class Triangle3d(_Tagged, tag="triangle3d"):
    """A triangle."""

    a: Vector3
    b: Vector3
    c: Vector3


class ConvexHull3d(_Tagged, tag="hull"):
    """The convex hull of points; with a radius, all points within that distance of it."""

    points: Annotated[list[Vector3], Meta(min_length=1, max_length=10_000)]
    radius: NotNegative = 0.0


class Cylinder(_Tagged, tag="cylinder"):
    """A cylinder along z with its full height, around its frame's origin."""

    radius: NotNegative
    height: NotNegative


class Cone(_Tagged, tag="cone"):
    """A cone along z with its full height, around its frame's origin; the tip is on top."""

    radius: NotNegative
    height: NotNegative


class Ellipsoid(_Tagged, tag="ellipsoid"):
    """An ellipsoid with semi-axes along x, y and z, around its frame's origin."""

    radii: Annotated[list[NotNegative], Meta(min_length=3, max_length=3)]


class Sector3d(_Tagged, tag="sector3d"):
    """A thick fan about z that opens by `degrees`, symmetric to x, with its full height."""

    degrees: Opening
    outer_radius: NotNegative
    height: NotNegative
    inner_radius: NotNegative = 0.0


class HalfSpace3d(_Tagged, tag="halfspace3d"):
    """All points below a plane, such as a floor: normal . x <= offset, in its frame."""

    normal: Vector3 = field(default_factory=lambda: [0.0, 0.0, 1.0])
    offset: Number = 0.0


class Mesh(_Tagged, tag="mesh"):
    """The triangles of a GLB, glTF, OBJ, STL or PLY file in the scene's folder, or what they enclose."""

    file: Name
    scale: Positive = 1.0
    solid: bool = False


class Heights(_Tagged, tag="heights"):
    """Solid ground below a grid of heights: rows along y, columns along x, from its frame's origin on."""

    heights: Annotated[list[list[float]], Meta(min_length=2, max_length=10_000)]
    cell: Positive = 1.0
    floor: Number | UnsetType = UNSET


PartShape: TypeAlias = (
    Circle
    | Rectangle
    | Capsule2d
    | Segment2d
    | Triangle2d
    | Polygon
    | Sector2d
    | Sphere
    | Box
    | Capsule3d
    | Segment3d
    | Triangle3d
    | ConvexHull3d
    | Cylinder
    | Cone
    | Ellipsoid
    | Sector3d
)


class Rotation(Struct, forbid_unknown_fields=True):
    """One of: `quaternion` (x, y, z, w); `axis` and `degrees`; `euler`, degrees about the fixed axes x, y, z.

    In the plane `degrees` alone.
    """

    quaternion: Quaternion | UnsetType = UNSET
    axis: Vector3 | UnsetType = UNSET
    degrees: Number | UnsetType = UNSET
    euler: Vector3 | UnsetType = UNSET


class PartFile(Struct, forbid_unknown_fields=True):
    """A part of a compound: a shape and its pose in the frame of the compound."""

    shape: PartShape
    at: Vector | UnsetType = UNSET
    rotation: Rotation | UnsetType = UNSET


class Compound(_Tagged, tag="compound"):
    """Shapes rigidly joined to one body."""

    parts: Annotated[list[PartFile], Meta(min_length=1, max_length=1_000)]


ShapeFile: TypeAlias = PartShape | HalfSpace2d | HalfSpace3d | Heights | Mesh | Compound


# --- poses and motions ----------------------------------------------------------------------------------


class Rotate(_Tagged, tag="rotate"):
    """A turn about the line through `about` along `axis`; in the plane about a point, without an axis."""

    degrees: Number
    seconds: Positive
    axis: Vector3 | UnsetType = UNSET
    about: Vector | UnsetType = UNSET
    start: NotNegative = 0.0


class Translate(_Tagged, tag="translate"):
    """A straight move."""

    by: Vector
    seconds: Positive
    start: NotNegative = 0.0


class Screw(_Tagged, tag="screw"):
    """A turn together with a move along its axis."""

    axis: Vector3
    degrees: Number
    advance: Number
    seconds: Positive
    about: Vector3 | UnsetType = UNSET
    start: NotNegative = 0.0


class Keyframes(_Tagged, tag="keyframes"):
    """Poses of the body's frame at times; in between positions go straight and rotations turn evenly.

    The first key is the pose at the start: it takes the place of the body's `at` and `rotation`. Where there
    are no positions, or no rotations, the body's own position or rotation stays.
    """

    times: Annotated[list[NotNegative], Meta(min_length=2)]
    positions: list[Vector] | UnsetType = UNSET
    rotations: list[Rotation] | UnsetType = UNSET


MotionFile: TypeAlias = Rotate | Translate | Screw | Keyframes


# --- the file -------------------------------------------------------------------------------------------


class BodyFile(Struct, forbid_unknown_fields=True):
    """A named shape, its pose at t = 0, and its motion: one, or several one after the other."""

    name: Name
    shape: ShapeFile
    at: Vector | UnsetType = UNSET
    rotation: Rotation | UnsetType = UNSET
    motion: MotionFile | list[MotionFile] | UnsetType = UNSET
    group: Bits = 1
    mask: Bits = 0xFFFFFFFF
    color: Color | UnsetType = UNSET


class IncludeFile(Struct, forbid_unknown_fields=True):
    """The bodies of a glTF file or of a URDF robot, placed by `at` and `rotation`.

    These files are in metres; their lengths are converted to the scene's `units` and multiplied by `scale`.
    `trajectory` is the CSV file of a robot's joints, `animation` the name of one of several animations.
    """

    file: Name
    at: Vector3 | UnsetType = UNSET
    rotation: Rotation | UnsetType = UNSET
    scale: Positive = 1.0
    trajectory: Name | UnsetType = UNSET
    animation: Name | UnsetType = UNSET


class CheckFile(Struct, forbid_unknown_fields=True):
    """Check bodies with names that match `a` against bodies that match `b`; `*` and `?` are wild."""

    a: Pattern
    b: Pattern = "*"


class IgnoreFile(Struct, forbid_unknown_fields=True):
    """Do not check bodies with names that match `a` against bodies that match `b`; `*` and `?` are wild."""

    a: Pattern
    b: Pattern = "*"


class SceneFile(Struct, forbid_unknown_fields=True):
    """A scene: bodies, and which pairs to check (all pairs without a rule) or to ignore."""

    ougi: Literal[1]
    body: list[BodyFile] = field(default_factory=list)
    include: list[IncludeFile] = field(default_factory=list)
    units: Literal["mm", "cm", "m", "km", "in", "ft", "px"] = "m"
    check: list[CheckFile] = field(default_factory=list)
    ignore: list[IgnoreFile] = field(default_factory=list)
    duration: Positive | UnsetType = UNSET


def schema() -> JsonObject:
    """The JSON schema of scene files.

    >>> from ougi.scene.schema import schema
    >>> sorted(schema()["$defs"]["BodyFile"]["required"])
    ['name', 'shape']
    """
    made = msgspec.json.schema(SceneFile)
    # JSON files name the schema they follow; TOML files do so in a comment.
    made["$defs"]["SceneFile"]["properties"]["$schema"] = {"type": "string"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "ougi scene", **made}
