"""The package as a whole: what importing it costs, its public names, its files."""

from __future__ import annotations

import ast
import graphlib
import importlib
import importlib.metadata
import os
import pickle
import re
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import ougi
import ougi_lab
from ougi.scene import Problem

ROOT = Path(__file__).parent.parent
PACKAGES = ["adapters", "broad", "corridor", "cuda", "games", "plot", "radar", "scene"]
PUBLIC = [name for name in dir(ougi) if not name.startswith("_") and name not in PACKAGES]
HEAVY = ("numba", "matplotlib", "trimesh", "scipy", "rich", "cyclopts", "msgspec")


def modules_loaded_by(code: str) -> set[str]:
    """The top-level modules that a Python process of its own has loaded after running `code`."""
    program = textwrap.dedent(code) + "\nimport sys\nsys.stdout.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_ougi_loads_nothing_heavy() -> None:
    loaded = modules_loaded_by("import ougi")
    assert "ougi" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_building_indexing_and_pickling_does_not_load_numba() -> None:
    loaded = modules_loaded_by(
        """
        import copy, pickle
        import numpy as np
        import ougi

        spots, flat = np.zeros((3, 3)), np.zeros((3, 2))
        made = [
            ougi.Circle(flat, 1), ougi.Rectangle(flat, [1, 2], 0.5), ougi.Capsule2d(flat, [1, 0], 1),
            ougi.Segment2d(flat, [1, 0]), ougi.Triangle2d(flat, [1, 0], [0, 1]), ougi.Aabb2d(flat, [1, 1]),
            ougi.Sphere(spots, 1), ougi.Box(spots, [1, 2, 3]), ougi.Capsule3d(spots, [1, 0, 0], 1),
            ougi.Segment3d(spots, [1, 0, 0]), ougi.Triangle3d(spots, [1, 0, 0], [0, 1, 0]),
            ougi.Aabb3d(spots, [1, 1, 1]), ougi.Sector2d(flat, [1, 0], 1, 1, 2),
            ougi.Sector3d(spots, [0, 0, 1], [1, 0, 0], 1, 1, 2, 1),
            ougi.Translation2d(flat), ougi.Translation3d(spots), ougi.Rotation2d(flat, 1),
            ougi.Displacement2d(flat, 0, [1, 0]),
            ougi.Rotation3d(spots, [0, 0, 1], 1), ougi.Screw3d(spots, [0, 0, 1], 1, 1),
            ougi.Chain(ougi.Rotation2d(flat, 1), ougi.Translation2d([1, 0])),
            ougi.Pose(flat), ougi.Pose(spots),
        ]
        for batch in made:
            again = pickle.loads(pickle.dumps(batch[1:][:, None]))
            assert copy.deepcopy(again).shape == (2, 1)
            assert ougi.concatenate([batch, batch]).shape == (6,)
            repr(batch[0])
            if batch.layouts:
                batch.columns()
            if hasattr(batch, "bounds"):
                batch.bounds(), batch.bounding_sphere()
                batch.transformed(ougi.Pose(np.zeros(batch.dimension)))
        mesh = ougi.Mesh(np.eye(3), [[0, 1, 2]])
        assert pickle.loads(pickle.dumps(mesh)) == mesh
        ougi.between(ougi.Pose(spots), ougi.Pose(spots + 1)).at(0.5).apply([1, 2, 3])
        """
    )
    assert "numba" not in loaded
    assert "llvmlite" not in loaded


def test_the_table_of_names_is_that_of_the_imports_for_type_checkers() -> None:
    (block,) = [
        node
        for node in ast.parse(Path(ougi.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If)
    ]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    assert len(imports) == len(block.body)
    assert all(alias.name == alias.asname for node in imports for alias in node.names)
    typed = {alias.name: node.module for node in imports for alias in node.names}
    packages = {name for name, module in typed.items() if module == "ougi"}
    table = {name: module for name, module in typed.items() if module != "ougi"}
    assert table == ougi._MODULES  # type: ignore[attr-defined]
    assert sorted(packages) == PACKAGES == list(ougi._PACKAGES)  # type: ignore[attr-defined]
    assert sorted(table) == PUBLIC == ougi.__all__  # type: ignore[attr-defined]


def test_public_names_are_listed() -> None:
    assert {"Sphere", "Box", "Rotation3d", "between", "intersects", "time_of_impact"} <= set(PUBLIC)
    assert dir(ougi) == sorted(set(dir(ougi)))
    assert "__version__" in dir(ougi)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_a_documented_thing_with_an_example(name: str) -> None:
    thing = getattr(ougi, name)
    assert thing.__name__ == name
    assert thing.__module__.startswith("ougi.")
    assert ">>>" in thing.__doc__
    # Not the docstring of a base class.
    assert isinstance(thing, type) is False or thing.__dict__.get("__doc__")


@pytest.mark.parametrize("package", ["broad", "corridor", "games", "plot", "radar", "scene"])
def test_every_public_name_of_a_package_has_an_example(package: str) -> None:
    module = importlib.import_module(f"ougi.{package}")
    things = {name: getattr(module, name) for name in module.__all__}
    own = {name: thing for name, thing in things.items() if callable(thing) and hasattr(thing, "__module__")}
    assert len(own) >= 3
    assert [name for name, thing in own.items() if ">>>" not in (thing.__doc__ or "")] == []


@pytest.mark.parametrize("name", ["Spher", "numba", "np", "_nothing", "__wrapped__"])
def test_unknown_names_raise_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"'ougi' has no attribute '{name}'"):
        getattr(ougi, name)


def test_from_import_of_an_unknown_name_raises_import_error() -> None:
    with pytest.raises(ImportError, match="Spher"):
        exec("from ougi import Spher")


def test_the_version_is_that_of_the_installed_package() -> None:
    assert ougi.__version__ == importlib.metadata.version("ougi")


def test_tests_and_examples_run_outside_of_the_repository() -> None:
    """Files that an example writes do not stay among the sources."""
    assert not Path.cwd().is_relative_to(ROOT)


def test_every_file_names_one_version() -> None:
    version = re.escape(ougi.__version__)
    for name, pattern in {
        "pyproject.toml": rf'^version = "{version}"$',
        "lab/pyproject.toml": rf'^version = "{version}"$.*"ougi\[[\w,]+\]=={version}"',
        "CITATION.cff": rf"^version: {version}$",
        "CHANGELOG.md": rf"\A# Changelog\n[^#]*## \[{version}\] - ",
    }.items():
        assert re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL), name


# --- files ----------------------------------------------------------------------------------------------

# In pieces, so that this file may be searched too.
HOMES = re.compile(rb"/(?:home|Users|root)" + rb"/\w|[A-Za-z]:\\" + rb"Users\\", re.IGNORECASE)
UNFINISHED = re.compile(rb"\b(?:TO" + rb"DO|FIX" + rb"ME|XX" + rb"X|HA" + rb"CK|WI" + rb"P)s?\b")


def tracked_files() -> list[Path]:
    if not (ROOT / ".git").exists():
        return []
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / name for name in listed.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def lines_with(pattern: re.Pattern[bytes]) -> list[str]:
    files = tracked_files()
    if not files:
        pytest.skip("not a git checkout")
    found = []
    for path in files:
        content = path.read_bytes()
        if b"\0" in content:
            continue  # a picture or a mesh: chance spells anything there
        for number, line in enumerate(content.splitlines(), start=1):
            if pattern.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line[:120]!r}")
    return found


def test_the_patterns_find_what_they_look_for() -> None:
    assert HOMES.search(b"see /ho" + b"me/ann/data")
    assert HOMES.search(b"C:\\Us" + b"ers\\ann")
    assert UNFINISHED.search(b"# TO" + b"DO: later")
    assert not HOMES.search(b"the root/home page")


def test_no_file_mentions_somebodys_home_directory() -> None:
    assert lines_with(HOMES) == []


def test_no_file_is_marked_as_unfinished() -> None:
    assert lines_with(UNFINISHED) == []


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_need_no_import_of_their_own(name: str) -> None:
    if name == "cuda":
        pytest.importorskip("numba_cuda")
    program = f"""
        import ougi, sys
        assert "ougi.{name}" not in sys.modules and "{name}" in dir(ougi)
        print(ougi.{name}.__name__)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"ougi.{name}\n"


def list_named_extras() -> set[tuple[str, str]]:
    """The distributions and extras of all MissingExtraErrors that are made from literals."""
    found = set()
    for path in [*(ROOT / "src/ougi").rglob("*.py"), *(ROOT / "lab/src/ougi_lab").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtraError":
                extra, _, *others = (getattr(argument, "value", None) for argument in node.args)
                if isinstance(extra, str):
                    found.add((str(others[0]) if others else "ougi", extra))
    return found


def test_errors_name_extras_that_exist() -> None:
    named = list_named_extras()
    assert len(named) > 10
    for distribution, folder in (("ougi", ROOT), ("ougi-lab", ROOT / "lab")):
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert {extra for name, extra in named if name == distribution} <= set(
            project["optional-dependencies"]
        )


with pytest.raises(ougi.corridor.WallError) as caught:
    ougi.Corridor([[0, 0], [2, 2], [2, 0], [0, 2]])
WALL_ERROR = caught.value


@pytest.mark.parametrize(
    "error",
    [
        ougi.MissingExtraError("plot", "drawing"),
        ougi.SceneError([Problem("a.toml", 3, "no name"), Problem("a.toml", 9, "no shape")]),
        ougi.UnsupportedPairError("no"),
        WALL_ERROR,
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_come_back_from_other_processes_as_they_were(error: Exception) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


def packages() -> list[Path]:
    """All packages of both distributions, but for `ougi`, whose names are lazy, and PyInstaller's hook."""
    roots = [Path(package.__file__ or "").parent for package in (ougi, ougi_lab)]
    found = [path.parent for root in roots for path in sorted(root.rglob("__init__.py"))]
    return [path for path in found if path not in roots and path.name != "__pyinstaller"]


@pytest.mark.parametrize("package", packages(), ids=lambda path: path.name)
def test_packages_list_names_and_define_nothing(package: Path) -> None:
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    allowed = ast.Import | ast.ImportFrom | ast.Expr  # the docstring
    others = [node for node in tree.body if not isinstance(node, allowed)]
    names = [node.targets[0] for node in others if isinstance(node, ast.Assign)]
    assert [getattr(name, "id", "") for name in names] in ([], ["__all__"])
    assert len(others) == len(names)


# The verification of two cylinders checks this function, which is no query of its own.
PRIVATE_IMPORTS = ["ougi_lab.verify.cylinder: ougi.impact.advancement._measure_gaps"]


def list_private_imports(path: Path) -> list[str]:
    """Names with an underscore, or of modules with one, that a file imports from another package."""
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).partition("src.")[2]
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in ("ougi", "ougi_lab"):
            names = [f"{node.module}.{alias.name}".split(".") for alias in node.names]
            # `ougi._check` and others are private to the whole project.
            found += [name for name in names if any(part.startswith("_") for part in name[2:])]
    return [f"{module}: {'.'.join(name)}" for name in found if name[:2] != module.split(".")[:2]]


def test_underscores_mean_this_package_only() -> None:
    files = sorted([*(ROOT / "src/ougi").rglob("*.py"), *(ROOT / "lab/src/ougi_lab").rglob("*.py")])
    assert len(files) > 300
    found = [each for path in files for each in list_private_imports(path)]
    assert [each for each in found if "._native." not in each] == PRIVATE_IMPORTS


def list_imports(path: Path, modules: set[str]) -> tuple[set[str], set[str]]:
    """The modules of the library that a file imports when it is loaded, and those within its functions."""
    loaded: set[str] = set()
    later: set[str] = set()

    def visit(node: ast.AST, found: set[str]) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (names & modules) | ({str(node.module)} & modules if names - modules else set())
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & modules
        for child in ast.iter_child_nodes(node):
            visit(child, later if isinstance(node, ast.FunctionDef) else found)

    visit(ast.parse(path.read_text(encoding="utf-8")), loaded)
    return loaded, later


# Imports within functions that close a circle. No new ones: what two modules share belongs below both.
CIRCLES = [
    "ougi._native.compiler: ougi._native.jit",  # Numba is loaded when something is compiled
    "ougi._native.lanes: ougi._native.wide",
    "ougi._native.library: ougi._native.compiler",
    "ougi.cli.entry: ougi.cli.app",  # it works without what the other needs
    "ougi.cuda.batches: ougi.cuda.corridor",  # `put` makes what has queries of its own
    "ougi.cuda.batches: ougi.cuda.radar",
    "ougi.motion.steady: ougi.motion.chain",  # base classes that return their subclasses
    "ougi.query.dispatch: ougi.query.compounds",  # compounds and meshes query their parts
    "ougi.query.dispatch: ougi.query.meshes",
    "ougi.scene.load: ougi.scene.scene_file",  # readers read what files name
    "ougi.scene.load: ougi.scene.urdf",
    "ougi.shapes._shape: ougi.shapes.aabb",
    "ougi.shapes._shape: ougi.shapes.circle",
    "ougi.shapes._shape: ougi.shapes.sphere",
]


def test_modules_do_not_import_each_other() -> None:
    root = ROOT / "src"
    names = {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((root / "ougi").rglob("*.py"))
    }
    imports = {name: list_imports(path, set(names)) for name, path in names.items()}
    graph = {name: loaded - {name} for name, (loaded, _) in imports.items()}
    tuple(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError
    whole = {name: (loaded | later) - {name} for name, (loaded, later) in imports.items()}

    def reaches(start: str, end: str) -> bool:
        seen, left = set(), [start]
        while left:
            name = left.pop()
            if name not in seen:
                seen.add(name)
                left += whole[name]
        return end in seen

    found = [
        f"{name}: {other}"
        for name, (loaded, later) in imports.items()
        for other in sorted(later - loaded)
        if other != name and reaches(other, name)
    ]
    assert found == CIRCLES


def test_types_are_named() -> None:
    """`Any` is a type only where nothing better is known."""
    files = sorted((ROOT / "src/ougi").rglob("*.py"))
    uses = {path: len(re.findall(r"\bAny\b", path.read_text())) for path in files}
    assert sum(uses.values()) <= 200, {str(path): n for path, n in uses.items() if n}
