"""What is wrong with a file: all of it at once, each with its place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from ougi.errors import InvalidInputError

# More lines than anyone reads.
_SHOWN = 50

# Comparing a word with more than so many others takes too long for a hint.
_SEARCHED = 1000


class Problem(NamedTuple):
    """One thing wrong: the file, the line (0 if unknown) and what, with a suggestion where there is one."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.text}"


class SceneError(InvalidInputError):
    """A scene that cannot be used, with everything that is wrong with it.

    Attributes
    ----------
    problems
        One `Problem` (file, line, text) for each thing, in the order of the file.

    >>> from ougi.scene import Problem, SceneError
    >>> print(SceneError([Problem("door.toml", 9, "no name"), Problem("door.toml", 3, "no shape")]))
    door.toml:3: no shape
    door.toml:9: no name
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(dict.fromkeys(problems), key=lambda p: (p.file, p.line)))
        lines = [str(problem) for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            lines.append(f"and {len(self.problems) - _SHOWN} more")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[SceneError], tuple[tuple[Problem, ...]]]:
        """As it was made: it may come from another process."""
        return type(self), (self.problems,)


class Findings:
    """Collects the problems of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, line: int, text: str) -> None:
        """Note a problem."""
        self.problems.append(Problem(self.file, line, text))

    def refuse(self) -> None:
        """Raise if there is anything wrong."""
        if self.problems:
            raise SceneError(self.problems)


def refused(file: str, text: str, line: int = 0) -> SceneError:
    """The error of a file with one problem."""
    return SceneError([Problem(file, line, text)])


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'color'?`, or the words there are, or nothing for a long list without a like word."""
    known = list(known)
    like = difflib.get_close_matches(word, known, n=1) if len(known) <= _SEARCHED else []
    if like:
        return f", did you mean {like[0]!r}?"
    return f"; known: {', '.join(known)}" if 0 < len(known) <= 20 else ""
