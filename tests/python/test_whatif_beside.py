# SPDX-License-Identifier: Apache-2.0
"""What-if of a run with further threads that do not affect its end: no change."""

import random

import threadmodel
from campaign import campaign
from lockworld import ALL_KINDS, Program, Steps, World, started_by_main
from threadmodel import Event, EventKind, Run, Sink

# Numbers of the threads and locks beside.
BESIDE = 100
END = EventKind.THREAD_END


def some(chance: random.Random) -> Program:
    """Rounds of work under one of three locks, or of two within one another."""
    rounds = [
        (chance.sample((1, 2, 3), 2), chance.randint(10, 900), chance.random() < 0.3)
        for _ in range(chance.randint(5, 30))
    ]

    def run(world: World) -> Steps:
        for (first, second), ns, is_nested in rounds:
            yield "enter", first
            yield "work", ns
            if is_nested and first < second:
                yield "enter", second
                yield "work", ns
                yield "exit", second
            yield "exit", first
            yield ("sleep" if ns % 2 else "work"), ns

    return run


def world_of(chance: random.Random) -> World:
    return World(started_by_main({2 + i: some(chance) for i in range(4)}))


def moved(event: Event, share: float) -> Event:
    """The same for another thread and lock, earlier."""
    return event._replace(
        time_ns=1000 + int((event.time_ns - 1000) * share),
        thread=event.thread + BESIDE,
        peer=event.peer and event.peer + BESIDE,
        object=event.object and event.object + BESIDE,
    )


def fill(sink: Sink, world: World, beside: list[Event]) -> None:
    sink.define_run(Run(policy=1, kinds=ALL_KINDS))
    for more in (0, BESIDE) if beside else (0,):
        for id in world.locks:
            sink.define_class(id + more, f"app.Lock{id + more}")
            sink.define_object(id + more, id + more)
    sink.ingest(sorted([*world.events, *beside], key=lambda it: it.time_ns))


@campaign(60, 2000)
def test_threads_beside_a_run_change_no_prediction(seed: int) -> None:
    chance = random.Random(seed)
    world, other = world_of(chance), world_of(chance)
    share = 0.9 * world.length_ns / other.length_ns
    models = []
    # A run is over when all threads are that end in it.
    endless = [it for it in other.events if it.kind != END]
    for beside in ([], [moved(event, share) for event in endless]):
        model = threadmodel.Model()
        fill(model, world, beside)
        models.append(model)
    alone, together = models
    assert together.length_ns == alone.length_ns
    for id in sorted(world.locks):
        for factor in (0.0, 0.5, 1.5):
            rows = [
                next(iter(model.whatif(f"app.Lock{id}", factor=factor)))
                for model in models
            ]
            for column in ("length_ns", "gain_ns", "gain_low_ns", "gain_high_ns"):
                assert rows[0][column] == rows[1][column], (seed, id, factor, column)
            assert rows[0]["note"] == rows[1]["note"]
