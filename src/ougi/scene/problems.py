"""What is wrong with a file: all of it at once, each with its place."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable
from typing import NamedTuple

from ougi.errors import InvalidInputError

# Problems in a message.
_SHOWN = 50

# After this number of problems the rest of a file is not checked, because a wrong file must not take minutes.
_COLLECTED = 200

# Limits for suggestions: words to compare with, and characters of a word. More takes too long.
_SEARCHED = 500
_LONGEST_WORD = 100

# Characters of a message; a name or a value of a file may have millions.
_LONGEST_TEXT = 500


# MuJoCo itself must read its files, because they include others by rules of their own.
MJCF_ADVICE = (
    "this is a file of MuJoCo, not a URDF; read it with mujoco, and check its motions by "
    "ougi.Robot.from_mujoco(mujoco.MjModel.from_xml_path(path))"
)


class Problem(NamedTuple):
    """One thing wrong: the file, the line (0 if unknown) and what, with a suggestion where there is one.

    >>> from ougi.scene import Problem
    >>> print(Problem("door.toml", 3, "body 'door': unknown key 'sape'"))
    door.toml:3: body 'door': unknown key 'sape'
    """

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
        One `Problem` (file, line, text) for each thing, in the order of the file. Their texts are printable
        and of limited length, whatever the file holds.
    is_complete
        False if the rest of the file was not checked because there were too many problems.

    >>> from ougi.scene import Problem, SceneError
    >>> print(SceneError([Problem("door.toml", 9, "no name"), Problem("door.toml", 3, "no shape")]))
    door.toml:3: no shape
    door.toml:9: no name
    """

    def __init__(self, problems: Iterable[Problem], is_complete: bool = True) -> None:
        self.is_complete = is_complete
        clean = (
            Problem(escape_controls(p.file), p.line, escape_controls(_shorten(p.text))) for p in problems
        )
        self.problems = tuple(sorted(dict.fromkeys(clean), key=lambda p: (p.file, p.line)))
        lines = [str(problem) for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            lines.append(f"and {len(self.problems) - _SHOWN} more")
        if not is_complete:
            lines.append("the rest of the file was not checked")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[SceneError], tuple[tuple[Problem, ...], bool]]:
        """As it was made: it may come from another process."""
        return type(self), (self.problems, self.is_complete)


class Findings:
    """Collects the problems of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, line: int, text: str) -> None:
        """Note a problem; raise a SceneError if there are too many to go on."""
        self.extend([Problem(self.file, line, text)])

    def extend(self, problems: Iterable[Problem]) -> None:
        """Note the problems of another file, too."""
        self.problems.extend(problems)
        if len(self.problems) >= _COLLECTED:
            raise SceneError(self.problems, is_complete=False)

    def raise_if_any(self) -> None:
        """Raise if there is anything wrong."""
        if self.problems:
            raise SceneError(self.problems)


def scene_error(file: str, text: str, line: int = 0) -> SceneError:
    """The error of a file with one problem."""
    return SceneError([Problem(file, line, text)])


def escape_controls(text: str) -> str:
    r"""Text of a file with its control characters escaped, so that no terminal obeys them.

    >>> from ougi.scene.problems import escape_controls
    >>> print(escape_controls("red \x1b[31m\u202eword"))
    red \x1b[31m\u202eword
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _shorten(text: str) -> str:
    """The beginning and the end of a text that is too long to be read."""
    if len(text) <= _LONGEST_TEXT:
        return text
    return f"{text[: _LONGEST_TEXT - 100]} ... {text[-95:]}"


def suggest_name(word: str, known: Iterable[str]) -> str:
    """`, did you mean 'color'?`, or the words there are, or nothing for a long list without a like word."""
    known = list(known)
    is_short = len(known) <= _SEARCHED and len(word) <= _LONGEST_WORD
    like = difflib.get_close_matches(word, known, n=1) if is_short else []
    if like:
        return f", did you mean {like[0]!r}?"
    return f"; known: {', '.join(known)}" if 0 < len(known) <= 20 else ""


def warn_user(file: str, text: str, line: int = 0) -> None:
    """Warn about something that does not prevent reading, at the line that called ougi."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("ougi."):
        frame, level = frame.f_back, level + 1
    warnings.warn(escape_controls(_shorten(str(Problem(file, line, text)))), stacklevel=level)
