"""Bodies and scenes made by hand: values of other classes are refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ougi
from ougi.scene import Body, Piece

BALL = ougi.Circle([0, 0], 1)
NOTHING: Any = None
NO_NUMBER: Any = np.ma.masked
MOVE = ougi.Translation2d([1, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": 3}, "name must be a string"),
        ({"shape": "nan"}, "shape of 'x' must be a shape"),
        ({"pieces": [Piece(0.0, 1.0, MOVE)]}, "pieces of 'x' must be a tuple"),
        ({"pieces": (MOVE,)}, r"pieces of 'x' must be Piece\(start, stop, motion\), got .* at index 0"),
        ({"pieces": (Piece(0.0, 1.0, NOTHING),)}, r"pieces of 'x' must be Piece"),
        ({"group": None}, "group of 'x' must be a whole number"),
        ({"mask": 1.5}, "mask of 'x' must be a whole number"),
        ({"carrier": 1j}, "carrier must be a string"),
        ({"color": None}, "color must be a string"),
        ({"line": True}, "line of 'x' must be a whole number"),
        ({"pieces": (Piece(True, 1.0, MOVE),)}, "start of piece 0 of 'x' must be a number, got True"),
        ({"pieces": (Piece(0.0, NO_NUMBER, MOVE),)}, "stop of piece 0 of 'x' must be a number, got masked"),
    ],
)
def test_other_classes_are_refused(arguments: dict[str, Any], message: str) -> None:
    valid: dict[str, Any] = {"name": "x", "shape": BALL}
    with pytest.raises(TypeError, match=message):
        Body(**{**valid, **arguments})


def test_numbers_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match=r"mask of 'x' must lie in \[0, 2\*\*32 - 1\], got -1"):
        Body("x", BALL, mask=-1)
    with pytest.raises(ValueError, match="stop of piece 0 of 'x' must be finite"):
        Body("x", BALL, (Piece(0.0, 10**400, MOVE),))
    turn = ougi.Rotation3d([0, 0, 0], [0, 0, 1], 1)
    with pytest.raises(
        ValueError, match="pieces of 'x' must be 2-D like its shape, got a Rotation3d at index 0"
    ):
        Body("x", BALL, (Piece(0.0, 1.0, turn),))


def test_scenes_hold_bodies() -> None:
    with pytest.raises(TypeError, match="bodies must be a tuple"):
        ougi.Scene([Body("x", BALL)])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"bodies must hold Body, got .* at index 1"):
        ougi.Scene((Body("x", BALL), True))  # type: ignore[arg-type]


def test_indices_beyond_all_integers_are_refused() -> None:
    with pytest.raises(IndexError, match="a Circle batch of shape"):
        ougi.Circle([[0, 0], [1, 1]], 1)[2**70]
