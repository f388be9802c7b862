# SPDX-License-Identifier: Apache-2.0
"""Random runs: any events of a few threads and locks, most of them possible."""

import random
from collections.abc import Iterator

from threadmodel import Event, EventFlag, EventKind, Frame, Run, Sink

CLASSES = ("app.A", "app.B", "java.util.C")
METHODS = 4
STACKS = 8


def define(sink: Sink, threads: int, objects: int) -> None:
    """Define threads from 1, objects from 100 and stacks from 1."""
    sink.define_run(Run(policy=1, start_ns=1))
    for number, name in enumerate(CLASSES, 1):
        sink.define_class(number, name, f"{name.rpartition('.')[2]}.java")
    for method in range(1, METHODS + 1):
        sink.define_method(method, 1 + method % len(CLASSES), f"m{method}")
    for stack in range(1, STACKS + 1):
        frames = [Frame(1 + stack % METHODS, line=stack), Frame(1 + stack // METHODS)]
        sink.define_stack(stack, frames)
    for thread in range(1, threads + 1):
        sink.define_thread(thread, f"t{thread}", group=f"g{thread % 3}")
    for number in range(objects):
        sink.define_object(100 + number, 1 + number % len(CLASSES))


def fill(sink: Sink, seed: int, *, threads: int, objects: int, count: int) -> None:
    """Emit a run into a sink; the same seed gives the same run."""
    define(sink, threads, objects)
    sink.ingest(list(events(seed, threads, objects, count)))


def events(seed: int, threads: int, objects: int, count: int) -> Iterator[Event]:
    """Yield events by rising time; times of two threads are often equal."""
    rng = random.Random(seed)
    kind = EventKind
    blocked: dict[int, tuple[EventKind, int]] = {}
    ends = {
        kind.CONTENDED_ENTER: kind.CONTENDED_ENTERED,
        kind.WAIT: kind.WAITED,
        kind.SLEEP: kind.SLEPT,
        kind.PARK: kind.UNPARKED,
        kind.JOIN: kind.JOINED,
    }
    begins = [kind.CONTENDED_ENTER] * 6 + [kind.WAIT] * 3 + list(ends)
    others = [kind.NOTIFY] * 3 + [kind.NOTIFY_ALL] * 2 + [kind.HELD, kind.THREAD_END]
    time_ns = 1
    last: dict[int, int] = {}
    for _ in range(count):
        time_ns += rng.choice((0, 1, 1, 5, 17, 80))
        thread = rng.randint(1, threads)
        time_ns += last.get(thread) == time_ns
        last[thread] = time_ns
        lock = 100 + rng.randrange(objects)
        peer = rng.choice((0, 0, rng.randint(1, threads)))
        inferred = rng.random() < 0.2
        flags = EventFlag.PEER_INFERRED if inferred else EventFlag.PEER_REPORTED
        stack = rng.randint(0, STACKS)
        waits = blocked.get(thread, (None, 0))[0] == kind.WAIT
        if thread in blocked and (waits or rng.random() < 0.9):
            began, lock = blocked.pop(thread)
            if began == kind.WAIT and rng.random() < 0.3:
                flags, peer = EventFlag.TIMED_OUT, 0
            end = ends[began]
            if end == kind.JOINED:
                peer = lock = 0
            yield Event(time_ns, thread, end, object=lock, peer=peer, flags=flags)
        elif rng.random() < 0.7:
            what = rng.choice(begins)
            if what in (kind.SLEEP, kind.JOIN) or rng.random() < 0.02:
                lock = 0
            if what == kind.WAIT:
                peer = 0
            blocked[thread] = (what, lock)
            yield Event(
                time_ns,
                thread,
                what,
                object=lock,
                peer=peer,
                stack=stack,
                flags=flags,
            )
        else:
            what = rng.choice(others)
            if what == kind.THREAD_END and rng.random() < 0.8:
                continue
            yield Event(time_ns, thread, what, object=lock, stack=stack)
