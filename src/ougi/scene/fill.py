"""From plain dictionaries to the schema's records, with everything that is wrong on the way.

msgspec stops at the first problem; a person wants all of them. So records are filled here, field by field,
and msgspec judges the single values.
"""

from __future__ import annotations

import functools
import math
import reprlib
import types
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from ougi.scene.places import Lines, Path
from ougi.scene.problems import Findings, did_you_mean

T = TypeVar("T", bound=msgspec.Struct)


class Filler:
    """Fills records from one file, and notes what is wrong."""

    def __init__(self, findings: Findings, lines: Lines) -> None:
        self.findings = findings
        self.lines = lines

    def say(self, path: Path, label: str, text: str) -> None:
        """Note a problem at a path; the label says about what."""
        self.findings.add(self.lines.of(path), f"{label}: {text}" if label else text)

    def record(self, kind: type[T], value: Any, path: Path, label: str = "") -> T | None:
        """A record of a kind; None if something is wrong with it."""
        if not isinstance(value, dict):
            self.say(path, label, f"{_key(path)} must be a table, got {_named(value)}")
            return None
        known = _fields(kind)
        tag = kind.__struct_config__.tag_field
        before = len(self.findings.problems)
        for key in value:
            if key not in known and key != tag:
                self.say((*path, key), label, f"unknown key {key!r}{did_you_mean(key, known)}")
        missing = [name for name, field in known.items() if field.required and name not in value]
        for name in missing:
            self.say(path, label, f"the key {name!r} is missing{_within(path)}")
        filled = {
            name: self.value(field.type, value[name], (*path, name), label)
            for name, field in known.items()
            if name in value
        }
        if len(self.findings.problems) > before:
            return None
        return kind(**filled)

    def element(self, kind: type[T], items: list[Any], i: int, path: Path) -> T | None:
        """A record that is an element of a list of the file. Where all is well msgspec sees it at once."""
        try:
            whole = msgspec.convert(items[i], kind)
        except (msgspec.ValidationError, OverflowError):
            whole = None
        if whole is not None and _is_finite(items[i]):
            return whole
        return self.record(kind, items[i], (*path, i), _about("", path, items[i], i))

    def value(self, kind: Any, value: Any, path: Path, label: str) -> Any:
        """A value of a type: a record, one of several records, a list of them, or a plain value."""
        options = [option for option in _options(kind) if option is not msgspec.UnsetType]
        records = [option for option in options if _is_record(option)]
        lists = [option for option in options if _holds_records(option)]
        if isinstance(value, list) and lists:
            inner = get_args(_bare(lists[0]))[0]
            return [
                self.value(inner, item, (*path, i), _about(label, path, item, i))
                for i, item in enumerate(value)
            ]
        if len(records) == 1 and records[0].__struct_config__.tag_field is None:
            return self.record(records[0], value, path, label)
        if records:
            return self._tagged(records, value, path, label)
        if lists:
            self.say(path, label, f"{_key(path)} must be a list of tables, got {_named(value)}")
            return None
        return self._plain(options, value, path, label)

    def _tagged(self, records: list[Any], value: Any, path: Path, label: str) -> Any:
        """The record that the tag names."""
        by_tag = {kind.__struct_config__.tag: kind for kind in records}
        if not isinstance(value, dict):
            self.say(path, label, f"{_key(path)} must be a table with a type, got {_named(value)}")
            return None
        tag = value.get("type")
        if tag is None:
            self.say(path, label, f"{_key(path)} needs a type: one of {', '.join(by_tag)}")
            return None
        if not isinstance(tag, str) or tag not in by_tag:
            self.say(path, label, f"unknown type {tag!r} of {_key(path)}{did_you_mean(str(tag), by_tag)}")
            return None
        return self.record(by_tag[tag], value, path, label)

    def _plain(self, options: list[Any], value: Any, path: Path, label: str) -> Any:
        words = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
        if words and value not in words:
            self.say(
                path, label, f"unknown {_key(path)} {value!r}{did_you_mean(str(value), map(str, words))}"
            )
            return None
        kind = Union[tuple(options)] if len(options) > 1 else options[0]  # noqa: UP007
        try:
            converted = msgspec.convert(value, kind)
        except (msgspec.ValidationError, OverflowError) as error:
            self.say(path, label, f"{_key(path)}: {_worded(str(error), value)}")
            return None
        if not _is_finite(converted):
            self.say(path, label, f"{_key(path)} must be finite, got {value!r}")
            return None
        return converted


@functools.cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(kind)}


def _bare(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _options(kind: Any) -> list[Any]:
    """The members of a union, or the type itself."""
    if get_origin(kind) in (types.UnionType, Union):
        return [option for member in get_args(kind) for option in _options(member)]
    return [kind]


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _holds_records(kind: Any) -> bool:
    """Is this a list of records?"""
    bare = _bare(kind)
    return get_origin(bare) is list and any(_is_record(option) for option in _options(get_args(bare)[0]))


def _about(label: str, path: Path, item: Any, i: int) -> str:
    """What a problem in an element of the file's lists is about: a body by its name."""
    if len(path) > 1:
        return label
    name = item.get("name") if isinstance(item, dict) else None
    return f"{path[-1]} {name!r}" if isinstance(name, str) and name else f"{path[-1]} {i + 1}"


def _key(path: Path) -> str:
    """A path behind the element it belongs to: `shape.size`."""
    return ".".join(f"{part}" for part in path[2:] or path[-1:])


def _within(path: Path) -> str:
    return f" in {_key(path)}" if len(path) > 2 else ""


def _named(value: Any) -> str:
    kinds = {dict: "a table", list: "a list", str: "text", bool: "true or false"}
    return kinds.get(type(value), f"{value!r}")


def _worded(text: str, value: Any) -> str:
    """msgspec's words in ours; a value of the right type that breaks a rule is told."""
    got = "" if ", got " in text else f", got {reprlib.repr(value)}"
    text = text.replace("`", "").replace(" - at $", " at ")
    for theirs, ours in (
        ("array of length", "a list of length"),
        ("array", "list"),
        ("float", "number"),
        ("str", "text"),
    ):
        text = text.replace(theirs, ours)
    return text[0].lower() + text[1:] + got


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True
