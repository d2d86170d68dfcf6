"""The vocabulary of CONTRIBUTING: identifiers, comments, messages and pages use the words of the field."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

import ougi

ROOT = Path(__file__).parents[1]
FOLDERS = sorted(
    [path for path in (ROOT / "src/ougi").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    + [path for path in (ROOT / "lab/src/ougi_lab").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    + [ROOT / name for name in ("tests", "lab/tests", "examples", "docs")]
)


def _read_words(heading: str, column: int = 1) -> set[str]:
    """The words of a column of the table below a heading of CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    cells = [line.split("|")[column] for line in table.splitlines() if line.startswith("|")][2:]
    return {word.strip(" `") for cell in cells for word in cell.split(",")}


EVERYWHERE = _read_words("Avoid everywhere")
IN_NAMES = EVERYWHERE | _read_words("Avoid in names")
# Names of other libraries (viser's cameras) and of papers (RADAR's look-at distance).
FOREIGN = {"look_at"}


def _find_names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a file defines, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, node.lineno
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname, 0


def split_name(name: str) -> list[str]:
    """The words of an identifier."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def find_in_names(path: Path) -> list[str]:
    """Words to avoid in the name of a module and in the names that it defines."""
    names = [(path.stem, 0), *_find_names(ast.parse(path.read_text()))]
    return [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for name, line in names
        # The name of a test is a sentence.
        if name not in FOREIGN and has_word(name, EVERYWHERE if name.startswith("test_") else IN_NAMES)
    ]


def has_word(name: str, words: set[str]) -> bool:
    """Does an identifier have one of the words, or one of the phrases, which have underscores?"""
    joined = f"_{'_'.join(split_name(name))}_"
    return any(f"_{word.replace(' ', '_')}_" in joined for word in words)


def find_in_prose(path: Path) -> list[str]:
    """Words to avoid in the text of a file: comments, docstrings, messages, pages."""
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(EVERYWHERE)))})\b", re.IGNORECASE)
    return [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}"
        for number, line in enumerate(path.read_text().splitlines(), 1)
        for match in pattern.finditer(line)
    ]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_folder_uses_the_words_of_the_field(folder: Path) -> None:
    files = [path for path in sorted(folder.rglob("*.py")) if path != Path(__file__)]
    wrong = [line for path in files for line in find_in_names(path) + find_in_prose(path)]
    wrong += [line for path in sorted(folder.rglob("*.md")) for line in find_in_prose(path)]
    assert not wrong, "\n".join(wrong)


def test_files_beside_packages_use_the_words_of_the_field() -> None:
    folders = (ROOT, ROOT / "src/ougi", ROOT / "lab/src/ougi_lab")
    files = [path for folder in folders for path in folder.glob("*.py")]
    wrong = [line for path in sorted(files) for line in find_in_names(path) + find_in_prose(path)]
    # CONTRIBUTING has the lists of words themselves.
    for name in ("README.md", "CHANGELOG.md", "CITATION.cff", "Makefile", "mkdocs.yml", ".ci/run"):
        wrong += find_in_prose(ROOT / name)
    for path in sorted((ROOT / "src/ougi/_native").glob("*.[ch]")):
        wrong += find_in_prose(path)
    assert not wrong, "\n".join(wrong)


def test_words_of_an_identifier_are_split() -> None:
    assert split_name("FirstContacts") == ["first", "contacts"]
    assert split_name("_max_AABB_count2d") == ["max", "aabb", "count", "d"]
    assert {"told", "asked"} <= EVERYWHERE < IN_NAMES
    assert has_word("_isSeenFrom_a", IN_NAMES)
    assert has_word("left_out", EVERYWHERE)
    assert not has_word("_seen_at_from", IN_NAMES)


def test_words_to_avoid_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One violation of each sort, so that the tests of the folders can fail."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    path = tmp_path / "lent.py"
    path.write_text(
        "class Roster:\n"
        "    told = 1\n\n\n"
        "def found(ways: int) -> int:\n"
        '    """For certain."""\n'
        "    for room in range(ways):\n"
        "        pass  # nobody\n"
        '    raise ValueError("motion was asked")\n'
    )
    names = sorted(line.rpartition(" ")[2] for line in find_in_names(path))
    assert names == ["Roster", "lent", "room", "told", "ways"]
    found = [line.partition(":")[2] for line in find_in_prose(path)]
    assert found == ["1: Roster", "2: told", "6: For certain", "8: nobody", "9: asked"]


PACKAGES = ["broad", "corridor", "games", "plot", "radar", "scene"]
# Public modules that need a library or a GPU to be imported. Their text is read instead.
WRITTEN = [*sorted((ROOT / "src/ougi/adapters").glob("*.py")), ROOT / "src/ougi/radar/gl.py"]
WRITTEN += sorted((ROOT / "src/ougi/cuda").glob("*.py"))
MADE_BY_PUT = {"DeviceBatch", "DeviceResult", "DeviceCorridor", "DeviceMeshes", "DeviceVolume"}
PARAMETERS = _read_words("Parameters of public functions", 2)


GPU_NAMES = {
    alias.name
    for node in ast.parse((ROOT / "src/ougi/cuda/__init__.py").read_text()).body
    if isinstance(node, ast.ImportFrom) and node.level == 0
    for alias in node.names
}


def find_public() -> dict[str, object]:
    """Every public class and function of packages that can be imported anywhere, with its path."""
    modules = [ougi, *(importlib.import_module(f"ougi.{name}") for name in PACKAGES)]
    names = {module: getattr(module, "__all__", dir(module)) for module in modules}
    return {
        f"{module.__name__}.{name}": getattr(module, name)
        for module, own in names.items()
        for name in own
        if not name.startswith("_") and callable(getattr(module, name))
    }


def list_functions(thing: object) -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions of a class or function that users call.

    Results are made by the library, so the fields of dataclasses are no parameters.
    """
    members = {**vars(thing), "__init__": thing.__init__} if inspect.isclass(thing) else {"": thing}
    for name, member in members.items():
        function = getattr(member, "__func__", member)
        is_constructor = (
            name == "__init__" and not dataclasses.is_dataclass(thing) and thing is not ougi.Status
        )
        if inspect.isfunction(function) and (is_constructor or not name.startswith("_")):
            yield name, function


def list_parameters(thing: object) -> Iterator[tuple[str, str]]:
    """The functions of a class or function that users call, with each of their parameters."""
    for name, function in list_functions(thing):
        yield from ((name, parameter) for parameter in inspect.signature(function).parameters)


def list_written_parameters(path: Path) -> Iterator[tuple[str, str]]:
    """The public functions and methods of the public classes of a file, with each of their parameters."""
    tree = ast.parse(path.read_text())
    public = GPU_NAMES if path.parent.name == "cuda" else {"GlRadars"} if path.name == "gl.py" else None
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
            continue
        if public is not None and node.name not in public:
            continue
        members = [node] if isinstance(node, ast.FunctionDef) else node.body
        for member in members:
            if isinstance(member, ast.FunctionDef) and (
                (member.name == "__init__" and node.name not in MADE_BY_PUT)
                or not member.name.startswith("_")
            ):
                arguments = member.args
                given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                given += [each for each in (arguments.vararg, arguments.kwarg) if each]
                yield from (
                    (f"{node.name}.{member.name}", each.arg) for each in given if not each.arg.startswith("_")
                )


def test_parameters_of_public_functions_come_from_one_list() -> None:
    found = {
        parameter: f"{path}.{name}".rstrip(".")
        for path, thing in find_public().items()
        for name, parameter in list_parameters(thing)
        if parameter not in ("self", "cls")
    }
    found |= {
        parameter: f"{path.relative_to(ROOT)}: {name}"
        for path in WRITTEN
        for name, parameter in list_written_parameters(path)
        if parameter not in ("self", "cls")
    }
    wrong = [f"{path}: {parameter}" for parameter, path in found.items() if parameter not in PARAMETERS]
    assert not wrong, "\n".join(wrong)
    assert sorted(PARAMETERS - set(found)) == []


def test_parameters_of_public_functions_have_types() -> None:
    """`Foreign` is an object of another library, and `Index` one of NumPy."""
    found = [
        f"{path}.{name}: {parameter.name}"
        for path, thing in find_public().items()
        for name, function in list_functions(thing)
        for parameter in inspect.signature(function).parameters.values()
        if {"Any", "DynamicBatch"} & set(re.findall(r"\w+", str(parameter.annotation)))
    ]
    assert found == []
    assert sum(len([*list_functions(thing)]) for thing in find_public().values()) > 200


# A shape or motion shares its name with the record of kernels and the entry of scene files. Adapters give
# the same names to the same things of each game library; a gallery is an entry point by name.
NAMED_ALIKE = re.compile(r"/records\.py|/scene/schema\.py|/adapters/|/galleries/")


def test_names_of_classes_are_unique() -> None:
    found = defaultdict(list)
    for root in (ROOT / "src/ougi", ROOT / "lab/src/ougi_lab"):
        for path in sorted(root.rglob("*.py")):
            nodes: Iterable[ast.AST] = (
                [] if NAMED_ALIKE.search(str(path)) else ast.walk(ast.parse(path.read_text()))
            )
            for node in nodes:
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert len(found) > 400
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_names_of_public_classes_and_functions_are_unique() -> None:
    things = defaultdict(set)
    for path, thing in find_public().items():
        things[path.rpartition(".")[2]].add(thing)
    assert len(things) > 80
    assert not [name for name, own in things.items() if len(own) > 1]
