"""Write the generated pages of the docs site: the pair matrix and the API reference.

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


def render_api() -> str:
    """Return the page with every public name, by package. mkdocstrings fills in the docstrings."""
    import ougi

    modules: dict[str, str] = vars(ougi)["_MODULES"]
    by_package: dict[str, list[str]] = {title: [] for title in (*_TITLES.values(), _REST)}
    for name, module in modules.items():
        package = module.split(".")[1]
        title = _TITLES.get(package, package.strip("_").capitalize() if _has_folder(package) else _REST)
        by_package.setdefault(title, []).append(name)
    parts = [
        "# API reference\n\nMost public names are names of `ougi`; the names of a few modules come last.\n"
    ]
    for title, names in by_package.items():
        if names:
            parts.append(f"## {title}\n\n" + "\n".join(f"::: ougi.{name}\n" for name in names))
    for title, own in _MODULES.items():
        parts.append(f"## {title}\n\n" + "\n".join(f"::: {module}\n" for module in own))
    return "\n".join(parts)


def _has_folder(package: str) -> bool:
    return not package.startswith("_") and (ROOT / "src" / "ougi" / package).is_dir()


def render_matrix() -> str:
    """Return the pair matrix with the evidence for each cell, as `ougi pairs` prints it."""
    found = pairs.rows()
    parts = [
        "# Pair matrix\n\nWhich queries each pair of shapes supports. `all`: intersects, distance, "
        "closest_points and contacts. `near`: all of these except contacts. `gap`: intersects and distance. "
        "`hit`: intersects. `toi`: time_of_impact, where one or both shapes move (sectors only if they are "
        "cylinders). The number counts the cases that `ougi verify` checked with these kernels without a "
        "disagreement. `old` means that the kernels have changed since.\n"
    ]
    for dimension, word in ((2, "the plane"), (3, "space")):
        parts.append(_render_table(f"Queries in {word}", pairs.pair_cells(found, dimension)))
        parts.append(_render_table(f"First contacts in {word}", pairs.impact_cells(found, dimension)))
    return "\n".join(parts)


def _render_table(title: str, cells: pairs.Cells) -> str:
    head, *rest = pairs.matrix("", cells)
    lines = [head, ["---"] * len(head), *([f"**{name}**", *row] for name, *row in rest)]
    return f"## {title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    """Write both pages."""
    for name, text in (("pairs.md", render_matrix()), ("api.md", render_api())):
        path = ROOT / "docs" / name
        path.write_text(f"<!-- Made by `make docs`. -->\n\n{text}", encoding="utf-8")
        sys.stderr.write(f"wrote {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
