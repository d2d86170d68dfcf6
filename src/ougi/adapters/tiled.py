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
        (n, 2), of a rectangle, polygon or line about that point, for drawing; None for others.
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
        self._map = pytiled_parser.parse_map(Path(path))
        if self._map.orientation != "orthogonal":
            raise ValueError(f"the map must be orthogonal, got {self._map.orientation}")
        self._y_up = y_up
        self.cell = (float(self._map.tile_size.width), float(self._map.tile_size.height))
        columns, rows = self._map.map_size
        self.size = (columns * self.cell[0], rows * self.cell[1])

    @property
    def layers(self) -> list[str]:
        """The names of all layers; of a layer in a group, `group/layer`."""
        return [name for name, _ in _list_layers(self._map.layers, "")]

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
        """The objects of an object layer: rectangles, circles, points, polygons and lines."""
        found = self._find(layer)
        if not hasattr(found, "tiled_objects"):
            raise ValueError(f"layer {layer!r} must be an object layer, got {type(found).__name__}")
        return [self._make_object(each, found.offset) for each in found.tiled_objects]

    def _find(self, layer: str) -> Foreign:
        for name, found in _list_layers(self._map.layers, ""):
            if name == layer:
                return found
        raise KeyError(f"no layer is named {layer!r}; there are {', '.join(map(repr, self.layers))}")

    def _read_cells(self, layer: str, tiles: Collection[int] | None) -> tuple[Bools, tuple[float, float]]:
        """The solid cells, and the corner of the first of them."""
        found = self._find(layer)
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
        x = first_x * self.cell[0] + found.offset.x
        y = first_y * self.cell[1] + found.offset.y
        if self._y_up:
            return np.ascontiguousarray(solid[::-1]), (x, self.size[1] - y - len(solid) * self.cell[1])
        return solid, (x, y)

    def _make_object(self, found: Foreign, offset: Foreign) -> MapObject:
        sense = -1.0 if self._y_up else 1.0
        x, y = found.coordinates.x + offset.x, found.coordinates.y + offset.y
        form, corners = _describe(found, sense)
        return MapObject(
            found.name,
            found.class_ or "",
            (x, self.size[1] - y if self._y_up else y),
            sense * math.radians(found.rotation),
            Hitbox(form),
            corners,
            dict(found.properties or {}),
        )


def _list_layers(layers: Foreign, group: str) -> Iterator[tuple[str, Foreign]]:
    for layer in layers or ():
        yield f"{group}{layer.name}", layer
        yield from _list_layers(getattr(layer, "layers", None), f"{group}{layer.name}/")


def _describe(found: Foreign, sense: float) -> tuple[Foreign, Floats | None]:
    """The form of an object about its origin, with y multiplied by `sense`, and its corners."""
    form = type(found).__name__
    width, height = found.size
    if form == "Point":
        return (0.0, 0.0), None
    if form == "Ellipse" and width == height:
        return Circle([width / 2, sense * height / 2], width / 2), None
    if form in ("Polygon", "Polyline"):
        corners = np.array(found.points, np.float64) * [1.0, sense]
        return (corners if form == "Polygon" else Segment2d(corners[:-1], corners[1:])), corners
    if form in ("Rectangle", "Text", "Tile"):
        # A tile's origin is its lower left corner, of all others it is the upper left one.
        y = sense * (-height if form == "Tile" else height)
        corners = np.array([[0, 0], [width, 0], [width, y], [0, y]], np.float64)
        return corners, corners
    raise ValueError(
        f"object {found.id} ({found.name!r}) must be a rectangle, circle, point, polygon or line, got an "
        f"{form.lower()} of {width:g} x {height:g}"
    )
