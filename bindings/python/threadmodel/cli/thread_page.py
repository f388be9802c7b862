# SPDX-License-Identifier: Apache-2.0
"""Threads in a terminal: how long each was blocked, and by what."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from threadmodel import lock_time
from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import Section, add_more, name_of
from threadmodel.model import Model
from threadmodel.selection import ALL, Selection
from threadmodel.text import duration

STATES: Final = (
    "blocked",
    "reentering",
    "waiting",
    "joining",
    "sleeping",
    "parked",
    "io",
)
# States in which a thread can be idle: it waits for work, and there is none.
IDLE: Final = ("waiting", "parked", "io")
# By what a thread was kept: queueing for a lock of any kind is one of these.
LOCKS: Final = "locks"
BY: Final = (LOCKS, "waiting", "joining", "sleeping", "parked", "io")

Row = dict[str, Any]


def threads_of(model: Model, top: int, selection: Selection = ALL) -> Section:
    """List the threads that were blocked most by locks, by what others did before the
    rest. Parking for a lock is time of that lock."""
    threads = list(model.threads(selection))
    idle_ns = _idle_times(model, selection)
    locks_ns = lock_time.by_thread(model, selection)

    def total(row: Row, state: str) -> int:
        if state == LOCKS:
            return locks_ns.get(row["thread_id"], 0)
        ns = int(row[f"{state}_total_ns"]) - idle_ns.get((row["thread_id"], state), 0)
        if state == "parked":
            by_monitors = sum(row[f"{name}_total_ns"] for name in lock_time.QUEUEING)
            ns -= locks_ns.get(row["thread_id"], 0) - by_monitors
        return max(ns, 0)

    def idle_of(row: Row) -> int:
        return sum(idle_ns.get((row["thread_id"], state), 0) for state in IDLE)

    def text(row: Row, state: str) -> str:
        ns = total(row, state)
        names = lock_time.QUEUEING if state == LOCKS else (state,)
        is_whole = ns == sum(row[f"{name}_total_ns"] for name in names)
        was_there = any(row[f"{name}_count"] for name in names) and is_whole
        return duration(ns) if ns or was_there else "-"

    section = Section("Threads, the most blocked first, and how long by what")
    # In a thread dump all were blocked for no time that is known.
    blocked = [row for row in threads if any(row[f"{state}_count"] for state in STATES)]
    shown = sorted(
        blocked,
        key=lambda row: (-total(row, LOCKS), -sum(total(row, by) for by in BY)),
    )[:top]
    if not shown:
        section.line("no thread was ever blocked")
        return section
    met = [by for by in BY if any(text(row, by) != "-" for row in threads)]
    columns = [
        Column("thread", name=True, style="bold"),
        Column("state", label=True, optional=True),
        *(Column(by) for by in met),
        *([Column("idle", optional=True)] if idle_ns else []),
    ]
    rows = [
        [
            name_of(row["name"], f"#{row['thread_id']}"),
            name_of(row["state"]),
            *(text(row, by) for by in met),
            *([duration(idle_of(row)) if idle_of(row) else "-"] if idle_ns else []),
        ]
        for row in shown
    ]
    section.body.append(Grid(columns, rows))
    add_more(section, len(threads) - len(shown))
    return section


def _idle_times(model: Model, selection: Selection) -> Mapping[tuple[int, str], int]:
    """Add up how long each thread waited for work, by its id and state."""
    found: Counter[tuple[int, str]] = Counter()
    for row in model.statistics(("thread", "method"), selection):
        if row["idle"]:
            for state in IDLE:
                if row[f"{state}_total_ns"]:
                    found[row["thread_id"], state] += row[f"{state}_total_ns"]
    return found
