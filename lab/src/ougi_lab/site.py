"""Write the generated pages of the docs site: the pair matrix and the API reference.

python -m ougi_lab.site      # writes docs/pairs.md and docs/api.md, before `make docs` builds the site
"""

from __future__ import annotations

import importlib
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
    "robot": "Robots",
    "scene": "Scenes",
    "checks": "Checks",
}
_REST = "Everything else"
# Tables of sixteen columns fit into the page.
_STYLE = """<style>
.md-typeset table:not([class]) { font-size: 0.54rem; }
.md-typeset table:not([class]) th, .md-typeset table:not([class]) td {
  padding: 0.4em; white-space: nowrap;
}
</style>"""
# Packages with public names that are not names of `ougi`.
_PACKAGES = {
    "broad": "`ougi.broad`",
    "corridor": "`ougi.corridor`",
    "scene": "`ougi.scene`",
    "games": "`ougi.games`: swings, projectiles and hit boxes",
    "radar": "`ougi.radar`: depth images",
    "cuda": "`ougi.cuda`: on a GPU",
    "plot": "`ougi.plot`: pictures",
}
# Modules without a list of names.
_MODULES = {
    "`ougi.radar.gl`: depth images by OpenGL": ("ougi.radar.gl",),
    "`ougi.adapters`: game libraries": (
        "ougi.adapters.pygame",
        "ougi.adapters.arcade",
        "ougi.adapters.pymunk",
        "ougi.adapters.tiled",
    ),
    "`ougi.adapters.ompl`: planners of robots": ("ougi.adapters.ompl",),
}


def render_api() -> str:
    """Return the page with every public name, by package. mkdocstrings fills in the docstrings."""
    import ougi

    modules: dict[str, str] = vars(ougi)["_MODULES"]
    by_package: dict[str, list[str]] = {title: [] for title in (*_TITLES.values(), _REST)}
    for name, module in modules.items():
        package = module.split(".")[1]
        title = _TITLES.get(package, package.strip("_").capitalize() if _has_folder(package) else _REST)
        by_package.setdefault(title, []).append(f"ougi.{name}")
    for package, title in _PACKAGES.items():
        by_package[title] = list_own_names(package)
    by_package |= {title: list(paths) for title, paths in _MODULES.items()}
    parts = ["# API reference\n\nNames of `ougi` come first, then the names of its packages.\n"]
    for title, paths in by_package.items():
        if paths:
            parts.append(f"## {title}\n\n" + "\n".join(f"::: {path}\n" for path in paths))
    return "\n".join(parts)


def list_own_names(package: str) -> list[str]:
    """Return the paths of the public classes and functions of a package that are not names of `ougi`.

    >>> "ougi.broad.count_tests" in list_own_names("broad")
    True
    """
    import ougi

    module = importlib.import_module(f"ougi.{package}")
    things = {name: getattr(module, name) for name in module.__all__}
    # Constants have no docstring; that of the package describes them.
    own = [
        name for name, thing in things.items() if callable(thing) and thing is not getattr(ougi, name, None)
    ]
    # A function hides the module of the same name, but not from mkdocstrings.
    hidden = {name for name in own if (Path(module.__path__[0]) / f"{name}.py").is_file()}
    return [f"ougi.{package}.{name}" + (f".{name}" if name in hidden else "") for name in own]


def _has_folder(package: str) -> bool:
    return not package.startswith("_") and (ROOT / "src" / "ougi" / package).is_dir()


def render_matrix() -> str:
    """Return the pair matrix with the evidence for each cell, as `ougi pairs` prints it."""
    found = pairs.list_rows()
    parts = [
        f"---\nhide:\n  - navigation\n  - toc\n---\n\n{_STYLE}\n\n"
        "# Pair matrix\n\nWhich queries each pair of shapes supports:\n\n"
        "| cell | meaning |\n|---|---|\n"
        "| `all` | `intersects`, `distance`, `closest_points` and `contacts` |\n"
        "| `near` | all of these except `contacts` |\n"
        "| `gap` | `intersects` and `distance` |\n"
        "| `hit` | `intersects`; of rays `raycast` |\n"
        "| `toi` | `time_of_impact`, where one or both shapes move (cases of `Sector3d` are cylinders) |\n"
        "| `-` | no kernel |\n"
        "| `1.1M` | the number of cases that were verified with these kernels, without a disagreement |\n"
        "| `old` | the kernels have changed since |\n"
        "| `unverified` | no committed run has checked it |\n"
    ]
    for dimension, word in ((2, "the plane"), (3, "space")):
        parts.append(_render_table(f"Queries in {word}", pairs.build_pair_cells(found, dimension)))
        parts.append(_render_table(f"First contacts in {word}", pairs.build_impact_cells(found, dimension)))
    return "\n".join(parts)


def _render_table(title: str, cells: pairs.Cells) -> str:
    head, *rest = pairs.build_matrix("", cells)
    lines = [head, ["---"] * len(head), *([f"**{name}**", *row] for name, *row in rest)]
    return f"## {title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> None:
    """Write both pages."""
    for name, text in (("pairs.md", render_matrix()), ("api.md", render_api())):
        path = ROOT / "docs" / name
        path.write_text(f"{text}\n<!-- Made by `make docs`. -->\n", encoding="utf-8")
        sys.stderr.write(f"wrote {path.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
