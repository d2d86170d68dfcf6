"""The vocabulary of CONTRIBUTING: identifiers, comments, messages and pages use the words of the field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = sorted(
    [path for path in (ROOT / "src/ougi").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    + [path for path in (ROOT / "lab/src/ougi_lab").iterdir() if path.is_dir() and any(path.glob("*.py"))]
    + [ROOT / name for name in ("tests", "lab/tests", "examples", "docs")]
)

# Folders that still have words to avoid; each leaves this list when it is clean.
PENDING = {
    *(f"src/ougi/{name}" for name in (
        "broad", "checks", "cuda", "world",
    )),
    "tests",
}  # fmt: skip


def _read_words(heading: str) -> set[str]:
    """The words of the first column of the table below a heading of CONTRIBUTING."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = text.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")][2:]
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
        if name not in FOREIGN
        and set(split_name(name)) & (EVERYWHERE if name.startswith("test_") else IN_NAMES)
    ]


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
    if str(folder.relative_to(ROOT)) in PENDING:
        pytest.skip("still to be renamed")
    files = [path for path in sorted(folder.rglob("*.py")) if path != Path(__file__)]
    wrong = [line for path in files for line in find_in_names(path) + find_in_prose(path)]
    wrong += [line for path in sorted(folder.rglob("*.md")) for line in find_in_prose(path)]
    assert not wrong, "\n".join(wrong)


def test_modules_beside_packages_use_the_words_of_the_field() -> None:
    files = [*(ROOT / "src/ougi").glob("*.py"), *(ROOT / "lab/src/ougi_lab").glob("*.py")]
    files = [path for path in sorted(files) if str(path.relative_to(ROOT)) not in PENDING]
    wrong = [line for path in files for line in find_in_names(path) + find_in_prose(path)]
    assert not wrong, "\n".join(wrong)


def test_words_of_an_identifier_are_split() -> None:
    assert split_name("FirstContacts") == ["first", "contacts"]
    assert split_name("_max_AABB_count2d") == ["max", "aabb", "count", "d"]
    assert {"told", "asked"} <= EVERYWHERE < IN_NAMES
