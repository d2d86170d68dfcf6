"""The evidence behind the pair matrix: what `ougi verify` has proved, and for which sources.

`ougi/evidence.json` is a summary of the committed runs, written by the laboratory. For each subject it holds
the folders and files of the package that the runs depend on, digests of what they define, and the numbers of
cases per pair.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import itertools
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it imports NumPy, which help does not need
    from ougi._typing import JsonObject


PACKAGE = Path(__file__).parents[1]
FILE = PACKAGE / "evidence.json"


@functools.cache
def hash_definitions(*folders: str) -> frozenset[str]:
    """Digests of what the Python files in folders of the package define, one for each definition.

    A name may also be that of a file. Folders inside of folders are named separately. Comments, docstrings
    and annotations do not count. Evidence is current as long as all definitions of its time are there, so a
    new shape does not make it old. `@device` and `@procedure` give the same results, so a function that is
    marked by one has the digests of both.

    >>> from ougi.cli.evidence import hash_definitions
    >>> hash_definitions("kernels") < hash_definitions("kernels", "kernels/impact")
    True
    >>> hash_definitions("kernels/vec3.py") < hash_definitions("kernels")
    True
    """
    found = set()
    for folder in folders:
        folder = _PRESENT_NAMES.get(folder, folder)
        for path in sorted(PACKAGE.glob(folder if folder.endswith(".py") else f"{folder}/*.py")):
            name = _find_former_name(path.relative_to(PACKAGE).as_posix())
            for text in list_definitions(path.read_text(encoding="utf-8")):
                for form in _list_forms(text):
                    found.add(hashlib.sha256(f"{name} {form}".encode()).hexdigest()[:6])
    return frozenset(found)


def list_definitions(source: str) -> list[str]:
    """What a module defines, as texts: functions, classes, constants, rows of tables, imports from ougi.

    >>> from ougi.cli.evidence import list_definitions
    >>> list_definitions("x: int = 1  # one") == list_definitions("x = 1")
    True
    """
    texts = []
    for node in ast.parse(source).body:
        value = getattr(node, "value", None)
        if isinstance(node, ast.ImportFrom):
            if str(node.module).startswith("ougi.") and node.module != "ougi._typing":
                module = _find_former_name(str(node.module))
                texts += [f"{module} {alias.name} {alias.asname}" for alias in node.names]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(value, _TABLES):
            name = _describe(getattr(node, "target", None) or node.targets)  # type: ignore[union-attr]
            texts += [f"{name} {_describe(row)}" for row in _list_rows(value)]
        elif not isinstance(node, ast.Import):
            texts.append(_describe(node))
    return texts


# Files that were renamed, by their former names. Committed digests hold these, because a new name changes no
# result.
_PRESENT_NAMES = {
    f"{folder}/_{name}.py": f"{folder}/{name}.py"
    for folder, names in {
        "cuda": "driver hulls loops",
        "query": "compounds dispatch inside meshes tables trees",
        "shapes": "as_polytope closed exact polytope",
        "sweeps": "engines turn_frame",
    }.items()
    for name in names.split()
}
_FORMER_NAMES = {present: former for former, present in _PRESENT_NAMES.items()}


def _find_former_name(module: str) -> str:
    """What digests call a module, of which the file or the dotted name is given.

    >>> _find_former_name("query/tables.py"), _find_former_name("ougi.query.tables")
    ('query/_tables.py', 'ougi.query._tables')
    """
    if not module.startswith("ougi."):
        return _FORMER_NAMES.get(module, module)
    former = _FORMER_NAMES.get(module.removeprefix("ougi.").replace(".", "/") + ".py")
    return module if former is None else "ougi." + former.removesuffix(".py").replace("/", ".")


_MARKS = "device", "procedure"
_MARK = re.compile(
    r"(?<=Name\('){0}(?='\))|(?<=^ougi\._native ){0}(?= None$)".format(f"(?:{'|'.join(_MARKS)})")
)


def _list_forms(text: str) -> set[str]:
    """A definition as it is if each of its functions is marked by `device` or by `procedure`.

    >>> sorted(_list_forms("ougi._native device None"))
    ['ougi._native device None', 'ougi._native procedure None']
    """
    parts = _MARK.split(text)
    choices = itertools.product(_MARKS, repeat=len(parts) - 1)
    return {"".join(itertools.chain(*zip(parts, (*marks, ""), strict=True))) for marks in choices}


_TABLES = (ast.Dict, ast.Tuple, ast.List)


def _list_rows(table: ast.expr) -> list[object]:
    if isinstance(table, ast.Dict):
        return [list(row) for row in zip(table.keys, table.values, strict=True)]
    assert isinstance(table, ast.Tuple | ast.List)
    return list(table.elts)


def _describe(node: object) -> str:
    """Code as a text, without docstrings and annotations; the same in every version of Python."""
    if isinstance(node, list):
        return f"[{' '.join(map(_describe, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return ""
    if isinstance(node, ast.AnnAssign):
        return f"Assign({_describe([node.target])} {_describe(node.value)})"
    values = [value for name, value in ast.iter_fields(node) if name not in _NO_CODE]
    if isinstance(node, ast.ImportFrom):
        values[0] = _find_former_name(str(node.module))
    return f"{type(node).__name__}({' '.join(map(_describe, values))})"


_NO_CODE = ("annotation", "ctx", "kind", "returns", "type_comment", "type_params")


def load_evidence() -> JsonObject:
    """Subject -> {"folders", "definitions", "commit", "pairs": {pair: [cases, near, disagreements]}}."""
    evidence: JsonObject = json.loads(FILE.read_text(encoding="utf-8"))
    return evidence


def find_evidence(evidence: JsonObject, subjects: tuple[str, ...], pair: str) -> JsonObject:
    """What is known of a pair: its state (`proved`, `old`, `wrong` or `unverified`) and the counts.

    Evidence is old if a definition of its folders has changed since.
    """
    for subject in subjects:
        known = evidence.get(subject)
        if known is not None and pair in known["pairs"]:
            cases, near, disagreements = known["pairs"][pair]
            definitions = known.get("definitions", "none").split()
            is_current = hash_definitions(*known["folders"]).issuperset(definitions)
            state = "wrong" if disagreements else "proved" if is_current else "old"
            return {"state": state, "cases": cases, "near": near, "disagreements": disagreements}
    return {"state": "unverified"}
