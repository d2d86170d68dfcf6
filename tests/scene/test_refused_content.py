"""Scene files with mistakes: all are reported at once, with their lines."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from files import GOOD, load_text, make_one_body, problems

from ougi.scene import SceneError, load_scene


def test_all_problems_are_listed_with_line_and_suggestion(tmp_path: Path) -> None:
    text = """\
ougi = 1
unit = "m"

[[body]]
name = "blade"
shape = { type = "box", size = [2.4, 0.24] }
motion = { type = "rotate", axis = [0, 0, 1], degrees = "120", seconds = 0.2 }

[[body]]
name = "cup"
groop = 1
shape = { type = "spere", radius = 1 }

[[body]]
name = "ball"
shape = { type = "sphere", radius = 1 }
at = [1, 2]
motion = [
    { type = "translate", by = [1, 2, 3], seconds = 1 },
    { type = "translate", bye = [1, 2, 3], seconds = nan },
]

[[body]]
name = "far"
shape = { type = "sphere", radius = 1 }
at = [1, 2]

[[body]]
shape = 3
"""
    assert problems(tmp_path, text) == [
        "scene.toml:2: unknown key 'unit', did you mean 'units'?",
        "scene.toml:6: body 'blade': shape.size: expected a list of length >= 3, got [2.4, 0.24]",
        "scene.toml:7: body 'blade': motion.degrees: expected number, got text",
        "scene.toml:11: body 'cup': unknown key 'groop', did you mean 'group'?",
        "scene.toml:12: body 'cup': unknown type 'spere' of shape, did you mean 'sphere'?",
        "scene.toml:20: body 'ball': unknown key 'bye', did you mean 'by'?",
        "scene.toml:20: body 'ball': the key 'by' is missing in motion.1",
        "scene.toml:20: body 'ball': motion.1.seconds: expected number > 0.0, got nan",
        "scene.toml:26: body 'far': at must have 3 numbers like the shape, got 2",
        "scene.toml:28: body 5: the key 'name' is missing",
        "scene.toml:29: body 5: shape must be a table with a type, got 3",
    ]


WRONG: dict[str, tuple[str, str]] = {
    "no version": ("[[body]]\n", "scene.toml: the key 'ougi' is missing: a scene file begins with ougi = 1"),
    "version 2": ("ougi = 2\n", "scene.toml:1: ougi = 2 is a format that this version does not know"),
    "true version": ("ougi = true\n", "scene.toml:1: ougi = True is a format"),
    "nothing": ("ougi = 1\n", "there is nothing in the scene"),
    "not TOML": ("ougi = 1\n[[body]\n", "scene.toml:2: not valid TOML"),
    "units": (
        'units = "meter"\n' + make_one_body(""),
        "scene.toml:1: unknown units 'meter'; known: mm, cm, m",
    ),
    "body is no list": ("ougi = 1\nbody = 3\n", "scene.toml:2: body must be a list of tables, got 3"),
    "a body is no table": ("ougi = 1\nbody = [3]\n", "scene.toml:2: body 1"),
    "no type": (
        make_one_body("", "{ radius = 1 }"),
        "scene.toml:4: body 'it': shape needs a type: one of circle",
    ),
    "negative": (make_one_body("", '{ type = "box", size = [1, 1, -1] }'), "size must not be negative"),
    "infinite": (make_one_body("at = [0, 0, inf]"), "scene.toml:5: body 'it': at must be finite"),
    "huge": (make_one_body("at = [0, 0, 1e99]"), "scene.toml:5: body 'it': position must not exceed 1e+40"),
    "not a unit quaternion": (
        make_one_body("rotation = { quaternion = [0, 0, 1, 1] }"),
        "scene.toml:5: body 'it': rotation must be a unit quaternion",
    ),
    "two rotations": (
        make_one_body("rotation = { quaternion = [0, 0, 0, 1], euler = [0, 0, 0] }"),
        "rotation must be a quaternion, or axis and degrees, or euler; got quaternion, euler",
    ),
    "axis without degrees": (
        make_one_body("rotation = { axis = [0, 0, 1] }"),
        "axis and degrees, or euler; got axis",
    ),
    "zero axis": (
        make_one_body("rotation = { axis = [0, 0, 0], degrees = 1 }"),
        "axis must not have zero length",
    ),
    "axis in the plane": (
        make_one_body("rotation = { axis = [0, 0, 1], degrees = 3 }", '{ type = "circle", radius = 1 }'),
        "rotation must be { degrees = ... } in the plane, got axis, degrees",
    ),
    "turn without an axis": (
        make_one_body('motion = { type = "rotate", degrees = 3, seconds = 1 }'),
        "a turn in space needs an axis",
    ),
    "turn with an axis in the plane": (
        make_one_body(
            'motion = { type = "rotate", axis = [0, 0, 1], degrees = 3, seconds = 1 }',
            '{ type = "circle", radius = 1 }',
        ),
        "a turn in the plane has no axis",
    ),
    "screw in the plane": (
        make_one_body(
            'motion = { type = "screw", axis = [0, 0, 1], degrees = 3, advance = 1, seconds = 1 }',
            '{ type = "circle", radius = 1 }',
        ),
        "there are no screws in the plane",
    ),
    "no time": (
        make_one_body('motion = { type = "translate", by = [1, 0, 0], seconds = 0 }'),
        "seconds: expected",
    ),
    "keys that go back": (
        make_one_body('motion = { type = "keyframes", times = [0, 2, 1], positions = [[0, 0, 0]] }'),
        "motion.times must increase, got 1 after 2 at index 2",
    ),
    "too few keys": (
        make_one_body('motion = { type = "keyframes", times = [0, 2], positions = [[0, 0, 0]] }'),
        "motion.positions must have one entry for each of the 2 times, got 1",
    ),
    "keys of nothing": (
        make_one_body('motion = { type = "keyframes", times = [0, 2] }'),
        "keyframes need positions or rotations",
    ),
    "keys in a list": (
        make_one_body(
            'motion = [{ type = "keyframes", times = [0, 2], positions = [[0, 0, 0], [1, 0, 0]] }]'
        ),
        "keyframes stand alone",
    ),
    "twice a name": (
        make_one_body("") + make_one_body("").removeprefix("ougi = 1\n"),
        "line 2 has a body of this name",
    ),
    "pattern as a name": (make_one_body("").replace('"it"', '"it*"'), "names must not contain"),
    "empty name": (make_one_body("").replace('"it"', '""'), "name: expected text of length >= 1"),
    "two dimensions": (
        make_one_body("") + '[[body]]\nname = "flat"\nshape = { type = "circle", radius = 1 }\n',
        "scene.toml:6: body 'flat': a shape of the plane beside 'it'",
    ),
    "check of nothing": (
        make_one_body("") + '[[check]]\na = "its"\n',
        "scene.toml:7: check 1: a = 'its' matches no body, did you mean 'it'?",
    ),
    "mask": (make_one_body("mask = -1"), "mask: expected int >= 0, got -1"),
    "opening": (
        make_one_body("", '{ type = "sector2d", degrees = 400, outer_radius = 1 }'),
        "expected number <= 360.0, got 400",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_its_place(what: str, tmp_path: Path) -> None:
    text, words = WRONG[what]
    assert words in "\n".join(problems(tmp_path, text))


def test_json_problems_have_lines_too(tmp_path: Path) -> None:
    text = """{
 "ougi": 1,
 "body": [
  {"name": "cup",
   "shape": {"type": "sphere",
    "radius": "x"}}
 ]
}"""
    assert problems(tmp_path, text, "s.json") == [
        "s.json:6: body 'cup': shape.radius: expected number, got text"
    ]
    assert problems(tmp_path, '{\n "ougi": 1,,\n}', "s.json")[0].startswith("s.json:2: not valid JSON")
    assert "NaN is no number" in problems(tmp_path, '{"ougi": NaN}', "s.json")[0]
    assert "the key 'ougi' is missing" in problems(tmp_path, "[1, 2]", "s.json")[0]
    assert "nested too deeply" in problems(tmp_path, "[" * 10**6, "s.json")[0]


@pytest.mark.parametrize("seed", range(40))
def test_no_damage_to_a_file_gives_another_error(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    text = list(GOOD)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(text)))
        text[at] = str(rng.choice(list('[]{}=".,x1-\n #')))
    with contextlib.suppress(SceneError):
        load_text(tmp_path, "".join(text))


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "name", "x"]), inner)
    ),
    max_leaves=6,
)
keys = st.sampled_from(["name", "shape", "at", "rotation", "motion", "group", "mask", "other"])


@hypothesis.given(st.lists(st.dictionaries(keys, plain), max_size=3), st.dictionaries(keys, plain))
def test_whatever_stands_in_a_file_it_is_read_or_refused(bodies: Any, more: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.json"
        path.write_text(json.dumps({"ougi": 1, "body": bodies, **more}), encoding="utf-8")
        with contextlib.suppress(SceneError):
            load_scene(path)


def test_what_is_wrong_with_a_body_does_not_hide_its_name_and_its_mesh(tmp_path: Path) -> None:
    text = """\
ougi = 1

[[body]]
name = "a"
shape = { type = "sphere", radius = -1 }

[[body]]
name = "a"
shape = { type = "mesh", file = "none.stl" }
motion = { type = "rotate" }

[[check]]
a = "b"
"""
    messages = problems(tmp_path, text)
    assert "scene.toml:8: body 'a': line 3 has a body of this name already" in messages
    assert "scene.toml:9: body 'a': there is no file 'none.stl' in the folder of the scene" in messages
