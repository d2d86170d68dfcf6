"""The docs site: what a newcomer finds, links that lead somewhere, and that it builds without a network."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ougi
from ougi_lab import docstrings, site

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
MADE = {"pairs.md", "api.md"}  # by `make docs`
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
PAGES = sorted(path for path in DOCS.rglob("*.md") if path.name not in MADE)


def list_links(path: Path) -> list[str]:
    """Where the links of a page lead, outside of code; not to other sites."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [target for target in LINK.findall(text) if "://" not in target]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_links_lead_to_files(path: Path) -> None:
    for target in list_links(path):
        found = (path.parent / target).resolve()
        assert found.is_relative_to(DOCS), f"{target}: the site holds docs/ alone"
        assert found.exists() or target in MADE, target


def test_a_sword_that_passes_through_enemies_is_one_click_from_the_front_page() -> None:
    front = (DOCS / "index.md").read_text(encoding="utf-8")
    (row,) = (line for line in front.splitlines() if "My sword passes through enemies" in line)
    (target,) = LINK.findall(row)
    page = (DOCS / target).read_text(encoding="utf-8")
    assert "My sword passes through enemies" in page
    assert "Swing" in page


def test_every_page_is_in_the_navigation() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": ([\w/]+\.md)$", config, flags=re.MULTILINE))
    assert listed == {str(path.relative_to(DOCS)) for path in PAGES} | MADE


def test_the_api_reference_has_every_public_name() -> None:
    listed = set(re.findall(r"^::: ougi\.(\S+)$", site.render_api(), flags=re.MULTILINE))
    assert {name for name in listed if "." not in name} == set(ougi.__all__)  # type: ignore[attr-defined]
    for package in ("broad", "corridor", "scene", "radar", "cuda", "plot"):
        module = importlib.import_module(f"ougi.{package}")
        entries = {name.split(".")[-1] for name in listed if name.startswith(f"{package}.")}
        own = {name for name in module.__all__ if callable(getattr(module, name))}
        assert entries | set(ougi.__all__) >= own, package  # type: ignore[attr-defined]
    assert listed >= {"radar.gl", "adapters.pygame", "adapters.arcade", "adapters.pymunk", "adapters.tiled"}


def test_the_pair_matrix_has_a_row_for_every_class() -> None:
    text = site.render_matrix()
    for name, tables in (("Sphere", 2), ("Sector3d", 2), ("Sector2d", 2)):
        assert text.count(f"| **{name}** |") == tables
    assert "| **Box** | all " in text


def test_examples_get_the_heading_that_the_parser_wants() -> None:
    text = "Sum.\n\nReturns\n-------\nint\n    It.\n\n>>> 1 + 1\n2\n"
    assert docstrings.add_heading(text).endswith("Examples\n--------\n>>> 1 + 1\n2\n")
    assert docstrings.add_heading("Sum.\n\n>>> 1 + 1\n2\n") == f"Sum.\n\n{docstrings.HEADING}>>> 1 + 1\n2\n"
    assert docstrings.add_heading("Sum.\n") == "Sum.\n"


def test_the_site_builds(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="no zensical: pip install zensical mkdocstrings-python")
    shutil.copytree(DOCS, tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    for folder in ("src", "lab"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "docs" / "pairs.md").write_text(site.render_matrix(), encoding="utf-8")
    (tmp_path / "docs" / "api.md").write_text(site.render_api(), encoding="utf-8")
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--clean"]
    # A proxy without a server, so that every use of the network would fail.
    alone = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(command, cwd=tmp_path, env=os.environ | alone, capture_output=True, text=True)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert not re.search("griffe:|warning", output, re.IGNORECASE), output
    built = tmp_path / "out" / "site"
    reference = (built / "api.html").read_text(encoding="utf-8")
    assert "When does a moving shape first touch" in reference
    assert "<blockquote" not in reference  # examples are code, not quotations of quotations
    for page in built.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'<(?:script|link|img)[^>]+(?:src|href)="https?://', text), page
