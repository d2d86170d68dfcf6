"""On which line of a file something stands. The parsers of Python's library do not tell.

These scanners read texts that have been parsed before, so they need not look for mistakes. What they cannot
place, such as keys inside an inline table, is placed where the next larger thing begins.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Generator, Iterator
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]


class Lines:
    """Lines of a file by path, such as ('body', 2, 'shape')."""

    def __init__(self, found: dict[Path, int]) -> None:
        self._found = found

    def of(self, path: Path) -> int:
        """The line of a thing, or of the smallest known thing around it; 0 if nothing is known."""
        for end in range(len(path), 0, -1):
            if path[:end] in self._found:
                return self._found[path[:end]]
        return 0


_STRING = r'"""(?:\\.|[^\\])*?"""|' r"'''.*?'''|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'"
_TOML_KEY = re.compile(rf"[ \t]*({_STRING}|[A-Za-z0-9_-]+)[ \t]*", re.DOTALL)
_TOML_TOKEN = re.compile(rf"{_STRING}|#[^\n]*|[\[\]{{}},\n]|[^\[\]{{}},\n\"'#]+", re.DOTALL)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)+")


def toml_lines(text: str) -> Lines:
    """The lines of tables, keys and elements of arrays.

    >>> from ougi.scene.places import toml_lines
    >>> text = 'ougi = 1\\n[[body]]\\nname = "cup"\\nshape = { radius = 1 }'
    >>> toml_lines(text).of(("body", 0, "shape", "radius"))
    4
    """
    return Lines(dict(_toml(text)))


def _toml(text: str) -> Iterator[tuple[Path, int]]:
    ends = [found.start() for found in re.finditer("\n", text)]
    counts: dict[Path, int] = {}
    table: Path = ()
    at = 0
    while at < len(text):
        if blank := _BLANK.match(text, at):
            at = blank.end()
            continue
        line = bisect.bisect_left(ends, at) + 1
        brackets = 2 if text.startswith("[[", at) else 1 if text[at] == "[" else 0
        keys, at = _toml_keys(text, at + brackets)
        if brackets:
            table = _numbered(counts, keys, is_list=brackets == 2)
            yield table, line
            at = text.find("\n", at) % (len(text) + 1)  # -1 is the end
        else:
            path = (*table, *keys)
            yield path, line
            at = yield from _toml_value(text, at + 1, path, ends)


def _toml_keys(text: str, at: int) -> tuple[list[str], int]:
    """A dotted key, and where it ends."""
    keys = []
    while found := _TOML_KEY.match(text, at):
        keys.append(found.group(1).strip("\"'"))
        at = found.end()
        if not text.startswith(".", at):
            break
        at += 1
    return keys, at


def _numbered(counts: dict[Path, int], keys: list[str], is_list: bool) -> Path:
    """The path of a table: within lists of tables it is that of the last element."""
    path: Path = ()
    for i, key in enumerate(keys):
        path = (*path, key)
        if is_list and i == len(keys) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _toml_value(text: str, at: int, path: Path, ends: list[int]) -> Generator[tuple[Path, int], None, int]:
    """Skip a value; the elements of a list have lines of their own. Returns where it ends."""
    open_brackets: list[str] = []
    element, fresh = 0, False
    while found := _TOML_TOKEN.match(text, at):
        token = found.group()
        if token == "\n" and not open_brackets:
            break
        begins = not token.startswith("#") and bool(token.strip()) and token not in ",]}"
        if fresh and begins and open_brackets == ["["]:
            yield (*path, element), bisect.bisect_left(ends, at) + 1
            fresh = False
        if token in "[{":
            open_brackets.append(token)
            fresh = fresh or open_brackets == ["["]
        elif token in "]}":
            open_brackets.pop()
        elif token == "," and open_brackets == ["["]:
            element, fresh = element + 1, True
        at = found.end()
    return at


_JSON_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')


def json_lines(text: str) -> Lines:
    """The lines of members and elements.

    >>> from ougi.scene.places import json_lines
    >>> json_lines('{"body": [\\n {"name": "cup",\\n  "at": [1, 2]}]}').of(("body", 0, "at", 1))
    3
    """
    found: dict[Path, int] = {}
    stack: list[str | int] = []
    line, last = 1, 0
    key = ""
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", last, token.start())
        last = token.start()
        word = token.group()
        if word == ":" and stack and isinstance(stack[-1], str):
            stack[-1] = key
            found.setdefault(tuple(stack), line)
        elif word == "," and stack:
            stack[-1] = stack[-1] + 1 if isinstance(stack[-1], int) else ""
        elif word in "]}":
            stack.pop()
        else:
            if stack and isinstance(stack[-1], int):
                found.setdefault(tuple(stack), line)
            if word == "{":
                stack.append("")
            elif word == "[":
                stack.append(0)
            elif word[0] == '"':
                key = word[1:-1]
    return Lines(found)
