# SPDX-License-Identifier: Apache-2.0
"""Readers of one lock, for a long time: the model stays small."""

from threadmodel import Event, EventFlag, EventKind, Model

LOCK, WRITER = 100, 99
ROUNDS = 100_000
EVENTS = 5 * ROUNDS


def relay(model: Model, rounds: int) -> None:
    """Two readers in turn, so that the lock always has one."""
    model.define_object(LOCK, 0)
    events: list[Event] = []
    for turn in range(rounds):
        reader, time_ns = 1 + turn % 2, 1 + 10 * turn
        events.append(shared(time_ns, reader, EventKind.ACQUIRED))
        if turn:
            events.append(shared(time_ns + 5, 3 - reader, EventKind.RELEASED))
    model.ingest(events)


def shared(time_ns: int, thread: int, kind: EventKind) -> Event:
    return Event(time_ns, thread, kind, object=LOCK, flags=EventFlag.SHARED)


def test_readers_for_whom_nobody_waits_cost_no_memory() -> None:
    model = Model()
    relay(model, ROUNDS)
    assert len(model.holds()) <= 4
    (row,) = model.hold_times(("object",)).head(1)
    assert sum(it["count"] for it in model.hold_times()) >= ROUNDS - 4
    assert row["p50_ns"] == 15


def test_readers_are_known_again_after_old_ones_were_evicted() -> None:
    model = Model(memory_limit_bytes=1_000_000)
    time_ns = 0
    for turn in range(40_000):
        time_ns = 1 + 100 * turn
        reader = 1 + turn % 2
        model.ingest(
            [
                shared(time_ns, reader, EventKind.ACQUIRED),
                Event(time_ns + 1, WRITER, EventKind.CONTENDED_ENTER, object=LOCK),
                shared(time_ns + 50, reader, EventKind.RELEASED),
                Event(time_ns + 60, WRITER, EventKind.CONTENDED_ENTERED, object=LOCK),
                Event(time_ns + 70, WRITER, EventKind.RELEASED, object=LOCK),
            ]
        )
    assert model.memory_bytes < 2_000_000
    last = [row for row in model.holds() if row["shared"]][-1]
    assert (last["start_ns"], last["end_ns"]) == (time_ns - 1, time_ns + 49)
