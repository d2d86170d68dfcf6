"""Digests of the sources behind a pair: is a committed result about the kernels as they are now?

Sources are read, not imported: no Numba. Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import tokenize
from pathlib import Path

_PACKAGE = Path(__file__).parents[2]
_KERNELS = _PACKAGE / "kernels"
_PREFIX = "ougi.kernels."


def kernel_digest(kernel_name: str) -> str:
    """Digest of a kernel's file, of all it imports from `ougi.kernels`, and of the functions that feed it.

    >>> from ougi.lab.verify.digest import kernel_digest
    >>> len(kernel_digest("sphere_sphere"))
    16
    """
    digest = hashlib.sha256()
    for name in sorted(_imported(kernel_name)):
        digest.update(f"{name}\n{_meaning(_source(name))}\n".encode())
    loads = _functions(_source("load"))
    for shape in kernel_name.split("_"):
        digest.update(_meaning(loads.get(f"load_{shape}", "")).encode())
    return digest.hexdigest()[:16]


def pair_digest(pair: str) -> str:
    """Digest of what answers for a pair such as `sphere-box`: its table rows and their kernels."""
    rows = [row for table in _tables().values() for row in table if _pair_name(row) == pair]
    if not rows:
        raise KeyError(pair)
    text = "\n".join(f"{a} {b} {kernel} {kernel_digest(kernel)}" for a, b, kernel in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def pair_names() -> tuple[str, ...]:
    """The pairs for which distances are answered, like `sphere-box`, in the order of the table."""
    return tuple(_pair_name(row) for row in _tables()["SEPARATION"])


Row = tuple[str, str, str]


def _pair_name(row: Row) -> str:
    return f"{row[0]}-{row[1]}".lower()


@functools.cache
def _tables() -> dict[str, tuple[Row, ...]]:
    """The literal tables of `query/_tables.py`: name -> rows (class, class, kernel)."""
    tree = ast.parse((_PACKAGE / "query" / "_tables.py").read_text(encoding="utf-8"))
    tables = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            calls = [item for item in ast.walk(node.value) if isinstance(item, ast.Call)]
            rows = tuple(_row(call) for call in calls if getattr(call.func, "id", "") == "Pair")
            if rows:
                tables[node.targets[0].id] = rows
    return tables


def _row(call: ast.Call) -> Row:
    a, b, kernel = call.args
    assert isinstance(a, ast.Name)
    assert isinstance(b, ast.Name)
    assert isinstance(kernel, ast.Constant)
    return a.id, b.id, str(kernel.value)


def _source(name: str) -> str:
    return (_KERNELS / f"{name}.py").read_text(encoding="utf-8")


def _imported(name: str) -> set[str]:
    """The module and all modules of `ougi.kernels` that it imports, directly or not."""
    found: set[str] = set()
    todo = [name]
    while todo:
        module = todo.pop()
        if module in found:
            continue
        found.add(module)
        todo.extend(_imports(_source(module)))
    return found


@functools.cache
def _imports(source: str) -> tuple[str, ...]:
    """The modules of `ougi.kernels` that a source imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            names.extend(
                f"{node.module}.{alias.name}" for alias in node.names
            )  # from ougi.kernels import vec3
        elif isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
    inside = [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]
    return tuple(name for name in inside if (_KERNELS / f"{name}.py").exists())


@functools.cache
def _functions(source: str) -> dict[str, str]:
    tree = ast.parse(source)
    return {
        node.name: ast.get_source_segment(source, node) or ""
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
    }


_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING}
_LINE_STARTS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


@functools.cache
def _meaning(source: str) -> str:
    """The tokens that do something: a corrected comment leaves the evidence standing."""
    kept: list[str] = []
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in _LAYOUT:
            continue
        is_docstring = token.type == tokenize.STRING and before in _LINE_STARTS
        if not is_docstring:
            indents = token.type in (tokenize.INDENT, tokenize.DEDENT)
            kept.append(tokenize.tok_name[token.type] if indents else token.string.strip())
        before = token.type
    return " ".join(kept)
