# SPDX-License-Identifier: Apache-2.0
"""The screen of ``threadmodel top``: what a model answers of the last seconds.

shop.Main (4711), recorded for 12.0 s: 8,240 events a second, 14 threads
No thread is stuck: ...

Locks, the last 10.0 s
  class   called from    blocked  a second   mean  owner
  Till    Till.pay:39        2.1      43.0  48 ms  clerk-1 in Till.charge

Threads
  thread    now      for   on    in           locks  waits  I/O
"""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rich.console import Console

from threadmodel.cli.grid import Column, Grid
from threadmodel.cli.page import Section, caller_of, name_of
from threadmodel.judgement import judge, lines
from threadmodel.model import Model
from threadmodel.selection import Selection
from threadmodel.text import clean, count, duration

# Of a row of the locks, its time and its count.
_ORDERS: Final[dict[str, Callable[[tuple[Any, int, int]], float]]] = {
    "time": lambda it: it[1],
    "count": lambda it: it[2],
    "mean": lambda it: it[1] / it[2],
}
SORTS: Final = tuple(_ORDERS)
QUEUEING: Final = ("blocked", "reentering", "parked")
WAITING: Final = ("waiting", "joining", "parked")
LOCK_ROWS: Final = 8
# Of the verdict's text, and what the headings and empty lines take.
VERDICT_LINES: Final = 3
_FIXED_LINES: Final = 8

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    """What a user chose to see.

    Attributes:
        window_ns: how much of the run's end is summed up
        sort: of locks, one of SORTS
        words: only threads, classes and methods with this in their names
        height: lines of the screen
    """

    window_ns: int
    sort: str = "time"
    words: str = ""
    height: int = 24

    def next_sort(self) -> "View":
        """Return the same, ordered by what comes next."""
        after = SORTS.index(self.sort) + 1
        return replace(self, sort=SORTS[after % len(SORTS)])

    def shows(self, *names: str | None) -> bool:
        """Whether one of the names has the words in it."""
        wanted = self.words.casefold()
        return any(wanted in (name or "").casefold() for name in names)


def sections(model: Model, view: View, heading: str, console: Console) -> list[Section]:
    """Return what the screen shows.

    Args:
        model: asked; its end is now
        view: what to show of it
        heading: the first line
        console: how wide lines may be
    """
    now = model.length_ns
    start = max(now - view.window_ns, 0)
    judged = judge(model)
    head = Section(clean(heading))
    for text in [judged["title"], *lines(judged)[:1]]:
        for line in _wrapped(text, console)[: VERDICT_LINES - len(head.body)]:
            head.line(line)
    shown = [head]
    locks = _locks(model, view, start, now)
    shown.append(locks)
    used = len(head.body) + sum(
        len(part.rows) if isinstance(part, Grid) else 0 for part in locks.body
    )
    room = max(view.height - used - _FIXED_LINES, 3)
    shown.append(_threads(model, view, start, now, room))
    return shown


def _wrapped(text: str, console: Console) -> list[str]:
    return textwrap.wrap(
        clean(text, 1000), max(console.width - 2, 20), break_on_hyphens=False
    )


def _locks(model: Model, view: View, start: int, now: int) -> Section:
    """What threads queued for in the window."""
    window = Selection(window=(start, None))
    length_s = max(now - start, 1) / 1e9
    rows: list[tuple[Row, int, int]] = []
    for row in model.statistics(("class", "caller"), window):
        if row["idle"] or not view.shows(row["class"], row["method"]):
            continue
        total = sum(row[f"{state}_total_ns"] for state in QUEUEING)
        times = sum(row[f"{state}_count"] for state in QUEUEING)
        if times:
            rows.append((row, total, times))
    rows.sort(key=_ORDERS[view.sort], reverse=True)
    owners = _owners(model, window) if rows else {}
    section = Section(f"Locks, the last {duration(now - start)}, by {view.sort}")
    if not rows:
        named = f" with {view.words!r} in its name" if view.words else ""
        section.line(f"no thread queued for a lock{named}", "dim")
        return section
    columns = (
        Column("class", name=True),
        Column("called from", name=True),
        Column("blocked", style="bold"),
        Column("a second"),
        Column("mean"),
        Column("owner", name=True, optional=True),
    )
    cells = [
        (
            name_of(row["class"]),
            caller_of(row),
            # Threads that queue at once, on average.
            f"{total / 1e9 / length_s:.1f}",
            f"{times / length_s:,.1f}",
            duration(total // times),
            owners.get(row["class"], "?"),
        )
        for row, total, times in rows[:LOCK_ROWS]
    ]
    section.body.append(Grid(columns, cells))
    return section


def _owners(model: Model, window: Selection) -> dict[str | None, str]:
    """Return by class which thread owned it for most of the time, and where."""
    found: dict[str | None, dict[str | None, list[Row]]] = {}
    for row in model.blame(("class", "owner", "owner_method"), window):
        if row["owner_id"] is not None:
            methods = found.setdefault(row["class"], {})
            methods.setdefault(row["owner_method"], []).append(row)
    texts = {}
    for name, methods in found.items():
        method, rows = max(
            methods.items(), key=lambda it: sum(row["total_ns"] for row in it[1])
        )
        one = rows[0]["owner"] if len(rows) == 1 else count(len(rows), "thread")
        texts[name] = f"{name_of(one)} in {name_of(method)}" if method else name_of(one)
    return texts


def _threads(model: Model, view: View, start: int, now: int, room: int) -> Section:
    """What each thread is doing now, and did in the window."""
    latest = _latest(model, start, now)
    rows = [
        row
        for row in model.threads(Selection(window=(start, None)))
        if row["state"] != "dead" and view.shows(row["name"], *_names(latest, row))
    ]

    def weight(row: Row) -> tuple[int, int]:
        queued = sum(row[f"{state}_total_ns"] for state in ("blocked", "reentering"))
        return queued, row["waiting_total_ns"] + row["parked_total_ns"]

    rows.sort(key=weight, reverse=True)
    section = Section(f"Threads: {count(len(rows), 'thread')}")
    columns = (
        Column("thread", name=True),
        Column("now", label=True),
        Column("for"),
        Column("on", name=True, optional=True),
        Column("in", name=True, optional=True),
        Column("locks", style="bold"),
        Column("waits"),
        Column("I/O"),
    )
    length = max(now - start, 1)
    cells = []
    for row in rows[:room]:
        at = latest.get(row["thread_id"])
        cells.append(
            (
                name_of(row["name"]),
                "idle" if at and at["idle"] else row["state"],
                _lasting(at, start, now),
                name_of(at["object"] or at["peer"], "-") if at else "-",
                caller_of(at) if at and at["method"] else "-",
                _share(row, ("blocked", "reentering"), length),
                _share(row, WAITING, length),
                _share(row, ("io",), length),
            )
        )
    if cells:
        section.body.append(Grid(columns, cells))
    if len(rows) > room:
        section.line(f"and {len(rows) - room:,} more", "dim")
    return section


def _lasting(at: Row | None, start: int, now: int) -> str:
    """For how long a thread has been doing that; the window cuts what began before."""
    if at is None:
        return "-"
    text = duration(now - at["start_ns"])
    return f">{text}" if start > 0 and at["start_ns"] <= start else text


def _share(row: Row, states: Sequence[str], length: int) -> str:
    total = sum(row[f"{state}_total_ns"] for state in states)
    return f"{total / length:.0%}" if total else "-"


def _latest(model: Model, start: int, now: int) -> dict[int, Row]:
    """Return the last interval of each thread, from where it began in the window."""
    last = Selection(window=(max(now - 1, 0), None))
    found = {row["thread_id"]: dict(row) for row in model.timeline(last)}
    columns = ("thread_id", "start_ns")
    spans = model.timeline(Selection(window=(start, None), columns=columns))
    for thread, began in zip(spans["thread_id"], spans["start_ns"], strict=True):
        if thread in found:
            found[thread]["start_ns"] = began
    return found


def _names(latest: dict[int, Row], row: Row) -> tuple[str | None, ...]:
    at = latest.get(row["thread_id"])
    return (at["method"], at["class"], at["object"]) if at else ()
