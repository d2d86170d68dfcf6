"""Where in a file a key stands."""

from __future__ import annotations

import json
import tomllib

from ougi.scene.line_numbers import JsonLines, TomlLines


def test_lines_of_a_toml_file() -> None:
    text = '''# a comment
title = """
[[body]]
"""
[a.b] # [not]
"quoted key" = 'x # y'
[[body]]
at = [1, # one
  2,
  3]
shape = { type = "x]" }
[[body]]
[body.shape]
type = "sphere"
[[body.part]]
n = 1
[[body.part]]
n = 2
list = [
  { a = 1 },

  { b = [1, 2] }, { c = "," },
]
last = 1'''
    tomllib.loads(text)
    lines = TomlLines(text)
    want: dict[tuple[str | int, ...], int] = {
        ("title",): 2,
        ("a", "b"): 5,
        ("a", "b", "quoted key"): 6,
        ("body", 0): 7,
        ("body", 0, "at"): 8,
        ("body", 0, "at", 2): 10,
        ("body", 0, "shape", "type"): 11,
        ("body", 1): 12,
        ("body", 1, "shape", "type"): 14,
        ("body", 1, "part", 0, "n"): 16,
        ("body", 1, "part", 1, "n"): 18,
        ("body", 1, "part", 1, "list", 1, "b"): 22,
        ("body", 1, "part", 1, "list", 2, "c"): 22,
        ("body", 1, "part", 1, "last"): 24,
        ("nothing",): 0,
    }
    assert {path: lines.find_line(path) for path in want} == want


def test_lines_of_a_json_file() -> None:
    text = '{"a": 1,\n "b": [\n 1,\n {"c": "x:\\"{",\n "d": [[],\n 2]}],\n "e": {}}'
    json.loads(text)
    lines = JsonLines(text)
    want: dict[tuple[str | int, ...], int] = {
        ("a",): 1,
        ("b",): 2,
        ("b", 0): 3,
        ("b", 1, "c"): 4,
        ("b", 1, "d"): 5,
        ("b", 1, "d", 1): 6,
        ("e",): 7,
    }
    assert {path: lines.find_line(path) for path in want} == want
    assert lines.find_element_lines("b", 2) == [3, 4]


def test_lines_of_the_elements_of_a_list_are_those_of_its_elements() -> None:
    text = "ougi = 1\n[[body]]\na = 1\n  [[ body ]]\n[[other]]\n[[body]]"
    assert TomlLines(text).find_element_lines("body", 3) == [2, 4, 6]
    text = 'ougi = 1\nx = """\n[[body]]\n"""\n[[body]]\n'
    assert TomlLines(text).find_element_lines("body", 1) == [5]
    text = "body = [\n {},\n {}]"
    assert TomlLines(text).find_element_lines("body", 2) == [2, 3]


def test_only_the_containers_on_the_path_are_read() -> None:
    """A scan of everything would need a gigabyte for these lists."""
    text = '{"x": [' + "[]," * 1_000_000 + "1],\n" + '"y": [1,\n 2]}'
    lines = JsonLines(text)
    assert lines.find_line(("y", 1)) == 3
    assert len(lines._children) == 2
