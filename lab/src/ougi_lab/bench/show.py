"""Measurements as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ougi.cli.tables import Table
from ougi_lab.bench import narrow, peers, start


def narrow_table(rows: Sequence[narrow.Row]) -> Table:
    """Nanoseconds per test and ratios to the copy."""
    headings = (
        "pair",
        "question",
        "form",
        ">tests",
        ">hits",
        ">ns/test",
        ">copies",
        ">at best",
        ">public ns",
        ">copies",
        "target",
    )
    lines = [
        (
            row.pair,
            row.question,
            row.form,
            f"{row.tests:,}",
            f"{row.hits:.0%}",
            f"{row.kernel_ns:.2f}",
            f"{row.ratio:.2f}",
            f"{row.best_ratio:.2f}",
            f"{row.public_ns:.2f}",
            f"{row.public_ratio:.2f}",
            verdict(_bound(row), row.met),
        )
        for row in rows
    ]
    return Table(
        "narrow phase, one thread",
        headings,
        lines,
        (
            "copies: the time of a test over the time to copy its columns into a warm buffer, "
            "those of one shape (one) or of both (listed); medians, and at best. If the two differ much, "
            "other programs were running: they slow the copy most.",
            "ns/test: the compiled loop alone; public ns: ougi.intersects or ougi.distance, "
            "with its checks and a new array.",
            "target: of the copies, or of ns/test.",
            *summary(row.met for row in rows),
        ),
    )


def _bound(row: narrow.Row) -> str | None:
    if row.target_ns is not None:
        return f"<= {row.target_ns:g} ns"
    return None if row.target is None else f"<= {row.target:g}"


def peers_table(rows: Sequence[peers.Row]) -> Table:
    """Microseconds per test of ours and theirs, and how often the answers differ."""
    names = list(rows[0].peers) if rows else []
    headings = ["pair", "question", ">tests", ">ougi us", ">ougi us, single"]
    for name in names:
        headings += [f">{name} us", ">differ", ">worst gap"]
    lines = []
    for row in rows:
        line = [row.pair, row.question, f"{row.tests:,}", f"{row.ougi_us:.3f}", f"{row.ougi_single_us:.2f}"]
        for name in names:
            line += _peer_cells(row.peers[name])
        lines.append(tuple(line))
    return Table(
        "other libraries, called in a Python loop",
        tuple(headings),
        lines,
        (
            "ougi: all tests in one call; single: one test per call, as the others. "
            "All objects are built before the clock starts.",
            "differ: answers to 'do they touch?' unlike ours; worst gap: largest difference of two "
            "positive distances.",
        ),
    )


def _peer_cells(peer: peers.Peer) -> list[str]:
    if peer.missing is not None:
        return [peer.missing, "-", "-"]
    return [f"{peer.us:.2f}", str(peer.differ), "-" if peer.worst is None else f"{peer.worst:.0e}"]


def start_table(rows: Sequence[start.Row], loads_numba: bool) -> Table:
    """Milliseconds of whole processes."""
    lines = [
        (
            row.what,
            _milliseconds(row.seconds),
            _milliseconds(row.best),
            _milliseconds(row.worst),
            "-" if row.after_numba is None else f"{row.after_numba * 1e3:+.0f}",
            verdict(row.target, row.met),
        )
        for row in rows
    ]
    return Table(
        "start of a process",
        ("what", ">median ms", ">best", ">worst", ">ms after import numba", "target"),
        lines,
        (
            f"import ougi {'LOADS' if loads_numba else 'does not load'} numba.",
            *summary(row.met for row in rows),
        ),
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.0f}" if seconds > 0.01 else f"{seconds * 1e3:.4f}"


def verdict(target: str | None, met: bool | None) -> str:
    """The cell of a target: nothing without one."""
    return "" if target is None else f"{target} {'met' if met else 'MISSED'}"


def summary(verdicts: Iterable[bool | None]) -> tuple[str, ...]:
    """A note that counts the targets met, if there are any."""
    known = [met for met in verdicts if met is not None]
    return (f"{sum(known)} of {len(known)} targets met.",) if known else ()
