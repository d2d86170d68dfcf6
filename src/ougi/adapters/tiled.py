"""Tiled: walls and hit boxes of `.tmx` and `.tmj` maps, through pytiled-parser.

Coordinates are pixels of the map. As in Tiled and pygame, y points down; with `y_up=True` it points up, as in
Arcade and pymunk, and the lower edge of the map is at 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ougi._typing import Bools, Floats, Foreign, JsonValue
from ougi.corridor import Corridor
from ougi.errors import MissingExtraError
from ougi.games import Hitbox, TargetSet
from ougi.shapes import Circle, Segment2d

__all__ = ["MapObject", "TileMap"]

# Tiled stores in the upper bits of a tile's number how it is flipped.
_TILE_NUMBER = 0x0FFFFFFF

# How far the polygon that encloses an ellipse lies outside of it at most, as a share of its larger radius.
_ARC_ERROR = 1e-3

# What pytiled-parser raises for a file that it cannot read.
_PARSER_ERRORS = (ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError, ValueError)


class MapObject(NamedTuple):
    """An object of a map, as a target for `ougi.games`.

    Attributes
    ----------
    name, kind
        Its name and its class in Tiled; empty if it has none.
    position, angle
        The point about which Tiled turns it, and its angle in radians from x towards y.
    hitbox
        Its form about that point.
    corners
        (n, 2), of a rectangle, polygon, line or ellipse about that point, for drawing; None for others.
    properties
        Its custom properties.
    """

    name: str
    kind: str
    position: tuple[float, float]
    angle: float
    hitbox: Hitbox
    corners: Floats | None
    properties: dict[str, JsonValue]


class TileMap:
    """A map of Tiled with square or rectangular cells, finite or infinite.

    Tile layers become walls or hit boxes, and object layers become targets.

    Parameters
    ----------
    path
        A `.tmx` or `.tmj` file.
    y_up
        Let y point up, as in Arcade and pymunk.
    """

    def __init__(self, path: str | Path, *, y_up: bool = False) -> None:
        try:
            import pytiled_parser
        except ImportError as error:
            raise MissingExtraError("tiled", "reading maps of Tiled") from error
        self._map = _parse(pytiled_parser.parse_map, Path(path))
        if self._map.orientation != "orthogonal":
            raise ValueError(f"the map must be orthogonal, got {self._map.orientation}")
        self._y_up = y_up
        self.cell = (float(self._map.tile_size.width), float(self._map.tile_size.height))
        columns, rows = self._map.map_size
        self.size = (columns * self.cell[0], rows * self.cell[1])

    @property
    def layers(self) -> list[str]:
        """The names of all layers; of a layer in a group, `group/layer`."""
        return [name for name, *_ in _list_layers(self._map.layers)]

    def solid(self, layer: str, tiles: Collection[int] | None = None) -> Bools:
        """Which cells (rows, columns) of a tile layer are solid: those with a tile, or with one of `tiles`.

        Tiles are numbered as in the file, from 1. With `y_up` the first row is the lowest.
        """
        return self._read_cells(layer, tiles)[0]

    def corridor(self, layer: str, tiles: Collection[int] | None = None) -> Corridor:
        """The free cells of a tile layer, for characters and bullets. All that lies outside is solid."""
        solid, origin = self._read_cells(layer, tiles)
        return Corridor.from_grid(solid, cell=self.cell, origin=origin)

    def hitbox(self, layer: str, tiles: Collection[int] | None = None) -> Hitbox:
        """The solid cells of a tile layer as one hit box, for a target at (0, 0)."""
        solid, origin = self._read_cells(layer, tiles)
        return Hitbox.from_grid(solid, cell=self.cell, origin=origin)

    def targets(self, layer: str, tiles: Collection[int] | None = None) -> TargetSet:
        """The solid cells of a tile layer as a set of one target with the name of the layer, at rest."""
        walls = TargetSet()
        walls.update([layer], [[0.0, 0.0]], hitboxes=self.hitbox(layer, tiles))
        return walls

    def objects(self, layer: str) -> list[MapObject]:
        """The objects of an object layer: rectangles, ellipses, points, polygons, lines and tiles.

        An ellipse that is no circle becomes a polygon around it, as the arc of a sector does
        (`Hitbox.error`). Without a width and a height all objects are points, as Tiled shows them.
        """
        found, offset = self._find(layer)
        if not hasattr(found, "tiled_objects"):
            raise ValueError(f"layer {layer!r} must be an object layer, got {type(found).__name__}")
        return [self._make_object(each, offset) for each in found.tiled_objects]

    def _find(self, layer: str) -> tuple[Foreign, Floats]:
        """A layer, and by how much it is shifted."""
        for name, found, offset in _list_layers(self._map.layers):
            if name == layer:
                return found, offset
        raise KeyError(f"no layer is named {layer!r}; there are {', '.join(map(repr, self.layers))}")

    def _read_cells(self, layer: str, tiles: Collection[int] | None) -> tuple[Bools, tuple[float, float]]:
        """The solid cells, and the corner of the first of them."""
        found, offset = self._find(layer)
        if not hasattr(found, "chunks"):
            raise ValueError(f"layer {layer!r} must be a tile layer, got {type(found).__name__}")
        first_x = first_y = 0
        if found.chunks:
            corners = [(int(chunk.coordinates.x), int(chunk.coordinates.y)) for chunk in found.chunks]
            ends = [
                (x + int(chunk.size.width), y + int(chunk.size.height))
                for (x, y), chunk in zip(corners, found.chunks, strict=True)
            ]
            first_x, first_y = (min(values) for values in zip(*corners, strict=True))
            last_x, last_y = (max(values) for values in zip(*ends, strict=True))
            numbers = np.zeros((last_y - first_y, last_x - first_x), np.int64)
            for (x, y), (end_x, end_y), chunk in zip(corners, ends, found.chunks, strict=True):
                numbers[y - first_y : end_y - first_y, x - first_x : end_x - first_x] = chunk.data
        else:
            numbers = np.array(found.data, np.int64)
        numbers &= _TILE_NUMBER
        solid: Bools = numbers != 0 if tiles is None else np.isin(numbers, list(tiles))
        x, y = (np.array([first_x, first_y]) * self.cell + offset).tolist()
        if self._y_up:
            return np.ascontiguousarray(solid[::-1]), (x, self.size[1] - y - len(solid) * self.cell[1])
        return solid, (x, y)

    def _make_object(self, found: Foreign, offset: Floats) -> MapObject:
        sense = -1.0 if self._y_up else 1.0
        x, y = (float(value) for value in found.coordinates + offset)
        try:
            hitbox, corners = self._describe(found, sense)
        except ValueError as error:
            raise ValueError(f"object {found.id} ({found.name!r}): {error}") from None
        return MapObject(
            found.name,
            found.class_ or "",
            (x, self.size[1] - y if self._y_up else y),
            sense * math.radians(found.rotation),
            hitbox,
            corners,
            dict(found.properties or {}),
        )

    def _describe(self, found: Foreign, sense: float) -> tuple[Hitbox, Floats | None]:
        """The form of an object about its origin, with y multiplied by `sense`, and its corners."""
        form, size = type(found).__name__, np.array(found.size, np.float64)
        if form in ("Polygon", "Polyline"):
            corners = np.array(found.points, np.float64) * [1.0, sense]
            if len(corners) == 1:
                return Hitbox(corners[0]), None
            return Hitbox(corners if form == "Polygon" else Segment2d(corners[:-1], corners[1:])), corners
        if form == "Point" or not size.any():
            return Hitbox((0.0, 0.0)), None
        if form == "Ellipse" and size.all():
            middle = size / 2 * [1.0, sense]
            if size[0] == size[1]:
                return Hitbox(Circle(middle, size[0] / 2)), None
            return _enclose_ellipse(middle, size / 2)
        # Of tiles the origin is where their tileset says, of all others it is the upper left corner.
        origin = self._find_alignment(found.gid) * size if form == "Tile" else np.zeros(2)
        corners = (_UNIT_SQUARE * size - origin) * [1.0, sense]
        return Hitbox(corners if size.all() else Segment2d(corners[0], corners[2])), corners

    def _find_alignment(self, number: int) -> Floats:
        """Where the origin of a tile lies, as shares of its size from the upper left corner."""
        number &= _TILE_NUMBER
        first = max(first for first in self._map.tilesets if first <= number)
        name = self._map.tilesets[first].alignment or "unspecified"
        if name == "unspecified":
            name = "bottomleft"
        x = 0.0 if name.endswith("left") else 1.0 if name.endswith("right") else 0.5
        y = 0.0 if name.startswith("top") else 1.0 if name.startswith("bottom") else 0.5
        return np.array([x, y])


_UNIT_SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def _parse(parse_map: Foreign, path: Path) -> Foreign:
    try:
        return parse_map(path)
    except _PARSER_ERRORS as error:
        reason = error if str(error) else type(error).__name__
        if isinstance(error, KeyError):
            reason = f"no {error} where it expects one"
        raise ValueError(
            f"{path} cannot be read by pytiled-parser: {reason}; save it with Tiled as a .tmx or .tmj file, "
            'with "CSV" or "Base64" as Tile Layer Format, and without empty layers if the map is infinite'
        ) from error


def _list_layers(
    layers: Foreign, group: str = "", shift: tuple[float, float] = (0.0, 0.0)
) -> Iterator[tuple[str, Foreign, Floats]]:
    """Names, layers, and by how much they are shifted, by themselves and by their groups."""
    for layer in layers or ():
        x, y = shift[0] + layer.offset.x, shift[1] + layer.offset.y
        yield f"{group}{layer.name}", layer, np.array([x, y])
        yield from _list_layers(getattr(layer, "layers", None), f"{group}{layer.name}/", (x, y))


def _enclose_ellipse(middle: Floats, radii: Floats) -> tuple[Hitbox, Floats]:
    """A polygon whose sides touch an ellipse from outside: the image of one around a circle."""
    count = math.ceil(math.pi / math.acos(1.0 / (1.0 + _ARC_ERROR)))
    angles = np.arange(count) * (math.tau / count)
    reach = 1.0 / math.cos(math.pi / count)
    corners = middle + reach * radii * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    hitbox = Hitbox(corners)
    hitbox.error = float(radii.max()) * (reach - 1.0)
    return hitbox, corners
