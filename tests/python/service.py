# SPDX-License-Identifier: Apache-2.0
"""A simulated service: clients in a closed loop, workers, and one bottleneck.

The events are those of a JVM agent; the simulation also keeps a log of the requests, so
that the library's answers can be compared with the truth.
"""

import heapq
import random
from collections.abc import Callable, Container
from typing import Any, Final, NamedTuple

from threadmodel import Ending, Event, EventKind, Frame, Model, ObjectKind, Run, Sink

US: Final = 1000
MS: Final = 1000 * US
KIND: Final = EventKind
POLLER, FIRST_WORKER = 1, 10
IDLE, BORROW, QUERY, GUARD, RETURN = 1, 2, 3, 4, 5
DONE, TURN, LOAD, OWN, READ = 6, 7, 8, 9, 10
SEND, ANSWERED, ANSWERED_TOO, CHECK = 11, 12, 13, 14
# Added to the numbers of stacks for the other endpoint.
OTHER = 20
CONDITION, PERMITS, LOCK, ORDER, LOADER, DATABASE = 1, 2, 3, 4, 5, 6
ENDPOINT: Final = "10.0.0.7:5432"
# Frames, innermost first: class and method.
RUN = [
    ("java.util.concurrent.ThreadPoolExecutor", "runWorker"),
    ("java.lang.Thread", "run"),
]
PARK = ("jdk.internal.misc.Unsafe", "park")
HANDLE, CANCEL = ("app.Order", "handle"), ("app.Order", "cancel")
SERVE = ("sun.net.httpserver.ServerImpl$Exchange", "run")
# Internal classes of the VM with the same name.
FORM: Final = "java.lang.invoke.LambdaForm$MH"
STACKS: Final = {
    IDLE: [PARK, ("java.util.concurrent.ThreadPoolExecutor", "getTask"), *RUN],
    BORROW: [PARK, ("app.Pool", "borrow"), HANDLE, *RUN],
    QUERY: [("java.lang.Thread", "sleep"), ("app.Query", "run"), HANDLE, *RUN],
    GUARD: [("app.Stock", "take"), HANDLE, *RUN],
    RETURN: [("app.Pool", "give"), HANDLE, *RUN],
    DONE: [("app.Poller", "run"), ("java.lang.Thread", "run")],
    LOAD: [("java.lang.ClassLoader", "loadClass"), HANDLE, *RUN],
    OWN: [PARK, ("java.util.concurrent.ThreadPoolExecutor", "processWorkerExit"), *RUN],
    READ: [("sun.net.httpserver.Request", "readLine"), SERVE, *RUN],
    SEND: [("app.Query", "send"), HANDLE, *RUN],
    ANSWERED: [
        ("app.Query", "ask"),
        (f"{FORM}/0x00007f3a5c000c28", "invoke"),
        HANDLE,
        *RUN,
    ],
    ANSWERED_TOO: [
        ("app.Query", "ask"),
        (f"{FORM}/0x00007f3a5c001000", "invoke"),
        HANDLE,
        *RUN,
    ],
    CHECK: [("app.Check", "before"), *RUN],
    TURN: [("java.lang.Thread", "sleep"), ("app.Turn", "take"), HANDLE, *RUN],
}

CANCELS: Final = {
    OTHER + stack: [CANCEL if frame == HANDLE else frame for frame in STACKS[stack]]
    for stack in (BORROW, QUERY, GUARD, RETURN)
}


class Request(NamedTuple):
    """A line of the service's own log."""

    start_ns: int
    end_ns: int


class Service:
    """Workers, one for each client, that share permits or a lock."""

    def __init__(
        self,
        clients: int = 12,
        *,
        permits: int = 0,
        query_ms: float = 5,
        hold_ms: float = 0,
        turns: int = 0,
        kept: float = 0,
        cascades: float = 0,
        in_vain: float = 0,
        starts_s: float = 0,
        reads: float = 0,
        loads_ms: float = 0,
        loads_each: bool = False,
        states_units: bool = False,
        asks: bool = False,
        sends: float = 0,
        cancels: float = 0,
        checks: float = 0,
        seed: int = 1,
        seconds: float = 4,
    ) -> None:
        """Run it; 0 permits: no limit.

        Parameters that are shares apply to that part of the requests. A request first
        takes up to the given number of turns. For a share, the worker finds the next
        request waiting and is not idle before it; for another, a worker with a request
        wakes the next worker, not the poller; before another, the worker wakes up only
        for the pool's own lock. The run begins the given seconds before the service.
        Classes are loaded before the first request, or in each one: a worker then waits
        for the given time. A query is a sleep, or is sent to a database. For a share,
        the server's own code, in which workers wait as well, reads the request first.
        For a share of the queries of workers that were idle, sending is slow enough to
        be recorded; the answers then arrive at one of two places with one name. A share
        is for another endpoint. In a share, a filter waits before the endpoint is
        called.
        """
        self.random = random.Random(seed)
        self.permits = permits or clients
        self.query_ms, self.hold_ms = query_ms, hold_ms
        self.turns, self.kept, self.cascades = turns, kept, cascades
        self.in_vain, self.starts_ns = in_vain, round(starts_s * 1000 * MS)
        self.loads_ms, self.loads_each = loads_ms, loads_each
        self.reads = reads
        self.states_units = states_units
        self.asks, self.sends, self.cancels = asks, sends, cancels
        self.checks = checks
        self.endpoint: dict[int, int] = {}
        self.events: list[Event] = []
        self.log: list[Request] = []
        self.waiting: list[tuple[int, Callable[[int], None]]] = []
        self.owner = 0
        self.queue: list[tuple[int, Callable[[int], None]]] = []
        self.steps: list[tuple[int, int, Callable[[int], None]]] = []
        self.number = 0
        self.busy: set[int] = set()
        self.woken: set[int] = set()
        self.emit(0, POLLER, KIND.THREAD_START)
        for client in range(clients):
            worker = FIRST_WORKER + client
            self.emit(0, worker, KIND.THREAD_START)
            ready = 10 * US
            if not loads_each:
                ready += self.loads(worker, ready, loads_ms)
            self.emit(ready, worker, KIND.PARK, object=CONDITION, stack=IDLE)
            at = ready + round(self.random.uniform(20, 400)) * US
            self.then(at, self.arrives(worker))
        while self.steps:
            now, _, step = heapq.heappop(self.steps)
            if now > seconds * 1000 * MS:
                break
            step(now)
        self.emit(round(seconds * 1000 * MS), POLLER, KIND.CPU_TIME, value=20 * MS)
        self.emit(round(seconds * 1000 * MS), POLLER, KIND.THREAD_END)

    def loads(self, worker: int, now: int, ms: float, stack: int = LOAD) -> int:
        """Wait for a class to be loaded; return for how long."""
        if not ms:
            return 0
        self.emit(now, worker, KIND.CONTENDED_ENTER, object=LOADER, stack=stack)
        self.emit(now + round(ms * MS), worker, KIND.CONTENDED_ENTERED, object=LOADER)
        return round(ms * MS) + US

    def emit(self, now: int, thread: int, kind: EventKind, **fields: Any) -> None:
        starts_ns = 0 if kind == KIND.THREAD_START else self.starts_ns
        if fields.get("stack") in {BORROW, QUERY, GUARD, RETURN}:
            fields["stack"] += self.endpoint.get(thread, 0)
        self.events.append(Event(1 + now + starts_ns, thread, kind, **fields))

    def then(self, now: int, step: Callable[[int], None]) -> None:
        self.number += 1
        heapq.heappush(self.steps, (now, self.number, step))

    def some(self, mean_ms: float) -> int:
        return round(mean_ms * MS * self.random.uniform(0.7, 1.3))

    def arrives(self, worker: int) -> Callable[[int], None]:
        def step(now: int) -> None:
            if self.in_vain and self.random.random() < self.in_vain:
                self.emit(now, worker, KIND.UNPARKED)
                self.emit(now + 10 * US, worker, KIND.PARK, object=LOADER, stack=OWN)
                self.emit(now + 40 * US, worker, KIND.UNPARKED)
                now += 400 * US
                self.emit(now, worker, KIND.PARK, object=CONDITION, stack=IDLE)
                now += 10 * US
            by = POLLER
            if self.cascades and self.busy and self.random.random() < self.cascades:
                by = self.random.choice(sorted(self.busy))
            self.emit(now, by, KIND.UNPARK_CALLED, peer=worker, stack=DONE)
            start = now + 30 * US
            self.emit(start, worker, KIND.UNPARKED)
            self.woken.add(worker)
            self.begins(worker, start)

        return step

    def begins(self, worker: int, start: int) -> None:
        now = start
        self.busy.add(worker)
        if self.cancels:
            self.endpoint[worker] = OTHER * (self.random.random() < self.cancels)
        if self.states_units:
            self.emit(start, worker, KIND.UNIT_BEGIN, object=ORDER, value=worker)
        if self.reads and self.random.random() < self.reads:
            now += self.loads(worker, now + US, 0.02, READ)
        if self.checks and self.random.random() < self.checks:
            now += self.loads(worker, now + US, 0.5, CHECK)
        if self.loads_each:
            now += self.loads(worker, now + US, self.loads_ms)
        for _ in range(self.random.randint(1, self.turns) if self.turns else 0):
            self.emit(now + 10 * US, worker, KIND.SLEEP, stack=TURN)
            now += self.some(1)
            self.emit(now, worker, KIND.SLEPT)
        self.then(now + self.some(0.3), lambda at: self.borrow(worker, start, at))

    def borrow(self, worker: int, start: int, now: int) -> None:
        if self.permits:
            self.permits -= 1
            self.uses(worker, start, now)
            return
        self.emit(now, worker, KIND.PARK, object=PERMITS, stack=BORROW)
        self.waiting.append((worker, lambda at: self.uses(worker, start, at)))

    def uses(self, worker: int, start: int, now: int) -> None:
        if self.asks:
            stack = QUERY
            if self.sends:
                stack = self.random.choice([ANSWERED, ANSWERED_TOO])
            if worker in self.woken and self.random.random() < self.sends:
                self.emit(now, worker, KIND.AWAIT, object=DATABASE, stack=SEND)
                now += 20 * US
                self.emit(now, worker, KIND.AWAITED, object=DATABASE)
            self.emit(now + US, worker, KIND.AWAIT, object=DATABASE, stack=stack)
        else:
            self.emit(now + US, worker, KIND.SLEEP, stack=QUERY)
        end = now + self.some(self.query_ms)
        self.then(end, lambda at: self.gives(worker, start, at))

    def gives(self, worker: int, start: int, now: int) -> None:
        if self.asks:
            self.emit(now, worker, KIND.AWAITED, object=DATABASE)
        else:
            self.emit(now, worker, KIND.SLEPT)
        if self.waiting:
            other, goes_on = self.waiting.pop(0)
            self.emit(
                now + US,
                worker,
                KIND.UNPARK_CALLED,
                object=PERMITS,
                peer=other,
                stack=RETURN,
            )
            self.emit(now + 20 * US, other, KIND.UNPARKED)
            self.then(now + 20 * US, goes_on)
        else:
            self.permits += 1
        self.then(now + 50 * US, lambda at: self.locks(worker, start, at))

    def locks(self, worker: int, start: int, now: int) -> None:
        if not self.hold_ms:
            self.answers(worker, start, now)
        elif self.owner:
            self.emit(
                now,
                worker,
                KIND.CONTENDED_ENTER,
                object=LOCK,
                peer=self.owner,
                stack=GUARD,
                flags=4,
            )
            self.queue.append((worker, lambda at: self.holds(worker, start, at)))
        else:
            self.holds(worker, start, now)

    def holds(self, worker: int, start: int, now: int) -> None:
        self.owner = worker
        self.then(
            now + self.some(self.hold_ms), lambda at: self.leaves(worker, start, at)
        )

    def leaves(self, worker: int, start: int, now: int) -> None:
        self.owner = 0
        if self.queue:
            other, goes_on = self.queue.pop(0)
            self.emit(now, other, KIND.CONTENDED_ENTERED, object=LOCK, peer=worker)
            self.owner = other
            self.then(now, goes_on)
        self.answers(worker, start, now)

    def answers(self, worker: int, start: int, now: int) -> None:
        end = now + self.some(0.2)
        self.log.append(Request(start, end))
        self.busy.discard(worker)
        if self.states_units:
            self.emit(end, worker, KIND.UNIT_END)
        if self.kept and self.random.random() < self.kept:
            self.woken.discard(worker)
            self.then(end + US, lambda at: self.begins(worker, at))
            return
        self.emit(end, worker, KIND.PARK, object=CONDITION, stack=IDLE)
        self.then(end + self.some(0.5), self.arrives(worker))

    def rate(self) -> float:
        """Requests a second, without the first and the last tenth."""
        first = self.log[0].end_ns
        length = self.log[-1].end_ns - first
        low, high = first + length / 10, first + length * 9 / 10
        return sum(low < it.end_ns <= high for it in self.log) / (high - low) * 1e9

    def p99_ns(self) -> int:
        """The 99th percentile of the duration."""
        return sorted(it.end_ns - it.start_ns for it in self.log)[
            len(self.log) * 99 // 100
        ]

    def model(self) -> Model:
        """Return the model of the recording."""
        model = Model()
        self.fill(model)
        return model

    def fill(
        self,
        model: Sink,
        *,
        ending: Ending = Ending.UNKNOWN,
        without: Container[EventKind] = (),
    ) -> None:
        """Report the recording, but for events of these kinds."""
        kinds = frozenset(EventKind)
        model.define_run(Run(start_ns=1, kinds=kinds, processors=4, ending=ending))
        methods: dict[tuple[str, str], int] = {}
        for stack, frames in [*STACKS.items(), *CANCELS.items()]:
            for frame in frames:
                if frame not in methods:
                    methods[frame] = len(methods) + 1
                    model.define_class(methods[frame], frame[0])
                    model.define_method(methods[frame], methods[frame], frame[1])
            # Internal classes of the VM have different code.
            places = [(methods[it], stack * it[0].startswith(FORM)) for it in frames]
            model.define_stack(stack, [Frame(*place) for place in places])
        for number, name in {
            CONDITION: "java.util.concurrent.locks."
            "AbstractQueuedSynchronizer$ConditionObject",
            PERMITS: "app.Pool",
            LOCK: "app.Stock",
            ORDER: "app.order",
            LOADER: "java.lang.Object",
        }.items():
            model.define_class(100 + number, name)
            label = "GET /order" if number == ORDER else None
            model.define_object(number, 100 + number, name=label)
        model.define_class(100 + DATABASE, "socket")
        model.define_object(
            DATABASE, 100 + DATABASE, kind=ObjectKind.SOCKET, name=ENDPOINT
        )
        model.define_thread(POLLER, "poller")
        for thread in sorted({event.thread for event in self.events} - {POLLER}):
            model.define_thread(thread, f"worker-{thread}")
        events = [event for event in self.events if event.kind not in without]
        model.ingest(sorted(events, key=lambda event: event.time_ns))
