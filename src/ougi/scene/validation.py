"""From plain dictionaries to the schema's records, with all problems.

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

from ougi._typing import JsonValue
from ougi.scene.line_numbers import LineNumbers, Path
from ougi.scene.problems import Findings, suggest_name

T = TypeVar("T", bound=msgspec.Struct)


class RecordReader:
    """Fills records from one file, and collects its problems."""

    def __init__(self, findings: Findings, lines: LineNumbers) -> None:
        self.findings = findings
        self.lines = lines

    def report(self, path: Path, label: str, text: str) -> None:
        """Add a problem at a path; the label names the element."""
        self.findings.add(self.lines.find_line(path), f"{label}: {text}" if label else text)

    def read_record(self, type_: type[T], value: JsonValue, path: Path, label: str = "") -> T | None:
        """A record of a type; None if something is wrong with it."""
        if not isinstance(value, dict):
            self.report(path, label, f"{_format_key(path)} must be a table, got {_describe(value)}")
            return None
        known = _list_fields(type_)
        tag = type_.__struct_config__.tag_field
        before = len(self.findings.problems)
        for key in value:
            if key not in known and key != tag:
                self.report((*path, key), label, f"unknown key {key!r}{suggest_name(key, known)}")
        missing = [name for name, field in known.items() if field.required and name not in value]
        for name in missing:
            self.report(path, label, f"the key {name!r} is missing{_format_place(path)}")
        filled = {
            name: self.read_value(field.type, value[name], (*path, name), label)
            for name, field in known.items()
            if name in value
        }
        if len(self.findings.problems) > before:
            return None
        return type_(**filled)

    def read_element(self, type_: type[T], items: list[JsonValue], i: int, path: Path) -> T | None:
        """A record that is an element of a list of the file. Where all is well msgspec sees it at once."""
        try:
            whole = msgspec.convert(items[i], type_)
        except (msgspec.ValidationError, OverflowError):
            whole = None
        if whole is not None and _is_finite(items[i]):
            return whole
        return self.read_record(type_, items[i], (*path, i), _label_element("", path, items[i], i))

    def read_value(self, type_: Any, value: JsonValue, path: Path, label: str) -> JsonValue:
        """A value of a type: a record, one of several records, a list of them, or a plain value."""
        options = [option for option in _list_options(type_) if option is not msgspec.UnsetType]
        records = [option for option in options if _is_record(option)]
        lists = [option for option in options if _holds_records(option)]
        if isinstance(value, list) and lists:
            longest = _find_max_length(lists[0])
            if len(value) > longest:
                self.report(
                    path,
                    label,
                    f"{_format_key(path)}: expected a list of length <= {longest}, got {len(value)}",
                )
                return None
            inner = get_args(_strip_annotation(lists[0]))[0]
            return [
                self.read_value(inner, item, (*path, i), _label_element(label, path, item, i))
                for i, item in enumerate(value)
            ]
        if len(records) == 1 and records[0].__struct_config__.tag_field is None:
            return self.read_record(records[0], value, path, label)
        if records:
            return self._read_tagged(records, value, path, label)
        if lists:
            self.report(path, label, f"{_format_key(path)} must be a list of tables, got {_describe(value)}")
            return None
        return self._read_plain(options, value, path, label)

    def _read_tagged(self, records: list[Any], value: JsonValue, path: Path, label: str) -> JsonValue:
        """The record that the tag names."""
        by_tag = {type_.__struct_config__.tag: type_ for type_ in records}
        if not isinstance(value, dict):
            self.report(
                path, label, f"{_format_key(path)} must be a table with a type, got {_describe(value)}"
            )
            return None
        tag = value.get("type")
        if tag is None:
            self.report(path, label, f"{_format_key(path)} needs a type: one of {', '.join(by_tag)}")
            return None
        if not isinstance(tag, str) or tag not in by_tag:
            self.report(
                path, label, f"unknown type {tag!r} of {_format_key(path)}{suggest_name(str(tag), by_tag)}"
            )
            return None
        return self.read_record(by_tag[tag], value, path, label)

    def _read_plain(self, options: list[Any], value: JsonValue, path: Path, label: str) -> JsonValue:
        words = [word for option in options if get_origin(option) is Literal for word in get_args(option)]
        if words and value not in words:
            self.report(
                path,
                label,
                f"unknown {_format_key(path)} {value!r}{suggest_name(str(value), map(str, words))}",
            )
            return None
        type_ = Union[tuple(options)] if len(options) > 1 else options[0]  # noqa: UP007
        try:
            converted = msgspec.convert(value, type_)
        except (msgspec.ValidationError, OverflowError) as error:
            self.report(path, label, f"{_format_key(path)}: {_translate_message(str(error), value)}")
            return None
        if not _is_finite(converted):
            self.report(path, label, f"{_format_key(path)} must be finite, got {value!r}")
            return None
        return converted


@functools.cache
def _list_fields(type_: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(type_)}


def _strip_annotation(type_: Any) -> Any:
    return get_args(type_)[0] if get_origin(type_) is Annotated else type_


def _find_max_length(type_: Any) -> float:
    """The largest length of a list that its annotation allows."""
    marks = get_args(type_)[1:] if get_origin(type_) is Annotated else ()
    return min((mark.max_length for mark in marks if mark.max_length is not None), default=math.inf)


def _list_options(type_: Any) -> list[Any]:
    """The members of a union, or the type itself."""
    if get_origin(type_) in (types.UnionType, Union):
        return [option for member in get_args(type_) for option in _list_options(member)]
    return [type_]


def _is_record(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, msgspec.Struct)


def _holds_records(type_: Any) -> bool:
    """Is this a list of records?"""
    bare = _strip_annotation(type_)
    return get_origin(bare) is list and any(_is_record(option) for option in _list_options(get_args(bare)[0]))


def _label_element(label: str, path: Path, item: JsonValue, i: int) -> str:
    """What a problem in an element of the file's lists is about: a body by its name."""
    if len(path) > 1:
        return label
    name = item.get("name") if isinstance(item, dict) else None
    return f"{path[-1]} {name!r}" if isinstance(name, str) and name else f"{path[-1]} {i + 1}"


def _format_key(path: Path) -> str:
    """A path behind the element it belongs to: `shape.size`."""
    return ".".join(f"{part}" for part in path[2:] or path[-1:])


def _format_place(path: Path) -> str:
    return f" in {_format_key(path)}" if len(path) > 2 else ""


def _describe(value: JsonValue) -> str:
    words = {dict: "a table", list: "a list", str: "text", bool: "true or false"}
    return words.get(type(value), f"{value!r}")


def _translate_message(text: str, value: JsonValue) -> str:
    """A message of msgspec in our words, with the value if the message does not have it."""
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


def _is_finite(value: JsonValue) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    return all(map(_is_finite, value)) if isinstance(value, list) else True
