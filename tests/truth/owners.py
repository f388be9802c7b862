# SPDX-License-Identifier: Apache-2.0
"""The owner of a lock while others were blocked by it, compared with threads that know
when they had it.

    truth     [ A ········]   [ B ········]         held: acquired to released
    a block     |······························|
    answer      A A A A A A A A B B B ? ? ? B B

The judge compares stretches: every nanosecond of each block in the timeline has one
true owner or none, and one owner in the answer or none.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import answers
from answers import FREE, OWNED, UNKNOWN, Stretch
from runs import Run

# How long it is at most from the instant at which the recorder reads an owner
# to the program's own stamp, when nothing else comes between.
STAMP_NS = 50_000


@dataclass(frozen=True, slots=True)
class Tenure:
    thread: int
    wanted: int
    acquired: int
    released: int
    left: int


@dataclass
class Tally:
    """Amounts of blocked time, in ns."""

    blocks: int = 0
    right: int = 0
    wrong: int = 0
    wrong_sure: int = 0
    wrong_sure_count: int = 0
    wrong_sure_max: int = 0
    unknown: int = 0
    free: int = 0
    free_found: int = 0
    free_charged: int = 0
    free_sure: int = 0
    latency: int = 0


@dataclass
class Truth:
    """Every tenure of one lock, by time, and each thread's own."""

    tenures: list[Tenure]
    begins: list[int] = field(default_factory=list)
    own: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.tenures.sort(key=lambda it: it.acquired)
        for before, after in pairwise(self.tenures):
            assert before.released <= after.acquired, "two had the lock at once"
        self.begins = [it.acquired for it in self.tenures]
        for i, tenure in enumerate(self.tenures):
            self.own[tenure.thread].append(i)

    @classmethod
    def of(cls, run: Run) -> "Truth":
        return cls([Tenure(*words) for words in run.truth["tenure"]])

    def wanting(self, thread: int, time_ns: int) -> int | None:
        """The tenure that a thread was after at that time."""
        own = self.own.get(thread, [])
        i = bisect_left(own, time_ns, key=lambda j: self.tenures[j].acquired)
        if i == len(own) or self.tenures[own[i]].wanted > time_ns:
            return None
        return own[i]

    def pieces(self, from_ns: int, to_ns: int) -> Iterator[tuple[int, int, int, int]]:
        """Begin, end, owner or 0, and number of the tenure last begun, gapless."""
        i = max(bisect_right(self.begins, from_ns) - 1, 0)
        at_ns = from_ns
        while at_ns < to_ns and i < len(self.tenures):
            tenure = self.tenures[i]
            if at_ns < tenure.acquired:
                end_ns = min(tenure.acquired, to_ns)
                yield at_ns, end_ns, 0, i - 1
                at_ns = end_ns
            end_ns = min(tenure.released, to_ns)
            if at_ns < end_ns:
                yield at_ns, end_ns, tenure.thread, i
                at_ns = end_ns
            i += 1
        if at_ns < to_ns:
            yield at_ns, to_ns, 0, i - 1


def answered(
    stretches: list[Stretch], from_ns: int, to_ns: int, *, gap: str
) -> list[Stretch]:
    """The answers for a stretch of time, with `gap` where there is none."""
    found = []
    i = bisect_right(stretches, from_ns, key=lambda it: it.from_ns)
    at_ns = from_ns
    # One that began before may reach into it.
    for stretch in stretches[max(i - 1, 0) :]:
        if stretch.from_ns >= to_ns:
            break
        begin_ns, end_ns = max(stretch.from_ns, at_ns), min(stretch.to_ns, to_ns)
        if begin_ns >= end_ns:
            continue
        if at_ns < begin_ns:
            found.append(Stretch(at_ns, begin_ns, gap))
        found.append(
            Stretch(begin_ns, end_ns, stretch.share, stretch.owner, stretch.is_sure)
        )
        at_ns = end_ns
    if at_ns < to_ns:
        found.append(Stretch(at_ns, to_ns, gap))
    return found


def count(tally: Tally, owner: int, answer: Stretch, ns: int) -> None:
    """Count time with a known owner, or in which the lock was free (owner 0)."""
    if answer.share == FREE:
        tally.latency += ns
    if owner == 0:
        tally.free += ns
        tally.free_found += ns if answer.share == FREE else 0
        tally.free_charged += ns if answer.share == OWNED else 0
        tally.free_sure += ns if answer.share == OWNED and answer.is_sure else 0
    elif answer.share != OWNED:
        tally.unknown += ns
    elif answer.owner == owner:
        tally.right += ns
    else:
        tally.wrong += ns
        if answer.is_sure:
            tally.wrong_sure += ns
            tally.wrong_sure_count += 1
            tally.wrong_sure_max = max(tally.wrong_sure_max, ns)


def excused(
    truth: Truth, before: int, answer: Stretch, from_ns: int, to_ns: int
) -> int:
    """How much of free time may in truth have been the answer's owner's: between a
    release and the stamp after it, and between an entry and the stamp after that."""
    last = truth.tenures[before] if before >= 0 else None
    if last and answer.owner == last.thread:
        return max(min(to_ns, last.left) - from_ns, 0)
    after = truth.tenures[before + 1] if before + 1 < len(truth.tenures) else None
    if after and answer.owner == after.thread:
        return max(to_ns - max(from_ns, after.acquired - STAMP_NS), 0)
    return 0


def judge(run: Run, truth: Truth, classes: tuple[str, ...], *, by: str) -> Tally:
    """Compare the answer for each block with what was.

    Args:
        run: asked
        truth: of its one lock
        classes: that a lock of this kind shows as
        by: blame or holds
    """
    tally = Tally()
    blame = answers.blame(run, classes) if by == "blame" else {}
    holds = answers.holds(run, classes) if by == "holds" else []
    for thread, blocks in answers.blocks(run, classes).items():
        stretches = blame.get(thread, []) if by == "blame" else holds
        gap = UNKNOWN if by == "blame" else FREE
        for from_ns, to_ns in blocks:
            wanted = truth.wanting(thread, from_ns)
            if wanted is None:
                continue
            to_ns = min(to_ns, truth.tenures[wanted].acquired)
            tally.blocks += 1
            count_block(tally, truth, answered(stretches, from_ns, to_ns, gap=gap))
    return tally


def count_block(tally: Tally, truth: Truth, answer: list[Stretch]) -> None:
    for stretch in answer:
        for from_ns, to_ns, owner, last in truth.pieces(stretch.from_ns, stretch.to_ns):
            ns = to_ns - from_ns
            if owner == 0 and stretch.share == OWNED and stretch.is_sure:
                maybe_ns = excused(truth, last, stretch, from_ns, to_ns)
                tally.free_sure -= maybe_ns
            count(tally, owner, stretch, ns)
