# SPDX-License-Identifier: Apache-2.0
"""What recording adds to the processor time of programs: `./dev bench peers pairs
--rounds 30`, or as many as the answer takes.

A round is a run with our recorder and two without one, in an order that turns. The
mean of its ratio to these two has an interval in which it lies at 95 %. Of the second
to the first of the two there is the same: what the machine adds by itself.
"""

import functools
import math
import sys
from collections.abc import Callable

import overhead
import tables
from fetch import Setting

from rounds import FailedError, Figures, Result, Row, Spread, interval

NAME = "pairs"
LEAST = 2
BARE, OURS, AGAIN = range(3)


def added(ratios: list[float]) -> Spread:
    return Spread(*(100 * (ratio - 1) for ratio in interval(ratios)))


def compare(
    setting: str, bare: Callable[[], Figures], ours: Callable[[], Figures], rounds: int
) -> list[Row]:
    """Rows of a program: with the recorder, and without it once more."""
    rows = [Row(setting, "threadmodel"), Row(setting, "bare once more")]
    costs, noise, seconds = [], [], []
    for number in range(max(rounds, LEAST)):
        cpu_s = [0.0, 0.0, 0.0]
        for place in range(len(cpu_s)):
            which = (place + number) % len(cpu_s)
            try:
                cpu_s[which] = (ours if which == OURS else bare)()["cpu_s"]
            except FailedError as reason:
                return [Row(setting, "threadmodel", failed=str(reason))]
        costs.append(cpu_s[OURS] / math.sqrt(cpu_s[BARE] * cpu_s[AGAIN]))
        noise.append(cpu_s[AGAIN] / cpu_s[BARE])
        seconds += [cpu_s[BARE], cpu_s[AGAIN]]
    for row, ratios in zip(rows, (costs, noise), strict=True):
        row.figures = {
            "bare_cpu_s": Spread.of(seconds),
            "added_percent": added(ratios),
        }
    return rows


def bench(setting: Setting) -> Result:
    result = setting.result
    for jdk in setting.jdks():
        flags = overhead.recorders(setting, jdk)
        for name, program in overhead.programs(setting, jdk).items():
            if name.startswith("storm"):
                continue
            print(f"  {name}, {jdk}", file=sys.stderr, flush=True)
            bare = functools.partial(program, flags["bare"])
            ours = functools.partial(program, flags["threadmodel"])
            found = Result(compare(f"{name}, {jdk}", bare, ours, setting.rounds))
            print(tables.table(found), file=sys.stderr, flush=True)
            result.add(found)
    return result
