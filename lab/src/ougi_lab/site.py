"""Pages of the docs site that the package writes about itself: the pair matrix and the API reference.

python -m ougi_lab.site      # writes docs/pairs.md and docs/api.md, before `make docs` builds the site
"""

from __future__ import annotations

import sys
from pathlib import Path

from ougi.cli import pairs

ROOT = Path(__file__).parents[3]

_TITLES = {
    "shapes": "Shapes",
    "motion": "Motions and poses",
    "query": "Queries on two shapes",
    "impact": "First contacts",
    "sweeps": "Sweeps",
    "broad": "Many bodies at one moment",
    "world": "Worlds",
    "scene": "Scenes",
    "checks": "Checks",
}
_REST = "Everything else"
# Modules with public names of their own, which `import ougi` does not load.
_MODULES = {
    "Meshes through depth images": (
        "ougi.radar",
        "ougi.radar.collide.collide",
    ),  # hidden by its module's name
    "On a GPU": ("ougi.cuda",),
    "Game libraries": ("ougi.adapters.pygame", "ougi.adapters.arcade", "ougi.adapters.pymunk"),
}


def api() -> str:
    """The page with every public name, by the package it comes from; mkdocstrings fills in the docstrings."""
    import ougi

    modules: dict[str, str] = vars(ougi)["_MODULES"]
    by_package: dict[str, list[str]] = {title: [] for title in (*_TITLES.values(), _REST)}
    for name, module in modules.items():
        package = module.split(".")[1]
        title = _TITLES.get(package, package.strip("_").capitalize() if _has_folder(package) else _REST)
        by_package.setdefault(title, []).append(name)
    parts = ["# API reference\n\nMost public names are names of `ougi`; those of some modules come last.\n"]
    for title, names in by_package.items():
        if names:
            parts.append(f"## {title}\n\n" + "\n".join(f"::: ougi.{name}\n" for name in names))
    for title, own in _MODULES.items():
        parts.append(f"## {title}\n\n" + "\n".join(f"::: {module}\n" for module in own))
    return "\n".join(parts)


def _has_folder(package: str) -> bool:
    return not package.startswith("_") and (ROOT / "src" / "ougi" / package).is_dir()


def matrix() -> str:
    """The pair matrix with the evidence behind each cell, as `ougi pairs` prints it."""
    found = pairs.rows()
    parts = [
        "# Pair matrix\n\nWhich questions are answered for which pairs. `all`: intersects, distance, "
        "closest_points, contacts; `near`: all but contacts; `gap`: intersects and distance; `hit`: "
        "intersects; `toi`: time_of_impact, either of the two moving, or both (of sectors: whole cylinders "
        "alone). Behind it: cases that `ougi verify` has proved for these very kernels, without a "
        "disagreement; `old` if the kernels have changed since.\n"
    ]
    for dimension, word in ((2, "the plane"), (3, "space")):
        parts.append(_table(f"Questions in {word}", pairs.pair_cells(found, dimension)))
        parts.append(_table(f"First contacts in {word}", pairs.impact_cells(found, dimension)))
    return "\n".join(parts)


def _table(title: str, cells: pairs.Cells) -> str:
    head, *rest = pairs.matrix("", cells)
    lines = [head, ["---"] * len(head), *([f"**{name}**", *row] for name, *row in rest)]
    return f"## {title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    """Write both pages."""
    for name, text in (("pairs.md", matrix()), ("api.md", api())):
        path = ROOT / "docs" / name
        path.write_text(f"<!-- Made by `make docs`. -->\n\n{text}", encoding="utf-8")
        sys.stderr.write(f"wrote {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
