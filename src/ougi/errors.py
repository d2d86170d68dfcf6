"""The errors that ougi raises beyond ValueError and TypeError."""

from __future__ import annotations

__all__ = ["DeviceError", "InvalidInputError", "MissingExtraError", "MissingLabError", "UnsupportedPairError"]


class UnsupportedPairError(TypeError):
    """A query is not implemented for two shapes.

    ougi never returns "no" for a pair that it cannot decide.

    >>> import ougi
    >>> tetrahedron = ougi.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1]])
    >>> try:
    ...     ougi.contacts(tetrahedron, ougi.Sphere([0, 0, 0], 1))
    ... except ougi.UnsupportedPairError as error:
    ...     print(str(error)[:47])
    contacts(Mesh, Sphere) is not supported: a Mesh
    """


class MissingExtraError(ImportError):
    """An optional dependency is missing; the message names the `pip install` that brings it.

    >>> import ougi
    >>> str(ougi.MissingExtraError("plot", "drawing a picture"))
    'drawing a picture needs the extra \\'plot\\': pip install "ougi[plot]"'
    """

    def __init__(self, extra: str, purpose: str, distribution: str = "ougi") -> None:
        super().__init__(f'{purpose} needs the extra {extra!r}: pip install "{distribution}[{extra}]"')
        self.extra = extra
        self.purpose = purpose
        self.distribution = distribution

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        """As it was made: it may come from another process."""
        return type(self), (self.extra, self.purpose, self.distribution)


class MissingLabError(ImportError):
    """The distribution ougi-lab is missing; the message names the `pip install` that brings it.

    >>> from ougi.errors import MissingLabError
    >>> str(MissingLabError("the command 'verify'"))
    "the command 'verify' needs the distribution ougi-lab: pip install ougi-lab, or ./lab in a clone"
    """

    def __init__(self, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the distribution ougi-lab: pip install ougi-lab, or ./lab in a clone"
        )
        self.purpose = purpose

    def __reduce__(self) -> tuple[type[MissingLabError], tuple[str]]:
        return type(self), (self.purpose,)


class DeviceError(RuntimeError):
    """`ougi.cuda` or `ougi.radar.gl` was called, but no GPU, or no OpenGL, can be used; the message says what
    is missing.

    >>> import ougi
    >>> issubclass(ougi.DeviceError, RuntimeError)
    True
    """


class InvalidInputError(ValueError):
    """What was given on the command line or in a file cannot be used; the message says what and why.

    >>> import ougi
    >>> issubclass(ougi.InvalidInputError, ValueError)
    True
    """
