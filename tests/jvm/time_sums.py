# SPDX-License-Identifier: Apache-2.0
"""Threads that print their times, compared with their recorded states. Each thread
prints a line: its name, its start and end, its time in waits as it measured it, its
time on a processor and its wait for one by the kernel's count, the duration of that
count, and its kernel thread id; times are in ns."""

from collections import Counter
from dataclasses import dataclass

import threadmodel

#: the tolerance for the ends of a measurement, in addition to 2 %
SLACK_NS = 4_000_000


@dataclass(frozen=True)
class Sums:
    """Times of one thread between two instants that it printed."""

    whole_ns: int
    waited_ns: int
    cpu_ns: int
    delay_ns: int
    counted_in_ns: int
    states: Counter[str]

    def odd(self, waits: str | None, *, computes: bool) -> list[str]:
        """Return the differences of more than 2 %.

        Args:
            waits: the state in which it waits, as it measured; None: in none
            computes: whether it only uses a processor or waits for one
        """
        # The counts were read before it began and after it ended.
        beyond_ns = self.counted_in_ns - self.whole_ns
        # A hypervisor may take a processor away: no thread is charged for that.
        taken_ns = max(self.counted_in_ns - self.cpu_ns - self.delay_ns, 0)
        wanted_ns = self.states["runnable"] + self.states["native"]
        found = []
        if abs(sum(self.states.values()) - self.whole_ns) > self.whole_ns * 0.01:
            found.append("states are missing")
        if computes:
            running = self.states["running"]
            if running < self.cpu_ns * 0.98 - SLACK_NS - beyond_ns:
                found.append("running is too short")
            if running > self.cpu_ns * 1.02 + SLACK_NS + taken_ns:
                found.append("running is too long")
            if self.states["runnable"] > self.delay_ns * 1.02 + SLACK_NS + taken_ns:
                found.append("runnable is too long")
            if wanted_ns < self.delay_ns * 0.98 - SLACK_NS - beyond_ns:
                found.append("runnable is too short")
        if waits:
            # The thread's measurement ends when it has a processor again, and includes
            # calls that did not wait.
            least_ns = self.waited_ns * 0.98 - SLACK_NS - wanted_ns
            least_ns -= self.states["running"]
            if waits == "native":
                least_ns += self.states["native"]
            if self.states[waits] < least_ns:
                found.append(f"{waits} is too short")
            if self.states[waits] > self.waited_ns * 1.02 + SLACK_NS + wanted_ns:
                found.append(f"{waits} is too long")
        return found


def sums_of(model: threadmodel.Model, printed: str) -> dict[str, Sums]:
    """Return the times by name of each thread that printed a line."""
    lines = [line.split()[1:] for line in printed.splitlines() if "thread " in line]
    printed_of = {name: [int(number) for number in numbers] for name, *numbers in lines}
    names = {row["thread_id"]: row["name"] for row in model.threads()}
    states: dict[str, Counter[str]] = {name: Counter() for name in printed_of}
    start_ns = model.run.start_ns
    for row in model.timeline():
        name = names[row["thread_id"]]
        if name in printed_of:
            begin = max(start_ns + row["start_ns"], printed_of[name][0])
            end = min(start_ns + row["end_ns"], printed_of[name][1])
            states[name][row["state"]] += max(end - begin, 0)
    return {
        name: Sums(ended - begun, waited, cpu, delay, counted_in, states[name])
        for name, (begun, ended, waited, cpu, delay, counted_in, _) in (
            printed_of.items()
        )
    }
