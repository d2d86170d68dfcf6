"""On which line of a file something stands. The parsers of Python's library do not report it.

These scanners read texts that have been parsed before, so they need not search for mistakes. What they cannot
place, such as keys inside an inline table, is placed where the next larger thing begins. They work when a
line is needed, which is for messages mostly.
"""

from __future__ import annotations

import bisect
import functools
import json
import re
from collections.abc import Generator, Iterator
from typing import Protocol, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


class LineNumbers(Protocol):
    """Lines of a file by path, such as ('body', 2, 'shape')."""

    def find_line(self, path: Path) -> int:
        """The line of a thing, or of the smallest known thing around it; 0 if nothing is known."""

    def find_element_lines(self, key: str, count: int) -> list[int]:
        """The lines of the elements of a list at the top of the file."""


_STRING = r'"""(?:\\.|[^\\])*?"""|' r"'''.*?'''|" r'"(?:\\.|[^"\\\n])*"|' r"'[^'\n]*'"
_TOML_KEY = re.compile(rf"[ \t]*({_STRING}|[A-Za-z0-9_-]+)[ \t]*", re.DOTALL)
# Lists and tables within one line are one token, because nothing inside of them has another line.
_WITHIN_A_LINE = r"[\[{][^\[\]{}\n\"'#]*[\]}]"
_TOML_TOKEN = re.compile(
    rf"{_WITHIN_A_LINE}|{_STRING}|#[^\n]*|,[ \t\r\n]*|[\[\]{{}}\n]|[^\[\]{{}},\n\"'#]+", re.DOTALL
)
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)+")


class TomlLines:
    """The lines of tables, keys and elements of arrays.

    >>> from ougi.scene.line_numbers import TomlLines
    >>> text = 'ougi = 1\\n[[body]]\\nname = "cup"\\nshape = { radius = 1 }'
    >>> TomlLines(text).find_line(("body", 0, "shape", "radius"))
    4
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @functools.cached_property
    def _found(self) -> dict[Path, int]:
        return dict(_scan_toml(self._text))

    def find_line(self, path: Path) -> int:
        """See `LineNumbers.find_line`."""
        for end in range(len(path), 0, -1):
            if path[:end] in self._found:
                return self._found[path[:end]]
        return 0

    def find_element_lines(self, key: str, count: int) -> list[int]:
        """See `LineNumbers.find_element_lines`. Headings [[key]] are found without a scan of all the rest."""
        text = self._text
        if not re.search("\"\"\"|'''", text):  # in a string of several lines a heading is none
            heading = re.compile(rf"^[ \t]*\[\[[ \t]*{re.escape(key)}[ \t]*\]\]", re.MULTILINE)
            lines, line, last = [], 1, 0
            for found in heading.finditer(text):
                line += text.count("\n", last, found.start())
                last = found.start()
                lines.append(line)
            if len(lines) == count:
                return lines
        return [self.find_line((key, i)) for i in range(count)]


def _scan_toml(text: str) -> Iterator[tuple[Path, int]]:
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
        keys, at = _scan_toml_keys(text, at + brackets)
        if brackets:
            table = _number_table(counts, keys, is_list=brackets == 2)
            yield table, line
            at = text.find("\n", at) % (len(text) + 1)  # -1 is the end
        else:
            path = (*table, *keys)
            yield path, line
            at = yield from _scan_toml_value(text, at + 1, path, ends)


def _scan_toml_keys(text: str, at: int) -> tuple[list[str], int]:
    """A dotted key, and where it ends."""
    keys = []
    while found := _TOML_KEY.match(text, at):
        keys.append(found.group(1).strip("\"'"))
        at = found.end()
        if not text.startswith(".", at):
            break
        at += 1
    return keys, at


def _number_table(counts: dict[Path, int], keys: list[str], is_list: bool) -> Path:
    """The path of a table: within lists of tables it is that of the last element."""
    path: Path = ()
    for i, key in enumerate(keys):
        path = (*path, key)
        if is_list and i == len(keys) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _scan_toml_value(
    text: str, at: int, path: Path, ends: list[int]
) -> Generator[tuple[Path, int], None, int]:
    """Skip a value; the elements of a list have lines of their own. Returns where it ends."""
    open_brackets: list[str] = []
    element, fresh = 0, False
    while found := _TOML_TOKEN.match(text, at):
        token = found.group()
        if token == "\n" and not open_brackets:
            break
        begins = token[0] not in "#,]}" and not token.isspace()
        if fresh and begins and open_brackets == ["["]:
            yield (*path, element), bisect.bisect_left(ends, at) + 1
            fresh = False
        if token in "[{":
            open_brackets.append(token)
            fresh = fresh or open_brackets == ["["]
        elif token in "]}":
            open_brackets.pop()
        elif token[0] == "," and open_brackets == ["["]:
            element, fresh = element + 1, True
        at = found.end()
    return at


_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^,\]}\s]+")

# Characters between two places at which the number of the line is remembered.
_STRIDE = 2**16


class JsonLines:
    """The lines of members and elements.

    Only containers that hold something that is searched are read, each once and not further than needed;
    the C scanner of Python's library skips the values between.

    >>> from ougi.scene.line_numbers import JsonLines
    >>> JsonLines('{"body": [\\n {"name": "cup",\\n  "at": [1, 2]}]}').find_line(("body", 0, "at", 1))
    3
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._children: dict[int, _Children] = {}

    def find_line(self, path: Path) -> int:
        """See `LineNumbers.find_line`."""
        start, value = -1, _skip_blank(self._text, 0)
        for key in path:
            if value not in self._children:
                self._children[value] = _Children(self._text, value)
            child = self._children[value].find(key)
            if child is None:
                break
            start, value = child
        return 0 if start < 0 else self._line(start)

    def find_element_lines(self, key: str, count: int) -> list[int]:
        """See `LineNumbers.find_element_lines`."""
        return [self.find_line((key, i)) for i in range(count)]

    def _line(self, place: int) -> int:
        stride = place // _STRIDE
        return self._lines_before[stride] + self._text.count("\n", stride * _STRIDE, place) + 1

    @functools.cached_property
    def _lines_before(self) -> list[int]:
        """The number of line ends before each multiple of the stride."""
        counts = [0]
        for start in range(0, len(self._text), _STRIDE):
            counts.append(counts[-1] + self._text.count("\n", start, start + _STRIDE))
        return counts


class _Children:
    """Where the members of an object or the elements of an array begin: (start, start of the value)."""

    def __init__(self, text: str, start: int) -> None:
        self._found: dict[str | int, tuple[int, int]] = {}
        self._rest = _scan_json_children(text, start)

    def find(self, key: str | int) -> tuple[int, int] | None:
        if key in self._found:
            return self._found[key]
        for name, start, value in self._rest:
            # Of two members with one name the first is remembered.
            if self._found.setdefault(name, (start, value)) and name == key:
                break
        return self._found.get(key)


def _scan_json_children(text: str, start: int) -> Iterator[tuple[str | int, int, int]]:
    """Key or index, where it begins and where its value begins, of a container; nothing for a scalar."""
    is_object = text[start] == "{"
    if not is_object and text[start] != "[":
        return
    at, index = _skip_blank(text, start + 1), 0
    while text[at] not in "]}":
        name: str | int = index
        value = at
        if is_object:
            name, end = _decoder.raw_decode(text, at)
            value = _skip_blank(text, _skip_blank(text, end) + 1)  # behind the colon
        yield name, at, value
        at = _skip_blank(text, _find_json_end(text, value))
        if text[at] == ",":
            at = _skip_blank(text, at + 1)
        index += 1


_decoder = json.JSONDecoder(parse_constant=lambda word: word)


def _find_json_end(text: str, start: int) -> int:
    """Where a value ends."""
    if text[start] in '[{"':
        return _decoder.raw_decode(text, start)[1]
    scalar = _SCALAR.match(text, start)
    assert scalar is not None
    return scalar.end()


def _skip_blank(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    assert space is not None
    return space.end()
