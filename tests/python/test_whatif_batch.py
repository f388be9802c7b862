# SPDX-License-Identifier: Apache-2.0
"""What-if of batch programs, compared with the same simulated program really changed.

A simulated program reports the events of a JVM agent. A second simulation with the
change gives the real gain, without a clock.
"""

import heapq
from collections.abc import Callable
from typing import Any, Final

import pytest

from campaign import campaign, run_of
from threadmodel import Event, EventKind, Frame, Model, Run
from threadmodel.cli.names import known_method

KIND: Final = EventKind
US: Final = 1000
MAIN, FIRST = 1, 2
PERMITS, RW = 1, 2
JOIN, ACQUIRE, WAKE_NEXT, RELEASE, WORK, READ, LOAD = 1, 2, 3, 4, 5, 6, 7
AQS = "java.util.concurrent.locks.AbstractQueuedSynchronizer"
QUERY = ("app.Client", "query")
STACKS: Final = {
    JOIN: [("java.lang.Thread", "join"), ("app.Main", "main")],
    ACQUIRE: [(AQS, "acquire"), ("java.util.concurrent.Semaphore", "acquire"), QUERY],
    WAKE_NEXT: [
        (AQS, "signalNext"),
        ("java.util.concurrent.Semaphore", "acquire"),
        QUERY,
    ],
    RELEASE: [
        (AQS, "signalNext"),
        ("java.util.concurrent.Semaphore", "release"),
        QUERY,
    ],
    WORK: [("java.lang.Thread", "sleep"), ("app.Client", "work"), QUERY],
    READ: [(AQS, "acquire"), ("app.Prices", "look")],
    LOAD: [
        ("java.lang.Thread", "sleep"),
        ("app.Prices", "load"),
        ("app.Prices", "update"),
    ],
}


class Program:
    """Events of a program, and the steps that are still to come."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.steps: list[tuple[int, int, Callable[[int], None]]] = []
        self.number = 0

    def emit(self, now: int, thread: int, kind: EventKind, **fields: Any) -> None:
        self.events.append(Event(1 + now, thread, kind, **fields))

    def then(self, now: int, step: Callable[[int], None]) -> None:
        self.number += 1
        heapq.heappush(self.steps, (now, self.number, step))

    def play(self) -> int:
        """Run all steps, and return the length of the program."""
        while self.steps:
            now, _, step = heapq.heappop(self.steps)
            step(now)
        return max(event.time_ns for event in self.events) - 1

    def sleep(self, now: int, thread: int, stack: int, length: int) -> int:
        self.emit(now, thread, KIND.SLEEP, stack=stack)
        self.emit(now + length, thread, KIND.SLEPT)
        return now + length

    def model(self) -> Model:
        model = Model()
        model.define_run(Run(policy=1, start_ns=1))
        names: dict[str, int] = {}
        methods: dict[tuple[str, str], int] = {}
        for stack, frames in STACKS.items():
            for owner, name in frames:
                if owner not in names:
                    names[owner] = len(names) + 1
                    model.define_class(names[owner], owner)
                if (owner, name) not in methods:
                    methods[owner, name] = len(methods) + 1
                    model.define_method(methods[owner, name], names[owner], name)
            model.define_stack(
                stack, [Frame(methods[frame], line=1) for frame in frames]
            )
        model.define_class(90, "java.util.concurrent.Semaphore$NonfairSync")
        model.define_class(91, "app.Lock")
        model.define_object(PERMITS, 90)
        model.define_object(RW, 91)
        for thread in {event.thread for event in self.events}:
            model.define_thread(thread, f"t{thread}")
        model.ingest(sorted(self.events, key=lambda event: event.time_ns))
        return model


class Semaphore(Program):
    """Clients that use permits. Each one that gets a permit wakes the next in the queue
    as well, as the JDK's shared locks do: it finds nothing, and waits again."""

    def __init__(
        self, permits: int, use: int, clients: int = 6, rounds: int = 20
    ) -> None:
        super().__init__()
        self.permits, self.use, self.left = permits, use, clients
        self.queue: list[tuple[int, int]] = []
        self.emit(0, MAIN, KIND.THREAD_START)
        for client in range(FIRST, FIRST + clients):
            self.emit(0, client, KIND.THREAD_START)
            self.then(client * US, self.acquires(client, rounds))
        self.emit(1, MAIN, KIND.JOIN, peer=FIRST, stack=JOIN)
        self.length = self.play()

    def acquires(self, client: int, rounds: int) -> Callable[[int], None]:
        def step(now: int) -> None:
            if not rounds:
                self.ends(client, now)
            elif self.permits:
                self.permits -= 1
                self.works(client, rounds, now)
            else:
                self.emit(now, client, KIND.PARK, object=PERMITS, stack=ACQUIRE)
                self.queue.append((client, rounds))

        return step

    def works(self, client: int, rounds: int, now: int) -> None:
        end = self.sleep(now + US, client, WORK, self.use)
        self.then(end + US, self.releases(client, rounds))

    def releases(self, client: int, rounds: int) -> Callable[[int], None]:
        def step(now: int) -> None:
            self.permits += 1
            if self.queue:
                self.permits -= 1
                other, left = self.queue.pop(0)
                self.wakes(client, other, RELEASE, now)
                self.then(now + 2 * US, self.goes_on(other, left))
            self.then(now + 20 * US, self.acquires(client, rounds - 1))

        return step

    def wakes(self, client: int, other: int, stack: int, now: int) -> None:
        self.emit(
            now, client, KIND.UNPARK_CALLED, object=PERMITS, peer=other, stack=stack
        )
        self.emit(now + US, other, KIND.UNPARKED)

    def goes_on(self, client: int, rounds: int) -> Callable[[int], None]:
        def step(now: int) -> None:
            if self.queue:
                other, _ = self.queue[0]
                self.wakes(client, other, WAKE_NEXT, now)
                self.emit(now + 2 * US, other, KIND.PARK, object=PERMITS, stack=ACQUIRE)
            self.works(client, rounds, now)

        return step

    def ends(self, client: int, now: int) -> None:
        self.emit(now, client, KIND.THREAD_END)
        self.left -= 1
        if not self.left:
            self.emit(now + US, MAIN, KIND.JOINED, peer=FIRST)
            self.emit(now + 2 * US, MAIN, KIND.THREAD_END)


def predicted(program: Program, **question: Any) -> dict[str, Any]:
    (row,) = program.model().whatif(**question)
    return dict(row)


def test_who_gets_a_permit_and_wakes_the_next_has_not_released_its_own() -> None:
    model = Semaphore(2, 800 * US).model()
    rows = [row for row in model.resources() if row["releasing_method"]]
    assert len(rows) == 1
    row = rows[0]
    assert row["permits"] == 2
    assert row["use_p50_ns"] == pytest.approx(800 * US, rel=0.1)


@pytest.mark.parametrize("permits", [1, 2, 3])
@pytest.mark.parametrize("factor", [0.25, 0.5])
def test_shorter_uses_of_permits_gain_what_the_changed_program_gains(
    permits: int, factor: float
) -> None:
    program = Semaphore(permits, 800 * US)
    changed = Semaphore(permits, round(800 * US * factor))
    row = predicted(program, method="app.Client.query", change="uses", factor=factor)
    assert row["note"] is None
    real = program.length - changed.length
    assert row["gain_ns"] == pytest.approx(real, rel=0.15)
    assert row["gain_low_ns"] <= real <= row["gain_high_ns"]


@pytest.mark.parametrize("more", [1, 2, 4])
def test_more_permits_gain_what_the_changed_program_gains(more: int) -> None:
    program, changed = Semaphore(2, 800 * US), Semaphore(2 + more, 800 * US)
    row = predicted(program, method="app.Client.query", change="permits", permits=more)
    real = program.length - changed.length
    assert row["gain_low_ns"] <= real <= row["gain_high_ns"]
    assert row["gain_ns"] == pytest.approx(real, rel=0.15)


class Writer(Program):
    """A thread that loads under a lock which it always gets at once, and one that wants
    to look meanwhile: only that one is seen to wait."""

    def __init__(self, load: int, rounds: int = 20) -> None:
        super().__init__()
        self.emit(0, MAIN, KIND.THREAD_START)
        self.emit(0, FIRST, KIND.THREAD_START)
        now = 10 * US
        for _ in range(rounds):
            end = self.sleep(now + US, FIRST, LOAD, load) + US if load else now + US
            wants = now + 3 * US
            if wants < end:
                self.emit(wants, MAIN, KIND.CONTENDED_ENTER, object=RW, peer=FIRST,
                          stack=READ, flags=4)  # fmt: skip
                self.emit(end, MAIN, KIND.CONTENDED_ENTERED, object=RW)
            now = end + 50 * US
        self.emit(now, FIRST, KIND.THREAD_END)
        self.emit(now, MAIN, KIND.THREAD_END)
        self.length = self.play()


def test_hold_that_nobody_saw_begin_is_of_the_methods_its_owner_is_in() -> None:
    program, changed = Writer(500 * US), Writer(0)
    row = predicted(program, method="app.Prices.update", factor=0.0)
    real = program.length - changed.length
    assert row["scaled"] == 20
    assert row["gain_ns"] == pytest.approx(real, rel=0.05)
    assert predicted(program, method="app.Main.main", factor=0.0)["gain_ns"] is None


def test_no_gain_is_more_than_the_run() -> None:
    for program in (Writer(500 * US), Semaphore(1, 800 * US)):
        model = program.model()
        for row in model.whatif_rank():
            assert row["gain_high_ns"] <= model.length_ns
            assert row["length_ns"] >= 0


@campaign(40, 1000)
def test_ranking_has_only_changes_that_it_predicts(seed: int) -> None:
    model = run_of(seed)
    for row in model.whatif_rank(factor=0.0):
        assert row["note"] is None or not row["note"].startswith("cannot tell")
        assert row["gain_low_ns"] <= row["gain_ns"] <= row["gain_high_ns"]
        assert row["gain_high_ns"] <= model.length_ns
        assert row["length_ns"] >= 0


@pytest.mark.parametrize(
    "printed",
    ["Client.query", "Client.query:1", "query", "app.Client.query", "*.query"],
)
def test_permits_are_found_by_the_names_that_cards_print(printed: str) -> None:
    model = Semaphore(2, 800 * US, rounds=3).model()
    assert known_method(model, printed, "permits") == "app.Client.query"
