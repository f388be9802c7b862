# SPDX-License-Identifier: Apache-2.0
"""The rows of the table: which programs are run for each, and what is counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import answers
import chains
import cycles
import owners
import previous
import readers
from owners import Tally, Truth
from runs import SCOPES_SINCE, Run, Workshop
from table import Goal, Line

CLASSES = {
    "monitor": ("java.lang.Object",),
    "unfair": ("java.util.concurrent.locks.ReentrantLock$",),
    "fair": ("java.util.concurrent.locks.ReentrantLock$",),
}
KINDS = tuple(CLASSES)
MICRO, MILLI = 1_000, 1_000_000


@dataclass(frozen=True)
class Locks:
    """How the program Locks is run."""

    kind: str
    threads: int
    from_ns: int
    to_ns: int
    run_ms: int
    platform: str = "platform"

    def record(self, shop: Workshop) -> Run:
        return shop.record(
            "Locks",
            *(self.kind, self.platform, self.threads, self.from_ns, self.to_ns),
            *(self.run_ms, 1),
        )


def long_holds(kind: str, threads: int) -> Locks:
    return Locks(kind, threads, 100 * MICRO, 2 * MILLI, 1000)


def short_holds(kind: str, threads: int) -> Locks:
    return Locks(kind, threads, MICRO, 20 * MICRO, 400)


LONG = [long_holds(kind, threads) for kind in KINDS for threads in (2, 8, 32, 100)]
VIRTUAL = [
    Locks(kind, threads, 100 * MICRO, 2 * MILLI, 1000, "virtual")
    for kind in KINDS
    for threads in (8, 32)
]
SHORT = [short_holds(kind, threads) for kind in KINDS for threads in (2, 8, 32)]


@cache
def recorded(shop: Workshop, locks: Locks) -> tuple[Run, Truth]:
    run = locks.record(shop)
    return run, Truth.of(run)


def asked(run: Run, first: str) -> list[str]:
    """The answers that the library has to a question."""
    return [first, *(["holds"] if answers.has_holds(run) else [])]


@cache
def tallies(shop: Workshop, locks: Locks) -> dict[str, Tally]:
    """By the answer that was asked."""
    run, truth = recorded(shop, locks)
    return {
        by: owners.judge(run, truth, CLASSES[locks.kind], by=by)
        for by in asked(run, "blame")
    }


def owner_lines(
    shop: Workshop, name: str, runs: list[Locks], goal: Goal
) -> Iterator[Line]:
    for locks in runs:
        for by, tally in tallies(shop, locks).items():
            row = f"{name}, {locks.kind}, {locks.threads} threads, by {by}"
            line = Line(
                row,
                shop.jdk,
                goal,
                tally.blocks,
                tally.right,
                tally.wrong,
                tally.wrong_sure,
                tally.unknown,
            )
            if tally.wrong_sure_count:
                line.note = (
                    f"sure: {tally.wrong_sure_count} stretches, the longest "
                    f"{tally.wrong_sure_max / MICRO:,.1f} us"
                )
            yield line


def holders(shop: Workshop) -> Iterator[Line]:
    yield from owner_lines(shop, "holder", LONG, Goal(right=0.97, wrong=0.005))


def storms(shop: Workshop) -> Iterator[Line]:
    yield from owner_lines(shop, "holder in a storm", SHORT, Goal(wrong=0.01))


def free(shop: Workshop) -> Iterator[Line]:
    """Of the time in which nobody had the lock that a thread was blocked for."""
    for name, runs in (("free", LONG), ("free in a storm", SHORT)):
        for kind in KINDS:
            of_kind = [
                tallies(shop, locks)["blame"] for locks in runs if locks.kind == kind
            ]
            line = Line(f"{name}, {kind}, by blame", shop.jdk, Goal(sure=0.01))
            latency = 0
            for tally in of_kind:
                line.cases += tally.blocks
                line.right += tally.free_found
                line.wrong += tally.free_charged
                line.sure += tally.free_sure
                line.unknown += tally.free - tally.free_found - tally.free_charged
                latency += tally.latency
            error = latency / line.total - 1 if line.total else 0.0
            blocked = sum(it.free + it.right + it.wrong + it.unknown for it in of_kind)
            line.note = (
                f"{line.total / max(blocked, 1):.1%} of blocked time; "
                f"estimate {error:+.1%} (goal 5 %){' *' if abs(error) > 0.05 else ''}"
            )
            yield line


def releasers(shop: Workshop) -> Iterator[Line]:
    """Each wait of a scene is a case; the scenes are one line a kind of lock."""
    run = shop.record("Releases", 3)
    for by in asked(run, "interactions"):
        goal = Goal(right=0.99, wrong=0.0)
        lines = [Line(f"releaser, {kind}, by {by}", shop.jdk, goal) for kind in KINDS]
        previous.judge_scenes(lines, run, by=by)
        yield from lines


def let_in_together(shop: Workshop) -> Iterator[Line]:
    """Of readers that a writer lets in, which have a hold of their own."""
    for threads in (4, 16):
        run = shop.record("Readers", threads, 2 * MILLI, 1000, 1)
        line = Line(f"readers, {threads} threads, by holds", shop.jdk, Goal(right=0.95))
        readers.judge(line, run)
        yield line


def virtual(shop: Workshop) -> Iterator[Line]:
    """The owner of the lock before each wait of a virtual thread."""
    if shop.jdk.release < SCOPES_SINCE:
        return
    for locks in VIRTUAL:
        run, truth = recorded(shop, locks)
        for by in asked(run, "interactions"):
            row = f"previous owner, virtual, {locks.kind}, {locks.threads}, by {by}"
            line = Line(row, shop.jdk, Goal(right=0.95))
            previous.judge(line, run, truth, CLASSES[locks.kind], by=by)
            yield line


ROWS = {
    "releasers": releasers,
    "holders": holders,
    "storms": storms,
    "free": free,
    "virtual": virtual,
    "readers": let_in_together,
    "paths": chains.lines,
    "deadlocks": cycles.lines,
}
