# SPDX-License-Identifier: Apache-2.0
"""The text for a run in which nothing stands out, with what to do next."""

from typing import TYPE_CHECKING, Any, Final

from threadmodel.text import clean

if TYPE_CHECKING:
    from threadmodel.model import Model

_QUEUEING: Final = ("blocked", "reentering")
_NOT_RUNNING: Final = (*_QUEUEING, "waiting", "joining", "sleeping", "parked")
# A thread that ran for so much of the run decides how long that took.
_MOST: Final = 0.5


def calm(model: "Model") -> str:
    """State that no finding reached its threshold, and where to look then.

    Args:
        model: one whose findings are none, or minor
    """
    length_ns = model.length_ns
    threads = [row for row in model.threads() if row["start_ns"] is not None]
    if not threads or not length_ns:
        return "Nothing stands out: no finding reached its threshold."
    lived_ns = sum(_lived_ns(row, length_ns) for row in threads)
    queued_ns = sum(row[f"{state}_total_ns"] for row in threads for state in _QUEUEING)
    said = (
        "Nothing stands out: threads queued for locks for "
        f"{queued_ns / max(lived_ns, 1):.1%} of their lifetime."
    )
    busiest = max(threads, key=lambda row: _ran_ns(row, length_ns))
    share = _ran_ns(busiest, length_ns) / length_ns
    if share < _MOST:
        return f"{said} No thread ran for half of the run: see the critical path."
    name = clean(busiest["name"] or f"thread {busiest['thread_id']}", 100)
    return (
        f"{said} {name} was neither blocked nor waiting for {share:.0%} of the run: "
        "use a CPU profiler that includes native calls."
    )


def _lived_ns(row: dict[str, Any], length_ns: int) -> int:
    end_ns = length_ns if row["end_ns"] is None else row["end_ns"]
    return int(end_ns - row["start_ns"])


def _ran_ns(row: dict[str, Any], length_ns: int) -> int:
    blocked_ns = sum(row[f"{state}_total_ns"] for state in _NOT_RUNNING)
    return _lived_ns(row, length_ns) - int(blocked_ns)
