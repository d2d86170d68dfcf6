"""Records as small tables: text for `print`, HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ougi._typing import Array, ArrayLike, JsonObject, JsonValue

# Rows of a table.
SHOWN, _SHOWN_HTML = 10, 20
# A cell of more numbers, such as an image, is shown by its shape.
_MAX_NUMBERS = 16
# Lists of at most this length have a column for each number in a table. Components of vectors are x, y, z.
_MAX_COLUMNS = 4
_VECTORS = ("point", "normal", "position", "velocity", "center", "size", "start", "end", "axis", "direction")


def to_plain(value: ArrayLike) -> JsonValue:
    """An array as numbers and lists, with None for NaN and infinity.

    >>> to_plain([1.5, float("nan")]), to_plain(True)
    ([1.5, None], True)
    """
    array = np.asarray(value)
    if array.dtype.kind != "f":
        return array.tolist()
    plain = array.astype(object)
    plain[~np.isfinite(array)] = None
    return plain.tolist()


def list_records(columns: Mapping[str, Array], batch: int, n: int | None = None) -> list[JsonObject]:
    """A dictionary for each of the first n entries of arrays with `batch` leading dimensions in common."""
    rows = {name: value.reshape((-1, *value.shape[batch:]))[:n] for name, value in columns.items()}
    count = len(next(iter(rows.values()))) if rows else 0
    return [{name: to_plain(value[k]) for name, value in rows.items()} for k in range(count)]


def to_cells(record: JsonObject) -> JsonObject:
    """A record with a column for each component of its vectors, and for each number of its short lists."""
    cells: JsonObject = {}
    for name, value in record.items():
        if isinstance(value, list) and 0 < len(value) <= _MAX_COLUMNS and not isinstance(value[0], list):
            axes = "xyz" if name.startswith(_VECTORS) else "0123"
            cells |= {f"{name}_{axis}": x for axis, x in zip(axes, value, strict=False)}
        else:
            cells[name] = value
    return cells


def _format_cell(value: JsonValue) -> str:
    """The text of a cell; vectors are in parentheses.

    >>> _format_cell([1.0, None, 1 / 3]), _format_cell(True), _format_cell([[0.5] * 9] * 7)
    ('(1, -, 0.333333)', 'True', '7 x 9')
    """
    if isinstance(value, list):
        if np.size(value) > _MAX_NUMBERS:
            return " x ".join(map(str, np.shape(value)))
        return f"({', '.join(_format_cell(x) or '-' for x in value)})"
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def render_text(records: Sequence[JsonObject], count: int | None = None) -> str:
    """Aligned lines of the first of `count` records, with their names above.

    >>> print(render_text([{"t": 0.5, "point": [1.0, 0.0]}, {"t": None, "point": [None, None]}]))
    t    point
    0.5  (1, 0)
         (-, -)
    """
    shown, count = records[:SHOWN], len(records) if count is None else count
    names = list(dict.fromkeys(name for row in shown for name in row))
    lines = [names, *([_format_cell(row.get(name)) for name in names] for row in shown)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join([*text, f"... {count - len(shown):,} more"] if count > len(shown) else text)


def render_html(records: Sequence[JsonObject], title: str, count: int | None = None) -> str:
    """A table of the first of `count` records."""
    import html  # seldom needed, and slow to import

    cells, count = [to_cells(row) for row in records[:_SHOWN_HTML]], len(records) if count is None else count
    names = list(dict.fromkeys(name for row in cells for name in row))
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    lines = [
        "".join(f"<td>{html.escape(_format_cell(row.get(name)))}</td>" for name in names) for row in cells
    ]
    more = f", first {_SHOWN_HTML}" if count > _SHOWN_HTML else ""
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    size = f"{count:,} row{'s' if count != 1 else ''}{more}"
    return f"<p>{html.escape(title)}, {size}</p><table><tr>{head}</tr>{body}</table>"


def render_columns(columns: Mapping[str, Array], batch: int, title: str) -> str:
    """An HTML table of arrays that have `batch` leading dimensions in common."""
    count = next((value.size // int(np.prod(value.shape[batch:])) for value in columns.values()), 0)
    return render_html(list_records(columns, batch, _SHOWN_HTML), title, count)
