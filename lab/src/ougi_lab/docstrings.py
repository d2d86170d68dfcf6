"""For the API reference: examples in our docstrings stand at the end, without a heading, as doctests do.

The parser of numpydoc would take them for parameters, and Markdown for quotations; here they get the heading
that makes them code.
"""

from typing import Any

import griffe

HEADING = "Examples\n--------\n"


def with_heading(text: str) -> str:
    """The docstring with a heading before its first example.

    >>> with_heading("Sum of two.\\n\\nReturns\\n-------\\nint\\n\\n>>> 1 + 1\\n2").split("\\n")[6:8]
    ['Examples', '--------']
    """
    before, sign, after = text.partition(">>> ")
    return f"{before}{HEADING}{sign}{after}" if sign and HEADING not in before else text


class Examples(griffe.Extension):
    """Gives every docstring its heading."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = with_heading(obj.docstring.value)
