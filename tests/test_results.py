"""How results are shown."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import ougi
from ougi.query import Closest, Contact
from ougi.results import FirstContacts


def test_a_single_result_is_one_line() -> None:
    near = Closest(np.array(3.0), np.array([1.0, 0.0]), np.array([4.0, 1 / 3]))
    assert repr(near) == "Closest(distance=3., point_a=[1., 0.], point_b=[4.      , 0.333333])"


def test_a_batch_shows_its_shape_and_the_first_rows() -> None:
    n = 5
    found = FirstContacts(
        np.zeros(n, np.int64), np.zeros(n, bool), np.full(n, np.nan), np.ones((n, 2)), np.ones((n, 2))
    )
    lines = repr(found).splitlines()
    assert lines[0] == "<FirstContacts batch of shape (5,)"
    assert lines[3] == "  t       nan, nan, nan, ..."
    assert len(lines) == 6
    assert "..." not in repr(found[:2])


def test_an_empty_batch_can_be_shown() -> None:
    none = np.empty((0, 3))
    assert repr(Contact(np.empty(0, bool), none, none, np.empty(0))).startswith(
        "<Contact batch of shape (0,)"
    )


def test_scenes_reports_and_events_are_short_texts() -> None:
    move = ougi.scene.Piece(0.0, 2.0, ougi.Translation2d([9, 0]))
    ball = ougi.scene.Body("ball", ougi.Circle([0, 0], 1), (move,))
    wall = ougi.scene.Body("wall", ougi.Aabb2d([6, -1], [7, 1]))
    scene = ougi.Scene((ball, wall), duration=2.0)
    assert repr(scene) == "<Scene of 2 bodies, 1 of them moving, 2 s>"
    lines = repr(ougi.check(scene)).splitlines()
    assert lines[0] == "<Report: contacts 1, near misses 0; pairs covered 1, excluded 0; not certified"
    assert lines[1] == "  1.111111 s  ball and wall: hit>"
    world = ougi.World()
    assert repr(world.step(1.0)) == "<Events batch of shape (0,)>"
    assert repr(world) == "<World of 0 bodies at 1 s>"
    world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
    assert repr(world.step(1 / 60)).startswith("<Events batch of shape (1,)\n")


def make_contacts() -> FirstContacts:
    shape, target = ougi.Circle([0, 0], 1), ougi.Circle([[5, 0], [0, 9]], 1)
    return ougi.time_of_impact(shape, ougi.Translation2d([6, 0]), target)


def make_report() -> ougi.Report:
    move = ougi.scene.Piece(0.0, 2.0, ougi.Translation2d([9, 0]))
    ball = ougi.scene.Body("ball", ougi.Circle([0, 0], 1), (move,))
    return ougi.check(
        ougi.Scene((ball, ougi.scene.Body("<wall>", ougi.Aabb2d([6, -1], [7, 1]))), duration=2.0)
    )


def test_results_are_plain_records_and_json() -> None:
    found = make_contacts()
    hit, free = found.to_records()
    assert (hit["status"], hit["hit"], hit["normal"]) == (1, True, [1.0, 0.0])
    assert hit["t"] == pytest.approx(0.5)
    assert (free["status"], free["t"], free["point"]) == (0, None, [None, None])
    assert json.loads(found.to_json()) == [hit, free]
    assert found.to_dict() == {name: [hit[name], free[name]] for name in hit}
    assert found[0].to_records() == [hit]
    assert found[:0].to_records() == []


def test_records_of_results_whose_first_field_is_a_vector() -> None:
    hall = ougi.Corridor([[0, 0], [4, 0], [4, 3], [0, 3]])
    records = hall.step([[1, 1], [2, 2], [3, 1]], [[10, 0], [0, 0], [0, 0]], 0.5, dt=1).to_records()
    assert [record["bounce_count"] for record in records] == [3, 0, 0]
    assert records[1]["position"] == [2.0, 2.0]


def test_indices_too_large_for_numpy_are_index_errors() -> None:
    with pytest.raises(IndexError, match="index 9223372036854775808"):
        make_contacts()[2**63]


def test_rows_of_a_report_are_its_own() -> None:
    report = make_report()
    assert report.names(np.array([[1, 0]])) == [("<wall>", "ball")]
    with pytest.raises(TypeError, match="rows must be Contacts of this report, got bytes"):
        report.interval(b"rows")  # type: ignore[arg-type]
    with pytest.raises(IndexError, match="that batch holds 2 shapes"):
        report.names(np.array([[0, 9]]))


def test_reports_are_plain_records_and_json() -> None:
    report = make_report()
    (record,) = report.to_records()
    assert (record["kind"], record["a"], record["b"], record["status"]) == (
        "contact",
        "ball",
        "<wall>",
        "hit",
    )
    document = json.loads(report.to_json())
    assert document == report.to_dict()
    assert document["contacts"] == [record]
    assert document["coverage"]["covered"] == 1


def test_results_and_reports_are_tables_of_pandas() -> None:
    pytest.importorskip("pandas")
    table = make_contacts().to_dataframe()
    assert list(table.columns) == ["status", "hit", "t", "point_x", "point_y", "normal_x", "normal_y"]
    assert table["hit"].tolist() == [True, False]
    assert table["normal_x"].iloc[0] == 1.0
    assert make_report().to_dataframe()[["a", "b"]].to_numpy().tolist() == [["ball", "<wall>"]]


def test_columns_of_a_table_are_named_by_axes_or_by_numbers() -> None:
    pytest.importorskip("pandas")
    world = ougi.World()
    world.add(ougi.Circle([[0, 0], [5, 0]], 1), ougi.Translation2d([[300, 0], [0, 0]]))
    pairs = world.step(1 / 60).to_dataframe()
    assert pairs[["pair_0", "pair_1", "point_x", "point_y"]].to_numpy().tolist() == [[0, 1, 4, 0]]
    crates = ougi.Box([0, 0, 0.9], [2, 2, 2]), ougi.Box([0, 0, -1], [8, 8, 2])
    table = ougi.manifolds(*crates).to_dataframe()
    assert [name for name in table.columns if name.startswith("depth")] == [f"depth_{k}" for k in range(4)]
    assert np.shape(table["point"].iloc[0]) == (4, 3)


def test_without_pandas_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ougi.MissingExtraError, match=r'to_dataframe needs the extra .*"ougi\[pandas\]"'):
        make_contacts().to_dataframe()


def test_notebooks_show_tables_with_escaped_names() -> None:
    page = make_report()._repr_html_()
    assert "<td>&lt;wall&gt;</td>" in page
    assert "<wall>" not in page
    assert make_contacts()._repr_html_().count("<tr>") == 3


def test_print_shows_tables_of_the_first_rows() -> None:
    head, *rows = str(make_contacts()).splitlines()
    assert head.split() == ["status", "hit", "t", "point", "normal"]
    assert [row.split()[:2] for row in rows] == [["1", "True"], ["0", "False"]]
    assert str(make_contacts()[0]) == repr(make_contacts()[0])
    assert str(make_contacts()[:0]) == repr(make_contacts()[:0])
    many = ougi.contacts(ougi.Circle(np.zeros((3, 1, 2)), 1), ougi.Circle(np.zeros((5, 2)), 1))
    assert len(str(many).splitlines()) == 12
    assert str(many).endswith("... 5 more")
    head, row, counts = str(make_report()).splitlines()
    assert head.split() == ["kind", "time", "a", "b", "point", "normal", "status", "engine"]
    assert row.split()[:4] == ["contact", "1.11111", "ball", "<wall>"]
    assert counts == "contacts 1, near misses 0; pairs covered 1, excluded 0; not certified"


def test_tables_show_images_by_their_size() -> None:
    triangle = ougi.Mesh([[4, -1, -1], [4, 1, -1], [4, 0, 1]], [[0, 1, 2]])
    volume = ougi.radar.Volume([[0, 0, 0], [0, 0, 9]], [1, 0, 0], [2, 2, 9], pixels=64)
    seen = ougi.radar.detect(volume, ougi.radar.Meshes(triangle))
    assert str(seen).count("64 x 64") == 4
    assert seen._repr_html_().count("<td>64 x 64</td>") == 4
    assert max(map(len, str(seen).splitlines())) < 100


def test_print_escapes_control_characters_of_names() -> None:
    discs = tuple(ougi.scene.Body(f"\x1b[2J{x}", ougi.Circle([x, 0], 1)) for x in (0, 1))
    assert "\x1b" not in str(ougi.check(ougi.Scene(discs)))


def test_notebooks_show_tables_of_shapes_and_scenes() -> None:
    page = ougi.Box([[0, 0, 0], [1, 2, 3]], [1, 1, 1])._repr_html_()
    assert page.startswith("<p>Box batch of shape (2,), 2 rows</p>")
    assert "<th>center_x</th>" in page
    assert page.count("<tr>") == 3
    assert "Mesh" in ougi.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])._repr_html_()
    assert ougi.Circle(np.zeros((1000, 1000, 2)), 1)._repr_html_().count("<tr>") == 21
    page = make_report().scene._repr_html_()
    assert "<td>&lt;wall&gt;</td>" in page
    assert page.startswith("<p>Scene of 2 bodies, ")


def test_broad_phases_are_one_line() -> None:
    broad = ougi.BroadPhase(method="grid")
    assert repr(broad) == "<BroadPhase, method grid: no frame yet>"
    assert repr(broad.update(np.zeros((2, 3)))) == "<PairChanges: 1 began, 0 stayed, 0 ended>"
    assert repr(broad) == "<BroadPhase, method grid: 2 bodies, 1 pairs>"
