"""Colours of bodies, as `#rrggbb`. They never matter to a check, so what cannot be read is no colour."""

from __future__ import annotations

import math
import re

from ougi._typing import JsonValue

HEX = "^#[0-9a-fA-F]{6}$"


def is_color(text: str) -> bool:
    """Is this a colour, such as `#d73a2d`?"""
    return re.match(HEX, text) is not None


def format_color(values: JsonValue, *, linear: bool = False) -> str:
    """Red, green and blue from 0 to 1, as text; '' for anything else. `linear` light is converted to sRGB.

    >>> from ougi.scene.colors import format_color
    >>> format_color([1, 0.5, 0]), format_color([1, 0.5, 0], linear=True), format_color("red")
    ('#ff8000', '#ffbc00', '')
    """
    try:
        numbers = [float(value) for value in values[:3]]
    except (TypeError, ValueError):
        return ""
    if len(numbers) != 3 or not all(math.isfinite(value) for value in numbers):
        return ""
    numbers = [min(max(value, 0.0), 1.0) for value in numbers]
    if linear:
        numbers = [12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055 for x in numbers]
    return "#" + "".join(f"{round(255 * value):02x}" for value in numbers)
