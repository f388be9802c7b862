# SPDX-License-Identifier: Apache-2.0
"""The thread that lost most by a finding, whose wait is explained first."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from threadmodel._enums import STATES
from threadmodel.evidence import rows_of_finding
from threadmodel.selection import ALL, Selection

if TYPE_CHECKING:
    from threadmodel.model import Model

Row = Mapping[str, Any]
# Thread, start and end of a wait.
Wait = tuple[int, int, int | None]

# Tables of evidence with waits, and the columns of a wait.
_WAITS: Final = {
    "blame": ("thread_id", "block_start_ns", "block_end_ns", "state"),
    "timeline": ("thread_id", "start_ns", "end_ns", "state"),
    "critical_path": ("thread_id", "start_ns", "end_ns", "state"),
}
# Tables of sums, and their column of the place where threads wait.
_PLACES: Final = {"callers": "method", "resources": "waiting_method"}
_STOPPED: Final = frozenset((*STATES, "sleeping"))


def first_to_explain(
    model: "Model", part: Selection = ALL
) -> tuple[dict[str, Any], int, int | None] | None:
    """Return the first finding that matters, and its longest wait.

    Args:
        model: asked
        part: of the run

    Returns:
        The finding, a thread and the middle of its wait (None: any time); None if no
        finding names a thread that waits, or the run has no length
    """
    # A single dump has no durations: the library chooses the longest chain.
    if not model.length_ns:
        return None
    for finding in model.findings(part):
        if finding["minor"]:
            continue
        wait = _longest(model, _waits(model, finding, part))
        if wait is not None:
            return finding, *wait
        if finding["thread_id"] is not None and part == ALL:
            return finding, finding["thread_id"], None
    return None


def longest_wait(
    model: "Model", thread: int | None, part: Selection
) -> tuple[int, int] | None:
    """Return the thread with the longest wait in a part of a run, and its middle.

    Args:
        model: asked
        thread: only this one; None: any
        part: of the run
    """
    rows = model.timeline(Selection(thread, window=part.window))
    return _longest(
        model,
        (
            (row["thread_id"], row["start_ns"], row["end_ns"])
            for row in rows
            if row["state"] in _STOPPED and not row["idle"]
        ),
    )


def _longest(model: "Model", found: Iterable[Wait]) -> tuple[int, int] | None:
    """Return the thread that waited longest, and the middle of its wait."""
    end_ns = model.length_ns
    waits = [
        (thread, start, end_ns if end is None else end) for thread, start, end in found
    ]
    if not waits:
        return None
    thread, start, end = max(waits, key=lambda wait: wait[2] - wait[1])
    return thread, (start + end) // 2


def _waits(model: "Model", finding: Row, part: Selection) -> Iterator[Wait]:
    table = finding["evidence_table"]
    if table in _WAITS:
        rows = rows_of_finding(model, finding, part)
        columns = [rows[name] for name in _WAITS[table]]
        for thread, start_ns, end_ns, state in zip(*columns, strict=True):
            if state in _STOPPED:
                yield thread, start_ns, end_ns
    elif table in _PLACES:
        rows = rows_of_finding(model, finding, part)
        places = {(row["class"], row[_PLACES[table]]) for row in rows}
        names = {name for name, _ in places if name is not None}
        for row in model.timeline(Selection(classes=names or None, window=part.window)):
            if (row["class"], row["method"]) in places and row["state"] in _STOPPED:
                yield row["thread_id"], row["start_ns"], row["end_ns"]
