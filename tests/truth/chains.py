# SPDX-License-Identifier: Apache-2.0
"""The chain of acts that decided the end of a program, against the critical path.

    a   ══ fetch ══╗                     ═ on, by the way the program is made
    b   ── parse ──┆════ store ════ end  ─ off

An act is right if the path was with its thread, and in its method where the path names
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

METHODS = ("Act.fetch", "Act.parse", "Act.store", None, None)
# Links of the chain follow one another: where they do not, the machine was busy with
# something else, and another chain may have decided.
MAX_GAP_NS = 15_000_000
ATTEMPTS = 4
ENOUGH = 0.85


@dataclass(frozen=True, slots=True)
class Act:
    thread: int
    method: int
    from_ns: int
    to_ns: int
    is_on: int


def chain(run: Run) -> list[Act]:
    acts = [Act(*words) for words in run.truth["act"]]
    return sorted((act for act in acts if act.is_on), key=lambda act: act.from_ns)


def holds_together(acts: list[Act]) -> bool:
    return all(
        abs(after.from_ns - before.to_ns) <= MAX_GAP_NS
        for before, after in pairwise(acts)
    )


def shares(act: Act, path: list[Segment]) -> tuple[float, float]:
    """How much of an act's time the path is said to be with it, and with another."""
    right = wrong = 0
    for segment in path:
        ns = min(segment.to_ns, act.to_ns) - max(segment.from_ns, act.from_ns)
        if ns <= 0 or segment.is_unexplained:
            continue
        method = METHODS[act.method]
        is_elsewhere = (
            method is not None
            and segment.state == "sleeping"
            and segment.method not in (None, method)
        )
        if segment.thread == act.thread and not is_elsewhere:
            right += ns
        else:
            wrong += ns
    length = act.to_ns - act.from_ns
    return right / length, wrong / length


def verdict(acts: list[Act], path: list[Segment]) -> str:
    found = [shares(act, path) for act in acts]
    if all(right >= ENOUGH for right, _ in found):
        return "right"
    if any(wrong > 1 - ENOUGH for _, wrong in found):
        return "wrong"
    return "unknown"


def record(shop: Workshop, mode: str, by: str) -> Run | None:
    """A run in which the chain decided, as it was made to."""
    for _ in range(ATTEMPTS):
        run = shop.record("Paths", mode, by=by, flags=BRIEF)
        if holds_together(chain(run)):
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
            said = verdict(chain(run), answers.path(run))
            line.cases += 1
            setattr(line, said, getattr(line, said) + 1)
            modes_by[said].append(mode)
        line.details = [
            f"{said}: {', '.join(modes)}"
            for said, modes in modes_by.items()
            if said != "right"
        ]
        yield line
