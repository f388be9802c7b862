# SPDX-License-Identifier: Apache-2.0
"""The chain of steps that decided the end of a program, against the critical path.

    a   ══ fetch ══╗                     ═ on, by the way the program is made
    b   ── parse ──┆════ store ════ end  ─ off

An step is right if the path was with its thread, and in its method where the path names
one, for nearly all of its time.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import answers
from answers import Segment
from runs import BRIEF, Run, Workshop
from table import Goal, Line

METHODS = ("Step.fetch", "Step.parse", "Step.store", None, None)
# Steps of the chain follow one another: where they do not, the machine was busy with
# something else, and another chain may have decided.
MAX_GAP_NS = 15_000_000
ATTEMPTS = 4
ENOUGH = 0.85


@dataclass(frozen=True, slots=True)
class Step:
    thread: int
    method: int
    from_ns: int
    to_ns: int
    is_on: int


def steps_of(run: Run) -> list[Step]:
    steps = [Step(*words) for words in run.truth["step"]]
    return sorted(steps, key=lambda step: step.from_ns)


def chain(run: Run) -> list[Step]:
    return [step for step in steps_of(run) if step.is_on]


def decided(run: Run) -> bool:
    """Whether each step of the chain waited for the one before it, and for no other."""
    off = [step for step in steps_of(run) if not step.is_on]
    return all(
        abs(after.from_ns - before.to_ns) <= MAX_GAP_NS
        and not any(
            other.thread == after.thread and before.to_ns < other.to_ns <= after.from_ns
            for other in off
        )
        for before, after in pairwise(chain(run))
    )


def shares(step: Step, path: list[Segment]) -> tuple[float, float]:
    """How much of an step's time the path is with it, and with another."""
    right = wrong = 0
    for segment in path:
        ns = min(segment.to_ns, step.to_ns) - max(segment.from_ns, step.from_ns)
        if ns <= 0 or segment.is_unexplained:
            continue
        method = METHODS[step.method]
        is_elsewhere = (
            method is not None
            and segment.state == "sleeping"
            and segment.method not in (None, method)
        )
        if segment.thread == step.thread and not is_elsewhere:
            right += ns
        else:
            wrong += ns
    length = step.to_ns - step.from_ns
    return right / length, wrong / length


def verdict(steps: list[Step], path: list[Segment]) -> str:
    found = [shares(step, path) for step in steps]
    if all(right >= ENOUGH for right, _ in found):
        return "right"
    if any(wrong > 1 - ENOUGH for _, wrong in found):
        return "wrong"
    return "unknown"


def record(shop: Workshop, mode: str, by: str) -> Run | None:
    """A run in which the chain decided, as it was made to."""
    for _ in range(ATTEMPTS):
        run = shop.record("Paths", mode, by=by, flags=BRIEF)
        if decided(run):
            return run
    return None


def lines(shop: Workshop) -> Iterator[Line]:
    modes = shop.modes("Paths")
    for by in ("agent", "jfr"):
        line = Line(
            f"critical path, {by}", shop.jdk, Goal(right=1.0, wrong=0.0, sure=None)
        )
        modes_by: dict[str, list[str]] = defaultdict(list)
        for mode in modes:
            run = record(shop, mode, by)
            if run is None:
                modes_by["not measured"].append(mode)
                continue
            judged = verdict(chain(run), answers.path(run))
            line.cases += 1
            setattr(line, judged, getattr(line, judged) + 1)
            modes_by[judged].append(mode)
        line.details = [
            f"{judged}: {', '.join(modes)}"
            for judged, modes in modes_by.items()
            if judged != "right"
        ]
        yield line
