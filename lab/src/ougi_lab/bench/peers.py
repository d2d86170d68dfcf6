"""Other libraries: whether one is installed, its version, and how it runs a case."""

from __future__ import annotations

import importlib
import importlib.metadata
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

NOT_INSTALLED = 'not installed (pip install "ougi-lab[peers]")'


class MissingPeerError(Exception):
    """A library cannot take part; the message says why."""


class Peer(NamedTuple):
    """Another library, and what it does with a case.

    `build(module, *case)` makes the objects of a case before any clock starts, and returns what is timed.
    """

    name: str
    module: str
    build: Callable[..., Any]
    refuses: Callable[..., str | None] = lambda *case: None  # why it cannot run a case
    distribution: str | None = None  # on the package index, where its name is not that of the module

    def load(self) -> Any:
        """Import it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # SWIG's in Box2D; made an error, it ends the interpreter
                return importlib.import_module(self.module)
        except ImportError as error:
            if isinstance(error, ModuleNotFoundError) and error.name == self.module:
                raise MissingPeerError(NOT_INSTALLED) from None
            raise MissingPeerError(f"cannot be imported: {error}") from error

    @property
    def version(self) -> str | None:
        """None if it cannot be imported."""
        try:
            self.load()
        except MissingPeerError:
            return None
        return importlib.metadata.version(self.distribution or self.module)

    def build_task(self, *case: Any) -> Any:
        """Build what is timed, or raise `MissingPeerError`."""
        if (reason := self.refuses(*case)) is not None:
            raise MissingPeerError(reason)
        return self.build(self.load(), *case)


def build_tasks(peers: Iterable[Peer], *case: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """A task for each library that takes part in a case, and why the others are missing."""
    tasks, missing = {}, {}
    for peer in peers:
        try:
            tasks[peer.name] = peer.build_task(*case)
        except MissingPeerError as reason:
            missing[peer.name] = str(reason)
    return tasks, missing


def read_peer_versions(peers: Iterable[Peer]) -> dict[str, str | None]:
    """Name -> version, None for a library that is missing."""
    return {peer.name: peer.version for peer in peers}
