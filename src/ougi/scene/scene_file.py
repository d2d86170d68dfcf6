"""Scene files: TOML and JSON."""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UNSET

from ougi import _check
from ougi._typing import Floats, JsonObject, JsonValue, Record
from ougi.motion import Motion, Pose, Rotation2d, Rotation3d, Screw3d, Translation2d, Translation3d
from ougi.scene import schema
from ougi.scene.file_access import read_bytes, resolve_inside
from ougi.scene.limits import Budget
from ougi.scene.line_numbers import JsonLines, LineNumbers, TomlLines
from ougi.scene.load import load_file
from ougi.scene.meshes import MeshFiles
from ougi.scene.model import Body, Check, Piece, Scene
from ougi.scene.name_rules import NameIndex, PairRules
from ougi.scene.options import LoadOptions
from ougi.scene.problems import Findings, SceneError, scene_error, suggest_name
from ougi.scene.spans import LinearSpans, PlanarSpans, build_pieces
from ougi.scene.units import Placement, per_metre, warn_about_sizes
from ougi.scene.validation import RecordReader
from ougi.shapes import (
    Box,
    Capsule2d,
    Capsule3d,
    Circle,
    Compound2d,
    Compound3d,
    Cone,
    ConvexHull3d,
    ConvexPolygon2d,
    Cylinder,
    Ellipsoid,
    HalfSpace2d,
    HalfSpace3d,
    Mesh,
    Polygon2d,
    Rectangle,
    Sector2d,
    Sector3d,
    Segment2d,
    Segment3d,
    Shape,
    Sphere,
    Triangle2d,
    Triangle3d,
)

# Parts of a dotted key. TOML's parser takes time that grows with the square of their number.
_KEY = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*"""
_LONG_KEY = re.compile(rf"^[ \t]*(?:\[\[?[ \t]*)?(?:{_KEY}\.[ \t]*){{32}}", re.MULTILINE)


def read_scene_file(path: Path, options: LoadOptions, budget: Budget) -> Scene:
    """A scene of a TOML or JSON file."""
    content, lines = _parse(path, budget)
    findings = Findings(path.name)
    reader = RecordReader(findings, lines)
    _check_version(reader, content)
    bodies = content.get("body")
    count = len(bodies) if isinstance(bodies, list) else 0
    try:
        budget.take("bodies", count, "the number of bodies")
    except ValueError as error:
        raise scene_error(path.name, str(error)) from None
    # Bodies one by one, so that an error in one body does not hide errors in others.
    rest = reader.read_record(schema.SceneFile, {**content, "body": []} if count else content, ())
    if not count and not content.get("include"):
        reader.report((), "", "there is nothing in the scene: it needs a [[body]] or an [[include]]")
    record = [reader.read_element(schema.BodyFile, bodies, i, ("body",)) for i in range(count)]  # type: ignore[arg-type]
    return _SceneBuilder(reader, path.parent, options, budget).build_scene(
        rest, record, bodies if count else []
    )


def _parse(path: Path, budget: Budget) -> tuple[JsonObject, LineNumbers]:
    """The content of a file as dictionaries, and where things stand in it."""
    is_json = path.suffix.lower() == ".json"
    raw = read_bytes(path, budget, "scene_bytes" if is_json else "toml_bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise scene_error(path.name, "this is not text in UTF-8", line) from None
    try:
        if is_json:
            content = json.loads(text, parse_constant=_refuse_constant)
            if isinstance(content, dict):
                content.pop("$schema", None)  # a word to editors
            return content, JsonLines(text)
        if long_key := _LONG_KEY.search(text):
            line = text.count("\n", 0, long_key.start()) + 1
            raise scene_error(path.name, "a key has more than 32 parts", line)
        return tomllib.loads(text), TomlLines(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at line (\d+), column \d+\)", str(error))
        line = int(place.group(1)) if place else text.count("\n") + 1
        raise scene_error(path.name, f"not valid TOML: {str(error).partition(' (at ')[0]}", line) from None
    except json.JSONDecodeError as error:
        raise scene_error(path.name, f"not valid JSON: {error.msg}", error.lineno) from None
    except SceneError:
        raise
    except ValueError as error:  # a number that is none, or too long to read
        raise scene_error(path.name, str(error)) from None


def _refuse_constant(word: str) -> float:
    raise ValueError(f"{word} is no number; numbers must be finite")


def _check_version(reader: RecordReader, content: JsonValue) -> None:
    """A file of another format, or none of ours, gets one clear message instead of a hundred."""
    if not isinstance(content, dict) or "ougi" not in content:
        raise scene_error(
            reader.findings.file, "the key 'ougi' is missing: a scene file begins with ougi = 1"
        )
    if content["ougi"] != 1 or isinstance(content["ougi"], bool):
        line = reader.lines.find_line(("ougi",))
        text = f"ougi = {content['ougi']!r} is a format that this version does not know; it knows ougi = 1"
        raise scene_error(reader.findings.file, text, line)


class _SceneBuilder:
    """Builds the bodies of a file."""

    def __init__(self, reader: RecordReader, folder: Path, options: LoadOptions, budget: Budget) -> None:
        self.report, self.lines, self.findings = reader.report, reader.lines, reader.findings
        self.folder, self.options, self.budget = folder, options, budget
        self.meshes = MeshFiles(budget)

    def build_scene(
        self, record: schema.SceneFile | None, body_records: list[schema.BodyFile | None], plain: JsonValue
    ) -> Scene:
        """The scene, or a SceneError with everything that is wrong with it.

        A body that could not be read is None; `plain` has what the file holds for each.
        """
        seen: dict[str, int] = {}
        bodies = []
        self.body_lines = self.lines.find_element_lines("body", len(body_records))
        for i, body in enumerate(body_records):
            if body is None:
                self._check_invalid_body(plain[i], i, seen)
                continue
            label = f"body {body.name!r}"
            self._check_name(body.name, i, seen)
            made = self.build_body(body, i, label)
            if made is not None:
                bodies.append(made)
        neighbours, disabled = set[tuple[int, int]](), set[tuple[int, int]]()
        durations, skipped = [0.0], list[str]()
        included: dict[str, list[Body]] = {}
        for i, include in enumerate([] if record is None else record.include):
            assert record is not None
            path, label = ("include", i), f"include {include.file!r}"
            placement = self._try(path, label, functools.partial(_build_placement, include, record.units))
            found = self._try(path, label, functools.partial(self.load_include, include, placement))
            if found is not None:
                neighbours |= {(a + len(bodies), b + len(bodies)) for a, b in found.neighbours}
                disabled |= {(a + len(bodies), b + len(bodies)) for a, b in found.disabled}
                skipped += [f"{include.file}: {text}" for text in found.skipped]
                durations.append(found.duration)
                renamed = self._adopt(found.bodies, include, i, seen)
                included.setdefault(repr(include.file), []).extend(renamed)
                bodies += renamed
        self._check_dimension(bodies)
        if record is not None and None not in body_records:
            self._check_rules("check", record.check, list(seen))
            self._check_rules("ignore", record.ignore, list(seen))
        if record is not None and record.duration is not UNSET:
            check_duration = functools.partial(_check.number, "duration", record.duration, positive=False)
            self._try(("duration",), "", check_duration)
        self.findings.raise_if_any()
        assert record is not None
        end = max((piece.stop for body in bodies for piece in body.pieces), default=0.0)
        end = max(end, *durations)
        warn_about_sizes(self.findings.file, self._own_sources(body_records, bodies) | included, record.units)
        return Scene(
            tuple(bodies),
            tuple(Check(check.a, check.b) for check in record.check),
            frozenset(neighbours),
            duration=end if record.duration is UNSET else record.duration,
            units=record.units,
            ignore=tuple(Check(rule.a, rule.b) for rule in record.ignore),
            disabled=frozenset(disabled),
            skipped=tuple(skipped),
        )

    def _check_name(self, name: str, i: int, seen: dict[str, int]) -> None:
        path, label = ("body", i, "name"), f"body {name!r}"
        if name in seen:
            self.report(path, label, f"line {seen[name]} has a body of this name already")
        seen.setdefault(name, self.body_lines[i])
        if any(sign in name for sign in "*?[]"):
            self.report(path, label, "names must not contain * ? [ ]: they stand for patterns")

    def _check_invalid_body(self, plain: JsonValue, i: int, seen: dict[str, int]) -> None:
        """What else is wrong with a body of which something could not be read: its name, its mesh file."""
        if not isinstance(plain, dict):
            return
        name = plain.get("name")
        if isinstance(name, str) and name:
            self._check_name(name, i, seen)
        try:
            mesh = msgspec.convert(plain.get("shape"), schema.Mesh)
        except msgspec.ValidationError:
            return
        self._try(("body", i, "shape"), f"body {name!r}", lambda: self.build_shape(mesh))

    def _own_sources(
        self, body_records: list[schema.BodyFile | None], bodies: list[Body]
    ) -> dict[str, list[Body]]:
        """The bodies of this file by where their shapes come from: its own text, or a mesh file."""
        found: dict[str, list[Body]] = {}
        for record, body in zip(body_records, bodies, strict=False):
            is_mesh = record is not None and isinstance(record.shape, schema.Mesh)
            found.setdefault(repr(record.shape.file) if is_mesh else "the scene file", []).append(body)  # type: ignore[union-attr]
        return found

    def load_include(self, record: schema.IncludeFile, placement: Placement | None) -> Scene:
        """The scene of another file, put in its place."""
        path = resolve_inside(self.folder, record.file)
        if path.suffix.lower() not in (".glb", ".gltf", ".urdf", ".xacro"):
            raise ValueError("only .glb, .gltf, .urdf and .xacro files can be included")
        trajectory = None if record.trajectory is UNSET else resolve_inside(self.folder, record.trajectory)
        animation = None if record.animation is UNSET else record.animation
        options = self.options._replace(trajectory=trajectory, animation=animation, srdf=None)
        return load_file(path, options, self.budget, placement)

    def _adopt(
        self, found: tuple[Body, ...], record: schema.IncludeFile, i: int, seen: dict[str, int]
    ) -> list[Body]:
        """Bodies of another file as bodies of this one; their carriers are named after the file."""
        label, line = f"include {record.file!r}", self.lines.find_line(("include", i))
        for body in found:
            if body.name in seen:
                self.report(
                    ("include", i), label, f"line {seen[body.name]} has a body named {body.name!r} already"
                )
            seen.setdefault(body.name, line)
        world = f"[{record.file} {i}]"
        return [
            replace(body, carrier=f"{world} {body.carrier}" if body.carrier else "", line=line)
            for body in found
        ]

    def build_body(self, record: schema.BodyFile, i: int, label: str) -> Body | None:
        """One body; None if something is wrong with it."""
        before = len(self.findings.problems)
        shape = self._try(("body", i, "shape"), label, lambda: self.build_shape(record.shape))
        if shape is None:
            return None
        d = shape.dimension
        at = self._try(("body", i, "at"), label, lambda: _read_position(record.at, d))
        turn = self._try(("body", i, "rotation"), label, lambda: _read_rotation(record.rotation, d))
        frame = Pose(np.zeros(d) if at is None else at, turn)
        moves = self._try(("body", i, "motion"), label, lambda: self.build_motion(record.motion, frame, d))
        if len(self.findings.problems) > before:
            return None
        first, pieces = moves
        return Body(
            record.name,
            shape.transformed(first),
            pieces,
            record.group,
            record.mask,
            line=self.body_lines[i],
            color="" if record.color is UNSET else record.color,
        )

    def build_motion(self, record: Record, frame: Pose, dimension: int) -> tuple[Pose, tuple[Piece, ...]]:
        """Where the body's frame is at the start, which is its first key if it has keys; and its pieces."""
        if record is UNSET:
            return frame, ()
        if isinstance(record, schema.Keyframes):
            self.budget.take("motions", 2 * len(record.times), "motion: the number of keys, turns and moves")
            frames = _build_key_poses(record, frame, dimension)
            return frames[0], build_pieces(record.times, _interpolate_keys(record, frames, dimension))
        steps = record if isinstance(record, list) else [record]
        self.budget.take("motions", _MOTION * len(steps), "motion: the number of motions, five for each")
        return frame, _build_sequence(steps, frame, dimension)

    def _try(self, path: tuple[str | int, ...], label: str, make: Callable[[], Record]) -> Record:
        """What `make` makes; if it refuses, its words are noted."""
        try:
            return make()
        except SceneError as error:
            self.findings.extend(error.problems)
        except (ValueError, TypeError) as error:
            self.report(path, label, str(error))
        return None

    def build_shape(self, record: Record) -> Shape:
        """A shape in its own frame."""
        if not isinstance(record, schema.Mesh):
            for part in record.parts if isinstance(record, schema.Compound) else ():
                self._take_shape(part.shape)
            self._take_shape(record)
            if isinstance(record, schema.Compound):
                return _build_compound(record)
            made: Shape = _SHAPES[type(record)](record)
            return made
        mesh = self.meshes.read(resolve_inside(self.folder, record.file), record.scale)
        return Mesh(mesh, solid=True) if record.solid else mesh

    def _take_shape(self, record: Record) -> None:
        """Count what takes long to build, or much memory."""
        if isinstance(record, schema.Compound):
            self.budget.take("bodies", len(record.parts), "the number of parts")
        elif isinstance(record, schema.Heights):
            # Two triangles for each cell, above and below.
            self.budget.take("faces", 4 * sum(map(len, record.heights)), "the grid of heights")
        elif isinstance(record, schema.ConvexHull3d):
            self._take_corners(len(record.points))
        elif isinstance(record, schema.Polygon) and (record.holes or _find_convex(record) is None):
            self._take_corners(sum(map(len, (record.vertices, *record.holes))))

    def _take_corners(self, count: int) -> None:
        """Hulls, and pieces of polygons, take a time that grows with the square of their corners."""
        self.budget.take("corners", count + count**2 // _SQUARE, f"a shape of {count:,} corners")

    def _check_dimension(self, bodies: list[Body]) -> None:
        flat = [body for body in bodies if body.shape.dimension == 2]
        if flat and len(flat) < len(bodies):
            solid = next(body for body in bodies if body.shape.dimension == 3)
            text = f"a shape of the plane beside {solid.name!r}, one of space: a scene has one dimension"
            self.findings.add(flat[0].line, f"body {flat[0].name!r}: {text}")

    def _check_rules(
        self, table: str, rules: Sequence[schema.CheckFile | schema.IgnoreFile], names: list[str]
    ) -> None:
        """Patterns that match nothing are mistakes."""
        index = NameIndex(names)
        for i, rule in enumerate(rules):
            for key, pattern in (("a", rule.a), ("b", rule.b)):
                before = index.comparisons
                if not len(index.find(pattern)):
                    text = f"{key} = {pattern!r} matches no body{suggest_name(pattern, names)}"
                    self.report((table, i, key), f"{table} {i + 1}", text)
                self._take_matches(index.comparisons - before)
        self._take_matches(PairRules([(rule.a, rule.b) for rule in rules], index).matches)

    def _take_matches(self, count: int) -> None:
        try:
            self.budget.take("rule_matches", count, "the number of bodies that rules match")
        except ValueError as error:
            raise scene_error(self.findings.file, str(error)) from None


_SHAPES: dict[type[msgspec.Struct], Callable[[Record], Shape]] = {
    schema.Circle: lambda s: Circle([0, 0], s.radius),
    schema.Rectangle: lambda s: Rectangle([0, 0], s.size),
    schema.Capsule2d: lambda s: Capsule2d(s.start, s.end, s.radius),
    schema.Segment2d: lambda s: Segment2d(s.start, s.end),
    schema.Triangle2d: lambda s: Triangle2d(s.a, s.b, s.c),
    schema.Polygon: lambda s: _build_polygon(s),
    schema.Sector2d: lambda s: Sector2d(
        [0, 0], [1, 0], _half_angle(s.degrees), s.inner_radius, s.outer_radius
    ),
    schema.HalfSpace2d: lambda s: HalfSpace2d(s.normal, s.offset),
    schema.HalfSpace3d: lambda s: HalfSpace3d(s.normal, s.offset),
    schema.Heights: lambda s: Mesh.from_heights(
        s.heights, cell=s.cell, floor=None if s.floor is UNSET else s.floor
    ),
    schema.Sphere: lambda s: Sphere([0, 0, 0], s.radius),
    schema.Box: lambda s: Box([0, 0, 0], s.size),
    schema.Capsule3d: lambda s: Capsule3d(s.start, s.end, s.radius),
    schema.Segment3d: lambda s: Segment3d(s.start, s.end),
    schema.Triangle3d: lambda s: Triangle3d(s.a, s.b, s.c),
    schema.ConvexHull3d: lambda s: ConvexHull3d(s.points, s.radius),
    schema.Cylinder: lambda s: build_cylinder(s.radius, s.height),
    schema.Cone: lambda s: Cone([0, 0, 0], [0, 0, 1], s.radius, s.height / 2),
    schema.Ellipsoid: lambda s: Ellipsoid([0, 0, 0], s.radii),
    schema.Sector3d: lambda s: Sector3d(
        [0, 0, 0], [0, 0, 1], [1, 0, 0], _half_angle(s.degrees), s.inner_radius, s.outer_radius, s.height / 2
    ),
}


# Read one by one, motions take five times as long as those of animations and trajectories.
_MOTION = 5

# Corners of a shape from which on the square of their number counts for more than themselves.
_SQUARE = 2_000


def _find_convex(record: schema.Polygon) -> Shape | None:
    """A convex polygon of the vertices, if they are one; only such have a radius."""
    try:
        return ConvexPolygon2d(record.vertices, record.radius)
    except ValueError:
        if record.radius:
            raise
        return None


def _build_polygon(record: schema.Polygon) -> Shape:
    """A convex polygon if it is one."""
    convex = _find_convex(record)
    if convex is not None and not record.holes:
        return convex
    if record.radius:
        raise ValueError("radius must be 0 for a polygon with holes")
    return Polygon2d(record.vertices, record.holes)


def _build_compound(record: schema.Compound) -> Shape:
    """The parts of a compound, each at its pose."""
    if not record.parts:
        raise ValueError("parts must hold at least one part")
    parts = []
    for k, part in enumerate(record.parts):
        shape = _SHAPES[type(part.shape)](part.shape)
        d = shape.dimension
        try:
            pose = Pose(_read_position(part.at, d), _read_rotation(part.rotation, d))
        except ValueError as error:
            raise ValueError(f"parts[{k}]: {error}") from None
        parts.append(shape.transformed(pose))
    return (Compound2d if parts[0].dimension == 2 else Compound3d)(parts)


def build_cylinder(radius: float, height: float) -> Cylinder:
    """A cylinder along z, around the origin."""
    return Cylinder([0, 0, 0], [0, 0, 1], radius, height / 2)


def _half_angle(degrees: float) -> float:
    return math.pi if degrees == 360 else math.radians(degrees) / 2


# --- poses ----------------------------------------------------------------------------------------------


def _build_placement(record: schema.IncludeFile, units: str) -> Placement:
    """How a file in metres is put into a scene in other units."""
    frame = Pose(_read_position(record.at, 3), _read_rotation(record.rotation, 3))
    return Placement(per_metre(units) * record.scale, frame)


def _read_position(record: Record, dimension: int) -> Floats:
    """Where the body's frame is at t = 0."""
    return np.zeros(dimension) if record is UNSET else Pose(_read_vector("at", record, dimension)).position


def _read_rotation(record: Record, dimension: int) -> Floats:
    """How the body's frame is turned at t = 0."""
    return Pose(np.zeros(dimension), None if record is UNSET else _read_turn(record, dimension)).rotation


def _read_vector(name: str, value: Sequence[float], dimension: int) -> Floats:
    if len(value) != dimension:
        raise ValueError(f"{name} must have {dimension} numbers like the shape, got {len(value)}")
    return np.array(value, np.float64)


def _read_turn(record: schema.Rotation, dimension: int) -> Record:
    """A rotation as `Pose` takes it."""
    return _read_turns([record], dimension)[0]


def _read_turns(record: list[schema.Rotation], dimension: int) -> Floats:
    """Rotations as `Pose` takes them: (n,) angles in the plane, (n, 3, 3) matrices in space."""
    given = [_list_given_keys(turn, dimension) for turn in record]
    if dimension == 2:
        return np.radians(np.array([turn.degrees for turn in record], np.float64))
    found = np.empty((len(record), 3, 3))
    for keys in set(given):
        rows = [k for k, own in enumerate(given) if own == keys]
        numbers = [np.array([getattr(record[k], key) for k in rows], np.float64) for key in keys]
        found[rows] = _build_matrices(keys, numbers)
    return found


def _list_given_keys(record: schema.Rotation, dimension: int) -> tuple[str, ...]:
    """Which keys a rotation has; a ValueError if they do not define one rotation."""
    given = tuple(
        key for key in ("quaternion", "axis", "degrees", "euler") if getattr(record, key) is not UNSET
    )
    words = ", ".join(given) or "nothing"
    if dimension == 2 and given != ("degrees",):
        raise ValueError(f"rotation must be {{ degrees = ... }} in the plane, got {words}")
    if dimension == 3 and given not in (("quaternion",), ("axis", "degrees"), ("euler",)):
        raise ValueError(f"rotation must be a quaternion, or axis and degrees, or euler; got {words}")
    return given


def _build_matrices(keys: tuple[str, ...], numbers: list[Floats]) -> Floats:
    """Rotation matrices (n, 3, 3) of the numbers under one set of keys."""
    if keys == ("quaternion",):
        return Pose(np.zeros(3), numbers[0]).rotation
    if keys == ("euler",):
        return build_euler_matrices(np.radians(numbers[0]))
    axis, degrees = numbers
    return Rotation3d([0, 0, 0], axis, np.radians(degrees)).at(1.0).rotation


def build_euler_matrices(angles: Floats) -> Floats:
    """Matrices of turns about the fixed axes x, y and z, in this order, by angles (..., 3) in radians."""
    turns = (Rotation3d([0, 0, 0], axis, angles[..., k]) for k, axis in enumerate(np.eye(3)))
    x, y, z = (turn.at(1.0).rotation for turn in turns)
    matrices: Floats = z @ y @ x
    return matrices


# --- motions --------------------------------------------------------------------------------------------


def _build_sequence(steps: list[Record], frame: Pose, dimension: int) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    now = 0.0
    for step in steps:
        if isinstance(step, schema.Keyframes):
            raise ValueError("motion: keyframes stand alone; they are no part of a list of motions")
        motion = _build_motion(step, frame, dimension)
        start = now + step.start
        now = start + step.seconds
        pieces.append(Piece(start, now, motion))
        frame = motion.at(1.0) @ frame
    return tuple(pieces)


def _build_motion(record: Record, frame: Pose, dimension: int) -> Motion:
    """A motion in the world; turns are about the frame's origin, where it is then, if nothing is record."""
    if isinstance(record, schema.Translate):
        by = _read_vector("motion.by", record.by, dimension)
        return Translation2d(by) if dimension == 2 else Translation3d(by)
    about = frame.position if record.about is UNSET else _read_vector("motion.about", record.about, dimension)
    angle = math.radians(record.degrees)
    if isinstance(record, schema.Screw):
        if dimension == 2:
            raise ValueError("motion: there are no screws in the plane; rotate or translate")
        return Screw3d(about, record.axis, angle, record.advance)
    if dimension == 2:
        if record.axis is not UNSET:
            raise ValueError("motion: a turn in the plane has no axis, only about")
        return Rotation2d(about, angle)
    if record.axis is UNSET:
        raise ValueError("motion: a turn in space needs an axis")
    return Rotation3d(about, record.axis, angle)


def _build_key_poses(record: schema.Keyframes, frame: Pose, dimension: int) -> Pose:
    """The frames at the times of the keys: (n,)."""
    n = len(record.times)
    for k, (earlier, later) in enumerate(itertools.pairwise(record.times), 1):
        if later <= earlier:
            raise ValueError(f"motion.times must increase, got {later:g} after {earlier:g} at index {k}")
    if record.positions is UNSET and record.rotations is UNSET:
        raise ValueError("motion: keyframes need positions or rotations")
    for name, given in (("positions", record.positions), ("rotations", record.rotations)):
        if given is not UNSET and len(given) != n:
            raise ValueError(f"motion.{name} must have one entry for each of the {n} times, got {len(given)}")
    places = np.broadcast_to(frame.position, (n, dimension))
    if record.positions is not UNSET:
        places = np.array(
            [_read_vector(f"motion.positions.{k}", p, dimension) for k, p in enumerate(record.positions)]
        )
    turns: Record = frame.rotation
    if record.rotations is not UNSET:
        turns = _read_turns(record.rotations, dimension)
    return Pose(places, turns)


def _interpolate_keys(record: schema.Keyframes, frames: Pose, dimension: int) -> list[Motion | None]:
    if dimension == 3:
        return LinearSpans(frames[:-1], frames[1:]).motions()
    # In the plane angles are numbers: from 0 to 720 degrees are two turns.
    degrees = np.zeros(len(record.times))
    if record.rotations is not UNSET:
        degrees = np.array([turn.degrees for turn in record.rotations], np.float64)
    return PlanarSpans(frames.position[:-1], frames.position[1:], np.radians(np.diff(degrees))).motions()
