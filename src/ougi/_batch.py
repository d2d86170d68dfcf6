"""One or many: the common part of shapes and motions.

A batch has a shape like an array; a single ball is the batch of shape (). Its fields are read-only arrays
whose leading axes are the batch's. For compiled loops it lays itself out, once, as component-major columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, NoReturn, Self, TypeVar

import numpy as np

from ougi import _check
from ougi._render import render_columns
from ougi._typing import DynamicBatch, Floats, Index

if TYPE_CHECKING:
    _HintingType = type  # so that type checkers see the constructors themselves
else:

    class _HintingType(type):
        """Names the keyword that is meant where a constructor gets an unknown one."""

        @property
        def __signature__(cls) -> DynamicBatch:
            """The signature of the constructor; `help` and notebooks would show that of `__call__`."""
            import inspect  # seldom needed, and slow to import

            parameters = list(inspect.signature(cls.__init__).parameters.values())
            return inspect.Signature(parameters[1:])

        def __call__(cls, *args: DynamicBatch, **kwargs: DynamicBatch) -> DynamicBatch:
            try:
                return super().__call__(*args, **kwargs)
            except TypeError as error:
                if kwargs and "unexpected keyword" in str(error):
                    raise TypeError(_describe_keywords(cls, kwargs)) from None
                raise


def _describe_keywords(cls: DynamicBatch, given: dict[str, object]) -> str:
    """Which keyword is unknown to a constructor, which one is meant, and which there are."""
    import difflib  # seldom needed, and slow to import
    import inspect

    known = [name for name in inspect.signature(cls.__init__).parameters if name not in ("self", "motions")]
    unknown = next((name for name in given if name not in known), "")
    near = difflib.get_close_matches(unknown, known, n=1) or [_SYNONYMS.get(unknown, "")]
    hint = f"did you mean {near[0]!r}?" if near[0] in known else f"it has {', '.join(known)}"
    return f"{cls.__name__}() got an unexpected keyword argument {unknown!r}; {hint}"


# Keywords of other libraries -> ours.
_SYNONYMS = {
    "pos": "center", "position": "center", "origin": "center", "translation": "offset",
    "half_size": "size", "half_extents": "size", "extents": "size", "orientation": "rotation",
    "r": "radius", "p0": "start", "p1": "end", "min": "lower", "max": "upper",
    "theta": "angle", "points": "vertices", "triangles": "faces", "indices": "faces", "closed": "solid",
}  # fmt: skip


class Batch(metaclass=_HintingType):
    """An immutable array of records; see the module's docstring."""

    # Field name -> shape of its component axes.
    _fields: ClassVar[dict[str, tuple[int, ...]]]
    # Records of `kernels.records` (in lower case) that the batch can be laid out as; its own comes first.
    layouts: ClassVar[tuple[str, ...]] = ()

    _shape: tuple[int, ...]
    _columns: dict[str, Floats]

    def _set(self, **values: Floats) -> None:
        """Give the fields their values, broadcast to the common batch shape and read-only."""
        leading = {
            name: value.shape[: value.ndim - len(self._fields[name])] for name, value in values.items()
        }
        self._put(_check.broadcast_shape(**leading), values)

    def _put(self, shape: tuple[int, ...], values: dict[str, Floats]) -> None:
        state = {}
        for name, value in values.items():
            own = np.asarray(value)
            own.flags.writeable = False  # the memory itself, not only the view that users see
            full = shape + self._fields[name]
            state[name] = own if own.shape == full else np.broadcast_to(own, full)
        self.__dict__.update(state, _shape=shape, _columns={})

    def _put_single(self, **values: Floats | None) -> bool:
        """Give a single one its fields, arrays of its own. False, without effect, if one is None."""
        for value in values.values():
            if value is None:
                return False
            value.setflags(write=False)
        self.__dict__.update(values, _shape=(), _columns={})
        return True

    @classmethod
    def _from_fields(cls, shape: tuple[int, ...], values: dict[str, Floats]) -> Self:
        """A batch of fields that have been checked before."""
        new = cls.__new__(cls)
        new._put(shape, values)
        return new

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch's shape; () for a single one."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of the batch's axes."""
        return len(self._shape)

    @property
    def count(self) -> int:
        """How many there are."""
        return math.prod(self._shape)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError(f"a single {type(self).__name__} has no len()")
        return self._shape[0]

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Index) -> Self:
        places = index if isinstance(index, tuple) else (index,)
        everything = all(
            place is None or (isinstance(place, slice) and place == slice(None)) for place in places
        )
        if everything and sum(place is not None for place in places) <= self.ndim:
            return self.reshape(self._probe()[index].shape)  # as in balls[:, None]
        try:
            shape = np.asarray(self._probe()[index]).shape
        except (IndexError, OverflowError) as error:  # an index may be too large for NumPy
            name = type(self).__name__
            raise IndexError(f"{error} (a {name} batch of shape {self._shape})") from None
        # The same index on every field; behind an Ellipsis the component axes must be named.
        dots = any(place is Ellipsis for place in places)
        values = {}
        for name, tail in self._fields.items():
            full = (*places, *(slice(None),) * len(tail)) if dots else index
            values[name] = np.array(getattr(self, name)[full])
        return self._from_fields(shape, values)

    @classmethod
    def _join(cls, batches: Sequence[Self]) -> Self:
        """`concatenate`, its operands checked."""
        if not cls._fields:
            raise TypeError(f"{cls.__name__} does not come in batches")
        rows = [b if b.shape else b.reshape((1,)) for b in batches]
        tails = {b.shape[1:] for b in rows}
        if len(tails) > 1:
            raise ValueError(f"batches must agree behind the first axis, got {[b.shape for b in rows]}")
        # The first one's own fields: those of chains and poses depend on the object.
        values = {name: np.concatenate([getattr(b, name) for b in rows]) for name in rows[0]._fields}
        return cls._from_fields((sum(len(b) for b in rows), *tails.pop()), values)

    def _probe(self) -> DynamicBatch:
        """An array of the batch's shape that costs nothing, to try indices on."""
        return np.broadcast_to(np.zeros((), np.bool_), self._shape)

    def reshape(self, shape: tuple[int, ...]) -> Self:
        """The same in another batch shape."""
        if shape == self._shape:
            return self
        shape = self._probe().reshape(shape).shape
        values = {name: getattr(self, name).reshape(shape + tail) for name, tail in self._fields.items()}
        new = self._from_fields(shape, values)
        new._columns.update(self._columns)
        return new

    def columns(self, layout: str | None = None) -> Floats:
        """The numbers that kernels read: a (k, count) float64 array, C-contiguous and read-only."""
        if layout is None and self.layouts:
            layout = self.layouts[0]
        found = self._columns.get(layout or "")
        if found is None:
            if layout not in self.layouts:
                known = ", ".join(self.layouts) or "nothing"
                raise ValueError(f"a {type(self).__name__} can be laid out as {known}, not as {layout!r}")
            found = self._columns[layout] = self._lay_out(layout)
        return found

    def _lay_out(self, layout: str) -> Floats:
        if self._shape:
            rows = []
            for value in self._rows(layout):
                components = math.prod(value.shape[self.ndim :])
                rows.append(value.reshape((self.count, components)).T)
            columns = np.ascontiguousarray(np.concatenate(rows))
        else:
            columns = np.concatenate([value.ravel() for value in self._rows(layout)]).reshape((-1, 1))
        self._round(layout, columns)
        columns.flags.writeable = False
        return columns

    def _round(self, layout: str, columns: Floats) -> None:
        """Round numbers, in place, that kernels cannot use as they are."""

    def _rows(self, layout: str) -> list[Floats]:
        """The fields of the record `layout`, in its order, as arrays over the batch."""
        raise NotImplementedError

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"{type(self).__name__} is immutable; build a new one instead of setting {name!r}"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; {name!r} cannot be deleted")

    __array_ufunc__ = None  # arrays leave ==, @ and the like to us

    def __array__(self, dtype: object = None, copy: object = None) -> NoReturn:
        fields = ", ".join(self._fields) or "vertices, faces"
        raise TypeError(
            f"a {type(self).__name__} is not an array of numbers; use its fields ({fields}) or columns()"
        )

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Batch):
            return NotImplemented
        return self._shape == other._shape and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self._fields
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self._shape, {name: getattr(self, name) for name in self._fields})

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __repr__(self) -> str:
        name = type(self).__name__
        if self._shape:
            return f"<{name} batch of shape {self._shape}>"
        parts = ", ".join(f"{field}={getattr(self, field).tolist()}" for field in self._fields)
        return f"{name}({parts})"

    def _repr_html_(self) -> str:
        """The fields of the first rows as a table, for notebooks."""
        columns = {name: getattr(self, name) for name in self._fields}
        title = repr(self).strip("<>") if self._shape or not columns else type(self).__name__
        return render_columns(columns, len(self._shape), title)


def _restore(cls: type[Batch], shape: tuple[int, ...], values: dict[str, Floats]) -> Batch:
    return cls._from_fields(shape, values)


B = TypeVar("B", bound=Batch)


def concatenate(batches: Sequence[B]) -> B:
    """Join shapes or motions of one class along their first axis; a single one counts as a batch of one.

    Parameters
    ----------
    batches
        At least one batch; all of the same class, with equal shapes behind the first axis.

    >>> import ougi
    >>> balls = ougi.Sphere([[0, 0, 0], [1, 0, 0]], 0.5)
    >>> ougi.concatenate([balls, ougi.Sphere([5, 5, 5], 1)]).shape
    (3,)
    """
    batches = list(batches)
    if not batches:
        raise ValueError("batches must not be empty: the class of the result would be unknown")
    cls = type(batches[0])
    for i, batch in enumerate(batches):
        if not isinstance(batch, Batch):
            raise TypeError(f"batches must be shapes or motions, got {type(batch).__name__} at index {i}")
        if type(batch) is not cls:
            raise TypeError(
                f"batches must be of one class, got {cls.__name__} and, at index {i}, {type(batch).__name__}"
            )
        if batch._fields != batches[0]._fields:  # poses of the plane and of space are one class
            raise ValueError(_describe_difference(batches[0], batch, i))
    return cls._join(batches)


def _describe_difference(first: DynamicBatch, other: DynamicBatch, i: int) -> str:
    """Why two batches of one class cannot be joined."""
    one, two = first.dimension, other.dimension
    if one != two:
        return f"batches must be of one dimension, got {one}-D and, at index {i}, {two}-D"
    counts = [len(chain.factors) for chain in (first, other)]
    return f"chains must have as many motions, got {counts[0]} and, at index {i}, {counts[1]}"
