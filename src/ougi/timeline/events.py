"""Compiled loops of a step: which pairs are tested, and what began, continues or ended."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ougi._native import device, loop
from ougi._typing import Bools, Floats, Ints
from ougi.impact.table import BodyTable
from ougi.timeline.body_order import comes_before
from ougi.timeline.contacts import Contacts

# States of a contact, as in `Events.state`.
BEGAN, ONGOING, ENDED = 0, 1, 2


class EventRows(NamedTuple):
    """Events of a step, in their order.

    `source` is the row of the contact, -1 where there is none any more; `touching` are the pairs that still
    touch when the step ends. Pairs of ids are single numbers, sorted.
    """

    source: Ints
    pair: Ints
    state: Ints
    time: Floats
    touching: Ints


@loop
def filter_pairs(
    pairs: Ints,
    group: Ints,
    mask: Ints,
    moves: Bools,
    is_new: Bools,
    table: BodyTable,
    start: Floats,
    kernels: int,
    out: Ints,
) -> tuple[int, int]:
    """Write the pairs that are to be tested, ordered by content; count them from both ends.

    Pairs of rows below `kernels` stand at the beginning, others at the end. Two bodies at rest are tested if
    one of them is new.
    """
    first, last = 0, len(out)
    layout, columns, screws = table.layout, table.columns, table.screws
    for k in range(len(pairs)):
        i, j = pairs[k, 0], pairs[k, 1]
        if group[i] & mask[j] == 0 or group[j] & mask[i] == 0:
            continue
        if not (moves[i] or moves[j] or is_new[i] or is_new[j]):
            continue
        # The layout and the first number decide almost always: without a branch, which would be guessed.
        later, x, y = layout[j] < layout[i], columns[0, i], columns[0, j]
        is_alike = layout[j] == layout[i]
        later = later | (is_alike & (y < x))
        if is_alike & (y == x):
            later = comes_before(layout, columns, screws, start, j, i)
        i, j = (j, i) if later else (i, j)
        if max(i, j) < kernels:
            at = first
            first += 1
        else:
            last -= 1
            at = last
        out[at, 0], out[at, 1] = i, j
    return first, last


@loop
def encode_pairs(
    pairs: Ints, rows: Ints, body: Ints, moves: Bools, stays: Bools, normal: Floats, code: Ints
) -> None:
    """Pairs of ids as single numbers, the smaller first; normals follow. A contact at rest stays one."""
    for k in range(len(rows)):
        row = rows[k]
        i, j = pairs[row, 0], pairs[row, 1]
        if body[i] > body[j]:
            i, j = j, i
            for axis in range(normal.shape[1]):
                normal[row, axis] = 0.0 - normal[row, axis]
        code[k] = (body[i] << 32) | body[j]
        stays[k] = stays[k] or not (moves[i] or moves[j])


@device
def _write(out: EventRows, at: int, source: int, pair: int, state: int, time: float) -> int:
    out.source[at], out.pair[at], out.state[at], out.time[at] = source, pair, state, time
    return at + 1


@loop
def order_events(
    code: Ints,
    order: Ints,
    rows: Ints,
    t: Floats,
    stays: Bools,
    known: Ints,
    start: float,
    dt: float,
    out: EventRows,
) -> tuple[int, int, int, int]:
    """Merge the contacts of a step, sorted by `order`, with the pairs that are `known` to touch.

    What began at once comes first, then what is ongoing, what began later, and what ended, each by pairs.
    Returns where the third part begins, where it ends, and how many events and touching pairs there are.
    """
    at_once = ongoing = p = 0
    for q in range(len(order)):
        k = order[q]
        while p < len(known) and known[p] < code[k]:
            p += 1
        if p < len(known) and known[p] == code[k]:
            ongoing += 1
        elif start + t[rows[k]] * dt <= start:
            at_once += 1
    here, there, later, over = 0, at_once, at_once + ongoing, len(order)
    began_later, p, touching = later, 0, 0
    for q in range(len(order)):
        k = order[q]
        while p < len(known) and known[p] < code[k]:
            over = _write(out, over, -1, known[p], ENDED, start + dt)
            p += 1
        time = start + t[rows[k]] * dt
        if p < len(known) and known[p] == code[k]:
            there = _write(out, there, rows[k], code[k], ONGOING, start)
            p += 1
        elif time <= start:
            here = _write(out, here, rows[k], code[k], BEGAN, start)
        else:
            later = _write(out, later, rows[k], code[k], BEGAN, time)
        if stays[k]:
            out.touching[touching] = code[k]
            touching += 1
        else:
            over = _write(out, over, -1, code[k], ENDED, start + dt)
    while p < len(known):
        over = _write(out, over, -1, known[p], ENDED, start + dt)
        p += 1
    return began_later, later, over, touching


@loop
def write_events(
    rows: EventRows, status: Ints, t: Floats, point: Floats, normal: Floats,
    out_status: Ints, out_hit: Bools, out_t: Floats, out_point: Floats, out_normal: Floats, out_pair: Ints,
) -> None:  # fmt: skip
    """The contacts of events; nothing is known of those that ended."""
    for k in range(len(out_status)):
        source = rows.source[k]
        out_pair[k, 0], out_pair[k, 1] = rows.pair[k] >> 32, rows.pair[k] & 0xFFFFFFFF
        out_status[k] = 0 if source < 0 else status[source]
        out_hit[k] = out_status[k] == 1 or out_status[k] == 2
        out_t[k] = 1.0 if source < 0 else 0.0 if rows.state[k] == ONGOING else t[source]
        for axis in range(out_point.shape[1]):
            out_point[k, axis] = np.nan if source < 0 else point[source, axis]
            out_normal[k, axis] = np.nan if source < 0 else normal[source, axis]


def sort_events(
    contacts: Contacts, rows: Ints, code: Ints, stays: Bools, known: Ints, start: float, dt: float
) -> tuple[Contacts, Ints, Ints, Ints]:
    """Contacts of a step as events by time, state and pair, and for each its state and its row of `contacts`.

    Rows are -1 for contacts that ended. The pairs that still touch follow.

    Parameters
    ----------
    contacts
        Of the step; those in `rows` (h,) touch.
    code, stays
        (h,), their pairs as single numbers, and do they touch when the step ends?
    known
        The pairs that touched when the step began, sorted.
    """
    h = len(rows)
    n = 2 * h + len(known)
    if n == 0:
        none: Ints = np.empty(0, np.int64)
        return contacts[:0] if len(contacts) else contacts, none, none, known
    order = code.argsort()  # all differ
    source, pairs, state = np.empty((3, n), np.int64)
    out = EventRows(source, pairs, state, np.empty(n), np.empty(h, np.int64))
    first, last, count, touching = order_events(code, order, rows, contacts.t, stays, known, start, dt, out)
    if last - first > 1:
        by_time = first + out.time[first:last].argsort(kind="stable")
        for column in (out.source, out.pair, out.time):
            column[first:last] = column[by_time]
    d = contacts.point.shape[1]
    status, hit, t = np.empty(count, np.int64), np.empty(count, np.bool_), np.empty(count)
    (point, normal), pair = np.empty((2, count, d)), np.empty((count, 2), np.int64)
    write_events(
        out, contacts.status, contacts.t, contacts.point, contacts.normal, status, hit, t, point, normal, pair
    )
    source = out.source[:count]
    engine = contacts.engine[source] if h else np.zeros(count, contacts.engine.dtype)
    engine[source < 0] = ""
    events = Contacts(status, hit, t, point, normal, pair, out.time[:count], engine)
    return events, out.state[:count], source, out.touching[:touching]
