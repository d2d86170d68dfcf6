"""Prepare docstrings for the API reference: give the examples at their end a heading.

Without it the numpydoc parser reads them as parameters, and Markdown reads them as quotations.
"""

from typing import Any

import griffe

HEADING = "Examples\n--------\n"


def add_heading(text: str) -> str:
    """Return the docstring with a heading before its first example.

    >>> add_heading("Sum of two.\\n\\nReturns\\n-------\\nint\\n\\n>>> 1 + 1\\n2").split("\\n")[6:8]
    ['Examples', '--------']
    """
    before, sign, after = text.partition(">>> ")
    return f"{before}{HEADING}{sign}{after}" if sign and HEADING not in before else text


class Examples(griffe.Extension):
    """Gives every docstring the heading."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = add_heading(obj.docstring.value)
