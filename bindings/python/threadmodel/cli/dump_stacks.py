# SPDX-License-Identifier: Apache-2.0
"""Stacks of the last of some thread dumps, equal ones together, and the number of
threads that have moved since the first dump."""

from typing import Any, Final

from threadmodel._enums import EventKind
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import Section, add_more, caller_of, name_of
from threadmodel.model import Model
from threadmodel.text import clean, count, duration

NOT_THERE: Final = ("dead", "unknown")
NAME_LENGTH: Final = 40
# The order of stacks with equal numbers of threads, by state.
ORDER: Final = (
    "deadlocked",
    "blocked",
    "reentering",
    "waiting",
    "parked",
    "joining",
    "io",
    "native",
    "running",
    "sleeping",
)

Row = dict[str, Any]


def is_of_dumps(model: Model) -> bool:
    """Whether the data is of thread dumps only."""
    kinds = model.run.kinds
    return EventKind.SNAPSHOT in kinds and EventKind.CONTENDED_ENTER not in kinds


def dump_stacks(model: Model, top: int, *, is_brief: bool = False) -> Section:
    """List the stacks of the last dump, those with the most threads first.

    Args:
        model: asked
        top: rows of the table
        is_brief: leave out threads that wait for work, and those of the verdict
    """
    section = Section("")
    if not is_of_dumps(model):
        return section
    last = {row["thread_id"]: row for row in model.timeline()}
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in last.values():
        said = row["idle"] or row["state"] == "deadlocked"
        if row["state"] not in NOT_THERE and not (is_brief and said):
            key = (row["idle"], row["state"], row["stack"], row["peer_id"])
            groups.setdefault(key, []).append(row)
    if not groups:
        return section
    section.heading = "Threads of the last dump, equal stacks together"
    found = sorted(groups.values(), key=_rank)
    has_moved = model.length_ns > 0
    columns = [
        Column("threads"),
        Column("state", label=True),
        Column("method", name=True),
        Column("for", name=True, optional=True),
        *([Column("there for")] if has_moved else []),
        Column("names", name=True),
    ]
    rows = [
        [
            f"{len(rows):,}",
            "idle" if rows[0]["idle"] else name_of(rows[0]["state"]),
            caller_of(rows[0], "-"),
            _wanted(rows),
            *([_since(rows, model.length_ns)] if has_moved else []),
            _names(rows),
        ]
        for rows in found[:top]
    ]
    section.body.append(Grid(columns, rows))
    add_more(section, len(found) - top)
    if has_moved and not is_brief:
        section.line(_moved(model, list(last.values())), "dim")
    return section


def _rank(rows: list[Row]) -> tuple[bool, int, int]:
    """Return the key of the order: idle threads, and the VM's threads without a stack,
    are last; then by number of threads, the largest first; then by state."""
    state = rows[0]["state"]
    return (
        rows[0]["idle"] or (rows[0]["stack"] is None and state == "running"),
        -len(rows),
        ORDER.index(state) if state in ORDER else len(ORDER),
    )


def _wanted(rows: list[Row]) -> str:
    """Return the object that all of them wait for, and its owner."""
    objects = {row["object"] for row in rows}
    wanted = objects.pop() if len(objects) == 1 else rows[0]["class"]
    text = name_of(wanted, "-")
    if wanted is None and rows[0]["peer"]:
        return name_of(rows[0]["peer"])
    return f"{text} of {name_of(rows[0]['peer'])}" if rows[0]["peer"] else text


def _since(rows: list[Row], length_ns: int) -> str:
    """Return the least time for which the dumps have found the threads there."""
    least = min(length_ns - row["start_ns"] for row in rows)
    most = max(length_ns - row["start_ns"] for row in rows)
    return (
        duration(least) if least == most else f"{duration(least)} to {duration(most)}"
    )


def _names(rows: list[Row]) -> str:
    first = clean(rows[0]["thread"] or f"#{rows[0]['thread_id']}", NAME_LENGTH)
    return first if len(rows) == 1 else f"{first} and {len(rows) - 1} more"


def _moved(model: Model, last: list[Row]) -> str:
    """State how many threads have moved since the first dump."""
    there = [row for row in last if row["state"] not in NOT_THERE]
    first = min(row["start_ns"] for row in model.timeline())
    still = sum(row["start_ns"] == first for row in there)
    ended = sum(row["state"] == "dead" for row in last)
    text = (
        f"Since the first dump {count(still, 'thread')} did not move, and "
        f"{len(there) - still} moved or started"
    )
    return f"{text}; {ended} ended." if ended else f"{text}."
