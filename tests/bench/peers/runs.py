# SPDX-License-Identifier: Apache-2.0
"""Runs of any size, made up: threads that park, each time at an object drawn from
10,000 with a stack drawn from 2,000, so that nearly every interval is the first of its
object at its caller.

usage: runs.py FILE INTERVALS, which writes a trace
"""

import sys
from collections.abc import Iterator
from typing import Any

THREADS, OBJECTS, CLASSES, STACKS = 64, 10_000, 50, 2_000
PER_BATCH = 1_000_000


def define(sink: Any) -> None:
    """Tell a sink of threads, classes, objects and stacks."""
    from threadmodel import Frame

    for number in range(1, CLASSES + 1):
        sink.define_class(number, f"bench.Class{number}")
    for number in range(1, STACKS + 1):
        sink.define_method(number, 1 + number % CLASSES, f"method{number}")
        sink.define_stack(number, [Frame(number, line=number)])
    for number in range(1, THREADS + 1):
        sink.define_thread(number, f"worker-{number}")
    for number in range(1, OBJECTS + 1):
        sink.define_object(number, 1 + number % CLASSES)


def events(intervals: int) -> Iterator[Any]:
    """Arrays of events: a park and its end make two intervals, parked and running."""
    import numpy

    import threadmodel
    from threadmodel import EventKind

    draw = numpy.random.default_rng(1)
    now_ns = 0
    for begin in range(0, intervals, PER_BATCH):
        count = min(PER_BATCH, intervals - begin) // 2
        found = numpy.zeros(2 * count, threadmodel.event_dtype())
        lengths = numpy.where(
            draw.random(count) < 0.5,
            draw.integers(1, 300, count),
            draw.integers(1, 50_000, count),
        )
        steps = numpy.empty(2 * count, numpy.int64)
        steps[0::2] = draw.integers(1, 500, count)
        steps[1::2] = lengths
        found["time_ns"] = now_ns + numpy.cumsum(steps)
        now_ns = int(found["time_ns"][-1])
        for name, most in (("thread", THREADS), ("object", OBJECTS)):
            found[name] = numpy.repeat(draw.integers(1, most + 1, count), 2)
        found["stack"][0::2] = draw.integers(1, STACKS + 1, count)
        found["kind"][0::2] = EventKind.PARK
        found["kind"][1::2] = EventKind.UNPARKED
        yield found


def model(intervals: int) -> Any:
    """A model of so many intervals."""
    import threadmodel

    made = threadmodel.Model()
    define(made)
    for batch in events(intervals):
        made.ingest(batch)
    return made


def main() -> None:
    import threadmodel

    with threadmodel.Writer(sys.argv[1]) as writer:
        define(writer)
        for batch in events(int(sys.argv[2])):
            writer.ingest(batch)


if __name__ == "__main__":
    main()
