# SPDX-License-Identifier: Apache-2.0
"""Two recorders' answers about one run, side by side by class.

What the JVM's recorder leaves out by its own rules is taken out of ours, and counted by
the rule that took it, so that nothing is left out by more than we know of:

- a blocking interval that had not ended leaves no event;
- nor does one that began before the recording, or ended after it;
- its own threads' waits are hidden, and its own locks are not the program's.

A thread that waits for another to initialise a class waits in the VM on an int[], and
JVM TI tells only that it is over: JFR has these waits and we cannot.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conftest import Run
from flight import BlockingInterval

OURS = {
    "blocked": "blocked",
    "deadlocked": "blocked",
    "waiting": "waiting",
    "joining": "waiting",
    "reentering": "waiting",
    "parked": "parked",
    "sleeping": "sleeping",
}
RECORDER = "jdk.jfr."
INITIALISATION = "int[]"


# A thread that loses its processor between the two recorders' readings of the clock
# makes a difference of a slice or more. Such pairs are counted apart, and must be few.
TORN_NS = 1_000_000


@dataclass
class Events:
    """What one recorder has of one class in one state: start and length by thread."""

    by_thread: dict[int, list[tuple[int, int]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def add(self, thread_id: int, start_ns: int, duration_ns: int) -> None:
        self.by_thread[thread_id].append((start_ns, duration_ns))

    @property
    def count(self) -> int:
        return sum(map(len, self.by_thread.values()))

    @property
    def total_ns(self) -> int:
        return sum(length for list_ in self.by_thread.values() for _, length in list_)


@dataclass
class Side:
    """Events by state, then class, of what both recorders are to have."""

    states: dict[str, dict[str, Events]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Events))
    )
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Line:
    """One class in one state: what each of the two says."""

    class_name: str
    jfr: Events
    ours: Events

    @property
    def differences_ns(self) -> list[int]:
        """Ours less JFR's, block by block, of threads with as many in both."""
        return [
            our - their
            for thread_id, events in self.jfr.by_thread.items()
            if len(events) == len(self.ours.by_thread.get(thread_id, []))
            for (_, their), (_, our) in zip(
                sorted(events), sorted(self.ours.by_thread[thread_id]), strict=True
            )
        ]

    @property
    def torn(self) -> list[int]:
        return [d for d in self.differences_ns if abs(d) > TORN_NS]

    @property
    def difference_ns(self) -> int:
        """Of the totals, but for what is torn."""
        return self.ours.total_ns - self.jfr.total_ns - sum(self.torn)

    @property
    def relative(self) -> float:
        """Of the totals as they are, torn ones and all."""
        return (self.ours.total_ns - self.jfr.total_ns) / self.jfr.total_ns

    def __str__(self) -> str:
        return (
            f"{self.class_name}: JFR {self.jfr.count} in {self.jfr.total_ns} ns,"
            f" ours {self.ours.count} in {self.ours.total_ns} ns, torn {self.torn}"
        )


def blocking_intervals(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The timeline's blocking intervals, a wait and its queueing again as one, as JFR
    has them."""
    last: dict[str, Any] | None = None
    for row in rows:
        if row["state"] not in OURS:
            continue
        if (
            row["state"] == "reentering"
            and last is not None
            and last["thread_id"] == row["thread_id"]
            and last["end_ns"] == row["start_ns"]
            and OURS[last["state"]] == "waiting"
        ):
            last = {**last, "end_ns": row["end_ns"], "open": row["open"]}
            continue
        if last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def rule(run: Run, row: dict[str, Any]) -> str | None:
    """Why JFR has no event of a blocking interval; None: it has to have one."""
    if row["open"]:
        return "not ended"
    if (row["class"] or "").startswith(RECORDER):
        return "the recorder's own"
    if row["start_ns"] < run.since_start_ns(run.flight.from_ns):
        return "before the recording"
    if row["end_ns"] > run.since_start_ns(run.flight.to_ns):
        return "after the recording"
    return None


def our_side(run: Run) -> Side:
    side = Side()
    for row in blocking_intervals(run.model.timeline()):
        why = rule(run, row)
        if why:
            side.left_out[why] += 1
        else:
            side.states[OURS[row["state"]]][row["class"] or ""].add(
                row["thread_id"], row["start_ns"], row["end_ns"] - row["start_ns"]
            )
    return side


def initialisation_waits(run: Run) -> Counter[int]:
    """How often each thread waited for another to initialise a class, by JFR."""
    return Counter(
        e.thread_id for e in run.flight.blocking_intervals if is_initialisation(e)
    )


def is_initialisation(event: BlockingInterval) -> bool:
    return event.state == "waiting" and event.class_name == INITIALISATION


def jfr_side(run: Run) -> Side:
    side = Side()
    for event in run.flight.blocking_intervals:
        if event.class_name.startswith(RECORDER):
            side.left_out["the recorder's own"] += 1
        elif is_initialisation(event):
            side.left_out["initialisation of a class"] += 1
        else:
            side.states[event.state][event.class_name].add(
                event.thread_id, event.start_ns, event.duration_ns
            )
    return side


def lines(run: Run, state: str) -> list[Line]:
    """Every class that either has met, the longest by JFR first."""
    ours, jfr = our_side(run).states[state], jfr_side(run).states[state]
    found = [
        Line(name, jfr.get(name, Events()), ours.get(name, Events()))
        for name in ours.keys() | jfr.keys()
    ]
    return sorted(found, key=lambda line: -line.jfr.total_ns)
