"""What kernels read: columns and records hold the same numbers, in the same order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi.kernels import load, records
from ougi.kernels.pieces.records import load_body3d
from ougi.shapes import Point2d, Point3d, Shape
from ougi_lab.scenes.batches import draw_batch

pytestmark = pytest.mark.plain

BATCHES = [(), (1,), (2,), (3,), (4,), (2, 3), (3, 3)]


def flat(record: Any) -> list[float]:
    """The numbers of a record, in order."""
    if isinstance(record, tuple):
        return [number for part in record for number in flat(part)]
    return [float(record)]


# A record that also holds the memory of the batch; read in the last test.
WITH_MEMORY = "body3d"


def assert_round_trip(batch: Shape, layout: str) -> None:
    columns = batch.columns(layout)
    read = getattr(load, f"load_{layout}")
    assert columns.shape[1] == batch.count
    for i in range(batch.count):
        record = read(columns, i)
        kind = "Vec" + layout[5] if layout.startswith("point") else layout.capitalize()
        assert type(record).__name__ == kind
        assert flat(record) == columns[:, i].tolist()


@pytest.mark.parametrize("shape", BATCHES)
def test_columns_are_contiguous_read_only_floats(shapes: Any, shape: tuple[int, ...]) -> None:
    batch = shapes.build(shape)
    for layout in batch.layouts:
        columns = batch.columns(layout)
        assert columns.dtype == np.float64
        assert columns.ndim == 2
        assert columns.shape[1] == batch.count
        assert columns.flags.c_contiguous
        assert not columns.flags.writeable


@pytest.mark.parametrize("shape", BATCHES)
def test_records_read_from_columns_hold_the_columns(shapes: Any, shape: tuple[int, ...]) -> None:
    batch = shapes.build(shape)
    for layout in batch.layouts:
        if layout != WITH_MEMORY:
            assert_round_trip(batch, layout)


@pytest.mark.parametrize("shape", BATCHES)
@pytest.mark.parametrize("cls", [Point2d, Point3d])
def test_points_are_read_as_points_and_as_balls_of_radius_zero(cls: Any, shape: tuple[int, ...]) -> None:
    points = cls(np.random.default_rng(0).normal(size=(*shape, cls.dimension)))
    for layout in points.layouts:
        assert_round_trip(points, layout)
        np.testing.assert_array_equal(
            points.columns(layout)[: cls.dimension].T,
            points.position.reshape((-1, cls.dimension)),
        )
        assert not points.columns(layout)[cls.dimension :].any()


@pytest.mark.parametrize("shape", BATCHES)
def test_columns_of_a_batch_are_the_columns_of_its_members(shapes: Any, shape: tuple[int, ...]) -> None:
    batch = shapes.build(shape)
    for layout in batch.layouts:
        members = [batch.reshape((-1,))[i].columns(layout)[:, 0] for i in range(batch.count)]
        np.testing.assert_allclose(batch.columns(layout), np.transpose(members), rtol=0, atol=1e-15)


def test_the_first_layout_is_the_default(shapes: Any) -> None:
    batch = shapes.build((2,))
    assert batch.columns() is batch.columns(batch.layouts[0])


def test_columns_are_made_once(shapes: Any) -> None:
    batch = shapes.build((3,))
    for layout in batch.layouts:
        assert batch.columns(layout) is batch.columns(layout)
        assert batch[:, None].columns(layout) is batch.columns(layout)


def test_columns_of_nothing_have_all_rows_and_no_column(shapes: Any) -> None:
    subset = shapes.build(())
    for shape in ((0,), (2, 0), (0, 3)):
        nothing = shapes.build(shape)
        for layout in nothing.layouts:
            columns = nothing.columns(layout)
            assert columns.shape == (len(subset.columns(layout)), 0)
            assert columns.flags.c_contiguous
            assert not columns.flags.writeable


def test_a_chosen_part_has_the_columns_of_that_part(shapes: Any) -> None:
    batch = shapes.build((5,))
    for layout in batch.layouts:
        whole = batch.columns(layout)
        np.testing.assert_array_equal(batch[[3, 1]].columns(layout), whole[:, [3, 1]])
        np.testing.assert_array_equal(batch[::-1].columns(layout), whole[:, ::-1])


def test_a_layout_that_the_class_does_not_have_is_refused(shapes: Any) -> None:
    batch = shapes.build((2,))
    with pytest.raises(ValueError, match="banana"):
        batch.columns("banana")


# --- what the numbers mean ------------------------------------------------------------------------------


def vector(record: Any) -> list[float]:
    return [float(x) for x in record]


def test_fields_of_records_have_the_values_of_the_shapes_fields(shapes: Any) -> None:
    batch = shapes.build((4,))
    layout = batch.layouts[0]
    read = getattr(load, f"load_{layout}")
    names = set(batch._fields) & set(getattr(records, layout.capitalize())._fields)
    assert names
    for i in range(4):
        record = read(batch.columns(layout), i)
        for name in names:
            np.testing.assert_array_equal(flat(getattr(record, name)), getattr(batch[i], name).ravel())


def test_a_box_record_has_half_sizes_and_the_columns_of_its_matrix() -> None:
    rng = np.random.default_rng(0)
    q = rng.normal(size=4)
    box = ougi.Box([1, 2, 3], [4, 5, 6], q / np.linalg.norm(q))
    record = load.load_box(box.columns(), 0)
    assert vector(record.half) == [2.0, 2.5, 3.0]
    np.testing.assert_array_equal(np.transpose([record.x, record.y, record.z]), box.rotation)


def test_a_rectangle_record_has_half_sizes_and_its_first_edge() -> None:
    record = load.load_rectangle(ougi.Rectangle([1, 2], [4, 5], 0.3).columns(), 0)
    assert vector(record.half) == [2.0, 2.5]
    np.testing.assert_allclose(vector(record.x), [np.cos(0.3), np.sin(0.3)], rtol=1e-15)


def test_an_aabb_is_read_as_a_box_that_is_not_turned() -> None:
    boxes = ougi.Aabb3d([[0, 0, 0], [1, 2, 3], [0, 0, 0], [5, 5, 5]], [9, 8, 7])
    columns = boxes.columns("box")
    assert columns.shape == (15, 4)
    for i in range(4):
        record = load.load_box(columns, i)
        np.testing.assert_array_equal(vector(record.center), (boxes.lower[i] + boxes.upper[i]) / 2)
        np.testing.assert_array_equal(vector(record.half), (boxes.upper[i] - boxes.lower[i]) / 2)
        np.testing.assert_array_equal([record.x, record.y, record.z], np.eye(3))


def test_an_aabb_in_the_plane_is_read_as_a_rectangle_that_is_not_turned() -> None:
    boxes = ougi.Aabb2d([[0, 0], [1, 2], [0, 0]], [9, 8])
    columns = boxes.columns("rectangle")
    assert columns.shape == (6, 3)
    for i in range(3):
        record = load.load_rectangle(columns, i)
        np.testing.assert_array_equal(vector(record.center), (boxes.lower[i] + boxes.upper[i]) / 2)
        np.testing.assert_array_equal(vector(record.half), (boxes.upper[i] - boxes.lower[i]) / 2)
        assert vector(record.x) == [1.0, 0.0]


def test_a_segment_is_read_as_a_capsule_of_radius_zero() -> None:
    flat_one = load.load_capsule2d(ougi.Segment2d([1, 2], [3, 4]).columns("capsule2d"), 0)
    assert flat(flat_one) == [1.0, 2.0, 3.0, 4.0, 0.0]
    one = load.load_capsule3d(ougi.Segment3d([1, 2, 3], [4, 5, 6]).columns("capsule3d"), 0)
    assert flat(one) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0]


def test_a_sector_record_has_a_right_handed_frame_and_its_side() -> None:
    fan = ougi.Sector3d([1, 2, 3], [0, 0, 5], [2, 0, 9], np.pi / 3, 1, 2, 0.5)
    record = load.load_sector3d(fan.columns(), 0)
    frame = record.frame
    assert vector(frame.center) == [1.0, 2.0, 3.0]
    np.testing.assert_allclose([frame.x, frame.y, frame.z], np.eye(3), rtol=0, atol=1e-15)
    np.testing.assert_allclose(vector(record.side), [0.5, np.sqrt(0.75)], rtol=0, atol=1e-15)
    assert [record.inner_radius, record.outer_radius, record.half_height] == [1.0, 2.0, 0.5]


def test_the_sides_of_a_full_ring_are_one_ray() -> None:
    fan = ougi.Sector3d([0, 0, 0], [0, 0, 1], [1, 0, 0], [np.pi, 3.0], 1, 2, 0.5)
    assert vector(load.load_sector3d(fan.columns(), 0).side) == [-1.0, 0.0]
    assert load.load_sector3d(fan.columns(), 1).side.y == np.sin(3.0)


@pytest.mark.parametrize("cls", [ougi.Sector2d, ougi.Sector3d])
def test_sectors_are_read_as_bodies_of_pieces(cls: Any) -> None:
    sectors = draw_batch(cls, 5, 3)
    columns = sectors.columns(WITH_MEMORY)
    for i in range(5):
        body = load_body3d(columns, i)
        assert flat(body.frame) == columns[:12, i].tolist()
        assert (body.half_angle, body.radius) == (sectors.half_angle[i], 0.0)
        np.testing.assert_array_equal(body.numbers, columns.ravel())
