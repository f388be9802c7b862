# SPDX-License-Identifier: Apache-2.0
"""Answers of the library in the form that the rows need: the one file that knows its
tables. Times are on the program's clock."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from runs import Run

SURE = ("exact", "reported")
BLOCKING = ("blocked", "reentering", "parked")
OWNED, FREE, UNKNOWN = "owner", "latency", "unknown"


@dataclass(frozen=True, slots=True)
class Stretch:
    """The owner of a lock, by the answer, from one instant to another."""

    from_ns: int
    to_ns: int
    share: str
    owner: int = 0
    is_sure: bool = False


@dataclass(frozen=True, slots=True)
class Handoff:
    """The releaser of a lock to a thread, by the answer, and the latest time of it; 0:
    unknown."""

    time_ns: int
    releaser: int
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """The thread on the critical path, by the answer, from one instant to another."""

    from_ns: int
    to_ns: int
    thread: int
    state: str
    method: str | None
    is_unexplained: bool


def columns(table: Any, *names: str) -> Iterable[tuple[Any, ...]]:
    return zip(*(table[name] for name in names), strict=True)


def is_lock(class_: str | None, classes: Iterable[str]) -> bool:
    return class_ is not None and any(class_.startswith(name) for name in classes)


def blocks(run: Run, classes: tuple[str, ...]) -> dict[int, list[tuple[int, int]]]:
    """By thread: start and end of its blocks for a lock of these classes."""
    found: dict[int, list[tuple[int, int]]] = defaultdict(list)
    table = run.model.timeline()
    for thread, start, end, state, class_ in columns(
        table, "thread_id", "start_ns", "end_ns", "state", "class"
    ):
        if state in BLOCKING and is_lock(class_, classes):
            found[thread].append((start + run.start_ns, end + run.start_ns))
    return found


def blame(run: Run, classes: tuple[str, ...]) -> dict[int, list[Stretch]]:
    """By blocked thread: the owners of the lock, by rising time."""
    table = run.model.blame()
    start, end = (
        ("from_ns", "to_ns") if "from_ns" in table.columns else ("start_ns", "end_ns")
    )
    found: dict[int, list[Stretch]] = defaultdict(list)
    for thread, from_ns, to_ns, class_, owner, share, provenance in columns(
        table, "thread_id", start, end, "class", "owner_id", "share", "provenance"
    ):
        if not is_lock(class_, classes):
            continue
        # A number is the share of the block's time, which is not what kind it is.
        kind = share if isinstance(share, str) else OWNED
        if kind == OWNED and owner is None:
            kind = UNKNOWN
        found[thread].append(
            Stretch(
                from_ns + run.start_ns,
                to_ns + run.start_ns,
                kind,
                owner if kind == OWNED else 0,
                provenance in SURE,
            )
        )
    for stretches in found.values():
        stretches.sort(key=lambda it: it.from_ns)
    return found


def has_holds(run: Run) -> bool:
    return hasattr(run.model, "holds")


def holds(run: Run, classes: tuple[str, ...]) -> list[Stretch]:
    """The owners of the one lock of these classes, by rising time."""
    rows = [
        row
        for row in columns(
            run.model.holds(),
            *("start_ns", "end_ns", "thread_id", "start_provenance", "end_provenance"),
            "class",
        )
        if is_lock(row[-1], classes)
    ]
    rows.sort(key=lambda row: row[0])
    nexts = [*(row[0] for row in rows[1:]), run.model.length_ns]
    return [
        Stretch(
            from_ns + run.start_ns,
            # A hold without a known release ends where the next one begins.
            (next_ns if to_ns is None else to_ns) + run.start_ns,
            UNKNOWN if owner is None else OWNED,
            owner or 0,
            to_ns is not None and first in SURE and last in SURE,
        )
        for (from_ns, to_ns, owner, first, last, _), next_ns in zip(
            rows, nexts, strict=True
        )
    ]


def handoffs(run: Run) -> dict[int, list[Handoff]]:
    """By thread that got a lock: the releasers, by interactions."""
    found: dict[int, list[Handoff]] = defaultdict(list)
    for kind, time_ns, woken_ns, releaser, to, provenance in columns(
        run.model.interactions(),
        *("kind", "time_ns", "woken_ns", "from_thread_id", "to_thread_id"),
        "provenance",
    ):
        if kind in ("handoff", "unpark") and to is not None:
            at_ns = time_ns if woken_ns is None else woken_ns
            # An unpark names the waker, however certain, and not the lock's owner.
            is_sure = kind == "handoff" and provenance in SURE
            found[to].append(Handoff(at_ns + run.start_ns, releaser or 0, is_sure))
    for list_ in found.values():
        list_.sort(key=lambda it: it.time_ns)
    return found


def handoffs_by_holds(run: Run) -> dict[int, list[Handoff]]:
    """The same by tenures."""
    found: dict[int, list[Handoff]] = defaultdict(list)
    for end_ns, releaser, to, provenance in columns(
        run.model.holds(), "end_ns", "thread_id", "to_thread_id", "to_provenance"
    ):
        if to is not None and end_ns is not None:
            found[to].append(
                Handoff(end_ns + run.start_ns, releaser or 0, provenance in SURE)
            )
    for list_ in found.values():
        list_.sort(key=lambda it: it.time_ns)
    return found


def path(run: Run) -> list[Segment]:
    """The chain that decided the end, by default."""
    return [
        Segment(from_ns + run.start_ns, to_ns + run.start_ns, *rest)
        for from_ns, to_ns, *rest in columns(
            run.model.critical_path(),
            *("start_ns", "end_ns", "thread_id", "state", "method", "unexplained"),
        )
    ]
