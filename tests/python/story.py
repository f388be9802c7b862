# SPDX-License-Identifier: Apache-2.0
"""Small runs, written event by event at times in ms, and their findings."""

from typing import Any

from threadmodel import Event, EventFlag, EventKind, Frame, Model, ObjectKind, Run

Row = dict[str, Any]
MS = 1_000_000
LOCK, QUEUE, OTHER = 100, 200, 300
SLOW, TRANSFER, TAKE, PUT, JDK = 1, 2, 3, 4, 9
KIND = EventKind
ALL_KINDS = frozenset(EventKind)
ALL_OBJECTS = frozenset(ObjectKind)


class Story:
    """A model that is filled event by event at times in ms."""

    def __init__(
        self, threads: int = 8, kinds: frozenset[EventKind] = frozenset()
    ) -> None:
        """Make it. kinds: the kinds that the producer reports; empty: unknown."""
        self.model = Model()
        sink = self.model
        sink.define_run(Run(policy=1, start_ns=1, kinds=kinds))
        names = ("demo.Lock", "demo.Queue", "demo.Other")
        for number, name in enumerate(names, 1):
            sink.define_class(number, name, f"{name.partition('.')[2]}.java")
            sink.define_object(number * 100, number)
        sink.define_class(9, "java.util.Timer", "Timer.java")
        for method, name in ((SLOW, "slow"), (TRANSFER, "transfer")):
            sink.define_method(method, 1, name)
        for method, name in ((TAKE, "take"), (PUT, "put")):
            sink.define_method(method, 2, name)
        sink.define_method(JDK, 9, "mainLoop")
        for number in (SLOW, TRANSFER, TAKE, PUT, JDK):
            sink.define_stack(number, [Frame(number, line=10 * number)])
        for thread in range(1, threads + 1):
            sink.define_thread(thread, f"t{thread}")
        self.events: list[Event] = []

    def at(self, ms: float, thread: int, kind: EventKind, **fields: int) -> "Story":
        self.events.append(Event(1 + round(ms * MS), thread, kind, **fields))
        return self

    def findings(self, kind: str | None = None) -> list[Row]:
        self.events.sort(key=lambda event: event.time_ns)
        self.model.ingest(self.events)
        self.events = []
        rows = list(self.model.findings())
        return rows if kind is None else [row for row in rows if row["kind"] == kind]

    def block(
        self, begin: float, end: float, thread: int, owner: int = 0, lock: int = LOCK
    ) -> "Story":
        flags = EventFlag.PEER_REPORTED if owner else 0
        self.at(
            begin,
            thread,
            KIND.CONTENDED_ENTER,
            object=lock,
            peer=owner,
            stack=TRANSFER,
            flags=flags,
        )
        return self.at(end, thread, KIND.CONTENDED_ENTERED, object=lock)
