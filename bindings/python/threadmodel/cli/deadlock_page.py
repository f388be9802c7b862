# SPDX-License-Identifier: Apache-2.0
"""Deadlocks in a terminal, with the stacks of their members."""

from collections.abc import Sequence
from typing import Any, Final

from threadmodel.cli.page import Section, name_of
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.tables import deadlocks_in
from threadmodel.text import count, duration

STACK_FRAMES: Final = 32

Row = dict[str, Any]


def deadlocks(model: Model, part: Selection = ALL) -> Section:
    """List each deadlock with the stack of each member."""
    cycles: dict[int, list[Row]] = {}
    for row in deadlocks_in(model, part):
        cycles.setdefault(row["deadlock"], []).append(row)
    section = Section("Deadlocks")
    if not cycles:
        return section
    frames = _frames(
        model, {row["stack"] for members in cycles.values() for row in members}
    )
    for members in cycles.values():
        first = members[0]
        heading = (
            f"{count(len(members), 'thread')} at {duration(first['time_ns'])}, "
            f"the owners are {_weakest(members)}"
        )
        if first["resolved_ns"] is not None:
            heading += f"; resolved at {duration(first['resolved_ns'])}"
        elif deadlines := [
            row["deadline_ns"] for row in members if row["deadline_ns"] is not None
        ]:
            heading += f"; a timeout will break it at {duration(min(deadlines))}"
        section.line(heading, "bold red")
        for row in members:
            _member(section, row, frames.get(row["stack"], []))
    return section


def _weakest(members: Sequence[Row]) -> str:
    order = ("unknown", "inferred", "exact", "reported")
    known = [row["provenance"] for row in members if row["provenance"] in order]
    return min(known, key=order.index, default="unknown")


def _member(section: Section, row: Row, frames: Sequence[str]) -> None:
    thread = name_of(row["thread"], f"#{row['thread_id']}")
    owner = name_of(row["owner"], f"#{row['owner_id']}")
    section.line(
        f"{thread} wants {name_of(row['object'], 'an object')} "
        f"({name_of(row['kind'])}), which is held by {owner}"
    )
    if not frames and row["method"] is not None:
        frames = [_frame(row)]
    for frame in frames[:STACK_FRAMES]:
        section.line(f"    at {frame}")
    if len(frames) > STACK_FRAMES:
        section.line(f"    and {len(frames) - STACK_FRAMES:,} more")


def _frames(model: Model, stacks: set[Any]) -> dict[Any, list[str]]:
    """Return the frames of some stacks, innermost first, as texts."""
    table = model.stacks()
    frames: dict[Any, list[str]] = {}
    for stack, method, source, line in zip(
        table["stack"],
        table["method"],
        table["source"],
        table["line"],
        strict=True,
    ):
        if stack in stacks:
            row = {"method": method, "source": source, "line": line}
            frames.setdefault(stack, []).append(_frame(row))
    return frames


def _frame(row: Row) -> str:
    """Write a frame as Java does: ``demo.Account.transfer (Account.java:42)``."""
    method = name_of(row["method"])
    if row["source"] is None:
        return method
    line = f":{row['line']}" if row["line"] else ""
    return f"{method} ({name_of(row['source'])}{line})"
