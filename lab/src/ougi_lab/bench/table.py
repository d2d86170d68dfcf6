"""Measurements as tables for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import TypeAlias

from ougi.cli.tables import Table
from ougi_lab.bench.measurement import Measurement

# How a cell is made of a measurement: by a function, or by a template such as "{hits:.0%}".
Cell: TypeAlias = str | Callable[[Measurement], str]


def build_table(
    title: str,
    measurements: Sequence[Measurement],
    *,
    columns: str = "",
    across: str | None = None,
    cell: Cell | None = None,
    notes: Sequence[str] = (),
    versions: Mapping[str, str | None] | None = None,
    load: float | None = None,
) -> Table:
    """Lay out measurements whose cases have the same keys: a line for each case and method.

    `columns`, such as "hits {hits:.0%} | ms {value:.2f}", follow those of the case; of a line with several
    measurements the first fills them. `across` is a key of the case, or `method`: each of its values has a
    column of its own, which shows `cell`, or the value, its ratio and the number of wrong results. Added to
    the notes are the `versions` of libraries, the `load` average before the run, what is missing and the
    number of targets met.
    """
    lines: dict[tuple[str, ...], list[Measurement]] = {}
    named = across != "method" and len({each.method for each in measurements}) > 1
    keys = [key for key in (measurements[0].case if measurements else ()) if key != across]
    for k, each in enumerate(measurements):
        key = (*(_format_key(each.case[key]) for key in keys), *([each.method] if named else []))
        lines.setdefault(key if across else (*key, str(k)), []).append(each)
    heads = list(dict.fromkeys(each[across] for each in measurements)) if across else []
    added = [tuple(column.strip().split(" {")) for column in columns.split("|") if column]
    judged = any(each.target for each in measurements)
    rows = []
    for key, line in lines.items():
        by_head = {each[across]: each for each in line} if across else {}
        cells = [fill_cell(by_head[head], cell or format_value) if head in by_head else "-" for head in heads]
        own = [fill_cell(line[0], f"{{{template}") for _, template in added]
        targets = [" ".join(filter(None, map(format_target, line)))] if judged else []
        rows.append((*(key if across else key[:-1]), *own, *cells, *targets))
    right = [isinstance(measurements[0].case[key], int | float) for key in keys]
    headings = [f"{'>' * is_number}{key}" for key, is_number in zip(keys, right, strict=True)]
    headings += ["method"] * named + [f">{heading}" for heading, _ in added]
    headings += [f">{_format_key(head)}" for head in heads] + ["target"] * judged
    return Table(title, tuple(headings), rows, (*notes, *_list_notes(measurements, versions, load)))


def _list_notes(
    measurements: Sequence[Measurement], versions: Mapping[str, str | None] | None, load: float | None
) -> list[str]:
    missing = sorted({f"{each.method}: {each.missing}" for each in measurements if each.missing})
    installed = ", ".join(f"{name} {version}" for name, version in (versions or {}).items() if version)
    met = [each.target.met for each in measurements if each.target]
    return [
        *missing,
        *([f"Measured with {installed}."] if installed else []),
        *([f"Load average of the machine before the run: {load:.1f}."] if load is not None else []),
        *([f"{sum(met)} of {len(met)} targets met."] if met else []),
    ]


def fill_cell(measurement: Measurement, cell: Cell) -> str:
    """The text of a cell; `-` if one of its numbers is unknown.

    >>> one = Measurement("radar", {"scene": "boxes"}, "exact", 0.04, facts={"answer": 1.5})
    >>> fill_cell(one, "{value:.2f} / {answer:g}"), fill_cell(one, "{error:.1e}")
    ('0.04 / 1.5', '-')
    """
    if not isinstance(cell, str):
        return cell(measurement)
    names = [name.partition("[")[0] for _, name, _, _ in Formatter().parse(cell) if name]
    return "-" if any(measurement[name] is None for name in names) else cell.format_map(measurement)


def format_value(measurement: Measurement) -> str:
    """The value, and in brackets its ratio and the number of wrong results, where they are known.

    >>> format_value(Measurement("broad", {"n": 9}, "coal", 12.345, ratio=4.0, wrong=2))
    '12.3 (4x, 2 wrong)'
    """
    if measurement.value is None:
        return "-"
    known = [] if measurement.ratio is None else [f"{format_number(measurement.ratio, 2)}x"]
    known += [] if measurement.wrong is None else [f"{measurement.wrong} wrong"]
    remarks = ", ".join(known)
    return format_number(measurement.value) + (f" ({remarks})" if remarks else "")


def format_number(number: float, digits: int = 3) -> str:
    """A number with a number of digits, but never with an exponent if it is large.

    >>> [format_number(number) for number in (0.012345, 99.95, 123456.0)]
    ['0.0123', '100', '123,456']
    """
    return f"{number:.{digits}g}" if number < 10 ** (digits - 1) else f"{number:,.0f}"


def format_target(measurement: Measurement) -> str:
    """The bound and whether it is met; nothing without one.

    >>> from ougi_lab.bench.measurement import require_max
    >>> format_target(Measurement("radar", {}, "exact", 3.0, target=require_max(2.0, 3.0)))
    '<= 2 ms MISSED'
    """
    target = measurement.target
    if target is None:
        return ""
    unit = {"value": f" {measurement.unit}".rstrip(), "ratio": "x"}.get(target.of, "")
    return f"{target.sense} {target.bound:.4g}{unit} {'met' if target.met else 'MISSED'}"


def _format_key(value: object) -> str:
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
    )
