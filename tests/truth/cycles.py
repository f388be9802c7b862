# SPDX-License-Identifier: Apache-2.0
"""How soon a deadlock is told, after the instant at which it was closed."""

import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

from runs import SCOPES_SINCE, Run, Told, Workshop
from table import Goal, Line

MILLI = 1_000_000
# Of an idle machine, and of one that is busy with something else.
GOAL_MS, BUSY_MS = 20, 100
STAY_MS = 400
MEMBER = re.compile(r'  "c(\d+)-(\d+)" \(thread')
# However it is put, it says that time will be up.
BREAKS = re.compile(r"\btimed?\b|\btimeout\b|\bbreak")

# A letter a member, see Cycles.java.
KINDS = {
    "monitors": ("mm", "mmm"),
    "locks": ("ll", "lll"),
    "mixed with joins": ("ml", "em", "el", "mle"),
}
VIRTUAL = {
    "monitors, virtual": ("MM", "mM", "Mm"),
    "locks, virtual": ("LL", "lL", "Ll"),
    "mixed with joins, virtual": ("ML", "Em", "eM", "mLE"),
}
TIMED = {"will break": ("tm", "tl", "mt", "ttl")}


@dataclass
class Telling:
    """What was told of one cycle, without its stacks, and when it began to be."""

    time_ns: int
    text: str = ""
    cycle: int = -1
    members: set[int] = field(default_factory=set)


def tellings(stderr: list[Told]) -> list[Telling]:
    found: list[Telling] = []
    for line in stderr:
        if line.text.startswith("threadmodel: "):
            found.append(Telling(line.time_ns))
        if not found or line.text.startswith("      "):
            continue
        found[-1].text += f"{line.text}\n"
        member = MEMBER.match(line.text)
        if member:
            found[-1].cycle = int(member.group(1))
            found[-1].members.add(int(member.group(2)))
    return found


def judge(line: Line, run: Run, kinds: tuple[str, ...]) -> list[float]:
    """Count which cycles were told with all of their members. @return after how many
    ms each was."""
    took_ms = []
    told = tellings(run.stderr)
    missed = []
    for number, count, closed_ns, breaks, _ in run.truth["cycle"]:
        of_it = [it for it in told if it.cycle == number]
        line.cases += 1
        if not of_it:
            line.unknown += 1
            missed.append(kinds[number % len(kinds)])
            continue
        took_ms.append((of_it[0].time_ns - closed_ns) / MILLI)
        is_right = of_it[0].members == set(range(count)) and (
            not breaks or BREAKS.search(of_it[0].text) is not None
        )
        line.right += is_right
        line.wrong += not is_right
    if missed:
        line.details.append(f"not told: {', '.join(sorted(set(missed)))}")
    return took_ms


def lines(shop: Workshop) -> Iterator[Line]:
    """Each cycle is a case, and is right where all members are named; of one that will
    break, where that is said too."""
    groups = {**KINDS, **(VIRTUAL if shop.jdk.release >= SCOPES_SINCE else {}), **TIMED}
    for name, kinds in groups.items():
        run = shop.record("Cycles", STAY_MS, *kinds, *kinds)
        line = Line(
            f"deadlock, {name}", shop.jdk, Goal(right=1.0, wrong=0.0, sure=None)
        )
        took_ms = judge(line, run, kinds)
        if took_ms:
            median_ms = statistics.median(took_ms)
            line.note = (
                f"told after {min(took_ms):.0f} to {max(took_ms):.0f} ms, median "
                f"{median_ms:.0f} (goal {GOAL_MS}, of a busy machine {BUSY_MS})"
                f"{' *' if median_ms > GOAL_MS else ''}"
            )
        yield line
