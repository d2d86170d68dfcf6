"""SRDF: pairs of a robot's links that are not checked against each other."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ougi.scene.file_access import read_bytes
from ougi.scene.limits import Budget
from ougi.scene.problems import Findings, scene_error, suggest_name, warn_user
from ougi.scene.xml_tree import parse_xml


def read_srdf(
    path: Path, robot: str, links: Collection[str], budget: Budget, *, is_required: bool = True
) -> set[tuple[str, str]]:
    """The pairs of links, in order of their names, that an SRDF disables.

    Reads `disable_collisions`, `disable_default_collisions` (a link against all others) and
    `enable_collisions`. Links that the robot does not have are a warning. So is a file of another robot,
    unless it is required.
    """
    root = parse_xml(read_bytes(path, budget, "scene_bytes"), path.name, budget)
    if root.tag != "robot":
        raise scene_error(path.name, f"an SRDF begins with <robot>, this file with <{root.tag}>", root.line)
    name = root.attributes.get("name", "")
    if name and robot and name != robot:
        text = f"this SRDF belongs to the robot {name!r}, not to {robot!r}"
        if is_required:
            raise scene_error(path.name, text, root.line)
        warn_user(path.name, f"{text}; it is not used", root.line)
        return set()
    findings, disabled = Findings(path.name), set[tuple[str, str]]()
    unknown: dict[str, int] = {}
    for element in root.children:
        keys = {"disable_default_collisions": ("link",)}.get(element.tag, ("link1", "link2"))
        if element.tag not in ("disable_default_collisions", "disable_collisions", "enable_collisions"):
            continue
        if missing := [key for key in keys if key not in element.attributes]:
            findings.add(element.line, f"{element.tag} needs {missing[0]}")
            continue
        named = [element.attributes[key] for key in keys]
        if strange := [link for link in named if link not in links]:
            unknown.setdefault(strange[0], element.line)
        elif len(named) == 1:
            budget.take("excluded_pairs", len(links), f"the links beside {named[0]!r}")
            disabled.update(_sort_pair(named[0], link) for link in links if link != named[0])
        elif element.tag == "enable_collisions":
            disabled.discard(_sort_pair(*named))
        else:
            disabled.add(_sort_pair(*named))
    findings.raise_if_any()
    if unknown:
        first, line = next(iter(unknown.items()))
        more = f", nor {len(unknown) - 1} more that the file names" if len(unknown) > 1 else ""
        warn_user(path.name, f"the robot has no link {first!r}{suggest_name(first, links)}{more}", line)
    return disabled


def _sort_pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)
