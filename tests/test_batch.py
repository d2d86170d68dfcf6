"""One or many: what holds for every shape, motion and pose."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import ougi


def fields(batch: Any) -> dict[str, Any]:
    return {name: getattr(batch, name) for name in batch._fields}


def assert_same_numbers(a: Any, b: Any, atol: float = 0.0) -> None:
    assert type(a) is type(b)
    assert a.shape == b.shape
    for name, value in fields(a).items():
        np.testing.assert_allclose(value, getattr(b, name), rtol=0, atol=atol, err_msg=name)


# --- construction ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (4,), (2, 3), (0,), (2, 0)])
def test_batch_has_the_shape_of_its_arguments(recipe: Any, shape: tuple[int, ...]) -> None:
    batch = recipe.build(shape)
    assert batch.shape == shape
    assert batch.ndim == len(shape)
    assert batch.count == np.prod(shape, dtype=int)
    for name, tail in batch._fields.items():
        value = getattr(batch, name)
        assert value.shape == (*shape, *tail), name
        assert value.dtype == np.float64


def test_each_argument_broadcasts_against_the_others(recipe: Any) -> None:
    one, many = recipe.arguments(()), recipe.arguments((4,))
    for name in one:
        batch = recipe.cls(**{**one, name: many[name]})
        assert batch.shape == (4,)
        for i in range(4):
            alone = recipe.cls(**{**one, name: many[name][i]})
            assert_same_numbers(batch[i], alone, atol=1e-15)


def test_arguments_of_two_axes_broadcast_like_arrays(composed: Any) -> None:
    names = list(composed.arguments())
    rows, columns = composed.arguments((2, 1)), composed.arguments((3,), seed=1)
    batch = composed.cls(**{**columns, names[0]: rows[names[0]]})
    assert batch.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            arguments = {name: columns[name][j] for name in names} | {names[0]: rows[names[0]][i, 0]}
            assert_same_numbers(batch[i, j], composed.cls(**arguments), atol=1e-15)


def test_arguments_that_do_not_broadcast_are_listed_with_their_shapes(composed: Any) -> None:
    names = list(composed.arguments())
    arguments = {**composed.arguments((3,)), names[-1]: composed.arguments((2,))[names[-1]]}
    with pytest.raises(ValueError, match="do not broadcast") as caught:
        composed.cls(**arguments)
    assert f"{names[-1]} (2,)" in str(caught.value)
    assert f"{names[0]} (3,)" in str(caught.value)


def test_lists_and_integers_are_taken_as_numbers() -> None:
    ball = ougi.Sphere([1, 2, 3], 4)
    assert ball == ougi.Sphere(np.array([1.0, 2.0, 3.0], np.float32), np.int8(4))
    assert ball.center.dtype == np.float64


# --- immutability ---------------------------------------------------------------------------------------


def test_fields_do_not_follow_the_callers_arrays(recipe: Any) -> None:
    arguments = recipe.arguments((3,))
    batch = recipe.cls(**arguments)
    before = {name: value.copy() for name, value in fields(batch).items()}
    for value in arguments.values():
        value += 1
    for name, value in fields(batch).items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)


def test_the_callers_arrays_stay_writable(recipe: Any) -> None:
    arguments = recipe.arguments((3,))
    recipe.cls(**arguments)
    assert all(value.flags.writeable for value in arguments.values())


@pytest.mark.parametrize("shape", [(), (3,)])
def test_fields_are_read_only(recipe: Any, shape: tuple[int, ...]) -> None:
    whole = recipe.build(shape)
    for batch in (whole, whole[...], pickle.loads(pickle.dumps(whole)), whole.reshape((*shape, 1))):
        for name, value in fields(batch).items():
            assert not value.flags.writeable, name
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0


def test_attributes_cannot_be_set(recipe: Any) -> None:
    batch = recipe.build((2,))
    for name in [*batch._fields, "something_new"]:
        with pytest.raises(AttributeError, match=f"{recipe.name} is immutable.*{name!r}"):
            setattr(batch, name, 1.0)


def test_attributes_cannot_be_deleted(recipe: Any) -> None:
    batch = recipe.build((2,))
    for name in batch._fields:
        with pytest.raises(AttributeError, match=f"{recipe.name} is immutable"):
            delattr(batch, name)
    assert batch == recipe.build((2,))


# --- indexing -------------------------------------------------------------------------------------------

MASK = np.array([True, False, True, True, False])
INDICES: list[Any] = [
    0,
    -1,
    np.int64(3),
    slice(None),
    slice(1, 4),
    slice(None, None, -1),
    slice(5, None),
    MASK,
    MASK.tolist(),
    np.zeros(5, bool),
    np.array([4, 0, 0]),
    [3, 1],
    [],
    np.array([[0, 1], [2, 3]]),
    None,
    (slice(None), None),
    (None, 2),
    ...,
    (..., None),
    (..., 1),
    (),
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indexing_a_row_is_indexing_its_fields(recipe: Any, index: Any) -> None:
    batch = recipe.build((5,))
    chosen = batch[index]
    numbers = np.arange(5)[index]
    assert type(chosen) is type(batch)
    assert chosen.shape == numbers.shape
    for name, value in fields(batch).items():
        np.testing.assert_array_equal(getattr(chosen, name), value[numbers], err_msg=name)


@pytest.mark.parametrize(
    "index",
    [1, (1, 2), (slice(None), 0), (..., 0), (None, 1, ..., None), ([0, 1], [2, 0]), np.eye(2, 3) > 0],
    ids=str,
)
def test_indexing_a_table_is_indexing_its_fields(recipe: Any, index: Any) -> None:
    batch = recipe.build((2, 3))
    numbers = np.arange(6).reshape((2, 3))[index]
    chosen = batch[index]
    assert chosen.shape == np.shape(numbers)
    for name, tail in batch._fields.items():
        rows = getattr(batch, name).reshape((6, *tail))
        np.testing.assert_array_equal(getattr(chosen, name), rows[numbers], err_msg=name)


@hypothesis.given(hnp.basic_indices((3, 2), max_dims=4, allow_newaxis=True))
def test_a_batch_takes_every_basic_index_of_numpy(index: Any) -> None:
    numbers = np.arange(6).reshape((3, 2))
    balls = ougi.Sphere(np.stack([numbers, numbers, numbers], axis=-1), numbers)
    np.testing.assert_array_equal(balls[index].radius, numbers[index])
    np.testing.assert_array_equal(balls[index].center[..., 1], numbers[index])


@pytest.mark.parametrize("index", [5, -6, (0, 0), (slice(None), None, 0, 0), "radius", 1.0, [7], MASK[:4]])
def test_an_index_that_does_not_fit_is_refused_with_the_batch_shape(recipe: Any, index: Any) -> None:
    with pytest.raises(IndexError, match=rf"{recipe.name} batch of shape \(5,\)"):
        recipe.build((5,))[index]


def test_a_single_one_has_neither_length_nor_items(recipe: Any) -> None:
    one = recipe.build(())
    with pytest.raises(TypeError, match=f"single {recipe.name}"):
        len(one)
    with pytest.raises(TypeError, match=f"single {recipe.name}"):
        iter(one)
    with pytest.raises(IndexError, match=recipe.name):
        one[0]
    with pytest.raises(IndexError, match=recipe.name):
        one[:]


def test_a_single_one_gains_axes_by_none(recipe: Any) -> None:
    one = recipe.build(())
    assert one[None].shape == (1,)
    assert one[None][0] == one
    assert one[...] == one
    assert one[()] == one


def test_iteration_gives_the_members_in_order(recipe: Any) -> None:
    batch = recipe.build((4,))
    assert len(batch) == 4
    assert list(batch) == [batch[i] for i in range(4)]
    table = recipe.build((2, 3))
    assert len(table) == 2
    assert [row.shape for row in table] == [(3,), (3,)]
    assert list(recipe.build((0,))) == []


def test_reshaping_keeps_the_order(recipe: Any) -> None:
    batch = recipe.build((6,))
    table = batch.reshape((2, 3))
    assert table.shape == (2, 3)
    assert [one for row in table for one in row] == list(batch)
    assert table.reshape((-1,)) == batch
    with pytest.raises(ValueError, match="reshape"):
        batch.reshape((4,))


# --- equality -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)])
def test_equality_is_one_bool_for_the_whole_batch(recipe: Any, shape: tuple[int, ...]) -> None:
    batch = recipe.build(shape)
    assert (batch == recipe.build(shape)) is True
    assert (batch != recipe.build(shape)) is False


def test_one_different_number_makes_a_batch_different(recipe: Any) -> None:
    arguments = recipe.arguments((3,))
    batch = recipe.cls(**arguments)
    for name in arguments:
        other = recipe.arguments((3,), seed=1)[name]
        changed = arguments[name].copy()
        changed[1] = other[1]
        assert (batch == recipe.cls(**{**arguments, name: changed})) is False, name


def test_batches_of_other_shape_or_class_are_different(recipe: Any) -> None:
    batch = recipe.build((1,))
    assert (batch == batch[0]) is False
    assert (batch == batch[None]) is False
    assert (batch == ougi.Circle([[0, 0]], 77)) is False
    assert (batch == "ball") is False
    assert (batch == None) is False  # noqa: E711
    assert ougi.Segment2d([0, 0], [1, 1]) != ougi.Aabb2d([0, 0], [1, 1])


def test_comparison_with_an_array_is_one_bool() -> None:
    balls = ougi.Sphere([[0, 0, 0], [1, 1, 1]], 1)
    assert (balls == np.zeros(2)) is False
    assert (np.zeros(2) == balls) is False


def test_batches_are_not_hashable(recipe: Any) -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(recipe.build())


# --- copies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)])
@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_pickling_gives_an_equal_batch(recipe: Any, shape: tuple[int, ...], protocol: int) -> None:
    batch = recipe.build(shape)
    again = pickle.loads(pickle.dumps(batch, protocol))
    assert again is not batch
    assert type(again) is type(batch)
    assert again.shape == shape
    assert again == batch
    assert repr(again) == repr(batch)


def test_a_pickle_holds_no_columns() -> None:
    balls = ougi.Sphere(np.zeros((1000, 3)), 1)
    before = len(pickle.dumps(balls))
    balls.columns()
    assert len(pickle.dumps(balls)) == before


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy])
def test_copies_are_equal(recipe: Any, make: Any) -> None:
    batch = recipe.build((3,))
    assert make(batch) == batch
    assert make([batch])[0] == batch


# --- repr -----------------------------------------------------------------------------------------------


def test_repr_of_a_single_one_names_its_fields_and_values(recipe: Any) -> None:
    one = recipe.build(())
    text = repr(one)
    assert text.startswith(f"{recipe.name}(")
    for name, value in fields(one).items():
        assert f"{name}={value.tolist()}" in text


def test_repr_of_a_single_one_can_be_evaluated(recipe: Any) -> None:
    one = recipe.build(())
    again = eval(repr(one), {recipe.name: recipe.cls})
    assert_same_numbers(again, one, atol=1e-15)


def test_repr_of_many_has_class_and_shape(recipe: Any) -> None:
    assert repr(recipe.build((2, 3))) == f"<{recipe.name} batch of shape (2, 3)>"
    assert repr(recipe.build((0,))) == f"<{recipe.name} batch of shape (0,)>"


# --- concatenate ----------------------------------------------------------------------------------------


def test_concatenate_joins_along_the_first_axis(recipe: Any) -> None:
    batch = recipe.build((5,))
    parts = [batch[:2], batch[2], batch[3:3], batch[3:]]
    assert ougi.concatenate(parts) == batch
    assert ougi.concatenate(list(batch)) == batch
    assert ougi.concatenate([batch]) == batch
    assert ougi.concatenate(batch) == batch
    table = recipe.build((2, 3))
    assert ougi.concatenate([table[:1], table[1:]]) == table
    assert ougi.concatenate([table[1:], table[:1]]) == table[::-1]


def test_concatenate_of_empty_batches_is_empty(recipe: Any) -> None:
    nothing = recipe.build((0,))
    assert ougi.concatenate([nothing]).shape == (0,)
    assert ougi.concatenate([nothing, nothing]) == nothing
    assert ougi.concatenate([nothing, recipe.build((2,))]) == recipe.build((2,))


def test_concatenate_refuses_what_does_not_fit(recipe: Any) -> None:
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(4,\)"):
        ougi.concatenate([recipe.build((2, 3)), recipe.build((4,))])
    other = ougi.Circle([0, 0], 1) if recipe.name != "Circle" else ougi.Sphere([0, 0, 0], 1)
    with pytest.raises(TypeError, match=f"{recipe.name}.*index 1.*{type(other).__name__}"):
        ougi.concatenate([recipe.build(), other])


def test_concatenate_refuses_nothing_at_all() -> None:
    with pytest.raises(ValueError, match="empty"):
        ougi.concatenate([])


def test_concatenate_refuses_what_is_no_batch() -> None:
    wrong: Any = [[1.0, 2.0, 3.0]]
    with pytest.raises(TypeError, match="list"):
        ougi.concatenate(wrong)


def test_concatenate_refuses_poses_of_two_dimensions() -> None:
    with pytest.raises(ValueError, match=r"2-D.*3-D"):
        ougi.concatenate([ougi.Pose([0, 0]), ougi.Pose([0, 0, 0])])


@hypothesis.given(st.lists(st.integers(0, 4), min_size=1, max_size=6))
def test_splitting_and_joining_changes_nothing(lengths: list[int]) -> None:
    n = sum(lengths)
    rng = np.random.default_rng(n)
    boxes = ougi.Box(rng.normal(size=(n, 3)), rng.uniform(0, 1, (n, 3)))
    cuts = np.cumsum([0, *lengths])
    assert ougi.concatenate([boxes[a:b] for a, b in itertools.pairwise(cuts)]) == boxes
