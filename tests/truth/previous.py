# SPDX-License-Identifier: Apache-2.0
"""The releaser of a lock to a thread that was blocked for it: the owner before."""

from bisect import bisect_left, bisect_right
from itertools import pairwise

import answers
from answers import Handoff
from owners import Truth
from runs import Run
from table import Line


def last(handoffs: list[Handoff], from_ns: int, to_ns: int) -> Handoff:
    """The last of them in a time, ends included."""
    i = bisect_right(handoffs, to_ns, key=lambda it: it.time_ns)
    if i and handoffs[i - 1].time_ns >= from_ns:
        return handoffs[i - 1]
    return Handoff(0, 0, False)


def asked(run: Run, by: str) -> dict[int, list[Handoff]]:
    return (
        answers.handoffs(run)
        if by == "interactions"
        else answers.handoffs_by_holds(run)
    )


def judge(
    line: Line, run: Run, truth: Truth, classes: tuple[str, ...], *, by: str
) -> None:
    """Count, for each tenure that began with a block, the owner before it.

    Args:
        line: that it is counted in
        run: asked
        truth: of its one lock
        classes: that a lock of this kind shows as
        by: interactions or holds
    """
    handoffs = asked(run, by)
    blocks = answers.blocks(run, classes)
    for i, tenure in enumerate(truth.tenures[1:], start=1):
        own = blocks.get(tenure.thread, [])
        j = bisect_left(own, tenure.acquired, key=lambda block: block[0])
        if j == 0 or own[j - 1][0] < tenure.wanted:
            continue
        one = last(handoffs.get(tenure.thread, []), tenure.wanted, tenure.acquired)
        line.cases += 1
        line.count(one.releaser, truth.tenures[i - 1].thread, is_sure=one.is_sure)


def judge_scenes(lines: list[Line], run: Run, *, by: str) -> None:
    """Count the releasers to the second and to the third thread of each scene.

    Args:
        lines: by the number of the lock's kind
        run: of the program Releases
        by: interactions or holds
    """
    handoffs = asked(run, by)
    turns = sorted(run.truth["turn"], key=lambda words: words[1])
    for before, after in pairwise(turns):
        # Of two scenes; or one that need not have queued.
        if before[3] != after[3] or after[4]:
            continue
        line = lines[after[3] // 100]
        one = last(handoffs.get(after[0], []), 0, after[1])
        line.cases += 1
        line.count(one.releaser, before[0], is_sure=one.is_sure)
