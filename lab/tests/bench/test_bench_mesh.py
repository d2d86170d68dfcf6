"""`ougi bench mesh`: its meshes have the sizes that it names, and the libraries agree."""

from __future__ import annotations

import pytest

from ougi.errors import InvalidInputError
from ougi_lab.bench import mesh


def test_meshes_have_the_sizes_of_the_page() -> None:
    cases = mesh.build_cases()
    assert len(cases["ray, one per call"].a.faces) == pytest.approx(82_000, rel=0.01)
    assert len(cases["distance, near"].a.faces) == pytest.approx(10_000, rel=0.02)
    assert cases["ray, 1000 per call"].result_count == 1000


def test_libraries_agree() -> None:
    measured = [each for cell in mesh.measure(1, ("distance, near", "overlapping")) for each in cell]
    assert {each["query"] for each in measured} == {"distance, near", "intersects, overlapping"}
    assert all(each["error"] < 1e-9 for each in measured if not each.missing)
    with pytest.raises(InvalidInputError, match="no case of bench mesh is called 'boxes'"):
        next(mesh.measure(1, ("boxes",)))
