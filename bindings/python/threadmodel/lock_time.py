# SPDX-License-Identifier: Apache-2.0
"""The time for which threads were blocked by locks: by monitors and by synchronizers
such as a ReentrantLock.

    thread     [blocked by a monitor]---[parked for a ReentrantLock]---[parked: idle]
    lock time   ^^^^^^^^^^^^^^^^^^^^     ^^^^^^^^^^^^^^^^^^^^^^^^^^
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from threadmodel.selection import ALL, Selection

if TYPE_CHECKING:
    from threadmodel.model import Model

Row = dict[str, Any]
Place = tuple[Any, ...]

# In these states a thread always queues for a lock, in others it may.
QUEUEING: Final = ("blocked", "reentering")
_PLACE: Final = ("class", "method", "source", "line")


def place_of(row: Row) -> Place:
    """Return the key of the place of a row of ``callers``, or of blame by caller."""
    return tuple(row[name] for name in _PLACE)


def total_ns(model: "Model", selection: Selection = ALL) -> int:
    """Add up the time for which threads were blocked by locks."""
    return sum(row["total_ns"] for row in model.blame("class", selection))


def by_place(model: "Model", selection: Selection = ALL) -> Mapping[Place, int]:
    """Add it up by class and caller, the longest first."""
    rows = model.blame(("class", "caller"), selection)
    return {place_of(row): row["total_ns"] for row in rows}


def by_thread(model: "Model", selection: Selection = ALL) -> Mapping[int, int]:
    """Add it up by the thread's number."""
    rows = model.blame("thread", selection)
    return {row["thread_id"]: row["total_ns"] for row in rows}


def is_lock(row: Row, state: str, locks: Mapping[Place, int]) -> bool:
    """Whether threads in a state at a place queue for a lock.

    Args:
        row: of ``callers``
        state: the state; for parked, whether half of that time or more was for locks
        locks: the places where threads queued for locks
    """
    if state != "parked" or row["idle"]:
        return state in QUEUEING
    by_monitors = sum(row[f"{name}_total_ns"] for name in QUEUEING)
    for_locks = locks.get(place_of(row))
    return (
        for_locks is not None
        and 2 * (for_locks - by_monitors) >= row["parked_total_ns"]
    )
