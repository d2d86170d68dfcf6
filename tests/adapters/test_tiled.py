"""Maps of Tiled: solid cells, walls, and objects as targets."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ougi
from ougi.adapters.tiled import TileMap
from ougi.games import Projectile, TargetSet

CELLS = [
    [1, 1, 1, 1, 1],
    [1, 0, 0, 0, 1],
    [1, 0, 2, 0, 1],
    [1, 1, 1, 1, 1],
]
OBJECTS = """
 <objectgroup id="3" name="things" offsetx="2" offsety="1">
  <object id="1" name="door" type="door" x="10" y="20" width="6" height="8" rotation="90">
   <properties><property name="hits" type="int" value="3"/></properties>
  </object>
  <object id="2" name="coin" x="30" y="5" width="4" height="4"><ellipse/></object>
  <object id="3" x="1" y="2"><point/></object>
  <object id="4" name="rock" x="20" y="10"><polygon points="0,0 8,0 8,8 4,3"/></object>
  <object id="5" name="rope" x="0" y="0"><polyline points="0,0 5,5 9,5"/></object>
 </objectgroup>
"""


def write_map(folder: Path, *, extra: str = "", orientation: str = "orthogonal") -> Path:
    """A map of 5 x 4 cells of 8 x 6 pixels; the second tile is flipped."""
    rows = ",\n".join(",".join(str(c if c < 2 else 0x80000002) for c in row) for row in CELLS)
    path = folder / "room.tmx"
    path.write_text(
        f"""<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" tiledversion="1.10.2" orientation="{orientation}" renderorder="right-down" width="5"
 height="4" tilewidth="8" tileheight="6" infinite="0" nextlayerid="4" nextobjectid="6">
 <group id="9" name="level">
 <layer id="1" name="walls" width="5" height="4"><data encoding="csv">
{rows}
</data></layer>
 </group>
{extra}
</map>
""",
        encoding="utf-8",
    )
    return path


def test_solid_cells_are_those_with_a_tile(tmp_path: Path) -> None:
    found = TileMap(write_map(tmp_path, extra=OBJECTS))
    assert found.layers == ["level", "level/walls", "things"]
    assert (found.size, found.cell) == ((40, 24), (8, 6))
    assert found.solid("level/walls").tolist() == (np.array(CELLS) > 0).tolist()
    assert found.solid("level/walls", tiles=[2]).tolist() == (np.array(CELLS) == 2).tolist()


@pytest.mark.parametrize("y_up", [False, True])
def test_walls_and_hit_boxes_lie_at_the_same_places(tmp_path: Path, y_up: bool) -> None:
    found = TileMap(write_map(tmp_path), y_up=y_up)
    targets = found.targets("level/walls")
    assert targets.targets == ["level/walls"]
    solid = np.array(CELLS)[:: -1 if y_up else 1] > 0
    walls = found.corridor("level/walls")
    for row, column in np.ndindex(4, 5):
        x, y = 8 * column + 4.0, 6 * row + 3.0
        probe = Projectile((0, 0), (x, y))
        assert bool(probe.hits(targets)) == solid[row, column]
        assert walls.inside([x, y]) == (not solid[row, column])


@pytest.mark.parametrize("y_up", [False, True])
def test_objects_are_targets(tmp_path: Path, y_up: bool) -> None:
    found = TileMap(write_map(tmp_path, extra=OBJECTS), y_up=y_up).objects("things")
    door, coin, point, rock, rope = found
    assert (door.name, door.kind, door.properties) == ("door", "door", {"hits": 3})
    assert [each.name for each in (coin, point, rock, rope)] == ["coin", "", "rock", "rope"]
    assert len(rock.hitbox.parts) == 2
    targets = TargetSet()
    targets.update(
        [each.name for each in found],
        [each.position for each in found],
        [each.angle for each in found],
        hitboxes=[each.hitbox for each in found],
    )
    # The door, turned clockwise by a quarter about (12, 21), covers 4 .. 12, 21 .. 27 on the screen.
    for x, y, names in (
        (8, 26.5, ["door"]),
        (12.5, 24, []),
        (34, 8, ["coin"]),
        (32.2, 6.2, []),
        (3, 3, [""]),
        (4, 3, ["rope"]),
        (28, 12, ["rock"]),
        (26, 17, []),
        (9, 6, ["rope"]),
    ):
        probe = Projectile(ougi.Circle([0, 0], 0.01), (x, 24 - y if y_up else y))
        assert sorted(hit.target for hit in probe.hits(targets)) == names, (x, y)


def test_json_and_infinite_maps_are_read(tmp_path: Path) -> None:
    chunk = {"width": 2, "height": 1, "data": [1, 0]}
    layer = {
        "chunks": [{"x": -2, "y": 0, **chunk}, {"x": 0, "y": 1, **chunk}],
        "width": 4,
        "height": 2,
        "startx": -2,
        "starty": 0,
        "id": 1,
        "name": "walls",
        "opacity": 1,
        "type": "tilelayer",
        "visible": True,
        "x": 0,
        "y": 0,
    }
    path = tmp_path / "room.tmj"
    path.write_text(json.dumps(_make_json_map(layer)), encoding="utf-8")
    found = TileMap(path)
    assert found.solid("walls").tolist() == [[True, False, False, False], [False, False, True, False]]
    assert found.hitbox("walls").reach == pytest.approx(math.hypot(20, 10))


def _make_json_map(*layers: Any) -> dict[str, Any]:
    sizes = {"width": 2, "height": 2, "tilewidth": 10, "tileheight": 10}
    names = {"orientation": "orthogonal", "renderorder": "right-down", "type": "map"}
    versions = {"tiledversion": "1.10.2", "version": "1.10", "nextlayerid": 2, "nextobjectid": 1}
    return {"infinite": True, "layers": list(layers), "tilesets": [], **sizes, **names, **versions}


def test_what_is_not_there_or_not_supported_is_named(tmp_path: Path) -> None:
    found = TileMap(write_map(tmp_path, extra=OBJECTS))
    with pytest.raises(
        KeyError, match="no layer is named 'floor'; there are 'level', 'level/walls', 'things'"
    ):
        found.solid("floor")
    with pytest.raises(ValueError, match="'things' must be a tile layer"):
        found.corridor("things")
    with pytest.raises(ValueError, match="'level/walls' must be an object layer"):
        found.objects("level/walls")
    bow = '<object id="7" name="bow" x="0" y="0"><polygon points="0,0 4,4 4,0 0,4"/></object>'
    with pytest.raises(ValueError, match=r"object 7 \('bow'\): a polygon must not cross itself"):
        TileMap(write_map(tmp_path, extra=_write_objects(bow))).objects("o")
    with pytest.raises(ValueError, match="must be orthogonal, got isometric"):
        TileMap(write_map(tmp_path, orientation="isometric"))


def _write_objects(*objects: str) -> str:
    return f'<objectgroup id="4" name="o">{"".join(objects)}</objectgroup>'


@pytest.mark.parametrize("y_up", [False, True])
def test_an_ellipse_is_enclosed_by_a_polygon(tmp_path: Path, y_up: bool) -> None:
    oval = '<object id="7" name="egg" x="10" y="5" width="4" height="9" rotation="90"><ellipse/></object>'
    (egg,) = TileMap(write_map(tmp_path, extra=_write_objects(oval)), y_up=y_up).objects("o")
    assert egg.position == (10, 24 - 5 if y_up else 5)
    assert 0 < egg.hitbox.error < 0.005
    assert egg.corners is not None
    x, y = (egg.corners * [1, -1 if y_up else 1] - [2, 4.5]).T / [[2], [4.5]]
    assert np.hypot(x, y).min() > 1  # all corners lie outside
    assert np.hypot(x, y).max() < 1.001
    middles = (np.stack([x, y]) + np.roll([x, y], 1, axis=1)) / 2
    np.testing.assert_allclose(np.hypot(*middles), 1.0, atol=1e-12)  # the sides touch the ellipse


def test_objects_without_a_size_are_points_and_flat_ones_segments(tmp_path: Path) -> None:
    spawn = '<object id="1" name="spawn" x="10" y="20"/>'
    dot = '<object id="2" name="dot" x="10" y="20"><ellipse/></object>'
    wire = '<object id="3" name="wire" x="10" y="20" width="8" height="0"/>'
    dab = '<object id="4" name="dab" x="10" y="20"><polyline points="0,0"/></object>'
    found = TileMap(write_map(tmp_path, extra=_write_objects(spawn, dot, wire, dab))).objects("o")
    assert [each.hitbox.reach for each in found] == [0, 0, 8, 0]
    assert [each.hitbox.corners[1].tolist() for each in found] == [[1], [1], [2], [1]]


def test_groups_shift_their_layers(tmp_path: Path) -> None:
    layer = (
        '<layer id="3" name="w" width="5" height="4" offsetx="8" offsety="6"><data encoding="csv">{}</data>'
    )
    cells = ",".join(["1"] + 19 * ["0"])
    inner = _write_objects('<object id="1" x="3" y="4"><point/></object>') + layer.format(cells) + "</layer>"
    middle = f'<group id="5" name="b" offsetx="0" offsety="50">{inner}</group>'
    outer = f'<group id="6" name="a" offsetx="100" offsety="0">{middle}</group>'
    found = TileMap(write_map(tmp_path, extra=outer))
    assert found.objects("a/b/o")[0].position == (103, 54)
    cell = found.hitbox("a/b/w").parts[0][0]
    assert (cell.min(axis=0).tolist(), cell.max(axis=0).tolist()) == ([108, 56], [116, 62])


@pytest.mark.parametrize(
    ("alignment", "corner"),
    [
        ("", (0, -6)),
        ("bottomright", (-8, -6)),
        ("topleft", (0, 0)),
        ("top", (-4, 0)),
        ("center", (-4, -3)),
        ("right", (-8, -3)),
    ],
)
def test_tiles_lie_where_their_tileset_aligns_them(
    tmp_path: Path, alignment: str, corner: tuple[float, float]
) -> None:
    aligned = f'objectalignment="{alignment}"' if alignment else ""
    sizes = 'tilewidth="8" tileheight="6" tilecount="4" columns="2"'
    image = '<image source="t.png" width="16" height="12"/>'
    first = f'<tileset firstgid="1" name="s" {sizes} objectalignment="left">{image}</tileset>'
    own = f'<tileset firstgid="5" name="t" {sizes} {aligned}>{image}</tileset>'
    flipped = 5 + 0x80000000
    tile = f'<object id="1" gid="{flipped}" x="10" y="20" width="8" height="6"/>'
    (found,) = TileMap(write_map(tmp_path, extra=first + own + _write_objects(tile))).objects("o")
    assert found.position == (10, 20)
    assert found.corners is not None
    assert found.corners.min(axis=0).tolist() == list(corner)


def test_a_file_that_the_parser_cannot_read_is_named(tmp_path: Path) -> None:
    tiles = '<layer id="3" name="w" width="1" height="1"><data><tile gid="1"/></data></layer>'
    with pytest.raises(ValueError, match=r"room\.tmx cannot be read by pytiled-parser.*CSV"):
        TileMap(write_map(tmp_path, extra=tiles))
    (tmp_path / "empty.tmj").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"empty\.tmj cannot be read by pytiled-parser: no '\w+' where"):
        TileMap(tmp_path / "empty.tmj")
    with pytest.raises(FileNotFoundError):
        TileMap(tmp_path / "nowhere.tmx")
