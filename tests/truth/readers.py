# SPDX-License-Identifier: Apache-2.0
"""Which readers had a lock together, against threads that know when they had it."""

from bisect import bisect_left
from collections import defaultdict

import answers
from owners import Tenure
from runs import Run
from table import Line

CLASSES = ("java.util.concurrent.locks.ReentrantReadWriteLock$",)


def had(tenures: list[Tenure], time_ns: int) -> Tenure | None:
    """The tenure, of one thread's by rising time, in which an instant lies: the lock
    may have been acquired before the stamp and released after it."""
    i = bisect_left(tenures, time_ns, key=lambda it: it.left)
    if i == len(tenures) or tenures[i].wanted > time_ns:
        return None
    return tenures[i]


def judge(line: Line, run: Run) -> None:
    """Count each read that was blocked before: whether its hold is listed, with a start
    at which its thread was after the lock or had it. A hold that none of its thread's
    tenures explains is wrong."""
    own: dict[int, list[Tenure]] = defaultdict(list)
    for words in run.truth["read"]:
        own[words[0]].append(Tenure(*words))
    found = set()
    for hold in answers.holds(run, CLASSES):
        if hold.owner not in own:
            continue
        tenure = had(own[hold.owner], hold.from_ns)
        if tenure is None:
            line.cases += 1
            line.count(hold.owner, 0, is_sure=hold.is_sure)
        else:
            found.add(tenure)
    for thread, blocks in answers.blocks(run, CLASSES).items():
        for tenure in {had(own.get(thread, []), end_ns) for _, end_ns in blocks}:
            if tenure is None:
                continue
            line.cases += 1
            line.count(thread if tenure in found else 0, thread, is_sure=False)
