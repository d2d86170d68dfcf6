"""Digests of the sources behind a pair: is a committed result about the kernels as they are now?

Sources are read, not imported: no Numba. Comments, docstrings and layout do not count.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

_PACKAGE = Path(__file__).parents[2]
_KERNELS = _PACKAGE / "kernels"

# Where a definition stands: a module and a name. Kernels go by the name of their file, modules of other
# packages by package and file.
Place = tuple[str, str]

_FOLLOWED = ("kernels", "impact", "sweeps", "world", "radar")


def kernel_digest(kernel_name: str) -> str:
    """Digest of all definitions that a kernel's functions use, in whatever file of `ougi.kernels` they stand.

    A new record, or a new function beside those in use, leaves the evidence standing.

    >>> from ougi.lab.verify.digest import kernel_digest
    >>> len(kernel_digest("sphere_sphere"))
    16
    """
    return _digest([*_public(kernel_name), *(("load", f"load_{shape}") for shape in kernel_name.split("_"))])


def _public(module: str) -> list[Place]:
    return [(module, name) for name in _definitions(module) if not name.startswith("_")]


def _digest(roots: list[Place], left_out: str = "") -> str:
    """Digest of some definitions and all that they use, but for those of one module."""
    todo, used = roots, dict[Place, str]()
    while todo:
        place = todo.pop()
        if place not in used and place[0] != left_out and (found := _definitions(place[0]).get(place[1])):
            used[place] = found.meaning
            todo.extend(found.uses)
    text = "\n".join(f"{module}.{name} {meaning}" for (module, name), meaning in sorted(used.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def pair_digest(pair: str) -> str:
    """Digest of what answers for a pair such as `sphere-box`: its table rows and their kernels."""
    rows = [row for table in _tables().values() for row in table if _pair_name(row) == pair]
    if not rows:
        raise KeyError(pair)
    text = "\n".join(f"{a} {b} {kernel} {kernel_digest(kernel)}" for a, b, kernel in rows)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def mesh_digest(pair: str) -> str:
    """Digest of what answers for a mesh and another class: descent, trees, and kernels of triangles.

    >>> from ougi.lab.verify.digest import mesh_digest
    >>> len(mesh_digest("mesh-sphere"))
    16
    """
    files = [_PACKAGE / folder / name for folder, name in (("query", "_meshes.py"), ("shapes", "_tree.py"))]
    parts = [_meaning(path.read_text(encoding="utf-8")) for path in files]
    other = pair.removeprefix("mesh-").replace("mesh", "triangle3d")
    known = {_pair_name(row) for table in _tables().values() for row in table}
    parts.append(pair_digest(next(p for p in (f"triangle3d-{other}", f"{other}-triangle3d") if p in known)))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def impact_digest(pair: str) -> str:
    """Digest of what answers time_of_impact for a pair: its kernels and the way to them.

    >>> from ougi.lab.verify.digest import impact_digest
    >>> len(impact_digest("sphere-box"))
    16
    """
    found = impact_kernel(pair)
    if found is None:
        raise KeyError(f"time_of_impact has no kernel for {pair}")
    a, b = found
    roots = [
        *_public(f"impact_{a}_{b}"),
        ("impact_moving_pairs", f"moving_{a}_{b}"),
        *(("moving", f"load_moving_{layout}") for layout in (a, b)),
        *(("load", name) for name in (f"load_{b}", "store_impact3d")),
        ("impact.__init__", "screw_impact"),
    ]
    # A class more in the tables is no reason to doubt the others.
    return _digest(roots, left_out="impact._tables")


def impact_kernel(pair: str) -> tuple[str, str] | None:
    """The layouts of the kernel that answers time_of_impact for a pair; None if there is none.

    >>> from ougi.lab.verify.digest import impact_kernel
    >>> impact_kernel("box-segment3d"), impact_kernel("sector2d-circle")
    (('capsule3d', 'box'), None)
    """
    layouts = impact_layouts()
    names = pair.split("-")
    if not all(name in layouts for name in names):
        return None
    a, b = (layouts[name] for name in names)
    if _file(f"impact_{a}_{b}").is_file():
        return a, b
    return (b, a) if _file(f"impact_{b}_{a}").is_file() else None


def sweep_digest() -> str:
    """Digest of what makes sectors of sweeps.

    >>> from ougi.lab.verify.digest import sweep_digest
    >>> len(sweep_digest())
    16
    """
    return _digest([("sweeps._sectors", name) for name in ("enclosing", "published", "balanced")])


def turning_digest() -> str:
    """Digest of what finds points in the sweeps of turning boxes.

    >>> from ougi.lab.verify.digest import turning_digest
    >>> len(turning_digest())
    16
    """
    loaders = [("load", f"load_{record}") for record in ("boxturn", "point3d")]
    roots = [*_public("boxturn_point3d"), *loaders, ("sweeps.exact", "Sweep")]
    return _digest(roots, left_out="impact.__init__")  # which answers for other sweeps


def _room_digest(room: str, kernels: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> str:
    """Digest of a folder of ougi, whole files, and of kernels."""
    files = [path for path in sorted((_PACKAGE / room).glob("*.py")) if path.name not in without]
    parts = [f"{path.name} {_meaning(path.read_text(encoding='utf-8'))}" for path in files]
    parts += [kernel_digest(kernel) for kernel in kernels]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def broad_digest() -> str:
    """Digest of `ougi.broad` and of the kernels that its tests of two volumes use.

    >>> from ougi.lab.verify.digest import broad_digest
    >>> len(broad_digest())
    16
    """
    return _room_digest("broad", ("sphere_sphere", "aabb3d_aabb3d"))


def radar_digest() -> str:
    """Digest of `ougi.radar` and of the kernel that says which triangles cross.

    >>> from ougi.lab.verify.digest import radar_digest
    >>> len(radar_digest())
    16
    """
    return _room_digest("radar", ("triangle3d_triangle3d",), without=("gl.py",))


def image_digest() -> str:
    """Digest of what draws images of radars.

    >>> from ougi.lab.verify.digest import image_digest
    >>> len(image_digest())
    16
    """
    return _digest([("radar._draw", "draw")])


def gl_digest() -> str:
    """Digest of what draws images of radars, by OpenGL and by itself.

    >>> from ougi.lab.verify.digest import gl_digest
    >>> len(gl_digest())
    16
    """
    return _digest([("radar._draw", "draw"), *_public("radar.gl")], left_out="radar.collide")


def grasp_digest() -> str:
    """Digest of the grasp simulation and of the radars that steer it.

    >>> from ougi.lab.verify.digest import grasp_digest
    >>> len(grasp_digest())
    16
    """
    parts = _room_digest("lab/grasp"), radar_digest()
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


# Files of `ougi.corridor` that an answer goes through: all structures, and each of them.
_CORRIDOR = ("contact", "drive", "lend", "wall")
_STRUCTURES: dict[str, tuple[str, ...]] = {
    "brute": (),
    "chain": ("trees",),
    "quadtree": ("trees",),
    "kdtree": ("trees",),
    "groups": ("trees", "groups"),
    "walk": ("triangles", "walk"),
    "reach": ("trees", "reach"),
}


def corridor_digest(structure: str) -> str:
    """Digest of what moves circles by a structure, whole files.

    >>> from ougi.lab.verify.digest import corridor_digest
    >>> len(corridor_digest("reach"))
    16
    """
    files = [_PACKAGE / "corridor" / f"{name}.py" for name in (*_CORRIDOR, *_STRUCTURES[structure])]
    parts = [f"{path.name} {_meaning(path.read_text(encoding='utf-8'))}" for path in files]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def world_digest() -> str:
    """Digest of what a world does with the answers of `time_of_impact`, `intersects` and broad phases.

    >>> from ougi.lab.verify.digest import world_digest
    >>> len(world_digest())
    16
    """
    return _digest([("world.__init__", "World")], left_out="impact.__init__")


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


@functools.cache
def impact_layouts() -> dict[str, str]:
    """The classes that `time_of_impact` knows, in lower case -> the layout that its kernels read."""
    tree = ast.parse(_file("impact._tables").read_text(encoding="utf-8"))
    table = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "LAYOUTS"
    )
    assert isinstance(table, ast.Dict)
    found = {}
    for key, value in zip(table.keys, table.values, strict=True):
        assert isinstance(key, ast.Name)
        assert isinstance(value, ast.Constant)
        found[key.id.lower()] = str(value.value)
    return found


def _file(module: str) -> Path:
    package, _, name = module.rpartition(".")
    return (_PACKAGE / package / f"{name}.py") if package else _KERNELS / f"{module}.py"


def _module(dotted: str) -> str | None:
    """Our name of an imported module, None if it is not followed."""
    parts = dotted.split(".")
    if parts[0] != "ougi" or len(parts) < 2 or parts[1] not in _FOLLOWED:
        return None
    if parts[1] == "kernels":
        return ".".join(parts[2:]) or None
    return f"{parts[1]}.{parts[2] if len(parts) > 2 else '__init__'}"


class _Definition(NamedTuple):
    """What a top-level name means, and the places (module, name) it refers to."""

    meaning: str
    uses: tuple[Place, ...]


def _definitions(module: str) -> dict[str, _Definition]:
    """The functions, classes and constants of a module."""
    return _parsed(module, _file(module).read_text(encoding="utf-8"))


@functools.cache
def _parsed(module: str, source: str) -> dict[str, _Definition]:
    nodes: dict[str, ast.stmt] = {}
    places: dict[str, Place] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            nodes[node.name] = node
        elif isinstance(node, ast.Assign):
            nodes |= {name.id: node for name in ast.walk(node) if _is_target(name)}
        elif isinstance(node, ast.ImportFrom) and (origin := _module(node.module or "")):
            places |= {alias.asname or alias.name: (origin, alias.name) for alias in node.names}
    places |= {name: (module, name) for name in nodes}
    return {
        name: _Definition(
            _meaning("\n".join(_lines(source, node))),
            tuple({places[n.id] for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in places}),
        )
        for name, node in nodes.items()
    }


def _is_target(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _lines(source: str, node: ast.stmt) -> list[str]:
    """The lines of a statement with its decorators."""
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(d.lineno for d in decorators)])
    return source.splitlines()[first - 1 : node.end_lineno]


_LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING}
_LINE_STARTS = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}


@functools.cache
def _meaning(source: str) -> str:
    """The tokens that do something: a corrected comment leaves the evidence standing."""
    kept: list[str] = []
    before = tokenize.NEWLINE
    for kind, text in _tokens(source):
        if kind in _LAYOUT:
            continue
        is_docstring = kind == tokenize.STRING and before in _LINE_STARTS
        if not is_docstring:
            indents = kind in (tokenize.INDENT, tokenize.DEDENT)
            kept.append(tokenize.tok_name[kind] if indents else text.strip())
        before = kind
    return " ".join(kept)


def _tokens(source: str) -> Iterator[tuple[int, str]]:
    """Kinds and texts; f-strings whole, which come in pieces from Python 3.12 on: a digest is one for all."""
    lines, inside, start = source.splitlines(keepends=True), 0, (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name == "FSTRING_START":
            start, inside = (start if inside else token.start), inside + 1
        elif name == "FSTRING_END":
            inside -= 1
            if not inside:
                yield tokenize.STRING, _between(lines, start, token.end)
        elif not inside:
            yield token.type, token.string


def _between(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text from one row and column to another."""
    cut = lines[start[0] - 1 : end[0]]
    cut[-1] = cut[-1][: end[1]]
    cut[0] = cut[0][start[1] :]
    return "".join(cut)
