# SPDX-License-Identifier: Apache-2.0
"""Texts for a run in which nothing stands out, with advice, and on kinds of findings
that were not looked for."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from threadmodel import lock_time
from threadmodel.judgement import HUNG
from threadmodel.selection import ALL, Selection
from threadmodel.text import clean

if TYPE_CHECKING:
    from threadmodel.model import Model

_NOT_RUNNING: Final = (
    *lock_time.QUEUEING,
    "waiting",
    "joining",
    "sleeping",
    "parked",
    "runnable",
    "io",
    "native",
)
# If one of these kinds was not looked for, a thread that waits may look as if it ran.
_OF_ALL_STATES: Final = {
    "hot_lock",
    "held_while_parked",
    "long_wait",
    "sleep_on_critical_path",
}
CALM_PART: Final = "Nothing of what was looked for stands out in this part of the run."
# A thread that ran for this share of the run decides its length.
_MOST: Final = 0.5


def calm(
    model: "Model",
    verdict: Mapping[str, Any] | None = None,
    part: Selection = ALL,
) -> str:
    """State that no finding reached its threshold, what to look at instead, and the
    evidence for the statement.

    Args:
        model: one without findings, or with minor ones only
        verdict: the row of its table ``verdict``; None: the model computes it
        part: of the run
    """
    if verdict is None:
        (verdict,) = model.verdict(part)
    if verdict["kind"] in HUNG or verdict["kind"] == "cannot_tell":
        return str(verdict["title"])
    said = _calm(model) if part == ALL else CALM_PART
    return f"{said} Examined: {verdict['examined']}."


def _calm(model: "Model") -> str:
    length_ns = model.length_ns
    kinds = model.finding_kinds()
    missing = {row["kind"] for row in kinds if row["remedy"] is not None}
    if "hot_lock" in missing:
        return "Nothing stands out of what this recording allows to look for."
    threads = [row for row in model.threads() if row["start_ns"] is not None]
    if not threads or not length_ns:
        return "Nothing stands out: no finding reached its threshold."
    lived_ns = sum(_lived_ns(row, length_ns) for row in threads)
    queued_ns = lock_time.total_ns(model)
    said = (
        "Nothing stands out: threads queued for locks for "
        f"{queued_ns / max(lived_ns, 1):.1%} of their lifetime."
    )
    if missing & _OF_ALL_STATES:
        return said
    # The recorder's own threads have no processor time.
    counted = [row for row in threads if row["cpu_time_ns"] is not None]
    busiest = max(counted or threads, key=lambda row: _ran_ns(row, length_ns))
    share = _ran_ns(busiest, length_ns) / length_ns
    if share < _MOST:
        return f"{said} No thread ran for half of the run: see the critical path."
    name = clean(busiest["name"] or f"thread {busiest['thread_id']}", 100)
    return (
        f"{said} {name} was neither blocked nor waiting for {share:.0%} of the run: "
        "use a CPU profiler that includes native calls."
    )


def not_looked_for(model: "Model") -> list[str]:
    """Name the kinds of findings that the data does not support, a sentence a reason.

    Args:
        model: asked
    """
    reasons: dict[str, list[str]] = {}
    for row in model.finding_kinds():
        if row["remedy"] is not None:
            kind = row["kind"].replace("_", " ")
            reasons.setdefault(f"{row['why']} {row['remedy']}", []).append(kind)
    # The longest reasons come last.
    return [
        f"Not looked for: {', '.join(kinds)}. {reason}"
        for reason, kinds in sorted(reasons.items(), key=lambda item: len(item[0]))
    ]


def _lived_ns(row: dict[str, Any], length_ns: int) -> int:
    end_ns = length_ns if row["end_ns"] is None else row["end_ns"]
    return int(end_ns - row["start_ns"])


def _ran_ns(row: dict[str, Any], length_ns: int) -> int:
    if row["cpu_time_ns"] is not None:
        return int(row["cpu_time_ns"])
    blocked_ns = sum(row[f"{state}_total_ns"] for state in _NOT_RUNNING)
    waited_ns = max(row["cpu_wait_ns"] or 0, row["runnable_total_ns"])
    return max(_lived_ns(row, length_ns) - int(blocked_ns) - int(waited_ns), 0)
