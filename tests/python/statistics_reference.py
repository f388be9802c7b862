# SPDX-License-Identifier: Apache-2.0
"""Statistics by their definition, from the public timeline.

Slow and plain: blocking intervals are merged, cut, selected, grouped and added up one
by one.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from threadmodel import Model, Table

Row = dict[str, Any]
Key = tuple[Any, ...]

STATES = ("blocked", "waiting", "reentering", "joining", "parked")
COLUMNS = {
    "class": ("class",),
    "caller": ("method", "source", "line", "idle"),
    "object": ("object", "class"),
    "thread": ("thread_id", "thread"),
    "group": ("group",),
    "stack": ("stack",),
    "method": ("method", "idle"),
    "line": ("source", "line"),
}


def columns_of(by: Sequence[str]) -> list[str]:
    """Return the columns that tell the groups of these keys apart."""
    return list(dict.fromkeys(name for key in by for name in COLUMNS[key]))


class Reference:
    """The blocking intervals of one model."""

    def __init__(self, model: Model) -> None:
        self.length_ns = model.length_ns
        groups = {row["thread_id"]: row["group"] for row in model.threads()}
        self.blocking_intervals = [
            {**row, "group": groups[row["thread_id"]], "idle": False}
            for row in blocking_intervals(model.timeline())
        ]

    def chosen(
        self,
        threads: Iterable[int] | None,
        classes: Iterable[str] | None,
        window: tuple[int | None, int | None] | None,
    ) -> list[Row]:
        """Return the selected intervals, cut at the window's edges."""
        low, high = window or (None, None)
        low = low if low else -math.inf
        high = math.inf if high is None else high
        found = []
        for row in self.blocking_intervals:
            start, end = row["start_ns"], row["end_ns"]
            at_edge = start == end == low
            if threads is not None and row["thread_id"] not in threads:
                continue
            if classes is not None and row["class"] not in classes:
                continue
            if start >= high or (end <= low and not at_edge):
                continue
            cut = {"start_ns": max(start, low), "end_ns": min(end, high)}
            cut["ns"] = cut["end_ns"] - cut["start_ns"]
            found.append({**row, **cut})
        return found

    def grouped(self, by: Sequence[str], **selection: Any) -> dict[Key, list[Row]]:
        """Return the selected intervals by group."""
        names = columns_of(by)
        found: dict[Key, list[Row]] = {}
        for row in self.chosen(
            selection.get("threads"),
            selection.get("classes"),
            selection.get("window"),
        ):
            found.setdefault(tuple(row[name] for name in names), []).append(row)
        return found


def blocking_intervals(timeline: Table) -> list[Row]:
    """Return blocking intervals, with adjacent ones of a state merged."""
    found: list[Row] = []
    open_: Row | None = None
    for row in timeline:
        if (
            open_ is not None
            and row["thread_id"] == open_["thread_id"]
            and row["state"] in ("deadlocked", open_["state"])
        ):
            open_["end_ns"] = row["end_ns"]
            continue
        open_ = dict(row) if row["state"] in STATES else None
        if open_ is not None:
            found.append(open_)
    return found


def figures(rows: Sequence[Row], state: str) -> Row:
    """Return count, total, minimum, maximum and mean of a state; None without any."""
    lengths = [row["ns"] for row in rows if row["state"] == state]
    count, total = len(lengths), sum(lengths)
    return {
        f"{state}_count": count,
        f"{state}_total_ns": total,
        f"{state}_min_ns": min(lengths, default=None),
        f"{state}_max_ns": max(lengths, default=None),
        f"{state}_mean_ns": (total + count // 2) // count if count else None,
    }


def percentile(rows: Sequence[Row], state: str, fraction: float) -> int | None:
    """Return the least length that this part of the intervals does not exceed."""
    lengths = sorted(row["ns"] for row in rows if row["state"] == state)
    if not lengths:
        return None
    return int(lengths[max(math.ceil(fraction * len(lengths)) - 1, 0)])


def distinct(rows: Iterable[Row], column: str) -> int:
    """Count the distinct known values of a column."""
    return len({row[column] for row in rows} - {None})
