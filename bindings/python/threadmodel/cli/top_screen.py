# SPDX-License-Identifier: Apache-2.0
"""The screen of ``threadmodel top``: what a model answers of the last seconds.

shop.Main (4711), 12.0 s: 8,240 events a second
  Bound by Till in Till.pay:39: 4 threads queued for it for 74 % of the time ...

Locks, the last 10.0 s, by time
  class   called from    blocked  a second   mean  owner
  Till    Till.pay:39        2.1      43.0  48 ms  clerk-1 in Till.charge

Threads: 14 threads
  thread    now      for   on    in           locks  waits  I/O
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from rich.console import Console

from threadmodel import lock_time
from threadmodel.cli.brief import fitting
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
# States in which a thread may queue for a lock; parked is one of either.
_LOCK_STATES: Final = (*lock_time.QUEUEING, "parked")
_WAIT_STATES: Final = ("waiting", "joining", "parked")
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
        has_rates: the model has durations; else the threads were looked at now and then
    """

    window_ns: int
    sort: str = "time"
    words: str = ""
    height: int = 24
    has_rates: bool = True

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
    texts = [judged["title"], *lines(judged)[:1]]
    head.body += fitting(texts, console, VERDICT_LINES)
    locks = _locks(model, view, start, now)
    used = len(head.body) + sum(
        len(part.rows) if isinstance(part, Grid) else 0 for part in locks.body
    )
    room = max(view.height - used - _FIXED_LINES, 3)
    return [head, locks, _threads(model, view, start, now, room)]


def _locks(model: Model, view: View, start: int, now: int) -> Section:
    """What threads queued for in the window."""
    window = Selection(window=(start, None))
    by_place = lock_time.by_place(model, window)
    rows: list[tuple[Row, int, int]] = []
    for row in model.statistics(("class", "caller"), window):
        total = by_place.get(lock_time.place_of(row))
        times = sum(
            row[f"{state}_count"]
            for state in _LOCK_STATES
            if lock_time.is_lock(row, state, by_place)
        )
        if total and times and view.shows(row["class"], row["method"]):
            rows.append((row, total, times))
    rows.sort(key=_ORDERS[view.sort], reverse=True)
    if view.has_rates:
        section = Section(f"Locks, the last {duration(now - start)}, by {view.sort}")
    else:
        section = Section("Locks")
    if not rows:
        named = f" with {view.words!r} in its name" if view.words else ""
        section.line(f"no thread queued for a lock{named}", "dim")
        return section
    owners = _owners(model, window)
    columns = [Column("class", name=True), Column("called from", name=True)]
    if view.has_rates:
        columns += [
            Column("blocked", style="bold"),
            Column("a second"),
            Column("mean"),
        ]
    else:
        columns.append(Column("threads", style="bold"))
    columns.append(Column("owner", name=True, optional=True))
    length_s = max(now - start, 1) / 1e9
    cells = []
    for row, total, times in rows[:LOCK_ROWS]:
        figures = (
            # Threads that queue at once, on average.
            f"{total / 1e9 / length_s:.1f}",
            f"{times / length_s:,.1f}",
            duration(total // times),
        )
        cells.append(
            (
                name_of(row["class"]),
                caller_of(row),
                *(figures if view.has_rates else (f"{row['threads']:,}",)),
                owners.get(row["class"], "?"),
            )
        )
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
    window = Selection(window=(start, None))
    latest = _latest(model, start, now)
    locks_ns = lock_time.by_thread(model, window)
    rows = [
        row
        for row in model.threads(window)
        if row["state"] != "dead" and view.shows(row["name"], *_names(latest, row))
    ]

    def queued(row: Row) -> int:
        return locks_ns.get(row["thread_id"], 0)

    def waited(row: Row) -> int:
        """Parking for a lock is time of that lock."""
        by_monitors = sum(int(row[f"{it}_total_ns"]) for it in lock_time.QUEUEING)
        total = sum(int(row[f"{it}_total_ns"]) for it in _WAIT_STATES)
        return max(total - max(queued(row) - by_monitors, 0), 0)

    rows.sort(key=lambda row: (queued(row), waited(row)), reverse=True)
    section = Section(f"Threads: {count(len(rows), 'thread')}")
    columns = [
        Column("thread", name=True),
        Column("now", label=True),
        Column("on", name=True, optional=True),
        Column("in", name=True, optional=True),
    ]
    if view.has_rates:
        columns.insert(2, Column("for"))
        columns += [Column("locks", style="bold"), Column("waits"), Column("I/O")]
    length = max(now - start, 1)
    cells = []
    for row in rows[:room]:
        at = latest.get(row["thread_id"])
        cell = [
            name_of(row["name"]),
            "idle" if at and at["idle"] else row["state"],
            name_of(at["object"] or at["peer"], "-") if at else "-",
            caller_of(at, "-") if at else "-",
        ]
        if view.has_rates:
            cell.insert(2, _lasting(at, start, now))
            times = (queued(row), waited(row), row["io_total_ns"])
            cell += [f"{ns / length:.0%}" if ns else "-" for ns in times]
        cells.append(cell)
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
