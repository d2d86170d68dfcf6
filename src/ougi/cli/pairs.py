"""The command `ougi pairs`: which queries are implemented for which pairs, and the evidence."""

from __future__ import annotations

import itertools
import json
import sys
from typing import TYPE_CHECKING, Literal, TypeAlias

from ougi.cli.evidence import find_evidence, load_evidence

if TYPE_CHECKING:  # it imports NumPy, which help does not need
    from ougi._typing import JsonObject

Cells: TypeAlias = dict[tuple[str, str], str]

# Subjects of `ougi verify` with queries of two shapes.
_QUERIES = ("narrow", "sector", "hull", "hull-others", "solid", "half-space")

QUESTIONS = ("intersects", "distance", "closest_points", "contacts")


def pairs(*, format: Literal["table", "json"] = "table") -> int:
    """Print which queries are implemented for which pairs, with the evidence behind each.

    A cell names the queries of a pair: `hit` is intersects, `gap` adds distance, `near` adds closest_points
    and `all` adds contacts. `toi`, in tables of its own, is time_of_impact with either body moving.

    The number after it counts the cases that `ougi verify` compared without a disagreement. `old` means that
    the sources have changed since. `unverified` means that there is no run.

    Parameters
    ----------
    format
        Print `table`s per dimension, or one list as `json`.
    """
    found = list_rows()
    if format == "json":
        sys.stdout.write(json.dumps(found, indent=1) + "\n")
        return 0
    for cells in (build_pair_cells, build_impact_cells):
        for dimension in (2, 3):
            _print_matrix(build_matrix(f"{dimension}-D", cells(found, dimension)))
    sys.stdout.write(
        "all = intersects, distance, closest_points, contacts; near = all but contacts; "
        "gap = intersects, distance; hit = intersects, or raycast of a ray\n"
        "toi = time_of_impact, either of the two moving, or both; of two half-spaces, by translations\n"
        "a Compound2d, a Compound3d or a Polygon2d has the queries of its parts\n"
        "behind it: cases checked by `ougi verify` without a disagreement; old = the sources changed since\n"
    )
    return 0


def list_rows() -> list[JsonObject]:
    """One row per pair, also of rays: classes, dimension, queries, evidence, that for time_of_impact."""
    from ougi.impact.tables import HULLS as MOVING_HULLS
    from ougi.impact.tables import LAYOUTS
    from ougi.query import tables
    from ougi.shapes import HalfSpace, Sector2d, Sector3d, Shape

    evidence = load_evidence()
    found: dict[tuple[str, str], JsonObject] = {}
    for row in tables.list_rows("intersects"):
        a, b = row.a.__name__, row.b.__name__
        name = f"{a}-{b}".lower()
        found[a, b] = {
            "a": a,
            "b": b,
            "dimension": row.a.dimension,
            "questions": ["intersects"],
            "evidence": find_evidence(evidence, _QUERIES, name),
        }
        if {row.a, row.b} <= {*LAYOUTS, *MOVING_HULLS, Sector2d} or issubclass(row.b, HalfSpace):
            found[a, b]["time_of_impact"] = _find_evidence_of_motion(evidence, name)
    for row in tables.list_rows("distance"):
        found[row.a.__name__, row.b.__name__]["questions"] = ["intersects", "distance"]
    for row in tables.list_rows("separation"):
        found[row.a.__name__, row.b.__name__]["questions"] = list(QUESTIONS)
    sectors: tuple[type[Shape], ...] = (Sector2d, Sector3d)
    for sector, cls in itertools.product(sectors, MOVING_HULLS):
        if sector.dimension == cls.dimension:
            a, b = sector.__name__, cls.__name__
            found[a, b] = {
                "a": a,
                "b": b,
                "dimension": cls.dimension,
                "questions": [],
                "evidence": {"state": "unverified"},
                "time_of_impact": _find_evidence_of_motion(evidence, f"{a}-{b}".lower()),
            }
    return [*found.values(), *_mesh_rows(evidence), *_ray_rows(evidence)]


def _find_evidence_of_motion(evidence: JsonObject, name: str) -> JsonObject:
    """That of first contacts. The runs about cylinders name them as sectors, of a whole turn."""
    subjects = (
        *("moving-sector", "ccd"),
        *("moving-hull", "moving-hull-others", "moving-solid", "moving-half-space"),
    )
    found = find_evidence(evidence, subjects, name)
    if found["state"] == "unverified" and "cylinder" in name:
        name = name.replace("cylinder", "sector3d")
        found = find_evidence(evidence, ("cylinder", "two-cylinders"), name)
    return found


def _mesh_rows(evidence: JsonObject) -> list[JsonObject]:
    """The rows of meshes, which are tested by their triangles; contacts have depths, so there are none.

    Half-spaces have a kernel, and so a row, of their own.
    """
    from ougi.query.dispatch import find_triangle_partners
    from ougi.shapes import HalfSpace, Mesh

    rows: list[JsonObject] = []
    for cls in (*find_triangle_partners("intersects"), Mesh):
        if issubclass(cls, HalfSpace):
            continue
        full, name = (
            cls is Mesh or cls in find_triangle_partners("separation"),
            f"mesh-{cls.__name__}".lower(),
        )
        rows.append(
            {
                "a": "Mesh",
                "b": cls.__name__,
                "dimension": 3,
                "questions": list(QUESTIONS[:3] if full else QUESTIONS[:1]),
                "evidence": find_evidence(evidence, ("mesh",), name),
            }
        )
        rows[-1]["time_of_impact"] = find_evidence(evidence, ("radar",), name)
    return rows


def _ray_rows(evidence: JsonObject) -> list[JsonObject]:
    """The rows of `raycast`."""
    from ougi.query.raycast import LAYOUTS
    from ougi.shapes import Mesh, Shape

    shapes: tuple[type[Shape], ...] = (*LAYOUTS, Mesh)
    return [
        {
            "a": "Ray",
            "b": cls.__name__,
            "dimension": cls.dimension,
            "questions": ["raycast"],
            "evidence": find_evidence(evidence, ("ray",), f"ray-{cls.__name__}".lower()),
        }
        for cls in shapes
    ]


def build_pair_cells(found: list[JsonObject], dimension: int) -> Cells:
    """Which queries are implemented for each pair of a dimension, and the evidence in short."""
    return {(row["a"], row["b"]): _format_cell(row) for row in found if row["dimension"] == dimension}


def build_impact_cells(found: list[JsonObject], dimension: int) -> Cells:
    """As `build_pair_cells`, for time_of_impact alone."""
    selected = [row for row in found if row["dimension"] == dimension and "time_of_impact" in row]
    return {(row["a"], row["b"]): _format_evidence("toi", row["time_of_impact"]) for row in selected}


def build_matrix(title: str, cells: Cells) -> list[list[str]]:
    """The lines of a symmetric matrix; the first has the title and the names of its columns.

    >>> from ougi.cli.pairs import build_matrix
    >>> build_matrix("2-D", {("Circle", "Circle"): "all", ("Circle", "Box"): "hit"})
    [['2-D', 'Circle', 'Box'], ['Circle', 'all', 'hit'], ['Box', 'hit', '-']]
    """
    names = list(dict.fromkeys(name for pair in cells for name in pair))
    rest = [[a, *(cells.get((a, b), cells.get((b, a), "-")) for b in names)] for a in names]
    return [[title, *names], *rest]


def _format_cell(row: JsonObject) -> str:
    if not row["questions"]:
        return "-"
    return _format_evidence(
        {1: "hit", 2: "gap", 3: "near"}.get(len(row["questions"]), "all"), row["evidence"]
    )


def _format_evidence(questions: str, evidence: JsonObject) -> str:
    if evidence["state"] not in ("proved", "old"):
        return f"{questions} {evidence['state']}"
    age = " old" if evidence["state"] == "old" else ""
    return f"{questions} {_shorten(evidence['cases'] + evidence['near'])}{age}"


def _shorten(n: int) -> str:
    """1100000 -> 1.1M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if n >= size:
            return f"{n / size:.3g}{unit}"
    return str(n)


def _print_matrix(lines: list[list[str]]) -> None:
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    for line in lines:
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write(text.rstrip() + "\n")
    sys.stdout.write("\n")
